"""Findings about all topics at once, against plain loops that go topic by topic, line by line."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from irev.jobs.check.files import GROUPED, check_file, detect_kind
from irev.jobs.check.findings import CheckRules
from irev.jobs.check.runs import CUTOFFS
from tests.strategies import examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from irev.jobs.check.findings import FileReport

TOPICS, DOCS = ["1", "01", "q", "Q", "7"], ["a", "A", "b", "c1", "c01", "d", "longer-document"]
MAX_PER_TOPIC = 6


class Row(NamedTuple):
    """A line of a run or of qrels; NaN where it has no number, `group` of qrels alone."""

    line: int
    topic: str
    document: str
    rank: float
    value: float
    group: str = "0"


Found = Counter[tuple[str, int | None, str | None]]
"""How often there is a finding: its code, line and topic."""

scores = st.sampled_from(["3", "2", "2.5", "1", "0", "-1", "inf", "x"])
ranks = st.sampled_from(["0", "1", "2", "3", "4", "x"])
run_lines = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCS), ranks, scores),
    min_size=1, max_size=30,
)  # fmt: skip
qrels_lines = st.lists(
    st.tuples(
        st.sampled_from(TOPICS), st.sampled_from("gGh"), st.sampled_from(DOCS),
        st.sampled_from(["0", "1", "2", "-1", "-2", "x"]),
    ),
    min_size=1, max_size=30,
)  # fmt: skip


def number(text: str) -> float:
    return math.nan if text == "x" else float(text)


def by_topic(rows: Sequence[Row]) -> dict[str, list[Row]]:
    topics: dict[str, list[Row]] = {}
    for row in rows:
        topics.setdefault(row.topic, []).append(row)
    return topics


def plain_duplicates(topic: list[Row], found: Found, code: str = "duplicate-document") -> None:
    seen = set()
    for row in topic:
        if row.document in seen:
            found[code, row.line, row.topic] += 1
        seen.add(row.document)


def plain_scattered(topics: list[list[Row]], found: Found) -> None:
    """Where the first of them comes again."""
    again = [
        next((row for before, row in pairwise(topic) if row.line != before.line + 1), None)
        for topic in topics
    ]
    first = min(filter(None, again), key=lambda row: row.line, default=None)
    if first is not None:
        found["scattered-topic", first.line, first.topic] += 1


def plain_ranks(topic: list[Row], found: Found, once: dict[str, list[Row]]) -> None:
    numbered = [row for row in topic if row.rank == row.rank and row.value == row.value]
    numbered.sort(key=lambda row: (row.rank, -row.value))
    if not numbered:
        return
    steps = [(upper, lower) for upper, lower in pairwise(numbered)]
    repeated = [upper.rank for upper, lower in steps if upper.rank == lower.rank]
    if repeated:
        line = [row.line for row in topic if row.rank == repeated[0]][1]
        found["repeated-rank", line, topic[0].topic] += 1
    for upper, lower in steps:
        if lower.rank > upper.rank and lower.value > upper.value:
            found["rank-order", lower.line, topic[0].topic] += 1
            break
    if numbered[0].rank == 0:
        once.setdefault("ranks-from-zero", []).append(topic[0])
    is_left_out = any(lower.rank > upper.rank + 1 for upper, lower in steps)
    if len(numbered) == len(topic) and (is_left_out or numbered[0].rank > 1):
        once.setdefault("rank-gap", []).append(topic[0])


def plain_ties(topic: list[Row], found: Found, facts: Counter[str]) -> None:
    values = sorted((row.value for row in topic if row.value == row.value), reverse=True)
    groups = [count for count in Counter(values).values() if count > 1]
    facts["tie_groups"] += len(groups)
    facts["tied_documents"] += sum(groups)
    facts["topics_with_ties"] += bool(groups)
    for cutoff in CUTOFFS:
        facts[f"at {cutoff}"] += len(values) > cutoff and values[cutoff - 1] == values[cutoff]
    if len(values) == len(topic) > 1 and len(set(values)) == 1:
        found["constant-scores", topic[0].line, topic[0].topic] += 1


def plain_coverage(topic: list[Row], judgments: list[Row], facts: Counter[str]) -> None:
    judged = {row.document for row in judgments if row.value >= 0}
    scored = [row for row in topic if row.value == row.value]
    scored.sort(key=lambda row: (row.value, row.document.encode()), reverse=True)
    facts["retrieved"] += len(topic)
    facts["judged"] += sum(row.document in judged for row in topic)
    facts["shallow"] += len(scored[:10])
    facts["shallow judged"] += sum(row.document in judged for row in scored[:10])


def plain_run(rows: list[Row], judgments: list[Row]) -> tuple[Found, Counter[str]]:
    """The findings about topics of a run, and counts of ties and of judged documents."""
    found: Found = Counter()
    facts: Counter[str] = Counter()
    once: dict[str, list[Row]] = {}
    judgments_by_topic = by_topic(judgments)
    plain_scattered([*by_topic(rows).values()], found)
    for name, topic in by_topic(rows).items():
        plain_duplicates(topic, found)
        plain_ranks(topic, found, once)
        plain_ties(topic, found, facts)
        if len(topic) > MAX_PER_TOPIC:
            found["many-documents", topic[MAX_PER_TOPIC].line, name] += 1
        if name in judgments_by_topic:
            plain_coverage(topic, judgments_by_topic[name], facts)
    for code, firsts in once.items():
        first = min(firsts, key=lambda row: row.line)
        found[code, first.line, first.topic] += 1
    return found, facts


def plain_qrels(rows: list[Row]) -> Found:
    """The findings about topics of qrels."""
    found: Found = Counter()
    plain_scattered([*by_topic(rows).values()], found)
    for name, topic in by_topic(rows).items():
        if not any(row.value >= 1 for row in topic):
            found["no-relevant", topic[0].line, name] += 1
        firsts: dict[str, Row] = {}
        spellings: dict[str, str] = {}
        for row in topic:
            first = firsts.setdefault(row.document, row)
            if first is not row:
                is_other = abs(first.value - row.value) > 0
                code = "contradicting-grades" if is_other else "repeated-judgments"
                found[code, row.line, name] += 1
            if spellings.setdefault(row.document.lower(), row.document) != row.document:
                found["similar-documents", row.line, name] += 1
    negative = [row for row in rows if row.value < 0]
    if negative:
        found["negative-grade", negative[0].line, None] += 1
    return found


def found_in(report: FileReport, codes: set[str]) -> Found:
    """Those that stand at a line; of a whole run every command warns of order and ties."""
    return Counter(
        (each.code, each.line, each.topic)
        for each in report.findings
        if each.code in codes and not (each.line is None and each.code in OF_WHOLE_RUNS)
    )


OF_WHOLE_RUNS = {"rank-order", "constant-scores"}
QRELS_CODES = {
    "scattered-topic", "no-relevant", "contradicting-grades", "repeated-judgments",
    "similar-documents", "negative-grade",
}  # fmt: skip
RUN_CODES = {
    "duplicate-document", "scattered-topic", "repeated-rank", "rank-order", "ranks-from-zero",
    "rank-gap", "constant-scores", "many-documents",
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("piece", [1 << 20, 16])
@examples(60)
@given(
    qrels=qrels_lines, run=run_lines, grouped=st.booleans(), sorts=st.booleans(), ten=st.booleans()
)
def test_topics_at_once(
    tmp_path_factory: pytest.TempPathFactory,
    piece: int,
    qrels: list[tuple[str, str, str, str]],
    run: list[tuple[str, str, str, str]],
    grouped: bool,
    sorts: bool,
    ten: bool,
) -> None:
    """Whatever the topics hold, in one part or in many, scattered or not."""
    folder = tmp_path_factory.mktemp("twin")
    if sorts:
        run.sort(key=lambda line: line[0])
        qrels.sort(key=lambda line: line[0])
    if ten:  # more than ten of a topic
        run += [("1", f"x{index}", str(index), "2") for index in range(12)]
    # a third field of one value is told as no document
    assume(not grouped or len({document for _, _, document, _ in qrels}) > 1)
    if not grouped:
        qrels = [(topic, "0", document, grade) for topic, _, document, grade in qrels]
    rules = CheckRules(max_per_topic=MAX_PER_TOPIC, max_findings=1000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("irev.jobs.check.files._PIECE", piece)
        qrels_report = _checked(folder / "x.q", [" ".join(line) for line in qrels], rules)
        judgments = [
            Row(line, topic, document, 0, number(grade), group)
            for line, (topic, group, document, grade) in enumerate(qrels, 1)
        ]
        # a document of several groups is one for each
        # under several words in the second field a repetition is told as a duplicate
        codes = QRELS_CODES - {"repeated-judgments"} if grouped else QRELS_CODES
        if detect_kind((folder / "x.q").read_bytes(), rules.profile).name == GROUPED:
            judgments = [row._replace(document=f"{row.group} {row.document}") for row in judgments]
        expected = {key: n for key, n in plain_qrels(judgments).items() if key[0] in codes}
        assert found_in(qrels_report, codes) == expected
        lines = [f"{topic} Q0 {document} {rank} {score} t" for topic, document, rank, score in run]
        report = _checked(folder / "x.run", lines, rules, qrels_report)
    rows = [
        Row(line, topic, document, number(rank), number(score))
        for line, (topic, document, rank, score) in enumerate(run, 1)
    ]
    judgments = [row._replace(document=row.document.split()[-1]) for row in judgments]
    found, facts = plain_run(rows, judgments)
    assert found_in(report, RUN_CODES) == found
    for name in ("tie_groups", "tied_documents", "topics_with_ties"):
        assert report.facts[name] == facts[name]
    at_cutoffs = {str(cutoff): facts[f"at {cutoff}"] for cutoff in CUTOFFS if facts[f"at {cutoff}"]}
    assert report.facts["topics_with_ties_at"] == at_cutoffs
    if "judged_at_10" in report.facts:
        assert report.facts["never_judged"] == facts["retrieved"] - facts["judged"]
        share = facts["shallow judged"] / facts["shallow"] if facts["shallow"] else 0
        assert report.facts["judged_at_10"] == share


def _checked(
    path: Path, lines: list[str], rules: CheckRules, qrels: FileReport | None = None
) -> FileReport:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    kind = "run" if path.suffix == ".run" else "qrels"
    return check_file(path, rules, kind=kind, qrels=qrels)
