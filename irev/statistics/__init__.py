"""Statistics over matrices of scores: tests, intervals, corrections, rank correlation.

Inside, from the ground up:

draws         random numbers that depend on a seed alone: signs, samples of topics, orders, shares
differences   `RunPairs`, the differences of their scores, when two numbers are equal, skewness
resampling    what tests by resampling share: the runs' sums in each resample, the count of P pairs
power         sizes of topic sets, and the difference that so many topics can show
variance      analysis of variance, variance components, reliability
tests         `t_tests`, `moderated`, `permutation`, `bootstrap`, `ranks_and_signs`, `hsd` with
              `studentized_range`, and `corrections` of p
intervals     of means and of mean differences; `spread`: those of one run's measures
methods       `TESTS`, `CORRECTIONS`, `INTERVALS`: one record for each, and what they depend on;
              whatever offers, explains or runs a test reads these
for compare   `decisions` (equivalence, risk), `letters`, `prediction_powered`
for studies   `rank_correlation`, `discrimination`, `swaps`, `judge_agreement`, `recall_pairs`,
              `rbo`, `reproduction`

A module imports from those above it (and types from `methods`), from `core` and from `errors`, and
from no other room; but `spread` takes a `Scores` and asks `measures` for the range of a measure.
None reads a file. scipy is imported by the functions that need it. Writers and jobs import all of
this.

Arguments mean the same everywhere. `score_matrix` is float64[T, S], T topics in byte order of their
ids and S runs in order of their names, under one measure; `pairs` P pairs of runs, by their columns
in it. `tail` is the alternative: "greater" says that the first run's scores are higher. `level` is
that of intervals and `alpha` that of tests, between 0 and 1, `beta` the chance to miss a
difference. `num_resamples` is B, how many are drawn, 1 or more; `samples` int64[B, n], as
`draws.topic_draws` gives them; `seed` what draws depend on, and the only thing; `threads` how many
work, which changes no result. Fewer than two topics, or runs where they are set against each other,
a score that is not finite, a level or a number of resamples out of range and a p-value that is none
are a `UsageError`.
"""
