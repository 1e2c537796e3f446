"""`irev study sensitivity`: what one more relevant document does to a measure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.studies.choices import (
    grades_present,
    options_of,
    real_numbers,
    shared,
    whole_numbers,
)
from irev.cli.types import whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from irev.options import Options
    from irev.plots.record import Record

MEASURES = ("AP", "Rprec", "P@10", "nDCG@10")
"""What is looked at where no measure is named."""

RELEVANT, SCORES = "10,50,100", "0.1,0.3,0.5"


def sensitivity(**given: Any) -> int:
    """Show what one document's becoming relevant at rank j does to measures, for every j.

    Of a made ranking (--ranking), of one topic of a run (QRELS RUN -t TOPIC), of one document of it
    (-t TOPIC --doc DOC), or, with QRELS RUN alone, the mean over the topics whose document at rank
    j is not relevant. The change is the new score less the old; by Kishida's equations where a
    measure has one, otherwise by scoring the ranking anew, which any measure of grades allows.

    The slopes below the changes are those by the gain of each relevant document.

    --undiscovered DEPTH shows what a relevant document does that a pool of that depth missed, which
    stands at the next rank: by formula for average precision, or for the topics of a run.
    """
    from irev.cli.progress import shown

    _check(given)
    options = options_of(given)
    measures = given["measures"] or MEASURES
    grows = given["base"] != "fixed"
    if given["undiscovered"] is not None:
        return deliver(_undiscovered(given, measures, options), given)
    from irev.studies.sensitivity import DEPTH, sensitivity_of_ranking, sensitivity_of_run

    if given["ranking"] is not None:
        grades = _ranking(given["ranking"])
        record = sensitivity_of_ranking(
            grades, measures, relevant=_relevant(given, grades, options.level),
            grade=_grade(given), grows=grows, options=options,
        )  # fmt: skip
    else:
        qrels, run = given["files"]
        record = sensitivity_of_run(
            qrels, run, measures, topic=_bytes(given["topic"]), document=_bytes(given["document"]),
            grade=_grade(given), grows=grows, depth=given["depth"] or DEPTH, options=options,
            watched=lambda topics: shown(topics, len(topics), "topics"),
        )  # fmt: skip
    return deliver(record, given)


def _check(given: dict[str, Any]) -> None:
    """Refuse options that do not go together."""
    files = len(given["files"])
    is_made = given["ranking"] is not None
    if files not in (0, 2) or (files == 0 and not is_made and given["undiscovered"] is None):
        raise click.UsageError(
            "a ranking, or a relevance file and one run are wanted: irev study sensitivity "
            "--ranking 1,0,0,1, or QRELS RUN",
            click.get_current_context(silent=True),
        )
    of_files = ("topic", "document", "depth")
    of_made = ("ranking", "present")
    if files:
        _refuse(given, (*of_made, "relevant", "scores"), "QRELS RUN")
    else:
        _refuse(given, of_files, "a made ranking")
    if given["undiscovered"] is not None:
        _refuse(given, (*of_files, *of_made), "--undiscovered")
    else:
        _refuse(given, ("scores",), "a ranking")
    if given["undiscovered"] is not None and given["base"] == "fixed":
        raise UsageError("--undiscovered has R grow: --recall fixed does not go with it")


_SPELLED = {
    "topic": "--topic", "document": "--doc", "depth": "--depth", "ranking": "--ranking",
    "present": "--grades-present", "relevant": "--relevant", "scores": "--scores",
}  # fmt: skip


def _refuse(given: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if given[name] is not None:
            raise UsageError(f"{_SPELLED[name]} does not go with {what}")


def _undiscovered(given: dict[str, Any], measures: tuple[str, ...], options: Options) -> Record:
    from irev.studies.undiscovered import undiscovered, undiscovered_in_run

    depth = given["undiscovered"]
    if given["files"]:
        qrels, run = given["files"]
        return undiscovered_in_run(
            qrels, run, measures, depth, grade=_grade(given), options=options
        )
    if given["measures"]:
        raise UsageError("the formula is of average precision: -m goes with QRELS RUN")
    relevant = whole_numbers("--relevant", given["relevant"] or RELEVANT)
    return undiscovered(depth, relevant, real_numbers("--scores", given["scores"] or SCORES))


def _ranking(text: str) -> list[float]:
    """The grade at each rank; `-` is a document without a judgment."""
    words = ["-1" if word == "-" else word for word in text.split(",")]
    return real_numbers("--ranking", ",".join(words))


def _relevant(given: dict[str, Any], grades: list[float], level: int) -> list[float] | None:
    """The grades of all relevant documents, if they were given."""
    if given["present"] is not None:
        if given["relevant"] is not None:
            raise UsageError(
                "--grades-present says how many relevant documents there are: no --relevant"
            )
        return grades_present(given["present"])
    if given["relevant"] is None:
        return None
    (total, *more) = whole_numbers("--relevant", given["relevant"])
    here = [grade for grade in grades if grade >= level]
    if more or total < len(here):
        raise UsageError(
            f"--relevant {given['relevant']}: one number is wanted with --ranking, at least the "
            f"{len(here)} relevant documents that it has"
        )
    return [*here, *[float(max(level, 1))] * (total - len(here))]


def _grade(given: dict[str, Any]) -> float | None:
    if given["grade"] is None:
        return None
    (grade, *more) = real_numbers("--grade", given["grade"])
    if more or grade < 0:
        raise UsageError(f"--grade {given['grade']}: one grade of at least 0 is wanted")
    return grade


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def _own_options() -> list[click.Parameter]:
    return [
        Option(
            "--ranking", metavar="GRADES",
            help="A made ranking: the grade at each rank, with commas; - is not judged.",
        ),
        Option(
            "--relevant", metavar="R",
            help="With --ranking: how many relevant documents there are, retrieved or not; those "
            "that are not have the smallest relevant grade. Default: those of the ranking. With "
            f"--undiscovered: a list. Default: {RELEVANT}.",
        ),
        Option(
            "--grades-present", "present", metavar="GRADES",
            help="With --ranking, instead: the grades of all relevant documents, such as 3,2,1.",
        ),
        Option("-t", "--topic", metavar="TOPIC", help="Change the ranking of this topic alone."),
        Option("--doc", "document", metavar="DOC", help="Change this document of it alone."),
        Option(
            "--grade", metavar="G",
            help="The grade that the document gets. Default: the smallest relevant one.",
        ),
        Option(
            "--recall", "--ideal", "base", type=click.Choice(["grows", "recomputed", "fixed"]),
            default="grows",
            help="Whether the number of relevant documents grows and the ideal list is recomputed "
            "(grows or recomputed, the default), or both stay as they are (fixed).",
        ),
        Option(
            "--depth", type=whole_number(1), metavar="N",
            help="With a run: change documents down to this rank. Default: 100.",
        ),
        Option(
            "--undiscovered", type=whole_number(1), metavar="DEPTH",
            help="What a relevant document does that a pool of this depth missed.",
        ),
        Option(
            "--scores", metavar="LIST",
            help=f"With --undiscovered: average precisions before. Default: {SCORES}.",
        ),
    ]  # fmt: skip


command = Job(
    "sensitivity",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS RUN]"),
        *_own_options(), *shared(", ".join(MEASURES), "max_retrieved", "compat"), *study_options(),
    ],
    callback=sensitivity,
    help=sensitivity.__doc__,
    epilog="Examples: irev study sensitivity --ranking 1,0,0,1,0,1,0,0 --relevant 4 -m AP;  "
    "irev study sensitivity qrels.txt bm25.run -t 301 --output sensitivity;  "
    "irev study sensitivity --undiscovered 100 --places 5",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
