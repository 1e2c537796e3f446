"""Tests of irev; `plain.py` and its companions are the oracle for the measures."""
