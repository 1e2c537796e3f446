"""`irev explain`: what it shows adds up to the score that `irev eval` prints."""

from __future__ import annotations

import csv
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import irev
from irev import evaluate
from irev.errors import MismatchError, UsageError
from irev.jobs.explain.explain import ExplainedScore, Explainer
from irev.jobs.explain.topic import ranked_topics, values_of_beginnings
from irev.measures.registry import TREC_MEASURES, Measure, NamedOptions
from irev.options import Options
from tests.command import irev as command
from tests.command import process
from tests.explained import explained_scores
from tests.files import SAMPLE
from tests.registered import NAMED

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "bm25.run"

# the ranking 2 0 - 1, and a relevant document that was not retrieved
SMALL_QRELS = {"q": {"a": 2, "b": 0, "d": 1, "e": 1}}
SMALL_RUN = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}


def small(name: str, **options: Any) -> ExplainedScore:
    """What explains a measure of the small ranking."""
    (explanation,) = explained_scores(SMALL_QRELS, SMALL_RUN, [name], "q", Options(**options))
    return explanation


def judged_topics() -> Iterator[tuple[Any, Any, str]]:
    """Each topic of four random judgments and runs, with both."""
    for seed in range(4):
        qrels, run = judgments(seed)
        for topic in qrels:
            yield qrels, run, topic


def judgments(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Random judgments and a run, with ties, unjudged documents and pooled ones."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for topic in ("q1", "q2", "q3"):
        pool = [f"d{number}" for number in range(40)]
        qrels[topic] = {doc: rng.choice([-1, 0, 0, 1, 2, 3]) for doc in pool[:25]}
        rng.shuffle(pool)
        run[topic] = {doc: float(rng.randint(0, 12)) for doc in pool[: rng.choice([3, 18, 30])]}
    return qrels, run


def request_name(measure: Measure) -> str:
    """A name that asks for a measure; where it must be cut, cut."""
    cutoff = measure.parameter.cutoff if isinstance(measure.parameter, NamedOptions) else "none"
    at = {"none": "", "optional": "@4", "required": "@4"}.get(cutoff, "@0.5")
    return measure.name + ("(scale=rank)" if measure.scores else "") + at


def numeric(registry: dict[str, Measure], needs: str) -> list[str]:
    """The measures of a registry that have a number for a topic."""
    return [
        request_name(measure)
        for measure in registry.values()
        if measure.per_topic and measure.kind != "text" and measure.needs == needs
    ]


def check_sums(
    qrels: Any, run: Any, names: list[str], options: Options, format: Any = "qrels"
) -> None:
    """What each explanation adds up to is the score of the evaluation."""
    scores = evaluate(
        qrels, run, names, qrels_format=format,
        **{field: getattr(options, field) for field in options.fields()},
    )  # fmt: skip
    by_topic = scores.per_topic()
    for topic in by_topic:
        for explanation in explained_scores(qrels, run, names, topic, options, format=format):
            expected = float(by_topic[topic][explanation.name])
            assert explanation.score == pytest.approx(expected, rel=1e-15, nan_ok=True)
            adds = explanation.columns["adds"]
            if None in adds or not math.isfinite(explanation.start):
                assert not all(map(math.isfinite, _numbers(explanation)))
                continue
            total = explanation.start + sum(map(float, adds))
            assert total == pytest.approx(expected, abs=1e-12), explanation.name


def _numbers(explanation: ExplainedScore) -> list[float]:
    return [explanation.start, *map(float, explanation.columns["value"])]


@pytest.mark.parametrize(
    "options",
    [
        Options(collection_size=1000),
        Options(collection_size=1000, level=2),
        Options(collection_size=1000, max_retrieved=7, judged_only=True),
        Options(collection_size=1000, compat="trec9"),
        Options(collection_size=1000, ties="optimistic"),
        Options(collection_size=1000, ties="pessimistic"),
        Options(collection_size=1000, ties="docid-asc"),
        Options(collection_size=1000, ties="input"),
    ],
    ids=str,
)
def test_every_measure_of_trec_eval_adds_up(options: Options) -> None:
    names = [
        name
        for name in numeric(TREC_MEASURES, "qrels")
        if TREC_MEASURES[name].since <= options.version
    ]
    for seed in range(3):
        check_sums(*judgments(seed), names, options)


@pytest.mark.parametrize("name", numeric(NAMED, "qrels"))
def test_every_measure_with_options_adds_up(name: str) -> None:
    for seed in range(3):
        check_sums(*judgments(seed), [name], Options(collection_size=1000))


@pytest.mark.parametrize("name", ["nDCG(rel=2)@4", "AP(condensed=true)", "Q(rel=2,beta=3)"])
def test_levels_and_condensed_lists_add_up(name: str) -> None:
    for seed in range(3):
        check_sums(*judgments(seed), [name], Options())


def test_preferences_add_up() -> None:
    check_sums(
        str(SAMPLE / "prefs.txt"), str(RUN), numeric(TREC_MEASURES, "prefs"), Options(), "prefs"
    )


def test_groups_of_judgments_add_up(tmp_path: Path) -> None:
    rng = random.Random(5)
    lines = [
        f"q {group} d{number} {rng.randint(0, 2)}\n" for group in "ABC" for number in range(12)
    ]
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(lines))
    run.write_text("".join(f"q Q0 d{n} 1 {rng.random()} r\n" for n in range(3, 20)))

    check_sums(str(qrels), str(run), numeric(TREC_MEASURES, "qrels_jg"), Options(), "qrels_jg")
    (explanation, *_) = explained_scores(
        str(qrels), str(run), ["map_avgjg"], "q", format="qrels_jg"
    )
    assert [name for name in explanation.columns if "grade" in name] == [
        "grade 1", "grade 2", "grade 3",
    ]  # fmt: skip


