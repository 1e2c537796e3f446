"""A run: its lines, its topics, and what it is held against."""

from __future__ import annotations

import os
import re
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.core.text import parse_whole
from irev.core.wording import count_text
from irev.engine.judged_share import SHALLOW
from irev.engine.other_ids import match_topics
from irev.engine.score_warnings import differing_topic_texts, hardly_judged_warning
from irev.errors import id_text
from irev.jobs.check.judged import Coverage, JudgedDocuments
from irev.jobs.check.ranking import Ranks, Ties, best
from irev.jobs.check.report import Findings, Repeated, text
from irev.jobs.check.topics import (
    Together,
    check_duplicates,
    check_form,
    check_missing,
    check_similar,
    first_of,
    in_order,
    note_first,
    tell_row,
    tell_topics,
    topics_of,
)
from irev.read.values import grades

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from irev.core.arrays import Floats
    from irev.core.ids import Ids
    from irev.core.model import Rows
    from irev.jobs.check.topics import Topic
    from irev.read.layout import Layout

_LOOKED_AT = ("document", "Q0", "rank", "tag")
"""The fields of a run's line that are looked at, though measures need the document alone."""

_TAG = re.compile(rb"[A-Za-z0-9_-]{1,25}")
_MOST_TAGS = 1000
_FEW = 10
"""A topic with fewer than a tenth of the usual documents has few."""
_LEAST_LINES, _LEAST_TOPICS = 5, 3
_LARGEST = 75_000_000
_AS_ZERO = "missing topics count as 0 in irev compare, and in irev eval -c"
_ANOTHER_YEAR = "are these the topics of another year?"


