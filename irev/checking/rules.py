"""What is looked for, how bad each finding is, and what changes under the rules of a task."""

import os
import re
from typing import Annotated

from irev.core.records import Choices, Opt
from irev.errors import UsageError

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
"""From the worst on."""

CODES = {
    # any file
    "damaged-file": (ERROR, "the file cannot be read to its end"),
    "binary-file": (ERROR, "the file holds zero bytes: it is no text"),
    "empty-file": (ERROR, "there is no line of data"),
    "unknown-kind": (ERROR, "the file looks like no kind that is known"),
    "other-kind": (ERROR, "the file looks like another kind than it is taken for"),
    "not-checked": (NOTE, "the file is of a kind that is read, but not checked line by line"),
    "field-count": (ERROR, "a line has too few fields"),
    "extra-fields": (WARNING, "a line has too many fields"),
    "unreadable-line": (ERROR, "a line of another kind of file cannot be read"),
    "not-utf8": (NOTE, "lines that are not UTF-8"),
    "byte-order-mark": (NOTE, "a byte-order mark at the start"),
    "invisible-character": (WARNING, "control characters, no-break or zero-width spaces"),
    "crlf": (NOTE, "line ends of Windows"),
    "tabs": (NOTE, "fields separated by tabs"),
    "mixed-separators": (NOTE, "tabs and blanks between fields"),
    "blank-line": (NOTE, "blank lines"),
    "comment": (NOTE, "lines that begin with #"),
    "no-final-newline": (NOTE, "no newline at the end"),
    "duplicate-document": (ERROR, "a document stands twice in a topic"),
    "docno-form": (ERROR, "a document id that --docno does not allow"),
    "scattered-topic": (WARNING, "a topic's lines do not stand together"),
    "similar-topics": (WARNING, "topic ids that differ by leading zeros or case alone"),
    # runs
    "q0-field": (WARNING, "the second field is not Q0"),
    "bad-rank": (ERROR, "the rank is no whole number from 0 on"),
    "bad-score": (ERROR, "the score is not a number"),
    "infinite-score": (ERROR, "the score is infinite"),
    "rank-order": (WARNING, "ranks and scores order the documents differently"),
    "repeated-rank": (WARNING, "a rank stands twice in a topic"),
    "ranks-from-zero": (NOTE, "ranks begin at 0"),
    "rank-gap": (NOTE, "ranks are left out"),
    "constant-scores": (WARNING, "all scores of a topic are equal"),
    "tie-at-cutoff": (NOTE, "equal scores on both sides of a cutoff"),
    "many-documents": (WARNING, "more documents in a topic than are allowed"),
    "few-documents": (WARNING, "far fewer documents in a topic than in others"),
    "few-lines": (NOTE, "a run of fewer than 5 lines"),
    "few-topics": (NOTE, "a run of fewer than 3 topics"),
    "too-large": (NOTE, "a file of more than 75 MB"),
    "several-tags": (WARNING, "more than one run tag"),
    "tag-form": (NOTE, "a run tag that is not 1 to 25 letters, digits, - and _"),
    "tag-not-file-name": (NOTE, "the run tag is not the file's name"),
    "unknown-topic": (ERROR, "a topic that the list of topics lacks"),
    "missing-topic": (ERROR, "a topic of the list that the run lacks"),
    "unjudged-topic": (NOTE, "a topic of the run that nobody judged"),
    "unretrieved-topic": (WARNING, "a judged topic that the run lacks"),
    "no-common-topic": (ERROR, "run and judgments have no topic in common"),
    "nothing-judged": (ERROR, "no document of the run is judged"),
    "hardly-judged": (WARNING, "of the documents up to rank 10 less than a tenth is judged"),
    # qrels
    "bad-grade": (ERROR, "the grade is not a whole number"),
    "negative-grade": (NOTE, "grades below 0: in the pool, but not judged"),
    "contradicting-grades": (ERROR, "a document has two grades in a topic"),
    "similar-documents": (WARNING, "document ids of a topic that differ by case alone"),
    "no-relevant": (WARNING, "a topic without a relevant document"),
    "no-nonrelevant": (NOTE, "no document was judged not relevant"),
    "one-grade": (NOTE, "all grades are equal"),
    "iteration-field": (NOTE, "the second field is not 0 or Q0"),
}
"""Code -> (how bad it is unless a profile says otherwise, what it means)."""

