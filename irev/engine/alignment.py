"""The scores of several runs, each with topics and measures of its own, brought onto the same."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import Bools, Floats
from irev.core.held import Held
from irev.core.model import Column, as_asked
from irev.core.record import record
from irev.core.wording import begun
from irev.errors import MismatchError, Notice, UsageError, shown
from irev.measures.naming.name_lists import measure_names
from irev.measures.naming.resolve import resolve_names
from irev.measures.naming.result_columns import column_positions, columns_named
from irev.options import Options
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from irev.core.model import Input
    from irev.scores.scores import SavedScores, Scores

LARGEST = 1e100
"""Scores are smaller than this: of larger ones squares and sums could be no finite numbers."""


@record
class ScoredRun:
    """The scores of a run before they are brought onto the same topics as the others'."""

    entry: RunInfo
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    values: Floats


def path_of(given: Input) -> str:
    """The path of an input; empty for what is in memory."""
    return os.fspath(given) if isinstance(given, str | os.PathLike) else ""


def parts_with_scores(given: Input, label: str = "") -> list[ScoredRun]:
    """The runs of saved scores, or of matrices that were gathered before; none of a run itself.

    Args:
        given: an input.
        label: the name that it was given, which its run gets where it holds a single one.
    """
    parts = _of_matrices(given) if isinstance(given, ScoreTable) else _of_file(path_of(given))
    if not label or len(parts) != 1:
        return parts
    return [replace(part, entry=replace(part.entry, name=label)) for part in parts]


def part_of_scores(name: str, path: str, scores: Scores) -> ScoredRun:
    """A run that was scored."""
    signature = scores.signature
    repeated = signature.dropped if signature else 0
    entry = RunInfo(name, path, scores.run_id, scores.account.missing, repeated, signature)
    return ScoredRun(entry, scores.topics, scores.columns, scores.values)


def _of_matrices(given: ScoreTable) -> list[ScoredRun]:
    return [
        ScoredRun(entry, given.topics, given.columns, given.values[:, :, number].T)
        for number, entry in enumerate(given.runs)
    ]


def _of_file(path: str) -> list[ScoredRun]:
    if isinstance(path, Held):
        path = path_of(path.given)
    if path in ("", "-"):
        return []
    from irev.scores.saved import is_saved, read_saved

    return list(map(_part_of_saved, read_saved(path))) if is_saved(path) else []


def _part_of_saved(saved: SavedScores) -> ScoredRun:
    entry = RunInfo(
        saved.name or os.path.basename(saved.path), saved.path, saved.run_id, saved.missing, 0,
        saved.signature, saved.sha256, is_saved=True,
    )  # fmt: skip
    return ScoredRun(entry, saved.topics, tuple(map(_column, saved.measures)), saved.values)


def _column(name: str) -> Column:
    """What a printed name stands for; a name that irev does not know is a mean of its values."""
    from irev.measures.naming.resolve import resolve_names

    try:
        # another program's column may be called like what people type for a measure
        requests = resolve_names([name], lenient=False)
    except UsageError:
        return Column(name, name)
    found = [column for request in requests for column in request.columns if column.name == name]
    return found[0] if found else Column(name, name)


def merged(parts: Sequence[ScoredRun]) -> list[ScoredRun]:
    """Saved scores of one run under several measures, in a file for each, as one part."""
    found: dict[tuple[str, bytes], ScoredRun] = {}
    rest: list[ScoredRun] = []
    for part in parts:
        key = (part.entry.name, part.entry.run_id)
        other = found.get(key)
        if other is None:
            found[key] = part
        elif _are_one(other, part):
            found[key] = replace(
                other,
                entry=replace(other.entry, sha256=_of_both(other.entry, part.entry)),
                columns=(*other.columns, *part.columns),
                values=np.concatenate([other.values, part.values], axis=1),
            )
        else:
            rest.append(part)
    return [*found.values(), *rest]


def _of_both(one: RunInfo, other: RunInfo) -> str:
    from irev.read.stream import sha256_of

    # in any order of the files
    return sha256_of("".join(sorted(f"{entry.sha256}\n" for entry in (one, other))).encode())


