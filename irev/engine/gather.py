"""Runs and saved scores brought together on the same topics.

Here a judged topic that a run lacks counts as 0, since runs are to be compared on the same topics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irev.core.arrays import mean_of
from irev.core.model import Column
from irev.core.text import as_text, cut
from irev.core.wording import begun
from irev.engine.alignment import (
    ScoredRun,
    aligned,
    defined,
    merged,
    named,
    not_compared,
    part_of_scores,
    parts_with_scores,
    path_of,
    shared_columns,
    with_classes,
    with_weights,
)
from irev.engine.doubts import UNJUDGED
from irev.engine.inputs import kept, named_runs, of_run, several
from irev.errors import IrevError, MismatchError, NoneScoredError, Notice, UsageError, note
from irev.measures.naming.name_lists import measure_texts
from irev.options import Options
from irev.read.formats import GRADED
from irev.scores.table import ScoreTable

if TYPE_CHECKING:
    from irev.core.model import Input
    from irev.engine.evaluator import Evaluator

Names = Literal["file", "tag"]
"""What a run is called after: its file, or the tag in it."""

_HEEDED = "Judged(denom=retrieved)@10"
_FEW_JUDGED = 0.5

Watch = Callable[[Iterable[Any], int], Iterable[Any]]
"""Hands on what comes, of so many; a progress bar."""


def gather(
    qrels: Input | None,
    inputs: str | Sequence[Input] | Mapping[str, Input],
    measures: object = (),
    options: Options | None = None,
    *,
    format: str = "qrels",
    names: Names = "file",
    keep_going: bool = False,
    drop_undefined: bool = False,
    heed_judged: bool = False,
    watch: Watch = lambda items, _: items,
) -> ScoreTable:
    """Score runs, read saved scores, and bring all of them onto the same topics.

    Args:
        qrels: judgments, as `evaluate` takes them; None where all inputs are saved scores.
        inputs: runs and files of saved scores, in any order; or a mapping of them by the names
            that the runs are to have. Runs may be in memory, as `evaluate` takes them, and are
            called run 1, run 2 ... by their places where they have no name; matrices that were
            gathered before are taken too.
        measures: names as `evaluate` takes them; of saved scores all that every run has are taken
            where none is named.
        options: the choices of the evaluation. `topics="both"`, the default of `irev eval`, here
            means the topics that every run has; `default_options` has all judged topics. Its
            classes and weights of topics hold for saved scores too.
        format: what the qrels hold.
        names: whether a run is called after its file or after its tag.
        keep_going: whether a run that cannot be scored is left out, rather than an error.
        drop_undefined: whether topics on which some score is not a finite number are left out,
            rather than an error.
        heed_judged: whether it is looked at how many of the first 10 documents are judged, and a
            note names runs with few.
        watch: what the scored inputs pass through.
    """
    options = options or default_options()
    heeded = heed_judged and format in GRADED and not options.judged_only
    measures = measure_texts(measures)
    asked = (*(measures or ("official",)), _HEEDED) if heeded else measures
    parts, runs, broken = _told_apart(labelled(inputs), keep_going)
    evaluated = None
    doubts: list[Notice] = []
    if runs:
        evaluator = _evaluator(qrels, runs, asked, options, format)
        scored, failed, doubted = _scored(evaluator, runs, names, keep_going, watch)
        parts += scored
        broken += failed
        doubts += [*filter(is_told, evaluator.notices), *doubted]
        evaluated = evaluator.columns
    if not parts:
        if broken:
            raise NoneScoredError(broken)
        raise UsageError("there is no run")
    _refuse_contradictions(parts)
    if evaluated is None:
        _refuse_other_judgments(qrels, parts)
    parts = named(merged(parts))
    judged: list[str] = []
    share = None
    if heeded and evaluated is not None:
        told = {doubt.run for doubt in doubts if doubt.kind in UNJUDGED}
        shares = _judged_shares(parts)
        judged = list(_hardly_judged({n: s for n, s in shares.items() if n not in told}))
        share = mean_of(np.array([*shares.values()])) if shares else None
        evaluated = _as_asked(evaluated, measures, options)
        parts = [_signed_as_asked(part, evaluated) for part in parts]
    columns = shared_columns(parts, measures, evaluated, options)
    doubts += not_compared(measures, options)
    table, notes = brought_together(parts, columns, options, drop_undefined)
    return replace(
        table,
        broken=tuple(broken),
        warnings=(*doubts, *map(note, (*judged, *notes))),
        share_judged=share,
    )


def brought_together(
    parts: Sequence[ScoredRun], columns: tuple[Column, ...], options: Options, drop_undefined: bool
) -> tuple[ScoreTable, list[str]]:
    """All on the same topics, with their weights and classes; and what a reader must know."""
    table, apart = aligned(parts, columns, options)
    table, undefined = defined(table, drop_undefined)
    doubts = [*_on_trust(table), *_not_zero(table)]
    table, odd = with_classes(with_weights(table, options), options)
    return table, [*apart, *undefined, *doubts, *odd]


def default_options(**fields: Any) -> Options:
    """Options under which every judged topic counts."""
    return Options(**{"topics": "qrels", **fields})


def _told_apart(
    inputs: Iterable[tuple[str, Input]], keep_going: bool
) -> tuple[list[ScoredRun], list[tuple[str, Input]], list[tuple[str, IrevError]]]:
    """The parts of inputs that have scores, the runs that are to be scored, and what is broken."""
    parts: list[ScoredRun] = []
    runs: list[tuple[str, Input]] = []
    broken: list[tuple[str, IrevError]] = []
    for label, given in inputs:
        try:
            found = parts_with_scores(given, label)
        except IrevError as error:
            if not keep_going:
                raise
            broken.append((path_of(given) or label, error))
            continue
        parts += found
        if not found:
            runs.append((label, given))
    return parts, runs, broken


def _evaluator(
    qrels: Input | None,
    runs: Sequence[tuple[str, Input]],
    measures: Sequence[str],
    options: Options,
    format: str,
) -> Evaluator:
    from irev.engine.evaluator import Evaluator

    if qrels is None:
        label, given = runs[0]
        raise UsageError(
            f"{path_of(given) or label}: this is a run: give its relevance file first: QRELS RUN..."
        )
    return Evaluator(qrels, measures, options, format=format, sign=True)


def _scored(
    evaluator: Evaluator,
    runs: Sequence[tuple[str, Input]],
    names: Names,
    keep_going: bool,
    watch: Watch,
) -> tuple[list[ScoredRun], list[tuple[str, IrevError]], list[Notice]]:
    """The parts of runs, what is broken, and what makes the scores doubtful."""
    parts: list[ScoredRun] = []
    broken: list[tuple[str, IrevError]] = []
    doubts: list[Notice] = []
    outcomes = watch(evaluator.outcomes([given for _, given in runs]), len(runs))
    for (label, _), (given, outcome) in zip(runs, outcomes, strict=True):
        path = path_of(given)
        if not isinstance(outcome, IrevError):
            name = label or run_name(path, outcome.run_id, names)
            parts.append(part_of_scores(name, path, outcome))
            doubts += (notice._replace(run=name) for notice in outcome.notices if is_told(notice))
        elif keep_going:
            broken.append((path or label, outcome))
        else:
            raise of_run(path or label, outcome)
    return parts, broken, doubts


def is_told(notice: Notice) -> bool:
    """Whether a doubt about runs or judgments is told where runs are set against each other.

    Not what is doubtful about measures; and `lacking` tells of topics that a run lacks.
    """
    if notice.is_note:
        return notice.kind == "no-checksum"
    return notice.kind != "unretrieved-topic"


def run_name(path: str, run_id: bytes, names: Names) -> str:
    """What a run is called that was given no name."""
    tag = cut(as_text(run_id))
    return tag if names == "tag" and tag else os.path.basename(path.rstrip(os.sep))


def _not_zero(table: ScoreTable) -> Iterator[str]:
    """The measures that 0 would flatter, where topics are missing, a line each."""
    from irev.measures.naming.result_columns import lower_is_better

    if any(entry.missing for entry in table.runs):
        for column in filter(lower_is_better, table.columns):
            yield (
                f"{column.name}: a topic that a run lacks has the score of an empty ranking, "
                "or 0 in saved scores that do not hold it"
            )


def _judged_shares(parts: Iterable[ScoredRun]) -> dict[str, float]:
    """Run that was scored -> which share of its first 10 documents is judged."""
    found = {}
    for part in parts:
        places = [n for n, column in enumerate(part.columns) if column.name == _HEEDED]
        has = [topic not in part.entry.missing for topic in part.topics]
        if places and any(has) and not part.entry.is_saved:
            found[part.entry.name] = float(part.values[has, places[0]].mean())
    return found


def _hardly_judged(shares: Mapping[str, float]) -> Iterator[str]:
    """The runs whose scores say more of the pool than of them, a line for each."""
    for run, share in shares.items():
        if share < _FEW_JUDGED:
            yield (
                f"{run}: only {share:.0%} of its first 10 documents are judged, and "
                "what is not judged counts as not relevant"
            )


def _as_asked(
    evaluated: tuple[Column, ...], measures: Sequence[str], options: Options
) -> tuple[Column, ...]:
    """The columns without the one that was added, unless it was asked for."""
    from irev.measures.naming.resolve import resolve_names

    asked = [column for request in resolve_names(measures, options) for column in request.columns]
    is_asked = any(column.name == _HEEDED for column in asked)
    return tuple(c for c in evaluated if c.name != _HEEDED or is_asked)


def _signed_as_asked(part: ScoredRun, evaluated: tuple[Column, ...]) -> ScoredRun:
    """A run whose signature does not name the measure that was added."""
    signature = part.entry.signature
    if signature is None or part.entry.is_saved or _HEEDED in {c.name for c in evaluated}:
        return part
    measures = {name: what for name, what in signature.measures.items() if name != _HEEDED}
    return replace(part, entry=replace(part.entry, signature=replace(signature, measures=measures)))


def labelled(
    inputs: Input | Sequence[Input] | Mapping[str, Input],
) -> Iterator[tuple[str, Input]]:
    """The inputs with the names that they were given, or that those in memory get."""
    if isinstance(inputs, Mapping):
        yield from ((name, kept(given)) for name, given in inputs.items())
        return
    if isinstance(inputs, str | os.PathLike):
        inputs = [*(several(inputs) or {"": inputs}).values()]
    for name, given in named_runs(list(inputs)).items():
        yield ("" if path_of(given) else name), kept(given)


def _refuse_contradictions(parts: Sequence[ScoredRun]) -> None:
    """Scores that are known to mean different things are not set beside each other."""
    from irev.scores.signature import contradictions

    known = [part.entry for part in parts if part.entry.signature is not None]
    signatures = [entry.signature for entry in known if entry.signature]
    for other, signature in zip(known[1:], signatures[1:], strict=True):
        first = known[0]
        found = contradictions(signatures[0], signature, means=False)
        if found:
            raise MismatchError(
                f"{first.path} and {other.path} cannot be compared: {'; '.join(found)}"
            )


def _refuse_other_judgments(qrels: Input | None, parts: Sequence[ScoredRun]) -> None:
    """Saved scores, where no run tells more, must be scores under the judgments that were given."""
    path = "" if qrels is None else path_of(qrels)
    signed = [part.entry for part in parts if part.entry.signature and part.entry.signature.qrels]
    if path in ("", "-") or not signed:
        return
    from irev.read.datasets import sha256_of_input
    from irev.scores.signature import Signature, contradictions

    given = Signature(qrels=sha256_of_input(path))
    for entry in signed:
        assert entry.signature is not None  # noqa: S101 - looked at above
        found = contradictions(given, entry.signature, means=False)
        if found:
            raise MismatchError(f"{path} and {entry.path} do not belong together: {found[0]}")


def _on_trust(table: ScoreTable) -> Iterator[str]:
    """Saved scores that say nothing of how they came about, beside others, a line for each file."""
    paths = dict.fromkeys(entry.path for entry in table.runs)
    silent = dict.fromkeys(entry.path for entry in table.runs if entry.signature is None)
    if len(paths) > 1:
        for path in silent:
            yield f"{path} has no signature: whether its scores are for these judgments is unknown"


def lacking(table: ScoreTable, becomes: str = "0") -> Iterator[Notice]:
    """Warnings that runs lack judged topics, one for each; and what counts in place of them."""
    for entry in table.runs:
        if entry.missing:
            yield lacks(entry.name, entry.missing, len(table.topics), becomes)


def lacks(run: str, missing: Sequence[bytes], topics: int, becomes: str = "0") -> Notice:
    """That of one run, given how many topics there are."""
    which = f"{len(missing)} of {topics} judged topics, which count as {becomes}"
    return Notice("unretrieved-topic", f"{run} lacks {which}: {begun(missing)}")