MOST_PER_TOPIC = 1000
"""Documents of a topic that nearly every task allows."""

_TREC = {
    "extra-fields": ERROR,
    "many-documents": ERROR,
    "several-tags": ERROR,
    "tag-form": ERROR,
    "tag-not-file-name": ERROR,
    "missing-topic": WARNING,
}
_MSMARCO = {
    "repeated-rank": ERROR,
    "ranks-from-zero": ERROR,
    "rank-order": ERROR,
    "many-documents": ERROR,
}
_TIRA = {"extra-fields": ERROR, "few-lines": ERROR, "few-topics": ERROR, "too-large": ERROR}
_WORSE = {NOTE: WARNING, WARNING: ERROR, ERROR: ERROR}

PROFILES: dict[str, dict[str, str]] = {
    "default": {},
    "trec": _TREC,
    "msmarco": _MSMARCO,
    "tira": _TIRA,
    "strict": {code: _WORSE[severity] for code, (severity, _) in CODES.items()},
}
"""Profile -> what is worse or better there: TREC's submissions, MS MARCO's runs of three fields or
six, TIRA's run files; `strict` makes every note a warning and every warning an error."""

_ONLY_WHERE_ASKED = ("tag-not-file-name", "few-lines", "few-topics", "too-large")
"""Rules of single tasks, which elsewhere would say nothing of use."""


def _docno(text: str) -> re.Pattern[bytes]:
    try:
        return re.compile(os.fsencode(text))
    except re.error as error:
        raise UsageError(f"--docno {text}: no regular expression: {error}") from None


class CheckRules(Choices):
    """What a file is held against."""

    profile: Annotated[str, Opt(
        "--profile", place=1, choices=tuple(PROFILES), noun="profile",
        help="Whose rules hold beside the general ones: trec (one tag of 1 to 25 letters, digits, "
        "- and _ that is the file's name; six fields; no more than --max-per-topic), msmarco (also "
        "topic, document, rank; ranks from 1, each once), tira (at least 5 lines and 3 topics, at "
        "most 75 MB), strict (notes are warnings, warnings errors).",
    )] = "default"  # fmt: skip
    """One of `PROFILES`."""
    max_per_topic: Annotated[int | None, Opt(
        "--max-per-topic", metavar="N", place=3, least=1,
        help="How many documents a topic of a run may have: more are an error. Default: more than "
        "1000 are a warning, and an error with --profile trec or msmarco.",
    )] = None  # fmt: skip
    """Documents that a topic of a run may have; None is 1000, and more are then an error only under
    a profile that says so."""
    docno: Annotated["re.Pattern[bytes] | None", Opt(
        "--docno", metavar="REGEX", read=_docno,
        help="What every document id must match as a whole.",
    )] = None  # fmt: skip
    """What every document id must match as a whole."""
    max_findings: Annotated[int, Opt(
        "--max-findings", metavar="N", least=0,
        help="How many findings of one code are shown for a file; the rest is counted.",
    )] = 25  # fmt: skip
    """How many findings of one code are kept for a file; the rest is counted."""

    def severity(self, code: str) -> str:
        """How bad a finding of this code is here."""
        if code == "many-documents" and self.max_per_topic is not None:
            return ERROR
        return PROFILES[self.profile].get(code, CODES[code][0])

    def asks_for(self, code: str) -> bool:
        """Whether a rule holds here: those of single tasks do only under their profiles."""
        return code not in _ONLY_WHERE_ASKED or code in PROFILES[self.profile]

    @property
    def most_per_topic(self) -> int:
        """Documents that a topic may have."""
        return MOST_PER_TOPIC if self.max_per_topic is None else self.max_per_topic
