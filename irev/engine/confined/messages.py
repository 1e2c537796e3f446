"""What the caller, a server and its workers send each other.

A message has two parts: JSON, in which bytes may stand, and numbers as bytes.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

from irev.errors import InputError, IrevError, MismatchError, Problem, UsageError

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

_SIZES = struct.Struct("<QQ")

COMMAND = struct.Struct("<cQ")
"""To a server: (b"f", 0) is to fork a worker for the channel beside it, (b"w", process) to wait."""

REPLY = struct.Struct("<q")
"""The worker's process; how the process ended."""


def send(channel: socket.socket, head: bytes, data: bytes = b"") -> None:
    """Send a message."""
    channel.sendall(_SIZES.pack(len(head), len(data)) + head)
    if data:
        channel.sendall(data)


def received(channel: socket.socket) -> tuple[bytes, bytes]:
    """The two parts of the next message."""
    head, data = _SIZES.unpack(exactly(channel, _SIZES.size))
    return exactly(channel, head), exactly(channel, data)


def exactly(channel: socket.socket, size: int) -> bytes:
    """So many bytes of a channel."""
    found = bytearray()
    while len(found) < size:
        more = channel.recv(min(size - len(found), 1 << 20))
        if not more:
            raise EOFError
        found += more
    return bytes(found)


def parts_of(heard: bytearray, most: int) -> tuple[bytes, bytes] | None:
    """The two parts of a message; None where its end is not there yet."""
    if len(heard) < _SIZES.size:
        return None
    head, data = _SIZES.unpack_from(heard)
    if head + data > most:
        raise ValueError("a message without an end")
    if len(heard) < _SIZES.size + head + data:
        return None
    end = _SIZES.size + head
    return bytes(heard[_SIZES.size : end]), bytes(heard[end : end + data])


def packed(value: Any) -> bytes:
    """A value as JSON, with bytes in it."""
    return json.dumps(value, default=lambda some: {"\0": some.decode("latin-1")}).encode()


def unpacked(text: bytes) -> Any:
    """The way back."""

    def found(pairs: dict[str, Any]) -> Any:
        return pairs["\0"].encode("latin-1") if [*pairs] == ["\0"] else pairs

    return json.loads(text, object_hook=found)


def described(error: IrevError) -> list[Any]:
    """An error as JSON has it."""
    if isinstance(error, InputError):
        return ["InputError", error.problems]
    return [type(error).__name__, [str(error), error.kind]]


def error_of(described: Sequence[Any]) -> IrevError:
    """The way back; what is kept of other errors is their text."""
    kind, found = described
    if kind == "InputError":
        return InputError([Problem._make(problem) for problem in found])
    text, of_kind = found
    if kind == "MismatchError":
        return MismatchError(text, of_kind)
    return UsageError(text) if kind == "UsageError" else IrevError(text)
