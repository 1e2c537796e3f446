"""Gates: whether a run may pass, by limits on its means and by a baseline."""