def _are_one(one: ScoredRun, other: ScoredRun) -> bool:
    shared = {column.name for column in one.columns} & {column.name for column in other.columns}
    both_saved = one.entry.is_saved and other.entry.is_saved
    in_two_files = one.entry.path != other.entry.path
    return both_saved and in_two_files and not shared and one.topics == other.topics


def named(parts: Sequence[ScoredRun]) -> list[ScoredRun]:
    """The parts in the order of their names, no two alike."""
    entries = unlike([part.entry for part in parts])
    found = [replace(part, entry=entry) for part, entry in zip(parts, entries, strict=True)]
    return sorted(found, key=lambda part: part.entry.name)


def unlike(entries: Sequence[RunInfo]) -> list[RunInfo]:
    """The runs, those of equal names called by their paths.

    A run of a file that holds several is called PATH:NAME then.
    """
    called = Counter(entry.name for entry in entries)
    held = Counter(entry.path for entry in entries)
    found: dict[str, RunInfo] = {}
    for entry in entries:
        name, path = entry.name, entry.path
        if called[name] > 1:
            # a file of saved scores may hold several runs
            name = path if held[path] == 1 else f"{path}:{name}"
        if name in found:
            raise UsageError(
                f"two runs are called {entry.name}: leave one out, or give each a name of its own"
            )
        found[name] = replace(entry, name=name)
    return [*found.values()]


def comparable(column: Column) -> bool:
    """Whether the values by topic are numbers whose mean or sum is what is reported."""
    return column.per_topic and column.kind != "text" and column.average in ("mean", "sum")


def without_topics(columns: Iterable[Column]) -> str:
    """What to say of measures that are not comparable."""
    names = ", ".join(column.name for column in columns)
    return f"no measure with values by topic to compare runs by: {names}; name another, such as map"


def not_compared(measures: object, options: Options) -> tuple[Notice, ...]:
    """A warning about measures without values by topic that were asked for by name.

    Those that only a set such as all_trec names are left out without a word.
    """
    found: list[str] = []
    for name in measure_names(measures):
        columns = [
            each
            for it in resolve_names([name], options, allow_unused_defaults=True)
            for each in it.columns
        ]
        if not any(map(comparable, columns)):
            found += [column.name for column in columns]
    if not found:
        return ()
    has, is_ = ("has", "is") if len(found) == 1 else ("have", "are")
    message = f"{', '.join(found)} {has} no values by topic to compare runs by, and {is_} left out"
    return (Notice("left-out-measure", message),)


def shared_columns(
    parts: Sequence[ScoredRun],
    measures: Sequence[str],
    evaluated: tuple[Column, ...] | None,
    options: Options,
) -> tuple[Column, ...]:
    """The measures that all runs have: those that were asked for, or all of saved scores."""
    asked = _asked(parts, measures, evaluated, options)
    usable = [column for column in asked if comparable(column)]
    if not usable:
        raise UsageError(without_topics(asked))
    for part in parts:
        places = column_positions(usable, part.columns)
        has = [column for column, at in zip(usable, places, strict=True) if at is not None]
        if len(has) < len(usable) and (measures or evaluated):
            lacking = next(column.name for column in usable if column not in has)
            raise UsageError(
                f"{part.entry.path} has no {lacking}: it has "
                f"{', '.join(column.name for column in part.columns[:8])}"
            )
        usable = has
    if not usable:
        raise UsageError("the saved scores have no measure in common")
    return tuple(usable)


def _asked(
    parts: Sequence[ScoredRun],
    measures: Sequence[str],
    evaluated: tuple[Column, ...] | None,
    options: Options,
) -> Sequence[Column]:
    if evaluated is not None:
        return [evaluated[at] for at in as_asked(evaluated)]
    if not measures:
        return parts[0].columns
    found: list[Column] = []
    for name in measures:
        there = columns_named(name, parts[0].columns, options)
        # what is lacking is said with the name that it would have
        found += there or [
            c
            for each in resolve_names([name], options, allow_unused_defaults=True)
            for c in each.columns
        ]
    return list(dict.fromkeys(found))


