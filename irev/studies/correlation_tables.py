"""The tables of a study of correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irev.statistics.kendall_null import tau_p
from irev.statistics.rank_correlation import (
    pearson,
    rms_error,
    spearman,
    tau_a,
    tau_ap,
    tau_ap_b,
    tau_b,
)
from irev.statistics.tolerance import groups_of_equals, scale_of
from irev.studies.conclusions import counts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from irev.core.arrays import Floats
    from irev.studies.conclusions import Verdicts
    from irev.studies.criteria import Criterion
    from irev.studies.sweeps import Line

MOST_PANELS = 12
"""Up to so many criteria are drawn against the first."""


def correlations(criteria: Sequence[Criterion]) -> pd.DataFrame:
    """A line for each ordered pair of criteria; `measure` is the truth."""
    import pandas as pd

    rows = [
        {
            "measure": truth.name,
            "with": estimate.name,
            "runs": len(truth.merits),
            **coefficients(truth, estimate),
            "rho": spearman(truth.merits, estimate.merits),
            "r": pearson(truth.merits, estimate.merits),
            "rms": rms_error(estimate.means, truth.means),
            "tied pairs": _tied(truth.merits) + _tied(estimate.merits),
        }
        for truth in criteria
        for estimate in criteria
    ]
    return pd.DataFrame(rows)


def coefficients(truth: Criterion, estimate: Criterion) -> dict[str, Any]:
    """How alike two criteria order the runs, by Kendall's tau and its kin."""
    one, other = truth.merits, estimate.merits
    p = tau_p(one, other)
    return {
        "tau_b": tau_b(one, other),
        "tau_a": tau_a(one, other),
        "p": p.p,
        "p is": "exact" if p.exact else "normal",
        "tau_AP": tau_ap(one, other),
        "tau_AP_b": tau_ap_b(one, other),
    }


def _tied(merits: Floats) -> int:
    """How many pairs of runs are tied."""
    group = groups_of_equals(merits, scale_of(merits)).tolist()
    return sum(math.comb(group.count(number), 2) for number in set(group))


def square(tidy: pd.DataFrame, column: str) -> pd.DataFrame:
    """A line and a column for each criterion."""
    import pandas as pd

    names = list(dict.fromkeys(tidy["measure"]))
    cells = tidy[column].to_numpy().reshape(len(names), -1)
    square = pd.DataFrame(cells, columns=names)
    square.insert(0, column, names)
    return square


def pairs(tidy: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Each two criteria once, in the order of the criteria."""
    place = {name: number for number, name in enumerate(names)}
    chosen = tidy["measure"].map(place) < tidy["with"].map(place)
    kept = tidy[chosen].drop(columns=["runs", "tied pairs"])
    return kept.reset_index(drop=True)


def conclusions(names: Sequence[str], found: Sequence[Verdicts]) -> pd.DataFrame:
    """For each two criteria once, how many pairs of runs they agree on."""
    import pandas as pd

    rows = [
        {"measure": names[one], "with": names[other], **counts_of(found[one], found[other])}
        for one in range(len(names))
        for other in range(one + 1, len(names))
    ]
    return pd.DataFrame(rows)


def means(criteria: Sequence[Criterion], runs: Sequence[str]) -> pd.DataFrame:
    """A line for each run, a column for each criterion."""
    import pandas as pd

    return pd.DataFrame({"run": list(runs), **{each.name: each.means for each in criteria}})


def cells(tidy: pd.DataFrame) -> pd.DataFrame:
    """What the heat map shows."""
    return tidy[["measure", "with", "tau_b"]].rename(columns={"tau_b": "value"})


def scatter(criteria: Sequence[Criterion], runs: Sequence[str]) -> pd.DataFrame:
    """The means under the first criterion against those under each of the others."""
    import pandas as pd

    across = criteria[0]
    rows = [
        (across.name, each.name, run, x, y)
        for each in criteria[1 : MOST_PANELS + 1]
        for run, x, y in zip(runs, across.means.tolist(), each.means.tolist(), strict=True)
    ]
    return pd.DataFrame(rows, columns=["measure", "with", "run", "x", "y"])


def swept(tidy: pd.DataFrame, lines: Sequence[Line]) -> dict[str, pd.DataFrame]:
    """For each parameter the correlations with the reference, a line for each of its values."""
    import pandas as pd

    facts_of = ["tau_b", "p", "tau_AP", "rho", "rms"]
    names = zip(tidy["measure"], tidy["with"], strict=True)
    by_names = dict(zip(names, tidy[facts_of].to_numpy().tolist(), strict=True))
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for line in lines:
        for value, name in line.points:
            found = (line.measure, line.against, value, name, *by_names[line.against, name])
            rows.setdefault(line.parameter, []).append(found)
    return {
        f"sweep-{parameter}": pd.DataFrame(
            each, columns=["measure", "against", parameter, "as printed", *facts_of]
        )
        for parameter, each in rows.items()
    }
