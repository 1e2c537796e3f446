"""Hostile uploads on a board beside honest ones, which must not notice.

Damaged files of every kind, forged runs and scores, bombs, links and pipes, under names that are
those of others in another spelling, cut, escaped, or no text. What may come of it is a row of their
own, or a line among those that could not be scored.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from warnings import catch_warnings, simplefilter

import irev
from irev.jobs.leaderboard.document import boards_document
from irev.jobs.leaderboard.leaderboard import Board
from irev.writers.forms import OUTPUT_FORMATS, SEPARATORS, TEXT, document_bytes
from tests.files import SAMPLE
from tools.fuzz.damage import RUNS, SAVED, WORDS, corpus, damage_bytes
from tools.fuzz.harness import Case, Finding, unsound

NUM_FILES = int(os.environ.get("IREV_FUZZ_UPLOADS", "150"))
"""Hostile files on a board."""

QRELS, FOLDER, TEAMS, KEY = "qrels.txt", "uploads", "teams.txt", "key.txt"

LONG = "a-long-name-" * 6
HONEST = {
    "anna/bm25.run": "bm25.run", "bert/rm3.run": "rm3.run", "caf\udce9.run": "bm25.run",
    "fusion.run": "fusion.run", f"{LONG}1.run": "dense.run",
}  # fmt: skip
"""Path below the folder -> the file of the sample data that is there."""

TEAM_LIST = {
    "anna/": "Anna", "bert/rm3.run": "Bert", "caf\udce9.run": "Bert", "fusion.run": "Fusion",
}  # fmt: skip

ALWAYS = (
    f"{LONG}0.run", f"{LONG[:61]}....run", "caf\\xe9.run", "caf\u00e9.run", "cafe\u0301.run",
    "Fusion.run", "anna.run", "Anna/bm25.run", "mallory/rm3.run", "mallory/fusion.run", "bm25.run",
)  # fmt: skip
"""What looks like an honest one."""

WHERE = (
    "", "", "mallory/", "mallory/anna/", "Anna/", "anna2/", "anna\udcff/", "ann\u0430/", "\x1b[2J/",
    "bert\\/", "z/y/x/w/v/u/", "run-1/", "pool.parquet/", "=1+1/",
)  # fmt: skip
"""Folders that are nobody's else."""

NAMES = (
    "bm25.run", "BM25.RUN", "bm25", "bm25.run.gz", "rm3.run", "anna.run", "bert.txt", "Fusion.run",
    "caf\udce9.run", "caf\\xe9.run", "caf\u00e9.run", "cafe\u0301.run", "bert\\caf\udce9.run",
    "bm25~2.run", "run-1", "run-2.run", "team-1", "unreadable-1",
    "#hash.run", "0", "-", "--output=x", "-rf", " ", "  bm25.run", "bm25.run ", "a b.run", "%s%n",
    "{0}.run", "$HOME", "`id`", "=cmd()", "+1", "@x", "<script>alert(1)</script>.run", "a|b", "[x]",
    "\\input{x}", "a\nb.run", "a\tb.run", "a\rb.run", "\x1b[31m.run", "\u202enur.run", "\x85.run",
    "\udc85.run", "\u2028.run", "bm25\u200b.run", "\u00e0\udced\udca0\udc80.run", "all",
    "qrels.txt", "README.md", ".hidden", "Thumbs.db", "x.json", "x.csv", "x.arrow", "x.feather",
    "x.parquet", "x.gz", "x.xz", "x.zst", "x" * 200, "\u00e9" * 120, "007.run", "1e5", "nan",
    "anna:bm25.run", "::error::x.run", "'\";--.run", "con.run", "~", "~root", "..run", "...",
)  # fmt: skip


def sample(name: str) -> bytes:
    """A run of the sample data."""
    packed = SAMPLE / f"{name}.gz"
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (SAMPLE / name).read_bytes()


def case(seed: int) -> Case:
    """The judgments, the honest runs and the hostile files of a seed, and the call of a board."""
    r = Random(seed)
    files = {QRELS: (SAMPLE / "qrels.txt").read_bytes(), TEAMS: _team_list()}
    files |= {f"{FOLDER}/{path}": sample(name) for path, name in HONEST.items()}
    files |= {f"{FOLDER}/{path}": _content(r) for path in ALWAYS}
    folders = {*map(os.path.dirname, files)}
    while len(files) < NUM_FILES + len(HONEST) + 2:
        path, content = f"{FOLDER}/{_path(r)}", _content(r)
        outer = {path[:at] for at, each in enumerate(path) if each == "/"}
        if path not in folders and not outer & {*files}:
            files.setdefault(path, content)
            folders |= outer
    options = ("--teams", TEAMS, "--anonymous", "--key", KEY, *_LIMITS, "--format", "csv")
    return Case(files, ["leaderboard", "-m", "map", "-m", "P.5", *options, QRELS, FOLDER])


