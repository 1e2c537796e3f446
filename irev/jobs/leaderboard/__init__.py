"""Leaderboards: many submissions scored at once, ordered, with what is known of their places.

`leaderboard` is the job: `scoring` has submissions scored, each by a `scorer` in a process with
limits; `board` orders the runs of one of the `topic_parts`, `teams` knows whose they are, and
`results` holds all of it. `facts` are lines on how the numbers were made, `document` is what is
shown, and `page` one HTML file.
"""
