"""Figures, by matplotlib, which is imported when one is drawn.

`by_topic` and `recall_precision` have the plots of `irev plot` and, from these, a page of scores;
`comparison_figures` those of what Python holds and of comparisons. `plot` has the options of all,
the parameters, notes and signatures of their results, and the figures of several studies. `layout`
says how all of them look, and where everything in them stands.

Too many measures or runs for a figure are a `UsageError`, and so is an option that makes no sense;
without matplotlib there is a `MissingExtraError`.
"""
