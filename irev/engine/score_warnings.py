"""Warnings about scores: that hardly anything of a run is judged, that topics are left out.

And what is odd about judgments and measures, whatever the run. The bounds were chosen on runs of
eight collections of TREC and CLEF: the share of judged documents up to rank 10 was above 0.037 in
each of them, and writing ids otherwise never found more than a thousandth.
"""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from irev.core.judged import Judged, RankingExtras, RunScores, Settings
from irev.core.text import as_text, has_invisible, pattern
from irev.core.wording import count_text, shortened_list
from irev.engine.judged_counts import LEAST_FACTOR, SHALLOW, TOP
from irev.errors import NO_DOCUMENTS, InputError, IrevError, MismatchError, Notice, id_text
from irev.measures.naming.grammar import SUITE_PREFIX
from irev.measures.registry import SET_NAMES
from irev.measures.requests import value_text
from irev.read.formats import SAVED
from irev.scores.scores import LARGEST_ERROR, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.judged import Input, Qrels
    from irev.engine.doubts import TopicJudgedIds
    from irev.engine.judged_counts import JudgedCounts, JudgedIds
    from irev.measures.requests import Request
    from irev.options import Options
    from irev.scores.scores import Account, Scores


# --- Scores of measures given as a run: {topic: {measure: value}}, as pytrec_eval has them ---
# A run in JSON has the same shape, with documents for measures. So scores are known by their ids,
# which are looked at where no document is judged, or where there are no judgments.


_MOST_NAMES = 3


def refuse_scores_of_measures(docs: Iterable[bytes], subject: str) -> None:
    """Refuse a run, or judgments, all of whose documents that are given are names of measures.

    `subject` is what they were given as, with its verb: "the run has".
    """
    from irev.scores.saved_runs import are_measure_names

    names = [*dict.fromkeys(map(as_text, docs))]
    if are_measure_names(names):
        raise MismatchError(
            f"{subject} measures in place of documents "
            f"({shortened_list(names, _MOST_NAMES)}): it looks like {SAVED}",
            kind="other-kind",
        )


def refuse_saved_scores(run: Input) -> None:
    """Refuse a file of saved scores where runs are read without judgments."""
    from irev.scores.saved import is_saved

    if isinstance(run, str | os.PathLike) and os.path.isfile(run) and is_saved(os.fspath(run)):
        raise MismatchError(
            f"{os.fspath(run)}: this is not a run: it looks like {SAVED}", kind="other-kind"
        )


# --- Warnings about scores: that hardly anything of a run is judged, that topics are left out ---


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

_CUTOFF = r"(?<=[._@,])[0-9]+(?![0-9.=%])"
"""A number in a measure's name that may be a cutoff."""


def unjudged_warnings(
    counts: JudgedCounts, judged_ids: Callable[[], JudgedIds]
) -> tuple[Notice, ...]:
    """A warning where hardly anything of a run is judged, or part of it for a reason.

    Raises:
        MismatchError: nothing is, and all documents of one side are names of measures.
    """
    warning = None
    if counts.is_few:
        if not counts.is_judged:
            _refuse_scores_of_measures(counts, judged_ids())
        warning = hardly_judged_warning(counts, judged_ids())
    elif counts.is_partial and counts.retrieved:
        warning = top_judged_less_than_next_warning(counts)
        warning = warning or part_unmatched_warning(counts, judged_ids())
    return () if warning is None else (warning,)


def _refuse_scores_of_measures(counts: JudgedCounts, judged_ids: JudgedIds) -> None:
    """Refuse scores of measures that were given as the run or as the judgments."""
    if counts.samples:
        refuse_scores_of_measures(
            (doc for _, docs in counts.samples for doc in docs), "the run has"
        )
        judged = (doc for topic, _ in counts.samples for doc in judged_ids.of_topic(topic))
        refuse_scores_of_measures(judged, "the judgments have")


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
    from irev.engine.doubts import shape_of_each_id

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
    return Notice(
        "other-ids",
        _judged_share_text(counts),
        hint,
    )


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
    from irev.engine.doubts import TopicJudgedIds

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
    from irev.engine.doubts import best_rewriting

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
    """What to think of a run of which nothing is judged_ids."""
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


# topics, lines and depths


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
        from irev.engine.doubts import match_topics

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


def is_of_empty_run(error: InputError) -> bool:
    """Whether all that is wrong with a table or a mapping is that it has no documents."""
    return all(problem.kind == NO_DOCUMENTS for problem in error.problems)


def empty_run_warning() -> Notice:
    """The warning about a table or a mapping that says that nothing was retrieved."""
    return Notice(
        NO_DOCUMENTS, "the run retrieved nothing", "each judged topic counts as an empty ranking"
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
                text = _unknown_error_text(len(topics), scores.divisor, most)
                yield Notice("little-drawn", f"{column.name}: {text}")


def _unknown_error_text(num_unknown: int, num_topics: int, most_relevant: int) -> str:
    """What is said of topics without errors, of which none has more relevant documents drawn."""
    have = "has no error of its" if num_unknown == 1 else "have no error of their"
    why = "fewer than 2 relevant documents drawn" if most_relevant < 2 else "too little was drawn"
    count = f"{num_unknown} of {count_text(num_topics, 'topic')} {have} own ({why})"
    if 2 * num_unknown > num_topics:
        return f"{count}: so the mean has none"
    return f"{count}: each counts as {LARGEST_ERROR:g} in the error of the mean"


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


def no_document_warnings(options: Options) -> tuple[Notice, ...]:
    """A warning where a limit leaves no document, which somebody may take for no limit."""
    if options.max_retrieved != 0:
        return ()
    return (Notice("emptied-topic", "-M 0 keeps no document", "without it all are kept"),)


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


# judgments and measures, whatever the run


def named_cutoff(measure_names: Sequence[str], requests: Sequence[Request]) -> int | None:
    """The deepest cutoff that stands in the name of a measure with a direction, if one does.

    The cutoffs of sets and suites, and those that a measure has by default, nobody named.
    """
    named_cutoffs = {
        int(number)
        for name in measure_names
        if name not in SET_NAMES and not name.startswith(SUITE_PREFIX)
        for number in pattern(_CUTOFF).findall(name)
    }
    if not named_cutoffs:
        return None
    computed = {
        cutoff
        for request in requests
        if request.measure.higher_is_better is not None
        for cutoff in request.arguments.cutoffs
        if isinstance(cutoff, int)
    }
    return max(named_cutoffs & computed, default=None)


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
            f"fractions below the level gain in {shortened_list(gaining)}, and not in "
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
        np.zeros(len(rows), np.int64), rows + 1, grades[rows], np.array([num_docs]),
        np.array([0, len(level_grade)]), level_grade, level_count,
        Settings() if level is None else Settings(level),
        np.array([np.count_nonzero(grades < -1)]), RankingExtras(scores=scores),
    )  # fmt: skip
    values: Floats = request.values(judged)
    return values
