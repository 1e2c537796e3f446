"""The one way to write a record: a class of fields that nobody changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable

Class = TypeVar("Class", bound=type[Any])
Value = TypeVar("Value")


@overload
def record(cls: Class, /) -> Class: ...
@overload
def record(*, eq: bool = False) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: Any = None, /, *, eq: bool = False) -> Any:
    """Make a dataclass whose fields the type checker refuses to assign.

    Nothing is checked at run time, which keeps the declaration cheap. With `eq` instances are
    compared, hashed and printed by their values; otherwise each is equal to itself alone. Rows
    that are unpacked, or made by the thousand, are `typing.NamedTuple`s.
    """
    if cls is None:
        return dataclass(eq=eq, repr=eq, unsafe_hash=eq, match_args=False)
    return dataclass(eq=False, repr=False, match_args=False)(cls)


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
