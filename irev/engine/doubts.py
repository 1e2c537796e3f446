"""What is doubtful about scores: what a reader must know, looked for in this one place.

That hardly anything of a run is judged, that topics are left out, that ids decide its order; that
run and judgments were exchanged, or two runs are one; what is odd about judgments and measures,
whatever the run. The bounds were chosen on runs of eight collections of TREC and CLEF: the share of
judged documents up to rank 10 was above 0.037 in each of them, and writing ids otherwise never
found more than a thousandth.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from irev.core.arrays import Floats, Ints, RowValues, TopicOfRow
from irev.core.judged import Input, Judged, Qrels, RankingExtras, Rows, RunScores, Settings
from irev.core.record import cached_property
from irev.core.text import as_text, count_text, has_invisible, pattern, shortened_list
from irev.engine.map_topics import map_topics
from irev.engine.prepared_judgments import PreparedJudgments, RunPart
from irev.engine.run_facts import (
    EXCHANGED,
    FEW_VALUES,
    FIRST,
    LEAST_FACTOR,
    MOST_GRADES,
    ORDER_DEPTH,
    RANKS_DECIDE,
    SHALLOW,
    TOP,
    EqualScoreCounts,
    JudgedCounts,
    JudgedIds,
    TopicJudgedIds,
    best_rewriting,
    judged_ids,
    match_topics,
    numbering_warnings,
    run_totals,
    shape_of_each_id,
)
from irev.errors import NO_DOCUMENTS, IrevError, MismatchError, Notice, id_text
from irev.measures.naming.grammar import SUITE_PREFIX
from irev.measures.naming.resolve import expand_suites
from irev.measures.naming.trec_names import repeated_parameter_warnings
from irev.measures.registry import SET_NAMES
from irev.measures.requests import Request, value_text
from irev.options import EvaluationOptions
from irev.rank.judgments import GradedJudgments, SampleJudgments
from irev.rank.ranking import RankingRule, ranks_of_rows
from irev.read.formats import JUDGMENTS, SAVED
from irev.read.layout import ChosenLayout
from irev.read.stream import sha256_of
from irev.scores.scores import LARGEST_ERROR, SUMMARY, Account, Scores

_CUTOFF = r"(?<=[._@,])[0-9]+(?![0-9.=%])"
"""A number in a measure's name that may be a cutoff."""


