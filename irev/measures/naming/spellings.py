"""What a name means: the measure that is spelled so, here or in another program.

The records of the measures say what each is called (`Spelling`). With a program's name in front,
`ntcir:nDCG@10` or `ranx:rbp.95`, a name has that program's defaults and definition, so that the
number is that program's on the same ranking; the order of the documents is a choice of the whole
evaluation.

The file has three parts. Meanings: a name as it is written, in a program or in none. Readings, for
a name that means nothing as it is written, since people type any case and cutoffs in any of the
forms in use: `ndcg_at_10`, `ndcg_10`, `ndcg10` and `NDCG_cut_10` are the measure before the number,
cut there; `hit@10` is `Hit@10`, `R-prec` is `Rprec`. A dot behind a name of trec_eval's stays
trec_eval's, and a name in its exact case is never taken for one that differs in case. The error,
where nothing is meant: `unknown_name_error` says what is near.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from irev.core.text import parse_c_number
from irev.errors import UsageError, quote
from irev.measures import load_all
from irev.measures.naming.grammar import SUITE_PREFIX, SUITES, Literal, WrittenName, parse_name
from irev.measures.naming.programs import IN_PERCENT, PROGRAMS, Spelling
from irev.measures.naming.trec_names import is_listed
from irev.measures.registry import (
    GENERIC_OPTIONS,
    MEASURES,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    Measure,
    aliased_measure,
    irev_measure,
)
from irev.measures.requests import name_of_alias

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
    """A measure, and one of the ways in which it is spelled."""

    measure: Measure
    spelling: Spelling


def meaning_without_program(text: str) -> Meaning | None:
    """What a name without a program in front stands for; None: there is no such measure."""
    rewritten = _rewrite(text, IN_PERCENT)
    written, typed_level = _parse_name_with_ranx_level(rewritten)
    spelled = _find_spelled(EVERYWHERE, written) or _find_spelled(ANYCASE, written)
    if spelled is None or spelled.measure.is_trec_evals_alone:
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
    own = (own_meaning.measure_name, own_meaning.options, own_meaning.cutoffs)
    return (there.measure_name, there.options, there.cutoffs) != own


def measure_of_trec_eval_alone(name: str) -> Measure | None:
    """The measure that has this name in irev's way, but that only trec_eval has."""
    all_spelled = _spellings().get((EVERYWHERE, name))
    if not all_spelled or not all_spelled[0].measure.is_trec_evals_alone:
        return None
    return all_spelled[0].measure


def is_spelled(name: str) -> bool:
    """Whether a measure goes by a name here, without options and cutoffs."""
    return (EVERYWHERE, name) in _spellings() or (ANYCASE, name.casefold()) in _spellings()


def spelled_names(program: str) -> list[str]:
    """The names that are taken for measures: by a program, everywhere, or in any case."""
    return [name for where, name in _spellings() if where == program]


def refuse_absent(name: str) -> None:
    """Raise why a measure is not computed here, if the name is one of `ABSENT`."""
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
    """The same; the ids only tell the cache when measures were added or replaced."""
    measures = list(MEASURES.values())
    own = [(m, Spelling(EVERYWHERE, m.name)) for m in measures if not m.is_trec_evals_alone]
    others = [(m, spelling) for m in measures for spelling in m.spellings]
    aliases = [(m, Spelling(EVERYWHERE, name)) for m in measures for name in m.aliases]
    by_name: dict[tuple[str, str], list[_SpelledMeasure]] = {}
    for measure, spelling in (*own, *others, *aliases):
        for name in spelling.names.split(" "):
            by_name.setdefault((spelling.program, name), []).append(
                _SpelledMeasure(measure, spelling)
            )
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
    is_cut = bool(_split_cutoffs(written)[0])
    same = (each for each in fitting if is_cut == (each.measure.cutoff_rule != "none"))
    return next(same, fitting[0])


def _parse_name_with_ranx_level(text: str) -> tuple[WrittenName, str]:
    """A name, the level that ranx puts behind it (`-l2`) as an option, and it as it was typed."""
    level = re.fullmatch(r"(?P<name>[^()]*[^()-])-l(?P<level>[0-9]+)", text)
    if level is None:
        return parse_name(text), ""
    written = parse_name(level["name"])
    return written._replace(options=(("rel", level["level"]),)), f"-l{level['level']}"


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
        if name in spelling.squares and isinstance(literal, str):
            square = parse_c_number(literal)
            literal = literal if square is None or square < 0 else repr(math.sqrt(square))
        options[name] = literal
    usual = tuple(filter(None, (spelling.at or usual_cutoff,)))
    is_own = (written.name, written.options, typed_ranx_level) == (
        measure.name,
        tuple(typed.items()),
        "",
    )
    return Meaning(
        measure.name,
        tuple(options.items()),
        cutoffs or usual,
        "" if is_own else written.head,
        typed_ranx_level,
        bool(written.cutoffs),
    )


