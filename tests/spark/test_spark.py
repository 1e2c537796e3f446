"""The numbers of a real Spark on this machine beside those of the local engine: the same bits.

`make test-spark` installs what is needed; elsewhere these tests are skipped.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irev
import irev.spark
from irev.spark.evaluation import SparkEvaluator, runs_at
from tests import command
from tests.files import ROOT, SAMPLE
from tests.real_data import COVID, COVID_QRELS, needs_real_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark brings it")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("there is no Java, which Spark needs", allow_module_level=True)

pytestmark = [
    # what PySpark says of pandas' version, and the sockets that it leaves open
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MEASURES = (
    "all_trec", "nDCG", "nDCG(b=2)@10", "nDCG(gain=exp)@20", "Q(beta=10)", "RBP(p=0.8)", "ERR@20",
    "bpref", "infAP", "Judged@10", "Compat", "num_ret", "set",
)  # fmt: skip
QRELS = SAMPLE / "qrels.txt"
RUNS = [SAMPLE / name for name in ("bm25.run", "rm3.run", "fusion.run", "dense.run.gz")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.executorEnv.PYTHONWARNINGS", "ignore::FutureWarning")
        .getOrCreate()
    )
    yield made
    made.stop()


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ties, long ids and ids that are no ASCII; topics that the other side lacks."""
    folder = tmp_path_factory.mktemp("odd")
    rng = random.Random(7)
    docs = [f"d{n}".encode() for n in range(60)] + [f"dö{n}".encode() for n in range(20)]
    docs += [b"long-" * 20 + b"%d" % n for n in range(20)] + [b"\xfflatin", b"NA", b"001", b"1e5"]
    topics = [b"%d" % n for n in range(30)] + ["tä".encode(), b"007"]
    with (folder / "qrels.txt").open("wb") as qrels:
        for topic in topics[:-4]:
            for doc in rng.sample(docs, 25):
                qrels.write(b"%s 0 %s %d\n" % (topic, doc, rng.choice([-1, 0, 0, 1, 2, 3])))
    lines = []
    for topic in topics[3:]:
        for doc in rng.sample(docs, rng.randrange(1, 90)):
            score = rng.choice([3.0, 2.5, 2.5 + 1e-9, rng.random()])
            lines.append(b"%s Q0 %s 1 %a odd\n" % (topic, doc, score))
    (folder / "whole.run").write_bytes(b"".join(lines))
    rng.shuffle(lines)
    (folder / "shuffled.run").write_bytes(b"".join(lines))
    return folder


def table_of(path: Path) -> pa.Table:
    """A run as text, as a table."""
    import gzip

    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [line.split() for line in content.splitlines()]
    rows = [row for row in rows if row and not row[0].startswith(b"#")]
    topic, _, doc, rank, score, *_ = zip(*rows, strict=True)
    return pa.table(
        {
            "qid": pa.array(topic, pa.binary()), "docno": pa.array(doc, pa.binary()),
            "rank": pa.array([*map(int, rank)]), "score": pa.array([*map(float, score)]),
        }
    )  # fmt: skip


def same(found: irev.Scores, wanted: irev.Scores) -> None:
    """The same to the last bit, with the same account and doubts."""
    assert found.topics == wanted.topics
    assert found.columns == wanted.columns
    assert found.values.tobytes() == wanted.values.tobytes()
    assert found.texts == wanted.texts
    assert found.divisor == wanted.divisor
    assert found.account == wanted.account
    assert found.summary() == wanted.summary()
    assert found.ties == wanted.ties
    # samples of documents, which explain a doubt, are not brought here
    assert [notice.kind for notice in found.notices] == [each.kind for each in wanted.notices]


def local(qrels: Any, run: Any, measures: Sequence[str] = MEASURES, **options: Any) -> irev.Scores:
    qrels_format = options.pop("qrels_format", "qrels")
    evaluator = irev.Evaluator(qrels, measures, irev.Options(**options), qrels_format=qrels_format)
    return evaluator.evaluate_silently(run)


def test_runs_as_text(spark: Any, odd: Path) -> None:
    """Several at once, one of them compressed: scores, tags, doubts."""
    evaluator = SparkEvaluator(str(QRELS), MEASURES)

    found = [outcome for _, outcome in evaluator.outcomes(list(map(str, RUNS)))]

    for outcome, path in zip(found, RUNS, strict=True):
        assert isinstance(outcome, irev.Scores)
        same(outcome, local(QRELS, path))
        assert outcome.run_id == local(QRELS, path).run_id


