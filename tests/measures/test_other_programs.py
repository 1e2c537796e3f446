"""Values that other programs print for small rankings, and some by the definition alone.

`tests/cases/other_programs.csv` says which: tar_eval_2018.py, BEIR, ranx 0.3.21, NTCIREVAL 190111,
pyNTCIREVAL 0.0.3, cwl-eval 1.0.12, and the examples of Magdy and Jones 2010.
"""

from __future__ import annotations

import ast
import csv
import re
from typing import TYPE_CHECKING, Any

import pytest

import irev
from irev.engine.evaluator import Evaluator
from tests import command, strategies
from tests.each import for_each
from tests.files import CASES
from tests.measures.test_defined_classic import Asked
from tests.plain import Topic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

with (CASES / "other_programs.csv").open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file))
INPUTS = {row["id"]: row["input"] for row in ROWS if row["measure"] == "input"}


def rows(*prefixes: str) -> list[Any]:
    """The rows whose ids begin so."""
    chosen = [r for r in ROWS if r["measure"] != "input" and r["id"].startswith(prefixes)]
    assert chosen
    return [pytest.param(row, id=row["id"]) for row in chosen]


def value(name: str, qrels: Mapping[str, Any], run: Mapping[str, Any], **options: Any) -> float:
    """The mean that is printed for a name."""
    (found,) = irev.evaluate(qrels, run, [name], **options).summary().values()
    return float(found)


def ranked(documents: list[str]) -> dict[str, float]:
    """A run of one topic with these documents from the top."""
    return {document: -float(place) for place, document in enumerate(documents)}


def found_at(ranks: list[int], relevant: int, judged: int, retrieved: int) -> tuple[Any, Any]:
    """Judgments and a run of one topic whose relevant documents are retrieved at these ranks."""
    documents = [f"r{rank}" if rank in ranks else f"n{rank}" for rank in range(1, retrieved + 1)]
    qrels = {document: int(document[0] == "r") for document in documents[:judged]}
    qrels |= {f"m{number}": 1 for number in range(relevant - len(ranks))}
    qrels |= {f"o{number}": 0 for number in range(judged - len(qrels))}
    return {"1": qrels}, {"1": ranked(documents)}


# --- technology-assisted review ---


@for_each("row", rows("TAR"))
def test_screening(row: dict[str, str]) -> None:
    ranks, sizes = INPUTS[row["id"].split("-")[0]].split("], ")
    relevant, judged, retrieved = map(int, re.findall(r"\d+", sizes))
    qrels, run = found_at(list(map(int, re.findall(r"\d+", ranks))), relevant, judged, retrieved)
    replaced = row["parameters"].replace("never=N", "missing=N")
    if replaced.startswith("@"):
        name = f"{row['measure']}{replaced}"
    elif row["measure"].endswith("LastRel"):
        name = f"{row['measure']}({replaced or 'missing=found'})"
    else:
        name = f"{row['measure']}({replaced})"
    assert value(name, qrels, run) == pytest.approx(float(row["value"]), abs=1e-9)


PRINTED_BY_TAR_EVAL = [
    ("tar:wss_95", "WSS(recall=0.95,target=round)"),
    ("tar:wss_100", "WSS(recall=1,target=round)"),
    ("tar:norm_area", "RecallArea"),
    ("tar:last_rel", "LastRel(missing=found)"),
    ("tar:norm_last_rel", "NormLastRel(missing=found)"),
    ("tar:recall@10%", "ReadRecall(percent=10)"),
    ("WSS@95", "WSS(recall=0.95)"),
    ("WSS@100", "WSS(recall=1)"),
    ("NCG@20%", "ReadRecall(percent=20)"),
    ("R(rel=2)@20%", "ReadRecall(percent=20,rel=2)"),
]


@pytest.mark.parametrize(("name", "own"), PRINTED_BY_TAR_EVAL)
def test_names_of_screening(name: str, own: str) -> None:
    qrels, run = found_at([1, 2, 4, 5, 7, 8, 9, 12, 13, 15, 40], 11, 100, 60)
    scores = irev.evaluate(qrels, run, [name])
    assert [(c.name, c.canonical) for c in scores.columns] == [(name, own)]
    assert list(scores.summary().values()) == list(
        irev.evaluate(qrels, run, [own]).summary().values()
    )