def _split_cutoffs(
    written: WrittenName, own_options: Collection[str] = ()
) -> tuple[tuple[str, ...], Sequence[tuple[str, Literal]]]:
    """Cutoffs that ir_measures also takes as options, unless the measure has them, and the rest."""
    literals = []
    cutoffs = written.cutoffs
    for name, literal in written.options:
        is_cutoff = name in ("cutoff", "recall") and name not in own_options
        if is_cutoff and not cutoffs and isinstance(literal, str):
            cutoffs = (literal,)
        else:
            literals.append((name, literal))
    return cutoffs, literals


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


# --- Readings of names that mean nothing as they are written ---

_CUT = re.compile(
    r"(?P<head>[^@]+?)\s*(?P<at>(?i:_at_|_cut[_.@])|[@._]|)"
    r"(?P<cutoffs>[1-9][0-9]*(?:,[1-9][0-9]*)*|[01]?\.[0-9]+)"
)
_PERSISTENCE = re.compile(r"(?P<head>[^@.]+?)(?:@|_p?)(?P<p>0?\.[0-9]+)")
_OLD = {"ircl_prn": "iprec_at_recall"}
"""Names that trec_eval had before."""


class Reading(NamedTuple):
    """What may be meant, in irev's or trec_eval's way, and how it was typed."""

    text: str
    head: str = ""
    """The name as it was typed, without its cutoffs, where it is printed so."""
    separator: str = "@"
    """What stood between name and cutoff, and is printed there."""

    def rename_as_typed(self, meaning: Meaning) -> Meaning:
        """The meaning under the name that was typed."""
        if not self.head:
            return meaning
        if MEASURES[meaning.measure_name].average == "sum":  # saved scores tell it from a mean
            return meaning._replace(head="", tail="")
        return meaning._replace(head=self.head, separator=self.separator, tail="")


def possible_readings(name: str, program: str = "") -> Iterator[Reading]:
    """What a name may stand for that means nothing as it is written.

    Args:
        name: what was typed, without a program in front.
        program: the program that stood there; empty: none.
    """
    if program not in ("", *PROGRAMS):
        return
    cut = _CUT.fullmatch(name)
    head, brackets = _split_brackets(cut["head"] if cut else name)
    if not program:
        refuse_absent(head)
    cut_readings = []
    if cut:
        cut_readings = [*_readings_with_cutoff(head, brackets, cut["at"], cut["cutoffs"], program)]
    yield from cut_readings
    if "@" not in name and not (
        cut_readings and head in _names_in_program_or_irev_and_trec_names(program)
    ):
        head, brackets = _split_brackets(name)
        for like in _names_but_for_case_and_dashes(head, program):
            text, typed = f"{like}{brackets}", f"{head}{brackets}"
            yield Reading(_add_program(program, text), _add_program(program, typed))
    persistence = None if program else _PERSISTENCE.fullmatch(name)
    if persistence:
        p = f"p={persistence['p']}"
        for like in _names_but_for_case_and_dashes(persistence["head"]):
            yield Reading(f"{like}.{p}" if like in TREC_MEASURES else f"{like}({p})")


def _readings_with_cutoff(
    head: str, brackets: str, separator: str, cutoffs: str, program: str
) -> Iterator[Reading]:
    """A measure cut there, under each of the names that are like the one typed."""
    is_trec = head in TREC_MEASURES
    if is_trec and (separator == "." or (separator == "_" and is_listed(head))):
        return  # trec_eval's own way, and wrong
    if separator == "" and _names_but_for_case_and_dashes(f"{head}{cutoffs}", program):
        return  # such as NERR8
    # P.5 is printed as P_5
    printed = "_" if separator == "." else re.sub("[.]$", "_", separator)
    names = _names_but_for_case_and_dashes(_OLD.get(head, head), program)
    for name in names:
        own = name if program else _irev_name(name)
        if own is not None and _is_cutoff(own, program, separator, cutoffs):
            text = _add_program(program, f"{own}{brackets}@{cutoffs}")
            yield Reading(text, _add_program(program, f"{head}{brackets}"), printed)
    for name in (
        () if program or brackets else (*names, *_names_but_for_case_and_dashes(f"{head}_cut"))
    ):
        if name in TREC_MEASURES and is_listed(name):
            yield Reading(f"{name}.{cutoffs}")


def _add_program(program: str, name: str) -> str:
    return f"{program}:{name}" if program else name


def _split_brackets(name: str) -> tuple[str, str]:
    """A name, and its options in parentheses."""
    head, bracket, rest = name.partition("(")
    return head.rstrip(), (bracket + rest).replace(" ", "")


def _irev_name(name: str) -> str | None:
    """The measure of a name, as irev writes it; None: only trec_eval has it, or another number."""
    if name in spelled_names(EVERYWHERE) or name in spelled_names(ANYCASE):
        return name
    return name_of_alias(name, Arguments(), None)


