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

import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from irev.core.text import as_bytes, escape_non_utf8, printable
from irev.core.text import id_text as id_text

MOST_PROBLEMS = 25
"""How many problems of one file are reported before the reader gives up."""

STOPPED = f"there may be more problems: reading stopped at {MOST_PROBLEMS}"
"""The hint of the last of so many."""

_MOST_ALIKE = 5
"""So many problems of a kind in a file are said one by one; of more the first stands for all."""


ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""From the worst on."""


class Kind(NamedTuple):
    """What problems of a kind have in common: how bad they are, and what they mean."""

    severity: str
    meaning: str


KINDS = {
    # any file
    "damaged-file": Kind(ERROR, "the file cannot be read to its end"),
    "binary-file": Kind(ERROR, "the file holds zero bytes: it is not text"),
    "empty-file": Kind(ERROR, "there are no lines of data"),
    "no-documents": Kind(ERROR, "a table or a mapping without a document"),
    "unknown-kind": Kind(ERROR, "the kind of file is not recognised"),
    "other-kind": Kind(ERROR, "the file looks like another kind of file"),
    "not-checked": Kind(NOTE, "irev reads this kind of file, but does not check it line by line"),
    "field-count": Kind(
        ERROR, "a line has too few fields, is two lines in one, or has a blank in an id"
    ),
    "extra-fields": Kind(WARNING, "a line has too many fields"),
    "remark": Kind(NOTE, "a line ends with a remark after #"),
    "unreadable-line": Kind(ERROR, "a line that cannot be read"),
    "not-utf8": Kind(NOTE, "lines that are not UTF-8"),
    "byte-order-mark": Kind(NOTE, "a byte-order mark at the start"),
    "invisible-character": Kind(WARNING, "control characters, no-break or zero-width spaces"),
    "carriage-return": Kind(ERROR, "a carriage return within a line, where a line may have ended"),
    "crlf": Kind(NOTE, "Windows line endings"),
    "tabs": Kind(NOTE, "fields separated by tabs"),
    "mixed-separators": Kind(NOTE, "tabs and blanks between fields"),
    "blank-line": Kind(NOTE, "blank lines"),
    "comment": Kind(NOTE, "lines that begin with #"),
    "no-final-newline": Kind(NOTE, "no newline at the end"),
    "duplicate-document": Kind(ERROR, "duplicate document in a topic"),
    "docno-form": Kind(ERROR, "a document id that --docno does not allow"),
    "scattered-topic": Kind(NOTE, "lines of a topic are not contiguous"),
    "similar-topics": Kind(WARNING, "topic ids that differ only by leading zeros or case"),
    # runs
    "short-lines": Kind(WARNING, "a run without tag, or of topic, document and score alone"),
    "q0-field": Kind(WARNING, "the second field is not Q0"),
    "bad-rank": Kind(ERROR, "the rank is not a whole number from 0 on"),
    "bad-score": Kind(ERROR, "the score is not a number"),
    "infinite-score": Kind(ERROR, "the score is infinite"),
    "rank-order": Kind(WARNING, "ranks and scores order the documents differently"),
    "wrong-ranks": Kind(WARNING, "ranks that do not start at 1, or stand twice in a topic"),
    "repeated-rank": Kind(WARNING, "duplicate rank in a topic"),
    "ranks-from-zero": Kind(NOTE, "ranks begin at 0"),
    "rank-gap": Kind(NOTE, "ranks are missing"),
    "constant-scores": Kind(
        WARNING, "all scores of a topic are equal, or those of its first documents"
    ),
    "few-scores": Kind(WARNING, "the scores of a topic have few different values"),
    "tie-at-cutoff": Kind(NOTE, "equal scores on both sides of a cutoff"),
    "many-documents": Kind(WARNING, "more documents in a topic than are allowed"),
    "few-documents": Kind(WARNING, "far fewer documents in a topic than in others"),
    "few-lines": Kind(NOTE, "a run of fewer than 5 lines"),
    "few-topics": Kind(NOTE, "a run of fewer than 3 topics"),
    "too-large": Kind(NOTE, "a file of more than 75 MB"),
    "several-tags": Kind(WARNING, "more than one run tag"),
    "tag-form": Kind(NOTE, "a run tag that is not 1 to 25 letters, digits, - and _"),
    "tag-not-file-name": Kind(NOTE, "the run tag is not the file's name"),
    "unknown-topic": Kind(ERROR, "a topic that is not in the list of topics"),
    "missing-topic": Kind(ERROR, "a topic of the list that is missing from the run"),
    "late-qrels": Kind(NOTE, "a run that was not checked against qrels given after it"),
    "unjudged-topic": Kind(NOTE, "a topic of the run without judgments"),
    "unretrieved-topic": Kind(WARNING, "a judged topic that is missing from the run"),
    "no-common-topic": Kind(ERROR, "run and judgments have no topic in common"),
    "nothing-judged": Kind(ERROR, "no document of the run is judged"),
    "nothing-met": Kind(
        WARNING, "no document of the run is judged, and few documents are judged at all"
    ),
    "other-ids": Kind(WARNING, "document ids look different in the run and the judgments"),
    "other-topics": Kind(WARNING, "the documents are judged for other topics than the run's"),
    "unjudged-top": Kind(WARNING, "the first documents are not judged, those below are"),
    "hardly-judged": Kind(WARNING, "less than a tenth of the documents up to rank 10 is judged"),
    # qrels
    "bad-grade": Kind(ERROR, "the grade is not a whole number"),
    "negative-grade": Kind(NOTE, "grades below 0: in the pool, but not judged"),
    "contradicting-grades": Kind(ERROR, "a document has two grades in a topic"),
    "repeated-judgments": Kind(
        NOTE, "judgments that repeat another with the same grade count once"
    ),
    "similar-documents": Kind(WARNING, "document ids of a topic that differ only by case"),
    "no-relevant": Kind(WARNING, "a topic without a relevant document"),
    "no-nonrelevant": Kind(NOTE, "no document was judged non-relevant"),
    "low-level": Kind(NOTE, "of grades 1 to 3 the lowest counts as relevant"),
    "one-grade": Kind(NOTE, "all grades are equal"),
    "iteration-field": Kind(NOTE, "the second field is not 0 or Q0"),
    # scores
    "other-topic-ids": Kind(WARNING, "topic ids look different in the run and the judgments"),
    "exchanged-inputs": Kind(WARNING, "run and judgments seem to be exchanged, or are the same"),
    "identical-runs": Kind(WARNING, "two runs are the same"),
    "shallow-run": Kind(WARNING, "no topic of the run has as many documents as a cutoff"),
    "left-out-lines": Kind(WARNING, "lines that repeat a document were left out"),
    "left-out-judgments": Kind(
        WARNING, "of judgments that contradict each other some were left out"
    ),
    "summary-topic": Kind(NOTE, "a topic of saved scores that is a summary of the others"),
    "other-mean": Kind(WARNING, "saved scores whose summary is not the mean of their topics"),
    "unused-option": Kind(WARNING, "an option that has no effect on saved scores"),
    "failed-assignments": Kind(WARNING, "nuggets of answers for which a model gave no label"),
    "failed-importance": Kind(WARNING, "nuggets of which no importance is known"),
    "unknown-label": Kind(WARNING, "labels of nuggets that a model made up"),
    "repeated-nugget": Kind(WARNING, "a nugget stands several times in a topic"),
    "unjudged-citations": Kind(NOTE, "citations of answers that nobody judged, or none at all"),
    "unlabelled-answer": Kind(WARNING, "an answer that nobody judged"),
    "passages": Kind(NOTE, "of each document its best passage is ranked"),
    "no-passages": Kind(WARNING, "no id looks like that of a passage of a document"),
    "excluded-documents": Kind(NOTE, "documents were left out before ranks were counted"),
    "emptied-topic": Kind(WARNING, "a topic of which all documents were left out"),
    "own-document": Kind(NOTE, "a topic retrieves a document with its own id"),
    "own-document-of-beir": Kind(
        WARNING, "documents with the topic's id are ranked; BEIR leaves them out"
    ),
    "low-grade": Kind(WARNING, "grades below -1 count as unjudged"),
    "below-level": Kind(WARNING, "no grade reaches the level from which documents are relevant"),
    "gains-below-level": Kind(NOTE, "grades below the level have a gain in some measures only"),
    "iteration-as-subtopic": Kind(WARNING, "the only subtopic is the second field of plain qrels"),
    "other-grades": Kind(WARNING, "two sets of judgments have different highest grades"),
    "topic-called-all": Kind(NOTE, "a topic has the name of the summary"),
    "repeated-measure": Kind(WARNING, "duplicate measure, computed once"),
    "left-out-measure": Kind(
        WARNING, "a measure without values by topic, or not of all runs, is not compared"
    ),
    "doubtful-measure": Kind(NOTE, "a caution about a measure from the literature"),
    "little-drawn": Kind(NOTE, "too few documents of a topic were drawn for its standard error"),
    "skipped-topic": Kind(NOTE, "topics that your options leave out"),
    "topic-as-zero": Kind(NOTE, "a judged topic that is missing from the run and counts as 0"),
    "nothing-to-find": Kind(NOTE, "topics whose right answer is that there is nothing"),
    "divisor": Kind(NOTE, "how many topics are averaged over"),
    "odd-classes": Kind(NOTE, "classes and topics that do not match"),
    "ties": Kind(NOTE, "equal scores"),
    "incomplete-judgments": Kind(WARNING, "documents of the pool have no grade"),
    "unfinished-pool": Kind(WARNING, "a pool could not be made or judged as planned"),
    "chosen-topics": Kind(WARNING, "topics judged by people are not a random sample"),
    "favoured-run": Kind(WARNING, "a run that a model's judgments favour or disfavour"),
    "few-drawn": Kind(WARNING, "few documents of a sample were judged"),
    "useless-model": Kind(WARNING, "a model's judgments that make no interval narrower"),
    "biased-estimate": Kind(WARNING, "an estimate of a ratio, which is biased"),
    "mostly-equal": Kind(
        WARNING, "most scores are the same, so that intervals may cover less than their level"
    ),
    "nothing-kept": Kind(WARNING, "topics without any judgment left"),
    # files of other kinds, and what is read whole
    "no-file": Kind(ERROR, "the file cannot be opened"),
    "link": Kind(ERROR, "a link, which is not followed"),
    "special-file": Kind(ERROR, "a pipe, a socket or a device, not a file"),
    "documentation": Kind(ERROR, "documentation of the other files, not a run"),
    "unreadable-folder": Kind(ERROR, "the folder cannot be searched"),
    "old-format": Kind(ERROR, "a format that is not read, since its files cannot be checked"),
    "no-checksum": Kind(NOTE, "a compressed file without a checksum: damage may go unseen"),
    "compressed-twice": Kind(ERROR, "the file is compressed twice"),
    "no-copy": Kind(ERROR, "there is no room for a temporary copy of the input"),
    "no-memory": Kind(ERROR, "there is not enough memory for the file"),
    "saved-scores": Kind(ERROR, "these are saved scores, not a run; --accept-scores accepts them"),
    "max-size": Kind(ERROR, "the file is larger than --max-size allows"),
    "max-memory": Kind(ERROR, "the file needs more memory than --max-memory allows"),
    "max-seconds": Kind(ERROR, "the file takes longer than --max-seconds allows"),
    "reader-crashed": Kind(ERROR, "the process that read the file crashed"),
    "reader-failed": Kind(ERROR, "reading the file met a bug in irev"),
    "missing-package": Kind(ERROR, "a package that reads such files is not installed"),
    "not-scored": Kind(ERROR, "the run could not be scored"),
    "bad-table": Kind(ERROR, "a column of the table has invalid values"),
    "several-runs": Kind(ERROR, "a table of several runs, where one is expected"),
    "too-many-runs": Kind(ERROR, "the submission holds more runs than it may"),
    "changed-file": Kind(ERROR, "the file changed while it was read"),
    "no-column": Kind(ERROR, "a column of the table is missing, or two have its name"),
    "bad-level": Kind(ERROR, "unknown level"),
    "bad-id": Kind(ERROR, "an id is missing, or begins or ends with a blank"),
    "bad-saved-scores": Kind(ERROR, "the saved scores cannot be used"),
    "bad-sample": Kind(ERROR, "the file does not say how its judgments were drawn"),
    "bad-intents": Kind(ERROR, "probabilities of intents do not add up to 1"),
    "bad-weights": Kind(ERROR, "all weights of topics are 0"),
    "bad-settings": Kind(ERROR, "settings or a design that cannot be used"),
    "result-note": Kind(NOTE, "a note on the result"),
}
"""Code -> kind; `irev check` says how bad it is under the rules of a task."""


NO_COLUMN = "no-column"
"""The kind of a table that does not have the columns of what it was read as."""

NO_DOCUMENTS = "no-documents"
"""The kind of a table or a mapping that is empty, which a run may be on purpose."""

GENERAL_NOTE = "result-note"
"""The kind of notes that stand with a result, and are of no other kind."""


class Problem(NamedTuple):
    """One thing wrong with an input: where, what, and what to do about it.

    `kind` is one of `KINDS`; `topic` and `document` are those of the line, where it has them.
    """

    path: str
    line: int | None
    kind: str
    message: str
    hint: str = ""
    topic: bytes | None = None
    document: bytes | None = None

    def __str__(self) -> str:
        location = self.path if self.line is None else f"{self.path}:{self.line}"
        text = printable(f"{location}: {self.message}" if location else self.message)
        return f"{text}\n  hint: {printable(self.hint)}" if self.hint else text


class Notice(NamedTuple):
    """What a reader of scores must know: a warning that they may be misleading, or a note.

    `kind` is one of `KINDS`; `run` is whose scores are meant, empty where it goes without saying.
    """

    kind: str
    message: str
    hint: str = ""
    run: str = ""

    def about(self, run: str) -> "Notice":
        """Of a run that is called so, unless it says itself which runs are meant."""
        return self if self.run or self.kind == "identical-runs" else self._replace(run=run)

    @property
    def is_note(self) -> bool:
        """Whether nothing is wrong; an error of `irev check` is a warning here."""
        return KINDS[self.kind].severity == NOTE

    def __str__(self) -> str:
        text = f"{self.run}: {self.message}" if self.run else self.message
        return escape_non_utf8(f"{text}; {self.hint}" if self.hint else text)


def note(text: str) -> Notice:
    """A note of no kind of its own, which stands with a result."""
    return Notice(GENERAL_NOTE, text)


class IrevWarning(UserWarning):
    """A warning in Python; `notice` has its kind."""

    def __init__(self, notice: Notice) -> None:
        """Keep what is said."""
        self.notice = notice
        super().__init__(str(notice))


def warn(notices: Iterable[Notice]) -> None:
    """Give Python's warnings of all that are no notes, as of the line outside irev that called."""
    for notice in notices:
        if notice.is_note:
            continue
        level, frame = 2, sys._getframe(0).f_back
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "irev":
            level, frame = level + 1, frame.f_back
        warnings.warn(IrevWarning(notice), stacklevel=level)


