"""Invented results for the page: any number of runs and topics, long names, hostile ones.

    python -m tests.browser.invented OUT.html 60x250        60 runs with long names on 250 topics

The numbers are drawn, so they are no evidence of anything; the tests among them are plain paired t
with Holm's correction and Bonferroni's intervals.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from irev.core.text import short_run_names
from irev.writers.results_page.page_data import (
    BaselineFamily,
    PageCurves,
    PageDoubt,
    PageMeasure,
    PagePart,
    PageRun,
    PageTopic,
    PairOutcomes,
    ResultsPage,
    TopDocuments,
    pair_outcomes,
    rounded_means,
    rounded_scores,
)
from irev.writers.results_page.page_file import results_page_bytes

MEASURES = (
    PageMeasure("nDCG@10", True, True, "Gains of the first ten documents, discounted by rank"),
    PageMeasure("AP", True, True, "Mean precision at the ranks of the relevant documents"),
    PageMeasure("RBP(p=0.8)", True, True, "What a patient reader gains"),
    PageMeasure("Time", False, False, "Seconds: lower is better, and there is no highest value"),
)
RANKS = (1, 2, 3, 5, 10, 20, 30, 50, 100)
DEPTH = 10
KINDS = (
    "bm25-baseline-porter", "dense-bi-encoder-e5-large-v2", "monoT5-3b-rerank-1000",
    "splade-v3-distil-fusion-rrf", "llm-listwise-rerank-qwen3-32b-depth-100",
)  # fmt: skip
HOSTILE_NAMES = (
    "<script>document.title='broken'</script>.run",
    "\"quotes\" & 'apostrophes'.run",
    "</script><!--<img src=x onerror=alert(1)>.run",
    '=HYPERLINK("evil","click").run',
    "ريال-مدريد-התקפה.run",
    "\u202edesrever-\u2066egnarts.run",
    "{count} {names} {measure}.run",
    "Ελληνικά-Кириллица-日本語-🙂.run",
)
"""Names that would break out of a page that escapes none, or turn it round."""


TEST = "Paired t test, two-sided; p corrected by Holm for {}."
BETWEEN = (
    "Intervals of differences are simultaneous (Bonferroni, {} pairs), so Holm may show a "
    "difference whose interval contains 0."
)
ONE_TOPIC = "One topic: it gives no interval and no test."
DOUBTS = (
    PageDoubt("Fewer than 90% of the first 10 documents are judged: 3 runs."),
    PageDoubt("The differences are skewed: the t test may reject too often.", 1),
)


def long_names(num_runs: int) -> list[str]:
    """Names of about 80 characters, as the files of a real track have them."""
    return [
        f"trec2026-passages.{'ABCDEFGHIJKLMNOP'[run // 5 % 16] * 2}-university-of-applied-sciences_"
        f"{KINDS[run % 5]}_run{run + 1}.res.gz"
        for run in range(num_runs)
    ]


def invented_part(
    names: list[str],
    num_topics: int,
    *,
    name: str = "",
    kind: Literal["report", "board"] = "report",
    baseline: int | None = None,
    num_measures: int = 4,
    is_tested: bool = True,
    seed: int = 1,
) -> PagePart:
    """Drawn scores of the runs of these names, and what a page says of them."""
    draw = np.random.default_rng(seed)
    num_runs, measures = len(names), MEASURES[:num_measures]
    is_tested = is_tested and num_runs > 1 and num_topics > 1
    lacks = draw.random((num_topics, num_runs)) < (0.01 if num_topics > 20 else 0)
    scores = np.where(lacks, 0, _draw_scores(draw, len(measures), num_topics, num_runs))
    tests = [_pair_tests(each, every_pair(num_runs)) for each in scores] if is_tested else []
    short = short_run_names(names)
    is_report = kind == "report"
    runs = [
        PageRun(
            full, short.names[run], _team(full),
            round(float(draw.uniform(0.82, 1)), 4) if is_report else None,
            tuple(np.flatnonzero(lacks[:, run]).tolist()), given=run,
        )
        for run, full in enumerate(names)
    ]  # fmt: skip
    counts = draw.integers(1, 90, num_topics).tolist()
    topics = [
        PageTopic(str(101 + topic), count if is_report else None)
        for topic, count in enumerate(counts)
    ]
    part = PagePart(
        name=name, kind=kind, qrels_name="invented.qrels", level=1, decimals=3, alpha=0.05,
        measures=measures, runs=tuple(runs), short_names=short, baseline=baseline,
        topics=tuple(topics),
        scores=rounded_scores(scores, lacks),
        means=np.stack([_means(each) for each in scores]),
        outcomes=tuple(tests),
        families=() if baseline is None or not is_tested else (_family(scores, baseline),),
        test=TEST.format(f"all {len(tests[0].p)} pairs under a measure") if is_tested else "",
        between=BETWEEN.format(len(tests[0].p)) if is_tested else "",
        no_test="" if is_tested else ONE_TOPIC if num_topics == 1 else "Nothing was compared.",
        tie=0, curves=_curves(scores[0]) if is_report else None,
        doubts=DOUBTS if num_runs > 2 else (),
        remarks=() if is_report else ("Run 7 was sent after the deadline.",),
        broken=() if is_report else ("1 submission could not be scored:", "late.run:3: no score"),
        documents=_documents(draw, num_runs, num_topics) if is_report else None,
        made=(
            ("judgments", "invented.qrels, relevant from grade 1"),
            ("topics", f"{num_topics} judged; one that a run lacks counts as 0"),
            ("names", short.left_out),
            ("signature", "irev:0.2.0|m:nDCG@10,AP|q:5cc6950a|t:qrels/43|l:1|ties:docid-desc"),
        ),
        signature="irev:0.3.0@1c9e04a7",
        judged_rank=DEPTH if is_report else None,
    )  # fmt: skip
    return replace(part, verdicts=tuple(_verdicts(part, m) for m in range(len(tests))))


def _verdicts(part: PagePart, measure: int) -> tuple[str | None, ...]:
    """A sentence on each run and the best one."""
    best, name = part.run_order(measure)[0], part.measures[measure].name
    return tuple(
        None if run == best else f"{part.runs[best].short} against {each.short}: {name} +0.1."
        for run, each in enumerate(part.runs)
    )


def every_pair(num_runs: int) -> tuple[Any, Any]:
    """The first and the second run of each pair."""
    return np.triu_indices(num_runs, 1)


def _team(name: str) -> str:
    return name.split(".")[1].split("-")[0] if name.startswith("trec2026") else ""


def _draw_scores(draw: Any, num_measures: int, num_topics: int, num_runs: int) -> Any:
    """float64[M, T, S]: runs of the same kind are alike, topics are easy or hard."""
    ease = draw.beta(2, 2, num_topics)[:, None]
    skill = 0.75 + 0.08 * (np.arange(num_runs) % 5) + 0.004 * np.arange(num_runs)
    scores = []
    for measure in range(num_measures):
        value = ease * skill * (0.9 - 0.15 * measure) + draw.normal(0, 0.09, (num_topics, num_runs))
        value = np.clip(value, 0, 1)
        scores.append(value if measure < 3 else 12 - 9 * value)
    return np.round(np.stack(scores), 4)


def _means(scores: Any) -> Any:
    from scipy.stats import t as student

    num_topics = len(scores)
    mean = scores.mean(axis=0)
    if num_topics == 1:
        return rounded_means(mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan))
    half = student.ppf(0.975, num_topics - 1) * scores.std(axis=0, ddof=1) / num_topics**0.5
    top = 1 if scores.max() <= 1 else 12
    return rounded_means(mean, np.maximum(mean - half, 0), np.minimum(mean + half, top))


def _pair_tests(scores: Any, pairs: tuple[Any, Any]) -> PairOutcomes:
    """Paired t tests of pairs of columns, corrected by Holm, with Bonferroni's intervals."""
    from scipy.stats import t as student

    differences = scores[:, pairs[0]] - scores[:, pairs[1]]
    num_topics, num_pairs = differences.shape
    error = np.maximum(differences.std(axis=0, ddof=1) / num_topics**0.5, 1e-9)
    mean = differences.mean(axis=0)
    p = 2 * student.sf(np.abs(mean / error), num_topics - 1)
    order = np.argsort(p, kind="stable")
    holm = np.minimum(1, np.maximum.accumulate(p[order] * (num_pairs - np.arange(num_pairs))))
    corrected = np.empty(num_pairs)
    corrected[order] = holm
    half = student.ppf(1 - 0.025 / num_pairs, num_topics - 1) * error
    return pair_outcomes(corrected, mean, mean - half, mean + half, 0.05)


