"""Estimates under samples of the judgments as documents.

The estimates (`--sample`) come as trec_eval's lines too. A line of the tables is a measure of a run
under a design of samples: `all` is its value under all judgments, `target` the value under all
judgments of the measure that it is compared with `against`; `mean` and `sd` are over the samples;
`bias` is mean - target, and `rms` the root mean squared difference from the target over the
samples.

With several runs there is a line more for each, for the run `all`: the means over runs, with the
root mean squared difference over runs, Kendall's tau and Pearson's rho between runs' estimates and
targets, each a mean over the samples.
"""

from __future__ import annotations

from functools import partial
from os import fsencode
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.model import asked_order
from irev.core.text import as_bytes, as_text, escape_non_utf8
from irev.core.version import __version__
from irev.jobs.sample.estimates import Agreement, agreement
from irev.scores.scores import SUMMARY
from irev.writers.document import Document, Head, Lines, Records, Table
from irev.writers.machine import finite_or_none, signature_data
from irev.writers.scores import footer_lines
from irev.writers.trec import ScoredFile, ScoreLayout, real_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from irev.jobs.sample.estimates import OfTopic, SampledScores
    from irev.writers.document import Part


class SampledResult(NamedTuple):
    """The scores of one run under samples, and the path it was read from."""

    path: str
    scores: SampledScores


class Line(NamedTuple):
    """A measure of a run, of one of its topics, or of all runs, under a design.

    None where there is no such value.
    """

    run: str
    measure: str
    all: float
    against: str
    target: float
    sample: str
    samples: int
    mean: float
    sd: float | None
    bias: float
    rms: float
    tau: float | None = None
    rho: float | None = None
    topic: str = SUMMARY


def lines(results: Sequence[SampledResult], columns: Sequence[int]) -> Iterator[Line]:
    """Every line: runs in order; in each topics, then all; some measures, of each the designs."""
    for path, found in results:
        yield from _of_topics(path, found, columns)
        yield from _lines(path, found, found, columns)
    if len(results) > 1:
        over_runs = agreement([found for _, found in results])
        yield from _lines(SUMMARY, results[0].scores, over_runs, columns)


def _asked(scores: SampledScores) -> list[int]:
    """The measures as they were asked for."""
    return asked_order([scores.full.columns[column] for column in scores.shown])


def _of_topics(path: str, found: SampledScores, columns: Sequence[int]) -> Iterator[Line]:
    """The lines of a run's topics, of the measures that have values by topic."""
    having = [column for column in columns if found.full.columns[found.shown[column]].per_topic]
    for each in found.topics():
        yield from _lines(path, found, each, having, escape_non_utf8(each.topic))


def _lines(
    run: str,
    about: SampledScores,
    of: SampledScores | OfTopic | Agreement,
    columns: Sequence[int],
    topic: str = SUMMARY,
) -> Iterator[Line]:
    mean, sd, rms = of.mean.tolist(), of.deviation.tolist(), of.rms.tolist()
    complete, aims = of.complete.tolist(), of.aims.tolist()
    for c in columns:
        for d, design in enumerate(about.designs):
            orders: tuple[float | None, float | None] = (None, None)
            if isinstance(of, Agreement):
                orders = (finite_or_none(float(of.tau[d, c])), finite_or_none(float(of.rho[d, c])))
            yield Line(
                run, about.name(c), complete[c], about.target(c), aims[c], design, about.repeat,
                mean[d][c], finite_or_none(sd[d][c]), mean[d][c] - aims[c], rms[d][c], *orders,
                topic,
            )  # fmt: skip


def write_trec(results: Sequence[SampledResult], layout: ScoreLayout) -> Iterator[bytes]:
    """Lines as trec_eval's: NAME TAB `all` TAB VALUE, and for each design `10%:mean` and so on.

    Those of a topic have its id in the place of `all`, and before the rest (`301:10%:mean`).
    """
    said: tuple[str, str, str] | None = None
    for line in lines(results, range(len(results[0].scores.shown))):
        if layout.several_runs and (said is None or said[0] != line.run):
            yield b"# " + fsencode(line.run) + b"\n"
        before = "" if line.topic == SUMMARY else f"{line.topic}:"
        if said != (line.run, line.topic, line.measure):
            yield _value(line.measure, line.topic, line.all, layout)
            if not before:
                yield as_bytes(f"{line.measure:22}\tagainst\t{line.against}\n")
            if line.against != line.measure:
                yield _value(line.measure, f"{before}target", line.target, layout)
        said = line.run, line.topic, line.measure
        for name in ("mean", "sd", "bias", "rms", "tau", "rho"):
            value = getattr(line, name)
            if value is not None:
                yield _value(line.measure, f"{before}{line.sample}:{name}", value, layout)