def test_normalised_work_saved_has_one_range() -> None:
    """Eleven relevant documents of a hundred, the tenth at rank 15, the last at rank 40."""
    qrels, run = found_at([1, 2, 4, 5, 7, 8, 9, 12, 13, 15, 40], 11, 100, 60)
    assert value("WSS(recall=1,norm=true)", qrels, run) == pytest.approx((89 - 29) / 89)
    best, order = found_at(list(range(1, 12)), 11, 100, 60)
    assert value("WSS(recall=1,norm=true)", best, order) == 1.0


# --- PRES and nCG ---


@pytest.mark.parametrize("row", rows("pres"))
def test_patent_retrieval_score(row: dict[str, str]) -> None:
    ranks = [int(rank) for rank in re.findall(r"\d+", row["input"].split("R=")[0])]
    relevant = int(row["input"].split("R=")[1])
    qrels, run = found_at(ranks, relevant, max(relevant, 300), 300)
    found = value(f"PRES{row['parameters']}", qrels, run)
    assert found == pytest.approx(float(row["value"]), abs=1e-10)


@pytest.mark.parametrize("cutoff", [5, 30])
def test_patent_retrieval_score_is_normalised_recall_of_a_cut_list(cutoff: int) -> None:
    for topic in strategies.seeded_topics(5, 60):
        size = cutoff + topic.num_rel
        cut = Topic(topic.codes[:cutoff], [g for g in topic.grades if g >= 1])
        only = Topic([c if c >= 1 else -1.0 for c in cut.codes], cut.grades)
        if not topic.num_rel:
            continue
        expected = Asked("NormRecall", options={"N": size}).values([only])
        values = Asked("PRES", (cutoff,)).values([topic])
        assert values[0] == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("row", rows("ncg"))
def test_gain_without_discount(row: dict[str, str]) -> None:
    shown, every = (re.findall(r"\d", text) for text in row["input"].split(", "))
    ranking = [f"d{place}" for place in range(len(shown))]
    qrels = {document: int(grade) for document, grade in zip(ranking, shown, strict=True)}
    for grade in shown:
        if grade != "0":
            every.remove(grade)
    qrels |= {f"m{place}": int(grade) for place, grade in enumerate(every)}
    for name in (f"nCG{row['parameters']}", f"NCG{row['parameters']}"):
        found = value(name, {"1": qrels}, {"1": ranked(ranking)})
        assert found == pytest.approx(float(row["value"]), abs=1e-9)


# --- NTCIREVAL ---


def intents_case(case: str, folder: Path) -> tuple[str, str, str]:
    """The judgments, the run and the intents of an input, as files."""
    parts = re.fullmatch(
        r"gains by intent (\{.*\}), P (\{.*?\}), kinds (\{.*?\}), ranking (\w+)", INPUTS[case]
    )
    assert parts
    judged, share, kinds = (ast.literal_eval(parts[number]) for number in (1, 2, 3))
    lines = {
        "qrels": [f"1 {i} {d} {g}" for d, gains in judged.items() for i, g in gains.items()],
        "run": [f"1 Q0 {d} {n} {-n} t" for n, d in enumerate(parts[4], 1)],
        "intents": [f"1 {i} {p} {kinds[i]}" for i, p in share.items()],
    }
    for name, text in lines.items():
        (folder / name).write_text("".join(f"{line}\n" for line in text))
    qrels, run, intents = (str(folder / name) for name in lines)
    return qrels, run, intents


def of_intents(names: list[str], files: tuple[str, str, str]) -> list[float]:
    qrels, run, intents = files
    options = irev.Options(intents=intents)
    scores = Evaluator(qrels, names, options, qrels_format="subtopics").evaluate(run)
    return [float(value) for value in scores.summary().values()]


def name_of(row: dict[str, str]) -> str:
    """A measure as it is asked for, with the options in parentheses."""
    options, at, cutoff = row["parameters"].partition("@")
    options = options.replace("R", "denom=R").replace("denom=denom=", "denom=")
    return f"{row['measure']}({options}){at}{cutoff}" if options else f"{row['measure']}@{cutoff}"


@for_each("row", rows("D1-", "D2-"))
def test_diversity_of_ntcireval(row: dict[str, str], tmp_path: Path) -> None:
    (found,) = of_intents([name_of(row)], intents_case(row["id"][:2], tmp_path))
    assert found == pytest.approx(float(row["value"]), abs=1e-9)