class Doubts:
    """What is doubtful about runs under some measures, and about the judgments whatever the run."""

    def __init__(
        self,
        prepared_judgments: PreparedJudgments,
        requests: Sequence[Request],
        options: EvaluationOptions,
        measure_names: Sequence[str],
    ) -> None:
        self._prepared, self._qrels = prepared_judgments, prepared_judgments.qrels
        self._requests, self._options, self._names = requests, options, measure_names

    def __getstate__(self) -> dict[str, Any]:
        """For `copy` and `pickle`: all but what a doubt about a run looks up in the judgments."""
        return {name: value for name, value in vars(self).items() if name != "_judged_ids"}

    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """What is doubtful about these measures on these judgments, whatever the run."""
        from irev.measures.requests import cautions

        judgments, level = self._prepared.judgments, self._options.level
        is_sample = isinstance(judgments, SampleJudgments)
        is_plain = isinstance(judgments, GradedJudgments) and not is_sample
        notices = [*self._prepared.notices]
        if self._options.max_retrieved == 0:  # which somebody may take for no limit
            text = "-M 0 keeps no document", "without it all are kept"
            notices.append(Notice("emptied-topic", *text))
        notices += judgment_warnings(self._qrels, self._requests, level, is_graded=is_plain)
        if self._options.no_relevant == "answer":
            unchanged = [r.columns[0].name for r in self._requests if not r.rewards_nothing]
            if unchanged:
                line = "--no-rel answer changes no value of " + shortened_list(unchanged)
                notices.append(Notice("nothing-to-find", line))
        for line in repeated_parameter_warnings(self._names):
            notices.append(Notice("repeated-measure", line))
        lines = cautions(self._requests, self._qrels, level, self._names)
        for line in (*lines, *judgments.caution_sentences()):
            notices.append(Notice("doubtful-measure", line))
        return tuple(notices)

    def of_run(
        self,
        parts: Sequence[RunPart],
        account: Account,
        unretrieved_topics: Sequence[bytes] = (),
        *,
        has_ranks: bool,
    ) -> tuple[Notice, ...]:
        """What is doubtful about the scores of a ranked run.

        Args:
            parts: what became of its topics.
            account: which of them count.
            unretrieved_topics: the judged ones that it lacks and the averages do not count.
            has_ranks: whether ranks stand beside the scores of its file.
        """
        options, ranking = self._options, self._prepared.ranking
        absent = account.skipped if options.topics == "run" else account.missing
        notices = [*left_out_topic_and_line_warnings(account, unretrieved_topics, absent)]
        counts_of_parts = [part.judged_counts for part in parts if part.judged_counts is not None]
        if not counts_of_parts:
            return tuple(notices)
        counts = run_totals(counts_of_parts)
        unjudged = unjudged_warnings(counts, lambda: self._judged_ids)
        equal_scores = counts.equal_scores
        if equal_scores is None:
            notices += unjudged
        else:
            if equal_scores.are_mostly_tied:
                # equal scores stand first: the run does not say which of them are judged
                untrue = set() if options.ties == "input" else {"unjudged-top"}
                if options.ties == "pessimistic":  # which puts those first that are not judged
                    untrue.add("hardly-judged")
                unjudged = tuple(each for each in unjudged if each.kind not in untrue)
            notices += unjudged
            if not has_ranks:  # against which the scores are held elsewhere
                notices += numbering_warnings([equal_scores])
            if options.ties != "average" and ranking.ties == "docid":
                gives = JUDGMENTS[options.qrels_format].gives
                notices += equal_score_warnings(
                    equal_scores,
                    has_ranks=has_ranks,
                    may_average=len(gives) == 1 and "prefs" not in gives,
                    has_tie_range=options.tie_range,
                )
            notices = self.without_order_warnings(notices)
        if options.max_retrieved is None and not options.judged_only and self._cutoff:
            notices += shallow_run_warnings(counts.depths, self._cutoff)
        return tuple(notices)

    def without_order_warnings(self, notices: Sequence[Notice]) -> list[Notice]:
        """The warnings, but for those about the order where no measure looks at it."""
        is_of_order = [each.kind in ORDER_KINDS for each in notices]
        if not any(is_of_order) or any(map(looks_at_order, self._requests)):
            return [*notices]
        return [each for each, is_odd in zip(notices, is_of_order, strict=True) if not is_odd]

    def of_exchanged_inputs(
        self, facts_of_run: Sequence[NumberFacts], *, is_same_input: bool
    ) -> Iterator[Notice]:
        """A warning where run and judgments seem to be exchanged, or are one input."""
        run, judgments = total_number_facts(facts_of_run), self._number_facts
        has_same_total = math.isclose(run.total, judgments.total)
        are_equal = run._replace(total=0.0) == judgments._replace(total=0.0) and has_same_total
        if is_same_input and are_equal:
            yield Notice(
                EXCHANGED,
                "the judgments were given as the run, too: each document has its grade as its "
                "score",
                "give the run after the judgments",
            )
        elif judgments.look_like_scores and run.look_like_grades(judgments.num_pairs):
            kind = "few" if run.num_odd else "few whole"
            yield Notice(
                EXCHANGED,
                f"the scores of the run are {kind} numbers",
                "the judgments have many different grades: are run and judgments exchanged? the "
                "judgments come first",
            )

    @cached_property
    def _number_facts(self) -> NumberFacts:
        return number_facts(self._qrels.topic_of_row, self._qrels.grade)

    @cached_property
    def _judged_ids(self) -> JudgedIds:
        """What a doubt about a run needs of the judgments."""
        is_graded = "prefs" not in JUDGMENTS[self._options.qrels_format].gives
        return judged_ids(self._qrels, is_graded=is_graded)

    @cached_property
    def _cutoff(self) -> int | None:
        """The deepest cutoff that stands in the name of a measure with a direction, if one does.

        The cutoffs of sets and suites, and those that a measure has by default, nobody named.
        """
        named_cutoffs = {
            int(number)
            for name in expand_suites(self._names)
            if name not in SET_NAMES and not name.startswith(SUITE_PREFIX)
            for number in pattern(_CUTOFF).findall(name)
        }
        computed = {
            cutoff
            for request in self._requests
            if request.measure.higher_is_better is not None
            for cutoff in request.arguments.cutoffs
            if isinstance(cutoff, int)
        }
        return max(named_cutoffs & computed, default=None)


# --- Scores of measures given as a run: {topic: {measure: value}}, as pytrec_eval has them ---
# A run in JSON has the same shape, with documents for measures. So scores are known by their ids,
# which are looked at where no document is judged, or where there are no judgments.


def refuse_scores_of_measures(docs: Iterable[bytes], subject: str) -> None:
    """Refuse a run, or judgments, all of whose documents that are given are names of measures.

    `subject` is what they were given as, with its verb: "the run has".
    """
    from irev.scores.saved_runs import are_measure_names

    names = [*dict.fromkeys(map(as_text, docs))]
    if are_measure_names(names):
        raise MismatchError(
            f"{subject} measures in place of documents "
            f"({shortened_list(names, 3)}): it looks like {SAVED}",
            kind="other-kind",
        )


def refuse_saved_scores(run: Input) -> None:
    """Refuse a file of saved scores where runs are read without judgments."""
    from irev.scores.saved import is_saved

    if isinstance(run, str | os.PathLike) and os.path.isfile(run) and is_saved(os.fspath(run)):
        raise MismatchError(
            f"{os.fspath(run)}: this is not a run: it looks like {SAVED}", kind="other-kind"
        )


# --- That hardly anything of a run is judged ---


