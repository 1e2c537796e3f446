"""The page of results: one HTML file that loads nothing, of a report or of leaderboards.

page_data      what a page shows, as records whose numbers are rounded as the page holds them, and
               how these are made: of scores, tests, first documents of runs, warnings
page_file      the file: the policy, style, data and script, what fits, and the page as it is read
               without its script
"""

LARGEST_PAGE = 1_000_000
"""Bytes: what does not fit is left out, documents first."""

PAGE_DECIMALS = 3
"""Decimals of the numbers on a page; its downloads have more."""
