"""Lines of a text as columns: a plain way, and a careful one where the text is not plain.

Both give the same columns. The plain way takes a piece whose every line has the layout's fields
with a single blank between them, so that each field's place is known from the count of blanks;
anything else (several blanks together, blank lines, comments, text behind the last field, a field
too few) goes the careful way, which finds every field by itself, knows each line's number and says
what is wrong with a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from irev.core.arrays import Bools, Bytes, Floats, Ints, ranges
from irev.core.ids import PADDING, Ids
from irev.core.record import record
from irev.core.text import parse_c_number
from irev.errors import MOST_PROBLEMS, Notice, Problem, id_text
from irev.read.columns import parse_reals_or_nan
from irev.read.layout import TOPIC, Layout, NumberParser
from irev.read.pieces import Piece
from irev.read.sniff import (
    LOOKS_LIKE,
    foreign_text_hint,
    likeness,
    literal_escapes_hint,
    number_hint,
)
from irev.read.stream import torn_line_problem


class LongLines(NamedTuple):
    """Lines that are read though they have too many fields: how many there are, and the first.

    `first_line` counts from 1; `num_fields` is how many fields it has, `expected` what they are to
    be.
    """

    num_lines: int
    first_line: int
    num_fields: int
    expected: tuple[str, ...]

    def warning(self, place: str) -> Notice:
        """That the rest of them is ignored; `place` is where the first is, empty: nobody knows."""
        more = f" in {self.num_lines:,} lines; this is the first" if self.num_lines > 1 else ""
        return Notice(
            "extra-fields",
            f"{place}{self.num_fields} fields where {len(self.expected)} are expected "
            f"({' '.join(self.expected)}): the rest is ignored{more}",
            "are two lines in one, or is a blank in an id or a tag? # may begin a remark",
        )


@record
class Columns:
    """N lines of data as columns.

    topics     the distinct topics, in order of appearance
    topic      int64[N], which of them each row belongs to
    ids        the other id columns, in the layout's order
    number     float64[N]
    lines      int64[N], each row's line in the piece, from 1; None: row i is line i + 1
    num_lines  lines of the piece, data or not
    last       the last line of data
    problems   what is wrong, in the order of the lines; the columns are then of no use
    num_commented  lines that begin with # and end with what would be a row
    long_lines  lines with text behind the last field that is no remark; None: there are none
    """

    topics: list[bytes]
    topic: Ints
    ids: tuple[Ids, ...]
    number: Floats
    lines: Ints | None
    num_lines: int
    last: bytes
    problems: tuple[Problem, ...] = ()
    num_commented: int = 0
    long_lines: LongLines | None = None


BINARY = "a zero byte: this is a binary file, not text"


def parse_columns(
    piece: Piece,
    layout: Layout,
    path: str,
    *,
    list_all_problems: bool = False,
    is_of_layout: Callable[[], bool] | None = None,
) -> Columns:
    """The columns of a piece of text; problems name `path` and lines from 1 in this piece.

    `list_all_problems` asks for all of them, and for the lines with text behind the last field,
    though they are read. `is_of_layout()` says whether most lines of the text are as they should
    be, so that a wrong one is no sign of another format; nobody asks without such a line.
    """
    plain = _plain_columns(piece, layout)
    if plain is not None:
        return plain  # it has no zero byte, no carriage return, no blank line
    if piece.has(b"\0"):
        line = piece.buffer.count(b"\n", 0, piece.buffer.find(b"\0")) + 1
        hint = f"expected a {layout.kind} as text"
        return _empty_columns(piece, layout, (Problem(path, line, "binary-file", BINARY, hint),))
    if piece.buffer[0] <= ord(" ") and piece.buffer[: piece.size].isspace():
        return _empty_columns(piece, layout)
    if piece.has(b"\r\n"):
        text = bytearray(piece.text).replace(b"\r\n", b"\n")
        plain = _plain_columns(Piece(text + bytes(PADDING), len(text)), layout)
    if plain is not None:
        return plain
    return _token_columns(
        piece, layout, path, all_problems=list_all_problems, is_of_layout=is_of_layout
    )


def _empty_columns(piece: Piece, layout: Layout, problems: tuple[Problem, ...] = ()) -> Columns:
    no_rows = np.zeros(0, np.int64)
    ids = tuple(Ids(piece.data, no_rows, no_rows) for _ in layout.ids)
    lines = piece.buffer.count(b"\n", 0, piece.size)
    return Columns([], no_rows, ids, np.zeros(0), no_rows, lines, b"", problems)


# --- The plain way ---


def _plain_columns(piece: Piece, layout: Layout) -> Columns | None:
    field_names = (TOPIC, layout.number, *layout.ids)
    spans = _field_starts_and_lengths(
        piece, len(layout.fields), [layout.fields.index(name) for name in field_names]
    )
    if spans is None:
        return None
    topics_of_lines, texts, *ids = (Ids(piece.data, *span) for span in spans)
    topic, topics = topics_of_lines.codes()
    # so many topics are looked at in the time in which a byte is sought in a piece
    is_searched = len(topics) < 1 << 10 or piece.has(b"#")
    if is_searched and any(topic_id.startswith(b"#") for topic_id in topics):
        return None
    number = layout.parse(texts)
    if np.isnan(number).any():
        return None
    last = bytes(piece.text[piece.buffer.rfind(b"\n", 0, piece.size - 1) + 1 :])
    return Columns(topics, topic, tuple(ids), number, None, len(number), last)


_BLOCK = 1 << 18
"""So many bytes, and what is made of them, stay in the processor's nearer caches."""


