"""Strangers' files worked on in processes that can be killed, with limits."""
