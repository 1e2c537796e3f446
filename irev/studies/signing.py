"""The signatures of studies: what an outcome was made of, and how."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.comparison.signature import ComparisonSignature
from irev.comparison.signature import signed as signed_scores
from irev.core.version import version
from irev.read.stream import STDIN, sha256_of, sha256_of_file
from irev.signature import SHORT_HASH, Signature, options_part
from irev.studies.run_rankings import named
from irev.writers.machine import one_or_several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irev.core.inputs import Input
    from irev.core.matrices import Matrices
    from irev.options import Options
    from irev.plots.record import Record
    from irev.studies.changes import Scorer

_ELSEWHERE = (
    "measures", "level", "qrels", "run", "runs", "original", "new", "other runs", "format",
    "signature", "averaged_over", "missing_count_as_zero",
)  # fmt: skip
"""Parameters that stand in other parts of a signature."""

_LONG = 60
"""A choice with more characters stands as its hash in the short form."""


def signed(
    record: Record,
    scorer: Scorer | None,
    options: Options,
    *,
    qrels: Sequence[Input] = (),
    runs: Sequence[Input] = (),
    format: str = "qrels",
    divisor: int | None = None,
) -> Record:
    """The record with its signature among the parameters, as `signature`.

    Args:
        record: the outcome of a study of judgments and runs themselves.
        scorer: the measures; None: there are none.
        options: the choices that define an evaluation.
        qrels: the judgments, as `irev.evaluate` takes them; standard input has no hash.
        runs: the runs, likewise.
        format: of the judgments.
        divisor: over how many topics the means are; None: there are no such means.
    """
    first, *more = [_hash(each) for each in qrels] or [None]
    shared = Signature(
        version(), {} if scorer is None else scorer.definitions, options_part(options, format),
        first, files={f"qrels {place}": each for place, each in enumerate(more, 2)},
        divisor=divisor,
    )  # fmt: skip
    hashes = {named(run): _hash(run) for run in runs}
    return _with(record, [ComparisonSignature(shared, hashes, _choices(record))])


def signed_by_scores(record: Record, *every: Matrices) -> Record:
    """The same of a study of scores; under several judgments, a signature for each."""
    choices = _choices(record)
    return _with(record, [signed_scores(matrices, choices) for matrices in every])


def _with(record: Record, signatures: Sequence[ComparisonSignature]) -> Record:
    parameters = {**record.parameters, "signature": one_or_several(signatures)}
    return replace(record, parameters=parameters)


def _choices(record: Record) -> dict[str, Any]:
    given = {
        name: _brief(value) for name, value in record.parameters.items() if name not in _ELSEWHERE
    }
    return {"study": record.name, **given}


def _brief(value: Any) -> Any:
    text = str(value)
    return value if len(text) <= _LONG else f"@{sha256_of(text.encode())[:SHORT_HASH]}"


def _hash(given: Input) -> str | None:
    """SHA-256 of a file's decompressed bytes; None where they cannot be read once more."""
    if not isinstance(given, str | os.PathLike):
        return None
    path = os.fspath(given)
    if path == STDIN or not os.path.isfile(path):
        return None
    return sha256_of_file(path)
