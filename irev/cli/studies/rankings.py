"""`irev study sensitivity` and `judgment-noise`: rankings whose judgments change."""

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from irev.cli.commands import Job, misused
from irev.cli.delivery import StudyOutput, deliver
from irev.cli.options import Asked, Taken, load_plugins
from irev.cli.output import check_files
from irev.cli.several_runs import ONLY_GRADES, default_measures
from irev.core.option_records import Opt, ResultOptions
from irev.core.progress import progress_reporter
from irev.core.text import parse_whole
from irev.errors import UsageError
from irev.jobs.studies.plans import DEPTH, OF_ASSESSORS, real_numbers
from irev.options import SEED, Options
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


class Assessors(ResultOptions):
    """Whose judgments vary, or how."""

    qrels_format: Annotated[str, Opt(
        "-R", metavar="FORMAT", effect="reading", choices=OF_ASSESSORS,
        help=f"What QRELS hold: one assessor's judgments ({', '.join(GRADED)}) or several groups' "
        "(qrels_jg). Default: qrels.",
    )] = "qrels"  # fmt: skip
    theta: Annotated[str | None, Opt(
        "--theta", metavar="P",
        help="The probability that a judgment is right, from 0 to 1; 0.5 is judging at random.",
    )] = None  # fmt: skip
    trials: Annotated[int | None, Opt(
        "--trials", metavar="M", least=2,
        help="With --theta: how often everything is judged. Default: 1000.",
    )] = None  # fmt: skip
    seed: Annotated[int | None, SEED.replace(
        help="With --theta: seed of the draws. Default: 0."
    )] = None  # fmt: skip
    topic_set_size: Annotated[int | None, Opt(
        "--topic-set-size", metavar="L", least=2,
        help="Without files: how many topics. Default: 50.",
    )] = None  # fmt: skip
    ranks: Annotated[int | None, Opt(
        "--ranks", metavar="N", least=1,
        help="Without files: how many documents each topic has. Default: 10.",
    )] = None  # fmt: skip


def judgment_noise(
    files: tuple[str, ...], whose: Assessors, asked: Asked, options: Options, output: StudyOutput
) -> int:
    """Show how much the mean of a measure changes when assessors disagree.

    Printed are, as in Kishida's Table 2: the mean, the variance between topics, the mean variance
    within a topic over the judgments, their sum, the mean variance that one judgment alone gives,
    and the variance of the mean over topics.

    The judgments are several assessors' (QRELS QRELS... RUN, or one file with -R qrels_jg), or
    simulated from one file, each right with probability --theta (QRELS RUN --theta 0.9), or
    simulated entirely: without files, each document of --topic-set-size rankings of --ranks
    documents is relevant with probability theta or 1 - theta, by chance.
    """
    _check_noise(files, whose)
    load_plugins(asked.plugins)
    measures = asked.measures or ("AP",)
    return deliver(_noise(files, whose, measures, _only(options, *_OF_RUNS)), output)


def _check_noise(files: tuple[str, ...], whose: Assessors) -> None:
    if len(files) == 1 or (not files and whose.qrels_format == "qrels_jg"):
        raise misused(
            "give relevance files and one run: irev study judgment-noise QRELS... RUN, "
            "or no file and --theta"
        )
    check_files(files, [])
    if whose.qrels_format == "qrels_jg" or len(files) > 2:
        _refuse(whose, ("theta", "trials", "seed", "topic_set_size", "ranks"), "several assessors")
    elif whose.theta is None:
        more = ", or another file of judgments" if files else ""
        raise UsageError(f"give the probability that a judgment is right, --theta 0.9{more}")
    elif files:
        _refuse(whose, ("topic_set_size", "ranks"), "QRELS RUN")


def _noise(
    files: tuple[str, ...], whose: Assessors, measures: Sequence[str], options: Options
) -> "StudyResult":
    *qrels, run = files or [None]
    if whose.theta is None:
        from irev.jobs.studies.assessors import noise_of_assessors

        return noise_of_assessors(qrels, run, measures, format=whose.qrels_format, options=options)
    from irev.jobs.studies.judgment_noise import noise_in_run, simulated_noise

    theta = _one_number("--theta", whose.theta, "one probability")
    drawing: dict[str, Any] = {
        "trials": whose.trials or 1000, "seed": whose.seed or 0, "options": options,
        "watched": progress_reporter("topics"),
    }  # fmt: skip
    if qrels:
        return noise_in_run(qrels[0], run, theta, measures, format=whose.qrels_format, **drawing)
    topics, ranks = whose.topic_set_size or 50, whose.ranks or 10
    return simulated_noise(theta, measures, topics=topics, ranks=ranks, **drawing)


judgment_noise_command = Job(
    "judgment-noise", judgment_noise, "[QRELS... RUN]", Assessors,
    *_shared("AP", *_OF_RUNS), _OUTPUT,
    example="irev study judgment-noise --theta 0.9 --topic-set-size 50 --ranks 10;  "
    "irev study judgment-noise qrels.txt bm25.run --theta 0.9 -m AP -m ndcg_cut.10;  "
    "irev study judgment-noise anna.qrels ben.qrels bm25.run",
)  # fmt: skip
