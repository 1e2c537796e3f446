"""Which options and measures cannot be combined with the format of the judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.errors import UsageError
from irev.measures.requests import needs_ids
from irev.read.formats import GRADED, JUDGMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.measures.requests import Request
    from irev.options import Options


def check_qrels_format(options: Options, qrels_format: str) -> None:
    """Refuse options that cannot be combined with the format of the judgments."""
    if options.intents is not None and "subtopics" not in JUDGMENTS[qrels_format].gives:
        raise UsageError(f"intents need judgments by subtopic (-R subtopics), not {qrels_format}")
    if options.pool is not None and qrels_format not in GRADED:
        raise UsageError(f"a pool needs plain judgments (-R qrels), not -R {qrels_format}")
    if JUDGMENTS[qrels_format].holds_runs:
        _refuse_options_of_rankings(options, qrels_format)
    if options.grade_map and "prefs" in JUDGMENTS[qrels_format].gives:
        raise UsageError(f"--map-grades: preferences (-R {qrels_format}) have no grades")


def _refuse_options_of_rankings(options: Options, qrels_format: str) -> None:
    """Refuse, with answers, what is of rankings of documents."""
    fields = options.fields()
    for name in ("max_retrieved", "judged_only", "ties", "tie_range", "exclude", "grade_map",
                 "residuals", "judged_shares"):  # fmt: skip
        if getattr(options, name) != fields[name].default:
            option = fields[name].opt.names[0]
            raise UsageError(f"{option} is of rankings, and -R {qrels_format} has none")
    if "support" in JUDGMENTS[qrels_format].gives and options.no_relevant == "skip":
        raise UsageError(
            f"--no-rel skip: with -R {qrels_format} an answer without support counts 0; what is "
            "cited differs between runs"
        )


def check_ties(options: Options, qrels_format: str) -> None:
    """Refuse orders of tied documents that the judgments cannot decide."""
    option = "--tie-range" if options.tie_range else f"--ties {options.ties}"
    gives = JUDGMENTS[qrels_format].gives
    if "prefs" in gives:
        if options.ties_by_grade:
            raise UsageError(
                f"preferences (-R {qrels_format}) have no grades to order ties by: {option}"
            )
    elif len(gives) > 1 and options.several_orders:
        kind = "judgments by subtopic" if "subtopics" in gives else "sampled judgments"
        raise UsageError(f"{option} cannot be combined with {kind} (-R {qrels_format})")


def refuse_id_measures_if_ties_by_grade(requests: Sequence[Request], options: Options) -> None:
    """Refuse measures that draw documents where equal scores have no order by themselves."""
    if options.ties_by_grade:
        for request in requests:
            if needs_ids(request):
                option = "--tie-range" if options.tie_range else f"--ties {options.ties}"
                raise UsageError(f"{request.columns[0].name} cannot be combined with {option}")


def check_needed_judgments(
    requests: Sequence[Request], qrels_format: str, also_gives: Sequence[str]
) -> None:
    """Refuse measures that cannot be combined with the format of the judgments."""
    kinds = (*JUDGMENTS[qrels_format].gives, *also_gives)
    for request in requests:
        needs = request.measure.needs
        if needs not in ("any", *kinds):
            formats = " or ".join(
                name
                for name, each in JUDGMENTS.items()
                if needs in each.gives and (name == needs or "qrels" not in each.gives)
            )
            raise UsageError(
                f"measure {request.measure.name} needs judgments of the format {formats} "
                f"(-R {needs}), not {qrels_format}"
            )
