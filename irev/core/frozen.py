"""Records that stay as they are made, at little cost: nothing is compiled for each of them.

They are dataclasses (`replace` and `fields` take them), but share one `__init__` and one each of
the other methods, which `dataclass` would write and compile for every class whenever a program
starts: a millisecond each, of which a small evaluation would feel forty.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable

Class = TypeVar("Class", bound=type[Any])
Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - as that of functools
    """A property that is worked out once for each object, as that of `functools` in Python 3.12.

    That of 3.11 takes a lock for all objects of a class: threads wait for each other, and a small
    evaluation feels the lock itself. Two threads may work the same out at once, to no harm.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function, self._name = function, function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, of: None, kind: type[Any]) -> cached_property[Value]: ...
    @overload
    def __get__(self, of: object, kind: type[Any]) -> Value: ...
    def __get__(self, of: Any, kind: type[Any]) -> Any:
        """The value, which from now on is found without this property."""
        if of is None:
            return self
        value = of.__dict__[self._name] = self._function(of)
        return value


@overload
def frozen(made: Class, /) -> Class: ...
@overload
def frozen(*, eq: bool = False) -> Callable[[Class], Class]: ...


@dataclass_transform(frozen_default=True, eq_default=False)
def frozen(made: Any = None, /, *, eq: bool = False) -> Any:
    """A class whose annotations are the fields of its records.

    With `eq` records are equal, and hashed, by their fields, which `repr` then shows; else each is
    equal to itself alone, as is right where fields are arrays.
    """

    def finished(written: Any) -> Any:
        made: Any = dataclass(init=False, repr=False, eq=False, match_args=False)(written)
        made.__init__, made.__setattr__, made.__delattr__ = _init, _refused, _refused
        fields = made.__dataclass_fields__
        made._names, made._is_checked = tuple(fields), hasattr(made, "__post_init__")
        made._defaults = {n: f.default for n, f in fields.items() if f.default is not MISSING}
        ends = takewhile(lambda field: field.default is not MISSING, reversed(fields.values()))
        made._ends = tuple(field.default for field in ends)[::-1]
        if eq:
            made._compared = tuple(n for n, field in fields.items() if field.compare)
            made._hashed = itemgetter(*(n for n in made._compared if fields[n].hash is not False))
            made.__eq__, made.__hash__, made.__repr__ = _eq, _hash, _repr
        return made

    return finished if made is None else finished(made)


def _init(self: Any, *values: Any, **named: Any) -> None:
    names, held = self._names, self.__dict__
    lacking = len(names) - len(values)
    if not named and 0 < lacking <= len(self._ends):
        held.update(zip(names, values + self._ends[-lacking:], strict=True))
    elif named or lacking:
        if len(values) > len(names) or not named.keys().isdisjoint(names[: len(values)]):
            raise TypeError(f"{type(self).__name__} takes {', '.join(names)}, each once")
        held.update(self._defaults)
        held.update(zip(names, values, strict=False))
        held.update(named)
        if held.keys() != self.__dataclass_fields__.keys():
            _complete(type(self), held)
    else:
        held.update(zip(names, values, strict=True))
    if self._is_checked:
        self.__post_init__()


def _complete(made: type[Any], held: dict[str, Any]) -> None:
    """Add what is made for each record; refuse what is lacking or unknown."""
    for name, field in made.__dataclass_fields__.items():
        if name not in held:
            if field.default_factory is MISSING:
                raise TypeError(f"{made.__name__} lacks {name}")
            held[name] = field.default_factory()
    unknown = held.keys() - made._names
    if unknown:
        raise TypeError(f"{made.__name__} has no {', '.join(sorted(unknown))}")


def _refused(self: Any, name: str, *_: Any) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


def _eq(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return all(getattr(self, name) == getattr(other, name) for name in self._compared)


def _hash(self: Any) -> int:
    return hash(self._hashed(self.__dict__))


def _repr(self: Any) -> str:
    fields = (f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
    return f"{type(self).__qualname__}({', '.join(fields)})"
