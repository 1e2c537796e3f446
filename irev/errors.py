"""What can go wrong, as values until the edge.

IrevError                 exit 2
├─ UsageError             an option, a measure or a combination that makes no sense
├─ InputError             a file or a table that cannot be read as what it was given for
│  └─ NoneScoredError     several runs none of which could be scored
├─ MismatchError          inputs that do not belong together (no topic in common, ...)
│  └─ ContradictionError  preferences of one judgment group that cannot all hold
├─ MeasureError           a user's own measure that failed
├─ StrictError            a warning, where warnings were asked to be errors
└─ MissingExtraError      a feature whose optional package is not installed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from irev.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PROBLEMS = 25
"""How many problems of one file are reported before the reader gives up."""


class Problem(NamedTuple):
    """One thing wrong with an input: where, what, and what to do about it.

    Of a line of a run or of qrels, `kind` is what is wrong in one word, a code of `irev check`, and
    `topic` and `document` are those of the line, where it has them.
    """

    path: str
    line: int | None
    message: str
    hint: str = ""
    kind: str = ""
    topic: bytes | None = None
    document: bytes | None = None

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        said = printable(f"{where}: {self.message}")
        return f"{said}\n  hint: {printable(self.hint)}" if self.hint else said


class IrevError(Exception):
    """Any error that is the caller's to mend; `exit_code` is the command line's."""

    exit_code = 2


class UsageError(IrevError):
    """An option, a measure name or a combination of them that makes no sense."""


class MismatchError(IrevError):
    """Inputs that are each readable but do not belong together."""


class ContradictionError(MismatchError):
    """Preferences of one judgment group that cannot all hold.

    `topic`, `group` and `docs` count from 0, as in `RankedPreferences`; whoever knows the
    names can say `reason` with them.
    """

    def __init__(self, reason: str, topic: int, group: int, docs: tuple[int, ...]) -> None:
        """Keep what contradicts what, and where."""
        self.reason, self.topic, self.group, self.docs = reason, topic, group, docs
        which = " and ".join(map(str, docs))
        super().__init__(f"{reason} (topic {topic}, judgment group {group}, document {which})")


class MeasureError(IrevError):
    """A user's own measure that failed; `topic` counts from 0 until whoever knows names it."""

    def __init__(self, measure: str, reason: str, topic: int | bytes | None = None) -> None:
        """Keep which measure failed, on which topic, and what happened."""
        self.measure, self.reason, self.topic = measure, reason, topic
        where = f" on topic {shown(topic)}" if isinstance(topic, bytes) else ""
        super().__init__(f"the measure {measure} failed{where}: {reason}")


class StrictError(IrevError):
    """A warning, where the caller asked for warnings to be errors."""


class InputError(IrevError):
    """A file or table that cannot be read; `problems` says all that was found."""

    def __init__(self, problems: list[Problem]) -> None:
        """Keep the problems, in the order of their lines."""
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))

    @property
    def path(self) -> str:
        """The file of the first problem."""
        return self.problems[0].path

    @property
    def line(self) -> int | None:
        """The line of the first problem, from 1, where it has one."""
        return self.problems[0].line


class NoneScoredError(InputError):
    """Runs none of which could be scored; `broken` has each with what is wrong with it."""

    def __init__(self, broken: Sequence[tuple[str, IrevError]]) -> None:
        """Keep the runs by their paths."""
        self.broken = tuple(broken)
        problems = [
            problem
            for path, error in broken
            for problem in (
                error.problems[: None if len(broken) == 1 else 1]
                if isinstance(error, InputError)
                else [Problem(path, None, reason_of(path, error))]
            )
        ]
        super().__init__(problems)


def reason_of(path: str, error: IrevError) -> str:
    """What an error says of a file, without the file's name before it."""
    return str(error).removeprefix(f"{path}: ")


class MissingExtraError(IrevError):
    """A feature whose optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the missing package and the extra of irev that brings it."""
        super().__init__(f"this needs {package}: pip install 'irev[{extra}]'")


def shown(text: bytes, limit: int = 60) -> str:
    """Bytes of an input as they can be shown in a message: cut, nothing unprintable."""
    cut = text if len(text) <= limit else text[: limit - 3] + b"..."
    decoded = cut.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in decoded)
