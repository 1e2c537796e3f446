"""How often measures find two runs significantly different, and from which difference on.

T. Sakai, SIGIR 2006, "Evaluating evaluation metrics based on the bootstrap"; his figures and tables
for graded relevance (2006, Tables 2 and 3, figures 13 and 14): the same samples of the topics
serve all pairs of runs, all measures and all definitions of gains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.record import record
from irev.core.wording import count_text
from irev.errors import UsageError
from irev.jobs.plots.figures import draw_level_line, gains_figure
from irev.jobs.plots.result_parts import notes_of, parameters_of, run_names
from irev.jobs.studies.criteria import Block, check_blocks, drop_empty_gains, scored_columns
from irev.jobs.studies.plans import Beside, PairTest
from irev.jobs.studies.stability import beside_tables
from irev.jobs.study_result import StudyResult
from irev.statistics.differences import every_pair
from irev.statistics.discrimination import (
    add_errors,
    bootstrap_discrimination,
    discrimination_by_hsd,
    discrimination_by_test,
)
from irev.statistics.draws import topic_draws
from irev.statistics.methods import TESTS
from irev.writers.machine import signatures_data

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from irev.core.arrays import Floats
    from irev.errors import Told
    from irev.statistics.discrimination import Discrimination


def tester(test: PairTest, topics: int, runs: int) -> Callable[[Floats], Discrimination]:
    """What tests all pairs of runs under a measure, by the same draws for every measure."""
    family, alphas = every_pair(runs), test.levels
    if test.kind == "bootstrap":
        samples = topic_draws(test.seed, test.resamples, topics, test.size or 0)
        return lambda scores: add_errors(
            bootstrap_discrimination(scores, family, samples, alphas), scores, family, samples
        )
    draws = (alphas, test.resamples, test.seed)
    if test.kind == "rthsd":
        return lambda scores: discrimination_by_hsd(scores, family, *draws)
    return lambda scores: discrimination_by_test(test.kind, scores, family, *draws)


NAME = "discriminative-power"
BASELINES = ("AP", "map")
"""What measures are set against, where nothing else is named and it is there."""

MORE, AS_MANY = "more", "as many or more"


@record
class _Tested:
    """A measure of a block: what it says of all pairs."""

    block: Block
    measure: str
    found: Discrimination


def discriminative_power(
    blocks: Sequence[Block],
    test: PairTest | None = None,
    *,
    against: str | None = None,
    beside: Beside | None = None,
    notes: Sequence[Told] = (),
    watched: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> StudyResult:
    """Test all P = S(S-1)/2 pairs of runs under every measure, by the same samples of the topics.

    For a pair, with z_t the difference of the scores on topic t: t(z) = mean z / (sd z / sqrt n);
    w_t = z_t - mean z; for each of B samples of the topics with replacement t* likewise of w. The
    achieved significance level (ASL) is the share of samples with |t*| >= |t(z)|; a pair is
    significant where it is below alpha. Discriminative power is the share of significant pairs. The
    estimated difference is the largest over the pairs of |mean w*| at the ceil(B alpha)-th largest
    |t*|. Identical runs have the ASL 1, runs that differ by a constant 0. Nothing is corrected for
    the number of pairs. Other tests, if `test` names one, give other levels, and for the number of
    pairs the randomised HSD allows itself.

    `against`: the measure that others are set against, by its name; None: AP, where it is there.

    Returns:
        Tables `power` (for people: by falling count, then by difference and name; which measures
        find more significant pairs than the baseline under all gains), `sensitivity` (the same in
        full), `pairs` (every pair under every measure), `asl` with its figure, and those of
        `beside`.

    Source: Sakai, SIGIR 2006, figures 1, 2 and 5.
    """
    test, beside = test or PairTest(), beside or Beside()
    check_blocks(blocks)
    first = blocks[0].table
    tell_apart = tester(test, len(first.topics), len(first.run_names))
    work = [
        (block, measure, criterion)
        for block in blocks
        for measure, criterion in zip(block.measures, block.criteria, strict=True)
    ]
    tested = [
        _Tested(block, measure, tell_apart(criterion.scores))
        for block, measure, criterion in watched(work)
    ]
    baseline = _baseline(blocks[0], against)
    sensitivity = _sensitivity(tested, test.levels)
    tables = {
        "power": _power(sensitivity, baseline),
        "sensitivity": sensitivity,
        "pairs": _pairs(tested, run_names(first)),
        "asl": _curves(tested),
    }
    more = beside_tables(blocks, beside, test.size or 0, test.seed)
    tables = {name: drop_empty_gains(table) for name, table in {**tables, **more.tables}.items()}
    return StudyResult(
        NAME, _parameters(blocks, test, beside, baseline), tables,
        ("power", *more.shown),
        {"asl": partial(asl_figure, tables["asl"], tuple(test.levels)), **more.figures},
        (*notes_of(blocks[0].table), *notes, *_notes(tested, test, baseline), *more.notes),
    )  # fmt: skip


def _baseline(block: Block, against: str | None) -> str | None:
    """What the block calls the measure that others are set against."""
    called = dict(zip(block.names, block.measures, strict=True))
    if against is None:
        return next((called[name] for name in BASELINES if name in called), None)
    if against in called.values():
        return against
    for column in scored_columns(against, block.table):
        if column.name in called:
            return called[column.name]
    raise UsageError(f"there are no scores of {against}: {', '.join(block.measures)}")


def _sensitivity(tested: Sequence[_Tested], alphas: Sequence[float]) -> pd.DataFrame:
    """For each block, level and measure how many pairs are significant, and the difference."""
    import pandas as pd

    rows = []
    for each in tested:
        for alpha in alphas:
            count = int(np.count_nonzero(each.found.significant(alpha)))
            pairs, difference = len(each.found.asl), each.found.estimated_difference(alpha)
            share = each.found.power(alpha)
            error = float(each.found.errors[each.found.alphas.index(alpha)])
            rows.append(
                (each.block.gains, alpha, each.measure, count, pairs, share, difference, error)
            )
    names = ["gains", "alpha", "measure", "significant", "pairs", "share", "difference", "error"]
    found = pd.DataFrame(rows, columns=names)
    place = {gains: number for number, gains in enumerate(dict.fromkeys(found["gains"]))}
    levels = {alpha: number for number, alpha in enumerate(alphas)}
    key = found.assign(
        block=found["gains"].map(place),
        level=found["alpha"].map(levels),
        fewer=-found["significant"],
    )
    order = key.sort_values(["level", "block", "fewer", "difference", "measure"]).index
    return found.loc[order].reset_index(drop=True)


def _power(sensitivity: pd.DataFrame, baseline: str | None) -> pd.DataFrame:
    """The same as people read it: `68/105=65%`."""
    import pandas as pd

    found = pd.DataFrame(
        {
            "alpha": sensitivity["alpha"],
            "gains": sensitivity["gains"],
            "measure": sensitivity["measure"],
            "significant": [
                f"{count}/{pairs}={share:.0%}"
                for count, pairs, share in zip(
                    sensitivity["significant"].tolist(),
                    sensitivity["pairs"].tolist(),
                    sensitivity["share"].tolist(),
                    strict=True,
                )
            ],
            "difference": sensitivity["difference"],
            "error": sensitivity["error"],
        }
    )
    if baseline is not None:
        found[f"than {baseline}"] = _marks(sensitivity, baseline)
    found.attrs["forms"] = {"alpha": "g", "difference": ".2f", "error": ".3f"}
    return found


def _marks(sensitivity: pd.DataFrame, baseline: str) -> list[str]:
    """Which measures find more significant pairs than the baseline at all levels and gains."""
    blocks = ["alpha", "gains"]
    theirs = sensitivity[sensitivity["measure"] == baseline].set_index(blocks)["significant"]
    marks = {baseline: ""}
    for measure, rows in sensitivity.groupby("measure"):
        ahead = rows.set_index(blocks)["significant"] - theirs
        mark = MORE if (ahead > 0).all() else AS_MANY if (ahead >= 0).all() else ""
        marks.setdefault(str(measure), mark)
    return [marks[measure] for measure in sensitivity["measure"]]


def _pairs(tested: Sequence[_Tested], runs: Sequence[str]) -> pd.DataFrame:
    """Every pair of runs under every measure."""
    import pandas as pd

    family = every_pair(len(runs))
    names = np.array(runs, dtype=object)
    parts = []
    for each in tested:
        found = each.found
        part = pd.DataFrame(
            {
                "gains": each.block.gains, "measure": each.measure,
                "run": names[family.first], "other": names[family.second],
                "difference": found.difference, "count": found.count,
                "resamples": found.resamples, "asl": found.asl,
                "identical": found.identical, "constant": found.constant,
            }
        )  # fmt: skip
        for level, alpha in enumerate(found.alphas):
            part[f"significant {alpha:g}"] = found.significant(alpha)
            part[f"estimated {alpha:g}"] = found.estimated[level]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _curves(tested: Sequence[_Tested]) -> pd.DataFrame:
    """The levels of each measure, falling."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "gains": each.block.gains, "measure": each.measure,
                "place": np.arange(1, len(each.found.asl) + 1), "asl": each.found.curve(),
            }
        )
        for each in tested
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _parameters(
    blocks: Sequence[Block], test: PairTest, beside: Beside, baseline: str | None
) -> dict[str, Any]:
    from irev.scores.signature import comparison_signature

    first = blocks[0]
    topics = len(first.table.topics)
    choices: dict[str, Any] = {
        "study": NAME,
        "test": test.kind,
        "alpha": [float(alpha) for alpha in test.levels],
        "resamples": test.drawn,
        "seed": test.seed,
        "topic_set_size": test.size or topics,
        "pairs": len(every_pair(len(first.table.run_names))),
        "correction": test.correction,
        "missing": "zero",
        **beside.parameters(test.size or 0, topics),
    }
    if baseline is not None:
        choices["against"] = baseline
    found = parameters_of(first.table, **choices)
    found["measures"] = list(first.measures)
    found["signature"] = signatures_data(
        [comparison_signature(block.table, choices) for block in blocks]
    )
    found["blocks"] = [{"gains": block.gains, "printed": list(block.names)} for block in blocks]
    return found


