"""What the results of studies and plots are made of, and the notes that all of them have."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.core.text import escape_non_utf8
from irev.core.version import __version__
from irev.errors import note
from irev.jobs.study_result import StudyResult
from irev.read.stream import STDIN, sha256_of
from irev.scores.signature import SHORT_HASH, ComparisonSignature, Signature, options_part
from irev.scores.signature import comparison_signature as signed_scores
from irev.writers.machine import run_facts, signature_data, signatures_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.core.judged import Input
    from irev.errors import Notice
    from irev.options import Options
    from irev.scores.table import ScoreTable


def run_names(table: ScoreTable) -> list[str]:
    """The runs' names as tables can hold them: bytes that are no UTF-8 are escaped."""
    return [escape_non_utf8(name) for name in table.run_names]


def topic_names(table: ScoreTable) -> list[str]:
    """The topics likewise."""
    return [escape_non_utf8(topic) for topic in table.topics]


def parameters_of(table: ScoreTable, **choices: Any) -> dict[str, Any]:
    """What a figure depends on, as JSON can hold it: runs, how they were scored, choices."""
    return {
        "measures": list(table.measure_names), **choices,
        "averaged_over": len(table.topics), "missing_count_as_zero": table.counts_missing_as_zero,
        "runs": [run_facts(entry) for entry in table.runs],
        "signature": signature_data(signed_scores(table, choices)),
    }  # fmt: skip


def notes_of(table: ScoreTable) -> tuple[Notice, ...]:
    """Over how many topics a figure is, and which of them runs lack."""
    return (
        note(f"over {table.topics_text}"),
        *map(note, table.notes),
        *table.missing_topic_warnings,
    )


_ELSEWHERE = (
    "measures", "level", "qrels", "run", "runs", "original", "new", "other runs", "format",
    "signature", "averaged_over", "missing_count_as_zero",
)  # fmt: skip
"""Parameters that stand in other parts of a signature."""

_LONG = 60
"""A choice with more characters stands as its hash in the short form."""


def input_label(source: Any) -> str:
    """How an input is called where a study says what it rests on."""
    is_path = isinstance(source, str) or hasattr(source, "__fspath__")
    return escape_non_utf8(str(source)) if is_path else "(in memory)"


def add_signature(
    result: StudyResult,
    definitions: Mapping[str, str],
    options: Options,
    *,
    qrels: Sequence[Input] = (),
    runs: Sequence[Input] = (),
    qrels_format: str = "qrels",
    divisor: int | None = None,
) -> StudyResult:
    """The outcome with its signature among the parameters, as `signature`.

    Args:
        result: the outcome of a study of judgments and runs themselves.
        definitions: of the measures: printed name -> irev's own name with all parameters.
        options: the choices that define an evaluation.
        qrels: the judgments, as `irev.evaluate` takes them; standard input has no hash.
        runs: the runs, likewise.
        qrels_format: of the judgments.
        divisor: over how many topics the means are; None: there are no such means.
    """
    first, *more = [_input_hash(each) for each in qrels] or [None]
    shared = Signature(
        __version__, definitions, options_part(options, qrels_format),
        first, files={f"qrels {place}": each for place, each in enumerate(more, 2)},
        divisor=divisor,
    )  # fmt: skip
    hashes = {input_label(run): _input_hash(run) for run in runs}
    return _put_signatures(result, [ComparisonSignature(shared, hashes, _signed_choices(result))])


def add_score_signatures(result: StudyResult, *tables: ScoreTable) -> StudyResult:
    """The same of a study of scores, with what makes these doubtful.

    Under several judgments there is a signature for each.
    """
    choices = _signed_choices(result)
    doubts = tuple(doubt for table in tables for doubt in table.doubts)
    signatures = [signed_scores(table, choices) for table in tables]
    return _put_signatures(replace(result, doubts=doubts), signatures)


def _put_signatures(result: StudyResult, signatures: Sequence[ComparisonSignature]) -> StudyResult:
    parameters = {**result.parameters, "signature": signatures_data(signatures)}
    return replace(result, parameters=parameters)


def _signed_choices(result: StudyResult) -> dict[str, Any]:
    choices = {
        name: _short_or_hash(value)
        for name, value in result.parameters.items()
        if name not in _ELSEWHERE
    }
    return {"study": result.name, **choices}


def _short_or_hash(value: Any) -> Any:
    text = str(value)
    return value if len(text) <= _LONG else f"@{sha256_of(text.encode())[:SHORT_HASH]}"


def _input_hash(source: Input) -> str | None:
    """SHA-256 of an input, as scores are signed by it; None where it cannot be read once more."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source)
    if path == STDIN or not (os.path.isfile(path) or os.path.isdir(path)):
        return None
    from irev.read.batches import sha256_of_input

    return sha256_of_input(path)
