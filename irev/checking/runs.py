"""A run: its lines, its topics, and what it is held against."""

from __future__ import annotations

import os
import re
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.checking.fields import (
    check_duplicates,
    check_form,
    check_missing,
    check_scattered,
    check_similar,
    first_of,
    whole_lines,
)
from irev.checking.judged import SHALLOW, Coverage, Judgments
from irev.checking.lines import Batch
from irev.checking.ranking import Ranks, Ties, best
from irev.checking.report import Findings, Tally, counted
from irev.checking.topics import ByTopic
from irev.core.ids import ids_from_bytes
from irev.core.numbers import real, whole
from irev.errors import shown
from irev.read.formats import RUN, RUNS
from irev.read.sniff import number_hint

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from irev.checking.topics import Topic
    from irev.core.arrays import Floats

_RANKS = RUNS["msmarco"].layouts[0]

_TAG = re.compile(rb"[A-Za-z0-9_-]{1,25}")
_MOST_TAGS = 1000
_FEW = 10
"""A topic with fewer than a tenth of the usual documents has few."""
_LEAST_LINES, _LEAST_TOPICS = 5, 3
_LARGEST = 75_000_000


class RunCheck:
    """Takes a run's lines, then tells what is wrong."""

    kind = "run"

    def __init__(
        self,
        findings: Findings,
        judgments: Judgments | None,
        topics: Collection[bytes] | None,
        *,
        gather: bool,
    ) -> None:
        """Keep what the run is held against; nothing was read yet."""
        self.findings = findings
        self.judgments: Judgments | None = None
        self.rows = 0
        self._wanted = None if topics is None else set(topics)
        self._by_topic = ByTopic(2, self._check_topic, gather=gather)
        self._sizes: dict[bytes, tuple[int, int]] = {}
        self._tags: dict[bytes, int] = {}
        self._not_q0 = Tally()
        self._ranks = Ranks(findings)
        self._ties = Ties(findings)
        self._coverage = None if judgments is None else Coverage(judgments)
        self._is_msmarco: bool | None = None

    @property
    def num_topics(self) -> int:
        """How many topics there were."""
        return len(self._sizes)

    def add(self, batch: Batch) -> None:
        """Check some lines and sort them by topic."""
        batch = self._six_fields(batch)
        if not batch.rows:
            return
        topics, second, docs, ranks, scores, tags = zip(*batch.rows, strict=True)
        self.rows += len(topics)
        self._check_second(second, batch.numbers)
        self._note_tags(tags, batch.numbers)
        check_form(docs, batch.numbers, self.findings)
        rank = self._numbers_of_ranks(ranks, batch)
        score = self._numbers_of_scores(scores, batch)
        self._by_topic.add(topics, docs, batch.numbers, (rank, score))

    def _six_fields(self, batch: Batch) -> Batch:
        """The lines that have the fields of a run; MS MARCO's three are written as six."""
        if self._is_msmarco is None and batch.rows:
            is_asked = self.findings.rules.profile == "msmarco"
            self._is_msmarco = is_asked and len(batch.rows[0]) == len(_RANKS.fields)
        if not self._is_msmarco:
            return whole_lines(batch, RUN, self.findings)
        short = whole_lines(batch, _RANKS, self.findings)
        # the rank is all there is: the lower, the better
        rows = [
            [topic, b"Q0", document, rank, b"-" + rank if whole(rank) is not None else b"0", b"-"]
            for topic, document, rank in short.rows
        ]
        return Batch(short.numbers, rows)

    def _check_second(self, second: Sequence[bytes], numbers: Sequence[int]) -> None:
        if set(second) != {b"Q0"}:
            for field, line in zip(second, numbers, strict=True):
                if field != b"Q0":
                    self._not_q0.see(line)

    def _note_tags(self, tags: Sequence[bytes], numbers: Sequence[int]) -> None:
        new = set(tags) - self._tags.keys()
        if new and len(self._tags) < _MOST_TAGS:
            for tag, line in zip(tags, numbers, strict=True):
                if tag in new:
                    self._tags.setdefault(tag, line)

    def _numbers_of_ranks(self, ranks: Sequence[bytes], batch: Batch) -> Floats:
        distinct = {text: _rank(text) for text in set(ranks)}
        values = np.array([distinct[text] for text in ranks], np.float64)
        for row in np.flatnonzero(np.isnan(values)).tolist():
            what = f"rank '{shown(ranks[row])}' is not a whole number from 0 on"
            self._tell_line("bad-rank", what, batch, row)
        return values

    def _numbers_of_scores(self, scores: Sequence[bytes], batch: Batch) -> Floats:
        values = RUN.parse(ids_from_bytes(scores))
        for row in np.flatnonzero(~np.isfinite(values)).tolist():
            text = scores[row]
            if np.isnan(values[row]):
                what = f"score '{shown(text)}' is not a number"
                self._tell_line("bad-score", what, batch, row, _score_hint(text))
            else:
                what = f"score '{shown(text)}' is not finite"
                self._tell_line(
                    "infinite-score", what, batch, row, "nothing tells several of them apart"
                )
        return values

    def _tell_line(self, code: str, what: str, batch: Batch, row: int, hint: str = "") -> None:
        topic, _, document, *_ = batch.rows[row]
        line = batch.numbers[row]
        self.findings.add(code, what, line=line, topic=topic, document=document, hint=hint)

    def _check_topic(self, topic: Topic) -> None:
        count, name = len(topic.docs), topic.name
        self._sizes[name] = (count, topic.lines[0])
        check_duplicates(name, topic.docs, topic.lines, self.findings)
        self._ranks.see(topic)
        if not self._is_msmarco:
            self._ties.see(topic)
        most = self.findings.rules.most_per_topic
        if count > most:
            what = f"topic '{shown(name)}' has {count:,} documents, more than {most:,}"
            self.findings.add("many-documents", what, line=topic.lines[most], topic=name)
        if self._coverage is not None and name in self._coverage.judgments:
            self._coverage.see(name, topic.docs, best(topic, SHALLOW))

    # what is said at the end

    def end(self, source: str) -> dict[str, Any]:
        """Tell what shows only in the whole; what is known of the run as numbers."""
        self._by_topic.end()
        self._ranks.tell()
        self._ties.tell(self.num_topics)
        check_scattered(self._by_topic.scattered, self.findings)
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
            self._tell_topics(self._wanted)
        if self._coverage is not None and self._sizes:
            facts |= self._tell_coverage(self._coverage)
        return facts

    def _tell_fields(self, source: str) -> None:
        findings = self.findings
        if self._not_q0.count:
            what = f"the second field is not Q0 in {counted(self._not_q0.count, 'line')}"
            findings.add("q0-field", f"{what}; this is the first", line=self._not_q0.line)
        if self._is_msmarco:
            return
        if len(self._tags) > 1:
            second = list(self._tags.values())[1]
            what = first_of(self._tags, "run tag")
            findings.add("several-tags", what, line=second, hint="a file holds one run")
        for tag, line in self._tags.items():
            if not _TAG.fullmatch(tag):
                what = f"run tag '{shown(tag)}' is not 1 to 25 letters, digits, - and _"
                findings.add("tag-form", what, line=line)
        name = os.fsencode(os.path.basename(source))
        stems = {name, *(name[:at] for at in range(len(name)) if name[at : at + 1] == b".")}
        is_named = self._tags and source != "-" and findings.rules.asks_for("tag-not-file-name")
        if is_named and stems.isdisjoint(self._tags):
            tag, line = next(iter(self._tags.items()))
            what = f"run tag '{shown(tag)}' is not the name of the file, '{shown(name)}'"
            findings.add("tag-not-file-name", what, line=line)

    def _tell_sizes(self, source: str) -> None:
        findings = self.findings
        usual = median([count for count, _ in self._sizes.values()] or [0])
        for topic, (count, line) in self._sizes.items():
            if count * _FEW < usual:
                what = f"topic '{shown(topic)}' has {counted(count, 'document')}; half of the "
                what += f"topics have {usual:g} or more"
                findings.add("few-documents", what, line=line, topic=topic)
        if findings.rules.asks_for("few-lines") and self.rows < _LEAST_LINES:
            what = f"{counted(self.rows, 'line')} of data; at least {_LEAST_LINES} are wanted"
            findings.add("few-lines", what)
        if findings.rules.asks_for("few-topics") and self.num_topics < _LEAST_TOPICS:
            what = f"{counted(self.num_topics, 'topic')}; at least {_LEAST_TOPICS} are wanted"
            findings.add("few-topics", what)
        is_limited = findings.rules.asks_for("too-large") and os.path.isfile(source)
        if is_limited and os.path.getsize(source) > _LARGEST:
            what = f"the file has {os.path.getsize(source):,} bytes, more than {_LARGEST:,}"
            findings.add("too-large", what)

    def _tell_topics(self, wanted: set[bytes]) -> None:
        for topic in self._sizes.keys() - wanted:
            line = self._sizes[topic][1]
            what = f"topic '{shown(topic)}' is not in the list of topics"
            self.findings.add("unknown-topic", what, line=line, topic=topic)
        lacking = wanted - self._sizes.keys()
        where = "in the list of topics, but not in the run"
        check_missing("missing-topic", lacking, self._sizes, where, self.findings)

    def _tell_coverage(self, coverage: Coverage) -> dict[str, Any]:
        """What the judgments say about the run."""
        judged = coverage.judgments.topics()
        for topic in self._sizes.keys() - set(judged):
            what = f"topic '{shown(topic)}' is not judged"
            line = self._sizes[topic][1]
            self.findings.add("unjudged-topic", what, line=line, topic=topic)
        lacking = set(judged) - self._sizes.keys()
        where = "judged, but not in the run; irev compare counts it as 0, irev eval with -c"
        check_missing("unretrieved-topic", lacking, self._sizes, where, self.findings)
        if len(lacking) == len(judged):
            what = "the run and the judgments have no topic in common"
            self.findings.add("no-common-topic", what, hint="are these the topics of another year?")
            return {}
        self._tell_share(coverage)
        return {
            "judged_topics": len(judged) - len(lacking),
            f"judged_at_{SHALLOW}": coverage.share,
            "never_judged": coverage.retrieved - coverage.judged,
        }

    def _tell_share(self, coverage: Coverage) -> None:
        if coverage.share >= 1 / _FEW:
            return
        form = coverage.other_form()
        hint = f"ids would fit but for {form}" if form else "another collection, or other ids?"
        if not coverage.judged:
            what = f"none of the {coverage.retrieved:,} documents of judged topics is judged"
            self.findings.add("nothing-judged", what, hint=hint)
            return
        what = f"{coverage.shallow_judged:,} of the {coverage.shallow:,} documents up to rank "
        what += f"{SHALLOW} are judged ({coverage.share:.1%})"
        self.findings.add("hardly-judged", what, hint=hint)


def _rank(text: bytes) -> float:
    """The rank, NaN where it is none; larger ones than doubles hold are none."""
    number = whole(text)
    return float(number) if number is not None and 0 <= number < 2**53 else float("nan")


def _score_hint(text: bytes) -> str:
    if b"," in text and real(text.replace(b",", b".")) is not None:
        return "a number is written with a decimal point"
    return number_hint(text, RUN)


def _extent(counts: list[int]) -> dict[str, float]:
    """The least, the middle and the most."""
    if not counts:
        return {}
    return {"least": min(counts), "median": median(counts), "most": max(counts)}
