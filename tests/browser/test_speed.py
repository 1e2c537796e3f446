"""The page of 60 runs on 250 topics: its weight, and how fast its rows change places."""

from __future__ import annotations

import statistics
import sys

REORDER = """() => {
  const times = [];
  for (let turn = 0; turn < 21; turn++) {
    const start = performance.now();
    document.querySelector('#table thead [data-key="run"] button').click();
    document.body.offsetHeight;
    times.push(performance.now() - start);
  }
  return times;
}"""
"""The time of a click on a head, with the layout that follows, in milliseconds."""


def test_sixty_runs_on_250_topics_are_at_most_a_megabyte(invented):
    assert invented("60x250").stat().st_size <= 1_000_000


def test_rows_are_reordered_in_a_tenth_of_a_second(open_page, invented):
    opened = open_page(invented("60x250"))
    times = opened.page.evaluate(REORDER)
    median = statistics.median(times)
    sys.stderr.write(f"reordering 60 rows: median {median:.0f} ms, least {min(times):.0f} ms\n")
    # the machine may be busy: the least of many is nearest to what the page itself takes
    assert min(times) < 100
