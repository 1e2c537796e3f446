"""Names as people type them: any case, and cutoffs in any of the forms in use.

Looked at only where a name is none as it stands. `ndcg_at_10`, `ndcg_10`, `ndcg10` and
`NDCG_cut_10` are the measure before the number, cut there; `hit@10` is `Hit@10`, `R-prec` is
`Rprec`. A dot behind a name of trec_eval's stays trec_eval's. A name in its exact case is never
taken for one that differs in case.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from irev.errors import UsageError
from irev.measures.naming.canonical_names import name_of_alias
from irev.measures.naming.programs import PROGRAMS
from irev.measures.naming.spellings import (
    ANYCASE,
    EVERYWHERE,
    Meaning,
    meaning,
    meaning_to,
    names_for,
    refuse_absent,
)
from irev.measures.registry import (
    MEASURES,
    SET_NAMES,
    TREC_MEASURES,
    Arguments,
    Cutoffs,
    Fractions,
    NamedOptions,
)

_CUT = re.compile(
    r"(?P<head>[^@]+?)\s*(?P<at>(?i:_at_|_cut[_.@])|[@._]|)"
    r"(?P<cutoffs>[1-9][0-9]*(?:,[1-9][0-9]*)*|[01]?\.[0-9]+)"
)
_PERSISTENCE = re.compile(r"(?P<head>[^@.]+?)(?:@|_p?)(?P<p>0?\.[0-9]+)")
_OLD = {"ircl_prn": "iprec_at_recall"}
"""Names that trec_eval had before."""


class Typed(NamedTuple):
    """What may be meant, in irev's or trec_eval's way, and how it was typed."""

    text: str
    head: str = ""
    """The name as it was typed, without its cutoffs, where it is printed so."""
    at: str = "@"
    """What stood between name and cutoff, and is printed there."""

    def printed(self, found: Meaning) -> Meaning:
        """The meaning under the name that was typed."""
        if not self.head:
            return found
        if MEASURES[found.name].average == "sum":  # saved scores must tell it from a mean
            return found._replace(head="", tail="")
        return found._replace(head=self.head, at=self.at, tail="")


def readings(name: str, program: str = "") -> Iterator[Typed]:
    """What a name may stand for that is none as it stands.

    Args:
        name: what was typed, without a program in front.
        program: the program that stood there; empty: none.
    """
    cut = _CUT.fullmatch(name)
    if program not in ("", *PROGRAMS):
        return
    if not program:
        refuse_absent(_apart(cut["head"] if cut else name)[0])
    head, brackets = _apart(cut["head"] if cut else name)
    as_cut = list(_cut(head, brackets, cut["at"], cut["cutoffs"], program)) if cut else []
    yield from as_cut
    if "@" not in name and not (as_cut and head in _known(program)):
        head, brackets = _apart(name)
        for known in _alike(head, program):
            text, typed = f"{known}{brackets}", f"{head}{brackets}"
            yield Typed(_with(program, text), _with(program, typed))
    share = None if program else _PERSISTENCE.fullmatch(name)
    for known in _alike(share["head"]) if share else ():
        p = f"p={share['p']}"  # type: ignore[index]
        yield Typed(f"{known}.{p}" if known in TREC_MEASURES else f"{known}({p})")


def _cut(head: str, brackets: str, at: str, cutoffs: str, program: str) -> Iterator[Typed]:
    """A measure cut there, under each of the names that are like the one typed."""
    if head in TREC_MEASURES and (at == "." or (at == "_" and _is_listed(head))):
        return  # trec_eval's own way, and wrong
    if at == "" and _alike(f"{head}{cutoffs}", program):
        return  # such as NERR8
    between = "_" if at == "." else re.sub("[.]$", "_", at)  # P.5 is printed as P_5
    names = _alike(_OLD.get(head, head), program)
    for known in names:
        own = known if program else _own(known)
        if own is not None and _may_follow(own, program, at, cutoffs):
            text = _with(program, f"{own}{brackets}@{cutoffs}")
            yield Typed(text, _with(program, f"{head}{brackets}"), between)
    for known in () if program or brackets else (*names, *_alike(f"{head}_cut")):
        if known in TREC_MEASURES and _is_listed(known):
            yield Typed(f"{known}.{cutoffs}")


def _with(program: str, name: str) -> str:
    return f"{program}:{name}" if program else name


def _apart(name: str) -> tuple[str, str]:
    """A name, and its options in parentheses."""
    head, bracket, rest = name.partition("(")
    return head.rstrip(), (bracket + rest).replace(" ", "")


def _own(known: str) -> str | None:
    """The measure of a name, as irev writes it; None: only trec_eval has it, or another number."""
    if known in _known(EVERYWHERE) or known in _known(ANYCASE):
        return known
    return name_of_alias(known, Arguments(), None)


def _may_follow(own: str, program: str, at: str, cutoffs: str) -> bool:
    """Whether a number that is typed so is a cutoff, and no persistence or beta (`RBP.5`, `F2`)."""
    options = _options(own, program)
    unlike = {"": ("p", "beta"), "_": ("p",), ".": ("p",)}.get(at, ())
    if options is None or (at == "" and not cutoffs.isdigit()):
        return False
    return not any(name in options for name in unlike)


def _options(own: str, program: str = "") -> Collection[str] | None:
    """The options of a measure; None: it cannot be cut."""
    try:
        found = meaning_to(program, f"{own}@1") if program else meaning(f"{own}@1")
    except UsageError:
        return None
    parameter = MEASURES[found.name].parameter if found else None
    return (
        parameter.options
        if isinstance(parameter, NamedOptions) and parameter.cutoff != "none"
        else None
    )


def _is_listed(name: str) -> bool:
    return isinstance(TREC_MEASURES[name].parameter, Cutoffs | Fractions)


def _alike(head: str, program: str = "") -> Sequence[str]:
    """The name itself, where it is one; else those that differ in case, - and _ alone."""
    known = _known(program)
    if head in known:
        return [head]
    folded = _folded(head)
    return [name for name in known if _folded(name) == folded]


def _known(program: str) -> Sequence[str]:
    """The names that a program has; empty: those that need none in front."""
    if program:
        return names_for(program)
    return list(
        dict.fromkeys((*names_for(EVERYWHERE), *names_for(ANYCASE), *TREC_MEASURES, *SET_NAMES))
    )


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def persistence_or_cutoff(name: str) -> str:
    """What to write where a number may be either; empty: it cannot."""
    cut = _CUT.fullmatch(name)
    if cut is None or not cut["cutoffs"].isdigit():
        return ""
    for known in _alike(cut["head"]):
        if "p" in (_options(known) or ()):
            return f"{known}(p=0.{cut['cutoffs']}) or {known}@{cut['cutoffs']}"
    return ""