def _field_starts_and_lengths(
    piece: Piece, num_fields: int, field_indices: list[int]
) -> list[tuple[Ints, Ints]] | None:
    """Where some of the `num_fields` fields of each line start, and their lengths.

    None: lines are uneven.
    """
    max_lines = piece.size // (2 * num_fields)  # a field has a byte and a blank behind it
    spans = [(np.empty(max_lines, np.int64), np.empty(max_lines, np.int64)) for _ in field_indices]
    has_tab = piece.has(b"\t")
    first = line = 0
    while first < piece.size:
        stop = piece.buffer.rfind(b"\n", first, min(first + _BLOCK, piece.size)) + 1
        stop = stop or piece.buffer.find(b"\n", first) + 1  # a long line
        if not stop:
            return None  # what has no end of line is no line of text
        block = piece.data[first:stop]
        ends = _field_ends(block)
        if ends is None or len(ends) % num_fields:
            return None
        lines = len(ends) // num_fields
        num_blanks = np.count_nonzero(block == ord(" "))
        if has_tab:
            num_blanks += np.count_nonzero(block == ord("\t"))
        newlines = block[ends[num_fields - 1 :: num_fields]] == ord("\n")
        if num_blanks != len(ends) - lines or not newlines.all():
            return None
        ends += first
        these_lines = slice(line, line + lines)
        for field, (start, length) in zip(field_indices, spans, strict=True):
            if field:
                np.add(ends[field - 1 :: num_fields], 1, out=start[these_lines])
            else:
                start[line] = first
                np.add(
                    ends[num_fields - 1 : -1 : num_fields], 1, out=start[line + 1 : line + lines]
                )
            np.subtract(ends[field::num_fields], start[these_lines], out=length[these_lines])
        first, line = stop, line + lines
    return [(start[:line], length[:line]) for start, length in spans]


def _field_ends(block: Bytes) -> Ints | None:
    """Where the bytes up to the blank are; None: one is at the start, or two are neighbours."""
    is_low = np.zeros(len(block) + len(block) % 2, bool)
    np.less_equal(block, ord(" "), out=is_low[: len(block)])
    if is_low[0] or (is_low[1:] & is_low[:-1]).any():
        return None
    # of two bytes at most one is low: there are half as many places to look at
    pairs = is_low.view(np.uint16)
    places = np.flatnonzero(pairs != 0)
    places <<= 1
    places += ~is_low[places]
    return places


# --- The careful way ---


_NUMBERED = frozenset({"rank", "score"})
"""Fields of a run that are numbers."""

_IGNORED, _REMARK, _TWO_LINES, _BLANK_IN_ID = range(4)
"""What the surplus fields of a line are: text behind the last field; such text behind a #; a second
record; what a blank in an id has shifted."""


