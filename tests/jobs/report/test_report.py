"""The report: the numbers of its page are those of eval and compare; the page escapes all names.

What its script does is tried in a browser (`make test-browser`).
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.command import irev
from tests.files import ROOT
from tests.pages import Page, nothing_is_loaded, page_data, static_html

SAMPLE = ROOT / "sample_data"
RUNS = ("bm25.run", "rm3.run", "dense.run.gz")
NAMES = ("bm25", "dense", "rm3")
MEASURES = ("-m", "map", "-m", "P.10")
HOSTILE = "</script><script>x</script><img src=x onerror=y>&\"'"


def report(*arguments: str | Path, cwd: Path = SAMPLE) -> str:
    ran = irev("report", *arguments, cwd=cwd)
    assert ran.code == 0, ran.err
    return ran.out.decode()


def part_of(text: str) -> Any:
    """The data of a page with one part."""
    (part,) = page_data(text)["parts"]
    return part


@cache
def sample() -> str:
    return report(*MEASURES, "qrels.txt", *RUNS)


def compared(*arguments: str | Path) -> Any:
    ran = irev("compare", *arguments, "--format", "json", "qrels.txt", *RUNS, cwd=SAMPLE)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_means_are_those_of_compare() -> None:
    part = part_of(sample())
    assert [run["name"] for run in part["runs"]] == [*NAMES]
    means = compared(*MEASURES)["means"]
    for measure, rows in zip(("map", "P_10"), part["means"], strict=True):
        for name, row in zip(NAMES, rows, strict=True):
            (own,) = (each for each in means if (each["run"], each["measure"]) == (name, measure))
            assert row == pytest.approx([own["mean"], own["low"], own["high"]], rel=1e-11)


def test_pairs_are_those_of_compare_a_measure_at_a_time() -> None:
    """Each p is corrected for all pairs under its measure, as a board has it."""
    part = part_of(sample())
    for index, measure in enumerate(("map", "P.10")):
        pairs = {
            frozenset((each["run"], each["against"])): each
            for each in compared("-m", measure)["pairs"]
        }
        outcomes = part["pairs"][index]
        for number, pair in enumerate(combinations(NAMES, 2)):
            expected = pairs[frozenset(pair)]
            p = expected["tests"]["moderated"]["corrected"]
            assert outcomes["p"][number] == pytest.approx(p, abs=5.1e-5)
            assert (outcomes["p"][number] <= 0.05) == (p <= 0.05)
            half = (expected["high"] - expected["low"]) / 2
            assert outcomes["half"][number] / 1e4 == pytest.approx(half, abs=5.1e-5)


def test_a_named_baseline_has_a_family_of_its_own() -> None:
    """It stands beside that of all pairs, which does not change."""
    part = part_of(report(*MEASURES, "--baseline", "bm25", "qrels.txt", *RUNS))
    assert part["baseline"] == 0
    assert part["pairs"] == part_of(sample())["pairs"]
    (family,) = part["families"]
    assert family["baseline"] == 0
    assert "2 pairs with bm25 under a measure" in family["test"]
    rows = compared("-m", "map", "--baseline", "bm25")["pairs"]
    expected = {each["run"]: each for each in rows}
    outcomes = family["measures"][0]
    assert outcomes["p"][0] is outcomes["half"][0] is None
    for run in (1, 2):
        row = expected[NAMES[run]]
        p = row["tests"]["moderated"]["corrected"]
        assert outcomes["p"][run] == pytest.approx(p, abs=5.1e-5)
        half = (row["high"] - row["low"]) / 2
        assert outcomes["half"][run] / 1e4 == pytest.approx(half, abs=5.1e-5)
    # corrected for two pairs, not for three
    of_all = part["pairs"][0]["p"][0]
    assert outcomes["p"][1] < of_all


def test_one_sided_families_have_no_other_end() -> None:
    text = report("-m", "map", "--tail", "greater", "--baseline", "bm25", "qrels.txt", *RUNS)
    part = part_of(text)
    (row,) = (
        each
        for each in compared("-m", "map", "--tail", "greater", "--baseline", "bm25")["pairs"]
        if each["run"] == "rm3"
    )
    outcomes = part["families"][0]["measures"][0]
    assert "half" not in outcomes
    assert outcomes["high"][2] is None
    assert outcomes["low"][2] / 1e4 == pytest.approx(row["low"], abs=5.1e-5)
    assert outcomes["p"][2] == pytest.approx(row["tests"]["moderated"]["corrected"], abs=5.1e-5)
    assert "two-sided" in part["test"]
    assert "one-sided" in part["families"][0]["test"]


def test_two_named_baselines_have_the_pair_between_them_either_way() -> None:
    text = report(
        "-m", "map", "--baseline", "bm25", "--baseline", "dense", "qrels.txt", *RUNS
    )  # fmt: skip
    one, other = (each["measures"][0] for each in part_of(text)["families"])
    rows = compared("-m", "map", "--baseline", "bm25", "--baseline", "dense")["pairs"]
    (row,) = (each for each in rows if {each["run"], each["against"]} == {"bm25", "dense"})
    p = row["tests"]["moderated"]["corrected"]
    assert one["p"][1] == other["p"][0] == pytest.approx(p, abs=5.1e-5)
    assert len(rows) == 3


def test_scores_shares_and_curves_are_those_of_eval() -> None:
    part = part_of(sample())
    names = ["map", "num_rel", "Judged(denom=retrieved)@10", "P@1,5,100"]
    asked = [word for name in names for word in ("-m", name)]
    ids = [topic["id"] for topic in part["topics"]]
    for number, name in enumerate(NAMES):
        (run,) = (each for each in RUNS if each.startswith(name))
        ran = irev("-c", "-q", *asked, "--format", "json", "qrels.txt", run, cwd=SAMPLE)
        (told,) = json.loads(ran.out)["runs"]
        assert sorted(ids) == sorted(told["topics"])
        lacked = [ids[topic] for topic in part["runs"][number]["missing"]]
        assert lacked == told["missing"]
        for topic, score in zip(part["topics"], part["scores"][0][number], strict=True):
            own = told["topics"][topic["id"]]
            assert topic["relevant"] == own["num_rel"]
            if topic["id"] in lacked:
                assert score is None
            else:
                assert score == round(1e4 * own["map"])
        # the share is the mean of the topics that the run has
        share = told["all"]["Judged(denom=retrieved)@10"] * len(ids) / (len(ids) - len(lacked))
        assert part["runs"][number]["judged"] == pytest.approx(share)
        curves = part["curves"]
        for rank in (1, 5):
            value = curves["values"][number][curves["ranks"].index(rank)]
            assert value == pytest.approx(told["all"][f"P@{rank}"], abs=5e-5)


def test_a_curve_ends_where_its_run_ends(tmp_path: Path) -> None:
    """At the level that the measures name: of a, b, c only b has grade 2."""
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 2\n{t} 0 c 0\n" for t in "12"))
    for name, documents in (("long", "abcdefghijkl"), ("short", "ba")):
        lines = [f"{t} Q0 {d} 1 {-ord(d)} x\n" for t in "12" for d in documents]
        (tmp_path / name).write_text("".join(lines))
    for measure, level in (("AP(rel=2)", 2), ("AP", 1)):
        part = part_of(report("-m", measure, "-m", "nDCG", "qrels", "long", "short", cwd=tmp_path))
        curves = part["curves"]
        assert curves["ranks"] == [1, 2, 3, 5, 10, 12]
        # documents stand by letter: a, b, c ...
        found = {1: [1, 2, 2, 2, 2, 2], 2: [0, 1, 1, 1, 1, 1]}[level]
        precisions = [round(n / rank, 4) for n, rank in zip(found, curves["ranks"], strict=True)]
        assert curves["values"] == [precisions, [*precisions[:2], None, None, None, None]]
        assert curves["about"] == f"Relevant is what has grade {level} or more."
        assert part["level"] == level
        assert [topic["relevant"] for topic in part["topics"]] == [3 - level] * 2


def test_the_verdict_is_the_first_sentence() -> None:
    """That of `irev compare` on two runs; on more that on the best and a baseline."""
    pair = irev("compare", "-m", "map", "--places", "3", "qrels.txt", *RUNS[:2], cwd=SAMPLE)
    told = pair.out.decode().split("\n\n")[0].replace("\n", " ").strip()
    (part,) = page_data(report("-m", "map", "qrels.txt", *RUNS[:2]))["parts"]
    (verdict,) = [text for text in part["verdicts"][0] if text]
    assert verdict.replace("\u2212", "-").rstrip(".").lower() == told.rstrip(".").lower()
    text = report("-m", "map", "-m", "P.10", "--baseline", "bm25", "qrels.txt", *RUNS)
    part = part_of(text)
    assert [[each is None for each in measure] for measure in part["verdicts"]] == [
        [False, True, False], [False, True, False],
    ]  # fmt: skip
    assert "dense is better than bm25: map +" in part["verdicts"][0][0]
    first = static_html(text).split("<p")[1]
    assert first.startswith(' class="verdict">dense is better than bm25: map')
    assert "verdict" not in static_html(report("-m", "map", "qrels.txt", RUNS[0]))


def test_runs_have_their_colours_and_stand_in_the_command_as_given() -> None:
    part = part_of(report("-m", "map", "qrels.txt", *reversed(RUNS)))
    assert [run["given"] for run in part["runs"]] == [2, 0, 1]
    (command,) = [text for heading, text in part["made"] if heading == "command"]
    assert command.split()[-3:] == [*reversed(RUNS)]


def test_topics_stand_as_people_order_them() -> None:
    ids = [topic["id"] for topic in part_of(sample())["topics"]]
    assert [each for each in ids if each in ("2", "9", "10", "100", "NA")] == [
        "2", "9", "10", "100", "NA",
    ]  # fmt: skip


def unpacked(documents: Any, run: int, topic: int) -> list[tuple[str, str]]:
    """The first documents of a run on a topic, with their grades."""
    each = documents["topics"][topic]
    ids = [each["start"] + rest for rest in each["ids"].split(" ")]
    grades = each["grades"].split(" ")
    codes = each["tops"].split(" ")[documents["runs"].index(run)]
    numbers = [ord(code) - (63 if ord(code) < 63 + 64 else 192) for code in codes]
    return [(ids[number], grades[number]) for number in numbers]


def test_the_first_documents_are_those_of_explain() -> None:
    part = part_of(sample())
    documents = part["documents"]
    assert (documents["depth"], documents["runs"]) == (10, [0, 1, 2])
    ids = [topic["id"] for topic in part["topics"]]
    for run, file in ((0, "bm25.run"), (2, "rm3.run")):
        for topic in (0, 4):
            ran = irev("explain", "-m", "P.10", "-t", ids[topic], "--format", "json", "qrels.txt",
                       file, cwd=SAMPLE)  # fmt: skip
            told = json.loads(ran.out)
            ranks = told["explanations"][0]["ranks"][:10]
            expected = [
                (each["document"], "-" if (each["grade"] or 0) < 0 or each["grade"] is None
                 else f"{each['grade']:g}")
                for each in ranks
            ]  # fmt: skip
            assert unpacked(documents, run, topic) == expected
    assert unpacked(documents, 1, ids.index("20")) == []


def test_ties_across_the_last_rank_are_doubtful() -> None:
    """By hand: the tenth and the eleventh score of each topic."""
    scores: dict[str, list[float]] = {}
    for line in (SAMPLE / "rm3.run").read_bytes().splitlines():
        fields = line.split()
        scores.setdefault(fields[0].decode("latin-1"), []).append(float(fields[4]))
    falling = [sorted(each, reverse=True) for each in scores.values()]
    part = part_of(sample())
    judged = {topic["id"] for topic in part["topics"]}
    falling = [sorted(each, reverse=True) for topic, each in scores.items() if topic in judged]
    tied = sum(len(each) > 10 and each[9] == each[10] for each in falling)
    assert tied > 0
    (doubt,) = (each["text"] for each in part["doubts"] if "Equal scores" in each["text"])
    assert f"rm3 ({tied} topics)" in doubt


def test_copies_and_unjudged_documents_are_doubtful(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 0\n" for t in range(1, 7)))
    for name, documents in (("one", "abc"), ("two", "abc"), ("three", "bca")):
        lines = [
            f"{t} Q0 {document} 1 {3 - rank} {name}\n"
            for t in range(1, 7)
            for rank, document in enumerate(documents)
        ]
        (tmp_path / name).write_text("".join(lines))
    part = part_of(report("-m", "RR", "qrels", "one", "two", "three", cwd=tmp_path))
    texts = [each["text"] for each in part["doubts"]]
    assert "one and two have the same first 10 documents on 6 of 6 topics." in texts
    assert not any("three have" in text or "and three" in text for text in texts)
    assert any("one (67%), three (67%), two (67%)" in text for text in texts)


def test_a_share_judged_is_told_once(tmp_path: Path) -> None:
    """Of three documents one is judged: the note of the command is a doubt of the page."""
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n" for t in range(1, 7)))
    for name in ("one", "two"):
        lines = [
            f"{t} Q0 {d} 1 {-ord(d[0])} {name}\n" for t in range(1, 7) for d in ("a", name, "z")
        ]
        (tmp_path / name).write_text("".join(lines))
    text = report("-m", "RR", "qrels", "one", "two", cwd=tmp_path)
    part = part_of(text)
    assert any("one (33%), two (33%)" in each["text"] for each in part["doubts"])
    assert not any("documents are judged" in each for each in part["remarks"])


def test_doubts_of_one_measure_are_told_with_it() -> None:
    part = part_of(sample())
    skewed = [each for each in part["doubts"] if "skewed" in each["text"]]
    assert [each["measure"] for each in skewed] == [0, 1]
    assert all(each["text"].startswith("The differences") for each in skewed)
    assert "dense lacks 1 of 12 judged topics, which counts as 0: 20." in [
        each["text"] for each in part["doubts"] if "measure" not in each
    ]
    assert not any("skewed" in text for text in part["remarks"])


def test_signatures_are_those_of_compare() -> None:
    for baseline in ((), ("--baseline", "bm25.run")):
        signatures = [
            re.findall("signature: (.*)", irev(
                "compare", "--details", "-m", "map", *named, "qrels.txt", *RUNS, cwd=SAMPLE
            ).out.decode())[0]
            for named in dict.fromkeys(((), baseline))
        ]  # fmt: skip
        part = part_of(report("-m", "map", *baseline, "qrels.txt", *RUNS))
        assert [text for heading, text in part["made"] if heading == "signature"] == signatures
        lines = [each.partition("|")[2] for each in signatures]  # without the version
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        assert re.fullmatch(rf"irev:[^@]+@{digest[:8]}", part["signature"])


def test_without_its_script_the_page_has_the_answer() -> None:
    """Of the numbers of the data: the best run, what is shown, one table, the doubts."""
    page = nothing_is_loaded(sample())
    part = part_of(sample())
    plain = static_html(sample())
    rows = page.tables["Runs, sorted by map"]
    best, *others = rows
    # place, run, plot, map, P_10, difference, p, w/t/l, judged
    assert [cell.text for cell in best] == [
        "1", "dense baseline", "", f"{part['means'][0][1][0]:.3f}",
        f"{part['means'][1][1][0]:.3f}", "", "", "", "95%",
    ]  # fmt: skip
    for place, row in enumerate(others, 2):
        run = NAMES.index(row[1].text)
        difference = part["means"][0][run][0] - part["means"][0][1][0]
        p = part["pairs"][0]["p"][0 if run == 0 else 2]
        mark, verdict = ("▼", "significantly worse") if p <= 0.05 else ("·", "not significant")
        minus = f"{difference:.3f}".replace("-", "\u2212")
        assert [row[0].text, row[5].text] == [str(place), f"{minus} {mark}, {verdict}"]
        assert row[6].text == f"{p:.4f}"
        own, base = ([score or 0 for score in part["scores"][0][n]] for n in (run, 1))
        counts = [sum(a > b for a, b in zip(own, base, strict=True)),
                  sum(a == b for a, b in zip(own, base, strict=True)),
                  sum(a < b for a, b in zip(own, base, strict=True))]  # fmt: skip
        assert row[7].text == "/".join(map(str, counts))
    assert "No baseline was named: the runs are compared with dense, the best by map." in plain
    for doubt in part["doubts"]:
        assert (doubt["text"] in plain) == (doubt.get("measure", 0) == 0)
    heights = {row[0].text: [cell.text for cell in row[1:]] for row in page.tables["map"]}
    assert [*heights] == [topic["id"] for topic in part["topics"]]
    scores = sorted(each[0] / 1e4 for each in part["scores"][0])
    assert heights[part["topics"][0]["id"]][1:] == [f"{score:.3f}" for score in scores]


def test_decimals() -> None:
    assert "0.4836" in static_html(report("-m", "map", "--places", "4", "qrels.txt", *RUNS))
    ran = irev("report", "--places", "5", "qrels.txt", *RUNS, cwd=SAMPLE)
    assert (ran.code, ran.out) == (2, b"")


def test_a_named_baseline_is_where_the_page_begins() -> None:
    text = report("-m", "map", "--baseline", "rm3", "qrels.txt", *RUNS)
    rows = Page(text).tables["Runs, sorted by map"]
    assert [row[1].text for row in rows] == ["dense", "rm3 baseline", "bm25"]
    assert "No baseline was named" not in static_html(text)


def test_where_lower_is_better_the_best_is_the_lowest(tmp_path: Path) -> None:
    for name, line in (("qrels", "{} 0 a 1"), ("good", "{} Q0 a 1 1 x"), ("bad", "{} Q0 b 1 1 x")):
        (tmp_path / name).write_text("".join(line.format(t) + "\n" for t in (1, 2, 3)))
    text = report("-m", "SetE", "qrels", "bad", "good", cwd=tmp_path)
    (measure,) = part_of(text)["measures"]
    assert measure["higher"] is False
    rows = Page(text).tables[f"Runs, sorted by {measure['name']}"]
    assert [row[1].text for row in rows] == ["good baseline", "bad"]
    assert f"Lowest mean {measure['name']}" in static_html(text)
    assert "0/0/3" in static_html(text)


def test_a_single_run_has_intervals_and_its_lowest_topics() -> None:
    text = report(*MEASURES, "qrels.txt", "rm3.run")
    page, part = nothing_is_loaded(text), part_of(text)
    (row,) = (each for each in compared("-m", "map")["means"] if each["run"] == "rm3")
    assert part["means"][0][0] == pytest.approx([row["mean"], row["low"], row["high"]], rel=1e-11)
    scores = part["scores"][0][0]
    ids = [topic["id"] for topic in part["topics"]]
    worst = sorted(range(len(ids)), key=lambda topic: scores[topic])[:5]
    listed = ", ".join(f"{ids[topic]} ({scores[topic] / 1e4:.3f})" for topic in worst)
    plain = static_html(text)
    assert f"<h2>Lowest topics</h2><p>{listed}</p>" in plain
    assert (part["pairs"], part["families"], part["test"]) == ([], [], "")
    (only,) = page.tables["Runs, sorted by map"]
    assert len(only) == 5  # no place, no difference, no p, no counts
    for word in ("differ", "No baseline", "Highest mean"):
        assert word not in plain


def test_a_single_topic_has_no_interval_and_no_test(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name, score in (("good", 3), ("bad", 1)):
        (tmp_path / name).write_text(f"1 Q0 a 1 {score} x\n1 Q0 b 1 2 x\n")
    text = report("-m", "RR", "qrels", "good", "bad", cwd=tmp_path)
    part = part_of(text)
    assert part["means"] == [[[0.5, None, None], [1, None, None]]]
    assert part["no_test"] == "One topic gives no interval and no test."
    rows = nothing_is_loaded(text).tables["Runs, sorted by RR"]
    assert [cell.text for cell in rows[1]] == [
        "2",
        "bad",
        "",
        "0.500",
        "\u22120.500",
        "0/0/1",
        "50%",
    ]


def test_names_of_strangers_do_not_break_out(tmp_path: Path) -> None:
    topic, doc = HOSTILE.replace(" ", "_"), "<b>doc</b>"
    name = HOSTILE.replace("/", "_")  # no name of a file has one
    Path(tmp_path, name + "qrels").write_text(
        f"{topic} 0 {doc} 1\n2 0 b 1\n3 0 c 1\n", encoding="utf-8"
    )
    for n in (1, 2):
        lines = f"{topic} Q0 {doc} 1 {n} {topic}\n2 Q0 b 1 1 x\n3 Q0 {'cd'[n - 1]} 1 1 x\n"
        Path(tmp_path, f"{name}{n}").write_text(lines, encoding="utf-8")
    files = [name + "qrels", f"{name}1", f"{name}2"]
    for more in ([], ["--names", "tag"], ["--title", HOSTILE]):
        text = report(*more, *files, cwd=tmp_path)
        page = nothing_is_loaded(text)
        assert not {"img"} & set(page.tags)
        assert page.tags.count("script") == 2
        part = part_of(text)
        assert topic in [each["id"] for each in part["topics"]]
        assert unpacked(part["documents"], 0, 2)[0][0] == doc
    assert page.tables["map"][-1][0].text == topic
    assert page_data(text)["title"] == HOSTILE


def test_bytes_that_are_not_utf8_are_shown_as_hexadecimal(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"caf\xe9 0 d\xff 1\n2 0 b 1\n")
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(b"caf\xe9 Q0 d\xff 1 2 x\n2 Q0 b 1 1 x\n")
    text = report("-m", "RR", "qrels", "one", "two", cwd=tmp_path)
    part = part_of(text)
    assert [each["id"] for each in part["topics"]] == ["2", r"caf\xe9"]
    assert unpacked(part["documents"], 0, 1) == [(r"d\xff", "1")]
    assert r">caf\xe9</th>" in static_html(text)


def test_the_same_inputs_give_the_same_bytes() -> None:
    """Whatever the threads; the order of the runs changes colours and the command, no number."""
    assert report(*MEASURES, "--threads", "1", "qrels.txt", *RUNS) == sample()
    turned, part = part_of(report(*MEASURES, "qrels.txt", *reversed(RUNS))), part_of(sample())
    assert {key for key in part if part[key] != turned[key]} == {"runs", "made"}


def test_size() -> None:
    """A page of three runs and twelve topics can be sent by mail."""
    assert len(sample()) < 150_000


@pytest.mark.parametrize(
    ("arguments", "note", "key"),
    [
        (["--ties", "average"], "no documents are shown: --ties average has no order", "documents"),
        (["-R", "prefs", "-m", "prefs_simp"], "there are no curves: ", "curves"),
    ],
)
def test_what_there_is_not_is_left_out(arguments: list[str], note: str, key: str) -> None:
    qrels = "prefs.txt" if "prefs" in arguments else "qrels.txt"
    ran = irev("report", *arguments, qrels, "bm25.run", "rm3.run", cwd=SAMPLE)
    assert ran.code == 0, ran.err
    assert note in ran.err
    text = ran.out.decode()
    part = part_of(text)
    assert part[key] is None
    assert any(note.lower() in remark.lower() for remark in part["remarks"])
    nothing_is_loaded(text)


def test_classes_have_means_and_differences_of_their_own(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    topics = [topic["id"] for topic in part_of(sample())["topics"]]
    classes.write_text(
        "".join(f"{t} {'<odd>' if n % 2 else 'even'}\n" for n, t in enumerate(topics))
    )
    text = report("-m", "map", "--group-by", classes, "qrels.txt", *RUNS)
    nothing_is_loaded(text)
    whole, *parts = page_data(text)["parts"]
    assert whole["name"] == "All topics"
    assert sorted(part["name"] for part in parts) == ["<odd>", "even"]
    (odd,) = (part for part in parts if part["name"] == "<odd>")
    assert [topic["id"] for topic in odd["topics"]] == topics[1::2]
    scores = [score or 0 for score in whole["scores"][0][0][1::2]]
    assert odd["means"][0][0][0] == pytest.approx(sum(scores) / len(scores) / 1e4, abs=1e-4)
    assert len(odd["pairs"][0]["p"]) == 3
    # compare corrects for the classes, too, and says so; a class of its own is one family here
    listed = tmp_path / "odd"
    listed.write_text("".join(f"{topic}\n" for topic in topics[1::2]))
    pairs = {
        frozenset((each["run"], each["against"])): each["tests"]["moderated"]["corrected"]
        for each in compared("-m", "map", "--topics", listed)["pairs"]
    }
    for p, pair in zip(odd["pairs"][0]["p"], combinations(NAMES, 2), strict=True):
        assert p == pytest.approx(pairs[frozenset(pair)], abs=5.1e-5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["qrels.txt"], "give qrels and runs, or saved scores: irev report QRELS RUN..."),
        (["qrels.txt", "-"], "-: a report reads each file several times: name a regular file"),
        (["qrels.txt", "/dev/null"], "/dev/null: a report reads each file several times"),
        (["qrels.txt", "saved.json"], "saved scores beside judgments: a report takes QRELS RUN..."),
        (["saved.json", "bm25.run"], "bm25.run: this is a run: give its qrels first"),
        (["qrels.txt", "none.run"], "none.run: "),
        (["--output", "bm25.run", "qrels.txt", "bm25.run"], "would overwrite an input file"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    for name in ("qrels.txt", "bm25.run"):
        (tmp_path / name).write_bytes((SAMPLE / name).read_bytes())
    saved = irev("-q", "--format", "json", "qrels.txt", "bm25.run", cwd=tmp_path)
    (tmp_path / "saved.json").write_bytes(saved.out)
    ran = irev("report", *arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err


def test_a_page_of_answers_speaks_of_no_ranks() -> None:
    folder = ROOT / "tests" / "cases" / "answers"
    ran = irev("report", "-R", "nuggets", "-m", "V_strict", "assign_A.jsonl", cwd=folder)
    assert ran.code == 0, ran.err
    assert "irev: note: there are no curves and no documents: answers have no ranks" in ran.err
    text = static_html(ran.out.decode())
    assert "assign_A.jsonl, nuggets of answers" in text
    assert "num_rel" not in text
    assert "relevant from grade" not in text
