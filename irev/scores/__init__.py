"""Results: the scores of a run and of several, saved or not, and what they were made of."""
