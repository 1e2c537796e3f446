"""The numbers of a comparison as rows, name -> value: for data formats and tables alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import as_text
from irev.statistics.differences import order_by_gain, scale_of, zero_noise
from irev.statistics.intervals import column_means_and_sds
from irev.statistics.variance import two_way_anova

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from irev.jobs.compare.contrasts import Contrast
    from irev.jobs.compare.decisions import DecisionColumns
    from irev.scores.table import ScoreTable

Row = dict[str, object]


def frame_of(rows: Iterator[Row]) -> pd.DataFrame:
    """The rows as a frame, a column for each name."""
    import pandas as pd

    return pd.DataFrame(list(rows))


def mean_rows(
    table: ScoreTable, contrast: Contrast, decisions: DecisionColumns | None = None
) -> Iterator[Row]:
    """The runs, the best mean first.

    `class`, `measure`, `run`, `topics` (how many, n), `mean`, `sd` (by n - 1, of what the
    topics contribute), `low`, `high`, `groups` (of all pairs), what was asked of each run beside,
    and `missing_as_zero`, how many of the topics the run lacks, which count as 0.
    """
    num_missing = _num_missing_by_run(table, contrast)
    _, sd = column_means_and_sds(contrast.score_matrix)
    for run in contrast.run_order.tolist():
        row: Row = {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "run": table.run_names[run],
            "topics": len(contrast.topics),
            "mean": float(contrast.means.mean[run]),
            "sd": float(sd[run]),
            "low": float(contrast.means.low[run]),
            "high": float(contrast.means.high[run]),
        }
        if contrast.run_groups:
            row["groups"] = contrast.run_groups[run]
        for name, values in decisions.runs.items() if decisions else ():
            row[name] = None if np.isnan(values[run]) else float(values[run])
        row["missing_as_zero"] = num_missing[run]
        yield row


def _num_missing_by_run(table: ScoreTable, contrast: Contrast) -> list[int]:
    """For each run how many topics of a contrast it lacks."""
    topics = set(contrast.topics)
    return [len(topics.intersection(entry.missing)) for entry in table.runs]


def pair_rows(
    table: ScoreTable, contrast: Contrast, alpha: float, decisions: DecisionColumns | None = None
) -> Iterator[Row]:
    """The pairs, each with `tests`: name -> p, corrected p, whether significant, and more.

    `class`, `measure`, `run` and `against`, `mean` and `mean_against`, `difference` with `low` and
    `high`, the deviation `s` of the differences, the effect sizes `d_z`, `g_z` and, with an HSD
    test, `es_hsd`, `n` topics, `wins`, `ties`, `losses`, and how many topics either run lacks,
    `missing_as_zero` and `missing_as_zero_against`; then what was asked of each pair beside.
    """
    paired, signs, names = contrast.paired, contrast.signs, table.run_names
    num_missing = _num_missing_by_run(table, contrast)
    means = contrast.means.mean
    for place in range(len(contrast.run_pairs)):
        first, second = int(contrast.run_pairs.first[place]), int(contrast.run_pairs.second[place])
        row: Row = {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "run": names[first],
            "against": names[second],
            "mean": float(means[first]),
            "mean_against": float(means[second]),
            "difference": float(paired.mean[place]),
            "low": float(contrast.difference_intervals.low[place]),
            "high": float(contrast.difference_intervals.high[place]),
            "s": float(paired.sd[place]),
            "d_z": float(paired.d_z[place]),
            "g_z": float(paired.g_z[place]),
        }
        if contrast.effect_hsd is not None:
            row["es_hsd"] = float(contrast.effect_hsd[place])
        row |= {
            "n": len(contrast.topics),
            "wins": int(signs.wins[place]),
            "ties": int(signs.ties[place]),
            "losses": int(signs.losses[place]),
            "missing_as_zero": num_missing[first],
            "missing_as_zero_against": num_missing[second],
        }
        for name, values in decisions.pairs.items() if decisions else ():
            row[name] = float(values[place])
        yield {**row, "tests": test_facts(contrast, place, alpha)}


def test_facts(contrast: Contrast, pair_index: int, alpha: float) -> dict[str, dict[str, Any]]:
    """What each test found for a pair; the p of a test that is corrected in itself is None."""
    facts_by_test = {}
    for name, result in contrast.results_by_test_done.items():
        corrected = float(result.corrected[pair_index])
        facts: dict[str, Any] = {
            "p": None if result.p is None else float(result.p[pair_index]),
            "corrected": corrected,
            "significant": corrected <= alpha,
        }
        if result.method:
            facts["method"] = result.method[pair_index]
        facts |= {fact: values[pair_index] for fact, values in result.facts.items()}
        facts_by_test[name] = facts
    return facts_by_test


def flat_pair_row(pair_row: Row) -> Row:
    """The row of a pair with what its tests found in columns of its own: `p_moderated` ..."""
    tests = pair_row["tests"]
    assert isinstance(tests, dict)  # noqa: S101 - rows of pairs have it
    rest = {name: value for name, value in pair_row.items() if name != "tests"}
    return rest | {
        fact if fact.endswith(f"_{test}") else f"{fact}_{test}": value
        for test, facts in tests.items()
        for fact, value in facts.items()
    }


def topic_difference_rows(table: ScoreTable, contrast: Contrast) -> Iterator[Row]:
    """For each pair the topics by their difference, gains first and losses last.

    Equal differences are in the order of the topics' ids. `class`, `measure`, `run`, `against`,
    `topic`, `score`, `score_against`, `difference`.
    """
    scores = table.scores(contrast.measure)[contrast.topic_mask]
    scale = scale_of(scores)
    for first, second in zip(contrast.run_pairs.first, contrast.run_pairs.second, strict=True):
        difference = zero_noise(scores[:, first] - scores[:, second], scale)
        for topic in order_by_gain(difference, lower_is_better=contrast.lower_is_better).tolist():
            yield {
                "class": contrast.class_name,
                "measure": contrast.measure,
                "run": table.run_names[first],
                "against": table.run_names[second],
                "topic": as_text(contrast.topics[topic]),
                "score": float(scores[topic, first]),
                "score_against": float(scores[topic, second]),
                "difference": float(difference[topic]),
            }


def anova_rows(contrast: Contrast) -> Iterator[Row]:
    """The two-way analysis of variance: runs, topics, error.

    `class`, `measure`, `source`, `ss`, `df`, `ms`, `f`, `p`, `partial_omega_2`, `partial_eta_2`.
    """
    anova = two_way_anova(contrast.score_matrix)
    for source, effect in (("runs", anova.runs), ("topics", anova.topics)):
        yield {
            "class": contrast.class_name,
            "measure": contrast.measure,
            "source": source,
            "ss": effect.ss,
            "df": effect.df,
            "ms": effect.ms,
            "f": effect.f,
            "p": effect.p,
            "partial_omega_2": effect.partial_omega_2,
            "partial_eta_2": effect.partial_eta_2,
        }
    yield {
        "class": contrast.class_name,
        "measure": contrast.measure,
        "source": "error",
        "ss": anova.ss_error,
        "df": anova.df_error,
        "ms": anova.ms_error,
        "f": None,
        "p": None,
        "partial_omega_2": None,
        "partial_eta_2": None,
    }