def test_subtopics_add_up(tmp_path: Path) -> None:
    rng = random.Random(6)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(
        "".join(
            f"{topic} {subtopic} d{number} {rng.choice([0, 0, 1, 2])}\n"
            for topic in (1, 2)
            for subtopic in (1, 2, 3)
            for number in range(12)
        )
    )
    run.write_text(
        "".join(f"{t} Q0 d{n} 1 {rng.random()} r\n" for t in (1, 2) for n in range(3, 20))
    )

    names = [*numeric(NAMED, "subtopics"), "map", "nDCG@5"]
    check_sums(str(qrels), str(run), names, Options(), "subtopics")


def test_of_equivalent_documents_the_first_counts(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q a L1 x\nq b L2 x\nq c L1 y\nq d L0 z\n")
    run.write_text("".join(f"q Q0 {doc} 1 {9 - n} r\n" for n, doc in enumerate("abdec")))

    check_sums(str(qrels), str(run), ["map", "ndcg", "Q", "P.5"], Options(), "ntcir")
    (explanation,) = explained_scores(str(qrels), str(run), ["P.5"], "q", format="ntcir")
    assert explanation.columns["adds"] == pytest.approx([0.2, 0, 0, 0, 0.2], abs=1e-15)


def test_average_precision_by_hand() -> None:
    explanation = small("map")

    assert explanation.columns["document"] == ["a", "b", "c", "d"]
    assert explanation.columns["grade"] == [2, 0, None, 1]
    assert explanation.columns["relevant"] == [1, 1, 1, 2]
    assert explanation.columns["precision"] == [1, 0.5, 1 / 3, 0.5]
    assert explanation.columns["adds"] == pytest.approx([1 / 3, 0, 0, 1 / 6], abs=1e-15)
    assert explanation.score == 0.5
    assert {fact.name: fact.value for fact in explanation.facts} == {
        "retrieved": 4, "relevant": 3, "relevant retrieved": 2, "judged non-relevant": 1,
        "ideal list": "2 x 1, 1 x 2", "divisor": 3,
    }  # fmt: skip


def test_gain_by_hand() -> None:
    explanation = small("ndcg_cut.2")

    assert explanation.columns["gain"] == [2, 0, 0, 1]
    assert explanation.columns["discount"][:2] == [1, 1 / math.log2(3)]
    assert explanation.columns["ideal"] == [2, 1, 1, 0]
    divisor = explanation.facts[-1].value
    assert divisor == pytest.approx(2 + 1 / math.log2(3), abs=1e-15)
    assert explanation.score == pytest.approx(2 / (2 + 1 / math.log2(3)), abs=1e-15)


@pytest.mark.parametrize(
    ("measure", "gains"),
    [("DCG@5", [1, 2]), ("Q(beta=1)", [0, 2]), ("RBP(p=0.8)", [1, 2])],
)
def test_gains_below_the_level(measure: str, gains: list[float]) -> None:
    """At level 2 a grade of 1 gains in DCG, not in Q, whose gains are of relevant documents."""
    judged, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    frame = irev.explain(judged, run, measure, topic="1", level=2).to_frame()
    assert frame["gain"].tolist() == gains


def test_dropped_documents_have_no_detail() -> None:
    explanation = small("AP(condensed=true)")

    assert explanation.columns["precision"] == [1, 0.5, None, 2 / 3]
    assert explanation.columns["adds"] == pytest.approx([1 / 3, 0, 0, 2 / 9], abs=1e-15)


def test_a_pooled_document_has_a_negative_grade() -> None:
    (explanation,) = explained_scores(
        {"q": {"a": -3, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["infAP"], "q"
    )

    assert explanation.columns["grade"] == [-1, 1]


def _products(explanation: ExplainedScore, *names: str) -> float:
    columns = [explanation.columns[name] for name in names]
    rows = zip(*columns, strict=True)
    return sum(math.prod(map(float, row)) for row in rows)


def _divisor(explanation: ExplainedScore) -> float:
    (value,) = [fact.value for fact in explanation.facts if fact.name == "divisor"]
    return float(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["ndcg", "ndcg.1=3,2=9", "nDCG", "nDCG(gain=exp)", "nDCG(b=3)", "nDCG(rel=2)"]
)
def test_what_is_shown_of_gains_is_the_score(name: str) -> None:
    for qrels, run, topic in judged_topics():
        (explanation,) = explained_scores(qrels, run, [name], topic)
        assert _products(explanation, "gain", "discount") / _divisor(explanation) == pytest.approx(
            explanation.score, abs=1e-12
        )


@pytest.mark.parametrize("name", ["rbp", "RBP(p=0.6)", "RBP(gain=exp)", "RBP(gain=binary)"])
def test_what_is_shown_of_weights_is_the_score(name: str) -> None:
    for qrels, run, topic in judged_topics():
        (explanation,) = explained_scores(qrels, run, [name], topic)
        assert _products(explanation, "gain", "weight") / _divisor(explanation) == pytest.approx(
            explanation.score, abs=1e-12
        )


@pytest.mark.parametrize("name", ["ERR", "ERR(stop=ratio)", "ERR(gain=2:1)"])
def test_what_is_shown_of_a_cascade_is_the_score(name: str) -> None:
    for qrels, run, topic in judged_topics():
        if "2:1" in name:
            qrels = {t: {d: min(g, 2) for d, g in of.items()} for t, of in qrels.items()}
        (explanation,) = explained_scores(qrels, run, [name], topic)
        columns: dict[str, Any] = dict(explanation.columns)
        rows = zip(columns["rank"], columns["stops"], columns["arrives"], strict=True)
        total = sum(stops * arrives / rank for rank, stops, arrives in rows)
        assert total == pytest.approx(explanation.score, abs=1e-12)


@pytest.mark.parametrize("name", ["Q(beta=0)", "Q", "Q(beta=10,rel=2)", "Q(gain=10:5:1)", "WAP"])
def test_what_is_shown_of_a_blended_ratio_is_the_score(name: str) -> None:
    level = 2 if "rel=2" in name else 1
    for qrels, run, topic in judged_topics():
        (explanation,) = explained_scores(qrels, run, [name], topic)
        columns: dict[str, Any] = dict(explanation.columns)
        ratios = columns["ratio" if name == "WAP" else "blended ratio"]
        rows = zip(ratios, columns["grade"], strict=True)
        selected = [ratio for ratio, grade in rows if grade is not None and grade >= level]
        assert sum(selected) / _divisor(explanation) == pytest.approx(explanation.score, abs=1e-12)


@pytest.mark.parametrize("name", ["nCG", "nCG(gain=exp)"])
def test_the_sliding_ratio_stands_at_each_rank(name: str) -> None:
    qrels, run = judgments(3)
    for topic in qrels:
        (explanation,) = explained_scores(qrels, run, [name], topic)
        columns: dict[str, Any] = dict(explanation.columns)
        for rank, ratio in enumerate(columns["ratio"], 1):
            (value,) = evaluate(qrels, run, [f"{name}@{rank}"], only_topic=topic).values[:, 0]
            assert ratio == pytest.approx(value, abs=1e-12)


def test_a_long_ranking_is_taken_in_pieces() -> None:
    rng = random.Random(1)
    qrels = {"q": {f"d{n}": rng.randint(0, 1) for n in range(0, 1500, 3)}}
    run = {"q": {f"d{n}": rng.random() for n in range(1500)}}

    check_sums(qrels, run, ["map", "ndcg", "unj"], Options())


def test_mistakes_are_told() -> None:
    with pytest.raises(UsageError, match="runid, gm_map: no value for a topic"):
        explained_scores(SMALL_QRELS, SMALL_RUN, ["runid", "gm_map"], "q")
    with pytest.raises(MismatchError, match="the qrels have no topic x"):
        explained_scores(SMALL_QRELS, SMALL_RUN, ["map"], "x")
    with pytest.raises(MismatchError, match="the run has no topic p"):
        explained_scores({**SMALL_QRELS, "p": {"a": 1}}, SMALL_RUN, ["map"], "p")
    with pytest.raises(UsageError, match="needs one order of ties"):
        small("map", ties="average")


# --- the command ---


@pytest.mark.parametrize("topic", [("-t", "10"), ()])
@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex"])
def test_the_signature_is_that_of_the_evaluation(form: str, topic: tuple[str, ...]) -> None:
    shared = ("-m", "map", "-l", "2", "--format", form, QRELS, RUN)
    (signature,) = _signatures(command(*shared).out)
    assert _signatures(command("explain", *topic, *shared).out) == [signature]
    piped = command("explain", "-t", "10", *shared[:-1], "-", stdin=RUN)
    assert (piped.code, _signatures(piped.out)) == (0, [])


def _signatures(text: bytes) -> list[str]:
    return re.findall(r"irev:\S+?\|m:[^\s<]+", text.decode())


def test_a_ranking_in_which_nothing_counts() -> None:
    done = command("explain", QRELS, RUN, "-m", "P.5", "-t", "10", "-M", "0")

    assert done.code == 0
    assert done.out.startswith(b"P_5 of topic 10: 0.0000\n")


def test_a_short_ranking_that_ends_with_unjudged_documents(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 1\n")
    run.write_text("".join(f"q Q0 {name} 1 {9 - n} r\n" for n, name in enumerate("abcdefg")))
    done = command("explain", "-m", "P.10", "-t", "q", qrels, run)

    assert (done.code, done.err) == (0, "")
    assert b"... 6 unjudged" in done.out
    assert b"more" not in done.out


@pytest.mark.thorough
def test_a_plugins_measure(tmp_path: Path) -> None:
    plugin = tmp_path / "own.py"
    plugin.write_text(
        "import irev\n@irev.topic_measure('First')\ndef first(grades, ideal):\n"
        "    return (grades or [0])[0] or 0\n"
    )
    done = process("explain", "--plugin", plugin, "-m", "First", "-t", "10", QRELS, RUN)
    assert done.out.startswith(b"First of topic 10: 3.0000\n")
    done = process("measures", "--plugin", plugin, "First")
    assert done.out.startswith(b"First[@k]\n")
    # nobody has checked it
    assert b"Checked:" not in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "map", "-t", "10", QRELS], "give qrels and one run"),
        (["-m", "mapp", "-t", "10", QRELS, RUN], "did you mean map"),
        (["-m", "map", "-t", "nowhere", QRELS, RUN], "the qrels have no topic nowhere"),
    ],
)
def test_mistakes_of_the_command(arguments: list[str | Path], message: str) -> None:
    done = command("explain", *arguments)

    assert (done.code, done.out) == (2, b"")
    assert message in done.err


