"""Options of rankings and judgments beside scores that are there already."""

from __future__ import annotations

from pathlib import Path

import pytest

import irev
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, RUN, OTHER = SAMPLE / "qrels.txt", SAMPLE / "bm25.run", SAMPLE / "rm3.run"

OPTIONS: dict[str, tuple[str, ...]] = {
    "-l": ("-l", "2"),
    "-M": ("-M", "10"),
    "-J": ("-J",),
    "-N": ("-N", "1000"),
    "-T": ("-T", "msmarco"),
    "-R": ("-R", "prefs"),
    "--ties": ("--ties", "input"),
    "--compat": ("--compat", "trec9"),
    "--no-rel": ("--no-rel", "skip"),
    "--map-grades": ("--map-grades", "3=2"),
    "--pool": ("--pool", str(SAMPLE / "pool")),
    "--intents": ("--intents", str(SAMPLE / "intents")),
    "--duplicates": ("--duplicates", "first"),
    "--exclude": ("--exclude", "own"),
    "--gains": ("--gains", "exp"),
    "--log-base": ("--log-base", "10"),
    "--max-grade": ("--max-grade", "5"),
}
"""What decides how documents are ranked, or which of them are relevant."""

NEUTRAL = [
    (),
    ("--topics", "both"),
    ("--ties", "docid-desc"),
    ("-l", "1"),
    ("--threads", "1"),
    ("--names", "tag"),
    ("--nan", "drop-topic"),
    ("--columns", "topic=number"),
]
"""What acts on saved scores, says the default, or changes no number anywhere."""

COMMANDS = {
    "compare": ("compare",),
    "leaderboard": ("leaderboard",),
    "report": ("report",),
    "gate": ("gate", "--baseline", "b.txt"),
    "study": ("study", "correlation", "-m", "map", "-m", "P.5"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores in trec_eval's form, which tells no options, and in irev's, which tells them."""
    folder = tmp_path_factory.mktemp("scores")
    for name, run in (("a", RUN), ("b", OTHER)):
        (folder / f"{name}.txt").write_bytes(
            command("-q", "-m", "map", "-m", "P.5", QRELS, run).out
        )
        for level in "12":
            scores = folder / f"{name}{level}.json"
            command(
                "-q", "-l", level, "-m", "map", "--format", "json", "--output", scores, QRELS, run
            )
    return folder


def _warning(options: str) -> str:
    have, they_act = ("have", "they act") if " and " in options else ("has", "it acts")
    acts = f"{they_act} where runs are scored (irev eval)"
    return f"{options} {have} no effect on saved scores: {acts}"


@pytest.mark.parametrize("option", OPTIONS)
def test_each_is_told_once(folder: Path, option: str) -> None:
    for ending in (".txt", "1.json"):
        paths = [folder / f"{name}{ending}" for name in "ab"]
        ran = command("compare", *OPTIONS[option], *paths)
        assert ran.code == 0
        assert ran.err.count(f"irev: warning: {_warning(option)}\n") == 1
        assert ran.err.count("irev: warning") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells(folder: Path, name: str) -> None:
    files = ["a.txt"] if name == "gate" else ["a.txt", "b.txt"]
    ran = command(*COMMANDS[name], "-l", "2", "-J", *files, cwd=folder)
    assert ran.code == (1 if name == "gate" else 0)
    assert ran.err.count(f"irev: warning: {_warning('-l and -J')}\n") == 1
    strict = command(*COMMANDS[name], "--strict", "-l", "2", "-J", *files, cwd=folder)
    assert (strict.code, strict.out) == (2, b"")


@pytest.mark.parametrize("options", NEUTRAL, ids=" ".join)
def test_what_acts_or_is_the_default_is_not_told(folder: Path, options: tuple[str, ...]) -> None:
    ran = command("compare", *options, folder / "a.txt", folder / "b.txt")
    assert ran.code == 0
    assert "irev: warning" not in ran.err


def test_scores_that_were_made_with_it_say_nothing(folder: Path) -> None:
    ran = command("compare", "-l", "2", folder / "a2.json", folder / "b2.json")
    assert (ran.code, ran.err) == (0, "")
    ran = command("compare", "-l", "1", folder / "a2.json", folder / "b2.json")
    assert (ran.code, ran.err) == (0, "")


def test_a_run_beside_saved_scores_takes_it(folder: Path) -> None:
    call = ("compare", "-m", "map", QRELS, RUN, folder / "b.txt")
    ran = command(*call, "-l", "2")
    assert f"irev: warning: {_warning('-l')}\n" in ran.err
    assert "irev: warning" not in command(*call, "--no-rel", "skip").err
    gate = command("gate", "-l", "2", "-m", "map", "--baseline", folder / "b.txt", QRELS, RUN)
    assert f"irev: warning: {_warning('-l')}\n" in gate.err


def test_python_speaks_of_keywords(folder: Path) -> None:
    paths = [folder / "a.txt", folder / "b.txt"]
    with pytest.warns(
        irev.IrevWarning, match="^level and judged_only have no effect on saved scores: "
    ):
        irev.compare(None, paths, level=2, judged_only=True)
    table = irev.compare(None, [folder / "a2.json", folder / "b2.json"], level=2).table
    with pytest.warns(irev.IrevWarning, match="^max_retrieved has no effect on saved scores: "):
        irev.compare(table, level=2, max_retrieved=10)


def test_scores_in_memory_that_tell_nothing_may_be_made_with_it() -> None:
    options = irev.Options(level=2)
    runs = [{"1": {"a": 1.0, "b": 0.5}, "2": {"c": 2.0}}, {"1": {"b": 1.0}, "2": {"c": 1.0}}]
    table = irev.evaluate({"1": {"a": 2, "b": 1}, "2": {"c": 2}}, runs, "map", options)
    assert "unused-option" not in [
        each.kind for each in irev.compare(table, options=options).warnings
    ]


TOPICS = ("1", "10", "11")


def test_listed_topics_are_those_of_saved_scores_too(folder: Path) -> None:
    """As of runs: the means are those of trec_eval's lines of these topics."""
    lines = [line.split() for line in (folder / "a.txt").read_text(encoding="utf-8").splitlines()]
    values = [float(v) for measure, topic, v in lines if topic in TOPICS and measure == "map"]
    paths = [folder / "a.txt", folder / "b.txt"]
    (folder / "topics").write_text("".join(f"{topic}\n" for topic in TOPICS))
    for topics in (TOPICS, folder / "topics"):
        table = irev.compare(None, paths, topics=topics).table
        assert table["a", "map"] == pytest.approx(sum(values) / 3)
        assert len(table.topics) == 3
        again = irev.compare(irev.compare(None, paths).table, topics=topics).table
        assert again["a", "map"] == table["a", "map"]


def test_a_listed_topic_that_no_scores_have_is_an_error(folder: Path) -> None:
    for judgments_or_table in (None, irev.compare(None, folder / "[ab].txt").table):
        runs = folder / "[ab].txt" if judgments_or_table is None else ()
        with pytest.raises(irev.IrevError, match=r"^the scores have no topic x1$"):
            irev.compare(judgments_or_table, runs, topics=["1", "x1"])