def aligned(
    parts: Sequence[ScoredRun], columns: tuple[Column, ...], options: Options
) -> tuple[ScoreTable, list[str]]:
    """All on the same topics, 0 where a run has none, and what a reader must know, a line each."""
    notes: list[str] = []
    has = [set(part.topics) - set(part.entry.missing) for part in parts]
    every = sorted(_counted(parts, options, notes))
    if options.topics == "both":
        common = set.intersection(*has)
        if len(common) < len(every):
            notes.append(
                f"{len(every) - len(common)} of {len(every)} judged topics are left out, "
                "because some runs lack them"
            )
        every = sorted(common)
    if not every:
        raise MismatchError("the runs have no topic in common")
    row = {topic: number for number, topic in enumerate(every)}
    values = np.zeros((len(columns), len(every), len(parts)))
    entries = []
    for number, part in enumerate(parts):
        picks = [at for at in column_positions(columns, part.columns) if at is not None]
        kept = [place for place, topic in enumerate(part.topics) if topic in row]
        rows = [row[part.topics[place]] for place in kept]
        values[:, rows, number] = part.values[np.ix_(kept, picks)].T
        missing = tuple(topic for topic in every if topic not in has[number])
        entries.append(replace(part.entry, missing=missing))
    return ScoreTable(tuple(every), tuple(entries), columns, values), notes


def _counted(parts: Sequence[ScoredRun], options: Options, notes: list[str]) -> set[bytes]:
    """The topics that count: those of the runs that were scored; of saved scores alone, of all."""
    scored = [part for part in parts if not part.entry.is_saved]
    counted = _topics_of(scored or parts)
    for part in parts:
        more = sorted(_topics_of([part]) - counted)
        if not more:
            continue
        if options.topics == "qrels" and options.no_relevant == "zero":
            raise MismatchError(
                f"{part.entry.path} cannot be compared: {len(more)} of its topics are not judged: "
                f"{begun(more)}"
            )
        notes.append(f"{part.entry.path}: {len(more)} topics are left out: {begun(more)}")
    return counted


def _topics_of(parts: Iterable[ScoredRun]) -> set[bytes]:
    return set().union(*((*part.topics, *part.entry.missing) for part in parts))


def defined(table: ScoreTable, drop: bool) -> tuple[ScoreTable, list[str]]:
    """Without topics on which some score is no finite number, and a note of it."""
    finite = np.abs(table.values) < LARGEST
    if finite.all():
        return table, []
    measure, topic, run = (int(found[0]) for found in np.nonzero(~finite))
    what = (
        "too large a number"
        if np.isfinite(table.values[measure, topic, run])
        else ("not a finite number")
    )
    where = (
        f"{table.measure_names[measure]} of {table.run_names[run]} is {what} "
        f"on topic {shown(table.topics[topic])}"
    )
    chosen: Bools = np.all(finite, axis=(0, 2))
    if not drop:
        raise MismatchError(f"{where}; --nan drop-topic leaves out such topics for all runs")
    if not chosen.any():
        raise MismatchError(f"no topic is left: {where}")
    note = f"{int((~chosen).sum())} topics are left out for all runs: {where}"
    return table.with_topics(chosen), [note]


def with_weights(table: ScoreTable, options: Options) -> ScoreTable:
    """With the weights of the topics that the options have."""
    if options.weights is None:
        return table
    from irev.read.topic_files import weights_of

    weights = weights_of(options.weights).vector(table.topics)
    if not weights.any():
        raise MismatchError("all topics have the weight 0")
    return replace(table, weights=weights)


def with_classes(table: ScoreTable, options: Options) -> tuple[ScoreTable, list[str]]:
    """With the classes of topics that the options have, and what is odd about them."""
    notes: list[str] = []
    if options.classes is None:
        return table, notes
    from irev.read.topic_files import classes_of

    classes = classes_of(options.classes)
    members = {
        name: np.array([topic in classes.members[name] for topic in table.topics])
        for name in classes.names
    }
    for name, mask in members.items():
        if not mask.any():
            notes.append(f"the class {name} has none of the topics")
    without = len(classes.without_class(table.topics))
    if without:
        notes.append(f"{without} topics are in no class")
    found = {n: mask for n, mask in members.items() if mask.any()}
    return replace(table, classes=found), notes
