"""Runs and saved scores brought together on the same topics.

Here a judged topic that a run lacks counts as 0, since runs are to be compared on the same topics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irev.arrays import Bools, Floats
from irev.errors import IrevError, MismatchError, UsageError, shown
from irev.matrices import Entry, Matrices
from irev.options import Options
from irev.scores import Column

if TYPE_CHECKING:
    from irev.evaluation import Input
    from irev.saved import SavedScores
    from irev.scores import Scores

Names = Literal["file", "tag"]
"""What a run is called after: its file, or the tag in it."""

Watch = Callable[[Iterable[Any], int], Iterable[Any]]
"""Hands on what comes, of so many; a progress bar."""


@dataclass(frozen=True, eq=False, repr=False)
class Gathered:
    """What was brought together.

    broken  the inputs that could not be scored, each with what is wrong with it
    notes   what a reader must know, a line each
    """

    matrices: Matrices
    broken: tuple[tuple[str, IrevError], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class _Part:
    """The scores of a run before they are brought onto the same topics as the others'."""

    entry: Entry
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    values: Floats


def gather(
    qrels: Input | None,
    inputs: Sequence[Input] | Mapping[str, Input],
    measures: Sequence[str] = (),
    options: Options | None = None,
    *,
    format: str = "qrels",
    names: Names = "file",
    keep_going: bool = False,
    drop_undefined: bool = False,
    watch: Watch = lambda items, _: items,
) -> Gathered:
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
        drop_undefined: whether topics on which some score is no finite number are left out, rather
            than an error.
        watch: what the scored inputs pass through.

    Raises:
        UsageError: runs without judgments; a measure without values by topic.
        InputError: an input that cannot be read, unless `keep_going`.
        MismatchError: scores of different definitions or judgments; no topic in common.
    """
    options = options or default_options()
    parts, broken, evaluated = _scored(
        qrels, list(_labelled(inputs)), measures, options, format, names, keep_going, watch
    )
    if not parts:
        if broken:
            raise broken[0][1]
        raise UsageError("there is no run")
    _refuse_contradictions(parts)
    parts = _named(_merged(parts))
    columns = _shared_columns(parts, measures, evaluated, options)
    notes: list[str] = []
    matrices = _aligned(parts, columns, options, notes)
    matrices = _defined(matrices, drop_undefined, notes)
    notes += _on_trust(matrices)
    matrices = _with_classes(_with_weights(matrices, options), options, notes)
    return Gathered(matrices, tuple(broken), tuple(notes))


def default_options(**fields: Any) -> Options:
    """Options under which every judged topic counts."""
    return Options(**{"topics": "qrels", **fields})


def _scored(
    qrels: Input | None,
    inputs: Sequence[tuple[str, Input]],
    measures: Sequence[str],
    options: Options,
    format: str,
    names: Names,
    keep_going: bool,
    watch: Watch,
) -> tuple[list[_Part], list[tuple[str, IrevError]], tuple[Column, ...] | None]:
    """The parts, what is broken, and the columns that runs were scored by."""
    parts: list[_Part] = []
    broken: list[tuple[str, IrevError]] = []
    labels: list[str] = []
    runs: list[Input] = []
    columns = None
    for label, given in inputs:
        try:
            found = _gathered_parts(given) or _saved_parts(given)
            if found is None:
                labels.append(label)
                runs.append(given)
            else:
                parts += _called(found, label)
        except IrevError as error:
            if not keep_going:
                raise
            broken.append((_path(given) or label, error))
    if runs:
        if qrels is None:
            raise UsageError(
                f"{_path(runs[0]) or labels[0]}: a run is scored against judgments: QRELS RUN..."
            )
        from irev.evaluation import Evaluator

        evaluator = Evaluator(qrels, measures, options, format=format, sign=True)
        columns = tuple(column for request in evaluator.requests for column in request.columns)
        outcomes = watch(evaluator.evaluate_many(runs), len(runs))
        for label, (given, outcome) in zip(labels, outcomes, strict=True):
            path = _path(given)
            if isinstance(outcome, IrevError):
                if not keep_going:
                    raise outcome
                broken.append((path or label, outcome))
            else:
                parts.append(_part_of_scores(path, label, outcome, names))
                columns = outcome.columns
    return parts, broken, columns


def _labelled(
    inputs: Sequence[Input] | Mapping[str, Input],
) -> Iterator[tuple[str, Input]]:
    """The inputs with the names that they were given, or that those in memory get."""
    if isinstance(inputs, Mapping):
        yield from inputs.items()
        return
    for number, given in enumerate(inputs, 1):
        yield ("" if _path(given) else f"run {number}"), given


def _path(given: Input) -> str:
    """The path of an input; empty for what is in memory."""
    return os.fspath(given) if isinstance(given, str | os.PathLike) else ""


def _gathered_parts(given: Input) -> list[_Part] | None:
    """The runs of matrices that were gathered before; None where it is none."""
    if not isinstance(given, Matrices):
        return None
    return [
        _Part(entry, given.topics, given.columns, given.values[:, :, number].T)
        for number, entry in enumerate(given.entries)
    ]


def _called(parts: list[_Part], label: str) -> list[_Part]:
    """The parts of an input, a single one under the name that it was given."""
    if not label or len(parts) > 1:
        return parts
    return [replace(part, entry=replace(part.entry, name=label)) for part in parts]


def _saved_parts(given: Input) -> list[_Part] | None:
    """The runs of a file of saved scores; None where it is none."""
    if not isinstance(given, str | os.PathLike) or os.fspath(given) == "-":
        return None
    from irev.read.saved import is_saved, read_saved

    if not is_saved(os.fspath(given)):
        return None
    saved = read_saved(os.fspath(given))
    return [_part_of_saved(one, alone=len(saved) == 1) for one in saved]


def _part_of_saved(saved: SavedScores, alone: bool) -> _Part:
    name = os.path.basename(saved.path if alone and not saved.name else saved.name)
    entry = Entry(name, saved.path, saved.run_id, saved.missing, signature=saved.signature)
    return _Part(entry, saved.topics, tuple(map(_column, saved.measures)), saved.values)


def _part_of_scores(path: str, label: str, scores: Scores, names: Names) -> _Part:
    from irev.scores import as_text

    tag = as_text(scores.run_id)
    name = label or (tag if names == "tag" and tag else os.path.basename(path))
    signature = scores.signature
    repeated = signature.dropped if signature else 0
    entry = Entry(name, path, scores.run_id, scores.account.missing, repeated, signature)
    return _Part(entry, scores.topics, scores.columns, scores.values)


def _column(name: str) -> Column:
    """What a printed name stands for; a name that irev does not know is a mean of its values."""
    from irev.measures.names import resolve

    try:
        requests = resolve([name])
    except UsageError:
        return Column(name, name)
    found = [column for request in requests for column in request.columns if column.name == name]
    return found[0] if found else Column(name, name)


def _refuse_contradictions(parts: Sequence[_Part]) -> None:
    """Scores that are known to mean different things are not set beside each other."""
    from irev.signature import contradictions

    known = [part.entry for part in parts if part.entry.signature is not None]
    signatures = [entry.signature for entry in known if entry.signature]
    for other, signature in zip(known[1:], signatures[1:], strict=True):
        first = known[0]
        found = contradictions(signatures[0], signature, means=False)
        if found:
            raise MismatchError(
                f"{first.path} and {other.path} cannot be compared: {'; '.join(found)}"
            )


def _on_trust(matrices: Matrices) -> Iterator[str]:
    """Saved scores that say nothing of how they came about, beside others, a line for each file."""
    paths = dict.fromkeys(entry.path for entry in matrices.entries)
    silent = dict.fromkeys(entry.path for entry in matrices.entries if entry.signature is None)
    if len(paths) > 1:
        for path in silent:
            yield f"{path} has no signature: that its scores are of the same judgments is not known"


def _merged(parts: Sequence[_Part]) -> list[_Part]:
    """Saved scores of one run under several measures, in a file for each, as one part."""
    merged: dict[tuple[str, bytes], _Part] = {}
    rest: list[_Part] = []
    for part in parts:
        key = (part.entry.name, part.entry.run_id)
        other = merged.get(key)
        if other is None:
            merged[key] = part
        elif _are_one(other, part):
            merged[key] = replace(
                other,
                columns=(*other.columns, *part.columns),
                values=np.concatenate([other.values, part.values], axis=1),
            )
        else:
            rest.append(part)
    return [*merged.values(), *rest]


def _are_one(one: _Part, other: _Part) -> bool:
    shared = {column.name for column in one.columns} & {column.name for column in other.columns}
    return not shared and one.topics == other.topics and one.entry.path != other.entry.path


def _named(parts: list[_Part]) -> list[_Part]:
    """The parts in the order of their names, those of equal names called by their paths.

    Raises:
        UsageError: an input stands twice.
    """
    names = [part.entry.name for part in parts]
    named = [
        part
        if names.count(part.entry.name) == 1
        else replace(part, entry=replace(part.entry, name=part.entry.path))
        for part in parts
    ]
    seen: set[str] = set()
    for part in named:
        if part.entry.name in seen:
            raise UsageError(f"two runs are called {part.entry.name}: give each a name of its own")
        seen.add(part.entry.name)
    return sorted(named, key=lambda part: part.entry.name)


def _comparable(column: Column) -> bool:
    """Whether the values by topic are numbers whose mean or sum is what is reported."""
    return column.per_topic and column.kind != "text" and column.average in ("mean", "sum")


def _shared_columns(
    parts: Sequence[_Part],
    measures: Sequence[str],
    evaluated: tuple[Column, ...] | None,
    options: Options,
) -> tuple[Column, ...]:
    """The measures that all runs have: those that were asked for, or all of saved scores.

    Raises:
        UsageError: one that was asked for has no values by topic, or some input lacks it.
    """
    asked = _asked(parts, measures, evaluated, options)
    usable = [column for column in asked if _comparable(column)]
    if not usable:
        names = ", ".join(column.name for column in asked)
        raise UsageError(f"there is no measure with values by topic to compare: {names}")
    for part in parts:
        has = {column.name for column in part.columns}
        lacking = [column.name for column in usable if column.name not in has]
        if not lacking:
            continue
        if measures or evaluated:
            raise UsageError(
                f"{part.entry.path} has no {lacking[0]}: it has "
                f"{', '.join(column.name for column in part.columns[:8])}"
            )
        usable = [column for column in usable if column.name in has]
    if not usable:
        raise UsageError("the saved scores have no measure in common")
    return tuple(usable)


def _asked(
    parts: Sequence[_Part],
    measures: Sequence[str],
    evaluated: tuple[Column, ...] | None,
    options: Options,
) -> Sequence[Column]:
    if evaluated is not None:
        return evaluated
    if not measures:
        return parts[0].columns
    found: list[Column] = []
    for name in measures:
        as_printed = [column for column in parts[0].columns if column.name == name]
        if as_printed:
            found += as_printed
            continue
        from irev.measures.names import resolve

        requests = resolve([name], options.version, options.defaults)
        found += [column for request in requests for column in request.columns]
    return found


def _aligned(
    parts: Sequence[_Part], columns: tuple[Column, ...], options: Options, notes: list[str]
) -> Matrices:
    """All on the same topics, 0 where a run has none."""
    has = [set(part.topics) - set(part.entry.missing) for part in parts]
    every = sorted(set().union(*has, *(part.entry.missing for part in parts)))
    if options.topics == "both":
        common = set.intersection(*has)
        if len(common) < len(every):
            notes.append(
                f"{len(every) - len(common)} of {len(every)} judged topics are left out, "
                "which not every run has"
            )
        every = sorted(common)
    if not every:
        raise MismatchError("the runs have no topic in common")
    row = {topic: number for number, topic in enumerate(every)}
    values = np.zeros((len(columns), len(every), len(parts)))
    entries = []
    for number, part in enumerate(parts):
        names = [column.name for column in part.columns]
        picks = [names.index(column.name) for column in columns]
        kept = [place for place, topic in enumerate(part.topics) if topic in row]
        rows = [row[part.topics[place]] for place in kept]
        values[:, rows, number] = part.values[np.ix_(kept, picks)].T
        missing = tuple(topic for topic in every if topic not in has[number])
        entries.append(replace(part.entry, missing=missing))
    return Matrices(tuple(every), tuple(entries), columns, values)


def _defined(matrices: Matrices, drop: bool, notes: list[str]) -> Matrices:
    """Without topics on which some score is no finite number.

    Raises:
        MismatchError: there are such topics, and they are not to be dropped.
    """
    finite = np.isfinite(matrices.values)
    if finite.all():
        return matrices
    measure, topic, run = (int(found[0]) for found in np.nonzero(~finite))
    where = (
        f"{matrices.measures[measure]} of {matrices.runs[run]} is no finite number "
        f"on topic {shown(matrices.topics[topic])}"
    )
    chosen: Bools = np.all(finite, axis=(0, 2))
    if not drop:
        raise MismatchError(f"{where}; --nan drop-topic leaves out such topics for all runs")
    notes.append(f"{int((~chosen).sum())} topics are left out for all runs: {where}")
    if not chosen.any():
        raise MismatchError(f"no topic is left: {where}")
    return matrices.with_topics(chosen)


def _with_weights(matrices: Matrices, options: Options) -> Matrices:
    if options.weights is None:
        return matrices
    from irev.classes import weights_of

    weights = weights_of(options.weights).vector(matrices.topics)
    if not weights.any():
        raise MismatchError("all topics have the weight 0")
    return replace(matrices, weights=weights)


def _with_classes(matrices: Matrices, options: Options, notes: list[str]) -> Matrices:
    if options.classes is None:
        return matrices
    from irev.classes import classes_of

    classes = classes_of(options.classes)
    members = {
        name: np.array([topic in classes.members[name] for topic in matrices.topics])
        for name in classes.names
    }
    for name, mask in members.items():
        if not mask.any():
            notes.append(f"the class {name} has none of the topics")
    without = len(classes.without_class(matrices.topics))
    if without:
        notes.append(f"{without} topics are in no class")
    return replace(matrices, classes={n: mask for n, mask in members.items() if mask.any()})


def missing_notes(matrices: Matrices) -> Iterator[str]:
    """Which runs lack judged topics, a line for each."""
    for entry in matrices.entries:
        if entry.missing:
            listed = ", ".join(shown(topic) for topic in entry.missing[:5])
            more = ", ..." if len(entry.missing) > 5 else ""
            yield (
                f"{entry.name} lacks {len(entry.missing)} of {len(matrices.topics)} judged topics, "
                f"which count as 0: {listed}{more}"
            )