_LEAST_LOOKED, _MOST_LOOKED = 3, 3000
"""Other ways of writing are looked for in so many topics at least, and in more of them until so
many judged documents were looked at: a run must not cost much because hardly one is judged."""

UNJUDGED = frozenset(
    {"nothing-judged", "nothing-met", "other-ids", "other-topics", "hardly-judged"}
)
"""The kinds of warnings that hardly anything of a run is judged."""

_LEAST_HITS, _LEAST_GAIN = 3, 0.05
"""How many documents, at least, another way of writing must make judged, and which share more."""

_LEAST_NEXT = 0.3
"""With fewer of the next documents judged nobody wonders that the first ones are not."""

_LEAST_ODD = 0.3
"""So many of the unjudged documents must have ids of a form that no judged one has."""

_ELSEWHERE = 0.5
"""With so many of the first documents judged for any topic, topics are mixed up."""

_NEARLY_ALL, _LEAST_TOPICS = 0.8, 3
"""So many topics, and such a share of them, must end at one rank for a run to be cut there."""

_MOST_IDS = 10


def unjudged_warnings(
    counts: JudgedCounts, judged_ids: Callable[[], JudgedIds]
) -> tuple[Notice, ...]:
    """A warning where hardly anything of a run is judged, or part of it for a reason.

    Raises:
        MismatchError: nothing is, and all documents of one side are names of measures.
    """
    warning = None
    if counts.is_few:
        if not counts.is_judged and counts.samples:
            docs = (doc for _, docs in counts.samples for doc in docs)
            refuse_scores_of_measures(docs, "the run has")
            of_topic = judged_ids().of_topic
            judged = (doc for topic, _ in counts.samples for doc in of_topic(topic))
            refuse_scores_of_measures(judged, "the judgments have")
        warning = hardly_judged_warning(counts, judged_ids())
    elif counts.is_partial and counts.retrieved:
        warning = top_judged_less_than_next_warning(counts)
        warning = warning or part_unmatched_warning(counts, judged_ids())
    return () if warning is None else (warning,)


def top_judged_less_than_next_warning(counts: JudgedCounts) -> Notice | None:
    """A warning where hardly a first document is judged, and many of the next ones are."""
    num_top = sum(map(min, counts.depths.tolist(), repeat(TOP)))
    num_next, next_judged = counts.shallow - num_top, counts.shallow_judged - counts.top_judged
    top_share = counts.top_judged / num_top if num_top else 0.0
    next_share = next_judged / num_next if num_next else 0.0
    if next_share < _LEAST_NEXT or top_share * LEAST_FACTOR > next_share:
        return None
    return Notice(
        "unjudged-top",
        f"{top_share:.0%} of the documents at ranks 1 to {TOP} are judged, and {next_share:.0%} of "
        f"those at ranks {TOP + 1} to {SHALLOW}",
        "were documents put in front after the ranking?",
    )


def part_unmatched_warning(counts: JudgedCounts, judged_ids: JudgedIds) -> Notice | None:
    """A warning where ids of another form explain why many documents are not judged."""
    if judged_ids.is_sparse or not counts.samples:
        return None
    samples = _id_samples(counts, judged_ids)
    unjudged = [doc for docs, ids in samples for doc in docs if doc not in ids]
    odd = next(invisible_character_warnings("a document of the run", unjudged), None)
    if odd is not None:
        return odd
    shapes = {shape for _, ids in samples for shape in ids.shapes}
    num_odd = sum(shape not in shapes for shape in shape_of_each_id(unjudged))
    if num_odd < _LEAST_ODD * len(unjudged):
        return None
    hint = _id_difference_hint(samples, is_sparse=False, least_factor=1)
    if not hint:
        return None
    return Notice("other-ids", _judged_share_text(counts), hint)


def _judged_share_text(counts: JudgedCounts) -> str:
    return (
        f"{counts.shallow_judged:,} of the {counts.shallow:,} documents up to rank {SHALLOW} are "
        f"judged ({counts.shallow_judged / counts.shallow:.1%})"
    )


def hardly_judged_warning(counts: JudgedCounts, judged_ids: JudgedIds) -> Notice | None:
    """A warning where nothing of a run is judged, or hardly anything, and what may be the cause."""
    if not counts.is_few or not counts.retrieved:
        return None
    id_hint = _id_difference_hint(
        _id_samples(counts, judged_ids), is_sparse=judged_ids.is_sparse, least_factor=LEAST_FACTOR
    )
    if not counts.is_judged:
        kind = "nothing-met" if judged_ids.is_sparse and not id_hint else "nothing-judged"
        message = f"none of the {counts.retrieved:,} documents of judged topics is judged"
        if counts.retrieved == 1:
            message = "the only document of judged topics is not judged"
        if counts.shallow_judged and not id_hint:
            return Notice(kind, message, "some are in the pool without a grade")
        return Notice(kind, message, id_hint or _nothing_judged_hint(counts, judged_ids))
    if judged_ids.is_sparse and not id_hint:
        return None
    message = _judged_share_text(counts)
    if id_hint:
        return Notice("other-ids", message, id_hint)
    elsewhere = _share_elsewhere(counts, judged_ids)
    if elsewhere >= _ELSEWHERE:
        return Notice("other-topics", message, _shifted_topics_hint(elsewhere))
    return Notice("hardly-judged", message, "another collection, or documents that nobody pooled?")