@pytest.mark.parametrize("name", ["whole.run", "shuffled.run"])
@pytest.mark.parametrize("partitions", [1, 4])
def test_ties_and_odd_ids(spark: Any, odd: Path, name: str, partitions: int) -> None:
    """As text, and as tables in one and in several partitions."""
    qrels = odd / "qrels.txt"
    evaluator = SparkEvaluator(str(qrels), MEASURES)
    expected = local(qrels, odd / name)

    [(_, as_text)] = evaluator.outcomes([str(odd / name)])
    frame = spark.createDataFrame(table_of(odd / name)).repartition(partitions)

    assert isinstance(as_text, irev.Scores)
    same(as_text, expected)
    same(evaluator.evaluate_silently(frame), local(qrels, table_of(odd / name)))


@pytest.mark.parametrize(
    "options",
    [
        {"max_retrieved": 7, "topics": "qrels"},
        {"judged_only": True, "level": 2, "topics": "run"},
        {"ties": "docid-asc"},
        {"ties": "rank", "max_retrieved": 20},
        {"ties": "optimistic"},
        {"ties": "average", "max_retrieved": 5},
        {"tie_range": True, "judged_only": True},
        {"compat": "trec9", "no_relevant": "skip"},
        {"residuals": True, "judged_shares": True},
    ],
    ids=str,
)
def test_options(spark: Any, odd: Path, options: dict[str, Any]) -> None:
    qrels, run = odd / "qrels.txt", table_of(odd / "shuffled.run")
    measures = ["P", "RR", "ERR@20"] if "residuals" in options else MEASURES[:9]
    evaluator = SparkEvaluator(str(qrels), measures, irev.Options(**options))

    scores = evaluator.evaluate_silently(spark.createDataFrame(run).repartition(3))

    same(scores, local(qrels, run, measures, **options))


@pytest.mark.parametrize(
    ("format", "measures"),
    [("prefs", ["all_prefs"]), ("qrels_jg", ["qrels_jg"])],
)
def test_other_judgments(spark: Any, format: str, measures: list[str]) -> None:
    qrels = SAMPLE / f"{format}.txt"
    evaluator = SparkEvaluator(str(qrels), measures, qrels_format=format)

    scores = evaluator.evaluate_silently(spark.createDataFrame(table_of(RUNS[0])).repartition(2))

    same(scores, local(qrels, table_of(RUNS[0]), measures, qrels_format=format))


def test_judgments_too_large_for_every_worker(spark: Any, odd: Path) -> None:
    run = table_of(odd / "shuffled.run")
    frame = spark.createDataFrame(run).repartition(3)

    scores = irev.spark.evaluate(frame, str(odd / "qrels.txt"), MEASURES, broadcast=False)

    same(scores, local(odd / "qrels.txt", run))


@pytest.mark.parametrize(("partitions", "broadcast"), [(1, True), (2, True), (7, True), (7, False)])
def test_documents_left_out(spark: Any, odd: Path, partitions: int, broadcast: bool) -> None:
    """Numbers, counts, words and signature; a topic loses all, and one lies in every partition."""
    table = table_of(odd / "shuffled.run")
    topics, docs = (table.column(name).to_pylist() for name in ("qid", "docno"))
    ids = pa.array(sorted(set(topics)), pa.binary())
    own = pa.table({"qid": ids, "docno": ids, "rank": [1] * len(ids), "score": [2.75] * len(ids)})
    listed = {b"5": {doc for topic, doc in zip(topics, docs, strict=True) if topic == b"5"},
              b"7": {b"d1", b"d2", b"d3", b"d4", b"NA"}, b"none": {b"x"}}  # fmt: skip
    run = pa.concat_tables([table, own])
    for exclude, measures in (("own", ["map", "num_ret", "nDCG"]), (("own", listed), MEASURES)):
        options = irev.Options(exclude=exclude, level=2)
        evaluator = SparkEvaluator(
            str(odd / "qrels.txt"), measures, options, broadcast=broadcast, sign=True
        )
        frame = spark.createDataFrame(run).repartition(partitions)

        scores = evaluator.evaluate_silently(frame)

        expected = irev.evaluate(odd / "qrels.txt", run, measures, options=options, sign=True)
        same(scores, expected)
        assert scores.account.num_excluded > 20
        kinds = ("excluded-documents", "emptied-topic")
        words, expected_words = (
            [each for each in of.notices if each.kind in kinds] for of in (scores, expected)
        )
        assert words == expected_words
        assert len(words) == (1 if exclude == "own" else 2)
        assert scores.signature is not None
        assert expected.signature is not None
        assert scores.signature.options == expected.signature.options
        assert scores.signature.files == expected.signature.files
    assert "5" in words[1].message