def _family(scores: Any, baseline: int) -> BaselineFamily:
    """All runs against one baseline: a smaller family than that of all pairs."""
    num_runs = scores.shape[2]
    others = np.array([run for run in range(num_runs) if run != baseline])

    def of_each_run(column: Any) -> Any:
        whole = np.full(num_runs, np.nan)
        if column is not None:
            whole[others] = column
        return None if column is None else whole

    outcomes = []
    for each in scores:
        tested = _pair_tests(each, (others, np.full(num_runs - 1, baseline)))
        columns = map(of_each_run, (tested.p, tested.half, tested.low, tested.high))
        outcomes.append(PairOutcomes(*columns))
    test = TEST.format(f"the {num_runs - 1} pairs with the baseline")
    return BaselineFamily(baseline, test, BETWEEN.format(num_runs - 1), tuple(outcomes))


def _curves(scores: Any) -> PageCurves:
    mean = scores.mean(axis=0)
    # every third run is shorter
    values = tuple(
        tuple(
            None if run % 3 == 1 and rank > RANKS[3] else round(float(each * rank**-0.25), 4)
            for rank in RANKS
        )
        for run, each in enumerate(mean)
    )
    return PageCurves("Precision by rank", "Relevant is what has grade 1 or more.", RANKS, values)


def _documents(draw: Any, num_runs: int, num_topics: int) -> TopDocuments:
    """Each run ranks ten of thirty documents of a topic; some of these are not judged."""
    ids = tuple(
        tuple(
            tuple(f"doc{topic:03}-{number:04}" for number in draw.permutation(30)[:DEPTH])
            for topic in range(num_topics)
        )
        for _ in range(num_runs)
    )
    grades = tuple(
        {f"doc{topic:03}-{number:04}": str(number % 3) for number in range(26)}
        for topic in range(num_topics)
    )
    return TopDocuments(DEPTH, ids, grades)


def write_invented(path: Path, title: str, *parts: PagePart) -> None:
    """The page of some parts."""
    path.write_bytes(b"".join(results_page_bytes(ResultsPage(title, parts))))


def main() -> None:
    """Write the page that the command line names."""
    path, size = sys.argv[1:]
    num_runs, num_topics = map(int, size.split("x"))
    part = invented_part(long_names(num_runs), num_topics)
    write_invented(Path(path), f"{num_runs} runs on {num_topics} topics", part)


if __name__ == "__main__":
    main()
