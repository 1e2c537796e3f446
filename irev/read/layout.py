"""What a record of a file format says, and what is seen of a file before it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import pattern

if TYPE_CHECKING:
    from irev.core.arrays import Floats
    from irev.core.ids import Ids

TOPIC = "topic"
"""The field that every format begins with."""

ITERATIONS = (b"0", b"Q0", b"q0")
"""What nearly all qrels and runs have in their second field."""

NumberParser = Callable[["Ids"], "Floats"]
"""A parser of a column of numbers: NaN where a text is not such a number."""

Fields = list[bytes]
"""What stands between the blanks of a line."""


class Passages(NamedTuple):
    """That the documents of a run are passages, of which the best counts for each document."""

    text: str
    """What parts a document's id from the rest, as `Options.passages`."""
    is_lowest_best: bool = False
    """Whether the run is ordered by ranks as they stand."""


class Layout(NamedTuple):
    """What the lines of a text hold."""

    kind: str
    """What such a file is called: "run", "qrels"."""
    looks: str
    """What a file of such lines is called by someone who expected another, with its fields."""
    fields: tuple[str, ...]
    """All fields, by their usual names."""
    ids: tuple[str, ...]
    """The fields kept as ids beside the topic; the document first."""
    number: str
    """The field that is a number."""
    parse: NumberParser
    """How that number is read."""
    expected: str
    """What that number must be, for messages."""
    more_allowed: bool = False
    """Whether text after the last field is ignored."""
    columns: tuple[tuple[str, str], ...] = ()
    """Which column of a table holds a field, where the user says so: ("score", "similarity")."""
    needs_documents: bool = False
    """Whether a topic of a mapping that has no document is an error, and not left out."""

    may_repeat: bool = False
    """Whether a document may stand twice in a topic: whoever takes the rows sees to it."""

    passages: Passages | None = None
    """How passages become documents; None: documents are ranked as they are."""

    tool: str = ""
    """Which tool writes such a file, by the name of -R, where the whole file tells its rows."""

    @property
    def with_ranks(self) -> Layout:
        """The same, with the rank as the last of the ids."""
        return self._replace(ids=(*self.ids, "rank"))


ChosenLayout = Layout | Callable[[bytes], Layout]
"""A layout, or what chooses one by a text's first bytes: none, where the columns have names."""


def layout_for(layout: ChosenLayout, head: bytes = b"") -> Layout:
    """The layout of a text that begins so; of a table, whose columns have names, without `head`."""
    return layout(head) if callable(layout) else layout


class FirstLines(NamedTuple):
    """The first lines of data of a text that have as many fields as most of them."""

    rows: list[Fields]

    @property
    def width(self) -> int:
        """How many fields each line has."""
        return len(self.rows[0])

    def mostly(self, fits: Callable[[Fields], bool]) -> bool:
        """Whether more than half of the lines pass."""
        return 2 * sum(map(fits, self.rows)) > len(self.rows)

    def distinct(self, *fields: int) -> int:
        """How many different texts there are in some fields together."""
        return len({tuple(row[field] for field in fields) for row in self.rows})

    def column(self, field: int) -> set[bytes]:
        """The different texts of a field."""
        return {row[field] for row in self.rows}


class Format(NamedTuple):
    """A file format, as the options -T (runs) and -R (judgments) name it."""

    name: str
    option: str
    """"-T" or "-R"."""
    layouts: tuple[Layout, ...]
    """What its lines may hold; the number of fields in the first line decides."""
    help: str
    """What `irev -h` says of it."""
    brief: str = ""
    """What the help of the option says of it, beside its name."""
    line: Callable[[Fields], bool] | None = None
    """Whether a line by itself looks like it; None: no line tells it from another format."""
    file: Callable[[FirstLines], bool] | None = None
    """Whether the beginning of a file does; None: where most lines do."""
    is_sure: bool = False
    """Whether no other file begins so: it is refused where another format was asked for."""
    crooked: str | Callable[[Fields], str] = ""
    """What is said of a line that looks like it, but whose number of fields is wrong."""
    gives: tuple[str, ...] = ("qrels",)
    """Of judgments: what they have for measures, by the word in a measure's `needs`."""
    holds_runs: bool = False
    """Whether judgments are of the answers of runs, which they name."""

    @property
    def reading(self) -> str:
        """Which option reads it."""
        it = "it" if self.layouts[0].looks.startswith(("a ", "qrels")) else "them"
        return f"{self.option} {self.name} reads {it}"

    def layout(self, width: int) -> Layout:
        """What lines of so many fields hold."""
        return next((each for each in self.layouts if len(each.fields) == width), self.layouts[0])

    def crooked_hint(self, fields: Fields) -> str:
        """What is said of a line with a wrong number of fields; empty: it does not look like it."""
        if callable(self.crooked):
            return self.crooked(fields)
        return self.crooked if self.line is not None and self.line(fields) else ""


def sample_first_lines(head: bytes, max_lines: int = 200) -> FirstLines | None:
    """The beginning of a text; None where there is no line of data.

    A last line that has no end, which may be cut, is left out where there are others.
    """
    text, _, cut = head.rpartition(b"\n")
    rows = [*_data_lines(text.split(b"\n")[:max_lines])] or [*_data_lines([cut])]
    if not rows:
        return None
    num_lines_of_width = Counter(map(len, rows))
    width = max(num_lines_of_width, key=num_lines_of_width.__getitem__)
    return FirstLines([fields for fields in rows if len(fields) == width])


def first_fields(head: bytes) -> Fields:
    """The fields of the first line of data in the first bytes of a text."""
    return next(_data_lines(head.split(b"\n")), [])


def _data_lines(lines: Iterable[bytes]) -> Iterator[Fields]:
    """The fields of the lines of data among some lines."""
    for fields in map(bytes.split, lines):
        if fields and not fields[0].startswith(b"#"):
            yield fields


def looks_like_scores(head: bytes, max_lines: int = 40) -> bool:
    """Whether a text that begins so is trec_eval's output: a measure, a topic and a value a line.

    A run of three columns has no names of measures, and no blanks that fill a column up.
    """
    return len(first_fields(head)) == 3 and any(map(_is_scored_line, head.splitlines()[:max_lines]))


def _is_scored_line(line: bytes) -> bool:
    fields = line.split()
    if len(fields) != 3 or not line[:1].isalpha():
        return False
    name, topic, value = fields
    if name in (b"runid", b"num_q", b"num_ret", b"num_rel", b"num_rel_ret"):
        return True
    # programs that write scores give a measure's name 20 bytes at least
    width = line.index(topic, len(name))
    is_padded = line[len(name)] == ord(" ") and (line[width - 1] == ord("\t") or width >= 20)
    is_score = is_padded or topic == b"all" or b"(" in name or b"@" in name
    return is_score and pattern(rb"-?(\d+\.\d+|nan|inf)").fullmatch(value) is not None
