"""Figures, by matplotlib, which is imported when one is drawn.

`by_run`, `by_topic` and `recall_precision` are what `irev plot` draws, `of_results` what Python
does; `figures` are those of several studies. All look as `style` says, and what comes with one is
an `outcome`.

`score_table` has the runs and their scores everywhere. Too many measures or runs for a figure are a
`UsageError`, and so is an option that makes no sense; without matplotlib there is a
`MissingExtraError`.
"""
