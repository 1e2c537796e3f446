"""Recorded cases: the digits that sample_eval, statAP_MQ_eval and trec_eval printed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from irev import InputError, evaluate
from tests import files
from tests.each import for_each
from tests.plain_defined_sampled import Strata, ndcg

CASES = files.CASES / "sampling"
TENTHS = [f"iIPrec@{tenth / 10:g}" for tenth in range(11)]

AS_TEXTS = ("13-se-gain-map", "16-se-grade-string-sort")
"""Where the program orders the ideal list's grades as texts, 2 and 3 before 10; irev does not."""


def command_of(case: Path) -> str:
    return (case / "cmd").read_text(encoding="utf-8")


def cases(program: str) -> list[str]:
    every = [case.name for case in sorted(CASES.iterdir()) if case.is_dir()]
    return [name for name in every if f"${program} " in command_of(CASES / name)]


def irev_name(name: str, tool: str) -> str:
    """The measure that a name of sample_eval stands for."""
    if name in ("infAP", "infNDCG"):
        return f"{'x' * (name == 'infAP')}{name}(tool={tool})"
    if name.startswith("iprec"):
        return f"iIPrec@{float(name[-4:]):g}"
    return re.sub(r"^iP(\d+)$", r"iP@\1", name)


def gains_of(case: Path) -> list[tuple[float, float]]:
    """The grades that a recorded command rewrites: `-G 1=3 2=10`."""
    pairs = [word.split("=") for word in command_of(case).split() if "=" in word]
    return [(float(grade), float(gain)) for grade, gain in pairs]


def by_numbers(case: Path) -> float:
    """The infNDCG of the one topic of a case by its definition, grades ordered as numbers."""
    gains = dict(gains_of(case))
    lines = [line.split() for line in (case / "qrels").read_text(encoding="utf-8").splitlines()]
    pool = {
        document: (stratum, gains.get(float(grade), float(grade)))
        for _, _, document, stratum, grade in lines
    }
    run = [line.split() for line in (case / "run").read_text(encoding="utf-8").splitlines()]
    ranking = sorted(run, key=lambda line: (float(line[4]), line[2]), reverse=True)
    return ndcg(Strata([line[2] for line in ranking], pool))


STRIPPED = "11-se-leading-zeros"
"""Topics lose their leading zeros there, those of the run alone."""
SAMPLE_EVAL = [(n, "nist2011") for n in cases("SAMPLE_EVAL") if n != STRIPPED]
SAMPLE_EVAL += [(n, "trecvid2012") for n in cases("SAMPLE_EVAL_TV")]


