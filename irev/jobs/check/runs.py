"""A run: its lines, its topics, and what it is held against."""

from __future__ import annotations

import os
import re
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from irev.core.arrays import RowValues
from irev.core.text import parse_whole
from irev.core.wording import count_text
from irev.engine.doubts import differing_topic_texts, unjudged_warnings
from irev.engine.excluded_documents import rows_of_own_documents
from irev.engine.judged_counts import SHALLOW
from irev.engine.spellings import match_topics
from irev.errors import id_text
from irev.jobs.check.findings import FileFacts, Findings, FindingTally, id_as_text
from irev.jobs.check.topics import (
    Coverage,
    JudgedDocuments,
    LinesOfTopics,
    Ranks,
    Ties,
    check_docno_pattern,
    check_missing,
    check_similar_topics,
    first_lines_text,
    note_first_lines,
    sort_by_line,
    tell_repeated_documents,
    tell_row,
    tell_topics,
)
from irev.read.columns import parse_grades

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from irev.core.ids import Ids
    from irev.core.judged import Rows
    from irev.read.layout import Layout

_CHECKED_FIELDS = ("document", "Q0", "rank", "tag")
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
        checked_fields = tuple(name for name in _CHECKED_FIELDS if name in layout.fields)
        self.layout = layout._replace(ids=checked_fields) if self._has_scores else layout
        self._expected_topics = None if topics is None else set(topics)
        self._topics = LinesOfTopics()
        self._line_of_tag: dict[bytes, int] = {}
        self._not_q0 = FindingTally()
        self._ranks = Ranks(findings)
        self._num_own = 0
        self._ties = Ties(findings)
        self._coverage = None if judgments is None else Coverage(judgments)

    @property
    def num_topics(self) -> int:
        """How many topics there were."""
        return len(self._topics.ids)

    def add(self, rows: Rows) -> None:
        """Check some whole topics."""
        self.rows += len(rows.value)
        if self._has_scores:
            rank = self._check_other_fields(rows)
            for row in np.flatnonzero(np.isinf(rows.value)).tolist():
                message = f"score '{rows.value[row]:g}' is not finite"
                hint = "nothing tells several of them apart"
                tell_row("infinite-score", message, rows, row, self.findings, hint)
        else:
            # the lower, the better
            rank = 0.0 - rows.value
            for row in np.flatnonzero(rank < 0).tolist():
                message = f"rank '{rank[row]:g}' is not a whole number from 0 on"
                tell_row("bad-rank", message, rows, row, self.findings)
        check_docno_pattern(rows, self.findings)
        self._topics.add(rows)
        tell_repeated_documents(rows, self.findings)
        self._ranks.see(rows, rank)
        if self._has_scores:
            known_ranks = rank[~np.isnan(rank)]
            # one rank for all documents ranks nothing
            has_ranks = len(known_ranks) > 0 and bool(np.ptp(known_ranks) > 0)
            self._ties.see(rows, has_ranks=has_ranks)
        self._check_too_many_documents(rows)
        self._num_own += len(rows_of_own_documents(rows))
        if self._coverage is not None:
            self._coverage.see(rows)

    def _check_other_fields(self, rows: Rows) -> RowValues:
        """Check the fields that measures do not need; float64[N], the ranks, NaN where none is."""
        texts_by_field = dict(zip(self.layout.ids[1:], rows.groups, strict=True))
        if "Q0" in texts_by_field:
            self._check_q0_field(texts_by_field["Q0"], rows)
        if "tag" in texts_by_field:
            note_first_lines(texts_by_field["tag"], rows, self._line_of_tag, _MOST_TAGS)
        if "rank" in texts_by_field:
            return self._rank_numbers(texts_by_field["rank"], rows)
        return np.full(len(rows.value), np.nan)

    def _check_q0_field(self, second_field: Ids, rows: Rows) -> None:
        code, distinct = second_field.codes()
        is_other = np.array([field != b"Q0" for field in distinct])[code]
        if is_other.any():
            first = int(np.flatnonzero(is_other)[0])
            self._not_q0.see(rows.line_of(first), times=int(is_other.sum()))

    def _rank_numbers(self, rank_texts: Ids, rows: Rows) -> RowValues:
        values = parse_grades(rank_texts, _parse_rank)
        for row in np.flatnonzero(np.isnan(values)).tolist():
            message = f"rank '{id_text(rank_texts[row])}' is not a whole number from 0 on"
            tell_row("bad-rank", message, rows, row, self.findings)
        return values

    def _check_too_many_documents(self, rows: Rows) -> None:
        max_documents = self.findings.rules.most_per_topic
        sizes = rows.topic_lengths
        for index in np.flatnonzero(sizes > max_documents).tolist():
            name = rows.topics[index]
            message = (
                f"topic '{id_text(name)}' has {sizes[index]:,} documents, more than "
                f"{max_documents:,}"
            )
            line = rows.line_of(int(rows.start[index]) + max_documents)
            self.findings.add("many-documents", message, line=line, topic=name)

    # what is said at the end

    def check_whole(self, path: str) -> FileFacts:
        """Tell what shows only in the whole; what is known of the run as numbers."""
        self._line_of_tag = sort_by_line(self._line_of_tag)
        self._ranks.tell()
        self._ties.tell(self.num_topics)
        self._topics.tell_scattered(self.findings)
        expected_ids: Container[bytes] = self._expected_topics or ()
        if self._coverage is not None:
            expected_ids = self._coverage.judgments
        check_similar_topics(self._topics.ids, self.findings, expected_ids)
        self._tell_fields(path)
        if self._num_own:
            retrieve = "topic retrieves" if self._num_own == 1 else "topics retrieve"
            message = f"{self._num_own:,} {retrieve} a document with the topic's own id"
            findings, hint = self.findings, "BEIR leaves such documents out: --exclude own"
            findings.add("own-document", message, hint=hint)
        sizes = np.sort(self._topics.sizes).tolist()
        self._tell_small_topics(median(sizes or [0]))
        self._tell_file_size(path)
        facts: FileFacts = {
            "tags": [id_as_text(tag) for tag in self._line_of_tag],
            "documents_per_topic": _least_median_most(sizes),
            "tie_groups": self._ties.num_groups,
            "tied_documents": self._ties.num_documents,
            "topics_with_ties": self._ties.num_topics,
            "topics_with_ties_at": {
                str(c): len(names) for c, names in self._ties.topics_at_cutoff.items()
            },
        }
        if self._expected_topics is not None:
            facts |= self._check_topic_list(self._expected_topics)
        if self._coverage is not None and self._topics.ids:
            facts |= self._check_coverage(self._coverage)
        return facts

    def _tell_fields(self, path: str) -> None:
        findings = self.findings
        if self._not_q0.count:
            message = f"the second field is not Q0 in {count_text(self._not_q0.count, 'line')}"
            findings.add("q0-field", f"{message}; this is the first", line=self._not_q0.line)
        if self._is_short:
            fields = self.layout.fields
            message = f"lines of {len(fields)} fields ({' '.join(fields)}), without a run tag"
            findings.add("short-lines", message, hint="irev reads them; most other programs do not")
            return
        if not self._has_scores:
            return
        if len(self._line_of_tag) > 1:
            second = list(self._line_of_tag.values())[1]
            message = first_lines_text(self._line_of_tag, "run tag")
            findings.add("several-tags", message, line=second, hint="a file holds one run")
        for tag, line in self._line_of_tag.items():
            if not _TAG.fullmatch(tag):
                message = f"run tag '{id_text(tag)}' is not 1 to 25 letters, digits, - and _"
                findings.add("tag-form", message, line=line)
        name = os.fsencode(os.path.basename(path))
        stems = {name, *(name[:end] for end in range(len(name)) if name[end : end + 1] == b".")}
        is_named = (
            self._line_of_tag and path != "-" and findings.rules.asks_for("tag-not-file-name")
        )
        if is_named and stems.isdisjoint(self._line_of_tag):
            tag, line = next(iter(self._line_of_tag.items()))
            message = f"run tag '{id_text(tag)}' is not the name of the file, '{id_text(name)}'"
            findings.add("tag-not-file-name", message, line=line)

    def _tell_small_topics(self, median_documents_per_topic: float) -> None:
        findings, sizes, lines = self.findings, self._topics.sizes, self._topics.first_lines
        for index in np.flatnonzero(sizes * _FEW < median_documents_per_topic).tolist():
            topic = self._topics.ids[index]
            message = (
                f"topic '{id_text(topic)}' has {count_text(int(sizes[index]), 'document')}; half "
                f"of the topics have {median_documents_per_topic:g} or more"
            )
            findings.add("few-documents", message, line=int(lines[index]), topic=topic)

    def _tell_file_size(self, path: str) -> None:
        """Tell of too few lines or topics, and of too many bytes."""
        findings = self.findings
        if findings.rules.asks_for("few-lines") and self.rows < _LEAST_LINES:
            message = f"{count_text(self.rows, 'line')} of data; expected at least {_LEAST_LINES}"
            findings.add("few-lines", message)
        if findings.rules.asks_for("few-topics") and self.num_topics < _LEAST_TOPICS:
            message = f"{count_text(self.num_topics, 'topic')}; expected at least {_LEAST_TOPICS}"
            findings.add("few-topics", message)
        is_limited = findings.rules.asks_for("too-large") and os.path.isfile(path)
        if is_limited and os.path.getsize(path) > _LARGEST:
            message = f"the file has {os.path.getsize(path):,} bytes, more than {_LARGEST:,}"
            findings.add("too-large", message)

    def _check_topic_list(self, expected_ids: set[bytes]) -> FileFacts:
        """What the list of topics says about the run."""
        unexpected, line = self._topics_outside(expected_ids)
        tell_topics(
            "unknown-topic", unexpected, "not in the list of topics", self.findings, line=line
        )
        missing = expected_ids.difference(self._topics.ids)
        predicate = "in the list of topics, but not in the run"
        check_missing("missing-topic", missing, self._topics.ids, predicate, self.findings)
        return {
            "unknown_topics": _topic_texts(unexpected),
            "missing_topics": _topic_texts(sorted(missing)),
        }

    def _topics_outside(self, expected_ids: Container[bytes]) -> tuple[list[bytes], int | None]:
        """The topics of the run that are not known, by their first lines; and the first line."""
        ids, lines = self._topics.ids, self._topics.first_lines
        indices = [index for index, name in enumerate(ids) if name not in expected_ids]
        indices.sort(key=lines.__getitem__)
        return [ids[index] for index in indices], int(lines[indices[0]]) if indices else None

    def _check_coverage(self, coverage: Coverage) -> FileFacts:
        """What the judgments say about the run."""
        judged = coverage.judgments.topics()
        unjudged, line = self._topics_outside(set(judged))
        tell_topics("unjudged-topic", unjudged, "not judged", self.findings, line=line)
        missing = set(judged).difference(self._topics.ids)
        predicate = "judged, but not in the run"
        check_missing(
            "unretrieved-topic", missing, self._topics.ids, predicate, self.findings, _AS_ZERO
        )
        if len(missing) == len(judged):
            message = "the run and the judgments have no topic in common"
            way, pairs = match_topics(self._topics.ids, judged, by_number=True)
            hint = "; ".join(differing_topic_texts(way, pairs)) if pairs else _ANOTHER_YEAR
            self.findings.add("no-common-topic", message, hint=hint)
            return {}
        warnings = unjudged_warnings(coverage.judged_counts, lambda: coverage.judgments.judged_ids)
        self.findings.add_notices(warnings)
        return {
            "judged_topics": len(judged) - len(missing),
            "unjudged_topics": _topic_texts(unjudged),
            "unretrieved_topics": _topic_texts(sorted(missing)),
            f"judged_at_{SHALLOW}": coverage.share,
            "never_judged": coverage.num_retrieved - coverage.num_judged,
        }


def _topic_texts(topics: Iterable[bytes]) -> list[str]:
    return [str(id_as_text(name)) for name in topics]


def _parse_rank(text: bytes) -> float | None:
    """The rank, None where it is none; larger ones than doubles hold are none."""
    number = parse_whole(text)
    return float(number) if number is not None and 0 <= number < 2**53 else None


def _least_median_most(counts: list[int]) -> dict[str, float]:
    """The least, the middle and the most."""
    if not counts:
        return {}
    return {"least": min(counts), "median": median(counts), "most": max(counts)}
