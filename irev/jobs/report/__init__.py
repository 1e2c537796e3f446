"""The report: what one sends to a colleague of runs that were evaluated and compared, as a page.

`report` scores, compares and collects, `curves` has what is shown besides scores; `page` and its
`topic_sections` are HTML.
"""
