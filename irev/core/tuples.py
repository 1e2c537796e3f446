"""Named tuples that cost little to declare: no code is written and compiled for each of them.

`typing` compiles every annotation that is a text, `collections` a constructor for every class. A
small evaluation declares forty, and would feel it.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple as NamedTuple


def _new(cls: Any, *values: Any, **named: Any) -> Any:
    lacking = cls._count - len(values)
    if not named and 0 < lacking <= len(cls._ends):
        values += cls._ends[-lacking:]
    elif named or lacking:
        fields = cls._fields
        rest = fields[len(values) :]
        given = {**cls._field_defaults, **named}
        if len(values) > len(fields) or named.keys() - rest or not given.keys() >= set(rest):
            raise TypeError(_fault(cls, rest, named, given))
        values += tuple(map(given.__getitem__, rest))
    return tuple.__new__(cls, values)


def _fault(cls: Any, rest: Sequence[str], named: dict[str, Any], given: dict[str, Any]) -> str:
    """What is wrong with the values named for the rest of the fields."""
    unknown = named.keys() - set(cls._fields)
    if unknown:
        return f"{cls.__name__} has no {', '.join(sorted(unknown))}"
    lacking = set(rest) - given.keys()
    if lacking:
        return f"{cls.__name__} lacks {', '.join(sorted(lacking))}"
    return f"{cls.__name__} takes {', '.join(cls._fields)}, each once"


def _make(cls: Any, values: Iterable[Any]) -> Any:
    made = tuple.__new__(cls, values)
    if len(made) != len(cls._fields):
        raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}: {len(made)} values given")
    return made


def _replace(self: Any, **named: Any) -> Any:
    found = self._make(map(named.pop, self._fields, self))
    if named:
        raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(named))}")
    return found


def _asdict(self: Any) -> dict[str, Any]:
    return dict(zip(self._fields, self, strict=True))


def _repr(self: Any) -> str:
    values = (f"{name}={value!r}" for name, value in self._asdict().items())
    return f"{type(self).__name__}({', '.join(values)})"


def _plain(self: Any) -> tuple[Any, ...]:
    return tuple(self)


_METHODS = {
    "__new__": _new, "__repr__": _repr, "__getnewargs__": _plain, "__slots__": (),
    "_make": classmethod(_make), "_replace": _replace, "_asdict": _asdict,
}  # fmt: skip


class _Tuples(type):
    """Makes a class of tuples, a plain one, of what a class annotates."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        """The class; what else stands in its body stays."""
        fields = tuple(body.get("__annotations__", ()))
        defaults = {field: body.pop(field) for field in fields if field in body}
        places = {field: property(itemgetter(at)) for at, field in enumerate(fields)}
        named = {
            "_fields": fields, "__match_args__": fields, "_field_defaults": defaults,
            "_ends": tuple(defaults.values()), "_count": len(fields),
        }  # fmt: skip
        others = (base for base in bases if not isinstance(base, _Tuples))
        return type.__new__(type, name, (tuple, *others), {**_METHODS, **named, **places, **body})


if not TYPE_CHECKING:
    NamedTuple = type.__new__(_Tuples, "NamedTuple", (), {})
    """As that of `typing`."""
