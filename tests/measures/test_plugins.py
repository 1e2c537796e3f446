"""A user's own measures."""

from __future__ import annotations

import doctest
import math
import sys
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import irev
from irev.measures import load_all, plugins
from irev.measures.registry import MEASURES
from tests import command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUN = {"q1": {"x": 9.0, "a": 8.0, "b": 7.0}, "q2": {"x": 1.0}}

FILE = """\
import irev

@irev.topic_measure("Found")
def found(grades, ideal):
    '''The gain retrieved, as a share of the gain there is.'''
    return sum(grade or 0 for grade in grades) / (sum(ideal) or 1)
"""


@pytest.fixture(autouse=True)
def _leave_no_measures() -> Iterator[None]:
    before, loaded = set(MEASURES), set(plugins._loaded)
    yield
    load_all()

    for name in set(plugins._own) - before:
        plugins.forget_measure(name)
    plugins._loaded.clear()
    plugins._loaded.update(loaded)


def summary(*names: str, **options: Any) -> dict[str, Any]:
    return dict(irev.evaluate(QRELS, RUN, names, **options).summary())


def test_topic_measure() -> None:
    seen = []

    @irev.topic_measure("Seen")
    def seen_lists(grades, ideal):
        """What there is to see."""
        seen.append((grades, ideal))
        return len(grades) / 10

    assert summary("Seen", "Seen@1") == pytest.approx({"Seen": 0.2, "Seen@1": 0.1})
    assert seen == [
        ([None, 2.0, 0.0], [2.0, 1.0, 0.0]),
        ([None], [2.0, 1.0, 0.0]),
        ([None], [1.0]),
        ([None], [1.0]),
    ]
    assert seen_lists([], []) == 0.0


def test_it_may_change_its_lists() -> None:
    @irev.topic_measure("Pops")
    def pops(grades, ideal):
        ideal.clear()
        grades.clear()
        return 0.0 if ideal else 1.0

    assert summary("Pops@1,2") == {"Pops@1": 1.0, "Pops@2": 1.0}


def test_topic_measure_is_told_what_it_asks_for() -> None:
    @irev.topic_measure("Told")
    def told(grades, ideal, *, cutoff, level, p=0.5):
        return (cutoff or 0) + 10 * level + 100 * p

    assert summary("Told@3", "Told(p=0.25)", "Told(rel=2)") == {
        "Told@3": 63.0,
        "Told(p=0.25)": 35.0,
        "Told(rel=2)": 70.0,
    }
    assert summary("Told", level=3) == {"Told": 80.0}


def test_vectorised_measure() -> None:
    @irev.measure("Weight", cutoff="optional")
    def weight(judged, cutoffs, *, p=0.5, square=False, times=1):
        """The sum of p^rank over the relevant documents, down to k."""
        assert isinstance(judged, irev.Judged)
        columns = []
        for k in cutoffs:
            seen = judged.relevant_rank <= (k or math.inf)
            terms = times * p ** (judged.relevant_rank * (2 if square else 1)) * seen
            columns.append(np.bincount(judged.relevant_topic, terms, judged.num_topics))
        return np.stack(columns, axis=1)

    # the relevant document of q1 stands at rank 2
    assert summary("Weight@1,2", "Weight(p=0.1)", "Weight(square=true,times=8)") == pytest.approx(
        {
            "Weight@1": 0.0,
            "Weight@2": 0.125,
            "Weight(p=0.1)": 0.005,
            "Weight(square=true,times=8)": 0.25,
        }
    )


def test_bare_decorator_takes_the_functions_name() -> None:
    @irev.measure
    def Ones(judged, cutoffs):  # noqa: N802
        """One for each topic.

        Whatever the ranking.
        """
        return np.ones(judged.num_topics)

    @irev.topic_measure
    def Twos(grades, ideal):  # noqa: N802
        return 2

    assert summary("Ones", "Twos@5") == {"Ones": 1.0, "Twos@5": 2.0}
    assert MEASURES["Ones"].title == "One for each topic"
    assert MEASURES["Ones"].help.endswith("Whatever the ranking.")
    assert MEASURES["Ones"].source.endswith("Ones")