class IrevError(Exception):
    """Any error that the caller can fix; `exit_code` is the command line's.

    `kind` is one of `KINDS`: what the error says where a text must quote nothing of an input.
    """

    exit_code = 2
    kind = "not-scored"

    def __str__(self) -> str:
        r"""What went wrong; bytes of names that are not UTF-8 are shown as `\xNN`."""
        return escape_non_utf8(super().__str__())


class UsageError(IrevError):
    """An option, a measure name or a combination of them that makes no sense."""


class MeasureNamesError(UsageError):
    """Names of measures that make no sense, with a line for each."""

    def __init__(self, messages: Iterable[str]) -> None:
        """Keep them in their order; what they quote ends no line."""
        super().__init__("\n".join(map(printable, messages)))


class OptionValueError(UsageError):
    """A measure has the option, but not with this value: no other reading of its name is sought."""


class MismatchError(IrevError):
    """Inputs that are each readable but do not belong together."""

    def __init__(self, text: str, kind: str = "not-scored") -> None:
        """Keep what kind of mismatch it is."""
        self.kind = kind
        super().__init__(text)


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
    """A user's own measure that failed; `topic` is its number from 0 until its id is known."""

    def __init__(self, measure: str, reason: str, topic: int | bytes | None = None) -> None:
        """Keep which measure failed, on which topic, and what happened."""
        self.measure, self.reason, self.topic = measure, reason, topic
        location = f" on topic {id_text(topic)}" if isinstance(topic, bytes) else ""
        super().__init__(f"the measure {measure} failed{location}: {reason}")


