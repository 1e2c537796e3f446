"""Judgments in trec_eval's four formats and runs for them, drawn as people would not write them.

Near ties, odd numbers, ids of all bytes and of common beginnings, scattered topics, documents
judged by several groups; then disguises that change nothing of what a text says.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from random import Random
from typing import NamedTuple

NO_BLANK = [b for b in range(33, 256) if b not in (0x85, 0xA0, 0x23)]
ODD_SCORES = (
    b"1e-320 5e-324 1e308 1e309 -1e309 inf -inf Infinity -0.0 0.0 0 -0 0x1p4 0x1.8p-3 1e5 1E+5 "
    b"+3.5 .5 5. 4.9e-324 2.2250738585072011e-308 179769313486231570814527423731704356798070e+267 "
    b"1.0000000000000002 1.0000000000000001 0.1 0.10000000000000001 0X1P4 INF 1e-400 -1e-400 0x10 "
    b"123456789012345678901234567890 0.30000000000000004 00012 -.5e1 "
    b"0.3000000000000000444089209850062616169452667236328125"
).split()


class Judgment(NamedTuple):
    """A line of judgments, whatever the format; group and subgroup are empty where it has none."""

    topic: bytes
    group: bytes
    subgroup: bytes
    document: bytes
    grade: bytes

    def fields(self) -> list[bytes]:
        """The fields of the line."""
        if self.subgroup:
            return [*self]
        return [self.topic, self.group or b"0", self.document, self.grade]


class Retrieved(NamedTuple):
    """A line of a run."""

    topic: bytes
    document: bytes
    score: bytes

    def fields(self, number: int) -> list[bytes]:
        """The fields of the line; the rank is read by nobody."""
        return [self.topic, b"Q0", self.document, b"%d" % number, self.score, b"tag"]


class Generated(NamedTuple):
    """A pair of judgments and a run.

    style      -R of the judgments
    is_plain   every topic of the run is judged with a grade of at least 0, and retrieves something
    """

    style: str
    is_plain: bool
    judgments: list[Judgment]
    run: list[Retrieved]


def generate(r: Random, style: str) -> Generated:
    """Draw a pair in one of the formats of judgments."""
    is_plain = r.random() < 0.7
    ids, scores, grades, names = (r.randrange(n) for n in (8, 8, 5, 4))
    judgments: list[Judgment] = []
    run: list[Retrieved] = []
    number = r.choice([1, 1, 2, 3, 5, 10, 40])
    for topic in dict.fromkeys(_topic(r, names, i) for i in range(number)):
        drawn = (_document(r, ids, i) for i in range(r.choice([1, 2, 5, 20, 60])))
        documents = list(dict.fromkeys(drawn))
        here = _judgments(r, style, topic, documents, grades)
        retrieved = [document for document in documents if r.random() < 0.7]
        retrieved += [b"zz%d" % i for i in range(r.choice([0, 0, 3, 30]))]
        r.shuffle(retrieved)
        if is_plain and not any(not line.grade.startswith(b"-") for line in here):
            here = [_first(style, topic, documents[0])]
        if is_plain and not retrieved:
            retrieved = [documents[0]]
        judgments += here
        run += [Retrieved(topic, document, _score(r, scores)) for document in retrieved]
    for rows in (judgments, run):
        if r.random() < 0.3:
            r.shuffle(rows)
    return Generated(style, is_plain, judgments, run)


def _first(style: str, topic: bytes, document: bytes) -> Judgment:
    group, subgroup = (b"" if style == "qrels" else b"g"), (b"s" if style == "prefs" else b"")
    return Judgment(topic, group, subgroup, document, b"1")


def _judgments(
    r: Random, style: str, topic: bytes, documents: list[bytes], kind: int
) -> list[Judgment]:
    """The lines of a topic; preferences mostly hold together, a few contradict each other."""
    if style == "qrels":
        judged_documents = [document for document in documents if r.random() < 0.6]
        return [Judgment(topic, b"", b"", d, b"%d" % _grade(r, kind)) for d in judged_documents]
    lines: list[Judgment] = []
    for group in r.sample([b"ann", b"ben", b"1", b"0", b"\xff\xfe"], r.choice([1, 1, 2, 3])):
        # preferences of a topic are quadratic in its documents, and cubic where they are closed
        documents = documents[: 60 if style == "qrels_jg" else 12]
        level = {document: _grade(r, kind) for document in documents}
        subgroups = (
            [b"s%d" % i for i in range(r.choice([1, 1, 2, 4]))] if style == "prefs" else [b""]
        )
        for subgroup in subgroups:
            for document in documents:
                if r.random() < 0.6:
                    grade = level[document] if r.random() < 0.98 else _grade(r, kind)
                    text = b"%d" % grade
                    if style != "qrels_jg" and r.random() < 0.2:
                        text += b".0"
                    lines.append(Judgment(topic, group, subgroup, document, text))
    return lines


def _document(r: Random, kind: int, i: int) -> bytes:
    match kind:
        case 0:
            return b"d%d" % i
        case 1:
            return b"clueweb09-en0000-00-%05d" % i
        case 2:
            return b"prefix__%d" % i
        case 3:
            return bytes(r.choice(NO_BLANK) for _ in range(r.randint(1, 20))) + b"%d" % i
        case 4:
            return f"ü{i}".encode("latin-1") if r.random() < 0.5 else f"doc-é{i}".encode()
        case 5:
            return b"x" * r.randint(1, 40) + b"%d" % i
        case 6:
            return b"%d" % i if i % 2 else b"0%d" % i
        case _:
            return b"ABCDEFGH" * (i % 5) + b"%d" % i


def _topic(r: Random, kind: int, i: int) -> bytes:
    match kind:
        case 0:
            return b"%d" % i
        case 1:
            return b"q%03d" % i
        case 2:
            return bytes(r.choice(NO_BLANK) for _ in range(r.randint(1, 12))) + b"%d" % i
        case _:
            return b"topic-prefix-%d" % i


def _score(r: Random, kind: int) -> bytes:
    match kind:
        case 0:
            return b"%.4f" % r.random()
        case 1:
            return b"%d" % r.randint(0, 5)
        case 2:
            return r.choice(ODD_SCORES)
        case 3:
            return repr(r.random() * 10.0 ** r.randint(-300, 300)).encode()
        case 4:
            return b"%.8e" % r.gauss(0, 1)
        case 5:
            return b"%.1f" % r.random()
        case 6:  # nearer than a 32-bit float tells
            return repr(20.0 + r.randint(0, 6) * 1e-7).encode()
        case _:  # nearer than a 64-bit one
            return b"0.1" + b"0" * 17 + b"%d" % r.randint(0, 3)


def _grade(r: Random, kind: int) -> int:
    kinds = (range(2), range(4), range(-2, 4), (0, 1, 2, 3, 10, 100, 1000), (-1, 0, 1))
    return r.choice(kinds[kind])


def excluded(r: Random, run: list[Retrieved]) -> list[Retrieved]:
    """What is left out of a run: of some topics all lines, of others a few."""
    topics = sorted({line.topic for line in run if not line.topic.startswith(b"{")})
    share = {topic: r.choice((0, 0, 0.3, 1)) for topic in topics}
    return [line for line in run if r.random() < share.get(line.topic, 0)]


def text_of(rows: list[list[bytes]], blank: bytes) -> bytes:
    """Lines of fields, as trec_eval takes them."""
    return b"".join(blank.join(fields) + b"\n" for fields in rows)


class Lines(NamedTuple):
    """How a run or judgments are written as lines, and the options that read them.

    is_run   whether it is a run
    fields   which of topic, Q0, document, rank, score and tag, or of topic, iteration, document
             and grade, stand in a line
    options  of the command line
    """

    is_run: bool
    fields: tuple[int, ...]
    options: tuple[str, ...] = ()


LINES = (
    Lines(True, (0, 1, 2, 3, 4, 5)),
    Lines(True, (0, 1, 2, 3, 4)),
    Lines(True, (0, 2, 4)),
    Lines(True, (0, 2, 3), ("-T", "msmarco")),
    Lines(True, (0, 2, 3, 4), ("-T", "msmarco")),
    Lines(True, (0, 2, 4), ("-T", "scores")),
    Lines(False, (0, 1, 2, 3)),
    Lines(False, (0, 2, 3), ("-R", "triples")),
)

JOINTS = (b"", b" ", b"\t", b"\\n")
"""What may stand between two lines in place of the end of the first; the last is two characters."""


def join_lines_or_part_ids(r: Random, rows: list[list[bytes]], blank: bytes) -> bytes:
    """The text of some rows, in which lines were joined, or fields have a blank in them.

    `blank` stands between fields.
    """
    rows = [list(row) for row in rows]
    most = len(rows) if r.random() < 0.4 else r.randint(1, 3)
    harmed = sorted(r.sample(range(len(rows)), min(most, len(rows))))
    end = r.choice((b"\n", b"\n", b"\r\n"))
    ends = [end] * len(rows)
    if r.random() < 0.5 and len(rows) > 1:
        joint = r.choice(JOINTS)
        for index in harmed:
            if index < len(rows) - 1 or joint == b"\\n":
                ends[index] = joint
        if set(ends) <= {end}:
            ends[0] = joint
    else:
        ids = [i for i, field in enumerate(rows[0]) if field not in (b"Q0", b"0")]
        field = r.choice(ids)
        for index in harmed:
            text = rows[index][field]
            cut = r.randint(1, len(text) - 1) if len(text) > 1 else 0
            word = r.choice((b"x", b"7", b"")) if cut else b"x"
            rows[index][field] = text[:cut] + word + b" " + text[cut:]
    return b"".join(blank.join(row) + end for row, end in zip(rows, ends, strict=True))


BLANKS = (b" ", b"\t", b"  ", b" \t", b"\v", b"\f ")

PACKED = (gzip.compress, bz2.compress, lzma.compress)


def disguise(r: Random, text: bytes) -> bytes:
    """The same text to irev: other line ends, comments, blank lines, a mark, packed."""
    how = r.randrange(12)
    lines = text.splitlines(keepends=True)
    if how == 0:
        return text.replace(b"\n", b"\r\n")
    if how == 1:
        return b"\xef\xbb\xbf" + text
    if how == 2:
        return text.removesuffix(b"\n")
    if how == 3:
        more = (b"\n", b"# a comment\n", b"   \n", b"\r\n")
        return b"".join(line + (r.choice(more) if r.random() < 0.2 else b"") for line in lines)
    if how == 4:
        return r.choice(PACKED)(text)
    if how == 5:  # in two members
        half = r.randrange(len(text) + 1)
        pack = r.choice(PACKED)
        return pack(text[:half]) + pack(text[half:])
    if how == 6:
        return b"".join(r.choice((b" ", b"\t", b"")) + line for line in lines)
    return text
