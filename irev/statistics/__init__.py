"""Statistics over score matrices: tests, intervals, corrections, rank correlation.

`methods` has one record for each test, correction and interval; what these do is in `t_tests`,
`permutation`, `bootstrap`, `ranks_and_signs`, `hsd`, `corrections` and `intervals`. They stand on
the pairs and tolerances of `differences`, and on `draws` and `resampling`. Comparisons also use
`decisions`, `letters` and `prediction_powered`, studies `rank_correlation`, `discrimination`,
`swaps`, `variance`, `power`, `judge_agreement`, `recall_pairs`, `rbo` and `reproduction`.

Nothing here reads a file or knows a run. scipy is imported by the functions that need it.

Arguments mean the same everywhere: `scores` is float64[T, S], T topics in byte order of their ids
and S runs in order of their names, under one measure; `family` P pairs of runs; `tail` the
alternative, of which "greater" says that the first run's scores are higher; `level` that of
intervals and `alpha` that of tests, between 0 and 1; `beta` the chance to miss a difference;
`resamples` B, how many are drawn, 1 or more; `samples` int64[B, n], as `draws.topic_draws` gives
them; `seed` what the draws depend on, and the only thing; `threads` how many work, which changes no
result. Fewer than two topics, or runs where they are set against each other, a score that is not
finite, a level or a number of resamples out of range and a p-value that is none are a `UsageError`.
"""
