"""`irev study reproduction`: an experiment and its reproduction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.delivery import deliver, study_options
from irev.cli.gathering import gathered, gathering_options, starts_with_saved
from irev.cli.studies.testing import SEED, confidence_of, number
from irev.cli.types import whole_number
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.engine.gather import Gathered
    from irev.studies.reproduction import Experiment

MEASURES = ("map", "ndcg_cut.10", "P.10")
"""What is looked at where no measure is named."""

_ROLES = ("baseline", "advanced", "new_baseline", "new_advanced")


def reproduction(**given: Any) -> int:
    """How well an experiment was reproduced: an advanced run against a baseline, then and now.

    Effect ratio (ER) with its interval, the difference of relative improvements (DeltaRI), RMSE and
    normalised RMSE of the topics' scores, p, and RBO of the rankings. QRELS are the judgments, and
    --new-qrels those of the new runs where it was replicated on other topics. Saved scores have no
    rankings, and need no QRELS.

    A judged topic that a run lacks counts as 0, and the notes on stderr say so.
    """
    from irev.plots.record import notes_of, parameters_of
    from irev.studies.reproduction import Choices, with_overlap
    from irev.studies.reproduction import reproduction as studied
    from irev.studies.signing import signed_by_scores

    runs = _runs(given)
    margin = None if given["margin"] is None else number(given, "margin", 0.0)
    choices = Choices(given["resamples"], given["seed"] or 0, confidence_of(given), margin)
    qrels = given["files"]
    new_qrels = (given["new_qrels"],) if given["new_qrels"] else qrels
    then, original = _experiment(given, qrels, runs[:2])
    now, new = _experiment(given, new_qrels, runs[2:])
    record = studied(
        original, new, choices,
        parameters={
            **parameters_of(then), "runs": dict(zip(_ROLES, runs, strict=True)),
            "original": parameters_of(then)["runs"], "new": parameters_of(now)["runs"],
        },
        notes=tuple(dict.fromkeys((*notes_of(then)[1:], *notes_of(now)[1:]))),
    )  # fmt: skip
    record = signed_by_scores(record, original.matrices, new.matrices)
    if qrels and not given["new_qrels"]:
        pairs = {"baseline": (runs[0], runs[2]), "advanced": (runs[1], runs[3])}
        record = with_overlap(record, pairs, number(given, "persistence", 0.9, "-p"))
    return deliver(record, given)


def _runs(given: dict[str, Any]) -> list[str]:
    """The four runs."""
    for role in _ROLES:
        if given[role] is None:
            raise click.UsageError(
                f"four runs are wanted: --{role.replace('_', '-')} is missing",
                click.get_current_context(silent=True),
            )
    runs = [given[role] for role in _ROLES]
    are_saved = starts_with_saved(runs)
    if len(given["files"]) != (0 if are_saved else 1):
        wanted = "saved scores need no QRELS" if are_saved else "one relevance file is wanted"
        raise click.UsageError(
            f"{wanted}: irev study reproduction QRELS --baseline RUN --advanced RUN "
            "--new-baseline RUN --new-advanced RUN",
            click.get_current_context(silent=True),
        )
    if "-" in (*runs, *given["files"]):
        raise UsageError("standard input (-) cannot be read twice: give files")
    for one, other in (runs[:2], runs[2:]):
        if one == other:
            raise UsageError(f"{one} is both the baseline and the advanced run")
    return runs


def _experiment(
    given: dict[str, Any], qrels: Sequence[str], runs: Sequence[str]
) -> tuple[Gathered, Experiment]:
    from irev.studies.reproduction import Experiment

    found = gathered({**given, "files": (*qrels, *runs)}, MEASURES)
    matrices = found.matrices
    return found, Experiment(matrices, matrices.number_of(runs[0]), matrices.number_of(runs[1]))


def _own_options() -> list[click.Parameter]:
    return [
        Option("--baseline", metavar="RUN", help="The original baseline."),
        Option("--advanced", metavar="RUN", help="The original advanced run."),
        Option("--new-baseline", metavar="RUN", help="The reproduced baseline."),
        Option("--new-advanced", metavar="RUN", help="The reproduced advanced run."),
        Option(
            "--new-qrels", metavar="FILE", help="The judgments of the new runs, on other topics."
        ),
        Option(
            "--resamples", type=whole_number(2), default=1000, metavar="B",
            help="Samples of the topics for the interval of ER. Default: 1000.",
        ),
        SEED,
        Option("--alpha", metavar="A", help="Intervals are of the level 1 - A. Default: 0.05."),
        Option(
            "--margin", metavar="D",
            help="Test whether means are equal but for this difference (two one-sided t tests).",
        ),
        Option(
            "-p", "--persistence", metavar="P", help="That of RBO. Default: 0.9.",
        ),
    ]  # fmt: skip


command = Job(
    "reproduction",
    params=[
        click.Argument(["files"], nargs=-1, metavar="[QRELS]"),
        *_own_options(), *study_options(), *gathering_options(MEASURES, without=("classes",)),
    ],
    callback=reproduction,
    help=reproduction.__doc__,
    epilog="Example: irev study reproduction qrels.txt --baseline bm25.run --advanced rm3.run "
    "--new-baseline my-bm25.run --new-advanced my-rm3.run -m map",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
