"""What a command writes: results to standard output or a file, messages and progress to stderr."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, TextIO

import click

from irev.core.output_files import replace_file, undo_on_signal
from irev.core.text import WIDTH, pattern, printable
from irev.core.workers import report_progress_to
from irev.errors import (
    GENERAL_NOTE,
    KINDS,
    InputError,
    IrevError,
    MeasureNamesError,
    Notice,
    StrictError,
    UsageError,
    id_text,
    problem_texts,
)

if TYPE_CHECKING:
    from irev.writers.document import Document


# --- How far a long command is ---


_FIRST, _NEXT = 1.0, 0.1
"""Seconds before the line appears, and between two of its states."""


class ProgressLine:
    """The line of a command: how many files are done, and how far the one is that was read last.

    It hears of files from the threads that read them.
    """

    def __init__(self, stream: TextIO, width: int, clock: Callable[[], float] = monotonic) -> None:
        self._stream, self._width, self._clock, self._lock = stream, width, clock, RLock()
        self._next = clock() + _FIRST
        self._shown = 0
        self._items = ""
        self._read: dict[str, str] = {}
        self._scored: dict[str, str] = {}

    def report_read(self, name: str, done: int, size: int | None) -> None:
        """Show which share of a file was read, or how much where its size is not known."""
        self._read[name] = f"{done / 1e6:.0f} MB" if not size else f"{min(done / size, 1):.0%}"
        self._show(name)

    def report_scored(self, name: str, num_topics: int) -> None:
        """Show how many topics of a file are done."""
        self._scored[name] = f"{num_topics:,} topic{'s' * (num_topics != 1)}"
        self._show(name)

    def report_end(self, name: str) -> None:
        """Forget a file."""
        self._read.pop(name, None)
        self._scored.pop(name, None)
        if not self._items:
            self._set_text("")

    def report_done(self, label: str, num_done: int, num_items: int) -> None:
        """Show how many items are done; a label such as "runs" says what they are."""
        self._items = f"{label}: {num_done} of {num_items}" if num_done < num_items else ""
        if self._items:
            self._show()
        else:
            self._set_text("")

    @contextmanager
    def hide(self) -> Iterator[None]:
        """Within, the line is empty, and nobody shows anything."""
        with self._lock:
            self.wipe()
            yield

    def wipe(self) -> None:
        """Leave the line empty."""
        if self._shown:
            self._write(f"\r{' ' * self._shown}\r")
            self._shown = 0

    def _show(self, name: str = "") -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _NEXT
        state = ", ".join(filter(None, (self._read.get(name), self._scored.get(name))))
        shown_name = id_text(os.fsencode(os.path.basename(name)), 40)
        file = f"{shown_name}: {state}" if state else ""
        self._set_text("; ".join(filter(None, (self._items, file)))[: self._width - 1])

    def _set_text(self, text: str) -> None:
        """Put a text in the line, unless somebody else is writing: nobody waits for that."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not text:
                self.wipe()
                return
            self._write(f"\r{text:<{self._shown}}")
            self._shown = len(text)
        finally:
            self._lock.release()

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._next = float("inf")


_line: ProgressLine | None = None
"""That of the command that runs."""


@contextmanager
def show_progress(stream: TextIO | None, columns_of: Callable[[TextIO], int]) -> Iterator[None]:
    """Within, a line on the stream says how far the command is, if the stream is a terminal."""
    global _line
    if stream is None or not stream.isatty():
        yield
        return
    before, _line = _line, ProgressLine(stream, columns_of(stream))
    try:
        with undo_on_signal(_line.wipe), report_progress_to(_line):
            yield
    finally:
        with _line.hide():
            _line = before


@contextmanager
def hide_progress() -> Iterator[None]:
    """Within, something else is written to the terminal."""
    if _line is None:
        yield
        return
    with _line.hide():
        yield


# --- Results: to standard output or a file, whole or not at all ---


_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_LABEL = rf"(?m)^irev: ({'|'.join(_COLOURS)}):"


