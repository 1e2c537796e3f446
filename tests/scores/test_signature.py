"""Signatures: what makes a result reproducible, and when two results contradict each other."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import irev
from irev.engine.evaluate import Evaluator
from irev.measures.plugins import forget_measure
from irev.scores.signature import Signature, contradictions
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, RUN, PACKED = SAMPLE / "qrels.txt", SAMPLE / "bm25.run", SAMPLE / "dense.run.gz"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def signed(
    qrels: Any = QRELS, run: Any = RUN, measures: Any = ("map",), **options: Any
) -> Signature:
    found: Signature | None = irev.evaluate(qrels, run, measures, sign=True, **options).signature
    assert found is not None
    return found


def test_hashes_are_those_of_the_decompressed_bytes() -> None:
    signature = signed(run=PACKED)
    assert signature.qrels == sha256(QRELS.read_bytes())
    assert signature.run == sha256(gzip.decompress(PACKED.read_bytes()))


def test_how_a_file_is_packed_does_not_matter(tmp_path: Path) -> None:
    content = RUN.read_bytes()
    (tmp_path / "run.gz").write_bytes(gzip.compress(content))
    (tmp_path / "run.bz2").write_bytes(bz2.compress(content))
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf" + content)
    for name in ("run.gz", "run.bz2", "marked"):
        assert signed(run=tmp_path / name) == signed()


def test_scattered_topics_are_hashed_once(tmp_path: Path) -> None:
    """A text that is read a second time has the hash of what it holds."""
    lines = RUN.read_bytes().splitlines(keepends=True)
    content = b"".join(sorted(lines, key=lambda line: hashlib.md5(line).digest()))
    path = tmp_path / "run"
    path.write_bytes(content)
    assert signed(run=path).run == sha256(content)


@pytest.mark.parametrize("scattered", [False, True])
def test_standard_input(scattered: bool) -> None:
    content = RUN.read_bytes()
    if scattered:
        lines = content.splitlines(keepends=True)
        content = b"".join(lines[::2] + lines[1::2])
    done = command("-m", "map", "--format", "json", QRELS, "-", stdin=content)
    assert json.loads(done.out)["runs"][0]["signature"]["run"] == sha256(content)


def test_what_is_in_memory_has_no_hash() -> None:
    signature = signed({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert (signature.qrels, signature.run) == (None, None)
    assert "|q:-|r:-|" in signature.short


def test_nothing_is_signed_unless_asked_for() -> None:
    assert irev.evaluate(QRELS, RUN, ["map"]).signature is None
    evaluator = Evaluator(QRELS, ["map"], sign=True)
    for _, outcome in evaluator.evaluate_many([RUN, PACKED]):
        assert isinstance(outcome, irev.Scores)
        assert outcome.signature is not None


def test_the_short_form() -> None:
    qrels, run = sha256(QRELS.read_bytes())[:8], sha256(RUN.read_bytes())[:8]
    replaced = replace(signed(measures=["map", "P.5"]), version="1.2.3")
    assert replaced.short == (
        f"irev:1.2.3|m:map,P_5|q:{qrels}|r:{run}|t:both/12|l:1|ties:docid-desc"
    )
    options = {"level": 2, "topics": ["1", "2"], "no_relevant": "skip", "max_retrieved": 5}
    replaced = replace(signed(**options), version="1.2.3")
    listed = sha256(b"1\n2\n")[:8]
    assert replaced.short == (
        f"irev:1.2.3|m:map|q:{qrels}|r:{run}|t:listed/2|l:2|ties:docid-desc|norel:skip"
        f"|max_retrieved:5|topics:{listed}"
    )


def test_many_measures_are_counted() -> None:
    """Nine names are too many for a line; another one among them is another hash."""
    one = signed(measures=["P.1,2,3,4,5,6,7,8,9"]).short
    other = signed(measures=["P.1,2,3,4,5,6,7,8,10"]).short
    assert one.split("|")[1].startswith("m:9@")
    assert one.split("|")[1] != other.split("|")[1]


def test_definitions_have_all_parameters() -> None:
    signature = signed(measures=["ndcg_cut.10", "Q"], defaults=[("beta", 10)])
    assert signature.measures == {"ndcg_cut_10": "ndcg_cut_10", "Q(beta=10)": "Q(beta=10)"}


def test_the_long_form_goes_through_json() -> None:
    """Whatever the options are."""
    for options in (
        {},
        {"defaults": (("gain", {1: 1, 2: 5}),), "only_topic": b"1", "grade_map": ((2.0, 1.0),)},
        {"topics": ["1", "\udcff1", "2"][::2], "weights": dict.fromkeys(("1", "2"), 1)},
        {"classes": {"a": ["1"]}, "duplicates": "first", "compat": "trec9"},
    ):
        signature = signed(measures=["nDCG@5"], **options)
        assert Signature.from_long(json.loads(json.dumps(signature.long))) == signature
    assert Signature.from_long({}) == Signature()


@pytest.mark.parametrize(
    "parts",
    [
        {"irev": 1},
        {"measures": []},
        {"divisor": "50"},
        {"seed": True},
        {"files": {"pool": 3}},
        {"measures": {"map": 1}},
    ],
)
def test_a_long_form_that_is_none(parts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the part '"):
        Signature.from_long(parts)


def test_what_does_not_contradict() -> None:
    one = signed(measures=["map", "P.5"])
    other = replace(
        signed(run=RUN, measures=["map", "P.10"], duplicates="first", judged_shares=True),
        version="0", run="0" * 64,
    )  # fmt: skip
    assert contradictions(one, other) == []
    assert contradictions(one, Signature()) == []
    assert contradictions(Signature(), one) == []


def test_runs_without_the_same_topics() -> None:
    """The means of `both` stand on other topics; the values of the topics are alike."""
    one, other = signed(), signed(run=PACKED)
    assert contradictions(one, other) == ["the divisor is 12 in one and 11 in the other"]
    assert contradictions(one, other, means=False) == []
    every = [signed(run=run, topics="qrels") for run in (RUN, PACKED)]
    assert contradictions(*every) == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"level": 2}, "the option level is 1 in one and 2 in the other"),
        ({"ties": "docid-asc"}, "the option ties is docid-desc in one and docid-asc in the other"),
        ({"compat": "trec9"}, "the option compat is trec10 in one and trec9 in the other"),
        ({"max_retrieved": 5}, "the option max_retrieved is not given in one and 5 in the other"),
        ({"topics": "qrels"}, "the option topics is both in one and qrels in the other"),
        ({"judged_only": True}, "the option judged_only is False in one and True in the other"),
        (
            {"weights": dict.fromkeys(("1",), 1), "only_topic": "1"},
            "only one was made with weights",
        ),
    ],
)
def test_other_options_contradict(options: dict[str, Any], reason: str) -> None:
    assert reason in contradictions(signed(), signed(**options))


def test_options_that_go_with_the_means_alone() -> None:
    one = signed()
    for options in ({"topics": "qrels"}, {"topics": ["1"]}, {"no_relevant": "skip"}):
        assert contradictions(one, signed(**options), means=False) == []
    assert contradictions(one, signed(level=2), means=False)


def test_other_judgments_contradict(tmp_path: Path) -> None:
    """One grade less is another file."""
    path = tmp_path / "qrels"
    path.write_bytes(QRELS.read_bytes().replace(b" 2\n", b" 1\n", 1))
    (found,) = contradictions(signed(), signed(path))
    assert found.startswith("the qrels differ: ")


def test_other_definitions_contradict() -> None:
    one = Signature(measures={"x": "nDCG@10", "y": "AP"})
    other = Signature(measures={"x": "nDCG(gain=exp)@10", "y": "AP"})
    assert contradictions(one, other) == ["x is nDCG@10 in one and nDCG(gain=exp)@10 in the other"]


def test_classes_contradict_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 x\n2 y\n")
    (tmp_path / "b").write_text("1 x\n3 y\n")
    found = [
        irev.evaluate(QRELS, RUN, ["map"], classes=tmp_path / name, sign=True) for name in "ab"
    ]
    one, other = (scores.signature for scores in found)
    assert one is not None
    assert other is not None
    assert contradictions(one, other) == []
    x, y = found[0].class_scores("x").signature, found[1].class_scores("y").signature
    assert x is not None
    assert y is not None
    reasons = contradictions(x, y)
    assert "a class of topics is x in one and y in the other" in reasons
    assert any(reason.startswith("the classes differ") for reason in reasons)


def test_further_inputs_are_hashed(tmp_path: Path) -> None:
    (tmp_path / "pool").write_text("1 d1\n")
    found = signed(pool=str(tmp_path / "pool"))
    assert found.files == {"pool": sha256(b"1 d1\n")}

    (tmp_path / "qrels").write_text("1 a d1 1\n1 b d1 0\n1 b d2 1\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
    intents = b"1 a 0.5\n1 b 0.5\n"
    (tmp_path / "intents").write_bytes(intents)
    done = command(
        "-R", "subtopics", "--intents", "-", "--format", "json", "-m", "alpha-nDCG@5", "qrels",
        "run", cwd=tmp_path, stdin=intents,
    )  # fmt: skip
    signature = json.loads(done.out)["runs"][0]["signature"]
    assert signature["files"] == {"intents": sha256(intents)}
    assert signature["options"]["format"] == "subtopics"


def test_a_seed_is_known_where_orders_are_drawn() -> None:
    """Twenty documents of one score, four of them relevant: too many orders to try all."""
    qrels = {"q": {f"d{n}": int(n % 5 == 0) for n in range(40)}}
    run = {"q": {f"d{n}": 1.0 for n in range(40)}}
    drawn = irev.evaluate(qrels, run, ["bpref"], ties="average", seed=7, sign=True)
    exact = irev.evaluate(qrels, run, ["P.5"], ties="average", seed=7, sign=True)
    assert drawn.ties is not None
    assert drawn.ties.drawn
    for scores in (drawn, exact):
        assert scores.signature is not None
        assert scores.ties is not None
        assert scores.signature.seed == (7 if scores.ties.drawn else None)


def test_json_carries_all_of_it() -> None:
    done = command("-m", "map", "--format", "json", QRELS, RUN, PACKED)
    runs = json.loads(done.out)["runs"]
    for run, path in zip(runs, (RUN, PACKED), strict=True):
        expected = signed(run=path)
        assert run["signature"] == {"short": expected.short, **expected.long}
        assert Signature.from_long(run["signature"]) == expected


@pytest.mark.parametrize(
    "option",
    ["--by=P_5", "--test=t", "--ci=percentile", "--alpha=0.1", "--resamples=50", "--seed=1", "-l2"],
)
def test_every_choice_of_a_leaderboard_is_signed(option: str) -> None:
    """What can change a number of a board changes its signature."""
    words = (
        "leaderboard",
        "-m",
        "map",
        "-m",
        "P.5",
        "--format",
        "json",
        "--test",
        "permutation",
        "--resamples",
        "40",
    )
    files = [QRELS, RUN, SAMPLE / "rm3.run"]
    signed = []
    for more in ((), (option,)):
        (board,) = json.loads(command(*words, *more, *files).out)["leaderboard"][0]["boards"]
        signed.append(board["signature"])
    assert signed[0]["short"] != signed[1]["short"]
    assert signed[0]["runs"].keys() == {"bm25", "rm3"}


def test_the_content_of_what_is_read_beside_is_signed(tmp_path: Path) -> None:
    """A plug-in and a file of z scores, whatever their names."""
    zscores, plugin = tmp_path / "z", tmp_path / "signed_once.py"
    zscores.write_text("10 map 0.5 0.1\n")
    plugin.write_text(
        "import irev\n\n@irev.topic_measure\ndef signed_once(ranked, grades):\n    return 1.0\n"
    )
    ran = command("--format", "json", "-m", "map", "-Z", zscores, QRELS, RUN)
    assert _files(ran.out) == {"zscores": hashlib.sha256(zscores.read_bytes()).hexdigest()}
    try:
        words = ("--format", "json", "-m", "signed_once", "--plugin", plugin)
        ran = command(*words, QRELS, RUN)
        assert _files(ran.out) == {"plugins": hashlib.sha256(plugin.read_bytes()).hexdigest()}
    finally:
        forget_measure("signed_once")
    # other measures have nothing to do with it
    assert _files(command("--format", "json", "-m", "map", QRELS, RUN).out) == {}


def _files(out: bytes) -> dict[str, str]:
    found: dict[str, str] = json.loads(out)["runs"][0]["signature"]["files"]
    return found


def test_tables_made_in_python_are_signed_but_for_the_hashes_of_the_runs() -> None:
    """As `compare` with files signs its choices; of judgments in memory there is no hash."""
    runs = [str(RUN), str(SAMPLE / "rm3.run")]
    qrels = hashlib.sha256(QRELS.read_bytes()).hexdigest()[:8]
    rest = "t:qrels/12|l:2|ties:rank"
    table = irev.evaluate(str(QRELS), runs, "map", topics="qrels", level=2, ties="rank")
    scores = [
        irev.evaluate(str(QRELS), r, "map", topics="qrels", level=2, ties="rank") for r in runs
    ]
    for given in (table, scores, dict(zip("ab", scores, strict=True))):
        assert irev.compare(given).signature.short.split("|runs:")[0] == (
            f"irev:{irev.__version__}|m:map|q:{qrels}|r:-|{rest}"
        )
    assert "; signature irev:" in irev.leaderboard(table).text()
    assert irev.compare(table).signature.brief in irev.compare(table).text()
    assert scores[0].signature is None

    in_memory = irev.evaluate(
        {"1": {"d": 2}, "2": {"d": 2}}, [{"1": {"d": 1.0}}, {"2": {"d": 1.0}}], "map", level=2
    )
    signed = irev.compare(in_memory).signature.short
    assert signed.startswith(f"irev:{irev.__version__}|m:map|q:-|r:-|t:both/2|l:2|")


def test_scores_of_which_nothing_is_known_are_called_unsigned() -> None:
    table = irev.evaluate(str(QRELS), [str(RUN), str(SAMPLE / "rm3.run")], "map")
    bare = replace(table, runs=tuple(replace(run, signature=None) for run in table.runs))

    assert "signature: unsigned" in irev.compare(bare).text()
    assert irev.leaderboard(bare).text().rstrip().endswith("; unsigned")
    caption = irev.compare(bare).paper()
    assert f"irev {irev.__version__}, unsigned." in caption
    assert "signature" not in caption