def test_names_of_beir_warn_of_own_documents(spark: Any) -> None:
    run = table_of(RUNS[0])
    frame = spark.createDataFrame(run).repartition(3)
    scores = SparkEvaluator(str(QRELS), ["beir:NDCG@10"]).evaluate_silently(frame)
    same(scores, local(QRELS, run, ["beir:NDCG@10"]))
    [warning] = [each for each in scores.notices if each.kind == "own-document-of-beir"]
    assert warning.message == "2 topics retrieve the document with the topic's own id"


def test_many_runs_in_one_frame(spark: Any, tmp_path: Path) -> None:
    """Their rows mixed, judgments in a frame too; the scores by topic go back as Parquet."""
    tables = {path.name: table_of(path) for path in RUNS}
    together = pa.concat_tables(
        table.append_column("run", pa.array([name] * len(table))) for name, table in tables.items()
    )
    order = np.random.default_rng(0).permutation(len(together))
    judged = table_of(RUNS[0]).select(["qid", "docno"])
    judged = judged.append_column("grade", pa.array(np.arange(len(judged)) % 3))

    found = irev.spark.evaluate_many(
        spark.createDataFrame(together.take(order)).repartition(4),
        spark.createDataFrame(judged),
        MEASURES,
    )
    irev.spark.per_topic(spark, found).write.parquet(str(tmp_path / "scores"))

    assert list(found) == sorted(tables)
    for name, scores in found.items():
        # of a table the run's tag is its name there
        same(scores, replace(local(judged, tables[name]), run_id=name.encode()))
    written = pq.read_table(tmp_path / "scores").to_pylist()
    some = local(judged, tables["rm3.run"], ["map"])
    expected = ("rm3.run", "map")
    by_topic = {r["topic"]: r["value"] for r in written if (r["run"], r["measure"]) == expected}
    assert by_topic == dict(zip(map(bytes.decode, some.topics), some.values[:, 0], strict=True))


def test_what_is_wrong_with_a_frame(spark: Any) -> None:
    rows = pa.table({"topic": ["1", "1"], "document": ["d", "d"], "score": [1.0, 2.0]})
    twice = spark.createDataFrame(rows).repartition(2)
    no_ids = pa.array([None, "d"], pa.string())
    missing = spark.createDataFrame(rows.set_column(1, "document", no_ids))
    nan = spark.createDataFrame(rows.set_column(2, "score", pa.array([1.0, float("nan")])))
    qrels = {"1": {"x": 1}}

    for frame, message in (
        (twice, "the run: duplicate document 'd' in topic '1'"),
        (missing, "an id is missing in column document"),
        (nan, "a score is NaN"),
        (twice.drop("score"), "there is no column for the score"),
    ):
        with pytest.raises(irev.InputError, match=message):
            irev.spark.evaluate(frame, qrels, ["map"])
    with pytest.raises(irev.InputError, match="it has no rows"):
        irev.spark.evaluate(twice.limit(0), qrels, ["map"])


def test_the_command(spark: Any, odd: Path, tmp_path: Path) -> None:
    """Text, a folder of runs, one of a run's parts, Parquet with a column of runs, mistakes."""
    runs, parts, tables = (tmp_path / name for name in ("runs", "parts", "tables"))
    for folder in (runs, parts, tables):
        folder.mkdir()
    shutil.copy(RUNS[0], runs)
    shutil.copy(RUNS[1], runs / "rm 3%20ö.run")
    lines = RUNS[2].read_bytes().splitlines(keepends=True)
    for number in range(3):
        (parts / f"part-{number:05}").write_bytes(b"".join(lines[number::3]))
    table = table_of(RUNS[1])
    pq.write_table(table.append_column("run_id", pa.array(["a"] * len(table))),
                   tables / "part-0.parquet")  # fmt: skip
    wrong = tmp_path / "wrong[1].run"
    wrong.write_text("1 Q0 d 1 high tag\n")
    flags = ("-q", "-m", "all_trec", "-m", "nDCG")

    ran = command.irev("--engine", "spark", *flags, QRELS, runs, parts, f"file://{RUNS[3]}", tables)
    plainly = command.irev(*flags, QRELS, *RUNS[:2], RUNS[2], RUNS[3], RUNS[1])
    failed = command.irev("--engine", "spark", QRELS, wrong, tmp_path / "none")

    names = [str(runs / "bm25.run"), str(runs / "rm 3%20ö.run"), str(parts), f"file://{RUNS[3]}",
             f"{tables}[a]"]  # fmt: skip
    blocks = [block.partition(b"\n") for block in plainly.out.split(b"# ")[1:]]
    expected = [b"# %s\n%s" % (n.encode(), b[2]) for n, b in zip(names, blocks, strict=True)]
    # of a table the run's tag is its name there
    expected[-1] = expected[-1].replace(b"\trm3\n", b"\ta\n")
    assert ran.out == b"".join(expected)
    assert ran.code == 0
    assert failed.code == 2
    assert not failed.out
    assert f"{wrong}: score 'high' is not" in failed.err
    assert f"{tmp_path / 'none'}: Spark finds nothing there" in failed.err


