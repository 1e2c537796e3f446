"""Pools: which documents are to be judged, and what the judgments of a part of them give."""
