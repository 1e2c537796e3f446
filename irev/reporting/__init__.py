"""The report: what one sends to a colleague of runs that were evaluated and compared, as a page."""
