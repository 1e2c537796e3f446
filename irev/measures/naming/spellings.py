"""What a name means: the measure that is spelled so, here or in another program.

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

from irev.core.text import parse_c_number
from irev.errors import UsageError, quote
from irev.measures.naming.grammar import Literal, WrittenName, parse_name
from irev.measures.naming.programs import IN_PERCENT, PROGRAMS
from irev.measures.registry import GENERIC_OPTIONS, MEASURES, Measure, Spelling, irev_measure

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
    """What a name stands for, and how its columns are printed."""

    measure_name: str
    options: tuple[tuple[str, Literal], ...]
    cutoffs: tuple[str, ...]
    head: str
    """The name as it was typed, without its cutoffs, where it is printed so; empty where it is
    irev's own way to write it."""
    tail: str = ""
    """What was typed behind the cutoffs."""
    has_cutoffs: bool = False
    """Whether cutoffs were typed, to be put between head and tail."""
    separator: str = "@"
    """What stands between head and cutoff."""
    follows_program: bool = False
    """Whether another program decides what was left open."""


class _SpelledMeasure(NamedTuple):
    """A measure, and one way to spell it."""

    measure: Measure
    spelling: Spelling


class _NameAndTypedLevel(NamedTuple):
    """A name with its level as an option, and the level as it was typed behind it; or empty."""

    written: WrittenName
    typed_level: str


def meaning_without_program(text: str) -> Meaning | None:
    """What a name without a program in front stands for; None: there is no such measure."""
    rewritten = _rewrite(text, IN_PERCENT)
    written, typed_level = _parse_name_with_ranx_level(rewritten)
    spelled = _find_spelled(EVERYWHERE, written) or _find_spelled(ANYCASE, written)
    if spelled is None or spelled.measure.position:
        refuse_absent(written.name)
        return None
    meaning = _meaning(written, spelled, typed_level)
    return meaning if rewritten == text else meaning._replace(head=text)


def _rewrite(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    for pattern, replacement in patterns:
        text = re.sub(pattern, replacement, text)
    return text


def meaning_in_program(program_name: str, text: str) -> Meaning:
    """What a name means to another program, one of `PROGRAMS`."""
    program = PROGRAMS[program_name]
    rewritten = _rewrite(text, program.rewrites)
    written, typed_level = _parse_name_with_ranx_level(rewritten)
    spelled = _find_spelled(program_name, written)
    if spelled is None:
        refuse_absent(written.name)
        names = ", ".join(sorted(spelled_names(program_name), key=str.casefold))
        raise UsageError(f"{quote(f'{program_name}:{text}')}: {program.title} has {names}")
    meaning = _meaning(written, spelled, typed_level, program.cutoff)
    if rewritten != text and len(written.cutoffs) < 2:
        return meaning._replace(
            head=f"{program_name}:{text}", tail="", has_cutoffs=False, follows_program=True
        )
    return meaning._replace(head=f"{program_name}:{written.head}", follows_program=True)


def has_other_ntcireval_meaning(text: str, own_meaning: Meaning) -> bool:
    """Whether a name is written as NTCIREVAL prints it, `AP@0010`, where it means another number.

    The own meaning is that of the name without a program in front.
    """
    if not re.search(r"@0[0-9]{3}(,[0-9]{4})*$", text):
        return False
    try:
        there = meaning_in_program("ntcir", text)
    except UsageError:
        return False
    return there[:3] != own_meaning[:3]


def measure_of_trec_eval_alone(name: str) -> Measure | None:
    """The measure that has this name in irev's way, but that only trec_eval has."""
    spelled = _spellings().get((EVERYWHERE, name), [])
    return spelled[0].measure if spelled and spelled[0].measure.position else None


def is_spelled(name: str) -> bool:
    """Whether a measure goes by a name here, without options and cutoffs."""
    return (EVERYWHERE, name) in _spellings() or (ANYCASE, name.casefold()) in _spellings()


def spelled_names(program: str) -> list[str]:
    """The names that are taken for measures: by a program, everywhere, or in any case."""
    return [name for where, name in _spellings() if where == program]


def refuse_absent(name: str) -> None:
    """Say why a measure is not computed here."""
    reason = ABSENT.get(name.casefold())
    if reason is not None:
        raise UsageError(f"measure {name} {reason}")


def _spellings() -> dict[tuple[str, str], list[_SpelledMeasure]]:
    """Measures by where and how they are spelled.

    A measure's own name comes before what others call others by it, its aliases after that.
    """
    return _spellings_of(tuple(map(id, MEASURES.values())))


@lru_cache(maxsize=1)
def _spellings_of(_measure_ids: tuple[int, ...]) -> dict[tuple[str, str], list[_SpelledMeasure]]:
    measures = list(MEASURES.values())
    own = [_SpelledMeasure(m, Spelling(EVERYWHERE, m.name)) for m in measures if not m.position]
    others = [_SpelledMeasure(m, spelling) for m in measures for spelling in m.spellings]
    aliases = [
        _SpelledMeasure(m, Spelling(EVERYWHERE, name)) for m in measures for name in m.aliases
    ]
    by_name: dict[tuple[str, str], list[_SpelledMeasure]] = {}
    for spelled in (*own, *others, *aliases):
        for name in spelled.spelling.names.split(" "):
            by_name.setdefault((spelled.spelling.program, name), []).append(spelled)
    return by_name


def _find_spelled(program: str, written: WrittenName) -> _SpelledMeasure | None:
    """The measure that a name stands for: of several that which has the option, or can be cut."""
    name = written.name.casefold() if program == ANYCASE else written.name
    all_spelled = _spellings().get((program, name))
    if all_spelled is None:
        return None
    options = {option for option, _ in written.options}
    fitting = [each for each in all_spelled if each.spelling.only_with in ("", *options)]
    if not fitting:
        option, title = all_spelled[0].spelling.only_with, PROGRAMS[program].title
        raise UsageError(f"{quote(written.head)}: {title} computes {name} only with {option}=N")
    fitting.sort(key=lambda each: not each.spelling.only_with)
    if fitting[0].measure.name == name or fitting[0].spelling.only_with:
        return fitting[0]
    is_cut = bool(_split_cutoffs(written).cutoffs)
    same = (each for each in fitting if is_cut == (each.measure.cutoff_rule != "none"))
    return next(same, fitting[0])


def _parse_name_with_ranx_level(text: str) -> _NameAndTypedLevel:
    """A name, of which the level that ranx puts behind it (`-l2`) becomes an option."""
    level = _LEVEL.fullmatch(text)
    if level is None:
        return _NameAndTypedLevel(parse_name(text), "")
    written = parse_name(level["name"])
    with_option = written._replace(options=(("rel", level["level"]),))
    return _NameAndTypedLevel(with_option, f"-l{level['level']}")


def _meaning(
    written: WrittenName, spelled: _SpelledMeasure, typed_ranx_level: str, usual_cutoff: str = ""
) -> Meaning:
    """The typed options and cutoffs on top of those of the spelling."""
    measure, spelling = spelled
    cutoffs, literals = _split_cutoffs(written, measure.options)
    implied = ",".join(filter(None, (spelling.options, spelling.cut if cutoffs else "")))
    options = dict(parse_name(f"{measure.name}({implied})").options)
    typed = _rename_options(measure.name, literals)
    for name, literal in typed.items():
        options[name] = _square_root(literal) if name in spelling.squares else literal
    usual = tuple(filter(None, (spelling.at or usual_cutoff,)))
    is_own = (written.name, written.options, typed_ranx_level) == (
        measure.name,
        tuple(typed.items()),
        "",
    )
    return Meaning(
        measure.name, tuple(options.items()), cutoffs or usual, "" if is_own else written.head,
        typed_ranx_level, bool(written.cutoffs),
    )  # fmt: skip


def _square_root(square: Literal) -> Literal:
    number = parse_c_number(square) if isinstance(square, str) else None
    return square if number is None or number < 0 else repr(math.sqrt(number))


class _CutoffsAndOptions(NamedTuple):
    cutoffs: tuple[str, ...]
    options: Sequence[tuple[str, Literal]]


def _split_cutoffs(written: WrittenName, own_options: Collection[str] = ()) -> _CutoffsAndOptions:
    """Cutoffs that ir_measures also takes as options, unless the measure has them, and the rest."""
    literals = []
    cutoffs = written.cutoffs
    for name, literal in written.options:
        is_cutoff = name in ("cutoff", "recall") and name not in own_options
        if is_cutoff and not cutoffs and isinstance(literal, str):
            cutoffs = (literal,)
        else:
            literals.append((name, literal))
    return _CutoffsAndOptions(cutoffs, literals)


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


def _rename_options(
    measure_name: str, literals: Sequence[tuple[str, Literal]]
) -> dict[str, Literal]:
    """The options under irev's names, unless the measure has one of the typed name and value."""
    measure = irev_measure(measure_name)
    own = measure.options if measure else {}
    options: dict[str, Literal] = {}
    for name, literal in literals:
        is_own = name in own or name in GENERIC_OPTIONS
        new = name if is_own else _RENAMED.get(name, name)
        value: Literal = literal
        key = (new, literal)
        if key in _REVALUED and not (is_own and literal in own[name].choices):
            new, value = _REVALUED[key]
        options[new] = value
    return options