def print_out(
    blocks: Iterable[bytes], colour_of_outcome: Mapping[bytes, str] | None = None
) -> None:
    """Write to standard output and flush it.

    Args:
        blocks: what to write.
        colour_of_outcome: words and their colours, where a line begins with one.
    """
    stream = sys.stdout
    if stream is None:
        raise IrevError("there is no standard output to write to")
    try:
        shown = map(_tame, blocks) if stream.isatty() else blocks
        if colour_of_outcome and is_coloured(stream):
            shown = map(partial(_colour_outcomes_at_line_starts, colour_of_outcome), shown)
        with hide_progress():
            for block in shown:
                stream.buffer.write(block)
            stream.buffer.flush()
    except BrokenPipeError:
        _forget_stdout()
        # nobody reads on: the code that a shell shows for a program that SIGPIPE ends
        raise click.exceptions.Exit(141) from None
    except OSError as error:
        _forget_stdout()
        raise IrevError(f"cannot write to standard output: {error.strerror}") from None


def _tame(block: bytes) -> bytes:
    """Nothing that drives a terminal, such as ids of a stranger's file hold; lines stay lines."""
    lines = block.decode("utf-8", "surrogateescape").split("\n")
    fields = ("\t".join(map(printable, line.split("\t"))) for line in lines)
    return "\n".join(fields).encode("utf-8", "surrogateescape")


def _colour_outcomes_at_line_starts(colour_of_outcome: Mapping[bytes, str], block: bytes) -> bytes:
    """The text with each outcome that a line begins with in its colour."""
    words = re.compile(rb"^(?:%s)\b" % b"|".join(colour_of_outcome), re.MULTILINE)
    return words.sub(
        lambda word: click.style(word[0].decode(), colour_of_outcome[word[0]], bold=True).encode(),
        block,
    )


def _forget_stdout() -> None:
    """What is still buffered goes nowhere, so that the interpreter's end says nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write(
    blocks: Iterable[bytes], path: str | None, colour_of_outcome: Mapping[bytes, str] | None = None
) -> None:
    """Write to a file, whole or not at all; `-` and None are standard output."""
    if path in (None, "-"):
        print_out(blocks, colour_of_outcome)
        return
    with replace_file(path) as stream:
        stream.writelines(blocks)


def write_document(
    document: Document,
    output_format: str,
    path: str | None,
    decimals: int = 4,
    *,
    csv_safe: bool = False,
    details: bool = False,
    colour_of_outcome: Mapping[bytes, str] | None = None,
) -> None:
    """Write the outcome of a command in one of the forms of output; where to, as in `write`.

    A file called `.parquet` gets the first table as Parquet, unless another form is asked for.
    """
    from irev.writers.forms import TEXT, document_bytes, is_parquet_path

    if is_parquet_path(path) and output_format in (TEXT, "table"):
        from irev.writers.scores import table_parquet

        write([table_parquet(document)], path)
        return
    width = terminal_width(path)
    if document.brief is not None and not details:
        width = width or WIDTH  # the short form is the same wherever it goes
    blocks = document_bytes(
        document,
        output_format,
        decimals,
        width,
        csv_safe=csv_safe,
        details=details,
    )
    write(blocks, path, colour_of_outcome)


def refuse_overwriting_and_stdin_twice(
    read: Iterable[str | None], written: Iterable[tuple[str, str | None]]
) -> None:
    """Refuse to read standard input twice, and to write over what is read or written too.

    Args:
        read: paths of inputs; None is none.
        written: (option, path) of outputs.
    """
    inputs = [path for path in read if path is not None]
    if inputs.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    outputs: list[str] = []
    for option, path in written:
        if path is None:
            continue
        if any(is_same_existing_file(path, other) for other in inputs):
            raise UsageError(f"{option} {path} would overwrite an input file")
        if path in outputs:
            raise UsageError(f"{option} {path}: two outputs cannot go to one file")
        outputs.append(path)


def is_same_existing_file(path: str, other_path: str) -> bool:
    """Whether two paths lead to one regular file."""
    try:
        return os.path.isfile(path) and os.path.samefile(path, other_path)
    except OSError:
        return False


def is_coloured(stream: TextIO) -> bool:
    """Whether a stream takes colours: a terminal's does, unless NO_COLOR or FORCE_COLOR decide."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width(path: str | None) -> int | None:
    """The columns of the terminal that an output goes to; None where it goes elsewhere."""
    if path not in (None, "-") or sys.stdout is None or not sys.stdout.isatty():
        return None
    return terminal_columns()


