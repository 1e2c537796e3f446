"""Comparing runs: means with intervals, paired differences, tests and corrections.

`comparison` reads from the options to the result: the function, the contrast of each measure, its
tests, decisions on what is asked besides significance, verdicts, notes, rows. `document` shows it,
`paper` as the table of a paper. With a model's judgments of further topics: `predicted`.
"""
