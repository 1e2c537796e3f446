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

from collections.abc import Iterator, Sequence
from functools import partial
from os import fsencode
from typing import Any, NamedTuple

from irev.core import __version__
from irev.core.judged import asked_order
from irev.core.text import as_bytes, as_text, escape_non_utf8
from irev.jobs.sample.evaluation import (
    Agreement,
    SampledEvaluation,
    SampledRun,
    SampledScores,
    SampledTopic,
    agreement_over_runs,
)
from irev.scores.scores import SUMMARY
from irev.writers.document import Document, Lines, Part, Records, Table, head_of
from irev.writers.machine import finite_or_none, signature_data
from irev.writers.scores import footer_lines
from irev.writers.trec import ScoredFile, ScoreLayout, real_text


def judgment_samples_document(result: SampledEvaluation, decimals: int) -> Document:
    """The lines as a table; below it the seed, and what the values under all judgments stand on."""
    results, first = result.runs, result.runs[0].scores
    # the topic stands behind the run, where there are lines of topics
    run, *others = (name for name in EstimateLine._fields if name != "topic")
    names = [run, *(["topic"] if first.by_topic is not None else []), *others]

    def rows(field_names: Sequence[str]) -> Iterator[list[Any]]:
        for line in estimate_lines(results, _requested_column_indices(first)):
            yield [getattr(line, name) for name in field_names]

    def parts() -> Iterator[Part]:
        only_of_several = () if len(results) > 1 else ("run", "tau", "rho")
        shown = [name for name in names if name not in only_of_several]
        yield Table([*map(head_of, shown)], list(rows(shown)))
        full = [ScoredFile(each.name, each.scores.full, each.path) for each in results]
        layout = ScoreLayout(several_runs=result.several_runs, decimals=decimals)
        seed = f"samples drawn with seed {first.seed}"
        yield Lines([seed, *footer_lines(full, layout)], listed=False)

    return Document(
        "Scores under samples of the judgments",
        parts(),
        [Records("samples", names, rows(names))],
        partial(_samples_data, results),
    )


def trec_lines(result: SampledEvaluation, decimals: int) -> Iterator[bytes]:
    """Lines as trec_eval's: NAME TAB `all` TAB VALUE, and for each design `10%:mean` and so on.

    Those of a topic have its id in the place of `all`, and before the rest (`301:10%:mean`).
    """
    last_names: tuple[str, str, str] | None = None
    runs = [run._replace(name=run.path or run.name) for run in result.runs]
    for line in estimate_lines(runs, range(len(runs[0].scores.shown))):
        if result.several_runs and (last_names is None or last_names[0] != line.run):
            yield b"# " + fsencode(line.run) + b"\n"
        prefix = "" if line.topic == SUMMARY else f"{line.topic}:"
        if last_names != (line.run, line.topic, line.measure):
            yield _value_line(line.measure, line.topic, line.all, decimals)
            if not prefix:
                yield as_bytes(f"{line.measure:22}\tagainst\t{line.against}\n")
            if line.against != line.measure:
                yield _value_line(line.measure, f"{prefix}target", line.target, decimals)
        last_names = line.run, line.topic, line.measure
        for statistic in ("mean", "sd", "bias", "rms", "tau", "rho"):
            value = getattr(line, statistic)
            if value is not None:
                yield _value_line(
                    line.measure, f"{prefix}{line.sample}:{statistic}", value, decimals
                )


def _value_line(measure: str, label: str, value: float, decimals: int) -> bytes:
    return as_bytes(f"{measure:22}\t{label}\t{real_text(value, decimals, decimals + 2)}\n")


class EstimateLine(NamedTuple):
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


def estimate_lines(
    results: Sequence[SampledRun], column_indices: Sequence[int]
) -> Iterator[EstimateLine]:
    """Every line: runs in order; in each topics, then all; some measures, of each the designs."""
    for run_name, scores, _ in results:
        yield from _topic_lines(run_name, scores, column_indices)
        yield from _estimate_lines(run_name, scores, scores, column_indices)
    if len(results) > 1:
        over_runs = agreement_over_runs([result.scores for result in results])
        yield from _estimate_lines(SUMMARY, results[0].scores, over_runs, column_indices)


