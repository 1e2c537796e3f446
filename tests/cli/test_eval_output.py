"""What `irev eval` prints beside trec_eval's text: bare numbers, per cent, spread, sorted runs."""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from irev import evaluate
from irev.writers.scores import best_first
from irev.writers.trec import ScoredFile
from tests.command import irev
from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

QRELS, BM25, RM3, FUSION = (
    str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run", "fusion.run")
)


def _eval_text(*words: str) -> str:
    done = irev(*words)
    assert done.code == 0, done.err
    return done.out.decode()


def _topic_values(measure: str, *words: str) -> list[float]:
    lines = (line.split() for line in _eval_text("-q", "-n", "-m", measure, *words).splitlines())
    return [float(value) for _, _, value in lines]


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """Three topics with reciprocal ranks 1, 1/2 and 1/4."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{topic} 0 d 1\n" for topic in "123"))
    ranks = {"1": 1, "2": 2, "3": 4}
    run.write_text(
        "".join(
            f"{topic} Q0 {'d' if place == rank else f'x{place}'} {place} {-place} t\n"
            for topic, rank in ranks.items()
            for place in range(1, 5)
        )
    )
    return str(qrels), str(run)


def test_spread_by_hand(small: tuple[str, str]) -> None:
    """1, 1/2, 1/4: mean 7/12, variance 7/48, median 1/2; t(0.975; 2) = 4.302653 from a table."""
    rows = list(
        csv.DictReader(io.StringIO(_eval_text("--stats", "--format", "csv", "-m", "RR", *small)))
    )

    (row,) = rows
    reach = 4.302653 * math.sqrt(7 / 48) / math.sqrt(3)
    assert (row["measure"], row["label"], row["topics"]) == ("RR", "all", "3")
    assert float(row["mean"]) == pytest.approx(7 / 12)
    assert float(row["variance"]) == pytest.approx(7 / 48)
    assert float(row["sd"]) == pytest.approx(math.sqrt(7 / 48))
    assert float(row["median"]) == 0.5
    # 7/12 -+ 0.949, cut at the range of RR
    assert (7 / 12 - reach, 7 / 12 + reach) == pytest.approx((-0.365, 1.532), abs=1e-3)
    assert (row["ci_low"], row["ci_high"]) == ("0.0", "1.0")
    # DCG has no upper end
    (row,) = csv.DictReader(
        io.StringIO(_eval_text("--stats", "--format", "csv", "-m", "DCG@4", *small))
    )
    values = [1.0, 1 / math.log2(3), 1 / math.log2(5)]
    reach = 4.302653 * statistics.stdev(values) / math.sqrt(3)
    assert float(row["ci_high"]) == pytest.approx(statistics.mean(values) + reach, abs=1e-6)
    assert row["ci_low"] == "0.0"


def test_spread_of_trec_text() -> None:
    """Against Python's statistics, of the values by topic as they are printed."""
    options = ("--places", "12", QRELS, BM25)
    values = _topic_values("map", *options)
    lines = _eval_text("--stats", "-m", "map", *options).splitlines()
    actual = {name: float(value) for name, _, value in (line.split() for line in lines)}

    assert lines[0] == _eval_text("-m", "map", *options).rstrip("\n")
    assert actual["map[sd]"] == pytest.approx(statistics.stdev(values))
    assert actual["map[variance]"] == pytest.approx(statistics.variance(values))
    assert actual["map[median]"] == pytest.approx(statistics.median(values))
    assert actual["map[high]"] - actual["map"] == pytest.approx(actual["map"] - actual["map[low]"])


def test_topics_that_count_as_0_vary_too() -> None:
    """dense.run.gz lacks a judged topic: with -c its 0 is one of the values."""
    dense = str(SAMPLE / "dense.run.gz")
    values = _topic_values("map", "--places", "12", QRELS, dense)
    options = ("--stats", "--format", "json", "-m", "map", QRELS, dense)
    (without,), (counted,) = (
        json.loads(_eval_text(*more, *options))["rows"] for more in ((), ("-c",))
    )

    assert (without["topics"], counted["topics"]) == (11, 12)
    assert without["sd"] == pytest.approx(statistics.stdev(values))
    assert counted["sd"] == pytest.approx(statistics.stdev([*values, 0.0]))
    assert counted["median"] == pytest.approx(statistics.median([*values, 0.0]))


def test_one_topic_has_no_spread(tmp_path: Path, small: tuple[str, str]) -> None:
    """And a constant measure has a deviation of 0, and an exact interval."""
    classes = tmp_path / "classes"
    classes.write_text("1 one\n2 two\n3 two\n")
    rows = json.loads(
        _eval_text(
            "--stats", "--format", "json", "-m", "RR,P@4", "--group-by", str(classes), *small
        )
    )["rows"]
    actual = {(row["label"], row["measure"]): row for row in rows}

    assert actual["all[one]", "RR"]["sd"] is None
    assert actual["all[one]", "RR"]["ci_low"] is None
    assert actual["all[two]", "RR"]["sd"] == pytest.approx(statistics.stdev([0.5, 0.25]))
    constant = actual["all", "P@4"]
    assert constant["sd"] == 0
    share = 0.025 ** (1 / 3)  # three equal scores of 0.25 in 0 to 1
    ends = (constant["ci_low"], constant["ci_high"])
    assert ends == pytest.approx((0.25 * share, 1 - 0.75 * share))


