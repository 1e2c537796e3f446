"""Gates: whether a run may pass, by limits of its means and beside a baseline."""
