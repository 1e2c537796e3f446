"""Figures, by matplotlib, which is imported when one is drawn.

`gathered` are the runs and their scores everywhere. Too many measures or runs for a figure are a
`UsageError`, and so is an option that makes no sense; without matplotlib there is a
`MissingExtraError`.
"""