class StrictError(IrevError):
    """A warning, where the caller asked for warnings to be errors."""


class InputError(IrevError):
    """A file or table that cannot be read; `problems` says all that was found."""

    def __init__(self, problems: list[Problem]) -> None:
        """Keep the problems, in the order of their lines."""
        self.problems = problems
        super().__init__("\n".join(text for _, text in problem_texts(problems)))

    @property
    def path(self) -> str:
        """The file of the first problem."""
        return self.problems[0].path

    @property
    def line(self) -> int | None:
        """The line of the first problem, from 1, where it has one."""
        return self.problems[0].line


def problem_texts(problems: Sequence[Problem]) -> Iterator[tuple[Problem, str]]:
    """What is said of problems: many alike in a file are said once and counted."""
    counts = Counter((each.path, each.kind) for each in problems if each.line is not None)
    hints: dict[tuple[str, str], str] = {}
    for each in problems:
        hint = each.hint.removesuffix(STOPPED).removesuffix("; ")
        hints[each.path, each.kind] = hints.get((each.path, each.kind)) or hint
    done = set()
    for each in problems:
        key = each.path, each.kind
        if each.line is None or counts[key] <= _MOST_ALIKE:
            yield each, str(each)
        elif key not in done:
            done.add(key)
            least = "at least " if len(problems) >= MOST_PROBLEMS else ""
            text = str(each._replace(hint=hints[key]))
            yield each, f"{text}\n  and {least}{counts[key] - 1} more lines like it"


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
                else [Problem(path, None, "not-scored", reason_of(path, error))]
            )
        ]
        super().__init__(problems)


def reason_of(path: str, error: IrevError) -> str:
    """What an error says of a file, without the file's name before it."""
    return str(error).removeprefix(f"{path}: ")


class MissingExtraError(IrevError):
    """A feature whose optional package is not installed."""

    kind = "missing-package"

    def __init__(self, package: str, extra: str = "", place: str = "") -> None:
        """Name the missing package and the extra of irev that brings it, if one does.

        `package` may be several, with a blank between them; `place` is what needs them, such as a
        path.
        """
        more = f" (or irev's extra: 'irev[{extra}]')" if extra else ""
        begin = f"{id_text(as_bytes(place))}: " if place else ""
        names = package.replace(" ", " and ")
        super().__init__(f"{begin}this needs {names}: pip install {package}{more}")


def quote(text: str) -> str:
    """What somebody typed, in quotes, as it can be shown in a message."""
    return f"'{id_text(as_bytes(text))}'"


def shown_value(value: object) -> str:
    """A value of Python as it can be shown in a message: of a long one the beginning."""
    try:
        text = repr(value)
    except ValueError:  # Python writes out whole numbers up to some thousand digits
        return "a number of thousands of digits"
    return id_text(as_bytes(text))
