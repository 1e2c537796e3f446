"""One way from a name to a column: every command finds what was measured, in any spelling."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from irev import Options, UsageError, evaluate
from irev.core.judged import Column
from irev.measures.naming.resolve import (
    PlainNaming,
    column_positions,
    irev_name,
    matching_columns,
    resolve_names,
)
from tests.command import irev
from tests.files import SAMPLE

QRELS, RUN, OTHER = (SAMPLE / name for name in ("qrels.txt", "bm25.run", "rm3.run"))
OPEN = ("ERR@10", "ERR", "nERR", "EBR@10", "gP@10", "RBP")
"""Names that leave the highest grade to the judgments."""
OPTIONS = (
    ("Q", ("--beta", "10"), "Q(beta=10)"),
    ("nDCG@10", ("--log-base", "5"), "nDCG(b=5)@10"),
    ("Q", ("--gains", "10:5:1"), "Q(gain={1:1,2:5,3:10},beta=1)"),
    ("RBP", ("--max-grade", "4"), "RBP(p=0.8,gain=linear,max=4)"),
)


def columns(*names: str) -> list[Column]:
    """The columns that names are printed as, bound to no judgments."""
    return [column for request in resolve_names(names) for column in request.columns]


def mean(measure: str, *options: str) -> float:
    """What the library gives."""
    flags = {"--beta": "beta", "--log-base": "b", "--gains": "gain", "--max-grade": "max"}
    defaults = tuple((flags[flag], value) for flag, value in pairwise(options) if flag in flags)
    (value,) = evaluate(QRELS, RUN, [measure], topics="qrels", defaults=defaults).summary().values()
    return float(value)


@pytest.mark.parametrize("name", OPEN)
def test_the_board_is_ordered_by_what_is_measured(name: str) -> None:
    """Its first measure orders it, also where the judgments had to say the highest grade."""
    done = irev("leaderboard", "--test", "none", "--format", "json", "-m", name, QRELS, RUN, OTHER)

    assert done.code == 0, done.err
    (board,) = json.loads(done.out)["leaderboard"][0]["boards"]
    assert board["by"].startswith(f"{name.partition('@')[0]}(")


@pytest.mark.parametrize(("name", "options", "printed"), OPTIONS)
def test_the_board_knows_the_options_of_all(
    name: str, options: tuple[str, ...], printed: str
) -> None:
    """So it does under an option for all measures, named by --by or not."""
    for by in ((), ("--by", name), ("--by", printed)):
        done = irev(
            "leaderboard", "--test", "none", "--format", "json", "-m", name, *options, *by,
            QRELS, RUN, OTHER,
        )  # fmt: skip

        assert done.code == 0, done.err
        assert json.loads(done.out)["leaderboard"][0]["boards"][0]["by"] == printed


@pytest.mark.parametrize("name", OPEN)
def test_a_gate_finds_what_it_limits(name: str) -> None:
    """The value is that of `irev eval`, and the full name is said."""
    done = irev("gate", "--format", "json", "--min", f"{name}=0.001", QRELS, RUN)

    assert done.code == 0, done.err
    (gate,) = json.loads(done.out)["gates"]
    assert gate["value"] == pytest.approx(mean(name), abs=1e-15)
    assert gate["measure"].startswith(f"{name.split('@')[0]}(")


@pytest.mark.parametrize(("name", "options", "printed"), OPTIONS)
def test_a_gate_says_the_definition(name: str, options: tuple[str, ...], printed: str) -> None:
    """A limit under an option for all measures names it; so does a drop."""
    for asked in (("--min", f"{name}=0.001"), ("-m", name, "--baseline", RUN)):
        done = irev("gate", "--format", "json", *asked, *options, QRELS, RUN)

        assert done.code == 0, done.err
        (gate,) = json.loads(done.out)["gates"]
        assert gate["measure"] == printed
        assert gate["value"] == pytest.approx(mean(name, *options), abs=1e-15)


def test_saved_scores_under_another_spelling(tmp_path: Path) -> None:
    """Scores saved as `ndcg@10` are those of `nDCG@10`, on either side."""
    for name, run in (("ndcg@10", RUN), ("NDCG@10", OTHER)):
        path = tmp_path / f"{run.stem}.json"
        done = irev("-q", "--format", "json", "-m", name, "--output", path, QRELS, run)
        assert done.code == 0, done.err

    saved = [tmp_path / "bm25.json", tmp_path / "rm3.json"]
    fresh = irev("compare", "--format", "json", "-m", "nDCG@10", QRELS, RUN, OTHER)
    for asked in ((), ("-m", "nDCG@10"), ("-m", "ndcg@10")):
        done = irev("compare", "--format", "json", *asked, *saved)
        assert done.code == 0, done.err
        (pair,), (other,) = (json.loads(each.out)["pairs"] for each in (done, fresh))
        assert pair["difference"] == other["difference"]


def test_a_name_of_another_program_takes_the_options_of_all() -> None:
    """NTCIREVAL's gains, base and highest grade are options there too (-g, -logb)."""
    qrels = {"1": {"a": 1, "b": 4, "c": 2}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    # discounts of nDCG in base 2: ranks 1 and 2 count in full; the ideal gains there are 4 and 2
    given: tuple[tuple[str, str, float], ...] = (
        ("gain", "{1:1,2:2,4:4}", 5 / 6),
        ("gain", "{1:1,2:2,4:9}", 10 / 11),
        ("b", "3", 5 / 6),
    )
    for option, value, expected in given:
        summary = evaluate(qrels, run, ["ntcir:nDCG@0002"], defaults=((option, value),)).summary()
        ((name, score),) = summary.items()
        assert score == pytest.approx(expected)
        assert name.startswith("nDCG(")
        assert f"{option}={value}" in name


def test_what_a_name_says_itself_stays() -> None:
    """Of what another program's measure is made of nothing is changed by an option of all."""
    with pytest.raises(UsageError, match="--gains 9:3 has no effect"):
        resolve_names(["gdeval:ndcg@20"], PlainNaming(defaults=(("gain", "9:3"),)))


def test_columns_are_found() -> None:
    """By their printed names, by irev's own, by other spellings; several by a name of several."""
    there = columns("map", "P.5,10", "ndcg@10", "ERR(max=3)@10", "Q")

    def names(name: str, options: PlainNaming | Options = PlainNaming()) -> list[str]:  # noqa: B008
        return [column.name for column in matching_columns(name, there, options)]

    assert names("map") == ["map"]
    assert names("P") == ["P_5", "P_10"]
    assert names("P.10,5") == ["P_5", "P_10"]
    assert names("nDCG@10") == names("NDCG@10") == names("nDCG@5,10") == ["ndcg@10"]
    assert names("ERR@10") == ["ERR(max=3)@10"]
    assert names("Q", Options(defaults=(("beta", 1),))) == ["Q(beta=1)"]
    assert names("Q", Options(defaults=(("beta", 10),))) == []
    assert names("ERR@5") == names("bpref") == names("ERR(max=2)@10") == []
    with pytest.raises(UsageError, match="no measure or set is called"):
        names("none_such")


def test_where_columns_stand() -> None:
    """A column is itself first, then any other of the same measure."""
    there = columns("ndcg@10", "nDCG@10", "AP")

    assert column_positions(columns("nDCG@10", "NDCG@10", "map@5", "MAP"), there) == [1, 0, None, 2]


@pytest.mark.parametrize(
    ("name", "options", "printed"),
    [*OPTIONS[:2], OPTIONS[3], ("ERR@10", (), "ERR(max=3)@10"), ("Q", (), "Q(beta=1)")],
)
def test_a_study_finds_its_reference(
    name: str, options: tuple[str, ...], printed: str, tmp_path: Path
) -> None:
    """What other measures are set against is called as it was asked for with -m."""
    done = irev(
        "study", "discriminative-power", "-m", name, "-m", "AP", "--against", name, *options,
        "--resamples", "10", "--output", tmp_path, "--figures", "none", QRELS, RUN, OTHER,
    )  # fmt: skip

    assert done.code == 0, done.err
    assert f"significant pairs than {printed}" in done.out.decode()


def test_a_name_of_trec_eval_and_irevs_own_are_one_column() -> None:
    """`--by nDCG@10` finds `ndcg_cut_10`; what is so called one has equal values everywhere."""
    names = ("all_trec", "ndcg.1=3,2=9", "rbp.p=0.7", "set_F.2.0", "Rprec_mult.0.5")
    printed = [column for column in columns(*names) if column.kind == "real"]
    own = {column.name: irev_name(column) for column in printed if not column.canonical}
    pairs = {name: other for name, other in own.items() if name != other}

    assert {"map", "P_5", "recall_100", "ndcg_cut_10", "success_1", "recip_rank"} <= pairs.keys()
    assert pairs["ndcg_cut_10"] == "nDCG@10"
    assert not {"set_F_2.0", "utility"} & pairs.keys()
    for options in (
        {},
        {"level": 2},
        {"max_retrieved": 40},
        {"ties": "average"},
        {"topics": "qrels"},
    ):
        scores = evaluate(QRELS, RUN, [*pairs, *pairs.values()], **options)
        place = {column.name: at for at, column in enumerate(scores.columns)}
        for name, other in pairs.items():
            mine, theirs = place[name], place[other]
            assert scores.values[:, mine].tolist() == scores.values[:, theirs].tolist(), name
            assert scores.summary_of(mine) == scores.summary_of(theirs), name