def _token_columns(
    piece: Piece,
    layout: Layout,
    path: str,
    *,
    all_problems: bool = False,
    is_of_layout: Callable[[], bool] | None = None,
) -> Columns:
    tokens = _find_tokens(piece)
    verdicts = _judge_lines(tokens, layout)
    good = verdicts.good
    topic, topics = tokens.field(good, layout.fields.index(TOPIC)).codes()
    ids = tuple(tokens.field(good, layout.fields.index(name)) for name in layout.ids)
    texts = tokens.field(good, layout.fields.index(layout.number))
    number = layout.parse(texts)

    max_problems = len(verdicts.rows) if all_problems else MOST_PROBLEMS
    problems = [
        problem._replace(path=path, line=line + 1)
        for line, problem in _line_problems(
            tokens, verdicts, layout, max_problems, is_of_layout, all_problems=all_problems
        )
    ]
    no_number = np.isnan(number)
    exchanged_hint = tokens.exchanged_tag_hint(good, layout) if no_number.any() else ""
    for row in np.flatnonzero(no_number)[:max_problems].tolist():
        bad_number = number_problem(int(good[row]) + 1, texts[row], layout, path)
        if exchanged_hint:
            bad_number = bad_number._replace(hint=exchanged_hint)
        problems.append(bad_number._replace(topic=topics[topic[row]], document=ids[0][row]))
    problems.sort(key=lambda problem: problem.line or 0)

    last = b""
    if len(verdicts.rows):
        line = int(verdicts.rows[-1])
        last = piece.data[tokens.starts[tokens.first[line]] : tokens.newlines[line]].tobytes()
    ignored = verdicts.long[verdicts.surplus == _IGNORED]
    long_lines = None
    if len(ignored) and layout.more_allowed:
        line = int(ignored[0])
        num_fields = int(tokens.count[line])
        long_lines = LongLines(len(ignored), line + 1, num_fields, layout.fields)
    return Columns(
        topics=topics,
        topic=topic,
        ids=ids,
        number=number,
        lines=good + 1,
        num_lines=len(tokens.newlines),
        last=last,
        problems=tuple(problems if all_problems else problems[:MOST_PROBLEMS]),
        num_commented=tokens.num_records_behind_hashes(verdicts.comments, layout),
        long_lines=long_lines,
    )


def _find_tokens(piece: Piece) -> _Tokens:
    data = piece.data[: piece.size]
    is_newline = data == ord("\n")
    is_space = is_newline | (data == ord(" ")) | ((data >= 9) & (data <= 13))
    starts = np.flatnonzero(~is_space & np.concatenate(([True], is_space[:-1])))
    ends = np.flatnonzero(is_space & np.concatenate(([False], ~is_space[:-1])))
    newlines = np.flatnonzero(is_newline)
    first = np.concatenate(([0], np.searchsorted(starts, newlines)))
    count = np.diff(first)
    first = first[:-1]

    # a line is torn where a carriage return stands between its first field and its last
    torn = np.zeros(len(newlines), bool)
    returns = np.flatnonzero(data == ord("\r"))
    if len(returns):
        line = np.searchsorted(newlines, returns)
        has_fields = count[line] > 0
        line, returns = line[has_fields], returns[has_fields]
        last = first[line] + count[line] - 1
        is_inside = (returns > starts[first[line]]) & (returns < starts[last])
        torn[line[is_inside]] = True
    return _Tokens(piece.data, starts, ends, newlines, first, count, torn)


class _Verdicts(NamedTuple):
    """What each line is, as indices of lines that rise.

    comments       lines that begin with #
    rows           all others that have a field
    good           rows that are read
    short          rows that are wrong, with too few fields
    long           rows with too many fields
    surplus        int64[], what the surplus fields of each long line are
    is_long_wrong  bool[], which of the long lines are not read

    Torn lines are rows, and none of the rest.
    """

    comments: Ints
    rows: Ints
    good: Ints
    short: Ints
    long: Ints
    surplus: Ints
    is_long_wrong: Bools


_ALWAYS_WRONG = (_TWO_LINES, _BLANK_IN_ID)
"""What is wrong also where the format allows text behind the last field."""


def _judge_lines(tokens: _Tokens, layout: Layout) -> _Verdicts:
    rows = np.flatnonzero(tokens.count)
    first_byte = tokens.data[tokens.starts[tokens.first[rows]]]
    is_comment = (first_byte == ord("#")) & ~tokens.torn[rows]
    comments, rows = rows[is_comment], rows[~is_comment]
    num_fields, count, torn = len(layout.fields), tokens.count[rows], tokens.torn[rows]
    is_long = (count > num_fields) & ~torn
    long = rows[is_long]
    surplus = tokens.surplus(long, layout)
    is_wrong = (count != num_fields) | torn
    if layout.more_allowed:
        is_wrong[is_long] = np.isin(surplus, _ALWAYS_WRONG)
    short = rows[is_wrong & ~is_long & ~torn]
    return _Verdicts(comments, rows, rows[~is_wrong], short, long, surplus, is_wrong[is_long])


