"""What the caller, a server and its workers send each other.

A message has two parts: JSON, in which bytes may stand, and numbers as bytes.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

from irev.core.text import cut_text
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


def receive(channel: socket.socket) -> tuple[bytes, bytes]:
    """The two parts of the next message."""
    head, data = _SIZES.unpack(receive_bytes(channel, _SIZES.size))
    return receive_bytes(channel, head), receive_bytes(channel, data)


def receive_bytes(channel: socket.socket, num_bytes: int) -> bytes:
    """So many bytes of a channel."""
    data = bytearray()
    while len(data) < num_bytes:
        chunk = channel.recv(min(num_bytes - len(data), 1 << 20))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


def message_parts(received_bytes: bytearray, max_bytes: int) -> tuple[bytes, bytes] | None:
    """The two parts of a message; None where its end is not there yet."""
    if len(received_bytes) < _SIZES.size:
        return None
    head, data = _SIZES.unpack_from(received_bytes)
    if head + data > max_bytes:
        raise ValueError("a message without an end")
    if len(received_bytes) < _SIZES.size + head + data:
        return None
    end = _SIZES.size + head
    return bytes(received_bytes[_SIZES.size : end]), bytes(received_bytes[end : end + data])


def encode_json_with_bytes(value: Any) -> bytes:
    """A value as JSON, with bytes in it."""
    return json.dumps(value, default=lambda some: {"\0": some.decode("latin-1")}).encode()


def decode_json_with_bytes(text: bytes) -> Any:
    """The way back."""

    def restore_bytes(pairs: dict[str, Any]) -> Any:
        return pairs["\0"].encode("latin-1") if [*pairs] == ["\0"] else pairs

    return json.loads(text, object_hook=restore_bytes)


def error_to_json(error: IrevError) -> list[Any]:
    """An error as JSON has it; its texts are cut, for the caller keeps those of all files."""
    if isinstance(error, InputError):
        return ["InputError", [_cut_problem(problem) for problem in error.problems]]
    return [type(error).__name__, [cut_text(str(error)), error.kind]]


def _cut_problem(problem: Problem) -> Problem:
    return problem._replace(
        message=cut_text(problem.message),
        hint=cut_text(problem.hint),
        topic=problem.topic and cut_text(problem.topic),
        document=problem.document and cut_text(problem.document),
    )


def error_from_json(fields: Sequence[Any]) -> IrevError:
    """The way back; what is kept of other errors is their text."""
    error_class, details = fields
    if error_class == "InputError":
        return InputError([Problem._make(problem) for problem in details])
    text, error_kind = details
    if error_class == "MismatchError":
        return MismatchError(text, error_kind)
    return UsageError(text) if error_class == "UsageError" else IrevError(text)
