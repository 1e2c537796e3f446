"""Saved scores in every form, with a summary among the topics: read as without it, and noted.

Where the values are no means of the others' they count as those of a topic, with a warning.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

from irev.scores.saved import read_saved
from tools.fuzz.harness import Case, Finding

Matrix = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Run -> topic -> measure -> value."""

NAMES = ("amean", "mean", "Average", "avg", "OVERALL", "total", "ALL", "Mean", "Macro-avg")
MEASURES = ("map", "P_10")


def rows(matrix: Matrix) -> Iterator[tuple[str, str, str, float]]:
    """Each value, with its run, topic and measure."""
    for run, topics in matrix.items():
        for topic, values in topics.items():
            yield from ((run, topic, measure, value) for measure, value in values.items())


def _lines(matrix: Matrix, line: str, head: str = "") -> bytes:
    texts = [line.format(*row) for row in rows(matrix)]
    return "\n".join([*([head] if head else []), *texts, ""]).encode()


def _nested(matrix: Matrix) -> bytes:
    return json.dumps(matrix).encode()


def _score_lines(matrix: Matrix) -> bytes:
    lines = [
        {"run_id": run, "qid": topic, **values}
        for run, topics in matrix.items()
        for topic, values in topics.items()
    ]
    return "\n".join(map(json.dumps, lines)).encode()


def _wide(matrix: Matrix) -> bytes:
    lines = [
        ",".join([run, topic, *map(str, values.values())])
        for run, topics in matrix.items()
        for topic, values in topics.items()
    ]
    return "\n".join(["run,topic," + ",".join(MEASURES), *lines, ""]).encode()


def _trec(matrix: Matrix) -> bytes:
    parts = [
        f"# {run}\n".encode() + _lines({run: topics}, "{2:<22}\t{1}\t{3}")
        for run, topics in matrix.items()
    ]
    return b"".join(parts)


def _matrix(matrix: Matrix) -> bytes:
    runs = [*matrix]
    lines = [
        ",".join([topic, *(str(matrix[run][topic][MEASURES[0]]) for run in runs)])
        for topic in matrix[runs[0]]
    ]
    return "\n".join([",".join(["topic", *runs]), *lines, ""]).encode()


def _measures_of_one_run(matrix: Matrix) -> bytes:
    [topics] = [*matrix.values()][:1]
    lines = [",".join([topic, *map(str, values.values())]) for topic, values in topics.items()]
    return "\n".join(["topic," + ",".join(MEASURES), *lines, ""]).encode()


def _irev_json(matrix: Matrix) -> bytes:
    runs = [
        {"run": run, "runid": run, "missing": [], "topics": topics}
        for run, topics in matrix.items()
    ]
    return json.dumps({"irev": "0.2.0", "measures": MEASURES, "runs": runs}).encode()


def _parquet(matrix: Matrix) -> bytes:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns = zip(*rows(matrix), strict=True)
    table = pa.table(dict(zip(("run", "topic", "measure", "value"), columns, strict=True)))
    file = io.BytesIO()
    write_table(table, file)
    return file.getvalue()


FORMS: Mapping[str, Callable[[Matrix], bytes]] = {
    "long.csv": lambda m: _lines(m, "{},{},{},{}", "run,topic,measure,value"),
    "long.tsv": lambda m: _lines(m, "{1}\t{2}\t{3}\t{0}", "qid\tmetric\tscore\tsystem"),
    "long.jsonl": lambda m: _lines(
        m, '{{"run": "{}", "topic": "{}", "measure": "{}", "value": {}}}'
    ),
    "run_measure_topic.tsv": lambda m: _lines(m, "{0}\t{2}\t{1}\t{3}"),
    "run_topic_measure.tsv": lambda m: _lines(m, "{}\t{}\t{}\t{}"),
    "lines.jsonl": _score_lines,
    "nested.json": _nested,
    "wide.csv": _wide,
    "trec.txt": _trec,
    "matrix.csv": _matrix,
    "measures.csv": _measures_of_one_run,
    "irev.json": _irev_json,
    "long.parquet": _parquet,
}


def draw(r: Random) -> tuple[Matrix, dict[str, dict[str, float]]]:
    """(scores without a summary; the means of each run)."""
    digits = r.choice((2, 3, 4, 6, 16))
    topics = r.sample(range(1, 500), r.randint(2, 12))
    matrix = {
        run: {f"q{t}": {m: round(r.random(), digits) for m in MEASURES} for t in topics}
        for run in ("a", "b")
    }
    means = {
        run: {
            m: round(math.fsum(values[m] for values in of_run.values()) / len(topics), digits)
            for m in MEASURES
        }
        for run, of_run in matrix.items()
    }
    return matrix, means


def difference(form: str, seed: int, folder: Path) -> str:
    """What is wrong with how scores of a form are read that a seed draws; empty: nothing."""
    r = Random(seed)
    matrix, means = draw(r)
    name = r.choice(NAMES)
    is_mean = r.random() < 0.7
    if not is_mean:
        means = {run: {m: v + 0.1 for m, v in of_run.items()} for run, of_run in means.items()}
    stands_first = r.random() < 0.5
    mixed = {
        run: {**({name: means[run]} if stands_first else {}), **of_run, name: means[run]}
        for run, of_run in matrix.items()
    }
    path = folder / form
    tables = {}
    for key, content in (("without", matrix), ("with", mixed)):
        path.write_bytes(FORMS[form](content))
        tables[key] = read_saved(str(path))
    for alone, beside in zip(tables["without"], tables["with"], strict=True):
        kinds = {notice.kind for notice in beside.warnings}
        expected = {"summary-topic" if is_mean else "other-mean"}
        if kinds != expected:
            return f"{name}: {sorted(kinds)}, expected {sorted(expected)}"
        topics = sorted([*alone.topics, *([] if is_mean else [name.encode()])])
        if [*beside.topics] != topics:
            return f"{name}: the topics are {beside.topics}"
        if is_mean and (beside.values != alone.values).any():
            return f"{name}: other values"
    return ""


def try_seed(seed: int, folder: Path) -> tuple[Case, str, Finding | None]:
    """Scores of a seed in a form of it: the case, the class of its outcome, what is wrong."""
    form = [*FORMS][seed % len(FORMS)]
    wrong = difference(form, seed, folder)
    path = folder / form
    case = Case({form: path.read_bytes()}, ["compare", form])
    return case, form, Finding(f"{form}: {wrong}") if wrong else None
