"""Bytes of an input as text, there and back."""

from __future__ import annotations


def as_text(text: bytes) -> str:
    """Bytes of an input as a string that can be turned back (`surrogateescape`)."""
    return text.decode("utf-8", "surrogateescape")


def as_bytes(text: bytes | str) -> bytes:
    """A string as the bytes of an input: the way back from `as_text`; bytes as they are."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def printable(line: str) -> str:
    """Nothing that would end a line or drive a terminal; bytes that are not UTF-8 stay."""
    return "".join(
        c if c.isprintable() or "\udc80" <= c <= "\udcff" else c.encode("unicode_escape").decode()
        for c in line
    )


def storable(name: bytes | str) -> str:
    """A name as tables and Unicode text can hold it: bytes that are no UTF-8 are escaped."""
    return as_bytes(name).decode("utf-8", "backslashreplace")
