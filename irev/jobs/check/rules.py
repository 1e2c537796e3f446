"""What is looked for, how bad each finding is, and what changes under the rules of a task."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from irev.core.option_records import Opt, ResultOptions
from irev.errors import ERROR, KINDS, NOTE, WARNING, UsageError
from irev.options import COLUMNS, LEVEL, REAL_GRADES

MOST_PER_TOPIC = 1000
"""Documents of a topic that nearly every task allows."""

_TREC = {
    "short-lines": ERROR,
    "extra-fields": ERROR,
    "remark": ERROR,
    "many-documents": ERROR,
    "several-tags": ERROR,
    "tag-form": ERROR,
    "tag-not-file-name": ERROR,
    "missing-topic": WARNING,
}
_MSMARCO = {
    "short-lines": ERROR,
    "repeated-rank": ERROR,
    "ranks-from-zero": ERROR,
    "rank-order": ERROR,
    "many-documents": ERROR,
}
_TIRA = {
    "short-lines": ERROR,
    "extra-fields": ERROR,
    "remark": ERROR,
    "few-lines": ERROR,
    "few-topics": ERROR,
    "too-large": ERROR,
}
_WORSE = {NOTE: WARNING, WARNING: ERROR, ERROR: ERROR}

PROFILES: dict[str, dict[str, str]] = {
    "default": {},
    "trec": _TREC,
    "msmarco": _MSMARCO,
    "tira": _TIRA,
    "strict": {code: _WORSE[kind.severity] for code, kind in KINDS.items()},
}
"""Profile -> what is worse or better there: TREC's submissions, MS MARCO's runs of three fields or
six, TIRA's run files; `strict` makes every note a warning and every warning an error."""

_ONLY_WHERE_ASKED = ("tag-not-file-name", "few-lines", "few-topics", "too-large")
"""Rules of single tasks, which elsewhere would say nothing of use."""


def _docno(text: str) -> re.Pattern[bytes]:
    try:
        return re.compile(os.fsencode(text))
    except re.error as error:
        raise UsageError(f"--docno {text}: not a regular expression: {error}") from None


class CheckRules(ResultOptions):
    """What a file is held against."""

    profile: Annotated[str, Opt(
        "--profile", help_order=1, choices=tuple(PROFILES), noun="profile",
        help="Rules to check in addition to the general ones. trec: one tag of 1 to 25 letters, "
        "digits, - and _ that is also the file's name, six fields, at most --max-per-topic "
        "documents. msmarco: also topic, document, rank; ranks from 1 without repeats. tira: "
        "at least 5 lines and 3 topics, at most 75 MB. strict: notes become warnings, "
        "warnings errors.",
    )] = "default"  # fmt: skip
    """One of `PROFILES`."""
    max_per_topic: Annotated[int | None, Opt(
        "--max-per-topic", metavar="N", help_order=3, least=1,
        help="Most documents allowed per topic. Default: more than 1000 are a warning, "
        "and an error with --profile trec or msmarco.",
    )] = None  # fmt: skip
    """Documents that a topic of a run may have; None is 1000, and more are then an error only under
    a profile that says so."""
    docno: Annotated["str | re.Pattern[bytes] | None", Opt(
        "--docno", metavar="REGEX", parse=_docno,
        help="Pattern that every document id must match completely.",
    )] = None  # fmt: skip
    """What every document id must match as a whole."""
    level: Annotated[float, LEVEL] = 1
    """The smallest grade that is relevant, at least 0; a fraction implies `real_grades`."""
    real_grades: Annotated[bool, REAL_GRADES.replace(section="Options")] = False
    """Whether the grades of qrels may hold fractions."""
    columns: Annotated["Mapping[str, str] | Sequence[tuple[str, str]]", COLUMNS.replace(
        section="Options",
    )] = ()  # fmt: skip
    """The names of columns of tables, where they are none of the usual ones: {"topic": "q"}."""
    max_findings: Annotated[int, Opt(
        "--max-findings", metavar="N", least=0,
        help="Most findings of one code shown per file; further ones are counted.",
    )] = 25  # fmt: skip
    """How many findings of one code are kept for a file; the rest is counted."""

    def _check(self) -> None:
        super()._check()
        self.docno_pattern  # noqa: B018 - refuses what is none
        if self.columns:
            from irev.read.columns import columns_by_field

            vars(self)["columns"] = columns_by_field(dict(self.columns))

    @property
    def own_columns(self) -> tuple[tuple[str, str], ...]:
        """The fields and the columns that hold them, as far as the user says so."""
        return tuple(dict(self.columns).items())

    @property
    def docno_pattern(self) -> "re.Pattern[bytes] | None":
        """What every document id must match as a whole."""
        return _docno(self.docno) if isinstance(self.docno, str) else self.docno

    @property
    def reads_fractions(self) -> bool:
        """Whether the grades of qrels may hold fractions; a level that is one needs them."""
        return self.real_grades or isinstance(self.level, float)

    def severity(self, code: str) -> str:
        """How bad a finding of this code is here."""
        if code == "many-documents" and self.max_per_topic is not None:
            return ERROR
        return PROFILES[self.profile].get(code, KINDS[code].severity)

    def asks_for(self, code: str) -> bool:
        """Whether a rule holds here: those of single tasks do only under their profiles."""
        return code not in _ONLY_WHERE_ASKED or code in PROFILES[self.profile]

    @property
    def most_per_topic(self) -> int:
        """Documents that a topic may have."""
        return MOST_PER_TOPIC if self.max_per_topic is None else self.max_per_topic
