"""Means under flat names, as the logs of experiments take them: {"bm25/ndcg_at_10": 0.58}.

MLflow allows letters, digits, `_`, `-`, `.`, blanks and `/` in the key of a metric, and a key that
is no path to another (`a//b`, `../a`). Weights & Biases groups charts by what stands before `/`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from irev.core.text import escape_non_utf8, pattern
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOT_ALLOWED = r"[^0-9A-Za-z_.\- ]+"


def flat_name(name: str) -> str:
    """A name of a run or of a measure as part of a key: `nDCG(b=2)@10` is `nDCG_b_2_at_10`.

    `@` is `_at_`; other characters that MLflow does not allow, and `/`, are one `_` together, none
    at the ends and none beside `_at_`. A name of periods alone is made of `_`.
    """
    parts = [
        pattern(_NOT_ALLOWED).sub("_", part).strip("_ ")
        for part in escape_non_utf8(name).split("@")
    ]
    flat = "_at_".join(parts)
    return flat if flat.strip(".") else "_" * max(1, len(flat))


def flat_summary(
    summary_by_run: Mapping[str, Mapping[str, float]], *, several_runs: bool
) -> dict[str, float]:
    """Means under `MEASURE`, or under `RUN/MEASURE` of several runs.

    What is no finite number is left out: a log cannot draw it, and JSON cannot hold it.

    Raises:
        UsageError: two names are rewritten to one.
    """
    flat: dict[str, float] = {}
    names: dict[str, str] = {}
    for run, summary in summary_by_run.items():
        prefix = f"{flat_name(run)}/" if several_runs else ""
        for measure, value in summary.items():
            key = f"{prefix}{flat_name(measure)}"
            name = f"{run}/{measure}" if several_runs else measure
            if key in names:
                raise UsageError(
                    f"{names[key]} and {name} are both {key} as keys of a log: leave one out, or "
                    "rename a run"
                )
            names[key] = name
            if math.isfinite(value):
                flat[key] = float(value)
    return flat
