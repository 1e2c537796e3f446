"""Comparing runs: means with intervals, paired differences, tests and corrections.

`comparison` is the library's function and its result: `options` of what is asked, `contrasts` of
each measure, `decisions` on what is asked besides significance, `assumptions` that may fail. `rows`
are its numbers, `document` and `paper` show it. With a model's judgments of further topics:
`predicted`, its `estimates` and its `predicted_document`.
"""