def _line_problems(
    tokens: _Tokens,
    verdicts: _Verdicts,
    layout: Layout,
    max_problems: int,
    is_of_layout: Callable[[], bool] | None,
    *,
    all_problems: bool,
) -> Iterator[tuple[int, Problem]]:
    """Lines that are torn, or do not have the layout's fields; of each kind so many at most."""
    for line in np.flatnonzero(tokens.torn)[:max_problems].tolist():
        yield line, torn_line_problem("", line + 1)
    is_told = verdicts.is_long_wrong | all_problems
    for lines, kinds in (
        (verdicts.short, np.full(len(verdicts.short), _IGNORED)),
        (verdicts.long[is_told], verdicts.surplus[is_told]),
    ):
        told = zip(lines[:max_problems].tolist(), kinds[:max_problems].tolist(), strict=True)
        for line, kind in told:
            yield line, _field_count_problem(tokens.text(line), kind, layout, is_of_layout)


@record
class _Tokens:
    """The fields of a text, F in all, and which of them each of its L lines holds.

    starts, ends  int64[F]
    newlines      int64[L], where each line ends
    first, count  int64[L], the first field of each line, and how many it has
    torn          bool[L], in which lines a carriage return stands between fields: it was an end of
                  line once, so that the line is several, maybe all of the file's
    """

    data: Bytes
    starts: Ints
    ends: Ints
    newlines: Ints
    first: Ints
    count: Ints
    torn: Bools

    def field(self, lines: Ints, field_index: int) -> Ids:
        """A field of each of some lines."""
        token = self.first[lines] + field_index
        starts = self.starts[token]
        return Ids(self.data, starts, self.ends[token] - starts)

    def num_records_behind_hashes(self, comments: Ints, layout: Layout) -> int:
        """How many comments end with all fields of the layout, with numbers where it has them.

        A longer comment must end with two numbers in their places: one alone ends many a sentence.
        """
        num_fields = len(layout.fields)
        has_two = "rank" in layout.fields and layout.number == "score"
        num_surplus = self.count[comments] - num_fields
        lines = comments[(num_surplus == 0) | ((num_surplus > 0) & has_two)]
        if not len(lines):
            return 0
        last_fields = self.first[lines] + self.count[lines] - num_fields

        def has_number(name: str, parse: NumberParser) -> Bools:
            token = last_fields + layout.fields.index(name)
            starts = self.starts[token]
            return ~np.isnan(parse(Ids(self.data, starts, self.ends[token] - starts)))

        is_record = has_number(layout.number, layout.parse)
        if has_two:
            is_record &= has_number("rank", parse_reals_or_nan)
        return int(np.count_nonzero(is_record))

    def exchanged_tag_hint(self, lines: Ints, layout: Layout) -> str:
        """A hint where in the first of some lines no score is a number, but every tag is one."""
        if layout.number != "score" or "tag" not in layout.fields:
            return ""
        lines = lines[self.count[lines] == len(layout.fields)][:20]
        score_is_nan, tag_is_nan = (
            np.isnan(layout.parse(self.field(lines, layout.fields.index(name))))
            for name in ("score", "tag")
        )
        if not len(lines) or not score_is_nan.all() or tag_is_nan.any():
            return ""
        return f"the tag stands where the score should: the order is {' '.join(layout.fields)}"

    def surplus(self, lines: Ints, layout: Layout) -> Ints:
        """int64[]: what the surplus fields of each of some lines are, all with too many fields."""
        kind = np.full(len(lines), _IGNORED)
        if not len(lines):
            return kind
        tokens = Ids(self.data, self.starts, self.ends - self.starts)
        first, stop = self.first[lines], self.first[lines] + self.count[lines]
        last_field = first + len(layout.fields) - 1

        def is_number(token: Ints) -> Bools:
            return ~np.isnan(parse_reals_or_nan(tokens.take(token)))

        names = {*_NUMBERED, layout.number} & {*layout.fields}
        numbers = [layout.fields.index(name) for name in names]
        low, high = min(numbers), max(numbers)
        # what is said of few lines is asked of few: texts that are no numbers are slow to try
        odd = np.flatnonzero(~is_number(first + low))
        shifted = is_number(first[odd] + high + 1) | ~is_number(first[odd] + high)
        kind[odd[shifted]] = _BLANK_IN_ID
        if layout.more_allowed:
            self._mark_lines_parted_by_tabs(kind, lines, layout)
        # a second record has the second field again, and numbers where the first has them
        token = ranges(last_field, stop)
        line = np.repeat(np.arange(len(lines)), stop - last_field)
        has_score = token + high - 1 < stop[line]
        first_byte = self.data[self.starts]
        maybe = has_score & (first_byte[token] == first_byte[first[line] + 1])
        token, line = token[maybe], line[maybe]
        again = tokens.equal(token, tokens, first[line] + 1)
        token, line = token[again], line[again]
        kind[line[is_number(token + high - 1)]] = _TWO_LINES
        if layout.more_allowed:
            hashes = self.data[self.starts[last_field]] == ord("#")
            hashes |= self.data[self.starts[last_field + 1]] == ord("#")
            kind[hashes] = _REMARK
        return kind

    def _mark_lines_parted_by_tabs(self, kind: Ints, lines: Ints, layout: Layout) -> None:
        """Mark what the surplus fields are where there are as many tabs as part fields."""
        tabs = np.flatnonzero(self.data == ord("\t"))
        first, num_tabs = self.first[lines], len(layout.fields) - 1
        first_tab, stop_tab = np.searchsorted(tabs, (self.starts[first], self.newlines[lines]))
        parted = np.flatnonzero(stop_tab - first_tab == num_tabs)
        # where the blank is not in the last field, a tab stands behind that one's place
        is_late = tabs[stop_tab[parted] - 1] > self.starts[first[parted] + num_tabs]
        if layout.fields[-1] not in _NUMBERED:
            kind[parted[~is_late]] = _IGNORED
        for index in parted[is_late].tolist():
            if _blank_within_tabs(self.text(int(lines[index])), layout):
                kind[index] = _BLANK_IN_ID

    def text(self, line: int) -> bytes:
        """What a line holds, from its first field to its last."""
        first, count = int(self.first[line]), int(self.count[line])
        return self.data[self.starts[first] : self.ends[first + count - 1]].tobytes()


