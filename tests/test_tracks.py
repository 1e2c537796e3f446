"""The pages of tracks: each command runs on files of its form and prints what its row names."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from irev.measures.naming.grammar import SUITES
from tests.command import irev
from tests.each import for_each
from tests.files import CASES, ROOT, SAMPLE

PAGE = "".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("tracks.md", "evidence/tracks.md")
)


class TrackRow(NamedTuple):
    """A row of the page's tables: the measures of a track, and the commands that print them."""

    track: str
    measures: list[str]
    commands: list[str]


def _rows() -> list[TrackRow]:
    rows = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and len(cells) == 4 and "irev" in cells[2]:
            # a comma in parentheses stands within a name
            measures = re.split(r", (?![^(]*\))", cells[1])
            rows.append(TrackRow(cells[0], measures, re.findall(r"`([^`]*)`", cells[2])))
    return rows


ROWS = _rows()


def _score(run: int, topic: object) -> float:
    """Of a run that stands for any, on a topic or on all."""
    topics = [topic] if isinstance(topic, int) else range(4)
    return sum((run + each * (1 + run % 2)) / 9 for each in topics) / len(topics)


def _options(name: str) -> tuple[str, set[str]]:
    """A measure with its cutoff, and its options: those of the judgments are printed, too."""
    options = re.search(r"\((.*)\)", name)
    pieces = re.split(r",(?![^{]*})", options[1]) if options else []
    return re.sub(r"\(.*\)", "", name), set(pieces)


def _prints(printed: str, name: str) -> bool:
    measure, options = _options(name)
    printed_measure, printed_options = _options(printed)
    return measure == printed_measure and options <= printed_options


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every form that the page names, called as there."""
    folder = tmp_path_factory.mktemp("tracks")
    qrels = (SAMPLE / "qrels.txt").read_text(encoding="utf-8")
    lines = [line.split() for line in qrels.splitlines()]
    shutil.copy(SAMPLE / "bm25.run", folder / "run.txt")
    shutil.copy(SAMPLE / "qrels.txt", folder / "qrels.txt")
    texts = {
        "helpful.txt": qrels,
        "harmful.txt": "".join(f"{t} 0 {d} {3 - int(g)}\n" for t, _, d, g in lines if int(g) >= 0),
        "strata.txt": "".join(f"{t} 0 {d} 1 {g}\n" for t, _, d, g in lines),
        "ntcir.txt": "".join(f"{t} {d} L{g}\n" for t, _, d, g in lines if int(g) in (0, 1, 2)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(CASES / "answers" / "all.jsonl", folder / "all.jsonl")
    shutil.copy(CASES / "answers" / "support_A.jsonl", folder / "support.jsonl")
    (folder / "golden.json").write_text(json.dumps({"q1": ["d1", "d2"], "q2": ["d7"]}))
    (folder / "run.json").write_text(json.dumps({"q1": ["d2", "d9"], "q2": ["d7"]}))
    for name, measure in (("scores", "quality"), ("people", "quality"), ("judge", "judged")):
        scores = [
            f"run{run} {measure} {topic} {_score(run, topic):.2f}\n"
            for run in range(4)
            for topic in (*range(4), "all")
        ]
        (folder / f"{name}.txt").write_text("".join(scores))
    return folder


def test_most_tracks_have_a_command() -> None:
    assert len(ROWS) == 33
    assert len({row.track for row in ROWS}) == len(ROWS)


@for_each("row", ROWS, ids=[row.track for row in ROWS])
def test_commands_print_the_measures(row: TrackRow, folder: Path) -> None:
    for command in row.commands:
        ran = irev(*shlex.split(command)[1:], cwd=folder)
        assert ran.code == 0, ran.err
        out = ran.out.decode()
        if command.startswith("irev -c"):
            printed = [line.split("\t")[0].rstrip() for line in out.splitlines()]
            for name in row.measures:
                assert any(_prints(line, name) for line in printed), (name, printed)
            assert len(printed) == len(row.measures)
        elif "correlation" in command:
            assert all(name in out for name in (*row.measures[:3], "rho"))
        else:
            assert "(quality, 4 topics)" in " ".join(out.split())


def test_every_suite_of_a_track_stands_on_the_page() -> None:
    suites = {suite.name for suite in SUITES}
    named = set(re.findall(r"suite:([a-z0-9-]+)", PAGE))
    assert named <= suites
    of_students = {"dl19", "dl20", "msmarco", "beir", "robust04"}
    of_tracks = {"trec-covid", "tot", "dl21", "neuclir", "rag24", "atomic", "longeval"}
    assert of_students | of_tracks <= named
