"""What people get wrong, and whether every command that prints numbers says so.

A mistake is a run, or judgments, made of the sample. Each is told by an error (exit code 2), by a
warning or a note, or it is rightly passed over: `SILENT` has the reason.
"""

import bz2
import gzip
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import irev as irev_package
from tests.command import Ran, irev
from tests.each import for_each
from tests.files import SAMPLE

QRELS = (SAMPLE / "qrels.txt").read_text(encoding="utf-8")
LINES = [line.split() for line in (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines()]
OTHER = SAMPLE / "fusion.run"


def rows(edit: Callable[[list[str]], object], separator: str = " ") -> str:
    """The sample run, with each line changed."""
    copies = [list(line) for line in LINES]
    for row in copies:
        edit(row)
    return "".join(separator.join(row) + "\n" for row in copies)


def with_field(field: int, value: Callable[[list[str]], object]) -> str:
    """The sample run with another field in each line: topic, Q0, document, rank, score, tag."""

    def edit(row: list[str]) -> None:
        row[field] = str(value(row))

    return rows(edit)


def every_second(change: Callable[[str], str]) -> str:
    """The sample run with every second document called otherwise."""
    return with_field(2, lambda row: change(row[2]) if int(row[3]) % 2 else row[2])


def columns(*fields: int, separator: str = " ") -> str:
    """Some columns of the sample run."""
    return "".join(separator.join(row[field] for field in fields) + "\n" for row in LINES)


SOUND = rows(lambda row: None)
TOPICS = sorted({row[0] for row in LINES})
NEXT_TOPIC = dict(zip(TOPICS, TOPICS[1:] + TOPICS[:1], strict=True))


def graded(change: Callable[[str], object]) -> str:
    """The sample's judgments with other grades."""
    fields = [line.split() for line in QRELS.splitlines() if line and not line.startswith("#")]
    return "".join(f"{t} {i} {d} {change(grade)}\n" for t, i, d, grade in fields)


JUDGMENTS = [
    (t, d, grade)
    for t, _, d, grade in (line.split() for line in QRELS.splitlines() if line[:1] != "#")
]


def judged(topic_form: str, document_form: str) -> str:
    """The sample's judgments with topics and documents called otherwise."""
    return "".join(
        f"{topic_form.format(t)} 0 {document_form.format(d)} {grade}\n" for t, d, grade in JUDGMENTS
    )


ACCENTED = judged("{}", "\u00e9{}")
NUMBER_OF_DOCUMENT = {
    document: number
    for number, document in enumerate(
        dict.fromkeys([*(row[2] for row in LINES), *(document for _, document, _ in JUDGMENTS)])
    )
}


def exchanged(one: int, other: int) -> str:
    """The sample run with two of its fields in each other's place."""

    def edit(row: list[str]) -> None:
        row[one], row[other] = row[other], row[one]

    return rows(edit)


@dataclass
class Mistake:
    """A run or judgments, and what is said of them: `error`, `warning` or `note`, and the text."""

    run: str | bytes = SOUND
    qrels: str = QRELS
    said: str = ""
    text: str = ""
    options: tuple[str, ...] = ()


def error(text: str, run: str | bytes = SOUND, **fields: Any) -> Mistake:
    return Mistake(run, said="error", text=text, **fields)


def warning(text: str, run: str | bytes = SOUND, **fields: Any) -> Mistake:
    return Mistake(run, said="warning", text=text, **fields)


RISE = "scores rise from rank to rank in 12 of 12 topics"
TIED = "the first 10 documents have equal scores in 12 of 12 topics"
HALF = r"of the 120 documents up to rank 10 are judged \(5"

RUNS = {
    # the order
    "ranks as scores": warning(RISE, with_field(4, lambda row: row[3])),
    "distances": warning(RISE, with_field(4, lambda row: 50 - float(row[4]))),
    "negated scores": warning(RISE, with_field(4, lambda row: -float(row[4]))),
    "ranks from the last": warning(RISE, with_field(3, lambda row: 51 - int(row[3]))),
    "rank is the score": warning(RISE, with_field(3, lambda row: round(float(row[4]) * 1000))),
    "equal scores": warning(TIED, with_field(4, lambda row: 1)),
    "equal scores at the top": warning(
        TIED, with_field(4, lambda row: 99 if int(row[3]) <= 20 else row[4])
    ),
    "rounded scores": warning(
        "at most 4 different scores", with_field(4, lambda row: 9 - int(row[3]) // 6)
    ),
    "rank and score exchanged": warning(
        "are the columns of rank and score exchanged", exchanged(3, 4)
    ),
    "rank and whole scores exchanged": warning(
        "are the columns of rank and score exchanged",
        rows(lambda row: row.__setitem__(slice(3, 5), [str(round(1000 * float(row[4]))), row[3]])),
    ),
    "ranks as scores, without a rank column": warning(
        "the scores number the documents of each topic, 1, 2, 3, ...; are they ranks",
        "".join(f"{json.dumps({'qid': r[0], 'docno': r[2], 'score': int(r[3])})}\n" for r in LINES),
    ),
    "ranks as scores in JSON": warning(
        "the scores number the documents of each topic",
        json.dumps({t: {r[2]: int(r[3]) for r in LINES if r[0] == t} for t in TOPICS}),
    ),
    "ranks from 0 as scores": warning(
        "the scores number the documents of each topic",
        json.dumps({t: {r[2]: int(r[3]) - 1 for r in LINES if r[0] == t} for t in TOPICS}),
    ),
    "run and judgments exchanged": warning(
        "the judgments have many different grades: are run and judgments exchanged",
        json.dumps({t: {d: int(g) for topic, d, g in JUDGMENTS if topic == t} for t in TOPICS}),
        qrels=json.dumps({t: {r[2]: float(r[4]) for r in LINES if r[0] == t} for t in TOPICS}),
    ),
    "one rank for all, which is to decide": warning(
        "most documents share their rank with others in 12 of 12 topics",
        with_field(3, lambda row: 0),
        options=("--ties", "rank"),
    ),
    # ids
    "a prefix": warning("none of the 600 documents", with_field(2, lambda row: f"coll/{row[2]}")),
    "an ending": warning("none of the 600 documents", with_field(2, lambda row: f"{row[2]}.xml")),
    "capitals": warning("documents", with_field(2, lambda row: row[2].upper() + "_")),
    "every second prefix": warning(
        f"{HALF}.*without the prefix 'X'", every_second(lambda document: f"X{document}")
    ),
    "every second ending": warning(
        f"{HALF}.*without the suffix '.txt'", every_second(lambda document: f"{document}.txt")
    ),
    "every second case": warning(f"{HALF}.* upper and lower case", every_second(str.upper)),
    "another collection": warning(
        "none of the 600 documents", with_field(2, lambda row: f"FT{row[3]}-{row[0]}-77")
    ),
    "the first five from elsewhere": warning(
        "0% of the documents at ranks 1 to 5 are judged, and 100% of those at ranks 6 to 10",
        with_field(2, lambda row: f"new{row[2]}" if int(row[3]) <= 5 else row[2]),
    ),
    "topics shifted": warning("documents", with_field(0, lambda row: NEXT_TOPIC[row[0]])),
    "an invisible character in documents": warning(
        r"a document of the run has an invisible character.*\\u200b",
        every_second(lambda document: f"{document}\u200b"),
    ),
    "files of Windows joined": warning(
        r"a topic of the run has an invisible character.*'\\ufeff2'",
        "\ufeff".join(["".join(SOUND.splitlines(True)[:50]), "".join(SOUND.splitlines(True)[50:])]),
    ),
    "a topic behind #": Mistake(
        with_field(0, lambda row: "#1" if row[0] == "10" else row[0]),
        said="note",
        text="50 lines begin with #",
    ),
    "bytes as Python shows them": warning(
        "without the b'' of Python", with_field(2, lambda row: f"b'{row[2]}'")
    ),
    "a blank that does not part fields": warning(
        "without the suffix '\\\\u00a0'",
        rows(lambda row: row.insert(2, f"{row.pop(2)}\u00a0"), "\t"),
    ),
    "passages": warning(
        "without the suffix one such as '#",
        with_field(2, lambda row: f"{row[2]}#{int(row[3]) % 3}"),
    ),
    "Windows' encoding": warning(
        "in UTF-8 in place of Windows' encoding",
        with_field(2, lambda row: f"\u00e9{row[2]}").encode("cp1252", "ignore"),
        qrels=ACCENTED,
    ),
    "accents as characters of their own": warning(
        "with letters and accents as one character",
        with_field(2, lambda row: f"e\u0301{row[2]}"),
        qrels=ACCENTED,
    ),
    "documents that pandas took for numbers": warning(
        "without .0 at the end",
        with_field(2, lambda row: f"{NUMBER_OF_DOCUMENT[row[2]]}.0"),
        qrels="".join(f"{t} 0 {NUMBER_OF_DOCUMENT[d]} {grade}\n" for t, d, grade in JUDGMENTS),
    ),
    # topics
    "a judged topic is missing": warning(
        "judged topic", "".join(line for line in SOUND.splitlines(True) if line[:2] != "9 ")
    ),
    "topics that are not judged": Mistake(
        SOUND + with_field(0, lambda row: f"new{row[0]}"),
        said="note",
        text="not judged|without judgments",
    ),
    "zeros before topics": warning(
        "topic", with_field(0, lambda row: f"0{row[0]}" if row[0] in ("1", "2") else row[0])
    ),
    "topics that pandas took for numbers": error(
        r"12 topics .* without \.0 at the end", with_field(0, lambda row: f"{row[0]}.0")
    ),
    "topics in quotation marks": error(
        "12 topics .* without quotation marks", with_field(0, lambda row: f'"{row[0]}"')
    ),
    "topics in capitals": error(
        "12 topics .* ignoring case",
        with_field(0, lambda row: f"q{row[0]}"),
        qrels=judged("Q{}", "{}"),
    ),
    "topics without the zeros of the judgments": warning(
        "5 topics .* leading zeros", qrels=judged("{:0>2}", "{}")
    ),
    "topic and document exchanged": error(
        "the run's topics are judged documents: are topics and documents exchanged",
        rows(lambda row: row.__setitem__(slice(0, 3), [f"D{row[2]}", "Q0", f"t{row[0]}"])),
        qrels=judged("t{}", "D{}"),
    ),
    "topic and document exchanged in the judgments": error(
        "are topics and documents exchanged",
        with_field(0, lambda row: f"t{row[0]}"),
        qrels="".join(f"D{d} 0 t{t} {grade}\n" for t, d, grade in JUDGMENTS),
    ),
    "no topic in common": error("no topic in common", with_field(0, lambda row: f"q{row[0]}x")),
    # lines
    "a document twice": error("duplicate document", SOUND + SOUND.splitlines(True)[0]),
    "a document twice, the first counts": warning(
        "1 line that repeats a document",
        SOUND + SOUND.splitlines(True)[0],
        options=("--duplicates", "first"),
    ),
    "a run twice": error("duplicate document 'd0032' in topic '1': lines 1 and 601", SOUND + SOUND),
    "two runs in one file": error(
        "are 'bm25' and 'fusion' two runs\\? split the file",
        SOUND + OTHER.read_text(encoding="utf-8"),
    ),
    "Q0 behind the document": error(
        "Q0 stands where the document should: the order is topic Q0 document", exchanged(1, 2)
    ),
    "score and tag exchanged": error(
        "the tag stands where the score should: the order is topic Q0 document rank score tag",
        exchanged(4, 5),
    ),
    "the end is missing": error("line|fields", SOUND[:-9]),
    "a line of names": error("names of the columns", "topic Q0 doc rank score tag\n" + SOUND),
    "lists for learning to rank": error(
        "lists for learning to rank .* are judgments", "2 qid:1 1:0.5 2:3 3:1 4:9 # d1\n"
    ),
    "a conflict of git": error("conflict that git merge left", f"<<<<<<< HEAD\n{SOUND}"),
    "a pointer of Git LFS": error(
        "git lfs pull",
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{64 * '0'}\nsize 20531\n",
    ),
    "compressed twice": error(
        "compressed twice, with gzip\\n  hint: decompress it once: gunzip FILE",
        gzip.compress(gzip.compress(SOUND.encode())),
    ),
    "compressed with two programs": error(
        "compressed twice, with bzip2 and then with gzip",
        gzip.compress(bz2.compress(SOUND.encode())),
    ),
    "UTF-16 in gzip": error(
        "UTF-16 text, compressed with gzip\\n  hint: decompress it; save it as UTF-8",
        gzip.compress(SOUND.encode("utf-16")),
    ),
    "a power of ten with a comma": error(
        "--decimal comma", with_field(4, lambda row: f"{float(row[4]):.3e}".replace(".", ","))
    ),
    "a minus sign of typography": error(
        "write - in place of", with_field(4, lambda row: f"\N{MINUS SIGN}{row[4]}")
    ),
    "numbers as Python shows them": error(
        r"write float\(score\)", with_field(4, lambda row: f"np.float64({row[4]})")
    ),
    "percent": error("without %", with_field(4, lambda row: f"{row[4]}%")),
    "commas between thousands": error("without commas", with_field(4, lambda row: f"1,00{row[4]}")),
    "truth as grades": error(
        "write 1 and 0", qrels=graded(lambda grade: "true" if int(grade) > 0 else "false")
    ),
    "no score": error("expected 6 fields|is not a number", columns(0, 1, 2, 3)),
    "a word as score": error("score 'high' is not a number", with_field(4, lambda row: "high")),
    "NaN": error("score 'nan' is not a number", with_field(4, lambda row: "nan")),
    "a decimal comma": error(
        "is not a number", with_field(4, lambda row: row[4].replace(".", ","))
    ),
    "three columns of whole numbers": error(
        "a run of MS MARCO or a run of scores",
        "".join(f"{r[0]} {r[2]} {round(float(r[4]) * 100)}\n" for r in LINES),
    ),
    "scores read as ranks": warning(
        "the ranks do not start at 1",
        "".join(f"{r[0]} {r[2]} {round(float(r[4]) * 1000)}\n" for r in LINES),
        options=("-T", "msmarco"),
    ),
    "ranks from 0 in place of 1": warning(
        "the ranks do not start at 1",
        "".join(f"{r[0]} {r[2]} {int(r[3]) - 1}\n" for r in LINES),
        options=("-T", "msmarco"),
    ),
    "ranks twice": warning(
        "the ranks do not start at 1 or are repeated",
        "".join(f"{r[0]} {r[2]} {(int(r[3]) + 1) // 2}\n" for r in LINES),
        options=("-T", "msmarco"),
    ),
    "blanks in documents": error(
        "found 7: '1 Q0 my d0032 1 2.626 bm25'\n  hint: ids cannot contain blanks",
        with_field(2, lambda row: f"my {row[2]}"),
    ),
    "blanks in topics": error(
        "found 7: 'topic 1 .*\n  hint: ids cannot contain blanks",
        with_field(0, lambda row: f"topic {row[0]}"),
    ),
    "blanks in documents, without tags": warning(
        "does each document id contain a blank",
        "".join(f"{r[0]} Q0 {r[2]} x {r[3]} {r[4]}\n" for r in LINES),
    ),
    "two lines in one": error(
        r":50: .* found 11: .*\n  hint: two lines in one\?",
        "".join(" ".join(row) + ("" if index == 49 else "\n") for index, row in enumerate(LINES)),
    ),
    "all lines in one": error(r"two lines in one\?", SOUND.replace("\n", " ")),
    "no line ends": error(r"two lines in one\?", SOUND.replace("\n", "")),
    "names of line ends": error(r"the two characters \\n or \\t stand", SOUND.replace("\n", "\\n")),
    "a blank in the tag between tabs": warning(
        r":1: 7 fields where 6 are expected",
        rows(lambda row: row.insert(5, f"{row.pop(5)} x"), "\t"),
    ),
    "a blank in the tag": warning(
        r":1: 7 fields where 6 are expected \(.*\): the rest is ignored in 600 lines; this is the",
        with_field(5, lambda row: "my run"),
    ),
    "blanks in documents between tabs": error(
        "the document 'd0032 x' contains a blank\\n  hint: ids cannot contain blanks",
        rows(lambda row: row.insert(2, f"{row.pop(2)} x"), "\t"),
    ),
    "no-break spaces": error("not by no-break spaces", SOUND.replace(" ", "\u00a0")),
    "the first line of Excel": error(
        "how Excel writes which mark separates cells: take the line out",
        "sep=,\nquery_id,doc_id,score\n" + columns(0, 2, 4, separator=","),
    ),
    "no document is kept": warning("-M 0 keeps no document", options=("-M", "0")),
    "commas": error("expected 6 fields", columns(0, 1, 2, 3, 4, 5, separator=",")),
    "no Q0": error("expected 6 fields", columns(0, 2, 3, 4, 5)),
    "judgments in place of a run": error("expected 6 fields", QRELS),
    "empty": error("the file is empty", ""),
    "blank": error("no line of data", "\n \n"),
    "comments alone": error("no line of data", "# a run\n"),
    "a table without a name for documents": error("column", "qid,thing,score\n1,a,2\n"),
    "JSON that ends early": error("", '{"1": {"d0032": 1.0'),
    "zero bytes": error("zero byte", b"1 Q0 d0032 1 2.0\x00 t\n"),
    "UTF-16": error("UTF-16", SOUND.encode("utf-16")),
    "gzip that ends early": error("ends too early", gzip.compress(SOUND.encode())[:-9]),
    "lines that end with CR": error("carriage return", SOUND.replace("\n", "\r")),
    "a web page": error("", "<!DOCTYPE html>\n<html><body>404</body></html>\n"),
}
"""Mistakes in a run."""

SILENT: dict[str, tuple[str | bytes, str]] = {
    "sound": (SOUND, "there is nothing to say"),
    "ranks from 0": (with_field(3, lambda row: int(row[3]) - 1), "their order is the same"),
    "one rank for all": (with_field(3, lambda row: 1), "it contradicts no score"),
    "ranks of words": (with_field(3, lambda row: f"r{row[3]}"), "the column is not read"),
    "some ranks exchanged": (
        with_field(3, lambda row: {1: 2, 2: 1}.get(int(row[3]), row[3])),
        "programs rerank and keep the column: the scores count, as in trec_eval",
    ),
    "two tags": (with_field(5, lambda row: f"t{int(row[3]) % 2}"), "check has a note"),
    "no tag": (columns(0, 1, 2, 3, 4), "it changes no number"),
    "tabs": (SOUND.replace(" ", "\t"), "it is the same run"),
    "CRLF": (SOUND.replace("\n", "\r\n"), "it is the same run"),
    "a mark at the start": ("\ufeff" + SOUND, "it is the same run"),
    "a comment": ("# topic Q0 document rank score tag\n" + SOUND, "it has no row's fields"),
    "blank lines": (SOUND.replace("\n", "\n\n"), "it is the same run"),
    "no last newline": (SOUND[:-1], "it is the same run"),
    "compressed": (gzip.compress(SOUND.encode()), "it is the same run"),
    "lines in any order": ("".join(sorted(SOUND.splitlines(True))), "ranks are made of scores"),
    "lines of JSON": (
        "".join(
            f"{json.dumps({'qid': r[0], 'docno': r[2], 'score': float(r[4])})}\n" for r in LINES
        ),
        "its columns have names",
    ),
    "some ties": (with_field(4, lambda row: 60 - int(row[3]) // 2 * 2), "5 values in 10 ranks"),
    "tiny scores": (with_field(4, lambda row: float(row[4]) * 1e-30), "they are all different"),
    "distances, negated": (
        with_field(4, lambda row: float(row[4]) - 9),
        "higher scores rank first, as they should",
    ),
    "blanks before tabs": (
        rows(lambda row: row.insert(2, row.pop(2) + " "), "\t"),
        "it is the same run",
    ),
    "ranks that fall one by one": (
        rows(lambda row: row.__setitem__(slice(3, 5), [str(51 - int(row[3])), row[3]])),
        "the last document stands first: ranks and scores agree",
    ),
    "a topic cut short": (
        "".join(line for line in SOUND.splitlines(True) if line[:2] != "9 " or " 1 " in line),
        "a ranking may be short; check warns of it",
    ),
    "remarks": (with_field(5, lambda row: "bm25 # d'oh"), "people write them on purpose"),
    "the score numbers the lines, the last first, as the ranks say": (
        "".join(f"{r[0]} Q0 {r[2]} {51 - int(r[3])} {r[3]} t\n" for r in LINES),
        "ranks and scores agree",
    ),
    "negative scores": (with_field(4, lambda row: float(row[4]) - 100), "log probabilities"),
}
"""What is passed over, and why."""

COMMANDS = {
    "eval": ("eval", "-m", "map"),
    "compare": ("compare", "-m", "map"),
    "gate": ("gate", "--min", "map=0"),
    "explain": ("explain", "-m", "map"),
    "study": ("study", "correlation", "-m", "map", "-m", "P.10"),
}
SEVERAL = ("compare", "study")
"""Commands on several runs."""


PASSED_OVER = {
    ("a judged topic is missing", "explain"): "one topic is shown",
    ("a document twice, the first counts", "explain"): "it has no such option",
    ("topics that are not judged", "explain"): "one topic is shown",
    ("judgments in place of a run", "check"): "it checks judgments, too, and says that it does",
}
"""What a command has no reason to tell."""


def call(command: str, tmp_path: Path, mistake: Mistake, run_name: str = "wrong.run") -> Ran:
    run, qrels = tmp_path / run_name, tmp_path / "qrels"
    run.write_bytes(mistake.run if isinstance(mistake.run, bytes) else mistake.run.encode())
    qrels.write_text(mistake.qrels, encoding="utf-8")
    others = [OTHER, SAMPLE / "rm3.run"] if command in SEVERAL else []
    if "msmarco" in mistake.options:
        others = []
        for number in (1, 2):
            other = tmp_path / f"other{number}.run"
            other.write_text(
                "".join(f"{r[0]} {r[2]} {r[3]}\n" for r in LINES if number), encoding="utf-8"
            )
            others.append(other)
        others = others if command in SEVERAL else []
    return irev(*COMMANDS[command], *mistake.options, qrels, run, *others)


def _by_eval_and_another(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name with `eval` and one of the other commands, which take turns."""
    _, *others = COMMANDS
    return [
        pair
        for number, name in enumerate(names)
        for pair in ((name, "eval"), (name, others[number % len(others)]))
    ]


WARNED_OF = [name for name, each in RUNS.items() if each.said != "error"]
# what no command can read is refused in one place; what is told, each command tells by itself
TOLD = [
    *_by_eval_and_another(name for name in RUNS if name not in WARNED_OF),
    *((name, command) for name in WARNED_OF for command in COMMANDS),
]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(("name", "command"), TOLD)
def test_a_mistake_is_told(tmp_path: Path, name: str, command: str) -> None:
    mistake = RUNS[name]
    ran = call(command, tmp_path, mistake)
    if mistake.said == "error":
        assert (ran.code, ran.out) == (2, b"")
        assert re.search(mistake.text, ran.err)
        return
    if (name, command) in PASSED_OVER:
        return
    # a gate refuses what no number can be made of
    severities = (mistake.said, "error") if command == "gate" else (mistake.said,)
    prefixes = tuple(f"irev: {severity}:" for severity in severities)
    lines = [line for line in ran.err.splitlines() if line.startswith(prefixes)]
    assert any(re.search(mistake.text, line) for line in lines), ran.err
    if lines[0].startswith("irev: error"):
        assert ran.code == 2
        return
    assert ran.code == 0
    if mistake.said == "warning":
        strict = irev(*COMMANDS[command], "--strict", *_inputs(tmp_path, command, mistake))
        assert strict.code == 2


def _inputs(tmp_path: Path, command: str, mistake: Mistake) -> list[str | Path]:
    others = sorted(tmp_path.glob("other*")) or [OTHER, SAMPLE / "rm3.run"]
    several = others if command in SEVERAL else []
    return [*mistake.options, tmp_path / "qrels", tmp_path / "wrong.run", *several]


@pytest.mark.in_turn(3)
@pytest.mark.parametrize(("name", "command"), _by_eval_and_another(SILENT))
def test_what_is_sound_is_passed_over(tmp_path: Path, name: str, command: str) -> None:
    run, _ = SILENT[name]
    ran = call(command, tmp_path, Mistake(run))
    assert ran.code == 0
    assert "irev: warning" not in ran.err.replace("another run ranks the same", "")


def test_a_board_tells_all(tmp_path: Path) -> None:
    """One board of all runs that need no option: each is told by its name, or not scored."""
    runs = {name: each for name, each in RUNS.items() if not each.options and each.qrels == QRELS}
    for name, mistake in runs.items():
        content = mistake.run if isinstance(mistake.run, bytes) else mistake.run.encode()
        (tmp_path / f"{name}.run").write_bytes(content)
    log = tmp_path.parent / f"{tmp_path.name}.log"
    ran = irev(
        "leaderboard",
        "-m",
        "map",
        "--test",
        "none",
        "--ci",
        "none",
        "--log",
        log,
        SAMPLE / "qrels.txt",
        tmp_path,
    )
    assert ran.code == 0
    said = ran.err + log.read_text(encoding="utf-8")  # at most 10 of a kind are on stderr
    for name, mistake in runs.items():
        if mistake.said == "error":
            assert f"irev: not scored: {tmp_path}/{name}.run" in ran.err
        elif mistake.said == "warning":
            assert re.search(f"^(irev: warning: )?{name}[: ]", said, re.MULTILINE), name
    assert re.search("irev: note: topics without judgments are left out: .*", ran.err)


@pytest.mark.parametrize("name", [name for name, each in RUNS.items() if each.qrels != QRELS])
def test_a_board_tells_of_judgments(tmp_path: Path, name: str) -> None:
    mistake = RUNS[name]
    ran = irev(
        "leaderboard", "-m", "map", "--test", "none", "--ci", "none", *files_of(mistake, tmp_path)
    )
    assert ran.code == (2 if mistake.said == "error" else 0)
    says = "not scored|is not a" if mistake.said == "error" else "irev: warning"
    assert re.search(says, ran.err)


def files_of(mistake: Mistake, tmp_path: Path) -> tuple[Path, Path]:
    """The judgments and the run of a mistake, written."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(mistake.qrels, encoding="utf-8")
    run.write_bytes(mistake.run if isinstance(mistake.run, bytes) else mistake.run.encode())
    return qrels, run


@pytest.mark.in_turn(2)
@pytest.mark.parametrize(
    "name", [name for name, each in RUNS.items() if each.said == "warning" and not each.options]
)
def test_python_warns(tmp_path: Path, name: str) -> None:
    mistake = RUNS[name]
    qrels, run = files_of(mistake, tmp_path)
    with pytest.warns(irev_package.IrevWarning, match=mistake.text):
        irev_package.evaluate(qrels, run, "map")
    with pytest.warns(irev_package.IrevWarning, match=mistake.text), warnings.catch_warnings():
        irev_package.compare(qrels, [run, OTHER], "map")


@for_each("name", [name for name, each in RUNS.items() if each.said == "error"])
def test_python_raises(tmp_path: Path, name: str) -> None:
    mistake = RUNS[name]
    text = mistake.text.replace("--decimal comma", "decimal_comma=True")
    with pytest.raises(irev_package.IrevError, match=text or None):
        irev_package.evaluate(*files_of(mistake, tmp_path), "map")


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("name", [name for name, each in RUNS.items() if not each.options])
def test_check_tells_each(tmp_path: Path, name: str) -> None:
    """What `check` says of the sound run is not what it says of one with a mistake."""
    mistake = RUNS[name]
    if (name, "check") in PASSED_OVER:
        return
    qrels, run = files_of(mistake, tmp_path)
    ran = irev("check", "--details", qrels, run)
    assert ran.code in (0, 1)
    findings = re.findall(
        r"^\S*(?:run|qrels)\S* (?:error|warning|note): .*\[([a-z-]+)\]$",
        ran.out.decode(errors="replace"),
        re.M,
    )
    assert set(findings) - {"own-document", "negative-grade", "no-relevant", "similar-topics"}


@pytest.mark.parametrize("name", ["equal scores", "rounded scores", "distances"])
def test_a_set_has_no_order(tmp_path: Path, name: str) -> None:
    """Where no measure looks at the order nothing is wrong with it."""
    run = tmp_path / "run"
    run.write_text(str(RUNS[name].run), encoding="utf-8")
    sets = ("-m", "set_P", "-m", "num_rel_ret", "-m", "SetF(beta=2)", "-m", "runid")
    assert irev(*sets, "--strict", SAMPLE / "qrels.txt", run).err == ""
    for measure in ("P.5", "Rprec", "map", "P.1000"):
        assert re.search(RUNS[name].text, irev(*sets, "-m", measure, SAMPLE / "qrels.txt", run).err)


@pytest.mark.parametrize("fields", [(0, 2, 3, 4, 5), (0, 2, 3, 4, 3)])
def test_check_takes_a_run_without_q0_for_no_preferences(
    tmp_path: Path, fields: tuple[int, ...]
) -> None:
    run = tmp_path / "run"
    run.write_text(columns(*fields), encoding="utf-8")
    ran = irev("check", SAMPLE / "qrels.txt", run)
    assert ran.code == 1
    assert "Q0" in ran.out.decode()
    assert "prefs" not in ran.out.decode()


def test_a_study_of_no_relevant_document_names_the_level() -> None:
    ran = irev("study", "sensitivity", "-l", "9", "-m", "AP", SAMPLE / "qrels.txt", OTHER)
    assert (ran.code, ran.out) == (2, b"")
    assert re.search("the highest grade is [0-9], below the level 9", ran.err)


def test_an_empty_value_is_refused_wherever_an_option_takes_one(tmp_path: Path) -> None:
    """As a variable of the shell that is not set."""
    calls = [
        ["compare", "--output"], ["leaderboard", "--anonymous", "--key"], ["gate", "--baseline"],
        ["eval", "--topics"], ["eval", "--config"], ["eval", "-m"],
        ["study", "overlap", "--output"],
        ["plot", "scatter", "--output"], ["check", "--output"], ["leaderboard", "--by"],
    ]  # fmt: skip
    for call in calls:
        ran = irev(*call, "", "qrels", "run", cwd=tmp_path)
        assert (ran.code, ran.out) == (2, b""), call
        assert "the value is empty: give " in ran.err, call
    assert not [*tmp_path.iterdir()]


def test_what_is_quoted_makes_no_second_line_and_a_link_to_itself_stays(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d 1\n", encoding="utf-8")
    for name in ("a\nb.run", "a_b.run"):
        (tmp_path / name).write_text("1 Q0 d 1 1 x\n", encoding="utf-8")
    ran = irev("--format", "flat", "-m", "map", "qrels", "a\nb.run", "a_b.run", cwd=tmp_path)
    assert ran.code == 2
    assert [line for line in ran.err.splitlines() if not line.startswith("irev: ")] == []
    assert "a\\nb/map and a_b/map are both a_b/map" in ran.err
    (tmp_path / "self").symlink_to("self")
    ran = irev("--output", "self", "-m", "map", "qrels", "a_b.run", cwd=tmp_path)
    assert (ran.code, (tmp_path / "self").is_symlink()) == (2, True)
    assert "self: this file cannot be written" in ran.err


@pytest.mark.skipif(sys.getfilesystemencoding() != "utf-8", reason="no names of this locale")
def test_tables_for_spreadsheets_are_safe_without_being_asked(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n", encoding="utf-8")
    folder = tmp_path / "runs"
    folder.mkdir()
    names = ("=a\x1b\x07\u009b\u202e.run", "+b.run")
    for name in names:
        (folder / name).write_text("1 Q0 @d 1 1 x\n1 Q0 @d 1 1 x\n", encoding="utf-8")
    text = irev("check", "--format", "csv", *names, cwd=folder).out.decode()
    assert text.replace("\n", "").isprintable()
    assert "\n'=a\\x1b\\x07\\u009b\\u202e.run," in text
    assert ",'@d," in text
    as_it_is = irev("check", "--format", "csv", "--no-csv-safe", *names, cwd=folder).out.decode()
    assert "\n=a" in as_it_is
