"""The page of results: one HTML file that loads nothing, of a report or of leaderboards.

page_data      what a page shows, as records whose numbers are rounded as the page holds them
page_json      these records as the JSON inside the page
documents      the first documents of runs, packed, and of how many runs they fit
score_parts    what a table of scores gives to these records; `line_sentences` and
               `inference_sentences` what lines of a result and tests do
words          the sentences that the page and its script share
static_page    the page as it is read without its script: `answer`, `static_tables`
page_file      the file: the policy, style, static text, data and script
"""

LARGEST_PAGE = 1_000_000
"""Bytes: what does not fit is left out, documents first."""

PAGE_DECIMALS = 3
"""Decimals of the numbers on a page; its downloads have more."""
