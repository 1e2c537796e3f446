"""Leaderboards: many submissions scored at once, ordered, with what is known of their places.

`submissions` finds the files, `scoring` has them scored, each by a `scorer` in a process with
limits; `board` orders the runs of a part of the topics and `track` holds the boards; `document` is
what is shown of them, and `page` one HTML file.
"""
