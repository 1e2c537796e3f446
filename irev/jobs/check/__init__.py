"""Checking runs and qrels: everything that is wrong or suspicious in them."""
