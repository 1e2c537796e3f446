"""A test over all values of a parameter at once.

`pytest.mark.parametrize` makes a test of each value, and many of them cost less than that does.
Where the same is asserted of every measure, or of every row of a table, one test is enough: it goes
on after a failure, and names each value that failed.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# what pytest.param makes
_Param = type(pytest.param())


def for_each(
    names: str | Sequence[str],
    values: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each of the values, as `pytest.mark.parametrize` would.

    Args:
        names: the parameters: texts, or one text with commas between them.
        values: what each run gets: a value, or as many as there are names.
        ids: what a failure calls each, or a function of a value that says it.

    """
    parameters = [n.strip() for n in names.split(",")] if isinstance(names, str) else [*names]
    rows = [
        tuple(value.values) if isinstance(value, _Param)
        else (value,) if len(parameters) == 1 and isinstance(names, str)
        else tuple(value)
        for value in values
    ]  # fmt: skip
    labels = None if ids is None or callable(ids) else [*ids]

    def label(at: int) -> str:
        if labels:
            return str(labels[at])
        shown = [ids(value) if callable(ids) else repr(value) for value in rows[at]]
        return ", ".join(f"{n}={text}" for n, text in zip(parameters, shown, strict=True))

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def over_all(**fixtures: Any) -> None:
            failures: list[Exception] = []
            for at, row in enumerate(rows):
                try:
                    test(**fixtures, **dict(zip(parameters, row, strict=True)))
                except Exception as error:
                    error.add_note(label(at))
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(rows)} fail", failures)
            assert rows, "there is nothing to test"

        signature = inspect.signature(test)
        others = [p for name, p in signature.parameters.items() if name not in parameters]
        over_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return over_all

    return decorate
