"""A user's own measures: written as a function, then used like any other, by name.

The function of `topic_measure` sees one topic at a time, as plain numbers:

    >>> import irev
    >>> @irev.topic_measure("Found")
    ... def found(grades, ideal):
    ...     '''The gain retrieved, as a share of the gain there is.'''
    ...     return sum(grade or 0 for grade in grades) / (sum(ideal) or 1)
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 3}}
    >>> run = {"q1": {"d1": 0.5, "d2": 2.0, "d4": 1.0}}
    >>> irev.evaluate(qrels, run, ["Found", "Found@1"]).summary()
    {'Found': 0.25, 'Found@1': 0.0}

That of `measure` sees all topics at once, as columns (`irev.Judged`), and is as fast as the
measures that irev brings along; arguments behind the `*` are options of the measure:

    >>> import numpy as np
    >>> @irev.measure("Fading", bounds=(0.0, 1.0))
    ... def fading(judged, cutoffs, *, p=0.5):
    ...     '''The sum of p^rank over the relevant documents retrieved.'''
    ...     weights = p ** judged.relevant_rank
    ...     return np.bincount(judged.relevant_topic, weights, minlength=judged.num_topics)
    >>> irev.evaluate(qrels, run, ["Fading", "Fading(p=0.1)", "Fading(rel=2)"]).summary()
    {'Fading': 0.125, 'Fading(p=0.1)': 0.0010000000000000002, 'Fading(rel=2)': 0.0}

On the command line, `--plugin mymeasures.py` (or the name of a module) makes the measures of a
file known; a package that has an entry point of the group `irev.measures` needs no option.
Functions are called by several threads at once, and must give the same value for the same topic
whatever the others are.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial, wraps
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, TypeVar, overload

import numpy as np

from irev.core.arrays import TopicsByCutoffs, offsets
from irev.core.judged import Judged
from irev.errors import IrevError, MeasureError, UsageError, id_text
from irev.measures import load_all
from irev.measures.registry import (
    GENERIC_OPTIONS,
    MEASURES,
    SET_NAMES,
    TREC_MEASURES,
    Measure,
    NamedOptions,
    Option,
    family_of,
)

Function = TypeVar("Function", bound=Callable[..., Any])

GROUP = "irev.measures"
"""The group of entry points whose modules define measures."""

_own: dict[str, str] = {}
"""The users' measures: name -> where its function is defined."""
_files: dict[str, str] = {}
"""The files of their functions."""
_loaded: set[str] = set()


@overload
def measure(name: Function, /) -> Function: ...
@overload
def measure(
    name: str | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "none",
    **facts: Any,
) -> Callable[[Function], Function]: ...
def measure(
    name: str | Callable[..., Any] | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "none",
    **facts: Any,
) -> Any:
    """Make the decorated function a measure: `(judged, cutoffs, *, option=...)` -> float64.

    The function gets an `irev.Judged`, which holds many topics as columns, and the cutoffs, None
    where the measure is not cut; it returns an array of one value for each topic, or with a column
    for each cutoff. It must not change what it gets.

    Args:
        name: the measure's name; by default, the function's. It begins with a letter, and no other
            measure has it.
        title: what it is, in one line; by default, the first line of the docstring.
        options: more about options than their defaults say: `irev.Option` by name.
        cutoff: whether it is cut at a rank: "none", "optional" or "required".
        **facts: what else there is to know: formula, source, bounds, higher_is_better, residual,
            example, average, aliases ... (the fields of `irev.measures.registry.Measure`).

    Raises:
        UsageError: the name is taken or no name, or an option has no default.
    """

    def register(function: Function) -> Function:
        measure_name = name if isinstance(name, str) else function.__name__

        @wraps(function)
        def compute(
            judged: Judged, cutoffs: tuple[Any, ...], **option_values: Any
        ) -> TopicsByCutoffs:
            returned = _call_user_function(
                measure_name, partial(function, judged, cutoffs, **option_values)
            )
            return _checked_values(measure_name, returned, judged, cutoffs)

        own_options = _function_options(function, options)
        _register(measure_name, function, compute, title, own_options, cutoff, facts)
        return function

    return register(name) if callable(name) else register


