"""`irev study sensitivity`: a ranking whose judgments change."""

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.options import Asked, Taken, load_plugins
from irev.cli.several_runs import ONLY_GRADES, default_measures
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import progress_reporter
from irev.core.text import parse_whole
from irev.errors import UsageError
from irev.jobs.studies.plans import DEPTH, real_numbers
from irev.options import Options
from irev.read.formats import GRADED

if TYPE_CHECKING:
    from irev.jobs.study_result import StudyResult

_FIELDS = (
    "level", "collection_size", "real_grades", "decimal_comma", "grade_map", "defaults", "compat",
)  # fmt: skip
"""Choices that mean here what they mean for `irev eval`."""

_OF_RUNS = ("max_retrieved", "run_format")
"""Those of runs likewise."""

_OUTPUT = Taken(StudyOutput, place=99)
"""It stands last in the help."""


def _shared(default: str, *more: str) -> tuple[Taken, Taken]:
    """What a study on judgments takes of `irev eval`, given its measures where none is named."""
    return (
        Taken(Asked, only=("measures", "plugins"), say={"measures": default_measures(default)}),
        Taken(Options, only=(*_FIELDS, *more)),
    )


def _only(options: Options, *more: str) -> Options:
    """The choices that the study has options for; all others are at their defaults."""
    return Options(**{name: getattr(options, name) for name in (*_FIELDS, *more)})


def _refuse(chosen: ResultOptions, names: Sequence[str], what: str) -> None:
    """Refuse options that cannot be combined with something."""
    for name in names:
        if getattr(chosen, name) is not None:
            spelled = chosen.fields()[name].opt.names[-1]
            raise UsageError(f"{spelled} cannot be combined with {what}")


def _whole_numbers(option: str, text: str) -> list[int]:
    """Whole numbers of at least 1, with commas between them."""
    found = []
    for word in text.split(","):
        number = parse_whole(word)
        if number is None or number < 1:
            raise UsageError(f"{option} {text}: '{word}' is not a whole number of at least 1")
        found.append(number)
    return found


def _grades_present(text: str) -> list[float]:
    """The grades of relevant documents, likewise, each above 0."""
    found = real_numbers("--grades-present", text)
    if min(found) <= 0:
        raise UsageError(f"--grades-present {text}: the grades of relevant documents are above 0")
    return found


def _one_number(option: str, text: str, wanted: str, least: float = -math.inf) -> float:
    """One number of at least so much; `wanted` says what else is wrong."""
    (number, *more) = real_numbers(option, text)
    if more or number < least:
        raise UsageError(f"{option} {text}: must be {wanted}")
    return number


_CHANGED = ("AP", "Rprec", "P@10", "nDCG@10")


RELEVANT, SCORES = "10,50,100", "0.1,0.3,0.5"