def _blank_within_tabs(text: bytes, layout: Layout) -> str:
    """What is wrong with a line whose tabs show that a blank stands in an id; empty: nothing."""
    cells = text.split(b"\t")
    if len(cells) != len(layout.fields):
        return ""
    cell = dict(zip(layout.fields, cells, strict=True))
    if any(parse_c_number(cell[name].strip()) is None for name in _NUMBERED & cell.keys()):
        return ""
    name = next((name for name in (TOPIC, *layout.ids) if len(cell[name].split()) > 1), "")
    return name and f"the {name} '{id_text(cell[name].strip())}' contains a blank"


_SURPLUS_HINTS = {
    _TWO_LINES: "two lines in one? each line must end with a newline, the last line of a file too",
    _BLANK_IN_ID: "ids cannot contain blanks",
}


def _field_count_problem(
    text: bytes, surplus: int, layout: Layout, is_of_layout: Callable[[], bool] | None
) -> Problem:
    """What is wrong with a line that does not hold the layout's fields, and what to do."""
    fields, num_fields = text.split(), len(layout.fields)
    expected = f"{num_fields} fields ({' '.join(layout.fields)})"
    message = f"expected {expected}, found {len(fields)}: '{id_text(b' '.join(fields))}'"
    is_long = len(fields) > num_fields
    if surplus == _REMARK:
        return Problem("", None, "remark", f"a remark ends the line: '{id_text(text)}'")
    if is_long and layout.more_allowed and surplus == _IGNORED:
        return Problem("", None, "extra-fields", message)

    is_blank_certain = surplus == _BLANK_IN_ID and layout.more_allowed
    surplus_hint = _SURPLUS_HINTS.get(surplus, "")

    def other_format_hint() -> str:
        hint = likeness(fields, layout)
        if hint.startswith(LOOKS_LIKE) and is_of_layout is not None and is_of_layout():
            damaged = "most lines of the file are as they should be: is this one damaged?"
            return surplus_hint or damaged
        return hint

    # from the strongest sign to the weakest
    hint = literal_escapes_hint(fields) or foreign_text_hint(fields)
    if not hint and is_blank_certain:
        message = _blank_within_tabs(text, layout) or message
    if not hint and (is_blank_certain or surplus == _TWO_LINES):
        hint = surplus_hint
    hint = hint or other_format_hint() or surplus_hint
    return Problem("", None, "field-count", message, hint)


def number_problem(line: int, text: bytes, layout: Layout, path: str) -> Problem:
    """A number that is none, and what may be meant."""
    message = f"{layout.number} '{id_text(text)}' is not {layout.expected}"
    return Problem(path, line, f"bad-{layout.number}", message, number_hint(text, layout))
