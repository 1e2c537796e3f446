"""Summaries by classes of topics and by weights of topics; all expected values by hand."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.core.option_values import TopicClasses
from irev.errors import InputError, MismatchError, UsageError
from irev.read.topic_files import read_classes, read_weights
from tests.command import irev as command

# average precision: q1 1; q2 (1/2)/2 = 1/4; q3 1/2; the run lacks q4
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq2 0 b 1\nq3 0 c 1\nq4 0 d 1\n"
RUN = (
    "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 x 1 3 t\nq2 Q0 a 2 2 t\nq3 Q0 x 1 3 t\nq3 Q0 c 2 2 t\n"
    "q9 Q0 x 1 3 t\n"
)
CLASSES = "# topic class\nq1 short\n\nq3 short\nq2 long\nq4 long\nq1 long\nq1 long\n"
WEIGHTS = "q1 1\nq2 2\n# more\nq3 3\nq4 4\n"
MEASURES = ("map", "gm_map", "num_q", "num_rel", "num_ret", "runid")
GEOMETRIC_3 = 0.25 ** (1 / 3) * 1e-5 ** (1 / 3)
"""Of 1, 1/4 and a missing topic."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "classes").write_text(CLASSES)
    (tmp_path / "weights").write_text(WEIGHTS)
    return tmp_path


def evaluate(files: Path, **options: Any) -> irev.Scores:
    """The scores of the run."""
    return irev.evaluate(files / "qrels", files / "run", MEASURES, **options)


def summaries(scores: irev.Scores) -> dict[str, tuple[Any, ...]]:
    """Label -> map, gm_map, num_q, num_rel, num_ret."""
    return {
        part.summary_label: tuple(part.summary()[name] for name in MEASURES[:-1])
        for part in scores.summarised_scores()
    }


def assert_equal(found: dict[str, tuple[Any, ...]], expected: dict[str, tuple[Any, ...]]) -> None:
    """The same labels in order, the same values but for rounding."""
    assert list(found) == list(expected)
    for label, values in expected.items():
        assert found[label] == pytest.approx(values, rel=1e-12), label


def test_each_class_has_its_own_divisor(files: Path) -> None:
    assert_equal(
        summaries(evaluate(files, classes=files / "classes")),
        {
            "all": (1.75 / 3, 0.125 ** (1 / 3), 3, 4, 6),
            "all[short]": (0.75, math.sqrt(0.5), 2, 2, 4),
            "all[long]": (0.625, 0.5, 2, 3, 4),
        },
    )


@pytest.mark.parametrize("compat", ["trec10", "trec9"])
def test_every_judged_topic_counts(files: Path, compat: Any) -> None:
    """q4 counts as 0 in the means and with its document in num_rel, as with -c."""
    scores = evaluate(files, classes=files / "classes", topics="qrels", compat=compat)
    assert_equal(
        summaries(scores),
        {
            "all": (1.75 / 4, (0.125 * 1e-5) ** 0.25, 4, 5, 6),
            "all[short]": (0.75, math.sqrt(0.5), 2, 2, 4),
            "all[long]": (1.25 / 3, GEOMETRIC_3, 3, 4, 4),
        },
    )


@pytest.mark.parametrize("compat", ["trec10", "trec9"])
def test_weighted_means(files: Path, compat: Any) -> None:
    options = {"classes": files / "classes", "weights": files / "weights", "compat": compat}
    weighted = (0.25**2 * 0.5**3) ** (1 / 6)
    assert_equal(
        summaries(evaluate(files, **options)),
        {
            "all[weighted]": (3 / 6, weighted, 3, 4, 6),
            "all[short,weighted]": (2.5 / 4, 0.5**0.75, 2, 2, 4),
            "all[long,weighted]": (1.5 / 3, 0.25 ** (2 / 3), 2, 3, 4),
        },
    )
    assert_equal(
        summaries(evaluate(files, topics="qrels", **options)),
        {
            "all[weighted]": (3 / 10, (weighted**6 * 1e-5**4) ** 0.1, 4, 5, 6),
            "all[short,weighted]": (2.5 / 4, 0.5**0.75, 2, 2, 4),
            "all[long,weighted]": (1.5 / 7, (0.25**2 * 1e-5**4) ** (1 / 7), 3, 4, 4),
        },
    )


def test_the_error_of_a_weighted_mean() -> None:
    """Of independent values with errors e: sqrt(sum (w e)^2) / sum w."""
    column = irev.Scores(
        b"", (b"a", b"b"), (_column("error"),), np.array([[3.0], [2.0]]), {}, 2, {}, _account(),
        basis=_basis((b"a", b"b"), [1.0, 2.0]),
    )  # fmt: skip
    assert column.summary_of(0) == pytest.approx(5 / 3)