def _notes(tested: Sequence[_Tested], test: PairTest, baseline: str | None) -> list[str]:
    first = tested[0]
    table = first.block.table
    topics, pairs = len(table.topics), len(first.found.asl)
    size = f" of {test.size} topics" if test.size else ""
    how = ", exact where possible" if TESTS[test.kind].exact_if_possible else ""
    drawn = least = ""
    if test.drawn:
        what = "samples" if test.kind == "bootstrap" else "resamples"
        drawn = f", B={test.drawn} {what}{size}, seed={test.seed}, the same for all measures"
        least = f"an ASL of 0 is below {1 / test.drawn:g}; "
    found = [
        f"{TESTS[test.kind].phrase}{how}, two-sided: n={topics} topics{drawn}; family of "
        f"{count_text(pairs, 'pair')} of {len(table.run_names)} runs, correction: "
        f"{test.correction}",
        f"{least}power is a property of these runs and topics, and high power "
        "does not make a measure valid",
    ]
    if any(np.isfinite(each.found.errors).any() for each in tested):
        found.append(
            "error: the Monte Carlo error of the difference, which more resamples make smaller"
        )
    if test.drawn and test.drawn * min(test.levels) < 1:
        found.append(
            f"B={test.resamples} cannot show a level below {1 / test.resamples:g}: draw more for "
            f"alpha {min(test.levels):g}"
        )
    if baseline is not None and len(first.block.names) > 1:
        gains = " and gains" if any(each.block.gains for each in tested) else ""
        found.append(f"'{MORE}': more significant pairs than {baseline} at all levels{gains}")
    at_once = ", and the ASL 0" if test.kind == "bootstrap" else ""
    for flag, what in (
        ("identical", "equal scores on all topics, and the ASL 1"),
        ("constant", f"the same difference on all topics{at_once}"),
    ):
        for each in tested:
            count = int(np.count_nonzero(getattr(each.found, flag)))
            if count:
                gains = f" with gains {each.block.gains}" if each.block.gains else ""
                have = count_text(count, "pair has", "pairs have")
                found.append(f"{each.measure}{gains}: {have} {what}")
    return found


_TIMES = 3
"""The levels of ASL curves are drawn up to so many times the highest alpha, where they matter."""


def asl_figure(table: pd.DataFrame, alphas: Sequence[float]) -> Figure:
    """ASL curves: the level that each pair achieves, falling, with a line across at each alpha."""

    def finish(panel: Axes, points: pd.DataFrame) -> None:
        for alpha in alphas:
            draw_level_line(panel, alpha, f"α = {alpha:g}")
        top = min(1.0, _TIMES * max(alphas))
        if points["asl"].min() > top:
            top = 1.05
        pairs = int(points["place"].max())
        panel.set(xlim=(0, pairs + 1), ylim=(-0.02 * top, top))
        for line in panel.lines:
            if np.min(line.get_ydata()) > top:
                line.set_label(f"{line.get_label()} (all above {top:g})")
        panel.set_xlabel("pairs of runs, by decreasing ASL")
        panel.set_ylabel("achieved significance level (ASL)")

    return gains_figure(table, "place", "asl", finish)