def test_judgments_in_a_store(spark: Any, tmp_path: Path) -> None:
    """By a URI, which only Spark opens."""
    ran = command.irev("--engine", "spark", f"file://{QRELS}", RUNS[0])

    assert ran.out == command.irev(QRELS, RUNS[0]).out


@needs_real_data
def test_real_runs(spark: Any) -> None:
    """Ten of TREC-COVID, in one go, and one after another with their rows in any order."""
    runs = sorted(path for path in (COVID / "runs").iterdir() if path.is_file())[:10]
    evaluator = SparkEvaluator(str(COVID_QRELS), MEASURES)

    for (_, found), path in zip(evaluator.outcomes([*map(str, runs)]), runs, strict=True):
        assert isinstance(found, irev.Scores)
        same(found, local(COVID_QRELS, path))
    for path in runs[:2]:
        table = table_of(path)
        frame = spark.createDataFrame(table).repartition(4)
        same(evaluator.evaluate_silently(frame), local(COVID_QRELS, table))


def test_the_guide_is_true(spark: Any) -> None:
    import doctest

    text = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    blocks = "".join(part.partition("```")[0] for part in text.split("```python\n")[1:])
    examples = doctest.DocTestParser().get_doctest(blocks, {}, "speed.md", None, None)

    results = doctest.DocTestRunner().run(examples)

    assert results.attempted > 8
    assert not results.failed


def test_a_folder_of_topics_has_topics_as_ids(spark: Any, tmp_path: Path) -> None:
    """`topic=001` is the topic 001."""
    for topic in ("001", "1"):
        (tmp_path / f"topic={topic}").mkdir()
        pq.write_table(
            pa.table({"document": ["a", "b"], "score": [1.0, 2.0]}),
            tmp_path / f"topic={topic}" / "rows.parquet",
        )
    evaluator = SparkEvaluator({"001": {"b": 1}, "1": {"a": 1}}, ["recip_rank"])

    [(_, scores)] = evaluator.outcomes(runs_at([str(tmp_path)]))

    assert isinstance(scores, irev.Scores)
    assert scores.values[:, 0].tolist() == [1.0, 0.5]


def test_the_order_of_scores_is_told_of(spark: Any, tmp_path: Path) -> None:
    """Ranks that contradict the scores, and equal scores: as text and as a frame."""
    lines = [
        line.split() for line in (SAMPLE / "bm25.run").read_text(encoding="utf-8").splitlines()
    ]
    for name, score, told in (
        ("distances", lambda line: -float(line[4]), "scores rise from rank to rank in 12 of 12"),
        ("equal", lambda line: 1.0, "the first 10 documents have equal scores in 12 of 12 topics"),
        ("sound", lambda line: float(line[4]), ""),
    ):
        rows = [(line[0], line[2], int(line[3]), score(line)) for line in lines]
        path = tmp_path / f"{name}.run"
        path.write_text("".join(f"{t} Q0 {d} {rank} {value} x\n" for t, d, rank, value in rows))
        frame = spark.createDataFrame(rows, ["qid", "docno", "rank", "score"]).repartition(3)
        evaluator = SparkEvaluator(str(QRELS), ["map"])
        outcomes = [*evaluator.outcomes([str(path)])]
        for scores in (outcomes[0][1], evaluator.evaluate_silently(frame)):
            assert isinstance(scores, irev.Scores)
            same_map = local(QRELS, path, ["map"])
            assert scores["map"] == same_map["map"]
            messages = [notice.message for notice in scores.notices]
            assert len(messages) == len(same_map.notices) == bool(told)
            assert all(told in message for message in messages)
