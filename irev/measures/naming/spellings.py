"""The names that other programs have for measures, and what they mean here.

The records of the measures say what each is called (`Spelling`). With a program's name in front,
`ntcir:nDCG@10` or `ranx:rbp.95`, a name has that program's defaults and definition, so that the
number is that program's on the same ranking; the order of the documents is a choice of the whole
evaluation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from irev.core.text import real
from irev.errors import UsageError
from irev.measures.naming.grammar import Literal, WrittenName, parse_name
from irev.measures.naming.option_values import GENERIC
from irev.measures.naming.parameters import quoted
from irev.measures.naming.programs import IN_PERCENT, PROGRAMS
from irev.measures.registry import MEASURES, Measure, NamedOptions, Spelling, irev_measure

EVERYWHERE, ANYCASE = "everywhere", "anycase"

_PAIRS_OR_TOPICS = (
    "means two things: whether a relevant document is among the first k is Success@k (BEIR's and "
    "DPR's, beir:Accuracy@k), the share of pairs of documents in the right order is Accuracy@k"
)
ABSENT: Mapping[str, str] = {
    "accuracy": _PAIRS_OR_TOPICS,
    "acc": _PAIRS_OR_TOPICS,
    "iap": "means two things: average precision inferred from a uniform sample is infAP, or xinfAP "
    "from strata, and interpolated precision at a level of recall is IPrec@0.1",
}
"""Names of no measure here, and why."""

_LEVEL = re.compile(r"(?P<name>[^()]*[^()-])-l(?P<level>[0-9]+)")


class Meaning(NamedTuple):
    """What a name stands for."""

    name: str
    options: tuple[tuple[str, Literal], ...]
    cutoffs: tuple[str, ...]
    head: str
    """The name as it was typed, without its cutoffs, where it is printed so; empty where it is
    irev's own way to write it."""
    tail: str = ""
    """What was typed behind the cutoffs."""
    appends: bool = False
    """Whether cutoffs were typed, to be put between head and tail."""
    at: str = "@"
    """What stands between head and cutoff."""
    fixed: bool = False
    """Whether another program decides what was left open."""


def meaning(text: str) -> Meaning | None:
    """What a name without a program in front stands for; None: there is no such measure."""
    rewritten = _rewritten(text, IN_PERCENT)
    written, tail = taken_apart(rewritten)
    found = _find(EVERYWHERE, written) or _find(ANYCASE, written)
    if found is None or found[0].position:
        refuse_absent(written.name)
        return None
    meant = _spelled(written, *found, tail)
    return meant if rewritten == text else meant._replace(head=text)


