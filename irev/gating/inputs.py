"""The two sides of a gate: a run, and what it is set against, on the same topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from irev.engine.gather import gather
from irev.errors import UsageError
from irev.read.saved import is_saved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.matrices import Matrices
    from irev.options import Options


@dataclass(frozen=True, eq=False, repr=False)
class Sides:
    """What the limits and the comparisons look at.

    limited   the scores under all measures, on all topics; the run is its column `number`
    compared  those of the run and the baseline, whose columns are `sides`; None without baseline
    notes     what a reader must know, a line each
    """

    limited: Matrices
    number: int
    compared: Matrices | None
    sides: tuple[int, int]
    notes: tuple[str, ...]


def sides_of(
    qrels: str | None,
    run: str,
    baseline: str | None,
    measures: Sequence[str],
    compared: Sequence[str],
    options: Options,
    *,
    format: str = "qrels",
    drop_undefined: bool = False,
) -> Sides:
    """Score a run and its baseline, and see to it that they can be compared.

    Args:
        qrels: judgments; None where the run, and the baseline, are saved scores.
        run: a run, or saved scores of one.
        baseline: likewise; a run is scored under the same judgments.
        measures: names of all that is measured of the run.
        compared: names of what is compared; the baseline needs no others.
        options: the choices of the evaluation.
        format: what the qrels hold.
        drop_undefined: whether topics on which some score is no finite number are left out.

    Raises:
        UsageError: a measure that cannot be gated or that the baseline lacks.
        InputError: an input that cannot be read.
        MismatchError: scores of other judgments or definitions.
    """
    is_saved_baseline = baseline is not None and baseline != run and _is_saved(baseline)
    runs = [run]
    if baseline not in (None, run) and not is_saved_baseline:
        runs.append(str(baseline))
    first = gather(
        qrels, runs, measures, options, format=format, drop_undefined=drop_undefined
    )  # fmt: skip
    limited, notes = first.matrices, list(first.notes)
    number = _column_of(limited, run)
    if baseline is None:
        return Sides(limited, number, None, (0, 0), tuple(notes))
    both = limited
    if is_saved_baseline:
        second = gather(
            None, [limited, baseline], compared, options, drop_undefined=drop_undefined
        )  # fmt: skip
        both = second.matrices
        notes += [note for note in second.notes if note not in notes]
        if len(both.entries) < 2:
            raise UsageError(f"{baseline} has none of the measures: {', '.join(compared)}")
    sides = (_column_of(both, run), _column_of(both, baseline))
    return Sides(limited, number, both, sides, tuple(notes))


def _is_saved(path: str) -> bool:
    return path != "-" and is_saved(path)


def _column_of(matrices: Matrices, path: str) -> int:
    """Which column comes from a file.

    Raises:
        UsageError: several do.
    """
    found = [n for n, entry in enumerate(matrices.entries) if entry.path == path]
    if len(found) != 1:
        raise UsageError(f"{path} holds the scores of {len(found)} runs: one is wanted")
    return found[0]
