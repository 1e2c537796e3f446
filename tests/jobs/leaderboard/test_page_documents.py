"""What the page of a board tells of documents: shares judged, doubts; ids and grades if asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.errors import UsageError
from tests.command import irev as command
from tests.pages import nothing_is_loaded, page_data, without_code

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = [f"told-{n}" for n in range(6)] + [f"secret-{n}" for n in range(6)]
BOARD = ("leaderboard", "-m", "P@2", "--format", "html")

Lists = dict[str, dict[str, list[str]]]


def documents_of(topic: str, letters: str) -> list[str]:
    return [f"{topic}-doc-{letter}" for letter in letters]


@pytest.fixture
def lists(tmp_path: Path) -> Lists:
    """Of each topic a, b, c are judged with 2, 0, 1; the runs have 4 documents at most."""
    grades = {"a": 2, "b": 0, "c": 1}
    rows = [f"{t} 0 {t}-doc-{d} {grade}\n" for t in TOPICS for d, grade in grades.items()]
    (tmp_path / "qrels").write_text("".join(rows))
    (tmp_path / "public").write_text("".join(f"{topic}\n" for topic in TOPICS[:6]))
    runs = {
        "fully": {topic: documents_of(topic, "abc") for topic in TOPICS},
        "copy": {topic: documents_of(topic, "abc") for topic in TOPICS},
        # of the public topics one of four is judged, of the private ones half
        "partly": {t: documents_of(t, "axyz" if t.startswith("told") else "xycb") for t in TOPICS},
        "lacking": {topic: documents_of(topic, "cx") for topic in TOPICS[1:]},
    }
    (tmp_path / "runs").mkdir()
    for name, topics in runs.items():
        lines = [
            f"{topic} Q0 {document} 1 {10 - rank} {name}\n"
            for topic, documents in topics.items()
            for rank, document in enumerate(documents)
        ]
        (tmp_path / "runs" / f"{name}.run").write_text("".join(lines))
    return runs


def page_of(folder: Path, *more: str) -> str:
    ran = command(*BOARD, *more, "qrels", "runs", cwd=folder)
    assert ran.code == 0, ran.err
    return ran.out.decode()


def part_of(text: str) -> dict[str, Any]:
    (part,) = page_data(text)["parts"]
    return dict(part)


def shown_lists(part: dict[str, Any]) -> Lists:
    """The documents of the page by run and topic, each with its grade behind a colon."""
    documents = part["documents"]
    lists: Lists = {run["name"]: {} for run in part["runs"]}
    for topic, each in zip(part["topics"], documents["topics"], strict=True):
        ids = [each["start"] + rest for rest in each["ids"].split(" ")]
        texts = [f"{i}:{g}" for i, g in zip(ids, each["grades"].split(" "), strict=True)]
        for run, codes in zip(part["runs"], each["tops"].split(" "), strict=True):
            numbers = [ord(code) - (63 if ord(code) < 63 + 64 else 192) for code in codes]
            lists[run["name"]][topic["id"]] = [texts[number] for number in numbers]
    return lists


def test_a_page_has_documents_and_grades_only_where_they_are_asked_for(tmp_path, lists):
    plain = page_of(tmp_path)
    assert "-doc-" not in plain
    assert part_of(plain)["documents"] is None
    text = page_of(tmp_path, "--documents")
    nothing_is_loaded(text)
    grades = {"a": "2", "b": "0", "c": "1"}
    assert shown_lists(part_of(text)) == {
        name: {
            topic: [f"{d}:{grades.get(d[-1], '-')}" for d in topics.get(topic, [])]
            for topic in TOPICS
        }
        for name, topics in lists.items()
    }


def test_python_and_the_command_give_the_same_page(tmp_path, lists):
    text = page_of(tmp_path, "--documents")
    board = irev.leaderboard(tmp_path / "qrels", tmp_path / "runs", "P@2", documents=True)
    assert part_of(board.page())["documents"] == part_of(text)["documents"]
    own = {
        name: {topic: {d: 10.0 - n for n, d in enumerate(ids)} for topic, ids in topics.items()}
        for name, topics in lists.items()
    }
    in_memory = irev.leaderboard(tmp_path / "qrels", own, "P@2", documents=True)
    assert part_of(in_memory.page())["documents"] == part_of(text)["documents"]
    assert "-doc-" not in irev.leaderboard(tmp_path / "qrels", own, "P@2").page()


def test_a_public_board_tells_no_document_and_no_share_of_private_topics(tmp_path, lists):
    only = ("--public", "public", "--only", "public")
    text = page_of(tmp_path, *only, "--documents")
    assert "secret-" not in text
    part = part_of(text)
    assert {topic for topics in shown_lists(part).values() for topic in topics} == {*TOPICS[:6]}
    judged = {run["name"]: run["judged"] for run in part_of(page_of(tmp_path, *only))["runs"]}
    assert judged["partly"] == 0.25
    # of the topics that it has
    assert judged["lacking"] == 0.5


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--public", "public"), "private topics: add --only public"),
        (("--public", "50%", "--only", "private"), "private topics: add --only public"),
        (("--anonymous",), "cannot be combined with --anonymous"),
        (("--format", "table"), "--documents is for the page: --format html"),
        (("--ties", "optimistic"), "no documents can be shown: --ties optimistic"),
    ],
)
def test_documents_that_would_give_something_away_are_refused(tmp_path, lists, words, reason):
    ran = command(*BOARD, "--documents", *words, "qrels", "runs", cwd=tmp_path)
    assert ran.code == 2
    assert reason in ran.err
    assert not ran.out


def test_scores_have_no_documents(tmp_path, lists):
    table = irev.evaluate(tmp_path / "qrels", {"a": tmp_path / "runs" / "copy.run"}, "P@2")
    with pytest.raises(UsageError, match="scores tell no documents"):
        irev.leaderboard(table, documents=True)


def test_shares_judged_and_copies_are_told(tmp_path, lists):
    """By hand: 9 of 24 documents of one run, one of two of another on 11 of 12 topics."""
    part = part_of(page_of(tmp_path))
    assert part["judged_at"] == 10
    judged = {run["name"]: run["judged"] for run in part["runs"]}
    assert judged == {"copy": 1, "fully": 1, "partly": 0.375, "lacking": 0.5}
    texts = [doubt["text"] for doubt in part["doubts"]]
    (few,) = (text for text in texts if text.startswith("Fewer than 90%"))
    assert "partly (38%), lacking (50%)" in few
    assert "copy and fully have the same first 10 documents on 12 of 12 topics." in texts
    assert any("lacking lacks 1 of 12 judged topics" in text for text in texts)
    assert "judged<wbr>@10" in without_code(page_of(tmp_path))


def test_equal_scores_across_the_last_rank_are_told(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{t} 1\n" for t in range(4)))
    (tmp_path / "runs").mkdir()
    for name, last in (("tied", 9), ("untied", 10)):
        lines = [f"{t} Q0 d{n} 1 {20 - min(n, last)} x\n" for t in range(4) for n in range(12)]
        (tmp_path / "runs" / name).write_text("".join(lines))
    texts = [doubt["text"] for doubt in part_of(page_of(tmp_path))["doubts"]]
    (tied,) = (text for text in texts if "Equal scores" in text)
    assert tied.endswith("tied (4 topics).")


def test_kept_scores_give_the_same_page(tmp_path, lists):
    for more in ((), ("--documents",)):
        whole = page_of(tmp_path, *more)
        for _ in range(2):
            kept = part_of(page_of(tmp_path, *more, "--update", "kept"))
            assert kept == {**part_of(whole), "made": kept["made"]}


def test_made_up_names_stand_beside_shares_and_doubts(tmp_path, lists):
    text = page_of(tmp_path, "--anonymous")
    for name in lists:
        assert name not in without_code(text)
    texts = [doubt["text"] for doubt in part_of(text)["doubts"]]
    assert any("run-1 and run-2 have the same first 10" in each for each in texts)


@pytest.mark.usefixtures("lists")
def test_first_documents_are_looked_at_for_a_page_alone(tmp_path: Path) -> None:
    """A board without a page is the same, and its runs tell nothing of their first documents."""
    qrels, runs = str(tmp_path / "qrels"), str(tmp_path / "runs")
    board = irev.leaderboard(qrels, runs, "P@2")
    plain = irev.leaderboard(qrels, runs, "P@2", judged_on_page=False)
    looks = [
        [run.first_documents is not None for run in b.parts[0].table.runs] for b in (board, plain)
    ]
    assert looks == [[True] * 4, [False] * 4]
    assert str(plain) == str(board)
    kept = tmp_path / "kept"
    with_file = irev.leaderboard(qrels, runs, "P@2", judged_on_page=False, update=kept)
    assert all(run.first_documents is not None for run in with_file.parts[0].table.runs)
