"""The parts of a leaderboard: places, intervals, tests, teams, divisions of the topics."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from irev.core.judged import Column
from irev.errors import InputError, MismatchError, UsageError
from irev.jobs.leaderboard.board import (
    Standing,
    TopicPart,
    draw_public_topics,
    fact_lines,
    part_and_its_classes,
    place_limits,
    places_of_means,
    rank_runs,
    split_topics,
    topic_rows,
)
from irev.jobs.leaderboard.leaderboard import LeaderboardOptions
from irev.jobs.leaderboard.teams import Pseudonyms, listed_runs, read_teams, teams_of
from irev.scores.table import RunInfo, ScoreTable
from tests.statistics_rows import marks_rows, matrix, plain_hall_interval

SCORES = np.array([[0.9, 0.5, 0.4], [0.2, 0.6, 0.4], [0.7, 0.7, 0.1], [0.8, 0.2, 0.3]])


def score_table(scores, measure="map", names=None, **more):
    """The scores of runs a, b, ... on topics 1, 2, ... ."""
    scores = np.asarray(scores, float)
    topics = tuple(str(number).encode() for number in range(1, len(scores) + 1))
    names = names or [chr(ord("a") + number) for number in range(scores.shape[1])]
    entries = tuple(RunInfo(name, f"runs/{name}.run", f"tag-{name}".encode()) for name in names)
    return ScoreTable(topics, entries, (Column(measure, measure),), scores[None], **more)


def order(actual):
    return [(each.place, actual.run_info(each).name) for each in actual.standings]


# --- places --------------------------------------------------------------------------------------


def test_equal_means_share_a_place():
    # 0.1 + 0.2 is not 0.3 to the last bit
    assert places_of_means(np.array([0.3, 0.1 + 0.2, 0.5, 0.1])).tolist() == [2, 2, 1, 4]


def test_places_are_what_the_tests_of_pairs_leave():
    means = np.array([0.2, 0.5, 0.4, 0.4])
    differ = np.zeros((4, 4), bool)
    for one, other in ((0, 1), (0, 2), (1, 3)):
        differ[one, other] = differ[other, one] = True
    low, high = place_limits(means, differ)
    # the first is shown worse than two of four, the second better than two
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(3, 4), (1, 2), (1, 3), (2, 4)]


def test_places_of_step_down_tests():
    # of all 256 patterns of signs: A-D .0078, C-D .2266, B-C .5, the others .1484
    scores, names = matrix("F2")
    rules = LeaderboardOptions(test="permutation", correction="maxt", alpha=0.2)
    part = rank_runs(score_table(scores, names=names), rules)
    assert {part.run_info(s).name: (s.low, s.high) for s in part.standings} == {
        "A": (1, 1), "B": (2, 3), "C": (2, 4), "D": (3, 4),
    }  # fmt: skip


def test_places_agree_with_the_rest_of_the_row():
    rng = np.random.default_rng(3)
    scores = rng.normal(0.4, 0.1, (30, 1)) + rng.normal(0, 0.1, (30, 9)) - np.arange(9) / 40
    part = rank_runs(score_table(scores), LeaderboardOptions())
    limits = [
        (standing.low or 0, standing.place, standing.high or 0) for standing in part.standings
    ]
    assert all(low <= place <= high for low, place, high in limits)
    assert limits[0][0] == 1
    assert [each.tied_with_best for each in part.standings] == [low == 1 for low, _, _ in limits]
    # whoever is significantly worse than the first is not first
    assert [each.tied_with_best for each in part.standings].count(False) >= 9 - limits[0][2]


@pytest.mark.parametrize("case", ["B1", "B2"])
def test_tied_with_best_is_a_first_place_among_the_places(case):
    rows = {(row["quantity"], row["pair"]): row["expected"] for row in marks_rows("best", case)}
    means_text, shown_text = rows.pop(("input", "")).removeprefix("means ").split("; ")
    means_text, names_text = means_text.split(" of ")
    names = names_text.split()
    means = np.array(list(map(float, means_text.split())))
    differ = np.zeros((len(names), len(names)), bool)
    for pair in shown_text.removeprefix("shown to differ: ").split():
        one, other = map(names.index, pair.split("-"))
        differ[one, other] = differ[other, one] = True
    low, high = place_limits(means, differ)
    actual: dict[tuple[str, str], int | bool | None] = {}
    for index, name in enumerate(names):
        standing = Standing(
            index, 1, int(low[index]), int(high[index]), "", None, None, (0, 0, 0), None, 1
        )
        actual |= {
            ("first_place", name): standing.low,
            ("last_place", name): standing.high,
            ("tied_with_best", name): standing.tied_with_best,
        }
    assert actual == {key: int(value) for key, value in rows.items()}


def test_a_run_that_another_beats_is_not_tied_with_the_first():
    # b and c differ by a little on every topic, a by much and either way
    scores = np.array(
        [[0.99, 0.31, 0.30], [0.25, 0.62, 0.60], [0.95, 0.51, 0.50], [0.21, 0.72, 0.70]]
    )
    part = rank_runs(score_table(scores), LeaderboardOptions(test="t"))
    rows = [
        (part.run_info(each).name, each.low, each.high, each.tied_with_best)
        for each in part.standings
    ]
    assert rows == [("a", 1, 3, True), ("b", 1, 2, True), ("c", 2, 3, False)]
    assert (part.standings[2].p_best or 0) > 0.9


def test_without_a_test_nobody_is_called_tied():
    part = rank_runs(score_table(SCORES), LeaderboardOptions(test="none"))
    assert [each.tied_with_best for each in part.standings] == [None] * 3


# --- the board -----------------------------------------------------------------------------------


def test_means_intervals_and_order():
    part = rank_runs(score_table(SCORES), LeaderboardOptions(resamples=500))
    of_hall = rank_runs(score_table(SCORES), LeaderboardOptions(ci="hall"))

    assert order(part) == [(1, "a"), (2, "b"), (3, "c")]
    for run in range(3):
        column = SCORES[:, run]
        low, high = stats.t.interval(0.95, 3, column.mean(), stats.sem(column))
        assert part.summary[0, run] == pytest.approx(column.mean())
        assert (part.low[0, run], part.high[0, run]) == pytest.approx((max(low, 0), min(high, 1)))
        low, high = plain_hall_interval(column.tolist())
        ends = (of_hall.low[0, run], of_hall.high[0, run])
        assert ends == pytest.approx((max(low, 0), min(high, 1)))


def test_lower_is_better_for_some_measures():
    part = rank_runs(
        score_table(SCORES, "num_nonrel_judged_ret"), LeaderboardOptions(resamples=500)
    )
    assert part.lower_is_better
    assert order(part) == [(1, "c"), (2, "b"), (3, "a")]
    assert "increasing" in next(fact_lines(part))


def test_wins_and_losses_against_the_best():
    part = rank_runs(score_table(SCORES), LeaderboardOptions(test="none", ci="none"))
    assert [each.wins_ties_losses for each in part.standings] == [(0, 4, 0), (1, 1, 2), (1, 0, 3)]


def test_wins_are_lower_values_where_lower_is_better():
    # c is best; on the second topic a is lower, on the fourth b
    rules = LeaderboardOptions(test="none", ci="none")
    part = rank_runs(score_table(SCORES, "num_nonrel_judged_ret"), rules)
    assert order(part) == [(1, "c"), (2, "b"), (3, "a")]
    assert [each.wins_ties_losses for each in part.standings] == [(0, 4, 0), (1, 0, 3), (1, 0, 3)]


def test_t_tests_with_holm():
    rng = np.random.default_rng(5)
    scores = rng.random((15, 3)) + np.array([0.3, 0.15, 0])
    p = {
        pair: stats.ttest_rel(scores[:, pair[0]], scores[:, pair[1]]).pvalue
        for pair in ((0, 1), (0, 2), (1, 2))
    }
    corrected, largest = {}, 0.0
    for rank, pair in enumerate(sorted(p, key=lambda pair: p[pair])):
        largest = max(largest, min(1, (3 - rank) * p[pair]))
        corrected[pair] = largest

    part = rank_runs(score_table(scores), LeaderboardOptions(test="t", resamples=100))

    ranked = [each.run_index for each in part.standings]
    for at, standing in enumerate(part.standings[1:], 1):
        best = corrected[_pair(ranked[0], ranked[at])]
        above = corrected[_pair(ranked[at - 1], ranked[at])]
        assert (standing.p_best, standing.p_above) == pytest.approx((best, above))
        assert standing.tied_with_best == (best > 0.05)


def _pair(one, other):
    return min(one, other), max(one, other)


def test_two_runs_have_the_permutation_test():
    first = np.array([0.9, 0.8, 0.7, 0.6, 0.9, 0.8, 0.75])
    second = np.array([0.5, 0.9, 0.3, 0.2, 0.6, 0.1, 0.7])
    d = first - second
    exact = np.mean([abs(d @ s) >= abs(d.sum()) - 1e-9 for s in product((1, -1), repeat=7)])
    for test in ("rthsd", "permutation"):
        part = rank_runs(
            score_table(np.stack([first, second], axis=1)), LeaderboardOptions(test=test)
        )
        assert part.standings[1].p_best == pytest.approx(exact, abs=4 * (0.25 / 10_000) ** 0.5)


def test_one_topic_or_one_run_has_no_test():
    for scores in (SCORES[:1], SCORES[:, :1]):
        part = rank_runs(score_table(scores), LeaderboardOptions(resamples=100))
        assert not part.is_tested
        assert all(each.p_best is None and not each.groups for each in part.standings)
        assert any("no test" in line for line in fact_lines(part))
    assert np.isnan(rank_runs(score_table(SCORES[:1]), LeaderboardOptions(resamples=100)).low).all()


def test_equal_runs_do_not_differ():
    scores = np.repeat(SCORES[:, :1], 3, axis=1)
    part = rank_runs(score_table(scores), LeaderboardOptions(resamples=200))
    assert order(part) == [(1, "a"), (1, "b"), (1, "c")]
    assert [each.groups for each in part.standings] == ["a"] * 3
    assert [each.p_best for each in part.standings] == [None, 1, 1]
    assert [(each.low, each.high) for each in part.standings] == [(1, 3)] * 3


def test_weighted_means_order_the_runs():
    weights = np.array([0.0, 1.0, 0.0, 1.0])
    part = rank_runs(score_table(SCORES, weights=weights), LeaderboardOptions(resamples=200))
    # 0.5, 0.4 and 0.35
    assert order(part) == [(1, "a"), (2, "b"), (3, "c")]
    assert part.summary[0] == pytest.approx([0.5, 0.4, 0.35])
    assert "weighted" in next(fact_lines(part))


def test_intervals_of_weighted_means_are_those_of_the_ratio():
    weights = np.array([1.0, 2.0, 1.0, 4.0])
    part = rank_runs(
        score_table(np.full((4, 2), [0.5, 0.4]), weights=weights), LeaderboardOptions()
    )
    # all scores are equal: Kish's 64 / 22 topics decide
    kish = 64 / 22
    share = 0.025 ** (1 / kish)
    assert part.low[0] == pytest.approx([0.5 * share, 0.4 * share])
    assert part.high[0] == pytest.approx([1 - 0.5 * share, 1 - 0.6 * share])
    assert part.standings[1].p_best == pytest.approx(2 ** (1 - kish))


def test_tests_that_suppose_one_variance_say_where_it_is_not_so():
    rng = np.random.default_rng(4)
    near = rng.normal(0, 0.1, (50, 1)) + rng.normal(0, 0.02, (50, 4))
    scores = np.hstack([near, rng.normal(0, 0.2, (50, 2))])
    for test, says in (("hsd", True), ("t", False)):
        part = fact_lines(rank_runs(score_table(scores), LeaderboardOptions(test=test)))
        assert any("one variance" in line for line in part) == says


def test_a_correction_of_another_test():
    with pytest.raises(UsageError, match="--correction maxt is for --test permutation"):
        LeaderboardOptions(correction="maxt")


def test_a_measure_that_is_not_there():
    with pytest.raises(UsageError, match="the runs have map"):
        rank_runs(score_table(SCORES), LeaderboardOptions(by="P_10"))


def test_topics_have_a_best_a_median_and_a_worst():
    rows = topic_rows(rank_runs(score_table(SCORES), LeaderboardOptions(test="none", ci="none")))
    assert rows[0] == ("1", 0.9, ("a",), 0.5, 0.4)
    assert rows[2] == ("3", 0.7, ("a", "b"), 0.7, 0.1)


# --- parts ---------------------------------------------------------------------------------------


def test_a_share_is_drawn_by_hashes():
    topics = [str(number).encode() for number in range(10)]
    ranked = sorted(topics, key=lambda t: hashlib.sha256(b"7\0public\0" + t).digest())
    assert draw_public_topics(topics, Fraction(1, 4), 7) == set(ranked[:3])  # 2.5, half up
    assert draw_public_topics(topics, Fraction(1, 100), 7) == set(ranked[:1])
    assert len(draw_public_topics(topics, Fraction(1), 7)) == 9
    with pytest.raises(UsageError):
        draw_public_topics(topics[:1], Fraction(1, 2), 0)


def test_public_and_private_topics():
    public, private = split_topics(score_table(SCORES), frozenset((b"1", b"4", b"none")))
    assert (public.table.topics, private.table.topics) == ((b"1", b"4"), (b"2", b"3"))
    for none_left in (frozenset(), frozenset(score_table(SCORES).topics)):
        with pytest.raises(MismatchError):
            split_topics(score_table(SCORES), none_left)


def test_classes_of_topics_are_parts():
    classes = {"short": np.array([True, False, True, False]), "none": np.zeros(4, bool)}
    whole, short = part_and_its_classes(TopicPart("public", score_table(SCORES, classes=classes)))
    assert (whole.name, len(whole.table.topics)) == ("public", 4)
    assert (short.name, short.table.topics) == ("public, short", (b"1", b"3"))


# --- teams and names -----------------------------------------------------------------------------


def test_the_best_run_of_each_team():
    teams = {"a": "x", "b": "x", "c": "y"}
    options = LeaderboardOptions(resamples=100, best_per_team=True)
    part = rank_runs(score_table(SCORES), options, teams=teams)
    assert [(part.run_info(s).name, s.team, s.runs_of_team) for s in part.standings] == [
        ("a", "x", 2),
        ("c", "y", 1),
    ]
    # the family is still that of all three runs
    whole = rank_runs(score_table(SCORES), LeaderboardOptions())
    assert (part.num_pairs, part.num_team_runs, whole.num_team_runs) == (3, 3, 0)
    assert part.standings[1].p_best == whole.standings[2].p_best
    lines = "\n".join(fact_lines(part))
    assert "the best run of each team of 3 runs" in lines
    assert "all 3 pairs of the 3 runs" in lines
    # a team may be called like a run without one
    options = LeaderboardOptions(test="none", best_per_team=True)
    alone = rank_runs(score_table(SCORES), options, teams={"b": "a"})
    assert len(alone.standings) == 3


def test_teams_are_found_by_name_and_file_but_not_by_tag(tmp_path):
    listed = tmp_path / "teams"
    listed.write_bytes(b"# who\na  The First\ntag-b second\n\nc.run third\n")
    listing = read_teams(str(listed))
    runs_by_listed_word = listed_runs(score_table(SCORES), listing)
    assert teams_of(runs_by_listed_word, listing) == {"a": "The First", "c": "third"}


@pytest.mark.parametrize("text", ["a\n", "a x\na y\n", "# nothing\n"])
def test_wrong_lists_of_teams(tmp_path, text):
    (tmp_path / "teams").write_text(text)
    with pytest.raises(InputError):
        read_teams(str(tmp_path / "teams"))


def test_made_up_names_are_kept(tmp_path):
    names = Pseudonyms()
    part = names.hide_names(
        rank_runs(score_table(SCORES), LeaderboardOptions(test="none"), teams={"b": "x"})
    )
    shown = [(part.run_info(each), each.team) for each in part.standings]
    assert [entry.name for entry, _ in shown] == ["run-1", "run-2", "run-3"]
    assert [team for _, team in shown] == [None, "team-1", None]
    assert not any(entry.path or entry.run_id for entry, _ in shown)

    key = tmp_path / "key"
    key.write_bytes(names.text())
    # the run that is best now came last
    later = score_table(np.column_stack([SCORES, np.ones(4)]))
    part = Pseudonyms.read(str(key)).hide_names(rank_runs(later, LeaderboardOptions(test="none")))
    assert [part.run_info(each).name for each in part.standings] == [
        "run-4",
        "run-1",
        "run-2",
        "run-3",
    ]


def test_a_wrong_key(tmp_path):
    wrong = {
        "run-x\ta\n": "1: ",
        "run-1 a\n": "1: ",
        f"run-{'1' * 5000}\ta\n": "1: ",
        "run-2\ta\nteam-2\tb\nrun-2\tc\n": "3: run-2 is the made-up name of another run",
        "team-2\ta\nteam-02\tb\n": "2: team-02 is the made-up name of another team",
        "run-1\ta\nrun-2\tb\nrun-3\ta\n": "3: this run has another made-up name: run-1",
    }
    for text, message in wrong.items():
        (tmp_path / "key").write_text(text)
        with pytest.raises(InputError, match=f"key:{message}"):
            Pseudonyms.read(str(tmp_path / "key"))
    with pytest.raises(InputError):
        Pseudonyms.read(str(tmp_path))