def is_said_beside(path: str | None) -> bool:
    """Whether who reads an output to this path sees on the same terminal what is said on stderr."""
    streams = sys.stdout, sys.stderr
    are_terminals = all(stream is not None and stream.isatty() for stream in streams)
    return path in (None, "-") and are_terminals and not voice().quiet


def terminal_columns(stream: TextIO | None = None) -> int:
    """The width of a terminal, by default of standard output.

    `shutil` tells the same; its import is a tenth of a short call.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    stream = stream or sys.__stdout__
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


MOST_ALIKE = 10
"""Of more notices of one kind the rest is counted."""


class Voice:
    """Tells of warnings and notes on stderr, a line each and once; many of one kind are counted.

    strict  whether warnings are errors
    quiet   whether neither these, where they are not errors, nor notes are told
    failed  whether there was a warning that is an error
    """

    def __init__(self, *, strict: bool = False, quiet: bool = False) -> None:
        self.strict, self.quiet, self.failed = strict, quiet, False
        self._told: dict[tuple[str, str], set[str]] = {}

    def tell(self, notices: Iterable[Notice]) -> None:
        """Tell of some notices."""
        for notice in notices:
            if notice.kind == GENERAL_NOTE:
                self.note(str(notice))
                continue
            word = "note" if notice.is_note else "error" if self.strict else "warning"
            if word == "error":
                self.failed = True
            elif self.quiet:
                continue
            line = f"irev: {word}: {notice}"
            lines = self._told.setdefault((word, notice.kind), set())
            if line not in lines and len(lines) < MOST_ALIKE:
                say(line)
            lines.add(line)

    def tell_or_stop_if_strict(self, notices: Iterable[Notice]) -> None:
        """Tell of some notices where the first warning that is an error stops everything."""
        notices = list(notices)
        warnings = [each for each in notices if not each.is_note]
        if self.strict and warnings:
            lines = list(dict.fromkeys(printable(str(each)) for each in warnings))
            num_more = len(lines) - MOST_ALIKE
            end = [f"... and {num_more} more"] if num_more > 0 else []
            raise StrictError("\n".join([*lines[:MOST_ALIKE], *end]))
        self.tell(notices)

    def note(self, text: str) -> None:
        """Tell of something that is of no kind."""
        if not self.quiet:
            say(f"irev: note: {text}")

    def tell_suppressed_counts(self) -> None:
        """Tell how many notices were alike and not told."""
        for (word, kind), lines_told in self._told.items():
            more = len(lines_told) - MOST_ALIKE
            if more > 0:
                lines = "line" if more == 1 else "lines"
                say(f"irev: {word}: ... and {more} more {lines} like it: {KINDS[kind].meaning}")


def voice() -> Voice:
    """That of the command that runs."""
    context = click.get_current_context(silent=True)
    return context.obj if context is not None and isinstance(context.obj, Voice) else Voice()


_LONG_WORD = r"([^\s/]{57})[^\s/]{243,}?([':,]*)(?![^\s/])"
"""A word of an error that is shown in part, and what ends it: no name of a file is so long."""


def error_text(text: str) -> str:
    """What is wrong, as it is said: of very long words the beginning."""
    shown = pattern(_LONG_WORD).sub(r"\1...\2", text)
    return f"irev: error: {shown}"


def say(line: str) -> None:
    """Write a line to stderr, and no more than one, whatever names are in it."""
    write_line_to_stderr(printable(line))


def write_line_to_stderr(text: str) -> None:
    """Write to stderr; that it is closed is no reason to stop."""
    stream = sys.stderr
    if stream is None:
        return
    if is_coloured(stream):
        text = pattern(_LABEL).sub(
            lambda label: click.style(label[0], _COLOURS[label[1]], bold=True), text
        )
    try:
        # sys.stderr escapes what it cannot encode, such as bytes of a file name
        with hide_progress():
            stream.write(f"{text}\n")
            stream.flush()
    except OSError:
        pass


def say_error(error: IrevError, path: str = "") -> None:
    """Write an error to stderr; problems of lines begin with `FILE:LINE:`."""
    if isinstance(error, InputError):
        for problem, text in problem_texts(error.problems):
            write_line_to_stderr(text if problem.line is not None else error_text(text))
        return
    is_list = isinstance(error, StrictError | MeasureNamesError)
    lines = str(error).split("\n") if is_list else [str(error)]
    for line in lines:
        say(error_text(f"{path}{': ' if path else ''}{line}"))
