"""The options of `irev.studies.sensitivity`."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from irev.core.option_records import Opt
from irev.core.text import as_bytes
from irev.errors import UsageError
from irev.jobs.studies.options.rankings import (
    RankingStudyOptions,
    check_grades_present,
    parse_counts,
    parse_numbers,
    parse_ranking,
    refuse_options,
)
from irev.read.formats import GRADED, JUDGMENTS, format_names

DEPTH = 100
"""Down to which rank documents of a run are changed, unless more is asked for."""

CHANGED = ("AP", "Rprec", "P@10", "nDCG@10")
"""What is looked at where no measure is named."""

RELEVANT, SCORES = (10, 50, 100), (0.1, 0.3, 0.5)
"""Numbers of relevant documents, and average precisions, of the table of undiscovered ones."""

_OF_RUN, _OF_RANKING = ("topic", "document", "depth"), ("ranking_grades", "present")


class SensitivityOptions(RankingStudyOptions):
    """What becomes relevant, and in which ranking."""

    without: ClassVar[Sequence[str]] = ("qrels_format",)

    qrels_format: Annotated[str, Opt(
        "-R", metavar="FORMAT", effect="reading", choices=GRADED,
        help=f"Format of QRELS: {format_names({name: JUDGMENTS[name] for name in GRADED})}.",
    )] = "qrels"  # fmt: skip
    ranking_grades: Annotated[Sequence[float], Opt(
        "--ranking", metavar="GRADES", parse=parse_ranking,
        help="An artificial ranking: the grade at each rank, with commas; - is not judged.",
    )] = ()  # fmt: skip
    relevant: Annotated[int | Sequence[int] | None, Opt(
        "--relevant", metavar="R", parse=parse_counts,
        help="With --ranking: how many relevant documents there are, retrieved or not; those "
        "that are not have the smallest relevant grade. Default: those of the ranking. With "
        f"--undiscovered: a list. Default: {','.join(map(str, RELEVANT))}.",
    )] = None  # fmt: skip
    present: Annotated[Sequence[float], Opt(
        "--grades-present", metavar="GRADES", parse=parse_numbers,
        help="With --ranking, instead: the grades of all relevant documents, such as 3,2,1.",
    )] = ()  # fmt: skip
    topic: Annotated[str | bytes | int | None, Opt(
        "-t", "--topic", metavar="TOPIC", help="Change the ranking of this topic alone."
    )] = None  # fmt: skip
    document: Annotated[str | bytes | None, Opt(
        "--doc", metavar="DOC", help="Change this document of it alone."
    )] = None  # fmt: skip
    grade: Annotated[float | None, Opt(
        "--grade", metavar="G",
        help="The grade that the document gets. Default: the smallest relevant one.",
    )] = None  # fmt: skip
    base: Annotated[Literal["grows", "recomputed", "fixed"], Opt(
        "--recall", "--ideal",
        help="Whether the number of relevant documents grows and the ideal list is recomputed "
        "(grows or recomputed, the default), or both stay as they are (fixed).",
    )] = "grows"  # fmt: skip
    depth: Annotated[int | None, Opt(
        "--depth", metavar="N", least=1,
        help=f"With a run: change documents down to this rank. Default: {DEPTH}.",
    )] = None  # fmt: skip
    undiscovered: Annotated[int | None, Opt(
        "--undiscovered", metavar="DEPTH", least=1,
        help="The effect of a relevant document that a pool of this depth missed.",
    )] = None  # fmt: skip
    scores: Annotated[Sequence[float], Opt(
        "--scores", metavar="LIST", parse=parse_numbers,
        help="With --undiscovered: average precisions before. Default: "
        f"{','.join(map(str, SCORES))}.",
    )] = ()  # fmt: skip

    def _check(self) -> None:
        super()._check()
        if self.undiscovered is not None:
            refuse_options(self, (*_OF_RUN, *_OF_RANKING), "--undiscovered")
            if not self.ideal_grows:
                raise UsageError(
                    "--undiscovered has R grow: --recall fixed cannot be combined with it"
                )
        else:
            refuse_options(self, ("scores",), "a ranking")
        if self.present and self.relevant is not None:
            raise UsageError(
                "--grades-present says how many relevant documents there are: no --relevant"
            )
        check_grades_present(self.present)
        if self.grade is not None and self.grade < 0:
            raise UsageError(f"--grade {self.grade:g}: must be one grade of at least 0")

    def check_inputs(self, *, has_run: bool) -> None:
        """Refuse options of a made ranking where there is a run, and the other way round."""
        if has_run:
            refuse_options(self, (*_OF_RANKING, "relevant", "scores"), "QRELS RUN")
        else:
            refuse_options(self, _OF_RUN, "a made ranking")

    @property
    def ideal_grows(self) -> bool:
        """Whether the number of relevant documents grows and the ideal list is recomputed."""
        return self.base != "fixed"

    @property
    def topic_id(self) -> bytes | None:
        """The topic as files have it."""
        return None if self.topic is None else as_bytes(_topic_text(self.topic))

    @property
    def document_id(self) -> bytes | None:
        """The document as files have it."""
        return None if self.document is None else as_bytes(self.document)

    @property
    def numbers_relevant(self) -> Sequence[int]:
        """Numbers of relevant documents; none where they were not given."""
        if self.relevant is None:
            return ()
        return (self.relevant,) if isinstance(self.relevant, int) else tuple(self.relevant)

    def relevant_grades(self) -> Sequence[float] | None:
        """The grades of all relevant documents of the made ranking, if they were given."""
        if self.present or self.relevant is None:
            return self.present or None
        total, *more = self.numbers_relevant
        retrieved = [grade for grade in self.ranking_grades if grade >= self.level]
        if more or total < len(retrieved):
            shown = ",".join(map(str, self.numbers_relevant))
            raise UsageError(
                f"--relevant {shown}: with --ranking give one number, at least the "
                f"{len(retrieved)} relevant documents that the ranking has"
            )
        return [*retrieved, *[float(self.level or 1)] * (total - len(retrieved))]


def _topic_text(topic: str | bytes | int) -> str | bytes:
    return str(topic) if isinstance(topic, int) else topic
