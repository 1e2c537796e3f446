"""Figures, by matplotlib, which is imported when one is drawn.

`by_topic`, `recall_precision` and `tie_ranges` have the plots of `irev plot`,
`comparison_figures` those of what Python holds and of comparisons, `sheet_html` those of a page of
scores, and `figures` those of several studies. All look as `style` says and are laid out by
`layout`; `plot` has their options, and the parameters, notes and signatures of their results.

Too many measures or runs for a figure are a `UsageError`, and so is an option that makes no sense;
without matplotlib there is a `MissingExtraError`.
"""
