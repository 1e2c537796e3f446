"""`irev study sensitivity`: one document's change, by closed forms and by scoring anew."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irev import evaluate
from irev.errors import MismatchError, UsageError
from irev.jobs.studies.judgment_changes import (
    DocumentChanges,
    StackScorer,
    change_form,
    changed_values,
    kishida_ranking,
    nonrelevant_rank_indices,
    slope_form,
    unchanged_values,
    undiscovered_by_formula,
    undiscovered_in_run,
)
from irev.jobs.studies.sensitivity import (
    GradeChange,
    SensitivityStudy,
    artificial_ranking,
    sensitivity_of_ranking,
    sensitivity_of_run,
)
from irev.measures.registry import TREC_MEASURES, Measure, NamedOptions
from irev.options import Options
from tests import files
from tests.command import irev as command
from tests.each import for_each
from tests.files import SAMPLE
from tests.real_data import COVID, COVID_QRELS, needs_real_data
from tests.registered import NAMED

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "bm25.run"

with (files.CASES / "seeds/kishida.csv").open(encoding="utf-8", newline="") as lines:
    CASES = {row["ref"]: row for row in csv.DictReader(lines)}

SHORT = {
    "mod_sliding_ratio": "MSR@5", "avg_nDCG": "AvgNDCG(disc=jk,b=2)@5", "Q": "Q(beta=1)",
    "genAveP": "genAP",
}  # fmt: skip


def chosen(pattern: str) -> list[str]:
    return [ref for ref in CASES if re.match(pattern, ref)]


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def drawn_at(line: Any) -> Any:
    return np.asarray(line.get_xydata()).tolist()


def cell(table: Any, measure: str, rank: int) -> float:
    return float(table.loc[table["rank"] == rank, measure].iloc[0])


# --- the report's numbers ---


@pytest.mark.parametrize("ref", chosen("K-Eq1[06]"))
def test_average_precision(ref: str) -> None:
    row = CASES[ref]
    rank = int(ref.rpartition("j")[2])
    record = sensitivity_of_ranking(
        numbers(row["input_ranking_gains"]), ["AP", "map"], relevant_grades=[1.0] * int(row["R"]),
        ideal_grows="Eq16" in ref,
    )  # fmt: skip
    for name in ("AP", "map"):
        found = cell(record.tables["changes"], name, rank)
        assert found == pytest.approx(float(row["computed"]), abs=1e-6)


@for_each("ref", chosen("K-Eq(28|33|36|43)"))
def test_slope(ref: str) -> None:
    row = CASES[ref]
    name = SHORT[row["measure"].split()[1]]
    rank = int(ref.rpartition("j")[2])
    gains = numbers(row["input_ranking_gains"])
    record = sensitivity_of_ranking(gains, [name], ideal_grows=False)
    table = record.tables["slopes"]
    found = cell(table, table.columns[2], rank)
    assert found == pytest.approx(float(row["computed"]), abs=1e-6)


@pytest.mark.parametrize("ref", chosen("K-Eq(37|44)"))
def test_jump(ref: str) -> None:
    row = CASES[ref]
    name = SHORT[row["measure"].split()[1]]
    gains = numbers(row["input_ranking_gains"])
    record = sensitivity_of_ranking(gains, [name], new_grade=2, ideal_grows=False)
    found = cell(record.tables["changes"], name, int(ref.rpartition("j")[2]))
    assert found == pytest.approx(float(row["computed"]), abs=1e-6)


@pytest.mark.parametrize("ref", chosen("K-T1"))
def test_table_1(ref: str) -> None:
    row = CASES[ref]
    score = float(ref.rpartition("v")[2])
    record = undiscovered_by_formula(100, [int(row["R"])], [score])
    found = record.tables["undiscovered"]["change"].iloc[0]
    assert f"{found:.5f}" == f"{float(row['printed']):.5f}"
    assert found == pytest.approx(float(row["computed"]), abs=1e-6)


def test_least_precision() -> None:
    # relevant documents at the last ranks: 0.0567, 0.3118 and 1.0000 are worked out by hand
    least = undiscovered_by_formula(100).tables["change"]["least v"]
    assert [round(value, 4) for value in least] == [0.0567, 0.3118, 1.0]
    assert undiscovered_by_formula(20, [50], [0.5]).tables["change"]["least v"].isna().all()


@pytest.mark.parametrize("scores", [[], [-0.1], [0.5, 1.1]])
def test_average_precisions_that_there_are_not(scores: list[float]) -> None:
    with pytest.raises(UsageError, match="average precisions must be between 0 and 1"):
        undiscovered_by_formula(100, [10], scores)


def test_a_real_ranking_of_the_special_case() -> None:
    ranks = numbers(CASES["K-Eq17-brute"]["input_ranking_gains"].removeprefix("ranks "))
    grades = [1.0 if rank in ranks else 0.0 for rank in range(1, 102)]
    record = sensitivity_of_ranking(grades, ["AP"])
    assert cell(record.tables["changes"], "AP", 101) == pytest.approx(-0.005143, abs=1e-6)


def test_earlier_is_more() -> None:
    # eq. 11, on a ranking without relevant documents between
    record = sensitivity_of_ranking([1, 0, 0, 0, 0, 1, 0], ["AP"], ideal_grows=False)
    changes = record.tables["changes"]["AP"].tolist()
    assert changes == sorted(changes, reverse=True)
    assert len(set(changes)) == len(changes)


# --- closed forms and scoring anew ---


def random_ranking(seed: int) -> Any:
    rng = random.Random(seed)
    grades = [rng.choice([-1, 0, 0, 0, 1, 2, 3]) for _ in range(rng.choice([1, 6, 14]))]
    relevant = [grade for grade in grades if grade > 0] + [1.0, 2.0]
    return artificial_ranking(grades, relevant, 1)


@for_each("seed", range(12))
@for_each("grows", [False, True])
def test_closed_forms_are_what_scoring_anew_gives(seed: int, *, grows: bool) -> None:
    ranking = random_ranking(seed)
    names = [
        "map", "AP", "Rprec", "MSR@4", "MSR@20", "AvgNDCG(disc=jk,b=2)@5", "Q(beta=0.5)",
        "AvgNDCG(disc=jk,b=3)@20", "Q(beta=1)", "Q(beta=10)", "genAP",
    ]  # fmt: skip
    scorer = StackScorer(names, Options(), 3.0)
    places = nonrelevant_rank_indices(ranking, 1, 99)
    before = unchanged_values(scorer, ranking)
    for grade in (1.0, 2.0, 3.0):
        old, new = ranking.grade[places], np.full(len(places), grade)
        anew = changed_values(scorer, ranking, DocumentChanges(places, old, new, grows)) - before
        gains = kishida_ranking(ranking, 1)
        assert gains is not None
        forms = 0
        for column, (request, number) in enumerate(scorer.request_columns):
            form = change_form(request, number, grade, ideal_grows=grows)
            if form is not None:
                assert form.ranks(gains)[places] == pytest.approx(anew[:, column], abs=1e-12)
                forms += 1
        assert forms == (2 if grows else len(names))


@pytest.mark.parametrize("seed", range(8))
def test_slopes_are_differences(seed: int) -> None:
    ranking = random_ranking(seed)
    names = ["MSR@4", "AvgNDCG(disc=jk,b=3)@5", "Q(beta=0.5)", "genAP"]
    scorer = StackScorer(names, Options(), 3.0)
    gains = kishida_ranking(ranking, 1)
    assert gains is not None
    before = unchanged_values(scorer, ranking)
    for place in np.flatnonzero(ranking.grade > 0):
        old = ranking.grade[place : place + 1]
        raised = DocumentChanges(np.array([place]), old, old + 0.5, ideal_grows=False)
        rise = (changed_values(scorer, ranking, raised)[0] - before) / 0.5
        for column, (request, number) in enumerate(scorer.request_columns):
            form = slope_form(request, number)
            assert form is not None
            assert form.ranks(gains)[place] == pytest.approx(rise[column], abs=1e-12)


def test_slope_without_a_closed_form() -> None:
    # ERR of one document at rank 1 with gain g: (2^g - 1) / 2^3, slope 2^g ln 2 / 8
    record = sensitivity_of_ranking(
        [2, 0], ["ERR(max=3)", "nDCG(gain={1:1,2:5})@2"], ideal_grows=False
    )
    table = record.tables["slopes"]
    assert table["ERR(max=3)"].iloc[0] == pytest.approx(4 * np.log(2) / 8, rel=1e-6)
    assert table.iloc[:1, 3].isna().all()  # gains listed grade by grade have no slope


def test_no_closed_form_where_a_level_parts_gain_and_relevance() -> None:
    scorer = StackScorer(["Q(beta=1)", "Q(beta=1,rel=2)", "AP@3"], Options(level=2), 3.0)
    ranking = artificial_ranking([1, 0, 2], None, 2)
    assert kishida_ranking(ranking, 2) is None
    forms = [change_form(*place, 2.0, ideal_grows=False) for place in scorer.request_columns]
    assert [form is not None for form in forms] == [True, False, False]


def asked(measure: Measure) -> str:
    cutoff = measure.parameter.cutoff if isinstance(measure.parameter, NamedOptions) else "none"
    at = {"none": "", "optional": "@4", "required": "@4"}.get(cutoff, "@0.5")
    return (
        measure.name + ("(scale=minmax)" if measure.scores and measure.name == "ADM" else "") + at
    )


N: dict[str, Any] = {"collection_size": 90}


GRADED = [
    measure
    for measure in [*TREC_MEASURES.values(), *NAMED.values()]
    if measure.needs == "qrels" and measure.per_topic and measure.kind != "text" and not measure.ids
]


def outcome(names: list[str], grades: dict[str, int], run: dict[str, float]) -> list[float]:
    found = evaluate({"q": grades}, {"q": run}, names, **N).per_topic()["q"]
    return [float(found[name]) for name in found]


def test_every_measure_as_the_evaluation_has_it() -> None:
    """The change is the difference of two whole evaluations, of any measure."""
    grades = {"a": 2, "b": 0, "d": 1, "e": 1, "f": -1, "g": 3}
    run = {doc: 9.0 - place for place, doc in enumerate("abcdfh")}
    usable = [asked(measure) for measure in GRADED]
    read = sensitivity_of_run({"q": grades}, {"q": run}, usable, topic_id="q", options=Options(**N))
    table = read.tables["changes"]
    assert table["rank"].tolist() == [2, 3, 5, 6]
    before = outcome(usable, grades, run)
    for rank, doc in ((2, "b"), (3, "c"), (5, "f"), (6, "h")):
        after = outcome(usable, {**grades, doc: 1}, run)
        found = table.loc[table["rank"] == rank].iloc[0, 2:].tolist()
        expected = [new - old for new, old in zip(after, before, strict=True)]
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), doc


def test_every_measure_with_all_held_fixed() -> None:
    """Nothing fails where a ranking holds more relevant documents than the judgments."""
    names = [asked(measure) for measure in GRADED if measure.name != "Compat"]
    record = sensitivity_of_ranking(
        [1, 0, 2, 0, -1], names, new_grade=2, ideal_grows=False, options=Options(**N)
    )
    assert len(record.tables["changes"]) == 3


# --- runs ---


def small() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    qrels = {
        "1": {"a": 1, "b": 0, "z": 1},
        "2": {"a": 0, "c": 1},
        "3": {"a": 0},
    }
    ranked = {"a": 3.0, "b": 2.0, "c": 1.0}
    return qrels, {topic: dict(ranked) for topic in qrels}


def test_mean_over_topics() -> None:
    qrels, run = small()
    record = sensitivity_of_run(qrels, run, ["AP"])
    # topic 1: 1 0 0, R=2, AP 1/2; topic 2: 0 0 1, R=1, AP 1/3; topic 3 has nothing relevant
    table = record.tables["changes"]
    assert table["rank"].tolist() == [1, 2, 3]
    assert table["topics"].tolist() == [1, 2, 1]
    first = (1 + 2 / 3) / 2 - 1 / 3
    second = ((2 / 3 - 1 / 2) + ((1 / 2 + 2 / 3) / 2 - 1 / 3)) / 2
    third = (1 + 2 / 3) / 3 - 1 / 2
    assert table["AP"].tolist() == pytest.approx([first, second, third])
    assert record.notes == ("mean over 2 topics", "1 topic without relevant documents left out")
    assert len(record.tables["topics"]) == 4


def test_topics_that_the_run_lacks_are_named() -> None:
    qrels, run = small()
    qrels |= {"4": {"a": 1}, "5": {"a": 0}}
    for record in (
        sensitivity_of_run(qrels, run, ["AP"]), undiscovered_in_run(qrels, run, ["AP"], 1),
    ):  # fmt: skip
        assert "the run lacks 1 judged topic, left out: 4" in record.notes


def test_one_document() -> None:
    qrels, run = small()
    found = sensitivity_of_run(qrels, run, ["AP"], topic_id="1", document_id="c").tables
    assert found["document"].iloc[0].tolist() == ["1", "c", "3", "not judged", "1"]
    assert found["scores"]["change"].iloc[0] == pytest.approx((1 + 2 / 3) / 3 - 1 / 2)
    # not retrieved, and relevant before
    found = sensitivity_of_run(
        qrels, run, ["AP"], topic_id="1", document_id="z", new_grade=0
    ).tables
    assert found["document"].iloc[0].tolist() == ["1", "z", "not retrieved", "1", "0"]
    assert found["scores"][["before", "after"]].iloc[0].tolist() == [0.5, 1.0]
    with pytest.raises(MismatchError, match="neither the run nor the qrels have a document y"):
        sensitivity_of_run(qrels, run, ["AP"], topic_id="1", document_id="y")


def test_closed_form_and_evaluation_agree_on_a_run() -> None:
    by_form = sensitivity_of_run(QRELS, RUN, ["AP"], depth=30).tables
    anew = sensitivity_of_run(QRELS, RUN, ["AP@1000"], depth=30).tables
    assert by_form["scores"]["change by"].tolist() == ["eq. 16"]
    assert anew["scores"]["change by"].tolist() == ["scored again"]
    assert by_form["changes"]["AP"].tolist() == pytest.approx(
        anew["changes"]["AP@1000"].tolist(), abs=1e-12
    )


@needs_real_data
def test_real_run() -> None:
    qrels, run = COVID_QRELS, COVID / "runs/10x10.prf.unipd.it"
    record = sensitivity_of_run(qrels, run, ["AP", "AP@100000"], depth=1000)
    table = record.tables["topics"].pivot_table(
        index=["topic", "rank"], columns="measure", values="change"
    )
    assert table["AP"].tolist() == pytest.approx(table["AP@100000"].tolist(), abs=1e-12)
    (axes,) = record.figures["sensitivity"]().axes
    assert axes.get_xlim()[1] > 900


def test_undiscovered_in_a_run() -> None:
    qrels, run = small()
    record = undiscovered_in_run(qrels, run, ["AP"], 2)
    table = record.tables["topics"]
    assert table["topic"].tolist() == ["1"]
    assert table["AP"].iloc[0] == pytest.approx((1 + 2 / 3) / 3 - 1 / 2)
    assert record.tables["range"][["gain", "lose", "same"]].iloc[0].tolist() == [1, 0, 0]
    with pytest.raises(MismatchError, match="at rank 10"):
        undiscovered_in_run(qrels, run, ["AP"], 9)


def test_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    turned = []
    for path in (QRELS, RUN):
        lines = path.read_bytes().splitlines(keepends=True)
        (tmp_path / path.name).write_bytes(b"".join(reversed(lines)))
        turned.append(tmp_path / path.name)
    one = sensitivity_of_run(QRELS, RUN, ["AP", "bpref"], depth=20).tables
    other = sensitivity_of_run(turned[0], turned[1], ["AP", "bpref"], depth=20).tables
    for name in one:
        assert one[name].equals(other[name])


# --- what is refused ---


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (["map_prefs", "AP"], {}, "no measure|judgments"),
        (["runid"], {}, "no value for a ranking"),
        (["alpha_nDCG@10"], {}, "subtopics"),
        (["AP"], {"ties": "average"}, "ties"),
    ],
)
def test_refused_measures(names: list[str], options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sensitivity_of_ranking([1, 0], names, options=Options(**options))


def test_slopes_at_the_top_of_a_scale() -> None:
    """A grade is lowered there; where that leaves relevance, there is no slope."""
    record = sensitivity_of_ranking([3, 1], ["ERR"], options=Options())
    assert not record.tables["slopes"]["ERR(max=3)"].isna().any()
    # of gain g at rank 1 and 1 at rank 2: p1 + (1 - p1) p2 / 2, p = (2^g - 1) / 8
    expected = 8 * np.log(2) / 8 * (1 - 1 / 16)
    assert record.tables["slopes"]["ERR(max=3)"].iloc[0] == pytest.approx(expected, rel=1e-6)
    record = sensitivity_of_ranking([1, 0], ["ERR", "nDCG@2"])
    assert record.tables["slopes"]["ERR(max=1)"].isna().all()
    assert not record.tables["slopes"]["nDCG@2"].isna().any()


def test_refused_rankings() -> None:
    with pytest.raises(UsageError, match="cannot be kept fixed"):
        sensitivity_of_ranking([1, 0], ["Compat"], ideal_grows=False)
    with pytest.raises(UsageError, match="document of grade 3 more"):
        sensitivity_of_ranking([3, 1], ["AP"], relevant_grades=[1.0, 2.0])
    with pytest.raises(UsageError, match="at least 1"):
        undiscovered_by_formula(100, [])
    with pytest.raises(UsageError, match="between 0 and 1"):
        undiscovered_by_formula(100, [10], [1.5])


# --- the figure, and the command ---


def test_what_is_drawn() -> None:
    record = sensitivity_of_ranking([1, 0, 0, 1, 0, 0], ["AP", "nDCG@5"], ideal_grows=False)
    (axes,) = record.figures["sensitivity"]().axes
    drawn = {line.get_label(): drawn_at(line) for line in axes.lines[1:]}
    table = record.tables["sensitivity"]
    assert list(drawn) == ["AP", "nDCG@5"]
    for name, points in table.groupby("measure"):
        assert drawn[name] == points[["rank", "change"]].to_numpy().tolist()
    assert axes.get_xlabel() == "rank of the document that gets grade 1 (R fixed)"
    assert axes.get_ylabel() == "change of the score"
    legend = axes.figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["AP", "nDCG@5"]


def test_what_is_drawn_of_undiscovered_documents() -> None:
    (axes,) = undiscovered_by_formula(100).figures["undiscovered"]().axes
    assert [line.get_label() for line in axes.lines[1:]] == ["R=10", "R=50", "R=100"]
    assert drawn_at(axes.lines[1])[0] == pytest.approx([0.1, 1 / 101 - 0.1 / 11])
    record = undiscovered_in_run(QRELS, RUN, ["AP", "P@10"], 20)
    (axes,) = record.figures["undiscovered"]().axes
    assert [line.get_label() for line in axes.lines[1:]] == ["AP", "P@10"]
    points = record.tables["undiscovered"].query("measure == 'AP'")[["place", "change"]]
    assert drawn_at(axes.lines[1]) == points.to_numpy().tolist()


def test_command_refuses() -> None:
    for arguments, said in [
        ([], "a ranking, or qrels and one run"),
        (["--ranking", "1,x"], "'x' is not a number"),
        (["--ranking", "1,1", "--relevant", "1"], "at least the 2 relevant documents"),
        (["--ranking", "1", "--relevant", "2", "--grades-present", "1"], "no --relevant"),
        (["--ranking", "1", "-t", "3"], "--topic cannot be combined with"),
        (["--ranking", "1", "--grade", "-1"], "at least 0"),
        (["--ranking", "1", "--scores", "0.5"], "--scores cannot be combined with"),
        (["--undiscovered", "9", "-m", "AP"], "-m needs QRELS RUN"),
        (["--undiscovered", "9", "--recall", "fixed"], "cannot be combined with"),
        (["--undiscovered", "9", "--relevant", "0"], "whole number of at least 1"),
        ([str(QRELS), str(RUN), "--doc", "d"], "name the topic"),
        ([str(QRELS), str(RUN), "-t", "nope"], "the qrels have no topic nope"),
        ([str(QRELS), str(RUN), "--ranking", "1"], "--ranking cannot be combined with"),
    ]:
        ran = command("study", "sensitivity", *arguments)
        assert (ran.code, ran.out) == (2, b""), arguments
        assert said in ran.err, arguments
        assert "Traceback" not in ran.err, arguments


def test_study_is_of_any_ranking() -> None:
    # what the class gives is what the library function shows
    ranking = artificial_ranking([0, 1, 0], None, 1)
    study = SensitivityStudy(StackScorer(["AP"], Options(), 1.0), GradeChange(1.0), 1)
    places = np.array([0, 2])
    found = study.value_changes(ranking, places, unchanged_values(study.scorer, ranking))
    assert found[:, 0].tolist() == pytest.approx([0.5, (1 / 2 + 2 / 3) / 2 - 0.5])


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("sensitivity", []),
        ("sensitivity", ["--undiscovered", "3"]),
        ("judgment-noise", ["--theta", "0.9", "--trials", "5"]),
    ],
)
def test_inputs_of_other_layouts(kind: str, more: list[str], tmp_path: Path) -> None:
    """Judgments without an iteration column, and a run of ranks, in place of TREC's."""
    qrels, run, ranked = (tmp_path / name for name in ("triples", "ranks", "plain"))
    rows = [line.split() for line in QRELS.read_text(encoding="utf-8").splitlines()]
    qrels.write_text("".join(f"{t} {d} {g}\n" for t, _, d, g in rows), encoding="utf-8")
    found = [line.split() for line in RUN.read_text(encoding="utf-8").splitlines()]
    run.write_text(
        "".join(f"{row[0]}\t{row[2]}\t{n}\n" for n, row in enumerate(found, 1)), encoding="utf-8"
    )
    ranked.write_text(
        "".join(f"{row[0]} Q0 {row[2]} 0 {-n} tag\n" for n, row in enumerate(found, 1)),
        encoding="utf-8",
    )
    asked = ("study", kind, "-m", "AP", *more, "--format", "json")
    expected = command(*asked, QRELS, ranked)
    ran = command(*asked, "-R", "triples", "-T", "msmarco", qrels, run)
    assert (ran.code, expected.code) == (0, 0), ran.err
    assert json.loads(ran.out)["tables"] == json.loads(expected.out)["tables"]
