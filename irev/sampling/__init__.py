"""Pools, samples of judgments, strata: what is judged when not everything can be."""
