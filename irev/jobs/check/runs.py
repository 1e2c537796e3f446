"""A run: its lines, its topics, and what it is held against."""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from irev.core.arrays import (
    DocumentRanks,
    Floats,
    Ints,
    RowIndices,
    RowValues,
    TopicMask,
    TopicOfRow,
    lengths_of,
    offsets,
    ranges,
    segment_starts,
)
from irev.core.judged import Rows
from irev.core.text import count_text, parse_whole, shortened_list
from irev.engine.doubts import (
    differing_topic_texts,
    equal_score_warnings,
    unjudged_warnings,
)
from irev.engine.map_topics import rows_of_own_documents
from irev.engine.run_facts import (
    MOST_SAMPLES,
    ORDER_DEPTH,
    SHALLOW,
    TOP,
    EqualScoreCounts,
    JudgedCounts,
    count_topics_with_equal_scores,
    deep_topics,
    exchanged_columns_warning,
    find_reversed_ranks,
    group_by_form,
    has_exchanged_columns,
    match_topics,
    numbered_topic_counts,
    numbering_warnings,
    rank_order_warnings,
    total_equal_scores,
)
from irev.errors import id_text
from irev.jobs.check.findings import FileFacts, Findings, FindingTally, id_as_text
from irev.jobs.check.qrels import JudgedDocuments
from irev.jobs.check.topics import (
    LinesOfTopics,
    Topic,
    check_docno_pattern,
    check_similar_topics,
    first_lines_text,
    lines_of,
    note_first_lines,
    sort_by_line,
    tell_duplicate,
    tell_row,
    topics_of,
    topics_with_repeats,
)
from irev.rank.ranking import RankingRule, first_rows, ranks_of_rows
from irev.read.columns import parse_grades
from irev.read.layout import Layout
from irev.read.sniff import KEEP_ONE

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

CUTOFFS = (5, 10, 20, 100, 1000)
"""The usual depths of measures."""


