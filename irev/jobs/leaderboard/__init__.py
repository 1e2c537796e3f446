"""Leaderboards: many submissions scored at once, ordered, with what is known of their places.

`leaderboard` has the choices, the job and its result; `scoring` has strangers' submissions scored
by processes with limits; `board` puts runs in order on all topics or on parts of them, and says how
its numbers were made; `teams` knows whose the runs are, and hides it; `document` is what is shown.
"""