def _rewritten(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    for pattern, put in patterns:
        text = re.sub(pattern, put, text)
    return text


def meaning_to(program: str, text: str) -> Meaning:
    """What a name means to another program, one of `PROGRAMS`."""
    known = PROGRAMS[program]
    rewritten = _rewritten(text, known.rewrites)
    written, tail = taken_apart(rewritten)
    found = _find(program, written)
    if found is None:
        refuse_absent(written.name)
        has = ", ".join(sorted(names_for(program), key=str.casefold))
        raise UsageError(f"{quoted(f'{program}:{text}')}: {known.title} has {has}")
    meant = _spelled(written, *found, tail, known.cutoff)
    if rewritten != text and len(written.cutoffs) < 2:
        return meant._replace(head=f"{program}:{text}", tail="", appends=False, fixed=True)
    return meant._replace(head=f"{program}:{written.head}", fixed=True)


def is_print_of_ntcireval(text: str, found: Meaning) -> bool:
    """Whether a name is written as NTCIREVAL prints it, `AP@0010`, where it means another number.

    Args:
        text: the name, without a program in front.
        found: what it would be without the zeros.
    """
    if "@0" not in text or not re.search(r"@0[0-9]{3}(,[0-9]{4})*$", text):
        return False
    try:
        there = meaning_to("ntcir", text)
    except UsageError:
        return False
    return there[:3] != found[:3]


def only_in_trec_eval(name: str) -> Measure | None:
    """The measure that has this name in irev's way, but that only trec_eval has."""
    found = _index().get((EVERYWHERE, name), [])
    return found[0][0] if found and found[0][0].position else None


def is_known(name: str) -> bool:
    """Whether a measure goes by a name here, without options and cutoffs."""
    return (EVERYWHERE, name) in _index() or (ANYCASE, name.casefold()) in _index()


def names_for(program: str) -> list[str]:
    """The names that are taken for measures: by a program, everywhere, or in any case."""
    return [name for where, name in _index() if where == program]


def refuse_absent(name: str) -> None:
    """Say why a measure is not computed here."""
    why = ABSENT.get(name.casefold())
    if why is not None:
        raise UsageError(f"measure {name} {why}")


def _index() -> dict[tuple[str, str], list[tuple[Measure, Spelling]]]:
    """Measures by where and how they are spelled.

    A measure's own name comes before what others call others by it, its aliases after that.
    """
    return _index_of(tuple(map(id, MEASURES.values())))


@lru_cache(maxsize=1)
def _index_of(_: tuple[int, ...]) -> dict[tuple[str, str], list[tuple[Measure, Spelling]]]:
    known = list(MEASURES.values())
    own = [(m, Spelling(EVERYWHERE, m.name)) for m in known if not m.position]
    others = [(m, spelling) for m in known for spelling in m.spellings]
    aliases = [(m, Spelling(EVERYWHERE, alias)) for m in known for alias in m.aliases]
    index: dict[tuple[str, str], list[tuple[Measure, Spelling]]] = {}
    for measure, spelling in (*own, *others, *aliases):
        for name in spelling.names.split(" "):
            index.setdefault((spelling.program, name), []).append((measure, spelling))
    return index


def _find(program: str, written: WrittenName) -> tuple[Measure, Spelling] | None:
    """The measure that a name stands for: of several that which has the option, or can be cut."""
    name = written.name.casefold() if program == ANYCASE else written.name
    found = _index().get((program, name))
    if found is None:
        return None
    given = {option for option, _ in written.options}
    fitting = [each for each in found if each[1].only_with in ("", *given)]
    if not fitting:
        option = found[0][1].only_with
        title = PROGRAMS[program].title
        raise UsageError(f"{quoted(written.head)}: {title} computes {name} only with {option}=N")
    fitting.sort(key=lambda each: not each[1].only_with)
    if fitting[0][0].name == name or fitting[0][1].only_with:
        return fitting[0]
    cut = bool(_cutoffs_apart(written)[0])
    return next((each for each in fitting if cut == _is_cut(each[0])), fitting[0])


def _is_cut(measure: Measure) -> bool:
    return isinstance(measure.parameter, NamedOptions) and measure.parameter.cutoff != "none"


def taken_apart(text: str) -> tuple[WrittenName, str]:
    """A name, and the level that ranx puts behind it (`-l2`)."""
    level = _LEVEL.fullmatch(text)
    if level is None:
        return parse_name(text), ""
    written = parse_name(level["name"])
    return written._replace(options=(("rel", level["level"]),)), f"-l{level['level']}"


def _spelled(
    written: WrittenName, measure: Measure, spelling: Spelling, tail: str, at: str = ""
) -> Meaning:
    """The typed options and cutoffs on top of those of the spelling; `at` is the usual cutoff."""
    cut, given = _cutoffs_apart(written, measure.options)
    said = ",".join(filter(None, (spelling.options, spelling.cut if cut else "")))
    options = dict(parse_name(f"{measure.name}({said})").options)
    typed = _renamed(measure.name, given)
    options.update({name: _root(v) if name in spelling.squares else v for name, v in typed.items()})
    usual = tuple(filter(None, (spelling.at or at,)))
    own = (written.name, written.options, tail) == (measure.name, tuple(typed.items()), "")
    head = "" if own else written.head
    return Meaning(
        measure.name, tuple(options.items()), cut or usual, head, tail, bool(written.cutoffs)
    )


def _root(square: Literal) -> Literal:
    number = real(square) if isinstance(square, str) else None
    return square if number is None or number < 0 else repr(math.sqrt(number))


def _cutoffs_apart(
    written: WrittenName, own: Collection[str] = ()
) -> tuple[tuple[str, ...], Sequence[tuple[str, Literal]]]:
    """Cutoffs that ir_measures also takes as options, unless the measure has them, and the rest."""
    given = []
    cutoffs = written.cutoffs
    for name, literal in written.options:
        is_cutoff = name in ("cutoff", "recall") and name not in own
        if is_cutoff and not cutoffs and isinstance(literal, str):
            cutoffs = (literal,)
        else:
            given.append((name, literal))
    return cutoffs, given


_RENAMED = {
    "judged_only": "condensed",
    "min_rel": "min",
    "max_rel": "max",
    "gains": "gain",
    "norm": "denom",
    "logb": "b",
}
_REVALUED: Mapping[tuple[str, Literal], tuple[str, str]] = {
    ("dcg", "log2"): ("gain", "linear"),
    ("dcg", "exp-log2"): ("gain", "exp"),
    ("gain", "exp2"): ("gain", "exp"),
    ("disc", "logb"): ("disc", "jk"),
    ("disc", "log2p1"): ("disc", "log2"),
    ("denom", "min_rk"): ("denom", "min"),
    ("denom", "minRk"): ("denom", "min"),
}
"""Options of others, by name or by name and value."""


def _renamed(measure: str, given: Sequence[tuple[str, Literal]]) -> dict[str, Literal]:
    """The options under irev's names, unless the measure has one of the typed name and value."""
    defined = irev_measure(measure)
    own = defined.options if defined else {}
    options: dict[str, Literal] = {}
    for name, literal in given:
        is_own = name in own or name in GENERIC
        new = name if is_own else _RENAMED.get(name, name)
        value: Literal = literal
        key = (new, literal)
        if key in _REVALUED and not (is_own and literal in own[name].choices):
            new, value = _REVALUED[key]
        options[new] = value
    return options