def test_facts_and_options_are_kept() -> None:
    @irev.measure(
        "Known",
        title="Known by its record",
        options={"mode": irev.Option("how", "slow", kind="choice", choices=("slow", "fast"))},
        cutoff="required",
        formula="1",
        source="here",
        bounds=(0.0, 9.0),
        higher_is_better=False,
    )
    def known(judged, cutoffs, *, mode="slow"):
        return np.full((judged.num_topics, len(cutoffs)), 1.0 if mode == "slow" else 9.0)

    record = MEASURES["Known"]
    assert (record.title, record.formula, record.source) == ("Known by its record", "1", "here")
    assert (record.bounds, record.higher_is_better) == ((0.0, 9.0), False)
    assert summary("Known(mode=fast)@3") == {"Known(mode=fast)@3": 9.0}
    with pytest.raises(irev.UsageError, match="slow, fast"):
        summary("Known(mode=no)@3")
    with pytest.raises(irev.UsageError, match="needs a cutoff"):
        summary("Known")


def test_bounds_of_a_users_measure() -> None:
    @irev.topic_measure("Share", cutoff="required", residual="cutoff")
    def share(grades, ideal, *, cutoff, level):
        return sum(grade is not None and grade >= level for grade in grades) / cutoff

    assert summary("Share@2", residuals=True) == {"Share@2": 0.25, "Share@2[max]": 1.0}


def fails(function: Any, message: str, name: str = "Bad") -> None:
    irev.topic_measure(name)(function)
    with pytest.raises(irev.MeasureError) as raised:
        summary(name)
    assert str(raised.value) == message
    plugins.forget_measure(name)


def test_what_goes_wrong_on_a_topic_is_said_with_it() -> None:
    fails(
        lambda grades, ideal: 1 / (len(ideal) - 1),
        "the measure Bad failed on topic q2: ZeroDivisionError: division by zero",
    )
    fails(
        lambda grades, ideal: math.nan if len(ideal) == 1 else 1,
        "the measure Bad failed on topic q2: it returned nan",
    )
    fails(
        lambda grades, ideal: None,
        "the measure Bad failed on topic q1: it returned None, which is not a number",
    )


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("text", "the measure Bad failed: it returned str, not numbers"),
        (
            [1.0, 2.0, 3.0],
            "the measure Bad failed: it returned an array of shape (3,), not (topics, "
            "cutoffs): (2, 1)",
        ),
        ([1.0, math.inf], "the measure Bad failed on topic q2: it returned inf"),
    ],
)
def test_what_a_vectorised_measure_returns_is_checked(returned: Any, message: str) -> None:
    irev.measure("Bad")(lambda judged, cutoffs: returned)
    with pytest.raises(irev.MeasureError) as raised:
        summary("Bad")
    assert str(raised.value) == message


def test_an_error_in_a_vectorised_measure() -> None:
    @irev.measure("Bad")
    def bad(judged, cutoffs):
        raise KeyError("lost")

    with pytest.raises(irev.MeasureError, match="the measure Bad failed: KeyError: 'lost'"):
        summary("Bad")


@pytest.mark.parametrize("name", ["map", "official", "nDCG", "INST"])
def test_names_that_are_taken(name: str) -> None:
    with pytest.raises(irev.UsageError, match=f"there is a measure {name} already"):
        irev.topic_measure(name)(lambda grades, ideal: 0.0)