SPELLED = [
    ("ntcir:I-rec@3", "StRecall@3"), ("ntcir:D-nDCG@3", "D_nDCG@3"),
    ("ntcir:D-MSnDCG@3", "D_nDCG@3"), ("ntcir:D#-nDCG@3", "DSharp_nDCG@3"),
    ("ntcir:D-Q@3", "D_Q(denom=min)@3"), ("D#-Q@0003", "DSharp_Q(denom=min)@3"),
    ("ntcir:D#-Q@3", "DSharp_Q(denom=min)@3"), ("ntcir:IA-Q@3", "IA_Q(denom=min)@3"),
    ("ntcir:DIN-Q@3", "DIN_Q(denom=min)@3"), ("ntcir:DIN#-Q@3", "DINSharp_Q(denom=min)@3"),
    ("ntcir:DIN-nDCG@3", "DIN_nDCG@3"), ("ntcir:DIN#-nDCG@3", "DINSharp_nDCG@3"),
    ("ntcir:D-ERR@3", "D_ERR@3"), ("ntcir:D-nERR@3", "D_nERR@3"), ("ntcir:D-EBR@3", "D_EBR@3"),
    ("ntcir:D-RBP@3", "D_RBP@3"), ("ntcir:D#-RBP@3", "DSharp_RBP(p=0.99)@3"),
    ("ntcir:D#-ERR@3", "DSharp_ERR@3"), ("ntcir:D#-EBR@3", "DSharp_EBR@3"),
    ("ntcir:IA-ERR@3", "IA_ERR(max=intent,stop=ratio)@3"),
    ("ntcir:IA-nERR@3", "IA_nERR(max=intent)@3"), ("ntcir:IA-EBR@3", "IA_EBR(max=intent)@3"),
    ("ntcir:IA-RBP@3", "IA_RBP(max=intent)@3"), ("ntcir:IA-MSnDCG@3", "IA_nDCG@3"),
    ("ntcir:P+Q", "PplusQ"),
]  # fmt: skip


def test_names_of_ntcireval(tmp_path: Path) -> None:
    files = intents_case("D1", tmp_path)
    names, own = map(list, zip(*SPELLED, strict=True))
    assert of_intents(names, files) == [of_intents([name], files)[0] for name in own]


@pytest.mark.parametrize("row", rows("ncu"))
def test_stop_values(row: dict[str, str], tmp_path: Path) -> None:
    """The gains of the case are 1, 2 and 3, its three highest grades."""
    levels = re.findall(r"\d", row["input"].split(";")[0])
    ranking = [f"d{place}" for place in range(len(levels))]
    qrels = {d: int(level) for d, level in zip(ranking, levels, strict=True)}
    qrels |= {"m1": 1, "m2": 2}
    assert sorted(qrels.values()) == [0] * 6 + [1, 1, 1, 2, 2, 3]
    stops = ":".join(reversed(row["parameters"].removeprefix("stops=").split(":")))
    name = f"ntcir:{row['measure']}(stops={stops},gain=3:2:1)"
    found = value(name, {"1": qrels}, {"1": ranked(ranking)})
    assert found == pytest.approx(float(row["value"]), abs=1e-9)
    with pytest.raises(irev.UsageError, match="stops means stop=gu"):
        value(f"NCU(stop=rb,stops={stops})", {"1": qrels}, {"1": ranked(ranking)})


def test_a_grade_above_the_map_is_an_error_of_ntcireval(tmp_path: Path) -> None:
    qrels, run = {"1": {"a": 1, "b": 4, "c": 2}}, {"1": ranked(["b", "a", "c"])}
    with pytest.raises(irev.UsageError, match=r"hold the grade 4, above gain=\{1:1,2:2,3:3\}"):
        value("ntcir:Q(gain=3:2:1)", qrels, run)
    with pytest.raises(irev.UsageError, match="above gain="):
        value("ntcir:Q", qrels, run, defaults=[("gain", "1=1,2=2,3=3")])
    with pytest.raises(irev.UsageError, match="above stops="):
        value("ntcir:NCUguP(stops=2:1)", qrels, run)
    judgments, ranking = tmp_path / "q", tmp_path / "r"
    judgments.write_text("1 0 a 1\n1 0 b 4\n1 0 c 2\n")
    ranking.write_text("1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 c 3 1 t\n")
    done = command.irev("-m", "Q(gain=3:2:1)", str(judgments), str(ranking))
    assert b"0.9583" in done.out
    assert (
        "the grade 4 is above the grades in the map of gains, so its gain is the grade itself"
        in done.err
    )


# --- cwl_eval ---