@overload
def topic_measure(name: Function, /) -> Function: ...
@overload
def topic_measure(
    name: str | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "optional",
    **facts: Any,
) -> Callable[[Function], Function]: ...
def topic_measure(
    name: str | Callable[..., Any] | None = None,
    *,
    title: str = "",
    options: Mapping[str, Option] | None = None,
    cutoff: str = "optional",
    **facts: Any,
) -> Any:
    """Make the decorated function of one topic a measure: `(grades, ideal, *, option=...)`.

    It returns a number. `grades` is a list with the grade of each document retrieved, best first,
    None where it has no judgment; where the measure is cut at k, of the first k. `ideal` is a list
    of the grades of all judged documents of the topic, retrieved or not, the highest first. A
    function that has an argument `cutoff` is told k (None: not cut), one that has an argument
    `level` the smallest relevant grade. The arguments of the decorator are those of `measure`.

    Raises:
        UsageError: the name is taken or no name, or an option has no default.
    """

    def register(function: Function) -> Function:
        measure_name = name if isinstance(name, str) else function.__name__
        extra_names = set(inspect.signature(function).parameters) & {"cutoff", "level"}

        @wraps(function)
        def compute(
            judged: Judged, cutoffs: tuple[Any, ...], **option_values: Any
        ) -> TopicsByCutoffs:
            level = judged.settings.level
            values = np.zeros((judged.num_topics, len(cutoffs)))
            for topic, (grades, ideal) in enumerate(_grades_of_topics(judged)):
                for column, k in enumerate(cutoffs):
                    extra = {n: v for n, v in (("cutoff", k), ("level", level)) if n in extra_names}
                    call = partial(function, grades[:k], ideal[:], **option_values, **extra)
                    returned = _call_user_function(measure_name, call, topic)
                    try:
                        values[topic, column] = float(returned)
                    except (TypeError, ValueError):
                        what = f"it returned {returned!r}, which is not a number"
                        raise MeasureError(measure_name, what, topic) from None
            return _checked_values(measure_name, values, judged, cutoffs)

        own_options = _function_options(function, options, excluded_names=extra_names)
        _register(measure_name, function, compute, title, own_options, cutoff, facts)
        return function

    return register(name) if callable(name) else register


def _grades_of_topics(judged: Judged) -> list[tuple[list[float | None], list[float]]]:
    """Each topic's grades, as retrieved (None: unjudged) and in ideal order."""
    dense = judged.include_unjudged()
    grades = [grade if grade >= 0 else None for grade in dense.grade.tolist()]
    ideal = np.repeat(judged.level_grade, judged.level_count)
    ends = offsets(judged.level_count)[judged.level_start].tolist()
    bounds = offsets(judged.num_ret).tolist()
    return [
        (grades[bounds[t] : bounds[t + 1]], ideal[ends[t] : ends[t + 1]][::-1].tolist())
        for t in range(judged.num_topics)
    ]


def _call_user_function(
    measure_name: str, call: Callable[[], Any], topic: int | None = None
) -> Any:
    """What the user's function returns; what goes wrong in it is said with the measure's name."""
    try:
        return call()
    except (IrevError, MemoryError):
        raise
    except Exception as error:
        raise MeasureError(measure_name, f"{type(error).__name__}: {error}", topic) from error


def _checked_values(
    measure_name: str, returned: Any, judged: Judged, cutoffs: tuple[Any, ...]
) -> TopicsByCutoffs:
    """What a function returned, if it is a number for each topic and cutoff."""
    shape = (judged.num_topics, len(cutoffs))
    try:
        values = np.asarray(returned, np.float64)
    except (TypeError, ValueError):
        raise MeasureError(
            measure_name, f"it returned {type(returned).__name__}, not numbers"
        ) from None
    if values.shape != shape and values.shape != (shape[0],) * (shape[1] == 1):
        raise MeasureError(
            measure_name,
            f"it returned an array of shape {values.shape}, not (topics, cutoffs): {shape}",
        )
    values = values.reshape(shape)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        value = values[wrong[0]][~np.isfinite(values[wrong[0]])][0]
        raise MeasureError(measure_name, f"it returned {value}", int(wrong[0]))
    return values


def _function_options(
    function: Callable[..., Any],
    descriptions: Mapping[str, Option] | None,
    excluded_names: set[str] | frozenset[str] = frozenset(),
) -> dict[str, Option]:
    """The options of a measure: the arguments that its function takes by name only."""
    options = dict(descriptions or {})
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name
        if (
            parameter.kind is not parameter.KEYWORD_ONLY
            or name in options
            or name in excluded_names
        ):
            continue
        options[name] = _option_from_default(function.__name__, name, parameter.default)
    for name in GENERIC_OPTIONS:
        if name in options:
            raise UsageError(f"{function.__name__}: every measure has an option {name} already")
    return options


