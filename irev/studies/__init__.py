"""Experiments about measures, runs and judgments: tidy tables, parameters and figures."""