def _value(name: str, where: str, value: float, layout: ScoreLayout) -> bytes:
    return as_bytes(
        f"{name:22}\t{where}\t{real_text(value, layout.decimals, layout.decimals + 2)}\n"
    )


def document(results: Sequence[SampledResult], layout: ScoreLayout) -> Document:
    """The lines as a table; below it the seed, and what the values under all judgments stand on."""
    title = "Scores under samples of the judgments"
    names = _fields_of(results)
    every = lines(results, _asked(results[0].scores))
    rows = ([getattr(line, name) for name in names] for line in every)
    records = [Records("samples", names, rows)]
    return Document(title, _parts(results, layout), records, partial(_data, results))


def _fields_of(results: Sequence[SampledResult]) -> list[str]:
    """The fields of the lines; the topic behind the run, where there are lines of topics."""
    run, *others = (name for name in Line._fields if name != "topic")
    return [run, *(["topic"] if results[0].scores.by_topic is not None else []), *others]


def _parts(results: Sequence[SampledResult], layout: ScoreLayout) -> Iterator[Part]:
    several = len(results) > 1
    names = [name for name in _fields_of(results) if several or name not in ("run", "tau", "rho")]
    texts = {"run", "topic", "measure", "against", "sample"}
    columns = [Head(name, "text" if name in texts else "number") for name in names]
    yield Table(
        columns,
        [
            [getattr(line, name) for name in names]
            for line in lines(results, _asked(results[0].scores))
        ],
    )
    full = [ScoredFile(path, found.full) for path, found in results]
    seed = f"samples drawn with seed {results[0].scores.seed}"
    yield Lines([seed, *footer_lines(full, layout)], listed=False)


def _data(results: Sequence[SampledResult]) -> dict[str, Any]:
    """One object: `irev`, `seed`, `designs`, `samples` of each, `redrawn`, `runs`, `over_runs`.

    A run has `run`, `runid`, `averaged_over`, the topics `missing` from it, those `left_out` of the
    means, those `unjudged`, the `signature` of its scores under all judgments, and `measures`:
    objects with the fields of the tables' lines and, as `values`, those under each sample. With -q
    it has `topics`: for each topic such objects.
    """
    first = results[0].scores
    whole: dict[str, Any] = {
        "irev": __version__,
        "seed": first.seed,
        "designs": list(first.designs),
        "samples": first.repeat,
        "redrawn": {d.design: [as_text(topic) for topic in d.topics] for d in first.redrawn},
        "runs": [_run(path, found) for path, found in results],
    }
    if len(results) > 1:
        over_runs = agreement([found for _, found in results])
        whole["over_runs"] = [
            _fields(line) for line in _lines(SUMMARY, first, over_runs, _asked(first))
        ]
    return whole


def _run(path: str, found: SampledScores) -> dict[str, Any]:
    full = found.full
    columns = _asked(found)
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for line in _of_topics(path, found, columns):
        by_topic.setdefault(line.topic, []).append(_fields(line))
    measures = [_fields(line) for line in _lines(path, found, found, columns)]
    # as the lines are: of each measure the designs
    values = found.values[:, :, columns].transpose(2, 0, 1).reshape(len(measures), found.repeat)
    for measure, each in zip(measures, values.tolist(), strict=True):
        measure["values"] = finite_or_none(each)
    return {
        "run": path,
        "runid": as_text(full.run_id),
        "averaged_over": full.divisor,
        "missing": [as_text(topic) for topic in full.account.missing],
        "left_out": [as_text(topic) for topic in full.left_out],
        "unjudged": [as_text(topic) for topic in full.account.unjudged],
        "signature": signature_data(full.signature),
        "measures": measures,
        **({} if found.by_topic is None else {"topics": by_topic}),
    }


def _fields(line: Line) -> dict[str, Any]:
    """The fields of a line that have a value, but for the run."""
    found = line._asdict()
    return {
        name: finite_or_none(value)
        for name, value in found.items()
        if name not in ("run", "topic") and value is not None
    }
