"""An upload folder with hostile files: those who did nothing wrong do not notice."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import random
import re
import socket
import struct
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from irev.cli.commands import irev

GOOD, HOSTILE = 60, 40
SECRET = "the hidden truth"
LIMITS = ("--max-size", "2MiB", "--max-seconds", "20")
TOPICS = [str(number) for number in range(1, 9)]

SAVED = "run,topic,map,averaged_over,left_out,signature\n" + "".join(
    f"x,{topic},0.99,,,\n" for topic in TOPICS
)
LINES = "".join(f"{topic} Q0 d{n} 1 {9 - n} t\n" for topic in TOPICS for n in range(5)).encode()


def arrow_file(lines: int) -> bytes:
    table = pa.table({"query_id": ["1"] * lines, "doc_id": [f"d{n}" for n in range(lines)],
                      "score": [float(n) for n in range(lines)]})  # fmt: skip
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def change_bytes(content: bytes, place: int, more: bytes) -> bytes:
    return content[:place] + more + content[place + len(more) :]


CONTENTS = {
    "empty": b"",
    "newlines": b"\n" * 5000,
    "binary": bytes(range(256)) * 20,
    "zeros": bytes(5000),
    "fields": b"1 Q0 d1 1\n",
    "words": SECRET.encode() + b"\n",
    "score": LINES + b"8 Q0 d9 1 high t\n",
    "not-a-number": LINES + b"8 Q0 d9 1 nan t\n",
    "twice": LINES + LINES[-20:],
    "other-topics": b"no-such-topic Q0 d 1 1 t\n" * 1,
    "carriage-returns": LINES.replace(b"\n", b"\r"),
    "long-line": b"1 Q0 " + b"d" * (1 << 21) + b" 1 1 t\n",
    "deep-mapping": b'{"a":' + b"[" * 200_000,
    "deep-scores": b'{"irev":' + b"[" * 200_000,
    "mapping": b'{"1": {"d1": "x"}}',
    "half-a-mapping": b'{"1": {"d1": 0.5',
    "surrogates": b'{"irev": "1", "runs": [{"run": "x", "topics": {"1": {"\xed\xa0\x80": 1}}}]}',
    "scores.csv": SAVED.encode(),
    "scores-nan.csv": SAVED.replace("0.99", "nan").encode(),
    "scores-huge.csv": SAVED.replace("0.99", "1e300").encode(),
    "scores-of-nothing.json": b'{"irev": "0.1.0", "runs": []}',
    "matrix.csv": "".join(["topic,bm25\n", *(f"{t},0.9\n" for t in TOPICS)]).encode(),
    "trec-scores.txt": "".join(f"map {t} 0.9\n" for t in TOPICS).encode(),
    "feather-1": b"FEA1" + bytes(400) + b"FEA1",
    "parquet": b"PAR1" + bytes(300) + b"PAR1",
    "arrow-cut": arrow_file(50)[:-100],
    "arrow-offsets": change_bytes(
        arrow_file(50), arrow_file(50).index(struct.pack("<3i", 0, 1, 2)) + 4,
        struct.pack("<i", 1 << 30),
    ),
    "gzip-cut.gz": gzip.compress(LINES)[:-9],
    "gzip-bits.gz": change_bytes(gzip.compress(LINES), 30, b"\xff\x00\xff"),
    "xz-second-member.xz": lzma.compress(LINES) + change_bytes(lzma.compress(LINES), 8, b"\xff"),
    "bz2-second-member.bz2": bz2.compress(LINES) + change_bytes(bz2.compress(LINES), 3, b"x"),
    "bomb-of-lines.gz": gzip.compress(b"\n" * (8 << 20)),
    "bomb-of-scores.gz": gzip.compress(b'{"irev": "1", "a": "' + b"a" * (8 << 20)),
    "bomb-of-cells.gz": gzip.compress(b"query_id,doc_id,score\n" + b"1,d,1\n" * (1 << 20)),
    "bomb.xz": lzma.compress(bytes(8 << 20)),
}  # fmt: skip


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Judgments, 60 good runs in `good/sub`, and 40 hostile files more beside them in `all/sub`."""
    monkeypatch.chdir(tmp_path)
    documents = [f"d{number}" for number in range(30)]
    draw = random.Random(1)
    qrels = "".join(f"{t} 0 {d} {draw.choice([0, 0, 1, 2])}\n" for t in TOPICS for d in documents)
    for name in ("good", "all"):
        Path(name, "sub").mkdir(parents=True)
        Path(name, "qrels").write_text(f"# {SECRET}\n{qrels}", encoding="utf-8")
    for number in range(GOOD):
        lines = [
            f"{t} Q0 {d} {n} {20 - n} tag{number}\n"
            for t in TOPICS
            for n, d in enumerate(draw.sample(documents, 12))
        ]
        for name in ("good", "all"):
            Path(name, "sub", f"run{number:02}.txt").write_text("".join(lines), encoding="utf-8")
    put_hostile(Path("all/sub"))
    return tmp_path


def put_hostile(folder: Path) -> None:
    Path("secret").write_text(f"{SECRET}\n", encoding="utf-8")
    for number, (name, content) in enumerate(CONTENTS.items()):
        # before, between and behind the good ones
        (folder / f"{'arz'[number % 3]}-{name}").write_bytes(content)
    os.mkfifo(folder / "b-pipe.run")
    (folder / "b-judgments.run").symlink_to("../qrels")
    (folder / "b-secret.run").symlink_to(Path("secret").absolute())
    (folder / "b-nowhere.run").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(folder)
        server.bind("b-socket")
        os.chdir(before)
    assert len(list(folder.iterdir())) == GOOD + HOSTILE


def board(folder, *arguments):
    before = Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner().invoke(
            irev, ["leaderboard", "-m", "map", "-m", "P.5", "--resamples", "200", *LIMITS,
                   *arguments, "qrels", "sub"],
        )  # fmt: skip
    finally:
        os.chdir(before)
    assert result.exit_code == 0, (result.exception, result.stderr)
    return result


def test_the_board_is_that_of_the_good_ones(house):
    good, every = (
        board(name, "--details", "--per-topic", "--log", "log") for name in ("good", "all")
    )
    text, _, output = every.stdout.partition(f"\n{HOSTILE} submissions could not be scored:\n")
    assert text == good.stdout
    assert len(output.splitlines()) == HOSTILE
    assert all(re.match(r"sub/[abrz]-.*: ", line) for line in output.splitlines())
    assert "this is a bug" not in Path("all", "log").read_text(encoding="utf-8")
    for message in (every.stdout, every.stderr):
        assert SECRET not in message
        assert "crashed" not in message


@pytest.mark.parametrize("form", ["json", "html"])
def test_every_form_has_the_same_board(house, form):
    good, every = (board(name, "--format", form).stdout for name in ("good", "all"))
    assert SECRET not in every
    if form == "html":
        start, _, _ = every.partition(f"{HOSTILE} submissions could not be scored")
        assert good.startswith(start.rpartition("<")[0][:-200])
        return
    [one], [other] = (json.loads(text)["leaderboard"] for text in (good, every))
    assert one["boards"] == other["boards"]
    assert other["could_not_be_scored"] == len(other["broken"]) == HOSTILE


def test_limits_are_said_with_their_size(house):
    result = board("all", "--details").stdout
    for name in ("bomb-of-lines.gz", "bomb-of-cells.gz"):
        line = next(line for line in result.splitlines() if name in line)
        assert line.endswith(f"{name}: it is larger than 2 MiB decompressed (--max-size)")
