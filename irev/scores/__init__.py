"""Results: the scores of a run and of several, saved or not, and what they were made of.

scores table       of a run: topics x measures; of several: runs x topics x measures
saved saved_runs   files of scores: which form one has; the runs in it
signature          what makes a result reproducible: definitions, choices, hashes of inputs
"""
