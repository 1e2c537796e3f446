"""Bytes of an input as text, there and back."""

from __future__ import annotations


def as_text(text: bytes) -> str:
    """Bytes of an input as a string that can be turned back (`surrogateescape`)."""
    return text.decode("utf-8", "surrogateescape")


def storable(name: bytes | str) -> str:
    """A name as tables and Unicode text can hold it: bytes that are no UTF-8 are escaped."""
    raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "backslashreplace")