def _id_samples(
    counts: JudgedCounts, judged_ids: JudgedIds
) -> list[tuple[list[bytes], TopicJudgedIds]]:
    """The first documents of some topics, each with the judged ids of the topic."""
    if not counts.samples:
        return []
    samples: list[tuple[list[bytes], TopicJudgedIds]] = []
    num_looked_at = 0
    for topic, docs in counts.samples:
        if len(samples) >= _LEAST_LOOKED and num_looked_at >= _MOST_LOOKED:
            break
        ids = judged_ids.of_topic(topic)
        samples.append((docs, ids if isinstance(ids, TopicJudgedIds) else TopicJudgedIds(ids)))
        num_looked_at += len(ids)
    return samples


def _id_difference_hint(
    samples: Sequence[tuple[list[bytes], TopicJudgedIds]], *, is_sparse: bool, least_factor: int
) -> str:
    """How ids would have to be written, if that explains why few are judged; or nothing.

    `least_factor` is how many times as many documents would be judged then, at least.
    """
    if not samples:
        return ""
    rewriting = best_rewriting(samples)
    if rewriting is None:
        return ""
    total = sum(len(docs) for docs, _ in samples)
    num_judged = sum(document in ids for docs, ids in samples for document in docs)
    gained = rewriting.num_judged - num_judged
    is_enough = is_sparse or gained >= _LEAST_GAIN * total
    if gained < _LEAST_HITS or rewriting.num_judged < least_factor * num_judged or not is_enough:
        return ""
    return (
        f"the ids look different: '{id_text(rewriting.run_docid)}' in the run, "
        f"'{id_text(rewriting.judged_docid)}' in the judgments ({rewriting.wording.rstrip(',')}, "
        f"{rewriting.num_judged / total:.0%} of the top {SHALLOW} are judged)"
    )


def _nothing_judged_hint(counts: JudgedCounts, judged_ids: JudgedIds) -> str:
    """What to think of a run of which nothing is judged."""
    elsewhere = _share_elsewhere(counts, judged_ids)
    if elsewhere >= _ELSEWHERE:
        return _shifted_topics_hint(elsewhere)
    for topic, documents in counts.samples:
        ids = judged_ids.of_topic(topic)
        if documents and ids:
            one, other = id_text(documents[0]), id_text(min(ids))
            return f"'{one}' in the run, '{other}' in the judgments: another collection?"
    return "another collection?"


def _share_elsewhere(counts: JudgedCounts, judged_ids: JudgedIds) -> float:
    """Which share of the first documents is judged for any topic."""
    first = [document for _, documents in counts.samples for document in documents]
    anywhere = set(first).intersection(judged_ids.of_all_topics()) if first else set()
    return sum(document in anywhere for document in first) / len(first) if first else 0.0


def _shifted_topics_hint(share: float) -> str:
    return (
        f"{share:.0%} of the first {SHALLOW} are judged for other topics: are the topics shifted?"
    )


# --- Topics, lines and depths; equal scores ---


def nothing_to_find_notes(account: Account, num_topics: int) -> Iterator[Notice]:
    """How many topics ask for the answer that there is nothing, and how many have it."""
    if account.rightly_empty is None:
        return
    num_empty, num_right = len(account.without_relevant), len(account.rightly_empty)
    message = (
        f"{num_empty} of {count_text(num_topics, 'topic')} ({num_empty / num_topics:.0%}) "
        f"{'has' if num_empty == 1 else 'have'} no relevant document"
    )
    if num_empty:
        message += (
            f"; nothing was retrieved for {num_right} of them ({num_right / num_empty:.0%}), "
            "which counts as 1, else as 0"
        )
    yield Notice("nothing-to-find", message)


def left_out_topic_and_line_warnings(
    account: Account, unretrieved_topics: Sequence[bytes], absent_topics: Sequence[bytes]
) -> Iterator[Notice]:
    """Warnings about topics that the averages leave out, and lines that the run repeats.

    `absent_topics` are the judged ones that the run lacks, whether or not that counts.
    """
    if unretrieved_topics:
        num_topics = len(unretrieved_topics)
        be, was, them = ("is", "was", "it") if num_topics == 1 else ("are", "were", "them")
        which = count_text(num_topics, "judged topic")
        yield Notice(
            "unretrieved-topic",
            f"{which} {be} missing from the run and {was} left out of the averages: "
            f"{shortened_list(unretrieved_topics, _MOST_IDS)}",
            f"use -c to count {them} as 0",
        )
    yield from repeated_line_warnings(account)
    yield from invisible_character_warnings("a topic of the run", account.unjudged)
    if absent_topics and account.unjudged:
        wording, pairs = match_topics(account.unjudged, absent_topics)
        if pairs:
            yield Notice("other-topic-ids", *differing_topic_texts(wording, pairs))