def _requested_column_indices(scores: SampledScores) -> list[int]:
    """The measures as they were asked for."""
    return asked_order([scores.full.columns[column] for column in scores.shown])


def _topic_lines(
    run_name: str, scores: SampledScores, column_indices: Sequence[int]
) -> Iterator[EstimateLine]:
    """The lines of a run's topics, of the measures that have values by topic."""
    columns = scores.full.columns
    of_topics = [index for index in column_indices if columns[scores.shown[index]].per_topic]
    for each in scores.topics():
        topic = escape_non_utf8(each.topic)
        yield from _estimate_lines(run_name, scores, each, of_topics, topic)


def _estimate_lines(
    run_name: str,
    scores: SampledScores,
    estimates: SampledScores | SampledTopic | Agreement,
    column_indices: Sequence[int],
    topic: str = SUMMARY,
) -> Iterator[EstimateLine]:
    mean, sd, rms = estimates.mean.tolist(), estimates.deviation.tolist(), estimates.rms.tolist()
    complete, aims = estimates.complete.tolist(), estimates.aims.tolist()
    for c in column_indices:
        for d, design in enumerate(scores.designs):
            tau = rho = None
            if isinstance(estimates, Agreement):
                tau = finite_or_none(float(estimates.tau[d, c]))
                rho = finite_or_none(float(estimates.rho[d, c]))
            yield EstimateLine(
                run=run_name,
                measure=scores.name(c),
                all=complete[c],
                against=scores.target(c),
                target=aims[c],
                sample=design,
                samples=scores.repeat,
                mean=mean[d][c],
                sd=finite_or_none(sd[d][c]),
                bias=mean[d][c] - aims[c],
                rms=rms[d][c],
                tau=tau,
                rho=rho,
                topic=topic,
            )


def _samples_data(results: Sequence[SampledRun]) -> dict[str, Any]:
    """One object: `irev`, `seed`, `designs`, `samples` of each, `redrawn`, `runs`, `over_runs`.

    A run has `run`, `path`, `runid`, `averaged_over`, the topics `missing` from it, those
    `left_out` of the means, those `unjudged`, the `signature` of its scores under all judgments,
    and `measures`: objects with the fields of the tables' lines and, as `values`, those under each
    sample. With -q it has `topics`: for each topic such objects.
    """
    first = results[0].scores
    data: dict[str, Any] = {
        "irev": __version__,
        "seed": first.seed,
        "designs": list(first.designs),
        "samples": first.repeat,
        "redrawn": {d.design: [as_text(topic) for topic in d.topics] for d in first.redrawn},
        "runs": [_run_data(result) for result in results],
    }
    if len(results) > 1:
        over_runs = agreement_over_runs([result.scores for result in results])
        data["over_runs"] = [
            _line_data(line)
            for line in _estimate_lines(SUMMARY, first, over_runs, _requested_column_indices(first))
        ]
    return data


def _run_data(result: SampledRun) -> dict[str, Any]:
    name, scores, path = result
    full = scores.full
    column_indices = _requested_column_indices(scores)
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for line in _topic_lines(name, scores, column_indices):
        by_topic.setdefault(line.topic, []).append(_line_data(line))
    measures = [_line_data(line) for line in _estimate_lines(name, scores, scores, column_indices)]
    # as the lines are: of each measure the designs
    by_measure = scores.values[:, :, column_indices].transpose(2, 0, 1)
    values = by_measure.reshape(len(measures), scores.repeat)
    for measure, sample_values in zip(measures, values.tolist(), strict=True):
        measure["values"] = finite_or_none(sample_values)
    return {
        "run": name,
        "path": path,
        "runid": as_text(full.run_id),
        "averaged_over": full.divisor,
        "missing": [as_text(topic) for topic in full.account.missing],
        "left_out": [as_text(topic) for topic in full.left_out],
        "unjudged": [as_text(topic) for topic in full.account.unjudged],
        "signature": signature_data(full.signature),
        "measures": measures,
        **({} if scores.by_topic is None else {"topics": by_topic}),
    }


def _line_data(line: EstimateLine) -> dict[str, Any]:
    """The fields of a line that have a value, but for the run."""
    return {
        name: finite_or_none(value)
        for name, value in line._asdict().items()
        if name not in ("run", "topic") and value is not None
    }
