"""Names as people type them: any case, and cutoffs in any of the forms in use.

Looked at only where a name is none as it stands. `ndcg_at_10`, `ndcg_10`, `ndcg10` and
`NDCG_cut_10` are the measure before the number, cut there; `hit@10` is `Hit@10`, `R-prec` is
`Rprec`. A dot behind a name of trec_eval's stays trec_eval's. A name in its exact case is never
taken for one that differs in case. Where nothing is meant, `unknown_name_error` says what is near.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from irev.errors import UsageError, quote
from irev.measures import load_all
from irev.measures.naming.name_lists import SUITE_PREFIX
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.spellings import (
    ANYCASE,
    EVERYWHERE,
    Meaning,
    is_spelled,
    meaning_in_program,
    meaning_without_program,
    refuse_absent,
    spelled_names,
)
from irev.measures.naming.suites import SUITES
from irev.measures.naming.trec_names import is_listed
from irev.measures.registry import (
    MEASURES,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    aliased_measure,
)
from irev.measures.requests import name_of_alias

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
    """What a name may stand for that is none as it stands.

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
        cut_readings = list(
            _readings_with_cutoff(head, brackets, cut["at"], cut["cutoffs"], program)
        )
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
