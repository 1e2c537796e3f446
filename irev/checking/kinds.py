"""What kind of file a file is, by the lines it begins with."""

from __future__ import annotations

from typing import NamedTuple

from irev.checking.report import counted
from irev.errors import shown
from irev.read import formats
from irev.read.formats import JUDGMENTS, LEGAL, RUNS, is_legal, likely
from irev.read.layout import Layout, Sample, first_fields, sample_of
from irev.read.sniff import likeness

RUN, QRELS, GROUPED, TABLE, UNKNOWN = "run", "qrels", "grouped", "table", "unknown"
NOTHING = ""
"""The kind of a file that begins with no line of data: it may be anything."""

_NAMES = {"trec_results": RUN, "qrels_jg": GROUPED}
"""The kinds that have another name than their format; groups may also be subtopics."""


class Kind(NamedTuple):
    """What a file is taken for.

    name    a name of these here, or of a format
    looks   what such a file is called; of an unknown one, why it is none of the others
    hint    what to do about an unknown one
    layout  what its lines hold
    """

    name: str
    looks: str = ""
    hint: str = ""
    layout: Layout | None = None


SAVED = Kind(
    "saved", "saved scores by topic; compare, leaderboard and gate take them in place of a run"
)


def kind_of(head: bytes, profile: str) -> Kind:
    """The kind of a file that begins so."""
    from irev.read.tables import is_structured

    if is_structured(head):
        return Kind(TABLE, "a table or a mapping, not lines of fields; it is read as a whole")
    sample = sample_of(head)
    if sample is None:
        return Kind(NOTHING)
    found = likely(sample, RUNS) or likely(sample, JUDGMENTS)
    if found is None:
        return _unknown(sample)
    if found.name == "prefs" and is_legal(sample):
        looks, _, hint = LEGAL.partition("; ")
        return Kind(UNKNOWN, f"this is {looks}", hint)
    name = _NAMES.get(found.name, found.name)
    if profile == "msmarco" and sample.width == 3 and name in ("msmarco", "triples"):
        name = RUN
    looks = found.layout(sample.width).looks
    if name == GROUPED:
        looks += "; -R qrels_jg or -R subtopics reads them"
    elif name == "msmarco":
        looks += f"; {found.reading}, and without scores --profile msmarco checks its lines"
    elif name not in (RUN, QRELS):
        looks += f"; {found.reading}"
    return Kind(name, looks, layout=found.layout(len(first_fields(head))))


def _unknown(sample: Sample) -> Kind:
    first = sample.rows[0]
    hint = likeness(first, formats.QRELS)
    hint = hint or "--as run or --as qrels shows what is wrong with each line"
    what = f"lines of {counted(sample.width, 'field')}, such as '{shown(b' '.join(first))}', are"
    return Kind(UNKNOWN, f"{what} no run and no qrels", hint)