def _column(average: str) -> Any:
    from irev.core.judged import Column

    return Column("x", "x", average=average)


def _account() -> Any:
    from irev.scores.scores import Account

    return Account()


def _basis(topics: tuple[bytes, ...], weights: list[float]) -> Any:
    from irev.scores.scores import SummaryBasis

    return SummaryBasis(topics, np.zeros(len(topics)), np.array(weights))


def test_mappings_do_what_files_do(files: Path) -> None:
    by_file = evaluate(files, classes=str(files / "classes"), weights=str(files / "weights"))
    classes = {"short": ["q1", "q3"], "long": ["q2", b"q4", "q1"]}
    by_mapping = evaluate(files, classes=classes, weights={"q1": 1, b"q2": 2, "q3": 3, "q4": 4})

    assert summaries(by_file) == summaries(by_mapping)
    assert by_file.weights is not None
    assert by_file.weights.tolist() == [1, 2, 3]
    assert by_file.class_scores("long").topics == (b"q1", b"q2")
    with pytest.raises(KeyError):
        by_file.class_scores("other")
    with pytest.raises(KeyError):
        evaluate(files).class_scores("short")


def test_topics_of_the_run_that_are_not_judged(files: Path) -> None:
    """They count in no class, but are known."""
    classes = {"odd": ["q9"], "even": ["q2", "q8"]}
    scores = evaluate(files, classes=classes, topics="run")

    found = {part.summary_label: part.summary()["map"] for part in scores.summarised_scores()}
    assert found == pytest.approx({"all": 1.75 / 3, "all[odd]": 0, "all[even]": 0.25})
    assert scores.basis is not None
    assert scores.basis.unknown == (b"q8",)


def test_skipped_topics_weigh_nothing(files: Path) -> None:
    """Topics without relevant documents leave the divisor of a class too."""
    (files / "qrels").write_text(QRELS + "q5 0 a 0\n")
    options = {"classes": {"x": ["q1", "q5"]}, "topics": "qrels"}
    both = evaluate(files, **options).class_scores("x").summary()
    skipped = evaluate(files, no_relevant="skip", **options).class_scores("x").summary()
    assert (both["map"], both["num_q"]) == (0.5, 2)
    assert (skipped["map"], skipped["num_q"]) == (1, 1)


@given(
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any),
)
def test_weights_that_are_whole_repeat_topics(values: list[float], weights: list[int]) -> None:
    """A topic of weight n is n topics of weight 1; and weights of 1 change no bit."""
    topics = (b"a", b"b", b"c", b"d")
    about = (_column("mean"),)
    column = np.array(values)[:, None]
    plain = irev.Scores(b"", topics, about, column, {}, 4, {}, _account())
    ones = irev.Scores(
        b"", topics, about, column, {}, 4, {}, _account(), basis=_basis(topics, [1.0] * 4)
    )
    assert ones.summary_of(0) == plain.summary_of(0)

    basis = _basis(topics, [float(weight) for weight in weights])
    weighted = irev.Scores(b"", topics, about, column, {}, 4, {}, _account(), basis=basis)
    repeated = [v for v, weight in zip(values, weights, strict=True) for _ in range(weight)]
    assert weighted.summary_of(0) == pytest.approx(math.fsum(repeated) / len(repeated))


def test_the_weighted_mean_of_one_topic_is_its_value() -> None:
    topics, about = (b"a",), (_column("mean"),)
    basis = _basis(topics, [0.5])
    scores = irev.Scores(b"", topics, about, np.array([[0.25]]), {}, 1, {}, _account(), basis=basis)
    assert scores.summary_of(0) == 0.25


@pytest.mark.parametrize("format", ["table", "markdown", "csv", "tsv"])
def test_every_form_has_the_classes(files: Path, format: str) -> None:
    done = command(
        "-m", "map", "--group-by", "classes", "--topic-weights", "weights", "--format", format,
        "qrels", "run", "run", cwd=files,
    )  # fmt: skip
    text = done.out.decode().replace("\\", "").replace('"', "")
    assert [text.count(f"{part}weighted]") for part in ("all[", "all[short,", "all[long,")] == (
        [2, 4, 4] if format in ("table", "markdown") else [2, 2, 2]
    )
    assert text.count("0.625") == 2  # short


