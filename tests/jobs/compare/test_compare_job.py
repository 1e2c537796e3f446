"""`irev.compare` and its command are one: the same document, warnings and exit code."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.cli.output import is_said_beside
from irev.errors import UsageError
from tests.command import irev as command
from tests.files import SAMPLE

QRELS = str(SAMPLE / "qrels.txt")
any_compare: Any = irev.compare
RUNS = [str(SAMPLE / name) for name in ("bm25.run", "dense.run.gz", "rm3.run")]
LACKS = "dense lacks 1 of 12 judged topics, which counts as 0: 20"
SKEWED = "map: the differences of runs are skewed"


def compare(*inputs: Any, **options: Any) -> tuple[Any, list[str]]:
    """The comparison, and what Python warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        comparison = irev.compare(*inputs, **options)
    return comparison, [str(each.message) for each in caught]


def test_a_table_is_compared_as_its_inputs_are() -> None:
    one, _ = compare(QRELS, RUNS, "map P.10", tests=["t", "hsd"])
    assert any(line.startswith(SKEWED) for line in one.notes)
    for table in (one.table, irev.evaluate(QRELS, RUNS, "map P.10", topics="qrels")):
        other, output = compare(table, tests=["t", "hsd"])
        assert output == [LACKS]
        assert list(other.pair_rows()) == list(one.pair_rows())
        assert list(other.mean_rows()) == list(one.mean_rows())
        assert set(one.notes) == set(other.notes)
    few, _ = compare(one.table, ["rm3", "bm25"], "map")
    assert few.table.run_names == ("bm25", "rm3")
    assert few.means["measure"].unique().tolist() == ["map"]


def test_wrong_options_are_spoken_of_as_keywords() -> None:
    with pytest.raises(UsageError, match="margin must be above 0"):
        irev.compare(QRELS, RUNS, margin=0)
    with pytest.raises(UsageError, match="runs are compared on the same topics"):
        irev.compare(QRELS, RUNS, topics="run")
    with pytest.raises(UsageError, match="model_weight needs predicted"):
        irev.compare(QRELS, RUNS, model_weight=0.5)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_is_told_once_of_missing_topics(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    """On stderr; a file has the line itself, since stderr is not there to read with it."""
    monkeypatch.setattr("irev.cli.compare.is_said_beside", lambda _: is_terminal)
    ran = command("compare", "-m", "map", QRELS, *RUNS)
    assert ran.err.count(LACKS) == 1
    assert ran.out.decode().count(LACKS) == (not is_terminal)


class Terminal:
    """A stream that is one, or is none."""

    def __init__(self, is_terminal: bool) -> None:
        self.isatty = lambda: is_terminal


def test_what_is_said_beside_an_output(monkeypatch: pytest.MonkeyPatch) -> None:
    for out, err, path, expected in (
        (True, True, None, True), (True, True, "-", True), (True, True, "file", False),
        (False, True, None, False), (True, False, None, False),
    ):  # fmt: skip
        monkeypatch.setattr("sys.stdout", Terminal(out))
        monkeypatch.setattr("sys.stderr", Terminal(err))
        assert is_said_beside(path) is expected


def test_the_predicted_comparison_is_that_of_the_command() -> None:
    folder = SAMPLE / "predicted"
    files = [str(folder / name) for name in ("people.qrels", "late.run", "llm.run")]
    model = str(folder / "auto.qrels")
    ran = command("compare", "-m", "ndcg_cut.10", "--predicted", model, "--format", "json", *files)
    comparison, output = compare(files[0], files[1:], "ndcg_cut.10", predicted=Path(model))
    assert isinstance(comparison, irev.PredictedComparison)
    assert json.loads(ran.out) == json.loads(comparison.text("json"))
    assert output == [str(each) for each in comparison.doubts if not each.is_note]
    assert len(ran.err.splitlines()) == len(comparison.warnings)
    with pytest.raises(UsageError, match=r"predicted takes scores by the model: .*auto\.qrels"):
        any_compare(comparison.table, predicted=model)
    with pytest.raises(UsageError, match=r"late\.run: this is a run: give its qrels first"):
        any_compare(None, files[1:], predicted=model)


def test_on_common_topics_no_missing_one_is_said_to_count(tmp_path: Path) -> None:
    """Topic c is one that the first run lacks."""
    qrels = {topic: {"x": 1} for topic in "abc"}
    runs = {"one": {"a": {"x": 1}, "b": {"x": 1}}, "two": {t: {"y": 2, "x": 1} for t in "abc"}}
    (both, _), (judged, _) = (
        compare(qrels, runs, "RR", topics=topics) for topics in ("both", "qrels")
    )
    for text in (str(both), both.text(details=True)):
        assert "2 of 3 judged topics, those that every run has" in text
        assert "count as 0" not in text
    caption = " ".join(str(both.paper()).split())
    assert "Means over 2 of 3 judged topics, those that every run has, each with its" in caption
    assert "missing" not in both.signature.short
    assert "1 of 3 judged topics left out, because some runs lack them: c" in both.notes
    whole = judged.text(details=True)
    assert "2 runs on 3 topics; judged topics that a run lacks count as 0" in whole
    assert "one lacks 1 of 3 judged topics, which counts as 0: c" in str(judged)
    assert judged.signature.short.endswith("|missing:zero")
    paths = []
    for name, docs in (("qrels", "a 0 x 1|b 0 x 1|c 0 x 1"), ("one", "a 0 x 1 1 t|b 0 x 1 1 t"),
                       ("two", "a 0 x 1 1 t|b 0 x 1 1 t|c 0 x 1 1 t")):  # fmt: skip
        paths.append(tmp_path / name)
        paths[-1].write_text(docs.replace("|", "\n") + "\n")
    board = command("leaderboard", "--topics", "both", "-m", "RR", *paths)
    assert b"2 of 3 judged topics, those that every run has" in board.out
    assert b"counts as 0" not in board.out
