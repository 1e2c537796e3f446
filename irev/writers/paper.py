"""Tables for papers: short names of runs, a caption that says how, a width that fits the page."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from irev.core.short_names import short_run_names
from irev.core.version import __version__
from irev.core.wording import count_text
from irev.scores.signature import ComparisonSignature
from irev.writers.document import Document, Head, Table
from irev.writers.scores import PERCENT, scores_document
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from irev.scores.scores import Scores
    from irev.scores.table import ScoreTable
    from irev.writers.document import Cell


# --- Tables for papers ---


COLUMN_POINTS = 238.0
"""How wide a column of a paper is: 3.3 inches, in points of TeX."""
PAGE_POINTS = 505.0
"""And both columns: 7 inches."""


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
        heads, rows,
        caption=" ".join([*sentences, f"irev {__version__}{signed_by}."]),
        label=f"tab:runs-{key}" if key else "tab:runs",
        source=f"signature {signature.digest}: {signature.short}" if signature else "",
    )  # fmt: skip


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


# The width of a table


class PaperFit(NamedTuple):
    """How a table is set so that it fits.

    environment   "table", in a column, or "table*", across the page
    size          the command of the size of its letters
    points        how wide its text column is, in which names are wrapped; 0: as wide as they are
    """

    environment: str
    size: str
    points: float = 0.0


_EMS = {r"\small": 9.25, r"\footnotesize": 8.5, r"\scriptsize": 8.3}
"""Sizes -> points of an em: the widths below are those of letters of 10 points, and the letters of
9, 8 and 7 points are a little wider than their size says."""
_BETWEEN_COLUMNS = 6.0
"""Points: \\tabcolsep, which is 3 points, on both sides of a column."""

_WIDTHS = {
    "ijl.,:;'!|[]": 0.29, "frst()-/ I": 0.4, "cevz": 0.46, "mMW%@": 1.03,
    "ABDEGHKNOQUVXYwT+=<>&": 0.79, "CFLPRSZJ": 0.74, "0123456789abdghknopqux$*_?#\"y": 0.56,
}  # fmt: skip
_WIDTH_OF = {letter: width for letters, width in _WIDTHS.items() for letter in letters}
_BOLD = 1.16
_RAISED = 0.75


def largest_paper_fit(columns: Sequence[Sequence[str]], names_index: int | None) -> PaperFit | None:
    """How a table is set so that it fits; None if it is too wide for a page.

    The letters are as large as they can be, and a column is preferred to a page.

    Args:
        columns: the texts of its columns, each with its head.
        names_index: the index of the column whose names can be wrapped; None: there is none.
    """
    widths = [max(map(width_in_ems, texts), default=0.0) for texts in columns]
    names = 0.0 if names_index is None else widths[names_index]
    parts = (
        [] if names_index is None else [p for t in columns[names_index] for p in BREAKS.split(t)]
    )
    longest_part = max(map(width_in_ems, parts), default=0.0)
    for environment, room, num_lines, num_sizes in (
        ("table", COLUMN_POINTS, 1, 2), ("table", COLUMN_POINTS, 2, 2),
        ("table*", PAGE_POINTS, 1, 2), ("table*", PAGE_POINTS, 6, 3),
    ):  # fmt: skip
        for size, em in list(_EMS.items())[:num_sizes]:
            left = room - _BETWEEN_COLUMNS * len(columns) - em * (sum(widths) - names)
            if em * names <= left:
                return PaperFit(environment, size)
            # lines end behind parts of names, so that they are not all full
            if em * longest_part <= left and em * names <= 0.9 * left * num_lines and num_lines > 1:
                return PaperFit(environment, size, left)
    return None


BREAKS = re.compile(r"(?<=[-_./])")
"""Behind which characters of a name a line may end."""

_RAISED_TEXT = re.compile("[\4\5][^\3]*\3")


def width_in_ems(text: str) -> float:
    r"""How wide a text is at most, in ems of Computer Modern.

    What stands between `\2` and `\3` is bold, between `\4` or `\5` and `\3` raised or lowered.
    """
    raised = "".join(_RAISED_TEXT.findall(text))
    plain = _width_of_letters(_RAISED_TEXT.sub("", text)) * (_BOLD if "\2" in text else 1)
    return plain + _RAISED * _width_of_letters(raised)


def _width_of_letters(text: str) -> float:
    return sum(_WIDTH_OF.get(letter, 1.0) for letter in text if letter > "\5")


# --- The scores of runs as the table of a paper ---


def scores_paper_document(results: Sequence[ScoredFile], layout: ScoreLayout) -> Document:
    """One table with its caption; for machines the scores as ever."""
    names, left_out = paper_run_names([result.name for result in results])
    named = [result._replace(name=name) for result, name in zip(results, names, strict=True)]
    full = next(p for p in scores_document(named, layout).parts if isinstance(p, Table))
    table = full if layout.several_runs else _measures_below_each_other(full)
    has_best = any(head.higher_is_better is not None for head in table.columns)
    averages = _averages_text(named, "; best in bold" if has_best and len(table.rows) > 1 else "")
    sentences = [averages, *([PERCENT] if layout.percent else []), *left_out]
    part = paper_table(
        table.columns, table.rows, sentences, signature=_common_signature(results)
    )  # fmt: skip
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