class RunCheck:
    """Takes a run's topics, then tells what is wrong."""

    kind = "run"

    def __init__(
        self,
        findings: Findings,
        judgments: JudgedDocuments | None,
        topics: Collection[bytes] | None,
        layout: Layout,
        *,
        has_ranks: bool = False,
    ) -> None:
        """Of a table the layout has three fields; it `has_ranks` in a column of its own."""
        self.findings = findings
        self.judgments: JudgedDocuments | None = None
        self.rows = 0
        self._has_scores = layout.number == "score"
        self._is_short = self._has_scores and "tag" not in layout.fields and findings.has_lines
        self._has_ranks = has_ranks
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
            has_ranks |= self._has_ranks
            self._ties.see(rows, has_ranks=has_ranks)
        max_documents, sizes = self.findings.rules.most_per_topic, rows.topic_lengths
        for index in np.flatnonzero(sizes > max_documents).tolist():
            name = rows.topics[index]
            message = (
                f"topic '{id_text(name)}' has {sizes[index]:,} documents, more than "
                f"{max_documents:,}"
            )
            line = rows.line_of(int(rows.start[index]) + max_documents)
            self.findings.add("many-documents", message, line=line, topic=name)
        self._num_own += len(rows_of_own_documents(rows))
        if self._coverage is not None:
            self._coverage.see(rows)

    def _check_other_fields(self, rows: Rows) -> RowValues:
        """Check the fields that measures do not need; float64[N], the ranks, NaN where none is."""
        texts_by_field = dict(zip(self.layout.ids[1:], rows.groups, strict=True))
        if "Q0" in texts_by_field:
            code, distinct = texts_by_field["Q0"].codes()
            # Galago writes skip
            is_other = np.array([field not in (b"Q0", b"skip") for field in distinct])[code]
            if is_other.any():
                first = int(np.flatnonzero(is_other)[0])
                self._not_q0.see(rows.line_of(first), times=int(is_other.sum()))
        if "tag" in texts_by_field:
            note_first_lines(texts_by_field["tag"], rows, self._line_of_tag, _MOST_TAGS)
        if "rank" not in texts_by_field:
            return np.full(len(rows.value), np.nan)
        rank_texts = texts_by_field["rank"]
        values = parse_grades(rank_texts, _parse_rank)
        for row in np.flatnonzero(np.isnan(values)).tolist():
            message = f"rank '{id_text(rank_texts[row])}' is not a whole number from 0 on"
            tell_row("bad-rank", message, rows, row, self.findings)
        return values

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
        per_topic = {}
        if sizes:
            per_topic = {"least": sizes[0], "median": median(sizes), "most": sizes[-1]}
            self._tell_small_topics(median(sizes))
        self._tell_file_size(path)
        facts: FileFacts = {
            "tags": [id_as_text(tag) for tag in self._line_of_tag],
            "documents_per_topic": per_topic,
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
        asks_for_name = path != "-" and findings.rules.asks_for("tag-not-file-name")
        if self._line_of_tag and asks_for_name and stems.isdisjoint(self._line_of_tag):
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


def _parse_rank(text: bytes) -> float | None:
    """The rank, None where it is none; larger ones than doubles hold are none."""
    number = parse_whole(text)
    return float(number) if number is not None and 0 <= number < 2**53 else None


def _topic_texts(topics: Iterable[bytes]) -> list[str]:
    return [str(id_as_text(name)) for name in topics]


def tell_repeated_documents(rows: Rows, findings: Findings) -> None:
    """Tell of every document of a topic that stood in it before."""
    for topic in topics_of(rows, topics_with_repeats(rows, rows.docs), ()):
        first_lines: dict[bytes, int] = {}
        for document, line in zip(topic.docs, topic.lines, strict=True):
            first_line = first_lines.setdefault(document, line)
            if first_line != line:
                tell_duplicate(topic.name, document, (first_line, line), KEEP_ONE, findings)


def check_missing(
    code: str,
    missing_ids: Collection[bytes],
    present_ids: Iterable[bytes],
    predicate: str,
    findings: Findings,
    hint: str = "",
) -> None:
    """Tell of topics that one file has and another lacks; one spelled otherwise is named."""
    if not missing_ids:
        return
    similar_ids, without_similar = group_by_form(present_ids), []
    for name in sorted(missing_ids):
        similar = next(
            (each for plain in group_by_form([name]) for each in similar_ids.get(plain, ())), None
        )
        if similar is None:
            without_similar.append(name)
        else:
            near_hint = f"there is '{id_text(similar)}': zeros and case make a difference"
            tell_topics(code, [name], predicate, findings, hint=near_hint)
    tell_topics(code, without_similar, predicate, findings, hint=hint)


def tell_topics(
    code: str,
    topic_ids: Sequence[bytes],
    predicate: str,
    findings: Findings,
    *,
    line: int | None = None,
    hint: str = "",
) -> None:
    """Tell the same of several topics in one finding."""
    if not topic_ids:
        return
    topic_texts = [f"'{id_text(name)}'" for name in topic_ids]
    if len(topic_texts) == 1:
        findings.add(
            code, f"topic {topic_texts[0]} is {predicate}", line=line, topic=topic_ids[0], hint=hint
        )
    else:
        count = count_text(len(topic_texts), "topic")
        message = f"{count} are {predicate}: {shortened_list(topic_texts)}"
        findings.add(code, message, line=line, hint=hint)


# --- Ranks against scores, and ties ---


@dataclass(eq=False, repr=False)
class Ranks:
    """What the rank column shows, topic by topic."""

    findings: Findings
    from_zero: FindingTally = field(default_factory=FindingTally)
    gaps: FindingTally = field(default_factory=FindingTally)
    num_reversed: int = 0
    num_ranked: int = 0
    are_exchanged: bool = True

    def see(self, rows: Rows, rank: RowValues) -> None:
        """Look at some topics: their ranks by themselves, and against the scores."""
        score = rows.value
        numbered = np.flatnonzero(~(np.isnan(rank) | np.isnan(score)))
        self.are_exchanged &= has_exchanged_columns(rows.topic_of_row, rank, score)
        if not len(numbered):
            return
        topic = rows.topic_of_row[numbered]
        # within a rank the best first, so that the last of one rank meets the best of the next
        order = numbered[sort_in_topics(topic, rank[numbered], -score[numbered])]
        start = segment_starts(topic, len(rows.topics))
        is_same_topic = topic[1:] == topic[:-1]
        steps = np.where(is_same_topic, np.diff(rank[order]), np.nan)
        first_rank = np.full(len(rows.topics), np.nan)
        first_rank[topic[::-1]] = rank[order[::-1]]  # of several the last, which is the first here
        tally_topics(self.from_zero, rows, first_rank == 0)
        # a line that cannot be read leaves a gap, too
        has_gap = first_rank > 1
        has_gap[topic[1:][steps > 1]] = True
        has_gap &= lengths_of(start) == rows.topic_lengths
        tally_topics(self.gaps, rows, has_gap)
        ranks = find_reversed_ranks(topic, rank[order], score[order], len(rows.topics))
        self.num_ranked += int(ranks.is_comparable_topic.sum())
        self.num_reversed += int(ranks.is_reversed_topic.sum())
        is_odd = (steps == 0) | ranks.next_row_rises
        odd_topics = np.unique(topic[1:][is_odd])
        for index, odd_topic in zip(
            odd_topics.tolist(), topics_of(rows, odd_topics, (rank, score)), strict=True
        ):
            self._tell_steps(odd_topic, order[start[index] : start[index + 1]] - rows.start[index])

    def _tell_steps(self, topic: Topic, rows_in_order: RowIndices) -> None:
        """Tell of ranks that are repeated, and of scores that rise, in a topic's order."""
        rank, score = topic.values
        steps = np.diff(rank[rows_in_order])
        repeated = rank[rows_in_order[:-1][steps == 0]]
        if len(repeated):
            ranks = sorted({int(number) for number in repeated})
            rows = np.flatnonzero(rank == repeated[0])
            others = f"; {count_text(len(ranks) - 1, 'other rank')} too" if ranks[1:] else ""
            self.findings.add(
                "repeated-rank",
                f"rank {ranks[0]} occurs on {len(rows)} lines of topic '{id_text(topic.name)}'"
                f"{others}",
                line=topic.lines[int(rows[1])],
                topic=topic.name,
                hint="each rank should occur once per topic",
            )
        rising_steps = np.flatnonzero(
            (steps > 0) & (score[rows_in_order][1:] > score[rows_in_order][:-1])
        )
        if len(rising_steps):
            self._tell_rising_scores(topic, rows_in_order, rising_steps, int((steps > 0).sum()))

    def _tell_rising_scores(
        self, topic: Topic, rows_in_order: RowIndices, rising_steps: Ints, num_steps: int
    ) -> None:
        rank, score = topic.values
        first = rising_steps[0]
        upper_row, lower_row = rows_in_order[first : first + 2].tolist()
        hint = "the score alone orders the documents; the rank is not read"
        if len(rising_steps) == num_steps > 1:
            hint = "scores rise from rank to rank: distances, where lower is better, are negated"
        self.findings.add(
            "rank-order",
            f"rank {int(rank[lower_row])} has score {score[lower_row]:g}, which is more than "
            f"{score[upper_row]:g} at rank {int(rank[upper_row])}; "
            f"{count_text(len(rising_steps), 'such step')} in topic '{id_text(topic.name)}'",
            line=topic.lines[lower_row],
            topic=topic.name,
            document=topic.docs[lower_row],
            hint=hint,
        )

    def tell(self) -> None:
        """Say what is said once for a file."""
        self.findings.add_notices(rank_order_warnings(self.num_reversed, self.num_ranked))
        if self.are_exchanged and self.num_ranked:
            self.findings.add_notices([exchanged_columns_warning()])
        if self.from_zero.count:
            message = f"ranks begin at 0 in {count_text(self.from_zero.count, 'topic')}"
            self.findings.add(
                "ranks-from-zero", message, line=self.from_zero.line, topic=self.from_zero.topic
            )
        if self.gaps.count:
            message = (
                f"ranks are missing in {count_text(self.gaps.count, 'topic')}; this is the first"
            )
            self.findings.add("rank-gap", message, line=self.gaps.line, topic=self.gaps.topic)


def sort_in_topics(topic_of_row: TopicOfRow, *keys: Floats) -> RowIndices:
    """int64[N]: the rows by topic, of each by keys that rise, the first deciding."""
    before = topic_of_row[1:] == topic_of_row[:-1]
    falls = np.zeros_like(before)
    for key in keys:
        falls |= before & (key[1:] < key[:-1])
        before = before & (key[1:] == key[:-1])
    if falls.any():
        return np.lexsort((*reversed(keys), topic_of_row))
    return np.arange(len(topic_of_row))


def tally_topics(tally: FindingTally, rows: Rows, topic_mask: TopicMask) -> None:
    """Count some topics, each in the line of its first row."""
    topic_indices = topic_mask.nonzero()[0]
    if len(topic_indices):
        lines = lines_of(rows)[rows.start[topic_indices]]
        first = int(lines.argmin())
        tally.see(int(lines[first]), rows.topics[topic_indices[first]], len(topic_indices))


@dataclass(eq=False, repr=False)
class Ties:
    """Equal scores, topic by topic.

    A document is tied where another of its topic has the same score; those are one group.
    """

    findings: Findings
    num_groups: int = 0
    num_documents: int = 0
    num_topics: int = 0
    has_ranks: bool = False
    topics_at_cutoff: dict[int, list[bytes]] = field(default_factory=dict)
    equal_scores: EqualScoreCounts = field(default_factory=EqualScoreCounts)

    def see(self, rows: Rows, *, has_ranks: bool = True) -> None:
        """Look at the scores of some topics, which without ranks beside them may be ranks."""
        self.has_ranks |= has_ranks
        scored = np.flatnonzero(~np.isnan(rows.value))
        if len(scored) == len(rows.value):
            deep = deep_topics(rows, set(rows.topics))
            first = first_rows(rows, rows.value, deep, ORDER_DEPTH)
            own = count_topics_with_equal_scores(rows.value[first], rows.topic_lengths[deep])
            if not has_ranks:
                own = own._replace(num_numbered=numbered_topic_counts(rows, deep).num_numbered)
            self.equal_scores = total_equal_scores([self.equal_scores, own]) or own
        topic, score = rows.topic_of_row[scored], rows.value[scored]
        falling = score[sort_in_topics(topic, -score)]
        is_equal = (falling[1:] == falling[:-1]) & (topic[1:] == topic[:-1])
        if not is_equal.any():
            return
        num_equal = np.bincount(topic[1:][is_equal], minlength=len(rows.topics))
        num_groups = int(is_equal[0]) + int((is_equal[1:] & ~is_equal[:-1]).sum())
        self.num_groups += num_groups
        self.num_documents += num_groups + int(num_equal.sum())
        self.num_topics += int((num_equal > 0).sum())
        start = segment_starts(topic, len(rows.topics))
        # which topics have equal scores on both sides of a cutoff, in the order of the topics
        indices_at_cutoff = {}
        for cutoff in CUTOFFS:
            longer = np.flatnonzero(lengths_of(start) > cutoff)
            tied = longer[is_equal[start[longer] + cutoff - 1]]
            if len(tied):
                indices_at_cutoff[cutoff] = tied.tolist()
        for cutoff, indices in sorted(indices_at_cutoff.items(), key=lambda item: item[1][0]):
            names = self.topics_at_cutoff.setdefault(cutoff, [])
            names += (rows.topics[index] for index in indices)
        is_constant = (num_equal > 0) & (num_equal == rows.topic_lengths - 1)
        lines = lines_of(rows)[rows.start[:-1]]
        for index in np.flatnonzero(is_constant).tolist():
            self.findings.add(
                "constant-scores",
                f"all {num_equal[index] + 1} documents of topic '{id_text(rows.topics[index])}' "
                f"have the score {falling[start[index + 1] - 1]:g}",
                line=int(lines[index]),
                topic=rows.topics[index],
                hint="document ids decide the order then, not the ranks",
            )

    def tell(self, num_run_topics: int) -> None:
        """Say where ties decide what counts, in how many of the run's topics."""
        self.findings.add_notices(numbering_warnings([self.equal_scores]))
        warnings = equal_score_warnings(self.equal_scores, has_ranks=self.has_ranks)
        self.findings.add_notices(warnings)
        for cutoff in CUTOFFS:
            topics = [f"'{id_text(name)}'" for name in self.topics_at_cutoff.get(cutoff, ())]
            if topics:
                self.findings.add(
                    "tie-at-cutoff",
                    f"the documents at ranks {cutoff} and {cutoff + 1} have equal scores in "
                    f"{len(topics)} of {count_text(num_run_topics, 'topic')}: "
                    f"{shortened_list(topics)}",
                    hint="ids decide which counts; irev --tie-range shows how much it matters",
                )


# --- How much of a run is judged ---


class Coverage:
    """How much of a run is judged, topic by topic."""

    def __init__(self, judgments: JudgedDocuments) -> None:
        self.judgments = judgments
        self.num_retrieved = self.num_judged = self._shallow = self._shallow_judged = 0
        self._shallow_pooled = self._top_pooled = 0
        self._depths = [np.zeros(0, np.int64)]
        self._samples: list[tuple[bytes, list[bytes]]] = []

    def see(self, rows: Rows) -> None:
        """Take some whole topics: of those that are judged, all documents and the first ones."""
        judged_topic = self.judgments.topic_indices(rows.topics)
        judged_topics = np.flatnonzero(judged_topic >= 0)
        if not len(judged_topics):
            return
        sampled_topics = judged_topics[: MOST_SAMPLES - len(self._samples)]
        for topic in topics_of(rows, sampled_topics, (rows.value,)):
            self._samples.append((topic.name, best_documents(topic, SHALLOW)))
        row_indices = ranges(rows.start[judged_topics], rows.start[judged_topics + 1])
        docs = rows.docs.take(row_indices)
        pairs = judged_topic[rows.topic_of_row[row_indices]], docs, docs.hashes()
        rank = _ranks_in_topics(rows)[row_indices]
        is_first = rank <= SHALLOW
        judged_rows, _ = self.judgments.judged_index.find(*pairs)
        pooled_rows, _ = self.judgments.pooled_index.find(*pairs)
        self.num_retrieved += len(row_indices)
        self.num_judged += len(judged_rows)
        self._shallow += int(np.count_nonzero(is_first))
        self._shallow_judged += int(np.count_nonzero(is_first[judged_rows]))
        self._shallow_pooled += int(np.count_nonzero(is_first[pooled_rows]))
        self._top_pooled += int(np.count_nonzero(rank[pooled_rows] <= TOP))
        self._depths.append(rows.topic_lengths[judged_topics])

    @property
    def share(self) -> float:
        """Which share of the documents up to rank `SHALLOW` is judged; 0 where there are none."""
        return self._shallow_judged / self._shallow if self._shallow else 0.0

    @property
    def judged_counts(self) -> JudgedCounts:
        """What a doubt about the run needs."""
        return JudgedCounts(
            self.num_retrieved,
            self.num_judged > 0,
            self._shallow,
            self._shallow_pooled,
            depths=np.concatenate(self._depths),
            samples=tuple(self._samples),
            top_judged=self._top_pooled,
        )


def best_documents(topic: Topic, count: int) -> list[bytes]:
    """The first documents by falling score, equal scores by falling id."""
    (score,) = topic.values
    pairs = zip(score.tolist(), topic.docs, strict=True)
    best = heapq.nlargest(count, (pair for pair in pairs if pair[0] == pair[0]))
    return [document for _, document in best]


def _ranks_in_topics(rows: Rows) -> DocumentRanks:
    """int64[N]: the rank of each document; far behind, where its score is no number."""
    scored = np.flatnonzero(~np.isnan(rows.value))
    start = offsets(np.bincount(rows.topic_of_row[scored], minlength=len(rows.topics)))
    scored_rows = Rows(rows.topics, start, rows.docs.take(scored), rows.value[scored])
    rank = np.full(len(rows.value), np.iinfo(np.int64).max)
    rank[scored] = ranks_of_rows(scored_rows, RankingRule())
    return rank