_LIMITS = ("--max-size", "2MiB", "--max-memory", "1GiB", "--max-seconds", "20")


def _team_list() -> bytes:
    return os.fsencode("".join(f"{word} {team}\n" for word, team in TEAM_LIST.items()))


def _path(r: Random) -> str:
    """Where nobody else's file is: no other folder's, and no other name with another ending."""
    while True:
        name = r.choice(NAMES)
        if r.random() < 0.3:
            name = f"{r.randrange(1000)}{name}"
        if r.random() < 0.1:
            name = os.fsdecode(r.randbytes(r.randint(1, 40)).translate(None, b"/\0"))
        if r.random() < 0.1:
            name = unicodedata.normalize(r.choice(["NFC", "NFD"]), name)
        path = r.choice(WHERE) + name
        is_name = name not in ("", ".", "..") and len(os.fsencode(name)) < 250
        if is_name and not any(path.startswith(each.removesuffix(".run")) for each in HONEST):
            return path


def _content(r: Random) -> bytes:
    """Damaged files mostly; what is scored, too."""
    honest = sample(r.choice([*HONEST.values()]))
    lines = honest.splitlines(True)
    forged = (
        lambda: honest,
        lambda: honest.replace(b" bm25\n", b" rm3\n"),
        lambda: b"".join(lines[: r.randrange(len(lines))]),
        lambda: b"".join(r.sample(lines, len(lines))),
        lambda: b"".join(lines) + lines[0],
        lambda: b"".join(r.choice([line, line.replace(b" ", r.choice(WORDS))]) for line in lines),
        lambda: honest.replace(lines[9].split()[2], r.choice(WORDS)),
        lambda: honest.replace(lines[9].split()[4], r.choice([b"1e308", b"-inf", b"nan", b"0"])),
        lambda: b"\xef\xbb\xbf" + honest,
        lambda: honest.replace(b"\n", b"\r\n"),
        lambda: gzip.compress(honest) + r.randbytes(20),
        lambda: gzip.compress(b"\n" * (8 << 20)),
        lambda: gzip.compress(b"query_id,doc_id,score\n" + b"1,d,1\n" * (1 << 20)),
        lambda: b"1 Q0 " + b"d" * (1 << 21) + b" 1 1 t\n",
        lambda: b"[" * 100_000,
        lambda: b"",
        lambda: r.randbytes(1000),
        lambda: bytes(100_000),
        lambda: os.fsencode(f"run,topic,map,averaged_over,left_out,signature\n{LONG},1,1,,,\n"),
    )
    if r.random() < 0.3:
        return r.choice(forged)()
    return damage_bytes(r, corpus()[r.choice([*RUNS, *SAVED, "run", "run2", "qrels"])])


def _put_special(folder: Path) -> None:
    """What is no file, or leads to one."""
    (folder / "mallory").mkdir(exist_ok=True)
    os.mkfifo(folder / "mallory/pipe.run")
    (folder / "mallory/link.run").symlink_to(folder / "anna/bm25.run")
    (folder / "mallory/loop").symlink_to(folder)
    (folder / "mallory/qrels.run").symlink_to(folder.parent / QRELS)
    (folder / "mallory/sparse.run").touch()
    os.truncate(folder / "mallory/sparse.run", 1 << 40)


