"""Several orders of tied documents: expectation and range."""
