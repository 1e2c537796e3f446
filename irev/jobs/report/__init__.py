"""The report: what one sends to a colleague of runs that were evaluated and compared, as a page.

`report` scores, compares and collects, `precision_and_judged` and `first_documents` read the runs
once more for what is shown besides scores; `page` makes of all this what
`irev.writers.results_page` writes.
"""
