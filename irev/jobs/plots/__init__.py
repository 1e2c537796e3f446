"""Figures, by matplotlib, which is imported when one is drawn.

Each plot of `irev plot` has the file of its name, `result_figures` draws a figure of what Python
holds, and `figures` has those of several studies. All look as `style` says; `result_parts` has the
parameters, notes and signatures of their results.

Too many measures or runs for a figure are a `UsageError`, and so is an option that makes no sense;
without matplotlib there is a `MissingExtraError`.
"""
