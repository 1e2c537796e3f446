"""Leaderboards: many submissions scored at once, ordered, with what is known of their places.

`submissions` finds the files, `gather` (a room above) scores them, `parts` divides the topics,
`board` orders the runs, and the writers show it: `tables` for people, `data` for machines, `page`
as one HTML file. `program` is the scoring program of shared-task platforms.
"""