def invisible_character_warnings(noun: str, ids: Sequence[bytes]) -> Iterator[Notice]:
    """A warning where one of the first ids has a byte order mark or another invisible character."""
    ids = ids[:_MOST_LOOKED]
    if has_invisible(b"".join(ids)):
        odd = next(filter(has_invisible, ids))
        yield Notice(
            "invisible-character",
            f"{noun} has an invisible character",
            f"'{id_text(odd)}': remove it, it is part of the id, which then matches no other",
        )


def repeated_line_warnings(account: Account) -> Iterator[Notice]:
    """A warning about lines that the run repeats, where there are any."""
    if account.repeats:
        total = account.duplicates
        lines = (
            "1 line that repeats a document of its topic was"
            if total == 1
            else f"{total} lines that repeat a document of their topic were"
        )
        topics = [topic for topic, _ in account.repeats]
        which = f"in {count_text(len(topics), 'topic')}: {shortened_list(topics, _MOST_IDS)}"
        yield Notice("left-out-lines", f"{lines} left out of the run, {which}")


def unknown_error_notes(
    scores: Scores, requests: Sequence[Request], qrels: Qrels, level: float
) -> Iterator[Notice]:
    """Notes where too little was drawn from topics for them to have standard errors."""
    column_of_name = {column.name: index for index, column in enumerate(scores.columns)}
    for request in requests:
        for column in request.columns if request.measure.average == "error" else ():
            is_unknown = np.isnan(scores.values[:, column_of_name[column.name]])
            if is_unknown.any():
                own_level = request.arguments.level
                is_relevant = qrels.grade >= (level if own_level is None else own_level)
                drawn = np.bincount(qrels.topic_of_row[is_relevant], minlength=len(qrels.topics))
                topics = [scores.topics[row] for row in np.flatnonzero(is_unknown).tolist()]
                most = max(int(drawn[qrels.topic_index[topic]]) for topic in topics)
                have = "has no error of its" if len(topics) == 1 else "have no error of their"
                why = (
                    "fewer than 2 relevant documents drawn"
                    if most < 2
                    else "too few documents were drawn"
                )
                text = f"{len(topics)} of {count_text(scores.divisor, 'topic')} {have} own ({why})"
                so = f"each counts as {LARGEST_ERROR:g} in the error of the mean"
                if 2 * len(topics) > scores.divisor:
                    so = "so the mean has none"
                yield Notice("little-drawn", f"{column.name}: {text}: {so}")