def test_json_has_classes_and_weights(files: Path) -> None:
    done = command(
        "-m", "map", "--group-by", "classes", "--topic-weights", "weights", "--format", "json",
        "qrels", "run", cwd=files,
    )  # fmt: skip
    whole = json.loads(done.out)
    assert whole["classes"] == {"short": ["q1", "q3"], "long": ["q1", "q2", "q4"]}
    assert whole["weights"] == {"q1": 1, "q2": 2, "q3": 3}
    run = whole["runs"][0]
    assert "all" not in run
    assert run["all[weighted]"] == {"map": 0.5}
    assert run["classes"] == {
        "short": {"averaged_over": 2, "all[short,weighted]": {"map": 0.625}},
        "long": {"averaged_over": 2, "all[long,weighted]": {"map": 0.5}},
    }


def test_what_is_odd_about_classes_is_said(files: Path) -> None:
    (files / "classes").write_text("q1 one\nq7 none\n")
    done = command("-m", "map", "--group-by", "classes", "qrels", "run", cwd=files)
    assert "1 topic of the classes is not in the qrels: q7" in done.err
    assert "2 topics stand in no class: q2, q3" in done.err
    assert "1 class has no topic that is averaged over: none" in done.err
    assert done.out.endswith(b"map                   \tall[none]\t0.0000\n")


def test_files_may_be_compressed_and_be_standard_input(files: Path) -> None:
    (files / "classes.gz").write_bytes(gzip.compress(CLASSES.encode()))
    plain, packed = read_classes(files / "classes"), read_classes(files / "classes.gz")
    assert plain == packed
    assert plain.names == ("short", "long")
    assert plain.members["long"] == {b"q1", b"q2", b"q4"}

    expected = command("-m", "map", "--topic-weights", "weights", "qrels", "run", cwd=files)
    given = ("-m", "map", "--topic-weights", "-", "qrels")
    assert command(*given, "run", cwd=files, stdin=files / "weights").out == expected.out
    twice = command(*given, "-", cwd=files, stdin=files / "weights")
    assert (twice.code, twice.out) == (2, b"")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q1 a\nq2\n", 2, "1 field, expected 2"),
        ("q1 a b\n", 1, "3 fields, expected 2"),
        ("q1 a\nq1 weighted\n", 2, "cannot be called"),
        ("# nothing\n", None, "there is no class of topics in this file"),
    ],
)
def test_files_that_hold_no_classes(
    tmp_path: Path, text: str, line: int | None, message: str
) -> None:
    path = tmp_path / "classes"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_classes(path)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q1 1\nq2\n", 2, "1 field, expected 2"),
        ("q1 x\n", 1, "'x' is not a weight"),
        ("q1 -1\n", 1, "'-1' is not a weight"),
        ("q1 inf\n", 1, "'inf' is not a weight"),
        ("q1 nan\n", 1, "'nan' is not a weight"),
        ("q1 1\nq1 1\n", 2, "duplicate topic 'q1'"),
        ("q1 0\nq2 0\n", None, "all weights are 0"),
        ("\n", None, "there is no weight of a topic in this file"),
    ],
)
def test_files_that_hold_no_weights(
    tmp_path: Path, text: str, line: int | None, message: str
) -> None:
    path = tmp_path / "weights"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_weights(path)
    assert caught.value.line == line


def test_a_judged_topic_without_weight_is_named(files: Path) -> None:
    (files / "weights").write_text("q1 1\nq2 1\nq3 1\n")
    with pytest.raises(MismatchError, match="1 topic has no weight: q4"):
        evaluate(files, weights=files / "weights")
    assert evaluate(files, weights=files / "weights", topics=["q1", "q2"]).summary()["num_q"] == 2
    scores = evaluate(files, weights={"q1": 1, "q2": 1, "q3": 1, "q4": 1}, topics="run")
    assert scores.summary()["num_q"] == 3, "what is not judged needs no weight"


@pytest.mark.parametrize(
    "options",
    [
        {"classes": {}},
        {"classes": {"a": "q1"}},
        {"classes": {"weighted": ["q1"]}},
        {"classes": 3},
        {"weights": {}},
        {"weights": {"q1": -1}},
        {"weights": {"q1": "x"}},
        {"weights": {"q1": 0}},
        {"weights": [1, 2]},
    ],
)
def test_mappings_that_make_no_sense(files: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        evaluate(files, **options)


def test_samples_have_no_classes(files: Path) -> None:
    """Summaries under samples are over all topics."""
    given = ("--sample", "50%", "-m", "map", "qrels", "run")
    for option in (("--group-by", "classes"), ("--topic-weights", "weights")):
        done = command(*option, *given, cwd=files)
        assert (done.code, done.out) == (2, b"")
        assert "cannot be combined with" in done.err


def test_classes_know_what_is_outside() -> None:
    classes = TopicClasses(("a",), {"a": frozenset({b"1", b"2"})})
    assert classes.unknown_topics([b"2", b"3"]) == (b"1",)
    assert classes.unclassified_topics([b"2", b"3"]) == (b"3",)