def test_bare_numbers(small: tuple[str, str]) -> None:
    """A line for each run, in the order of -m, with the decimals asked for."""
    assert (
        _eval_text("--score-only", "-m", "P@2", "-m", "RR,num_ret", *small)
        == "0.3333\t0.5833\t12\n"
    )
    assert (
        _eval_text("--score-only", "--places", "2", "-m", "RR", *small, small[1]) == "0.58\n0.58\n"
    )
    assert _eval_text("--score-only", "--percent", "-m", "RR", *small) == "58.33\n"
    assert _eval_text("--score-only", "--percent", "--places", "1", "-m", "RR", *small) == "58.3\n"


def test_per_cent_of_what_is_at_most_1(small: tuple[str, str]) -> None:
    """Not of counts, nor of a measure without such a limit, as DCG on graded data."""
    table = _eval_text("--percent", "--format", "table", "-m", "RR,num_ret,DCG@4", *small)
    heads, _, values = (line.split() for line in table.splitlines()[:3])

    assert heads == ["topic", "RR", "num_ret", "DCG@4"]
    dcg = (1 + 1 / math.log2(3) + 1 / math.log2(5)) / 3
    assert values == ["all", "58.33", "12", f"{dcg:.2f}"]
    spread = _eval_text(
        "--percent", "--stats", "--format", "table", "-m", "RR", *small
    ).splitlines()[2]
    assert spread.split()[:6] == ["RR", "3", "58.33", "38.19", "1458.33", "50.00"]


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "json", "jsonl", "sheet", "sheet-html"])
def test_exact_forms_have_no_per_cent(form: str) -> None:
    """They are for programs."""
    done = irev("--percent", "--format", form, QRELS, BM25)

    assert (done.code, done.out) == (2, b"")
    assert f"--percent cannot be combined with --format {form}" in done.err


@pytest.mark.parametrize(
    "line",
    [
        "--score-only -q", "--score-only --format csv", "--score-only --stats", "--stats -n",
        "--stats -q --format table", "--stats --format sheet", "--score-only -n",
        "--sample 50% --stats", "--sample 50% --score-only", "--sample 50% --sort map",
    ],
)  # fmt: skip
def test_what_does_not_go_together(line: str) -> None:
    """Is said, and nothing printed."""
    done = irev(*line.split(), QRELS, BM25)

    assert (done.code, done.out) == (2, b"")
    assert "cannot be combined with" in done.err


@pytest.mark.parametrize("form", ["trec", "csv", "table"])
def test_sorted_runs(form: str) -> None:
    """map: bm25 0.35, rm3 0.44, fusion 0.74; the best first, whatever the order of the files."""
    files = [BM25, FUSION, RM3]
    out = _eval_text(
        "--quiet", "--format", form, "-m", "map,num_ret", "--sort", "AP", QRELS, *files
    )
    names = (files[1], RM3, BM25) if form == "trec" else ("fusion", "rm3", "bm25")
    places = [out.index(name) for name in names]

    assert places == sorted(places)
    assert out == _eval_text(
        "--quiet", "--format", form, "-m", "map,num_ret", "--sort", "map", QRELS, *files[::-1]
    )


def test_lower_is_better_is_heeded() -> None:
    """The fewer documents judged non-relevant, the better."""
    words = ("--quiet", "--score-only", "-m", "num_nonrel_judged_ret", QRELS, BM25, RM3, FUSION)
    values = [
        float(line) for line in _eval_text("--sort", "num_nonrel_judged_ret", *words).splitlines()
    ]

    assert values == sorted(float(line) for line in _eval_text(*words).splitlines())
    assert values[0] < values[-1]


def test_a_run_without_a_number_is_last() -> None:
    """Also where the lowest is the best."""
    scores = evaluate({"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0}}, ["num_nonrel_judged_ret"])
    without = replace(scores, values=np.full((1, 1), math.nan))
    files = [ScoredFile("without", without), ScoredFile("with", scores)]
    assert [file.name for file in best_first(files, scores.columns[0])] == ["with", "without"]


def test_a_measure_to_sort_by_that_was_not_asked_for() -> None:
    """The error lists those that were."""
    done = irev("-m", "map,P@5", "--sort", "ndcg", QRELS, BM25, RM3)

    assert (done.code, done.out) == (2, b"")
    assert "--sort ndcg: the runs have map, P@5; add it with -m" in done.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs, one of them a link in a folder below, and a hidden file."""
    runs = tmp_path / "runs"
    (runs / "more").mkdir(parents=True)
    for name in ("b.run", "a.run"):
        (runs / name).write_bytes((SAMPLE / "bm25.run").read_bytes())
    (runs / "more" / "c.run").symlink_to(RM3)
    (runs / ".hidden").write_text("no run")
    return runs


def test_a_directory_of_runs(folder: Path) -> None:
    """All files in it and below, by name."""
    paths = [str(folder / name) for name in ("a.run", "b.run", "more/c.run")]

    assert _eval_text("--quiet", "-m", "map", QRELS, str(folder)) == _eval_text(
        "--quiet", "-m", "map", QRELS, *paths
    )
    one = _eval_text("--quiet", "-m", "map", QRELS, str(folder / "more"))
    assert one.startswith(f"# {paths[2]}\n")


def test_a_pattern_that_the_shell_left(folder: Path) -> None:
    """Stands for the files that it fits; if there is none, for itself."""
    paths = [str(folder / name) for name in ("a.run", "b.run")]

    assert _eval_text("-m", "map", QRELS, str(folder / "*.run")) == _eval_text(
        "-m", "map", QRELS, *paths
    )
    assert "no such file" in irev("-m", "map", QRELS, str(folder / "*.nothing")).err