def differing_topic_texts(wording: str, pairs: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
    """Message and hint for topics of a run that are written otherwise than the judged ones."""
    one, other = pairs[0]
    which = count_text(
        len(pairs), "topic of the run matches a judged one", "topics of the run match judged ones"
    )
    return (
        f"{which}, {wording}",
        f"'{id_text(one)}' in the run, '{id_text(other)}' in the judgments",
    )


def shallow_run_warnings(depths: Ints, cutoff: int) -> tuple[Notice, ...]:
    """A warning where nearly all rankings, several, end at one depth above a cutoff."""
    if len(depths) < _LEAST_TOPICS:
        return ()
    deepest = int(depths.max())
    if deepest >= cutoff:
        return ()
    same = int((depths == deepest).sum())
    if same < _LEAST_TOPICS or same < _NEARLY_ALL * len(depths):
        return ()
    if same < len(depths):
        which = f"{same} of {len(depths)} topics have {count_text(deepest, 'document')}"
    else:
        which = f"no topic has more than {count_text(deepest, 'document')}"
    return (Notice("shallow-run", f"{which}, fewer than the cutoff {cutoff}"),)


def equal_score_warnings(
    counts: EqualScoreCounts,
    *,
    has_ranks: bool,
    may_average: bool = True,
    has_tie_range: bool = False,
) -> Iterator[Notice]:
    """Warnings where ids order the equal scores of most topics of a run.

    `has_ranks`: ranks stand beside the scores. `may_average`: the judgments allow several orders of
    equal scores. `has_tie_range`: the range over these orders is told already.
    """
    num_few = counts.num_tied + counts.num_coarse
    if 2 * num_few <= counts.num_topics:
        return
    topics = f"{count_text(counts.num_topics, 'topic')} looked at"
    advice = [RANKS_DECIDE if has_ranks else "--ties input keeps the order of the run"]
    of_fewer = ", or all of fewer," if counts.num_short else ""
    if counts.are_mostly_tied:
        first = f"the first {FIRST} documents{of_fewer}"
        if counts.num_short == counts.num_tied:
            first = "all documents"
        if may_average and not has_ranks:
            advice.append("--ties average takes the mean over all orders")
        yield Notice(
            "constant-scores",
            f"{first} have equal scores in {counts.num_tied} of {topics}, so that ids decide",
            ", ".join(advice),
        )
    else:
        if may_average and not has_tie_range:
            advice.append("--tie-range shows how much it matters")
        yield Notice(
            "few-scores",
            f"the first {ORDER_DEPTH} documents{of_fewer} have at most {FEW_VALUES} different "
            f"scores in {num_few} of {topics}, so that ids decide often",
            ", ".join(advice),
        )


# --- Judgments and measures, whatever the run ---


def judgment_warnings(
    qrels: Qrels, requests: Sequence[Request], level: float, *, is_graded: bool
) -> Iterator[Notice]:
    """What is odd about judgments, for the measures that are computed on them.

    `level` is the smallest relevant grade, where a measure's name does not say.
    """
    if SUMMARY.encode() in qrels.topic_index:
        yield Notice(
            "topic-called-all",
            f"a topic is called {SUMMARY}, which is also the label of means over topics",
        )
    yield from invisible_character_warnings("a judged topic", qrels.topics)
    low = int((qrels.grade < -1).sum()) if is_graded else 0
    if low:
        names = [
            request.columns[0].name for request in requests if _distinguishes_unjudged(request)
        ]
        if names:
            yield Notice(
                "low-grade",
                f"{count_text(low, 'judgment has a grade', 'judgments have a grade')} below -1, "
                "which "
                f"{shortened_list(names)} {'treats' if len(names) == 1 else 'treat'} as unjudged",
                f"--map-grades={qrels.grade.min():g}=0 makes it 0",
            )
    yield from below_level_warnings(qrels, requests, level)
    fractions = qrels.level_grade[qrels.level_grade % 1 > 0]
    if len(fractions):
        yield from _fractions_gain_in_some_measures_notes(float(fractions.min()), requests, level)


def below_level_warnings(
    qrels: Qrels, requests: Sequence[Request], level: float
) -> Iterator[Notice]:
    """Warnings where no grade reaches the level of a measure that looks at it."""
    highest = float(qrels.level_grade.max(initial=-1.0))
    names_by_message: dict[str, list[str]] = {}
    for request in requests:
        own_level = request.arguments.level
        least = level if own_level is None else own_level
        if highest < least and _takes_level(request):
            option = "-l " if own_level is None else "rel="
            message = below_level_message(highest, least, option)
            names = names_by_message.setdefault(message, [])
            names += [] if own_level is None or highest <= 0 else [request.columns[0].name]
    for message, names in names_by_message.items():
        yield Notice("below-level", f"{shortened_list(names)}: {message}" if names else message)


def below_level_message(highest: float, level: float, option: str) -> str:
    """That no grade reaches a level, which an option names."""
    if highest <= 0:
        return "no judged document is relevant"
    if highest < 1:
        return f"all grades are below the level {value_text(level)}: {option}{min(highest, 0.5):g}"
    return f"the highest grade is {value_text(highest)}, below the level {value_text(level)}"


def _fractions_gain_in_some_measures_notes(
    lowest_fraction: float, requests: Sequence[Request], level: float
) -> Iterator[Notice]:
    """A note where fractions below the level, of which one is given, gain in some measures alone.

    Measures that weigh no gains at all are not meant.
    """
    gaining: list[str] = []
    others: list[str] = []
    for request in requests:
        own_level = request.arguments.level
        least = level if own_level is None else own_level
        if lowest_fraction < least and _weighs_grades_from(0, request):
            names = gaining if _weighs_grades_from(0.1, request) else others
            names.append(request.columns[0].name)
    if gaining and others:
        yield Notice(
            "gains-below-level",
            f"grades below the level have a gain in {shortened_list(gaining)}, but not in "
            f"{shortened_list(others)}",
        )


ORDER_KINDS = ("constant-scores", "few-scores", "rank-order", "wrong-ranks")
"""The kinds of warnings about the order of a run's documents."""


def looks_at_order(request: Request) -> bool:
    """Whether a measure looks at the order of the documents, not at their set alone."""
    is_cut = any(cutoff is not None for cutoff in request.arguments.cutoffs)
    if request.measure.needs in ("nuggets", "support"):
        return False
    if is_cut or request.measure.needs not in ("any", "qrels", "qrels_jg"):
        return True
    grades = [3, 2, 1, 1, 0, 0, -1, -2]
    try:
        with np.errstate(all="ignore"):
            first, second = (
                _values_of_judged_documents(request, each, None) for each in (grades, grades[::-1])
            )
    except IrevError:  # a measure that needs to be told more
        return True
    if request.measure.kind == "text":
        return request.measure.average != "run"
    return not np.array_equal(first, second, equal_nan=True)


def _distinguishes_unjudged(request: Request) -> bool:
    """Whether unjudged documents are something else to a measure than such as are not relevant."""
    if request.measure.ties or request.measure.scores:
        return False
    return _measure_values_differ(request, ([1, -2, 1, -2], None), ([1, 0, 1, 0], None))


def _takes_level(request: Request) -> bool:
    """Whether a measure looks at the level; of measures of subtopics and samples most do."""
    if request.measure.needs in ("subtopics", "strata", "prels", "support"):
        return True
    rankings: tuple[Sequence[float], ...] = ([0.1] * 4, [0.1, 0.05, 0.1, 0.05])
    return any(_measure_values_differ(request, (grades, 0.1), (grades, 0.2)) for grades in rankings)


def _weighs_grades_from(level: float, request: Request) -> bool:
    """Whether grades up to 0.05 make a difference to a measure, beside one of 0.1, at a level."""
    one, other = ([-1, grade, grade, grade, 0.1] for grade in (0.05, 1e-4))
    return _measure_values_differ(request, (one, level), (other, level))


_GradesAndLevel = tuple["Sequence[float]", "float | None"]
"""Grades of a ranking, and the level, if it is another than that of the measure's name, or 1.

The grade -1 stands for a document that is not in the qrels, -2 for a pooled but unjudged one.
"""


def _measure_values_differ(request: Request, one: _GradesAndLevel, other: _GradesAndLevel) -> bool:
    """Whether a measure of graded judgments has two values."""
    measure = request.measure
    if measure.needs not in ("qrels", "qrels_jg") or measure.kind == "text":
        return False
    try:
        with np.errstate(all="ignore"):
            first, second = (_values_of_judged_documents(request, *case) for case in (one, other))
    except IrevError:
        return False
    return not np.array_equal(first, second, equal_nan=True)


def _values_of_judged_documents(
    request: Request, ranked_grades: Sequence[float], level: float | None
) -> Floats:
    """The values of a ranking that holds all judged documents."""
    grades, num_docs = np.array(ranked_grades, float), len(ranked_grades)
    if level is not None and request.arguments.level is not None:
        request = request._replace(arguments=replace(request.arguments, level=level))
    rows, start = np.flatnonzero(grades != -1), np.array([0, num_docs])
    level_grade, level_count = np.unique(grades[grades >= 0], return_counts=True)
    scores = RunScores.build(np.linspace(1.0, 0.1, num_docs), start).take(rows)
    judged = Judged(
        np.zeros(len(rows), np.int64),
        rows + 1,
        grades[rows],
        np.array([num_docs]),
        np.array([0, len(level_grade)]),
        level_grade,
        level_count,
        Settings() if level is None else Settings(level),
        np.array([np.count_nonzero(grades < -1)]),
        RankingExtras(scores=scores),
    )
    values: Floats = request.values(judged)
    return values


# --- Judgments and a run that were exchanged, or one input given as both ---
# All numbers are looked at, but only where the judgments may be scores. The bounds were chosen on
# real pairs of judgments and runs, and on random ones of many kinds.


_HIGHEST_GRADE, _GRADE_STEPS = 5, (20, 3)
"""Grades that are fractions mostly are no higher, and multiples of 0.05 or of a third."""

_MOST_EQUAL_SCORES, _LEAST_EQUAL_GRADES = 0.05, 0.1
"""Of the pairs of documents of a topic so many have equal scores at most, equal grades at least."""

_MOST_POINTS = 100
"""Whole grades are no higher, be it points."""

_ENOUGH_PAIRS = 45
"""Fewer pairs of documents may all have different grades by chance."""


class NumberFacts(NamedTuple):
    """What the scores or the grades of some whole topics look like.

    num_rows       documents
    num_pairs      pairs of documents of one topic
    num_equal      those of them with equal numbers
    num_odd        documents whose number is no whole one, or beyond `_MOST_POINTS`
    distinct       the different numbers, no more than one beyond `MOST_GRADES`
    are_places     whether the numbers of each topic fall by one, as those of ranked lists do
    total          the sum of all
    """

    num_rows: int
    num_pairs: int
    num_equal: int
    num_odd: int
    distinct: frozenset[float]
    are_places: bool
    total: float

    @property
    def look_like_scores(self) -> bool:
        """Whether they are fractions, or many, of which hardly two are equal within a topic."""
        are_many = len(self.distinct) > MOST_GRADES
        if not (are_many or 2 * self.num_odd > self.num_rows):
            return False
        if not self.num_pairs and len(self.distinct) < min(self.num_rows, MOST_GRADES + 1):
            return False
        if all(map(_is_usual_grade, self.distinct)):
            return self.num_pairs >= _ENOUGH_PAIRS and not self.num_equal
        return self.num_equal <= _MOST_EQUAL_SCORES * self.num_pairs

    def look_like_grades(self, num_pairs_of_judgments: int) -> bool:
        """Whether they are few, and neither places in ranked lists nor all different."""
        if len(self.distinct) > MOST_GRADES:
            return False
        if self.num_odd:
            # a fraction may be a score, too: so few different ones are grades
            enough = self.num_pairs >= _ENOUGH_PAIRS
            return enough and self.num_equal >= _LEAST_EQUAL_GRADES * self.num_pairs
        if not self.num_pairs:
            # one document for each topic is a short list, or all that is relevant
            return num_pairs_of_judgments >= _ENOUGH_PAIRS
        are_low = max(map(abs, self.distinct)) <= 2 * _HIGHEST_GRADE
        return not self.are_places and (self.num_equal > 0 or are_low)


def number_facts(topic_of_row: TopicOfRow, numbers: RowValues) -> NumberFacts:
    """What the numbers of some whole topics look like, in whatever order."""
    order = np.lexsort((numbers, topic_of_row))
    topic, rising = topic_of_row[order], numbers[order]
    of_one_topic = topic[1:] == topic[:-1]
    ends = (
        np.flatnonzero(np.append(True, ~of_one_topic)),
        np.flatnonzero(np.append(True, ~of_one_topic | (rising[1:] != rising[:-1]))),
    )
    num_pairs, num_equal = (
        int((length * (length - 1) // 2).sum())
        for length in (np.diff(start, append=len(topic)) for start in ends)
    )
    with np.errstate(all="ignore"):  # of infinite scores, and of very large ones
        differences = rising[1:][of_one_topic] - rising[:-1][of_one_topic]
        total = float(numbers.sum())
    distinct = np.unique(rising)[: MOST_GRADES + 1].tolist()
    is_odd = (numbers != np.floor(numbers)) | (np.abs(numbers) > _MOST_POINTS)
    return NumberFacts(
        len(numbers),
        num_pairs,
        num_equal,
        int(np.count_nonzero(is_odd)),
        frozenset(distinct),
        bool((differences == 1).all()),
        total,
    )


def total_number_facts(parts: Sequence[NumberFacts]) -> NumberFacts:
    """The same of all parts of an input."""
    distinct = sorted(frozenset().union(*(part.distinct for part in parts)))
    return NumberFacts(
        sum(part.num_rows for part in parts),
        sum(part.num_pairs for part in parts),
        sum(part.num_equal for part in parts),
        sum(part.num_odd for part in parts),
        frozenset(distinct[: MOST_GRADES + 1]),
        all(part.are_places for part in parts),
        sum(part.total for part in parts),
    )


def _is_usual_grade(number: float) -> bool:
    """Whether a number is one of those that people and models give as grades."""
    if number.is_integer():
        return 0 <= number <= _MOST_POINTS
    return 0 <= number <= _HIGHEST_GRADE and any(
        math.isclose(number * step, round(number * step), abs_tol=0.01) for step in _GRADE_STEPS
    )


# --- Runs that are the same under two names ---


class SameRankings:
    """Runs seen so far; those with the same scores are read once more, to see how they rank."""

    def __init__(self, layout: ChosenLayout, ranking: RankingRule, threads: int) -> None:
        self._layout, self._ranking, self._threads = layout, ranking, threads
        self._seen: dict[int, list[tuple[str, Input]]] = {}
        self._orders: dict[str, str | None] = {}

    def same_ranking_warning(self, name: str, run: Input, scores: Scores) -> Notice | None:
        """A warning where a run with another name ranks the same documents in the same order."""
        is_empty = any(notice.kind == NO_DOCUMENTS for notice in scores.notices)
        if self._ranking.orders_ties_by_grade or is_empty:
            return None
        path = os.fspath(run) if isinstance(run, str | os.PathLike) else None
        if path is not None and not (os.path.isfile(path) or os.path.isdir(path)):
            return None  # what can be read once only
        key = hash((scores.topics, scores.account, scores.values.tobytes()))
        others = self._seen.setdefault(key, [])
        for other, other_run in others:
            if path is not None and run == other_run:  # which was given twice
                continue
            if self._ranking_hash(other, other_run) == self._ranking_hash(name, run):
                return identical_runs_warning(other, name)
        others.append((name, run))
        return None

    def _ranking_hash(self, name: str, run: Input) -> str | None:
        if name not in self._orders:
            self._orders[name] = ranking_hash_unless_ties_by_grade(
                run, self._layout, self._ranking, self._threads
            )
        return self._orders[name]


def identical_runs_warning(one: str, other: str) -> Notice:
    """The warning about two runs that are the same: it does not say which is the copy."""
    message = f"{one} and {other} rank the same documents in the same order"
    return Notice("identical-runs", message)


def ranking_hash_unless_ties_by_grade(
    run: Input, layout: ChosenLayout, ranking: RankingRule, threads: int
) -> str | None:
    """A hash of the topics of a run and the order of their documents.

    None where the judgments order it.
    """
    if ranking.orders_ties_by_grade:
        return None
    from hashlib import sha256

    def topic_hashes(rows: Rows) -> list[bytes]:
        """A hash for each topic, of its id and its documents in their order."""
        order = np.lexsort((ranks_of_rows(rows, ranking), rows.topic_of_row))
        documents = rows.docs.take(order).compact().to_list()
        ends = rows.start.tolist()
        return [
            sha256(b"\n".join((topic, *documents[first:after]))).digest()
            for topic, first, after in zip(rows.topics, ends, ends[1:], strict=False)
        ]

    parts = map_topics(run, layout, topic_hashes, threads).results
    return sha256_of(b"".join(sorted(topic_hash for part in parts for topic_hash in part)))