@for_each(("name", "tool"), SAMPLE_EVAL)
def test_equals_sample_eval(name: str, tool: str) -> None:
    case = CASES / name
    lines = [
        line.split()
        for line in (case / "out").read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    measures = list(dict.fromkeys(irev_name(line[0], tool) for line in lines))
    scores = evaluate(
        case / "qrels", case / "run", measures, qrels_format="strata", grade_map=gains_of(case)
    )
    by_topic, summary = scores.per_topic(), scores.summary()
    retrieved = evaluate(
        case / "qrels", case / "run", ["num_ret"], qrels_format="strata", max_retrieved=1000
    )
    compared = 0
    for printed, topic, text in lines:
        if printed == "infNDCG" and name in AS_TEXTS:
            assert summary[irev_name(printed, tool)] == pytest.approx(by_numbers(case), abs=1e-12)
            continue
        if printed == "inum_rel" and topic == "all" and scores.account.missing:
            continue  # the program adds topics that are not in the run
        if printed == "num_ret" and topic == "all":
            assert retrieved.summary()["num_ret"] == int(text)
            continue
        value = summary if topic == "all" else by_topic[topic]
        form = "%d" if printed == "num_ret" else "%.4f"
        assert form % value[irev_name(printed, tool)] == text, (printed, topic)
        compared += 1
    assert compared


def test_the_sum_over_all_judged_topics_takes_a_call_of_its_own() -> None:
    """sample_eval adds the relevant documents of topics that the run lacks, and no 0 to a mean."""
    case = CASES / "07-se-topic-missing-in-run"
    printed = {
        line.split()[0]: line.split()[2]
        for line in (case / "out").read_text(encoding="utf-8").splitlines()
        if line.split()[1:2] == ["all"]
    }
    files = (case / "qrels", case / "run")
    means = evaluate(*files, ["xinfAP", "inum_rel"], qrels_format="strata").summary()
    sums = evaluate(*files, ["inum_rel"], qrels_format="strata", topics="qrels").summary()
    assert f"{means['xinfAP(tool=nist2011)']:.4f}" == printed["infAP"]
    assert f"{sums['inum_rel']:.4f}" == printed["inum_rel"] != f"{means['inum_rel']:.4f}"


def test_leading_zeros_of_topics_stay() -> None:
    """sample_eval strips them from the run alone, so that 007 never meets its judgments."""
    case = CASES / STRIPPED
    found = evaluate(case / "qrels", case / "run", ["xinfAP"], qrels_format="strata")
    run = {line.split()[0] for line in (case / "run").read_text(encoding="utf-8").splitlines()}
    judged = {line.split()[0] for line in (case / "qrels").read_text(encoding="utf-8").splitlines()}
    assert {topic.decode() for topic in found.topics} == run & judged
    assert "007" in found.per_topic()


@for_each(("name", "tool"), SAMPLE_EVAL)
def test_equals_unrounded_values(name: str, tool: str) -> None:
    case = CASES / name
    exact: dict[str, Any] = json.loads((case / "exact.json").read_text(encoding="utf-8"))[
        "per_topic"
    ]
    for topic, values in exact.items():
        wanted = {
            irev_name(key, tool): value
            for key, value in values.items()
            if not key.startswith("_") and key not in ("num_ret", "iprec")
            if not (key == "infNDCG" and name in AS_TEXTS)
        }
        wanted.update(zip(TENTHS, values["iprec"], strict=True))
        found = evaluate(
            case / "qrels",
            case / "run",
            list(wanted),
            qrels_format="strata",
            grade_map=gains_of(case),
        )
        assert found.per_topic()[topic] == pytest.approx(wanted, rel=1e-12, abs=1e-12)


# --- statAP ---

STAT = {"41-statap4-basic": "v4"}
STAT |= dict.fromkeys(
    ["42-statap3-mixed-methods", "44-statap3-many-topics", "45-statap3-random"], "v3"
)


@pytest.mark.parametrize(("name", "form"), STAT.items())
def test_equals_stat_ap(name: str, form: str) -> None:
    case = CASES / name
    exact: dict[str, Any] = json.loads((case / "exact.json").read_text(encoding="utf-8"))
    measures = ["statAP", f"statAPse(form={form})", "statP@30", "statRprec", "stat_num_rel"]
    found = evaluate(case / "qrels", case / "run", measures, qrels_format="prels").per_topic()
    text = (case / "out").read_text(encoding="utf-8")
    for topic, wanted in exact.items():
        if wanted is None:
            continue
        ap, error, precision, r_precision, relevant = map(float, found[topic].values())
        assert relevant == pytest.approx(wanted["R"], rel=1e-12)
        assert ap == pytest.approx(wanted["AP"], rel=1e-12)
        assert r_precision == pytest.approx(wanted["Rprec"], rel=1e-12)
        assert error**2 == pytest.approx(wanted["var"], rel=1e-12)
        assert f"varAP={error**2:.12g}"[:14] in text
        places = 6 if form == "v3" else 3
        assert f"AP={ap:.{places}f}  R-prec={r_precision:.{places}f}" in text
        if form == "v3":
            assert precision == pytest.approx(wanted["P"], rel=1e-12)
            assert f"Prec_at_30={precision:.6f}" in text


def test_equals_the_gain_that_stat_ap_prints() -> None:
    """Version 4: over the judged documents, with gains of 2^grade - 1."""
    case = CASES / "41-statap4-basic"
    names = [f"nDCG(gain=exp)@{k}" for k in (10, 20, 50, 100)]
    found = evaluate(case / "qrels", case / "run", names, qrels_format="prels").summary()
    for name in names:
        cutoff = name.partition("@")[2]
        assert found[name] == pytest.approx(0.498189257466413, rel=1e-12)
        assert f"statMNDCG_{cutoff}_on_valid_topics=0.498189257466413" in (case / "out").read_text(
            encoding="utf-8"
        )


def test_means_of_stat_ap_over_the_programs_topics() -> None:
    """It leaves out what has nothing relevant or was judged by MTC alone; here one says so."""
    case = CASES / "44-statap3-many-topics"
    found = evaluate(
        case / "qrels", case / "run", ["statAP", "statAPse(form=v3)", "statRprec"],
        qrels_format="prels",
        topics=["1", "3"],
    ).summary()  # fmt: skip
    ap, error, r_precision = map(float, found.values())
    assert ap == pytest.approx(0.776041666666667, rel=1e-12)
    assert error**2 == pytest.approx(0.0608509911431207, rel=1e-12)
    assert r_precision == 0.6875


def test_a_probability_of_0_is_refused() -> None:
    """The program divides by it."""
    case = CASES / "47-statap3-zero-probability"
    with pytest.raises(InputError, match="topic 1, document a: '0' is not a probability"):
        evaluate(case / "qrels", case / "run", ["statAP"], qrels_format="prels")


def test_one_judged_document_has_an_estimate() -> None:
    """The program divides by n - 1 = 0."""
    case = CASES / "48-statap3-one-judged"
    found = evaluate(case / "qrels", case / "run", ["statAP"], qrels_format="prels").summary()
    rank = 1 + [
        line.split()[2] for line in (case / "run").read_text(encoding="utf-8").splitlines()
    ].index("a")
    assert found["statAP"] == pytest.approx(1 / rank)


# --- trec_eval ---


def options_of(words: list[str]) -> dict[str, Any]:
    """The options of a recorded command, as the library takes them."""
    level = int(words[words.index("-l") + 1]) if "-l" in words else 1
    return {"level": level, "judged_only": "-J" in words}


@pytest.mark.parametrize("name", cases("TREC_EVAL"))
def test_equals_trec_eval(name: str) -> None:
    case = CASES / name
    lines = [line.split() for line in (case / "out").read_text(encoding="utf-8").splitlines()]
    for command in command_of(case).splitlines():
        words = command.split()
        measures = [words[at + 1] for at, word in enumerate(words) if word == "-m"]
        found = evaluate(case / "qrels", case / "run", measures, **options_of(words))
        printed = [(topic, found.per_topic()[topic]) for topic in found.per_topic()]
        for topic, values in [*printed, ("all", found.summary())]:
            forms = {"num_ret": "%d"}
            rows = [
                [each, topic, forms.get(each, "%.4f") % value] for each, value in values.items()
            ]
            # the program has an order of its own
            assert sorted(lines.pop(0) for _ in rows) == sorted(rows)
    assert not lines