@pytest.mark.parametrize(
    ("name", "columns", "last"),
    [
        ("indAP", ["relevant", "nonrelevant", "judged precision"], [2, 1, 2 / 3]),
        ("infAP", ["relevant", "nonrelevant", "pooled", "expected precision"], [2, 1, 1, 0.5]),
        ("subAP", ["relevant", "nonrelevant", "outside the pool"], [2, 1, 1]),
        ("bpref-10", ["relevant", "nonrelevant"], [2, 1]),
        ("genAP", ["gain", "gains", "mean gain"], [1, 2, 2 / 5]),
    ],
)
def test_what_the_formula_names_is_shown(
    name: str, columns: list[str], last: list[float], tmp_path: Path
) -> None:
    """Five documents: judged 0, relevant, pooled but unjudged, outside the pool, relevant."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 b 0\nq 0 a 1\nq 0 c -1\nq 0 d 1\n")
    run.write_text("".join(f"q Q0 {d} 0 {9 - n} t\n" for n, d in enumerate("bacxd")))
    done = command("explain", "-t", "q", "-m", name, "--format", "csv", qrels, run)
    table = list(csv.reader(done.out.decode().splitlines()))
    heads = next(row for row in table if "rank" in row)
    (row,) = (
        row for row in table if len(row) == len(heads) and row[heads.index("document")] == "d"
    )
    actual = [float(row[heads.index(column.replace(" ", "_"))]) for column in columns]
    assert actual == pytest.approx(last, abs=1e-4)


def test_without_a_topic_the_worst_is_explained(tmp_path: Path) -> None:
    """Of `b` and `c`, which have the lowest value, the first; a low search length is good."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{topic} 0 y 1\n" for topic in "abc"))
    ranks = {"a": "yx", "b": "xzy", "c": "xzy"}
    run.write_text(
        "".join(
            f"{t} Q0 {d} 0 {9 - n} t\n" for t, docs in ranks.items() for n, d in enumerate(docs)
        )
    )
    done = command("explain", qrels, run)
    assert done.out.startswith(b"map of topic b: 0.3333\n")
    assert done.err == (
        "irev: note: showing topic b, which has the worst map; choose another with -t\n"
    )
    assert command("explain", "-m", "SL", qrels, run).out.startswith(
        b"SL(count=rank) of topic b: 3.0000\n"
    )


