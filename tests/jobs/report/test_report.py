"""The report: its numbers are those of eval, compare and explain; the page escapes all names.

That it works in a browser is tried by `make test-browser`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from irev.scores.run_names import stem_of
from tests.command import irev
from tests.files import ROOT
from tests.pages import Page, nothing_is_loaded

SAMPLE = ROOT / "sample_data"
RUNS = ("bm25.run", "rm3.run", "dense.run.gz")
MEASURES = ("-m", "map", "-m", "P.10")
HOSTILE = "</script><script>x</script><img src=x onerror=y>&\"'"


def report(*arguments: str | Path, cwd: Path = SAMPLE) -> str:
    ran = irev("report", *arguments, cwd=cwd)
    assert ran.code == 0, ran.err
    return ran.out.decode()


@cache
def sample() -> Page:
    return nothing_is_loaded(report(*MEASURES, "qrels.txt", *RUNS))


def test_means_and_differences_are_those_of_compare() -> None:
    baseline = ("--baseline", "bm25.run")
    page = Page(report(*MEASURES, *baseline, "qrels.txt", *RUNS))
    ran = irev("compare", *MEASURES, *baseline, "--format", "json", "qrels.txt", *RUNS, cwd=SAMPLE)
    told = json.loads(ran.out)
    for row in page.values("Means"):
        of_run = [each for each in told["means"] if each["run"] == row[0]]
        # a cell with an interval has its lower end
        assert row[1:5] == [n for each in of_run for n in (each["mean"], each["low"])]
    for measure in ("map", "P_10"):
        pairs = [each for each in told["pairs"] if each["measure"] == measure]
        found = page.values(f"{measure}: differences between runs")
        for row, pair in zip(found, pairs, strict=True):
            test = pair["tests"]["moderated"]
            mark = "*" if test["significant"] else ""
            assert row[:9] == [
                pair["run"], pair["against"], pair["difference"], pair["low"], pair["high"],
                pair["d_z"], test["p"], test["corrected"], mark,
            ]  # fmt: skip
            assert row[10] == f"{pair['wins']}/{pair['ties']}/{pair['losses']}"


def test_the_summary_says_who_is_better() -> None:
    """The numbers are those of the tables."""
    text = report(*MEASURES, "qrels.txt", "bm25.run", "rm3.run")
    (row,) = Page(text).tables["map: differences between runs"]
    p = row[7].text
    verdict = "significant" if row[8].text == "*" else "not significant"
    below = row[2].text.removeprefix("-")
    said = f"{below} below rm3 ({verdict}, corrected p {p}, family of 2)"
    assert re.search(rf"<li>bm25: map 0\.\d{{4}}, {re.escape(said)}</li>", text)
    assert "<li>rm3, the best run: map " in text
    same = report("-m", "map", "qrels.txt", "bm25.run", SAMPLE / ".." / "sample_data" / "bm25.run")
    assert re.search(r"map 0\.\d{4}, the same as [^(]* \(not significant, ", same)


def test_topics_curves_and_shares_are_those_of_eval() -> None:
    page = sample()
    names = ["IPrec(rule=ge)@0,0.3,1", "P", "Judged(denom=retrieved)@10", "map"]
    asked = [word for name in names for word in ("-m", name)]
    for number, run in enumerate(sorted(RUNS), 1):
        ran = irev("-c", "-q", *asked, "--format", "json", "qrels.txt", run, cwd=SAMPLE)
        (told,) = json.loads(ran.out)["runs"]
        by_topic = {topic: values["map"] for topic, values in told["topics"].items()}
        assert {row[0]: row[number] for row in page.values("map by topic")} == by_topic
        means = told["all"]
        for row in page.values("Precision by rank"):
            assert row[number] == pytest.approx(means[f"P_{row[0]}"], abs=1e-15)
        levels = {row[0]: row[number] for row in page.values("Recall and precision")}
        for level in ("0", "0.3", "1"):
            mean = means[f"IPrec(rule=ge)@{level}"]
            assert levels[level] == pytest.approx(mean, abs=1e-15)
        shares = {row[0]: row[3] for row in page.values("Judged documents and ties, by run")}
        assert shares[stem_of(run)] == pytest.approx(means["Judged(denom=retrieved)@10"], abs=1e-15)


def test_ties_are_those_of_tie_range() -> None:
    rows = {row[0]: row for row in sample().values("Judged documents and ties, by run")}
    ran = irev("-c", "-m", "map", "--tie-range", "qrels.txt", "rm3.run", cwd=SAMPLE)
    least = float(re.search(r"map\[pessimistic\]\s+all\s+(\S+)", ran.out.decode())[1])  # type: ignore[index]
    assert rows["rm3"][-1] == pytest.approx(least, abs=5e-5)
    said = re.search(
        r"(\d+) groups of equal scores with a judged document, in (\d+) topics", ran.err
    )
    assert said is not None
    assert rows["rm3"][-3:-1] == [said[1], said[2]]


def test_the_signature_is_that_of_compare() -> None:
    for baseline in ((), ("--baseline", "bm25.run")):
        ran = irev("compare", *MEASURES, *baseline, "qrels.txt", *RUNS, cwd=SAMPLE)
        (signature,) = re.findall("signature: (.*)", ran.out.decode())
        assert f"<li>signature: {signature}</li>" in report(
            *MEASURES, *baseline, "qrels.txt", *RUNS
        )


def test_topics_that_moved_most_are_explained() -> None:
    """By the table of all topics; each leads to an explanation whose last value is the score."""
    text = report(*MEASURES, "--baseline", "bm25", "qrels.txt", *RUNS)
    page = Page(text)
    everything = {str(row[0]): row for row in page.values("map by topic")}
    # runs stand in the order of their names: bm25, dense, rm3
    differences = {topic: float(row[3]) - float(row[1]) for topic, row in everything.items()}
    moved = page.values("rm3 against bm25")
    gains = [d for d in sorted(differences.values(), reverse=True) if d > 0][:3]
    losses = [d for d in sorted(differences.values()) if d < 0][:3]
    assert [row[3] for row in moved] == pytest.approx([*gains, *losses])
    for topic, _, score, _ in moved:
        (at,) = re.findall(rf'<a href="#(t\d+)">{topic}</a>', text)[:1]
        inside = text[text.index(f'<details id="{at}"') :]
        inside = inside[: inside.index("</details>")]
        assert f"rm3 {float(score):.4f}" in inside[: inside.index("</summary>")]
        ran = irev("explain", "-m", "map", "-t", str(topic), "qrels.txt", "rm3.run", cwd=SAMPLE)
        lines = ran.out.decode().splitlines()
        (rule,) = [n for n, line in enumerate(lines) if line.startswith("---")]
        first = lines[rule + 1].split()
        of_run = inside[inside.index("<h4>rm3</h4>") :]
        assert re.findall("<td[^>]*>([^<]*)</td>", of_run)[: len(first)] == first


def test_a_topic_that_a_run_lacks_has_no_explanation() -> None:
    text = report(*MEASURES, "qrels.txt", "bm25.run", "dense.run.gz")
    assert "dense lacks 1 of 12 judged topics, which count as 0: 20" in text
    assert "<p>The run has no document for this topic, which counts as 0.</p>" in text


def test_where_lower_is_better_a_gain_is_a_lower_score(tmp_path: Path) -> None:
    for name, line in (("qrels", "{} 0 a 1"), ("good", "{} Q0 a 1 1 x"), ("bad", "{} Q0 b 1 1 x")):
        (tmp_path / name).write_text("".join(line.format(t) + "\n" for t in (1, 2, 3)))
    page = Page(report("-m", "SetE", "qrels", "bad", "good", cwd=tmp_path))
    assert [row[3] for row in page.values("bad against good")] == [1.0] * 3
    assert page.values("Means")[0][0] == "good"


def test_a_single_run_has_intervals_and_its_lowest_topics() -> None:
    text = report(*MEASURES, "qrels.txt", "rm3.run")
    page = nothing_is_loaded(text)
    ran = irev("compare", *MEASURES, "--format", "json", "qrels.txt", "rm3.run", "bm25.run",
               cwd=SAMPLE)  # fmt: skip
    told = [each for each in json.loads(ran.out)["means"] if each["run"] == "rm3"]
    (row,) = page.values("Means")
    assert row[1:5] == [n for each in told for n in (each["mean"], each["low"])]
    scores = sorted(float(row[1]) for row in page.values("map by topic"))
    assert [row[1] for row in page.values("map, lowest first")] == scores[:3]
    assert "Lowest topics" in text
    assert "Topics that moved most" not in text
    assert "of each run" not in text  # one interval needs no chart


def test_several_runs_have_a_chart_and_the_topics_that_moved() -> None:
    text = report(*MEASURES, "qrels.txt", *RUNS)
    assert "Topics that moved most" in text
    assert "Lowest topics" not in text
    assert "Mean map of each run" in text
    assert "The curves are those of" not in text  # as is said where there are too many


def test_names_of_strangers_do_not_break_out(tmp_path: Path) -> None:
    topic, doc = HOSTILE.replace(" ", "_"), "<b>doc</b>"
    name = HOSTILE.replace("/", "∕")
    Path(tmp_path, name + "qrels").write_text(f"{topic} 0 {doc} 1\n2 0 b 1\n3 0 c 1\n")
    for n in (1, 2):
        lines = f"{topic} Q0 {doc} 1 {n} {topic}\n2 Q0 b 1 1 x\n3 Q0 {'cd'[n - 1]} 1 1 x\n"
        Path(tmp_path, f"{name}{n}").write_text(lines)
    files = [name + "qrels", f"{name}1", f"{name}2"]
    for more in ([], ["--names", "tag"], ["--title", HOSTILE]):
        text = report(*more, *files, cwd=tmp_path)
        page = nothing_is_loaded(text)
        assert not {"img", "b"} & set(page.tags)
        assert page.tags.count("script") == 1
    assert page.values("map by topic")[-1][0] == topic


def test_the_same_inputs_give_the_same_bytes() -> None:
    """Whatever the threads and the order of the other runs."""
    first = report(*MEASURES, "qrels.txt", *RUNS)
    assert report(*MEASURES, "--threads", "1", "qrels.txt", *RUNS) == first
    turned = ("qrels.txt", *reversed(RUNS))
    assert report(*MEASURES, *turned) == first


def test_size() -> None:
    """A page of three runs and twelve topics can be sent by mail."""
    assert len(report(*MEASURES, "qrels.txt", *RUNS)) < 150_000


@pytest.mark.parametrize(
    ("arguments", "note", "lacks"),
    [
        (
            ["--ties", "average"],
            "no score is explained: irev explain needs one order of ties",
            "rank by rank",
        ),
        (["-R", "prefs", "-m", "prefs_simp"], "there are no curves: ", "Precision by rank"),
        (["--explain", "0"], "", "moved most"),
    ],
)
def test_what_there_is_not_is_left_out(arguments: list[str], note: str, lacks: str) -> None:
    qrels = "prefs.txt" if "prefs" in arguments else "qrels.txt"
    ran = irev("report", *arguments, qrels, "bm25.run", "rm3.run", cwd=SAMPLE)
    assert ran.code == 0, ran.err
    assert note in ran.err
    text = ran.out.decode()
    assert lacks not in text
    nothing_is_loaded(text)


def test_classes_have_means_and_differences_of_their_own(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    topics = [str(row[0]) for row in sample().values("map by topic")]
    classes.write_text(
        "".join(f"{t} {'<odd>' if n % 2 else 'even'}\n" for n, t in enumerate(topics))
    )
    page = nothing_is_loaded(report("-m", "map", "--group-by", classes, "qrels.txt", *RUNS))
    own = {str(row[0]): row for row in page.values("map by topic")}
    of_class = [float(own[t][1]) for n, t in enumerate(topics) if n % 2]
    means = {row[0]: row[1] for row in page.values("Means on topics of class <odd>")}
    assert means["bm25"] == pytest.approx(sum(of_class) / len(of_class))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["qrels.txt"], "give qrels and runs: irev report QRELS RUN..."),
        (["qrels.txt", "-"], "-: a report reads each file several times: name a regular file"),
        (["qrels.txt", "/dev/null"], "/dev/null: a report reads each file several times"),
        (["qrels.txt", "saved.json"], "a report needs the runs, not saved scores"),
        (["saved.json", "bm25.run"], "a report needs the runs, not saved scores"),
        (["one", "bm25.run"], "a report needs at least two topics"),
        (["qrels.txt", "none.run"], "none.run: "),
        (["--output", "qrels.txt", "qrels.txt", "bm25.run"], "would overwrite an input file"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    for name in ("qrels.txt", "bm25.run"):
        (tmp_path / name).write_bytes((SAMPLE / name).read_bytes())
    (tmp_path / "one").write_text("1 0 d0032 1\n")
    saved = irev("-q", "--format", "json", "qrels.txt", "bm25.run", cwd=tmp_path)
    (tmp_path / "saved.json").write_bytes(saved.out)
    ran = irev("report", *arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err