def _is_cutoff(name: str, program: str, separator: str, number: str) -> bool:
    """Whether a number that is typed so is a cutoff, and no persistence or beta (`RBP.5`, `F2`)."""
    options = _options_if_cut(name, program)
    rivals = {"": ("p", "beta"), "_": ("p",), ".": ("p",)}.get(separator, ())
    if options is None or (separator == "" and not number.isdigit()):
        return False
    return not any(rival in options for rival in rivals)


def _options_if_cut(name: str, program: str = "") -> Collection[str] | None:
    """The options of a measure; None: it cannot be cut."""
    try:
        meaning = (
            meaning_in_program(program, f"{name}@1")
            if program
            else meaning_without_program(f"{name}@1")
        )
    except UsageError:
        return None
    measure = MEASURES[meaning.measure_name] if meaning else None
    return measure.options if measure and measure.cutoff_rule != "none" else None


def _names_but_for_case_and_dashes(head: str, program: str = "") -> Sequence[str]:
    """The name itself, where it is one; else those that differ in case, - and _ alone."""
    names = _names_in_program_or_irev_and_trec_names(program)
    if head in names:
        return [head]
    folded = _fold(head)
    return [name for name in names if _fold(name) == folded]


def _names_in_program_or_irev_and_trec_names(program: str) -> Sequence[str]:
    """The names that a program has; empty: those that need none in front."""
    if program:
        return spelled_names(program)
    here = (*spelled_names(EVERYWHERE), *spelled_names(ANYCASE))
    return list(dict.fromkeys((*here, *TREC_MEASURES, *SET_NAMES)))


def _fold(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


# --- The error of an unknown name ---


def unknown_name_error(name: str, version: int, *, may_be_irev_name: bool = False) -> UsageError:
    """What to say of a name that trec_eval has not, nor irev, where it may be irev's own."""
    head = name_head(name)
    if either := _p_and_cutoff_spellings_joined_by_or(name):
        return UsageError(f"{quote(name)}: is that number p or a cutoff? write {either}")
    if head in TREC_MEASURES and TREC_MEASURES[head].since > version:
        aliased, text = aliased_measure(head), name[len(head) + 1 :]
        own = f"{aliased[0].name}({text})" if aliased and text.startswith("p=") else ""
        return UsageError(
            f"trec_eval {version} has no measure {quote(head)}; trec_eval "
            f"{TREC_MEASURES[head].since} has it"
            + (f", and irev's own is {own or aliased[0].name}" if aliased else "")
        )
    if (head in TREC_MEASURES or head in SET_NAMES) and head != name:
        return UsageError(
            f"{quote(name)}: {head} is a name of trec_eval's, which has no options in "
            f"parentheses and no cutoff there; irev -h -m {head} says what it takes"
        )
    if may_be_irev_name and head != name and is_spelled(head):
        return UsageError(
            f"{quote(name)}: {head} is not written like this; irev measures {head} says what it "
            "takes"
        )
    if any(name == suite.name for suite in SUITES):
        near = f"{SUITE_PREFIX}{name}"
    else:
        near = _nearest_names_joined_by_or(head, version)
    hint = f"did you mean {near}?" if near else f"the sets are {', '.join(SET_NAMES)}"
    return UsageError(f"no measure or set is called {quote(head or name)}; {hint}")


def name_head(name: str) -> str:
    """A name without what its parameters, options or cutoffs may be."""
    return re.split(r"[.(@]", name, maxsplit=1)[0]


def _p_and_cutoff_spellings_joined_by_or(name: str) -> str:
    """What to write where a number may be either; empty: it cannot."""
    cut = _CUT.fullmatch(name)
    if cut is None or not cut["cutoffs"].isdigit():
        return ""
    for like in _names_but_for_case_and_dashes(cut["head"]):
        if "p" in (_options_if_cut(like) or ()):
            return f"{like}(p=0.{cut['cutoffs']}) or {like}@{cut['cutoffs']}"
    return ""


def _nearest_names_joined_by_or(head: str, version: int) -> str:
    """The three names that are most like one that is none, as a list in words."""
    from difflib import SequenceMatcher, get_close_matches

    load_all()
    of_trec = [name for name, measure in TREC_MEASURES.items() if measure.since <= version]
    names: dict[str, list[str]] = {}
    for name in (*of_trec, *SET_NAMES, *spelled_names(EVERYWHERE), *spelled_names(ANYCASE)):
        names.setdefault(name.lower(), []).append(name)
    # of names that differ in case alone the one most like what was typed
    near = [
        max(names[lower], key=lambda name: SequenceMatcher(None, head, name).ratio())
        for lower in get_close_matches(head.lower(), names)
    ]
    near = near or [name for name in of_trec if head.startswith(f"{name}_")]
    return " or ".join(filter(None, [", ".join(near[:-1]), *near[-1:]]))