def test_a_topic_without_relevant_documents_is_not_the_worst(tmp_path: Path) -> None:
    """There would be nothing to explain, unless it is named."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("a 0 y 0\nb 0 y 1\nc 0 y 1\n")
    run.write_text("a Q0 y 0 1 t\nb Q0 y 0 1 t\nc Q0 x 0 2 t\nc Q0 y 0 1 t\n")
    assert command("explain", qrels, run).out.startswith(b"map of topic c: 0.5000\n")
    assert command("explain", "-t", "a", qrels, run).out.startswith(b"map of topic a: 0.0000\n")
    qrels.write_text("a 0 y 0\nb 0 y 0\n")
    done = command("explain", qrels, run)
    assert (done.code, done.out) == (2, b"")
    assert "no topic has a relevant document: name one with -t" in done.err


def test_standard_input_needs_a_topic() -> None:
    done = command("explain", QRELS, "-")
    assert done.code == 2
    assert "name a topic with -t" in done.err


def test_beginnings_are_scored_as_rankings_of_their_own() -> None:
    """All measures at once; few beginnings end at a judged document, and all have a value."""
    rng = random.Random(5)
    qrels = {"q": {f"d{number}": rng.choice([-1, 0, 1, 2]) for number in range(0, 90, 9)}}
    run = {"q": {f"d{number}": float(rng.randint(0, 9)) for number in range(80)}}
    names = [
        n
        for n in numeric(NAMED, "qrels")
        if not any(map(n.startswith, ("ADM", "AUC", "SwetsE", "ESL", "Hole")))
    ]
    explainer = Explainer(qrels, [*names, "all_trec"], Options(collection_size=1000), "qrels")
    ((whole,), _) = ranked_topics(run, explainer.evaluator, explainer.ranking)
    prepared = explainer.evaluator.prepared_judgments
    values = values_of_beginnings(whole, prepared)
    for length in (1, 7, 40, 41, 79, 80):
        documents = {
            document.decode(): -float(n) for n, document in enumerate(whole.documents[:length])
        }
        scores = explainer.scores({"q": documents})
        for index, (_, _, column) in enumerate(explainer._requested_columns):
            if column.per_topic and column.kind != "text":
                assert values[length, index] == pytest.approx(scores[column.name, "q"], rel=1e-12)