class OneChange(ResultOptions):
    """What becomes relevant, and in which ranking."""

    qrels_format: Annotated[str, Opt(
        "-R", metavar="FORMAT", effect="reading", choices=GRADED, help=ONLY_GRADES,
    )] = "qrels"  # fmt: skip
    ranking: Annotated[str | None, Opt(
        "--ranking", metavar="GRADES",
        help="An artificial ranking: the grade at each rank, with commas; - is not judged.",
    )] = None  # fmt: skip
    relevant: Annotated[str | None, Opt(
        "--relevant", metavar="R",
        help="With --ranking: how many relevant documents there are, retrieved or not; those "
        "that are not have the smallest relevant grade. Default: those of the ranking. With "
        f"--undiscovered: a list. Default: {RELEVANT}.",
    )] = None  # fmt: skip
    present: Annotated[str | None, Opt(
        "--grades-present", metavar="GRADES",
        help="With --ranking, instead: the grades of all relevant documents, such as 3,2,1.",
    )] = None  # fmt: skip
    topic: Annotated[str | None, Opt(
        "-t", "--topic", metavar="TOPIC", help="Change the ranking of this topic alone."
    )] = None  # fmt: skip
    document: Annotated[str | None, Opt(
        "--doc", metavar="DOC", help="Change this document of it alone."
    )] = None  # fmt: skip
    grade: Annotated[str | None, Opt(
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
    scores: Annotated[str | None, Opt(
        "--scores", metavar="LIST",
        help=f"With --undiscovered: average precisions before. Default: {SCORES}.",
    )] = None  # fmt: skip


def sensitivity(
    files: tuple[str, ...], what: OneChange, asked: Asked, options: Options, output: StudyOutput
) -> int:
    """Show how measures change when the document at rank j becomes relevant, for every j.

    For an artificial ranking (--ranking), one topic of a run (QRELS RUN -t TOPIC), one document of
    it (-t TOPIC --doc DOC), or, with QRELS RUN alone, the mean over the topics whose document at
    rank j is not relevant. The change is the new score minus the old one, by Kishida's equations
    where a measure has one, otherwise by scoring the ranking again, which works for any measure of
    grades.

    The slopes below the changes are those by the gain of each relevant document.

    --undiscovered DEPTH shows what a relevant document does that a pool of that depth missed, which
    stands at the next rank: by formula for average precision, or for the topics of a run.
    """
    _check_change(files, what)
    load_plugins(asked.plugins)
    options = _only(options, *_OF_RUNS)
    measures, grows = asked.measures or _CHANGED, what.base != "fixed"
    if what.undiscovered is not None:
        return deliver(_undiscovered(files, what, asked, options), output)
    from irev.jobs.studies.sensitivity import sensitivity_of_ranking, sensitivity_of_run

    if what.ranking is not None:
        grades = _ranking(what.ranking)
        outcome = sensitivity_of_ranking(
            grades, measures, relevant=_relevant(what, grades, options.level), grade=_grade(what),
            grows=grows, options=options,
        )  # fmt: skip
    else:
        qrels, run = files
        outcome = sensitivity_of_run(
            qrels, run, measures, topic=_bytes(what.topic), document=_bytes(what.document),
            grade=_grade(what), grows=grows, depth=what.depth or DEPTH, format=what.qrels_format,
            options=options, watched=progress_reporter("topics"),
        )  # fmt: skip
    return deliver(outcome, output)


def _check_change(files: tuple[str, ...], what: OneChange) -> None:
    """Refuse options that cannot be combined."""
    is_made = what.ranking is not None
    if len(files) not in (0, 2) or not (files or is_made or what.undiscovered is not None):
        raise misused(
            "give a ranking, or a relevance file and one run: irev study sensitivity "
            "--ranking 1,0,0,1, or QRELS RUN"
        )
    of_files, of_made = ("topic", "document", "depth"), ("ranking", "present")
    if files:
        _refuse(what, (*of_made, "relevant", "scores"), "QRELS RUN")
    else:
        _refuse(what, of_files, "a made ranking")
    if what.undiscovered is not None:
        _refuse(what, (*of_files, *of_made), "--undiscovered")
    else:
        _refuse(what, ("scores",), "a ranking")
    if what.undiscovered is not None and what.base == "fixed":
        raise UsageError("--undiscovered has R grow: --recall fixed cannot be combined with it")


def _undiscovered(
    files: tuple[str, ...], what: OneChange, asked: Asked, options: Options
) -> "StudyResult":
    from irev.jobs.studies.undiscovered import undiscovered, undiscovered_in_run

    depth = what.undiscovered or 0
    if files:
        qrels, run = files
        measures = asked.measures or _CHANGED
        return undiscovered_in_run(
            qrels, run, measures, depth, grade=_grade(what), format=what.qrels_format,
            options=options,
        )  # fmt: skip
    if asked.measures:
        raise UsageError("the formula is for average precision: -m needs QRELS RUN")
    relevant = _whole_numbers("--relevant", what.relevant or RELEVANT)
    return undiscovered(depth, relevant, real_numbers("--scores", what.scores or SCORES))


def _ranking(text: str) -> list[float]:
    """The grade at each rank; `-` is a document without a judgment."""
    words = ["-1" if word == "-" else word for word in text.split(",")]
    return real_numbers("--ranking", ",".join(words))


def _relevant(what: OneChange, grades: list[float], level: int) -> list[float] | None:
    """The grades of all relevant documents, if they were given."""
    if what.present is not None:
        if what.relevant is not None:
            raise UsageError(
                "--grades-present says how many relevant documents there are: no --relevant"
            )
        return _grades_present(what.present)
    if what.relevant is None:
        return None
    (total, *more) = _whole_numbers("--relevant", what.relevant)
    here = [grade for grade in grades if grade >= level]
    if more or total < len(here):
        raise UsageError(
            f"--relevant {what.relevant}: with --ranking give one number, at least the "
            f"{len(here)} relevant documents that the ranking has"
        )
    return [*here, *[float(max(level, 1))] * (total - len(here))]


def _grade(what: OneChange) -> float | None:
    if what.grade is None:
        return None
    return _one_number("--grade", what.grade, "one grade of at least 0", 0)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


sensitivity_command = Job(
    "sensitivity", sensitivity, "[QRELS RUN]", OneChange,
    *_shared(", ".join(_CHANGED), *_OF_RUNS), _OUTPUT,
    example="irev study sensitivity --ranking 1,0,0,1,0,1,0,0 --relevant 4 -m AP;  "
    "irev study sensitivity qrels.txt bm25.run -t 301 --output sensitivity;  "
    "irev study sensitivity --undiscovered 100 --places 5",
)  # fmt: skip
