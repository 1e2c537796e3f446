"""Judgments of answers, and answers: what is wrong or suspicious in such lines of JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.text import parse_json
from irev.core.wording import count_text, shortened_list
from irev.engine.prepared_judgments import NuggetAnswers, read_judged_answers
from irev.errors import InputError
from irev.read.answers import read_answered_topics
from irev.scores.table import stem_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from irev.jobs.check.report import FileReport, Findings
    from irev.read.stream import Source

ANSWERS = "answers"
"""What a file of the answers of a run is called here; judgments are called as their format."""

_KEY_OF_FORMAT = {"nuggets": "nuggets", "support": "sentences"}
"""Under which key a line of a format has what was judged."""
_KEYS_OF_ANSWERS = ("answer", "responses")
_MOST_SHOWN = 10


class JudgedTopicsOfRuns(NamedTuple):
    """Which answers were judged, in the files that were checked so far.

    topics_of_run  run -> its judged topics
    """

    topics_of_run: Mapping[str, frozenset[bytes]]

    def union(self, other: JudgedTopicsOfRuns) -> JudgedTopicsOfRuns:
        """Those of two files."""
        joined = dict(self.topics_of_run)
        for run, topics in other.topics_of_run.items():
            joined[run] = joined.get(run, frozenset()) | topics
        return JudgedTopicsOfRuns(joined)


def answers_kind(head: bytes, qrels_format: str | None) -> str | None:
    """What a text is that begins so: judgments of a format, answers, or neither.

    With a format all files are judgments of this format, or answers.
    """
    first = next((line for line in head.split(b"\n") if line and not line.isspace()), b"")
    row: Any = None
    if first.lstrip().startswith(b"{"):
        try:
            row = parse_json(first)
        except ValueError:
            row = None
    keys = row.keys() if isinstance(row, dict) else ()
    if qrels_format is not None:
        is_answer = any(key in keys for key in ("metadata", *_KEYS_OF_ANSWERS))
        has_judgment = _KEY_OF_FORMAT[qrels_format] in keys
        return qrels_format if has_judgment or not is_answer else ANSWERS
    for name, key in _KEY_OF_FORMAT.items():
        if key in keys:
            return name
    return ANSWERS if any(key in keys for key in _KEYS_OF_ANSWERS) else None


def check_answers(
    source: Source, kind: str, findings: Findings, judged: JudgedTopicsOfRuns | None
) -> FileReport:
    """What was found in judgments of answers, or in answers.

    `judged` are the answers that were judged in the files before.
    """
    facts: dict[str, int] = {}
    topics: set[bytes] = set()
    num_answers = 0
    judged_here = None
    try:
        if kind == ANSWERS:
            topics = _check_run(source, findings, judged)
            num_answers = len(topics)
        else:
            answers = read_judged_answers(source, kind, sign=True)
            facts, judged_here = answers.facts(), JudgedTopicsOfRuns(answers.topics_of_run)
            topics = set().union(*answers.topics_of_run.values())
            num_answers = sum(map(len, answers.topics_of_run.values()))
            findings.add_notices(notice._replace(run="") for notice in answers.warnings())
            _tell_unjudged_topics_of_each_run(judged_here, topics, findings)
            if isinstance(answers, NuggetAnswers) and answers.topics_without_vital:
                without = answers.topics_without_vital
                findings.add(
                    "no-relevant",
                    f"{count_text(len(without), 'topic')} without a vital nugget: "
                    f"{shortened_list(without, _MOST_SHOWN)}",
                    hint="V is 0 there",
                )
    except InputError as error:
        for problem in error.problems:
            findings.add(problem.kind, problem.message, line=problem.line, hint=problem.hint)
    return findings.report(
        kind=kind, lines=num_answers, rows=num_answers, topics=len(topics), facts=facts,
        sha256=source.sha256 or "", judged_answers=judged_here,
    )  # fmt: skip


def _tell_unjudged_topics_of_each_run(
    judged: JudgedTopicsOfRuns, topics_of_all_runs: set[bytes], findings: Findings
) -> None:
    """The topics of which an answer of a run was not judged, and those of others were."""
    for run, judged_topics in sorted(judged.topics_of_run.items()):
        lacking = sorted(topics_of_all_runs - judged_topics)
        if lacking:
            findings.add(
                "unretrieved-topic",
                f"run {run} lacks {len(lacking)} of "
                f"{count_text(len(topics_of_all_runs), 'topic')}: "
                f"{shortened_list(lacking, _MOST_SHOWN)}",
                hint="they count 0 in compare, leaderboard and gate",
            )


def _check_run(source: Source, findings: Findings, judged: JudgedTopicsOfRuns | None) -> set[bytes]:
    """Tell what is wrong with the answers of a run; the topics that they are to."""
    answers = read_answered_topics(source)
    topics = set(answers.topics)
    if judged is None:
        findings.add("late-qrels", "not held against judgments: give these first")
        return topics
    run = answers.run_id or stem_of(os.path.basename(source.path))
    if run not in judged.topics_of_run:
        findings.add(
            "nothing-judged",
            f"no answer of run '{run}' is judged; the runs are "
            f"{shortened_list(sorted(judged.topics_of_run), _MOST_SHOWN)}",
        )
        return topics
    without = sorted(topics - judged.topics_of_run[run])
    if without:
        findings.add(
            "unlabelled-answer",
            f"{count_text(len(without), 'answer')} without a judgment: "
            f"{shortened_list(without, _MOST_SHOWN)}",
        )
    judged_topics = set().union(*judged.topics_of_run.values())
    lacking = sorted(judged_topics - topics)
    if lacking:
        findings.add(
            "unretrieved-topic",
            f"no answer to {len(lacking)} of {count_text(len(judged_topics), 'judged topic')}: "
            f"{shortened_list(lacking, _MOST_SHOWN)}",
        )
    return topics
