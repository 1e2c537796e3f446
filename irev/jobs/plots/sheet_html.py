"""The summary sheets of runs as one HTML page that needs nothing else, with their plots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import TopicValues
from irev.core.text import count_text, escape_non_utf8, escaped_bytes
from irev.jobs.plots.by_topic import MEDIAN_COLUMNS, difference_rows, median_figure
from irev.jobs.plots.figures import Highlights
from irev.jobs.plots.recall_precision import COLUMNS, curve_figure, summary_rows
from irev.jobs.plots.style import drawn_label, figure_bytes
from irev.measures.families.average_precision import recall_level_measures
from irev.scores.scores import Scores
from irev.writers.forms import html_text
from irev.writers.scores import SheetSection, sheet_notes, sheet_sections
from irev.writers.trec import ScoredFile, ScoreLayout

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #111; background: #fff; margin: 2rem auto;
  max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.25rem; border-top: 2px solid #111; padding-top: .8rem;
  margin-top: 2.2rem; overflow-wrap: anywhere; } h3 { font-size: .95rem; margin: 1rem 0 .3rem; }
.sheet { display: flex; flex-wrap: wrap; gap: 0 2.5rem; } .sheet > div { flex: 1 1 20rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .1rem .3rem; border-bottom: 1px solid #ddd;
  overflow-wrap: anywhere; }
th { font-weight: 600; } td:last-child, th:last-child { text-align: right; }
figure { margin: 1rem 0 0; } figcaption { font-size: .85rem; color: #444; }
svg { max-width: 100%; height: auto; } .note { font-size: .85rem; color: #444;
  overflow-wrap: anywhere; }
@media print { section { break-after: page; } }
"""

_ID = re.compile(r'(\bid="|url\(#|href="#)')
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)


def write_sheet_page(results: Sequence[ScoredFile], layout: ScoreLayout) -> Iterator[bytes]:
    """One page: for each run its sheet and its recall-precision curve.

    If there are several runs, also its difference from their median by topic.
    """
    pages = [_run_section(results, number, layout) for number in range(len(results))]
    title = "Summary sheet" if len(results) == 1 else f"Summary sheets of {len(results)} runs"
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{''.join(pages)}</body>\n</html>\n"
    )
    yield escaped_bytes(page)


def _run_section(results: Sequence[ScoredFile], run_index: int, layout: ScoreLayout) -> str:
    result = results[run_index]
    sections = sheet_sections(result, layout)
    columns = (sections[:2] + sections[3:4], sections[2:3], sections[4:])
    tables = "".join(f"<div>{''.join(map(_section_table, column))}</div>\n" for column in columns)
    figures = _figure_element(
        recall_precision_figure(result, layout.recall_rule),
        f"r{run_index}c-",
        "Recall-precision curve: the averages at the recall levels above, and the break-even point "
        "(R-precision).",
    )
    if len(results) > 1:
        figures += _figure_element(
            median_difference_figure(results, run_index),
            f"r{run_index}d-",
            f"Difference from the median in average precision, by topic. The median is of all "
            f"{count_text(len(results), 'run')}, including this one; a topic that a run lacks "
            "counts as 0.",
        )
    notes = "".join(
        f'<p class="note">{escape(line)}</p>\n'
        for line in sheet_notes(result.scores, layout.recall_rule)
    )
    name = html_text(result.place)
    sheet = f'<div class="sheet">\n{tables}</div>\n'
    return f"<section>\n<h2>{name}</h2>\n{sheet}{figures}{notes}</section>\n"


def _section_table(section: SheetSection) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in section.heads)
    head = f"<thead><tr>{heads}</tr></thead>" if section.heads[1] else ""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in section.rows
    )
    return f"<h3>{escape(section.title)}</h3><table>{head}<tbody>{rows}</tbody></table>"


def _figure_element(figure: Figure, id_prefix: str, caption: str) -> str:
    """A figure as an element of a page; its ids begin with the prefix, unlike any other's."""
    svg = figure_bytes(figure, "svg").decode()
    svg = _METADATA.sub("", svg[svg.index("<svg") :])
    svg = _ID.sub(rf"\g<1>{id_prefix}", svg)
    return f"<figure>\n{svg}<figcaption>{escape(caption)}</figcaption>\n</figure>\n"


def recall_precision_figure(result: ScoredFile, recall_rule: str) -> Figure:
    """The recall-precision curve of a sheet's own averages."""
    import pandas as pd

    values, run_label = result.scores.summary(), drawn_label(result.name)
    precisions = [float(values[name]) for name in recall_level_measures(recall_rule)]
    rows = summary_rows(run_label, precisions, float(values["Rprec"]), float(values["map"]))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    title = f"{run_label}: mean over {count_text(result.scores.divisor, 'topic')}"
    return curve_figure(table, title, Highlights((), (), ()))


def median_difference_figure(results: Sequence[ScoredFile], run_index: int) -> Figure:
    """The difference of a run's average precision from the median of all runs, by topic."""
    import pandas as pd

    # the topics of the averages, and the judged ones that the runs lack
    topic_ids = sorted(
        {
            topic_id
            for result in results
            for topic_id in (*result.scores.topics, *result.scores.account.missing)
        }
    )
    values = np.stack([_average_precisions(result.scores, topic_ids) for result in results], axis=1)
    names = [escape_non_utf8(topic_id) for topic_id in topic_ids]
    rows = difference_rows("AP", names, values, run_index)
    table = pd.DataFrame(rows, columns=list(MEDIAN_COLUMNS))
    run_label = drawn_label(results[run_index].name)
    title = f"{run_label} against the median of all {count_text(len(results), 'run')}"
    missing = set(map(escape_non_utf8, results[run_index].scores.account.missing))
    return median_figure(table, title, missing)


def _average_precisions(scores: Scores, topic_ids: Sequence[bytes]) -> TopicValues:
    """Average precision by topic, 0 where the run has none."""
    column = [score_column.name for score_column in scores.columns].index("map")
    value_of_topic = dict(zip(scores.topics, scores.values[:, column].tolist(), strict=True))
    return np.array([value_of_topic.get(topic_id, 0.0) for topic_id in topic_ids])
