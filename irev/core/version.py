"""The version: here alone it is written, and pyproject.toml reads it."""

__version__ = "0.2.0"
