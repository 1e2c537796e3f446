"""Samples of judgments: drawing them, and evaluating runs under them."""
