"""Tables for papers: short names of runs, and a caption that says how; `forms` makes them fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from irev.core import __version__
from irev.core.text import count_text, short_run_names
from irev.scores.scores import Scores
from irev.scores.signature import ComparisonSignature
from irev.scores.table import ScoreTable
from irev.writers.document import Cell, Document, Head, Table
from irev.writers.scores import PERCENT, scores_document
from irev.writers.trec import ScoredFile, ScoreLayout


def paper_table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[Cell]],
    sentences: Iterable[str],
    *,
    label: str = "",
    signature: ComparisonSignature | None = None,
) -> Table:
    """A table that floats, with its caption.

    Args:
        heads: the columns.
        rows: the rows.
        sentences: what the caption says, a sentence each; the version of irev follows.
        label: what tells the table from the others of the paper; empty if it is alone.
        signature: of the numbers; the caption has its digest, it stands beside the table.
    """
    key = re.sub("[^A-Za-z0-9]+", "-", label).strip("-")
    signed_by = f", signature {signature.digest}" if signature else ""
    return Table(
        heads,
        rows,
        caption=" ".join([*sentences, f"irev {__version__}{signed_by}."]),
        label=f"tab:runs-{key}" if key else "tab:runs",
        source=f"signature {signature.digest}: {signature.short}" if signature else "",
    )


def paper_run_names(names: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """Names as a table shows them, and a sentence on what all or most are shown without."""
    short = short_run_names(names)
    sentences = [
        f'The names of {count_text(count, "run")} are shown without "{text}"'
        + ("." if index == 0 and short.prefix else " behind the folder.")
        for index, (text, _, count) in enumerate(short.left_out_beginnings)
    ]
    return short.names, sentences


def shorten_run_names(
    sentences: Iterable[str], names: Sequence[str], shown_names: Sequence[str]
) -> list[str]:
    """Sentences that call runs as a table does."""
    shown_name_of = {
        name: shown for name, shown in zip(names, shown_names, strict=True) if name != shown
    }
    if not shown_name_of:
        return [*sentences]
    # the longest first, since a name may begin as another one
    alternatives = "|".join(map(re.escape, sorted(shown_name_of, key=len, reverse=True)))
    whole_name = re.compile(rf"(?<![\w/.-])(?:{alternatives})(?![\w/-])")
    return [whole_name.sub(lambda match: shown_name_of[match[0]], text) for text in sentences]


def scores_paper_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """One table with its caption; for machines the scores as ever."""
    names, left_out = paper_run_names([result.name for result in results])
    named = [result._replace(name=name) for result, name in zip(results, names, strict=True)]
    full = next(p for p in scores_document(named, layout).parts if isinstance(p, Table))
    table = full if layout.several_runs else _measures_below_each_other(full)
    has_best = any(head.higher_is_better is not None for head in table.columns)
    averages = _averages_text(named, "; best in bold" if has_best and len(table.rows) > 1 else "")
    sentences = [averages, *([PERCENT] if layout.percent else []), *left_out]
    signature = _common_signature(results)
    part = paper_table(table.columns, table.rows, sentences, signature=signature)
    return scores_document(results, layout)._replace(parts=[part])


def run_paper_document(scores: Scores) -> Document:
    """The table of one run."""
    return scores_paper_document([ScoredFile(scores.run_name, scores)], ScoreLayout())


def score_table_paper_document(table: ScoreTable) -> Document:
    """The table of several runs."""
    results = [ScoredFile(run.name, table.run(run.name), run.path) for run in table.runs]
    return scores_paper_document(results, ScoreLayout(several_runs=True))


def _measures_below_each_other(table: Table) -> Table:
    """A table of one run, whose first column says which topics, with its columns as rows."""
    labels = [str(row[0]) for row in table.rows]
    heads = [Head("value")] if len(labels) == 1 else [Head(label) for label in labels]
    rows: list[list[Cell]] = [
        [column.name, *(row[index] for row in table.rows)]
        for index, column in enumerate(table.columns)
        if index
    ]
    return Table([Head("measure", "text"), *heads], rows)


def _averages_text(results: Sequence[ScoredFile], best_text: str) -> str:
    """Over how many topics the means are: those of most runs, then what is otherwise."""
    num_topics = [result.scores.divisor for result in results]
    usual = max(num_topics, key=num_topics.count)
    others = [
        f"{result.name} over {result.scores.divisor}"
        for result in results
        if result.scores.divisor != usual
    ]
    of_others = f" ({', '.join(others)})" if others else ""
    zeros = any(result.scores.account.missing and not result.scores.left_out for result in results)
    of_zeros = " (topics that a run lacks count as 0)" if zeros else ""
    return f"Means over {count_text(usual, 'topic')}{of_others}{of_zeros}{best_text}."


def _common_signature(results: Sequence[ScoredFile]) -> ComparisonSignature | None:
    """The signature of all runs; None if they were not evaluated alike."""
    signatures = [result.scores.signature for result in results]
    first = signatures[0]
    alike = {None if each is None else each.short_without_run for each in signatures}
    if first is None or len(alike) > 1:
        return None
    run_hashes = {
        result.name: None if each is None else each.run
        for result, each in zip(results, signatures, strict=True)
    }
    return ComparisonSignature(replace(first, run=None), run_hashes, {})
