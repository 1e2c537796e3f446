"""Statistics over matrices of scores: tests, intervals, corrections, rank correlation.

Inside, from the ground up:

differences           `RunPairs`, the differences of their scores, when two numbers are equal
variance              analysis of variance, reliability, sizes of topic sets and what they can show
resampling            the permutation test and the bootstrap test, and what such tests share
significance_tests    tests by formula: t, moderated t, ranks and signs
families              corrections of p, maxT, HSD with the studentised range, letters of groups
intervals             of means and of mean differences; how the scores of one run vary
methods               `TESTS`, `CORRECTIONS`, `INTERVALS`: one record for each, and what they depend
                      on; whatever offers, explains or runs a test reads these
verdicts              better, equal or not decided, in a sentence; topics that are needed
decisions             of pairs, besides significance: equivalence, chances, risk
prediction_powered    means with the help of a model's judgments
correlation           of orders of runs, overlap of rankings, agreement of judges
discrimination        how many differences a measure finds, and how stably

A module imports from those above it, from `core` and from `errors`, and from no other room; but
`intervals` takes a `Scores` and asks `measures` for the range of a measure. None reads a file.
scipy is imported by the functions that need it. Writers and jobs import all of this.

Arguments mean the same everywhere. `score_matrix` is float64[T, S], T topics in byte order of their
ids and S runs in order of their names, under one measure; `pairs` P pairs of runs, by their columns
in it. `tail` is the alternative: "greater" says that the first run's scores are higher. `level` is
that of intervals and `alpha` that of tests, between 0 and 1, `beta` the chance to miss a
difference. `num_resamples` is B, how many are drawn, 1 or more; `samples` int64[B, n], as
`core.draws.topic_draws` gives them; `seed` what draws depend on, and the only thing; `threads` how
many work, which changes no result. Fewer than two topics, or runs where they are set against each
other, a score that is not finite, a level or a number of resamples out of range and a p-value that
is none are a `UsageError`.
"""