def try_seed(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Make the boards of a seed: the case, the outcome's class, what is wrong."""
    hostile = case(seed)
    uploads = folder / FOLDER
    shutil.rmtree(uploads, ignore_errors=True)
    (folder / KEY).unlink(missing_ok=True)
    honest_files = {
        path: data for path, data in hostile.files.items()
        if path in (QRELS, TEAMS) or path.removeprefix(f"{FOLDER}/") in HONEST
    }  # fmt: skip
    with chdir(folder):
        honest = hostile._replace(files=honest_files)
        honest.write(folder)
        boards = _boards()
        rows, forms = honest.call(folder), [_forms(replace(board, broken=())) for board in boards]
        key = (folder / KEY).read_bytes()
        hostile.write(folder)
        _put_special(uploads)
        ran = hostile.call(folder)
        finding = unsound(ran) or _difference("--key", rows.out, _first_rows(ran.out, len(HONEST)))
        if ran.code != 0:
            return hostile, "no board", Finding(f"exit {ran.code}", ran.err)
        if not (folder / KEY).read_bytes().startswith(key.partition(b"team-")[0]):
            finding = finding or Finding("other made-up names")
        finding = finding or _finding(boards, forms)
    shutil.rmtree(uploads)
    return hostile, "the honest rows are as they were", finding


def _finding(boards: list[Board], forms: list[dict[str, bytes]]) -> Finding | None:
    """What is other of boards beside all uploads, then beside those that cannot be scored."""
    beside = _boards()
    for board, other in zip(boards, beside, strict=True):
        mine, theirs = [*_own_facts(board)], [*_own_facts(other)]
        if {*mine} - {*theirs}:
            return Finding("another row", f"{mine}\n{theirs}")
        for form, written in _forms(other).items():
            place = _unprintable_place(written, form.partition(" ")[0])
            if place is not None:
                return Finding(f"no text in {form}", repr(written[max(0, place - 99) :][:200]))
    for run in beside[0].table.runs:
        if os.path.relpath(run.path, FOLDER) not in HONEST:
            shutil.rmtree(run.path) if os.path.isdir(run.path) else os.unlink(run.path)
    for other, expected in zip(_boards(), forms, strict=True):
        for form, text in _forms(replace(other, broken=())).items():
            if text != expected[form]:
                return Finding(f"another board in {form}", repr(text))
    return None


def _boards() -> list[Board]:
    """All runs, and the best of each team."""
    limits: dict[str, Any] = {"max_size": 2 << 20, "max_memory": 1 << 30, "max_seconds": 20.0}
    with catch_warnings():
        simplefilter("ignore")
        every = irev.leaderboard(QRELS, FOLDER, "map P.5", teams=TEAM_LIST, **limits)
        return [every, irev.leaderboard(every.table, teams=TEAM_LIST, best_per_team=True)]


def _forms(board: Board) -> dict[str, bytes]:
    """The board in every form."""
    forms = {
        form + " by topic" * per_topic:
        b"".join(document_bytes(boards_document(board, per_topic=per_topic), form))
        for form in (TEXT, *OUTPUT_FORMATS) for per_topic in (False, True)
    }  # fmt: skip
    forms["safe csv"] = b"".join(document_bytes(boards_document(board), "csv", csv_safe=True))
    return {**forms, "page": board.page().encode()}


def _own_facts(board: Board) -> Iterator[tuple[Any, ...]]:
    """What a row of an honest run says that hangs on no other run."""
    part = board.parts[0]
    for standing in part.standings:
        run, index = part.run_info(standing), standing.run_index
        if os.path.relpath(run.path, FOLDER) in HONEST:
            numbers = (part.summary, part.low, part.high, part.table.values[:, :, index].ravel())
            yield (
                run.name, run.path, standing.team, standing.runs_of_team, run.missing, run.run_id,
                run.duplicates, run.signature and run.signature.short,
                *(tuple(each[:, index] if each.ndim == 2 else each) for each in numbers),
            )  # fmt: skip


_OWN = ("run", "team", "runs_of_team", "missing", "repeated", "map", "map_low", "P_5", "P_5_high")


def _first_rows(text: bytes, num_rows: int) -> bytes:
    """The rows of the runs that got their made-up names first."""
    head, *lines = text.splitlines(True)
    names = {b"run-%d" % number for number in range(1, num_rows + 1)}
    return head + b"".join(line for line in lines if line.split(b",")[5] in names)


def _difference(what: str, mine: bytes, theirs: bytes) -> Finding | None:
    """Whether what rows say of their own is other."""
    facts = [
        sorted(
            [row[name] for name in _OWN] for row in csv.DictReader(each.decode().splitlines())
        )
        for each in (mine, theirs)
    ]  # fmt: skip
    return None if facts[0] == facts[1] else Finding(f"other rows with {what}", f"{facts}")


def _unprintable_place(written: bytes, form: str) -> int | None:
    """Where there is no UTF-8, or what drives a terminal, unless it is written unchanged."""
    try:
        written.decode()
    except UnicodeDecodeError as error:
        return error.start
    driving = re.search(b"[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]", written)
    return driving.start() if driving and form not in SEPARATORS else None