@pytest.mark.parametrize("row", rows("cwl"))
def test_rates_of_cwl_eval(row: dict[str, str]) -> None:
    gains = ast.literal_eval(
        INPUTS[row["id"].rpartition("-")[0].rpartition("-")[0]][6:].split(", c")[0]
    )
    ranking = [f"d{place}" for place in range(len(gains))]
    qrels = {d: int(4 * gain) for d, gain in zip(ranking, gains, strict=True)}
    name = f"{row['measure']}(max=4)"
    found = value(name, {"1": {**qrels, "missed": 4}}, {"1": ranked(ranking)})
    assert found == pytest.approx(float(row["value"]), abs=1e-9)


# --- BEIR ---


@pytest.mark.parametrize("row", rows("hole"))
def test_holes(row: dict[str, str]) -> None:
    judged, run = map(ast.literal_eval, re.findall(r"\{.*?\}", row["input"]))
    qrels = {topic: dict.fromkeys(documents, 1) for topic, documents in judged.items()}
    qrels["q1"] |= {"a": 0, "b": -1}
    for name in ("Hole", "beir:Hole"):
        found = value(
            f"{name}{row['parameters']}",
            qrels,
            {topic: ranked(documents) for topic, documents in run.items()},
            topics="qrels",
        )
        assert found == pytest.approx(float(row["value"]), abs=1e-9)


def test_holes_do_not_go_with_all_orders_of_ties() -> None:
    with pytest.raises(irev.UsageError, match='Hole@2 cannot be combined with ties="average"'):
        value("Hole@2", {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, ties="average")


# --- ranx ---


@pytest.mark.parametrize("row", rows("ranx"))
def test_hits_of_ranx(row: dict[str, str]) -> None:
    qrels, run = {}, {}
    for part in row["input"].split("; "):
        topic, judged, documents = re.fullmatch(r"(\w+) (.*), run (.*)", part).groups()  # type: ignore[union-attr]
        qrels[topic] = {d: int(g) for d, g in re.findall(r"(\w):(\d)", judged)}
        run[topic] = ranked(documents.split())
    assert value(row["measure"], qrels, run) == pytest.approx(float(row["value"]), abs=1e-9)


def test_hit_rate_of_ranx_takes_the_whole_ranking() -> None:
    qrels = {"1": {"c": 1}, "2": {"x": 1}}
    run = {"1": ranked(["a", "b", "c"]), "2": ranked(["a"])}
    assert value("ranx:hit_rate", qrels, run) == 0.5
    assert value("ranx:hit_rate@2", qrels, run) == 0.0


# --- bounds that an option takes away ---


def test_generalised_average_precision_over_r_has_no_upper_bound(tmp_path: Path) -> None:
    judgments, ranking = tmp_path / "q", tmp_path / "r"
    judgments.write_text("1 0 a 3\n1 0 b 2\n1 0 c 1\n2 0 a 3\n")
    ranking.write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n2 Q0 a 1 1 t\n")
    done = command.irev("-q", "-m", "genAP(norm=R)", judgments, ranking)
    assert b"genAP(norm=R)         \t1\t2.5000" in done.out
    assert "its values have no upper bound" in done.err
    assert "no upper bound" not in command.irev("-m", "genAP", judgments, ranking).err
    page = command.irev("measures", "genAP").out.decode()
    assert "0 to 1; with norm=R 0 and above" in page


# --- NTCIR-3's Web task ---


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # grade 1 at rank 2, grade 3 at rank 3: 1 / (2 - 1/4) is above 1 / (3 - 1/2)
        ("WRR(betas={1:4,2:3,3:2})", 4 / 7),
        # over 1 / (1 - 1/2), what a document of grade 3 has at rank 1
        ("NWRR(betas={1:4,2:3,3:2})", 2 / 7),
        ("WRR(betas={1:4,2:3,3:2})@1", 0.0),
        ("WRR", 1 / 2),
        ("NWRR@2", 1 / 2),
    ],
)
def test_weighted_reciprocal_rank_by_hand(name: str, expected: float) -> None:
    qrels = {"1": {"n": 0, "one": 1, "three": 3}}
    run = {"1": ranked(["n", "one", "three"])}
    assert value(name, qrels, run) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("betas", "message"),
    [
        ("{1:4,2:2}", "grade 3 has no beta"),
        ("{1:4,2:2,3:1}", "write a beta above 1 for every relevant grade"),
        ("{1:2,2:2,3:3}", "none greater for a higher grade"),
        ("linear", "'linear' is not a map from grades to numbers"),
    ],
)
def test_betas_that_make_no_sense(betas: str, message: str) -> None:
    qrels, run = {"1": {"a": 1, "b": 3}}, {"1": ranked(["b", "a"])}
    with pytest.raises(irev.UsageError, match=message):
        value(f"WRR(betas={betas})", qrels, run)
