"""What a run's own file tells of mistakes: its rank column, its scores, its ids and comments."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irev.engine.evaluate import Evaluator
from irev.errors import Notice
from irev.scores.scores import Scores
from tests.files import SAMPLE

QRELS = SAMPLE / "qrels.txt"
LINES = [line.split() for line in (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines()]

Edit = Callable[[list[str]], object]


def _edited(edit: Edit, separator: str = " ") -> str:
    """The sample run with its lines changed; topic, Q0, document, rank, score and tag are given."""
    rows = [list(line) for line in LINES]
    for row in rows:
        edit(row)
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def _warnings(tmp_path: Path, text: str, **options: Any) -> dict[str, Notice]:
    path = tmp_path / "run"
    path.write_text(text, encoding="utf-8")
    ((_, scores),) = Evaluator(QRELS, "map", topics="qrels", **options).outcomes([path])
    assert isinstance(scores, Scores)
    return {notice.kind: notice for notice in scores.notices}


def _set(field: int, value: Callable[[list[str]], object]) -> Edit:
    def edit(row: list[str]) -> None:
        row[field] = str(value(row))

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        _set(4, lambda row: row[3]),  # ranks as scores
        _set(4, lambda row: -float(row[4])),  # distances
        _set(3, lambda row: 51 - int(row[3])),  # the last document has rank 1
    ],
)
def test_ranks_against_scores_in_lines_of_any_order(tmp_path: Path, edit: Edit) -> None:
    lines = _edited(edit).splitlines(keepends=True)
    text = "".join(lines[number * 263 % len(lines)] for number in range(len(lines)))
    warning = _warnings(tmp_path, text)["rank-order"]
    assert warning.message == "scores rise from rank to rank in 12 of 12 topics"
    assert "--ties rank" in warning.hint


def test_ranks_that_decide_are_not_held_against_scores(tmp_path: Path) -> None:
    text = _edited(_set(4, lambda row: row[3]))
    assert _warnings(tmp_path, text, ties="rank") == {}


def test_ranks_against_scores_in_most_topics(tmp_path: Path) -> None:
    topics = sorted({row[0] for row in LINES})
    first = LINES[0][0]  # where ranks contradict scores in the first lines, all are read

    def reverse(turned: set[str]) -> Edit:
        return _set(3, lambda row: 51 - int(row[3]) if row[0] in turned else row[3])

    half = {first, *[topic for topic in topics if topic != first][:5]}
    assert _warnings(tmp_path, _edited(reverse(half))) == {}
    more = {first, *[topic for topic in topics if topic != first][:6]}
    assert "7 of 12" in _warnings(tmp_path, _edited(reverse(more)))["rank-order"].message


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        (lambda rank: 1, "constant-scores"),
        (lambda rank: 99 if rank <= 10 else 50 - rank, "constant-scores"),
        (lambda rank: 99 if rank <= 9 else 50 - rank, ""),
        (lambda rank: 9 - rank // 6, "few-scores"),  # 4 values in the first 20
        (lambda rank: 9 - rank // 5, ""),  # 5
    ],
)
@pytest.mark.parametrize("is_sorted", [True, False])
def test_equal_scores(
    tmp_path: Path, score: Callable[[int], int], kind: str, is_sorted: bool
) -> None:
    text = _edited(_set(4, lambda row: score(int(row[3]))))
    if not is_sorted:
        text = "".join(reversed(text.splitlines(keepends=True)))
    warnings = _warnings(tmp_path, text)
    assert [*warnings] == ([kind] if kind else [])
    if kind:
        assert "12 of 12 topics" in warnings[kind].message
        assert _warnings(tmp_path, text, ties="input") == {}


def test_lines_behind_a_hash(tmp_path: Path) -> None:
    text = _edited(_set(0, lambda row: "#1" if row[0] == "10" else row[0]))
    assert _warnings(tmp_path, text)["comment"].message.startswith("50 lines begin with #")
    sound = "# topic Q0 document rank score\n#\n# of 2026\n" + _edited(lambda row: None)
    assert _warnings(tmp_path, sound) == {}


def test_scores_in_place_of_ranks(tmp_path: Path) -> None:
    text = "".join(f"{row[0]} {row[2]} {round(float(row[4]) * 1000)}\n" for row in LINES)
    warning = _warnings(tmp_path, text, run_format="msmarco")["wrong-ranks"]
    assert "12 topics" in warning.message
    assert _warnings(tmp_path, text, run_format="scores") == {}
    ranks = "".join(f"{row[0]}\t{row[2]}\t{row[3]}\n" for row in LINES)
    assert _warnings(tmp_path, ranks, run_format="msmarco") == {}


def test_ranks_that_are_wrong_in_one_topic(tmp_path: Path) -> None:
    # the first topic is what is looked at before all others are
    first = LINES[0][0]
    text = "".join(f"{row[0]} {row[2]} {int(row[3]) + (row[0] == first)}\n" for row in LINES)
    message = _warnings(tmp_path, text, run_format="msmarco")["wrong-ranks"].message
    assert message.endswith(f"are repeated in 1 topic, such as '{first}'")