def _option_from_default(function: str, name: str, default: Any) -> Option:
    """What an argument's default says of an option."""
    match default:
        case bool():
            return Option(f"true or false; {default} by default", default, kind="flag")
        case int():
            return Option(f"a whole number; {default} by default", default, kind="whole")
        case float():
            return Option(f"a number; {default:g} by default", default)
    raise UsageError(
        f"{function}: what values can the option {name} have? Its default must be a number, True "
        f"or False, or an irev.Option say it: options={{'{name}': irev.Option(...)}}"
    )


def _register(
    name: str,
    function: Callable[..., Any],
    compute: Callable[..., Any],
    title: str,
    options: dict[str, Option],
    cutoff: str,
    facts: dict[str, Any],
) -> None:
    if cutoff not in ("none", "optional", "required"):
        raise UsageError(f"measure {name}: cutoff is none, optional or required, not '{cutoff}'")
    definition = f"{function.__module__}.{function.__qualname__}"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise UsageError(
            f"{id_text(name.encode())} is not a name for a measure: a letter, then letters, digits "
            "and _"
        )
    load_all()
    is_redefined = _own.get(name) == definition  # as a function may be
    if name in TREC_MEASURES or name in SET_NAMES or (name in MEASURES and not is_redefined):
        raise UsageError(f"there is a measure {name} already; {definition} needs another name")
    help = inspect.getdoc(function) or title or f"The measure of {definition}."
    facts = {"formula": "as the function computes it", "source": definition, **facts}
    unknown = [fact for fact in facts if fact not in Measure._fields]
    if unknown:
        raise UsageError(f"measure {name}: Measure has no {unknown[0]}")
    _own[name], _files[name] = definition, inspect.unwrap(function).__code__.co_filename
    MEASURES[name] = Measure(
        name=name,
        title=(title or help.partition("\n")[0]).rstrip("."),
        compute=compute,
        help=help,
        parameter=NamedOptions(options, cutoff),
        family=family_of(compute),
        **facts,
    )


def load_plugins(paths_or_modules: Iterable[str]) -> None:
    """Load measures from several modules or files."""
    for each in paths_or_modules:
        load_plugin(each)


def load_plugin(path_or_module: str) -> None:
    """Make the measures of a module known, or those of a file, whose name ends in .py.

    Raises:
        UsageError: it cannot be found, or something goes wrong in it.
    """
    try:
        if path_or_module.endswith(".py"):
            _load_file(path_or_module)
        else:
            importlib.import_module(path_or_module)
    except IrevError:
        raise
    except Exception as error:
        no_module = isinstance(error, ImportError) and not path_or_module.endswith(".py")
        hint = "; the name of a file ends in .py" if no_module else ""
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"the plugin {path_or_module} cannot be loaded: {what}{hint}") from error


def _load_file(path: str) -> None:
    real_path = os.path.realpath(path)
    if real_path in _loaded:
        return
    if not os.path.isfile(path):
        raise UsageError(f"the plugin {path} cannot be loaded: there is no such file")
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = spec_from_file_location(f"irev_plugin_{len(_loaded)}.{stem}", real_path)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - it ends in .py
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    _loaded.add(real_path)


def load_installed_plugins() -> bool:
    """Make the measures of installed packages known; whether there was any that was not yet.

    Raises:
        UsageError: something goes wrong in one.
    """
    if GROUP in _loaded:
        return False
    from importlib.metadata import entry_points

    _loaded.add(GROUP)
    plugins = list(entry_points(group=GROUP))
    for entry in plugins:
        load_plugin(entry.module)
    return bool(plugins)


def plugin_digest(names: Collection[str]) -> str | None:
    """SHA-256 of the files that users' measures among these stand in; None: no measure is one's."""
    files = sorted({_files[name] for name in names if name in _own})
    if not files:
        return None
    digest = hashlib.sha256()
    for path in filter(os.path.isfile, files):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def forget_measure(name: str) -> None:
    """Take a user's measure out of the registry again.

    Raises:
        UsageError: there is none of that name.
    """
    if _own.pop(name, None) is None:
        raise UsageError(f"no measure of a plugin is called {id_text(name.encode())}")
    del MEASURES[name]
