"""Tables that hold several runs: each run is what it is in a file of its own."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import irev
from irev.errors import InputError, UsageError
from irev.read.inputs import runs_in_table_if_several

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("alpha", "beta", "gamma")
TOPICS = [f"t{number}" for number in range(1, 8)]
evaluate: Any = irev.evaluate  # a table for some frames, scores of a run for others
MEASURES = ["map", "ndcg", "P_5", "recip_rank"]


def one_run(seed: int) -> pd.DataFrame:
    """Topics of 30 documents, with equal scores among them."""
    draw = np.random.default_rng(seed)
    rows = [
        (topic, f"d{document:03d}", rank, 1 - (rank // 2) / 30)
        for topic in TOPICS
        for rank, document in enumerate(draw.choice(60, 30, replace=False), 1)
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rank", "score"])


RUNS = {name: one_run(seed) for seed, name in enumerate(NAMES)}
QRELS = {
    topic: {f"d{document:03d}": (document + at) % 3 for document in range(0, 60, 2)}
    for at, topic in enumerate(TOPICS)
}
ALL = pd.concat([frame.assign(run=name) for name, frame in RUNS.items()], ignore_index=True)
BY_TOPIC = ALL.sort_values("query_id", kind="stable", ignore_index=True)
SHUFFLED = ALL.sample(frac=1, random_state=5, ignore_index=True)
ALONE = {name: evaluate(QRELS, frame, MEASURES) for name, frame in RUNS.items()}


def write_csv(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path.with_suffix(".csv"), index=False)
    return path.with_suffix(".csv")


def write_json_lines(frame: pd.DataFrame, path: Path) -> Path:
    lines = [json.dumps(row) for row in frame.to_dict("records")]
    path.with_suffix(".jsonl").write_text("".join(f"{line}\n" for line in lines))
    return path.with_suffix(".jsonl")


def write_parquet(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_parquet(path.with_suffix(".parquet"), row_group_size=100, index=False)
    return path.with_suffix(".parquet")


def write_arrow(frame: pd.DataFrame, path: Path) -> Path:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pyarrow.feather.write_feather(table, path.with_suffix(".arrow"), chunksize=70)
    return path.with_suffix(".arrow")


def write_parts(frame: pd.DataFrame, path: Path) -> Path:
    """A folder of files that each hold rows of some runs."""
    path.mkdir()
    for number, start in enumerate(range(0, len(frame), 150)):
        frame[start : start + 150].to_parquet(path / f"part-{number}.parquet", index=False)
    return path


def write_partitions(frame: pd.DataFrame, path: Path) -> Path:
    for name, rows in frame.groupby("run", sort=False):
        (path / f"run={name}").mkdir(parents=True)
        rows.drop(columns="run").to_parquet(path / f"run={name}" / "part-0.parquet", index=False)
    return path


WRITERS = [
    write_csv, write_json_lines, write_parquet, write_arrow, write_parts, write_partitions,
]  # fmt: skip


def assert_equal_to_runs_alone(table: Any) -> None:
    assert sorted(table.run_names) == sorted(NAMES)
    for name, alone in ALONE.items():
        scores = table[name]
        assert scores.topics == alone.topics
        assert scores.values.tobytes() == alone.values.tobytes()
        assert [notice.message for notice in scores.notices] == [
            notice.message for notice in alone.notices
        ]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("frame", [ALL, BY_TOPIC, SHUFFLED], ids=["grouped", "by-topic", "mixed"])
def test_each_run_has_the_scores_that_it_has_alone(
    write: Callable[[pd.DataFrame, Path], Path], frame: pd.DataFrame, tmp_path: Path
) -> None:
    assert_equal_to_runs_alone(evaluate(QRELS, write(frame, tmp_path / "all"), MEASURES))


@pytest.mark.parametrize("frame", [ALL, BY_TOPIC, SHUFFLED], ids=["grouped", "by-topic", "mixed"])
def test_frames_hold_several_runs_too(frame: pd.DataFrame) -> None:
    assert_equal_to_runs_alone(evaluate(QRELS, frame, MEASURES))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    assert_equal_to_runs_alone(evaluate(QRELS, table, MEASURES))


def test_many_runs_in_many_blocks(tmp_path: Path) -> None:
    """Runs begin and end within blocks of 65,536 rows, and a run may be longer than one."""
    sizes = [70_000, 10, 90_000, 40_000]
    frames = []
    for number, size in enumerate(sizes):
        document = [f"d{row}" for row in range(size)]
        score = np.arange(size, 0, -1.0)
        topic = np.where(np.arange(size) < size // 2, "1", "2")
        frames.append(
            pd.DataFrame({"qid": topic, "docno": document, "score": score, "run": f"r{number}"})
        )
    qrels = {topic: {f"d{row}": 1 for row in range(0, 90_000, 999)} for topic in "12"}
    pd.concat(frames).to_parquet(tmp_path / "all.parquet", index=False)
    table = evaluate(qrels, tmp_path / "all.parquet", ["map", "num_ret"])
    for number, frame in enumerate(frames):
        alone = evaluate(qrels, frame.drop(columns="run"), ["map", "num_ret"])
        assert table[f"r{number}"].summary() == alone.summary()


@pytest.mark.thorough
@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_block_of_many_small_runs(
    write: Callable[[pd.DataFrame, Path], Path], tmp_path: Path
) -> None:
    frame = pd.concat([one_run(seed).assign(run=f"r{seed:03d}") for seed in range(60)])
    table = evaluate(QRELS, write(frame, tmp_path / "all"), ["map"])
    assert len(table.run_names) == 60
    for seed in (0, 1, 30, 59):
        assert table[f"r{seed:03d}"].summary() == evaluate(QRELS, one_run(seed), ["map"]).summary()
    runs = runs_in_table_if_several(str(tmp_path / f"all{write(frame, tmp_path / 'all').suffix}"))
    for index in (50, 3, 59, 0):
        assert evaluate(QRELS, runs[index], ["map"]).summary() == table[f"r{index:03d}"].summary()


def test_an_interrupted_run_comes_together(tmp_path: Path) -> None:
    parts = [ALL[ALL.run == "alpha"][:100], ALL[ALL.run == "beta"], ALL[ALL.run == "alpha"][100:]]
    rest = ALL[ALL.run == "gamma"]
    path = write_parquet(pd.concat([*parts, rest]), tmp_path / "all")
    assert_equal_to_runs_alone(evaluate(QRELS, path, MEASURES))


@pytest.mark.parametrize("column", ["run_id", "Run-ID", "runid"])
def test_usual_names_of_the_column(column: str, tmp_path: Path) -> None:
    path = write_csv(ALL.rename(columns={"run": column}), tmp_path / "all")
    assert_equal_to_runs_alone(evaluate(QRELS, path, MEASURES))


def test_the_column_that_the_user_names(tmp_path: Path) -> None:
    path = write_csv(ALL.rename(columns={"run": "system"}), tmp_path / "all")
    table = evaluate(QRELS, path, MEASURES, columns={"run": "system"})
    assert_equal_to_runs_alone(table)
    frame = ALL.rename(columns={"run": "tag"})
    assert_equal_to_runs_alone(evaluate(QRELS, frame, MEASURES, columns={"run": "tag"}))


def test_a_column_that_is_not_to_name_runs(tmp_path: Path) -> None:
    frame = RUNS["alpha"].assign(run=["odd", "even"] * 105)
    path = write_parquet(frame, tmp_path / "one")
    for source in (path, frame):
        scores = evaluate(QRELS, source, MEASURES, columns={"run": ""})
        assert scores.values.tobytes() == ALONE["alpha"].values.tobytes()


def test_one_value_is_one_run_as_without_the_column(tmp_path: Path) -> None:
    frame = RUNS["beta"].assign(run="anything")
    for source in (
        write_csv(frame, tmp_path / "one"),
        write_parquet(frame, tmp_path / "one"),
        frame,
    ):
        scores = evaluate(QRELS, source, MEASURES)
        assert isinstance(scores, irev.Scores)
        assert scores.values.tobytes() == ALONE["beta"].values.tobytes()


def test_tags_of_a_text_run_are_none(tmp_path: Path) -> None:
    """As in trec_eval, whatever stands in the sixth field."""
    rows: Any = RUNS["alpha"].itertuples()
    lines = [f"{r.query_id} Q0 {r.doc_id} {r.rank} {r.score} {r.Index % 3}\n" for r in rows]
    (tmp_path / "a.run").write_text("".join(lines))
    scores = evaluate(QRELS, tmp_path / "a.run", MEASURES)
    assert scores.values.tobytes() == ALONE["alpha"].values.tobytes()


def test_runs_called_by_numbers_or_codes(tmp_path: Path) -> None:
    for values in (ALL.run.map({"alpha": 1, "beta": 20, "gamma": 3}), ALL.run.astype("category")):
        path = write_parquet(ALL.assign(run=values), tmp_path / "all")
        table = evaluate(QRELS, path, MEASURES)
        assert table.run_names == tuple(str(value) for value in values.unique())
        assert table.values.shape[2] == 3


def test_a_signature_tells_runs_of_a_table_apart(tmp_path: Path) -> None:
    path = write_parquet(ALL, tmp_path / "all")
    table = evaluate(QRELS, path, MEASURES, sign=True)
    hashes = {table[name].signature.run for name in NAMES}
    assert len(hashes) == 3
    assert None not in hashes
    again = evaluate(QRELS, path, MEASURES, sign=True)
    assert {again[name].signature.run for name in NAMES} == hashes


def test_a_run_of_a_table_survives_pickling(tmp_path: Path) -> None:
    runs = runs_in_table_if_several(str(write_parquet(ALL, tmp_path / "all")))
    again = pickle.loads(pickle.dumps(runs[1]))
    assert again == runs[1] == f"{tmp_path}/all.parquet[beta]"
    scores = evaluate(QRELS, again, MEASURES)
    assert scores.values.tobytes() == ALONE["beta"].values.tobytes()


def test_a_table_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = write_parquet(ALL, tmp_path / "all")
    assert evaluate(QRELS, path, MEASURES).run_names == NAMES
    write_parquet(ALL[ALL.run != "beta"], tmp_path / "all")
    assert evaluate(QRELS, path, MEASURES).run_names == ("alpha", "gamma")


def test_ranks_of_each_run_are_looked_at(tmp_path: Path) -> None:
    """Scores that rise with the ranks in one run alone are told of that run."""
    frame = ALL.assign(score=ALL.score.where(ALL.run != "beta", -ALL.score))
    for write in (write_csv, write_parquet):
        with pytest.warns(irev.IrevWarning, match="rise from rank to rank") as warned:
            evaluate(QRELS, write(frame, tmp_path / "all"), MEASURES)
        texts = [str(each.message) for each in warned]
        assert len(texts) == 1
        assert "beta" in texts[0]


@pytest.mark.parametrize("frame", [ALL, SHUFFLED], ids=["grouped", "mixed"])
@pytest.mark.parametrize("write", WRITERS[:4])
def test_a_document_that_stands_twice_in_a_run(
    write: Callable[[pd.DataFrame, Path], Path], frame: pd.DataFrame, tmp_path: Path
) -> None:
    """The lines are those of the file."""
    frame = pd.concat([frame, frame[frame.run == "beta"][:1]])
    first = int(np.flatnonzero(frame.run == "beta")[0]) + 1
    path = write(frame, tmp_path / "all")
    header = path.suffix == ".csv"
    with pytest.raises(InputError, match="duplicate document") as caught:
        evaluate(QRELS, path, MEASURES)
    (problem,) = caught.value.problems
    assert problem.line == len(frame) + header
    assert f"lines {first + header} and {len(frame) + header}" in problem.message


def test_a_line_that_cannot_be_read_spoils_its_run_alone(tmp_path: Path) -> None:
    path = write_csv(ALL, tmp_path / "all")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[250] = lines[250].replace(",0.", ",zero.")
    path.write_text("".join(lines))
    evaluator = irev.Evaluator(QRELS, MEASURES)
    outcomes: list[Any] = [
        each for _, each in evaluator.evaluate_many(runs_in_table_if_several(str(path)))
    ]
    assert outcomes[0].values.tobytes() == ALONE["alpha"].values.tobytes()
    assert outcomes[2].values.tobytes() == ALONE["gamma"].values.tobytes()
    (problem,) = outcomes[1].problems
    assert problem.line == 251
    assert "is not a number" in problem.message


def test_runs_may_be_read_in_any_order_and_again(tmp_path: Path) -> None:
    runs = runs_in_table_if_several(str(write_parquet(ALL, tmp_path / "all")))
    evaluator = irev.Evaluator(QRELS, MEASURES)
    for index in (2, 0, 1, 1, 0, 2):
        scores = evaluator.evaluate(runs[index])
        assert scores.values.tobytes() == ALONE[NAMES[index]].values.tobytes()


def test_one_run_of_a_table_by_its_name(tmp_path: Path) -> None:
    path = write_parquet(ALL, tmp_path / "all[1]")
    scores = evaluate(QRELS, f"{path}[beta]", MEASURES)
    assert isinstance(scores, irev.Scores)
    assert scores.values.tobytes() == ALONE["beta"].values.tobytes()
    assert irev.explain(QRELS, f"{path}[gamma]", ["map"], topic="t1").exit_code == 0
    table = irev.compare(QRELS, [f"{path}[gamma]", f"{path}[beta]"], ["map"]).table
    assert table.run_names == ("beta", "gamma")
    report = irev.gate(QRELS, f"{path}[beta]", baseline=f"{path}[gamma]", tolerance=1)
    assert report.exit_code == 0
    with pytest.raises(InputError, match="no file matches this pattern"):
        evaluate(QRELS, f"{path}[delta]", MEASURES)


def test_rows_without_a_run_among_several(tmp_path: Path) -> None:
    frame = ALL.assign(run=ALL.run.where(ALL.index != 230))
    with pytest.raises(InputError, match="a run is missing in column run") as caught:
        evaluate(QRELS, write_parquet(frame, tmp_path / "all"), MEASURES)
    assert caught.value.problems[0].line == 231
    with pytest.raises(InputError, match="a run is missing in column run") as caught:
        evaluate(QRELS, write_csv(frame, tmp_path / "all"), MEASURES)
    assert caught.value.problems[0].line == 232
    with pytest.raises(InputError, match="missing in column run"):
        evaluate(QRELS, frame, MEASURES)


def test_runs_that_are_called_alike(tmp_path: Path) -> None:
    one, other = write_parquet(ALL, tmp_path / "one"), write_csv(ALL, tmp_path / "other")
    for call in (evaluate, irev.compare):
        with pytest.raises(UsageError, match="two runs are called alpha") as caught:
            call(QRELS, [one, other], MEASURES[:1])
        assert "one.parquet[alpha] and " in str(caught.value)
        assert "other.csv[alpha]" in str(caught.value)


def test_a_file_beside_a_table_gives_way(tmp_path: Path) -> None:
    table = write_parquet(ALL, tmp_path / "all")
    alone = write_csv(RUNS["alpha"], tmp_path / "alpha")
    names = evaluate(QRELS, [table, alone], MEASURES).run_names
    assert names == (*NAMES, "alpha.csv")


def test_a_job_of_one_run_refuses_several(tmp_path: Path) -> None:
    path = str(write_parquet(ALL, tmp_path / "all"))
    message = "column run has 3 values: alpha, beta, gamma"
    for source in (path, ALL):
        with pytest.raises(InputError, match=message):
            irev.explain(QRELS, source, ["map"])
        with pytest.raises(InputError, match=message):
            irev.gate(QRELS, source, min={"map": 0.1})
        with pytest.raises(InputError, match=message):
            irev.gate(QRELS, RUNS["alpha"], baseline=source)
        with pytest.raises(InputError, match=message):
            evaluate(QRELS, {"one": source}, ["map"])


def test_judgments_with_such_a_column_are_one_set(tmp_path: Path) -> None:
    rows = [(topic, d, grade, d) for topic, grades in QRELS.items() for d, grade in grades.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "grade", "run"])
    for qrels in (frame, write_csv(frame, tmp_path / "qrels")):
        scores = evaluate(qrels, RUNS["alpha"], MEASURES)
        assert scores.values.tobytes() == ALONE["alpha"].values.tobytes()


def test_a_damaged_table_is_an_error(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(ALL, preserve_index=False)
    path = tmp_path / "all.parquet"
    pq.write_table(table, path, row_group_size=100, compression="none")
    content = bytearray(path.read_bytes())
    content[2000:2300] = bytes(300)
    path.write_bytes(content)
    with pytest.raises(InputError):
        evaluate(QRELS, path, MEASURES)