@pytest.mark.parametrize("name", ["", "no name", "1st", "a@b", "a.b", "naïve"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(irev.UsageError, match="is not a name for a measure"):
        irev.topic_measure(name)(lambda grades, ideal: 0.0)


def test_definitions_that_make_no_sense() -> None:
    with pytest.raises(irev.UsageError, match="what values can the option how have"):
        irev.topic_measure("Odd")(lambda grades, ideal, *, how="x": 0.0)
    with pytest.raises(irev.UsageError, match="has an option rel already"):
        irev.measure("Odd")(lambda judged, cutoffs, *, rel=1: 0.0)
    with pytest.raises(irev.UsageError, match="cutoff is none, optional or required"):
        irev.measure("Odd", cutoff="maybe")(lambda judged, cutoffs: 0.0)
    with pytest.raises(irev.UsageError, match="Measure has no colour"):
        irev.measure("Odd", colour="red")(lambda judged, cutoffs: 0.0)
    assert "Odd" not in MEASURES


def test_a_function_may_be_defined_anew() -> None:
    for value in (1.0, 2.0):

        @irev.topic_measure("Again")
        def again(grades, ideal, *, v=value):
            return v

        assert summary("Again") == {"Again": value}
    with pytest.raises(irev.UsageError, match="there is a measure Again already"):
        irev.topic_measure("Again")(lambda grades, ideal: 0.0)


def test_loading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    plugins.load_plugin(str(path))
    plugins.load_plugin(str(path))
    # 2 of the 3 there are, none of 1
    assert summary("Found") == pytest.approx({"Found": 1 / 3})


def test_loading_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_module_of_measures.py").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.load_plugin("a_module_of_measures")
    assert summary("Found") == pytest.approx({"Found": 1 / 3})
    del sys.modules["a_module_of_measures"]


@pytest.mark.parametrize(
    ("given", "text", "message"),
    [
        ("absent.py", None, "no such file"),
        ("no_such_module_here", None, "the name of a file ends in .py"),
        ("imports.py", "import no_such_module_here", "No module named 'no_such_module_here'$"),
        ("broken.py", "def (", "SyntaxError"),
        ("raises.py", "1 / 0", "ZeroDivisionError: division by zero"),
        ("taken.py", FILE.replace("Found", "map"), "there is a measure map already"),
    ],
)
def test_what_cannot_be_loaded(
    given: str, text: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / given).write_text(text)
    with pytest.raises(irev.UsageError, match=message):
        plugins.load_plugin(given)


def test_installed_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "an_installed_package.py").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("found", "an_installed_package", plugins.GROUP)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [entry] if group == plugins.GROUP else []
    )
    monkeypatch.setattr(plugins, "_loaded", set())
    assert summary("Found@2") == pytest.approx({"Found@2": 1 / 3})
    del sys.modules["an_installed_package"]


@pytest.mark.thorough
def test_command_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 3 x\n1 Q0 u 2 2 x\n")
    ran = command.process("--plugin", "mine.py", "-m", "Found", "-m", "P.1", "q", "r", cwd=tmp_path)
    lines = [line.split() for line in ran.out.decode().splitlines()]
    assert lines == [["P_1", "all", "1.0000"], ["Found", "all", "0.5000"]]
    ran = command.process("--plugin", "yours.py", "-m", "Found", "q", "r", cwd=tmp_path)
    assert ran.code == 2
    assert "the plugin yours.py cannot be loaded: there is no such file" in ran.err
    ran = command.process("-m", "Found", "q", "r", cwd=tmp_path)
    assert ran.code == 2
    assert "no measure or set is called 'Found'" in ran.err
    (tmp_path / "mine.py").write_text(FILE.replace("return", "return 1 / 0 +"))
    ran = command.process("--plugin", "mine.py", "-m", "Found", "q", "r", cwd=tmp_path)
    assert ran.code == 2
    assert ran.err == (
        "irev: error: the measure Found failed on topic 1: ZeroDivisionError: division by zero\n"
    )


def test_example_in_the_documentation() -> None:
    done = doctest.testmod(plugins)
    assert done.attempted > 0
    assert done.failed == 0