class RunCheck:
    """Takes a run's topics, then tells what is wrong."""

    kind = "run"

    def __init__(
        self,
        findings: Findings,
        judgments: JudgedDocuments | None,
        topics: Collection[bytes] | None,
        layout: Layout,
    ) -> None:
        self.findings = findings
        self.judgments: JudgedDocuments | None = None
        self.rows = 0
        self._has_scores = layout.number == "score"
        self._is_short = self._has_scores and "tag" not in layout.fields
        # the fields that are no ids of the run are looked at, too
        looked_at = tuple(name for name in _LOOKED_AT if name in layout.fields)
        self.layout = layout._replace(ids=looked_at) if self._has_scores else layout
        self._wanted = None if topics is None else set(topics)
        self._together = Together()
        self._sizes: dict[bytes, tuple[int, int]] = {}
        self._tags: dict[bytes, int] = {}
        self._not_q0 = Repeated()
        self._ranks = Ranks(findings)
        self._ties = Ties(findings)
        self._coverage = None if judgments is None else Coverage(judgments)

    @property
    def num_topics(self) -> int:
        """How many topics there were."""
        return len(self._sizes)

    def add(self, rows: Rows) -> None:
        """Check some whole topics."""
        self.rows += len(rows.value)
        if self._has_scores:
            rank = self._check_others(rows)
            for row in np.flatnonzero(np.isinf(rows.value)).tolist():
                what = f"score '{rows.value[row]:g}' is not finite"
                hint = "nothing tells several of them apart"
                tell_row("infinite-score", what, rows, row, self.findings, hint)
        else:
            # the lower, the better
            rank = 0.0 - rows.value
            for row in np.flatnonzero(rank < 0).tolist():
                what = f"rank '{rank[row]:g}' is not a whole number from 0 on"
                tell_row("bad-rank", what, rows, row, self.findings)
        check_form(rows, self.findings)
        for topic in topics_of(rows, (rank, rows.value)):
            self._check_topic(topic)

    def _check_others(self, rows: Rows) -> Floats:
        """Check the fields that measures do not need; float64[N], the ranks, NaN where none is."""
        others = dict(zip(self.layout.ids[1:], rows.groups, strict=True))
        if "Q0" in others:
            self._check_second(others["Q0"], rows)
        if "tag" in others:
            note_first(others["tag"], rows, self._tags, _MOST_TAGS)
        if "rank" in others:
            return self._numbers_of_ranks(others["rank"], rows)
        return np.full(len(rows.value), np.nan)

    def _check_second(self, second: Ids, rows: Rows) -> None:
        code, distinct = second.codes()
        is_other = np.array([field != b"Q0" for field in distinct])[code]
        if is_other.any():
            first = int(np.flatnonzero(is_other)[0])
            self._not_q0.see(rows.line_of(first), times=int(is_other.sum()))

    def _numbers_of_ranks(self, ranks: Ids, rows: Rows) -> Floats:
        values = grades(ranks, _rank)
        for row in np.flatnonzero(np.isnan(values)).tolist():
            what = f"rank '{id_text(ranks[row])}' is not a whole number from 0 on"
            tell_row("bad-rank", what, rows, row, self.findings)
        return values

    def _check_topic(self, topic: Topic) -> None:
        count, name = len(topic.docs), topic.name
        self._sizes[name] = (count, topic.lines[0])
        self._together.see(topic)
        check_duplicates(name, topic.docs, topic.lines, self.findings)
        self._ranks.see(topic)
        if self._has_scores:
            self._ties.see(topic)
        most = self.findings.rules.most_per_topic
        if count > most:
            what = f"topic '{id_text(name)}' has {count:,} documents, more than {most:,}"
            self.findings.add("many-documents", what, line=topic.lines[most], topic=name)
        if self._coverage is not None and name in self._coverage.judgments:
            self._coverage.see(name, topic.docs, best(topic, SHALLOW))

    # what is said at the end

    def end(self, source: str) -> dict[str, Any]:
        """Tell what shows only in the whole; what is known of the run as numbers."""
        self._tags = in_order(self._tags)
        self._ranks.tell()
        self._ties.tell(self.num_topics)
        self._together.tell(self.findings)
        known: Container[bytes] = self._wanted or ()
        if self._coverage is not None:
            known = self._coverage.judgments
        check_similar(self._sizes, self.findings, known)
        self._tell_fields(source)
        self._tell_sizes(source)
        facts: dict[str, Any] = {
            "tags": [tag.decode("utf-8", "backslashreplace") for tag in self._tags],
            "documents_per_topic": _extent([count for count, _ in self._sizes.values()]),
            "tie_groups": self._ties.groups,
            "tied_documents": self._ties.documents,
            "topics_with_ties": self._ties.topics,
            "topics_with_ties_at": {str(c): len(names) for c, names in self._ties.at.items()},
        }
        if self._wanted is not None:
            facts |= self._tell_topics(self._wanted)
        if self._coverage is not None and self._sizes:
            facts |= self._tell_coverage(self._coverage)
        return facts

    def _tell_fields(self, source: str) -> None:
        findings = self.findings
        if self._not_q0.count:
            what = f"the second field is not Q0 in {count_text(self._not_q0.count, 'line')}"
            findings.add("q0-field", f"{what}; this is the first", line=self._not_q0.line)
        if self._is_short:
            fields = self.layout.fields
            what = f"lines of {len(fields)} fields ({' '.join(fields)}), without a run tag"
            findings.add("short-lines", what, hint="irev reads them; most other programs do not")
            return
        if not self._has_scores:
            return
        if len(self._tags) > 1:
            second = list(self._tags.values())[1]
            what = first_of(self._tags, "run tag")
            findings.add("several-tags", what, line=second, hint="a file holds one run")
        for tag, line in self._tags.items():
            if not _TAG.fullmatch(tag):
                what = f"run tag '{id_text(tag)}' is not 1 to 25 letters, digits, - and _"
                findings.add("tag-form", what, line=line)
        name = os.fsencode(os.path.basename(source))
        stems = {name, *(name[:at] for at in range(len(name)) if name[at : at + 1] == b".")}
        is_named = self._tags and source != "-" and findings.rules.asks_for("tag-not-file-name")
        if is_named and stems.isdisjoint(self._tags):
            tag, line = next(iter(self._tags.items()))
            what = f"run tag '{id_text(tag)}' is not the name of the file, '{id_text(name)}'"
            findings.add("tag-not-file-name", what, line=line)

    def _tell_sizes(self, source: str) -> None:
        findings = self.findings
        usual = median([count for count, _ in self._sizes.values()] or [0])
        for topic, (count, line) in self._sizes.items():
            if count * _FEW < usual:
                what = f"topic '{id_text(topic)}' has {count_text(count, 'document')}; half of the "
                what += f"topics have {usual:g} or more"
                findings.add("few-documents", what, line=line, topic=topic)
        if findings.rules.asks_for("few-lines") and self.rows < _LEAST_LINES:
            what = f"{count_text(self.rows, 'line')} of data; expected at least {_LEAST_LINES}"
            findings.add("few-lines", what)
        if findings.rules.asks_for("few-topics") and self.num_topics < _LEAST_TOPICS:
            what = f"{count_text(self.num_topics, 'topic')}; expected at least {_LEAST_TOPICS}"
            findings.add("few-topics", what)
        is_limited = findings.rules.asks_for("too-large") and os.path.isfile(source)
        if is_limited and os.path.getsize(source) > _LARGEST:
            what = f"the file has {os.path.getsize(source):,} bytes, more than {_LARGEST:,}"
            findings.add("too-large", what)

    def _tell_topics(self, wanted: set[bytes]) -> dict[str, Any]:
        """What the list of topics says about the run."""
        others = self._beyond(wanted)
        line = self._sizes[others[0]][1] if others else None
        tell_topics("unknown-topic", others, "not in the list of topics", self.findings, line=line)
        lacking = wanted - self._sizes.keys()
        where = "in the list of topics, but not in the run"
        check_missing("missing-topic", lacking, self._sizes, where, self.findings)
        return {"unknown_topics": _names(others), "missing_topics": _names(sorted(lacking))}

    def _beyond(self, known: Container[bytes]) -> list[bytes]:
        """The topics of the run that are not known, by their first lines."""
        found = [name for name in self._sizes if name not in known]
        return sorted(found, key=lambda name: self._sizes[name][1])

    def _tell_coverage(self, coverage: Coverage) -> dict[str, Any]:
        """What the judgments say about the run."""
        judged = coverage.judgments.topics()
        unjudged = self._beyond(set(judged))
        line = self._sizes[unjudged[0]][1] if unjudged else None
        tell_topics("unjudged-topic", unjudged, "not judged", self.findings, line=line)
        lacking = set(judged) - self._sizes.keys()
        where = "judged, but not in the run"
        check_missing("unretrieved-topic", lacking, self._sizes, where, self.findings, _AS_ZERO)
        if len(lacking) == len(judged):
            what = "the run and the judgments have no topic in common"
            how, pairs = match_topics(self._sizes, judged, by_number=True)
            hint = "; ".join(differing_topic_texts(how, pairs)) if pairs else _ANOTHER_YEAR
            self.findings.add("no-common-topic", what, hint=hint)
            return {}
        warning = hardly_judged_warning(coverage.seen, coverage.judgments.judged_ids)
        if warning is not None:
            self.findings.add(warning.kind, warning.message, hint=warning.hint)
        return {
            "judged_topics": len(judged) - len(lacking),
            "unjudged_topics": _names(unjudged),
            "unretrieved_topics": _names(sorted(lacking)),
            f"judged_at_{SHALLOW}": coverage.share,
            "never_judged": coverage.retrieved - coverage.judged,
        }


def _names(topics: Iterable[bytes]) -> list[str]:
    return [str(text(name)) for name in topics]


def _rank(text: bytes) -> float | None:
    """The rank, None where it is none; larger ones than doubles hold are none."""
    number = parse_whole(text)
    return float(number) if number is not None and 0 <= number < 2**53 else None


def _extent(counts: list[int]) -> dict[str, float]:
    """The least, the middle and the most."""
    if not counts:
        return {}
    return {"least": min(counts), "median": median(counts), "most": max(counts)}
