"""The one way to write a record: a class of fields that nobody changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type[Any])
Value = TypeVar("Value")


_WRITTEN_LAST = threading.RLock()


class _AtFirstUse:
    """Stands for a method that `dataclass` writes, until somebody asks for it.

    Writing them takes longer than all else that a declaration does, and a short command makes no
    object of most classes that it imports, and compares those of few.
    """

    def __init__(self, cls: type[Any], name: str) -> None:
        self._cls, self._name = cls, name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        """What `dataclass` wrote under this name; it stands in the class from now on."""
        with _WRITTEN_LAST:  # threads that meet here must not see half of it
            if vars(self._cls)[self._name] is self:
                names = _FOR_VALUES if self._name in _FOR_VALUES else _FOR_OBJECTS
                _write_methods(self._cls, names)
        written = vars(self._cls)[self._name]
        return written.__get__(instance, owner) if hasattr(written, "__get__") else written


_FOR_OBJECTS = ("__init__", "__dataclass_fields__", "__dataclass_params__")
_FOR_VALUES = ("__eq__", "__hash__", "__repr__")
"""What `dataclass` writes into a record: to make objects, and to compare them by their values."""


def _write_methods(cls: type[Any], names: tuple[str, ...]) -> None:
    """Put what `dataclass` writes into a class: written for a copy, as it replaces nothing."""
    copied = {
        name: value
        for name, value in vars(cls).items()
        if name not in (*_FOR_OBJECTS, *_FOR_VALUES, "__dict__", "__weakref__")
    }
    metaclass: Any = type(cls)
    copy = metaclass(cls.__name__, cls.__bases__, copied)
    eq = names is _FOR_VALUES
    copy = dataclass(init=not eq, eq=eq, repr=eq, unsafe_hash=eq, match_args=False)(copy)
    for name in names:
        setattr(cls, name, vars(copy)[name])


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, eq: bool = False) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: Any = None, /, *, eq: bool = False) -> Any:
    """Make a dataclass whose fields the type checker refuses to assign.

    Nothing is checked at run time, and the methods are written when the first object is made: both
    keep the declaration cheap. With `eq` instances are compared, hashed and printed by their
    values; otherwise each is equal to itself alone. Rows that are unpacked, or made by the
    thousand, are `typing.NamedTuple`s.
    """
    if cls is None:
        return partial(record, eq=True) if eq else record
    for name in (*_FOR_OBJECTS, *_FOR_VALUES) if eq else _FOR_OBJECTS:
        setattr(cls, name, _AtFirstUse(cls, name))
    return cls


class cached_property(Generic[Value]):  # noqa: N801 - as that of functools
    """A property that is computed once for each object, as that of `functools` in Python 3.12.

    That of 3.11 takes one lock for all objects of a class, so threads wait for each other. Here two
    threads may compute the same value at once, to no harm.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function, self._name = function, function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Value: ...
    def __get__(self, instance: Any, owner: type[Any]) -> Any:
        """The value, which from now on is found without this property."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._function(instance)
        return value
