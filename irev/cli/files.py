"""Files that commands read and write: which are the same, and where blocks of bytes go."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from irev.cli.output import print_out, replaced
from irev.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from irev.writers.document import Document


def write(blocks: Iterable[bytes], path: str | None) -> None:
    """Write to a file, whole or not at all; `-` and None are standard output."""
    if path in (None, "-"):
        print_out(blocks)
        return
    with replaced(path) as stream:
        stream.writelines(blocks)


def write_document(document: Document, form: str, path: str | None, places: int = 4) -> None:
    """Write the outcome of a command in one of the forms of output; where to, as in `write`."""
    from irev.writers.forms import written

    write(written(document, form, places, terminal_width(path)), path)


def check_files(read: Iterable[str | None], written: Iterable[tuple[str, str | None]]) -> None:
    """Refuse to read standard input twice, and to write over what is read or written too.

    Args:
        read: paths of inputs; None is none.
        written: (option, path) of outputs.
    """
    inputs = [path for path in read if path is not None]
    if inputs.count("-") > 1:
        raise UsageError("standard input (-) can be read once only")
    outputs: list[str] = []
    for option, path in written:
        if path is None:
            continue
        if any(same_file(path, other) for other in inputs):
            raise UsageError(f"{option} {path} would replace a file that is read")
        if path in outputs:
            raise UsageError(f"{option} {path}: two outputs cannot go to one place")
        outputs.append(path)


def same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one regular file."""
    try:
        return os.path.isfile(one) and os.path.samefile(one, other)
    except OSError:
        return False


def terminal_width(path: str | None) -> int | None:
    """The columns of the terminal that an output goes to; None where it goes elsewhere."""
    if path not in (None, "-") or sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns
