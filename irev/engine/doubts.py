"""What makes the scores of a run doubtful: that hardly anything of it is judged, above all.

Where all is well this costs a few counts; examples are looked for only where it is not. The bounds
were chosen on runs of eight collections of TREC and CLEF: the share of judged documents up to rank
10 was above 0.037 in each of them, and writing ids otherwise never found more than a thousandth.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.core.record import record
from irev.core.wording import count_text, shortened_list
from irev.errors import Notice, id_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from irev.core.arrays import Floats, Ints
    from irev.core.ids import Ids
    from irev.core.model import Qrels, Rows
    from irev.rank.order import RankingRule
    from irev.rank.ranking import Ranked
    from irev.scores.scores import Account

SHALLOW = 10
"""The rank down to which the share of judged documents is told."""

FEW = 0.1
"""A share of judged documents that is less is a warning."""

MOST_SAMPLES = 50
"""Of so many topics of a part of a run the first documents are looked at, where few are judged."""

_LEAST_LOOKED, _MOST_LOOKED = 3, 3000
"""Other ways of writing are looked for in so many topics at least, and in more of them until so
many judged documents were looked at: a run must not cost much because hardly one is judged."""

UNJUDGED = frozenset(
    {"nothing-judged", "nothing-met", "other-ids", "other-topics", "hardly-judged"}
)
"""The kinds of warnings that hardly anything of a run is judged."""

_LEAST_HITS, _LEAST_GAIN, _TIMES = 3, 0.05, 5
"""How many documents, at least, another way of writing must make judged, which share more, and how
many times as many."""

_ELSEWHERE = 0.5
"""With so many of the first documents judged for any topic, topics are mixed up."""

_FEW_JUDGMENTS = 1 << 17
"""Up to so many judgments, the documents of all of them are kept for the doubts about many runs."""

_SPARSE = 5
"""With fewer judgments a topic, in the mean, good runs have hardly a judged document either."""

_NEARLY_ALL, _LEAST_TOPICS = 0.8, 3
"""So many topics, and such a share of them, must end at one rank for a run to be cut there."""

_MOST_IDS = 10


@record
class Samples:
    """Topics, each with its first documents; they become bytes objects where somebody looks."""

    topics: Sequence[bytes]
    sizes: Sequence[int]
    docs: Ids

    def __iter__(self) -> Iterator[tuple[bytes, list[bytes]]]:
        docs = iter(self.docs.to_list())
        for topic, size in zip(self.topics, self.sizes, strict=True):
            yield topic, list(islice(docs, size))


class Seen(NamedTuple):
    """How much of some rankings is judged.

    retrieved       documents of judged topics
    is_judged       whether one of them has a grade
    shallow         documents up to rank `SHALLOW`
    shallow_judged  how many of these stand in the judgments
    depths          int64[], how many documents each ranking has
    samples         where few are judged: topics, each with its documents up to rank `SHALLOW`
    """

    retrieved: int
    is_judged: bool
    shallow: int
    shallow_judged: int
    depths: Ints
    samples: Iterable[tuple[bytes, list[bytes]]] = ()

    @property
    def is_few(self) -> bool:
        """Whether of the first documents hardly one is judged."""
        return self.shallow_judged < FEW * self.shallow or not self.is_judged


def seen(found: Ranked, rows: Rows, qrels: Qrels, ranking: RankingRule) -> Seen:
    """How much of some topics of a run is judged."""

    def retrieved() -> int:
        return sum(_length(rows, number) for number in _known(rows, qrels))

    count = counted_judged(found, qrels, ranking, retrieved)
    if not count.is_few:
        return count
    # of sparse judgments no way of writing could find so many more
    possible = int(np.minimum(qrels.stop[found.lists] - qrels.start[found.lists], SHALLOW).sum())
    if count.is_judged and count.shallow_judged * _TIMES > possible:
        return count
    return count._replace(samples=_samples(rows, qrels, ranking))


def counted_judged(
    found: Ranked, qrels: Qrels, ranking: RankingRule, retrieved: Callable[[], int]
) -> Seen:
    """The same without samples; `retrieved` gives how many there were before any was left out."""
    depths, is_judged = found.num_ret, False
    for few in (slice(99), slice(None)):  # most often one of the first is
        is_judged = is_judged or bool(np.count_nonzero(qrels.grade[found.row[few]] >= 0))
    if ranking.judged_only:
        # the others are left out already: whether there is one shows all the same
        return Seen(0 if is_judged else retrieved(), is_judged, 0, 0, depths)
    counts = depths.tolist()
    shallow = sum(map(min, counts, repeat(SHALLOW)))
    shallow_judged = int(np.count_nonzero(found.rank <= SHALLOW))
    return Seen(sum(counts), is_judged, shallow, shallow_judged, depths)


def _known(rows: Rows, qrels: Qrels) -> list[int]:
    return [number for number, topic in enumerate(rows.topics) if topic in qrels.topic_index]


def _length(rows: Rows, number: int) -> int:
    return int(rows.start[number + 1] - rows.start[number])


def _samples(rows: Rows, qrels: Qrels, ranking: RankingRule) -> Samples:
    """Topics that are judged, each with its documents up to rank `SHALLOW`; ties as they come."""
    numbers = _known(rows, qrels)[:MOST_SAMPLES]
    best = rows.value if ranking.ties == "rank" else -rows.value
    is_ordered = not rows.mask_topic_changes(best[1:] < best[:-1]).any()
    places = [np.zeros(0, np.int64)]
    for number in numbers:
        first, after = int(rows.start[number]), int(rows.start[number + 1])
        if is_ordered:
            places.append(np.arange(first, min(after, first + SHALLOW)))
        else:
            places.append(first + _least(best[first:after]))
    docs = rows.docs.take(np.concatenate(places)).compact_aligned()
    return Samples([rows.topics[number] for number in numbers], [*map(len, places[1:])], docs)


def _least(values: Floats) -> Ints:
    """Where the lowest values are, up to `SHALLOW` of them, in order; equal ones as they come."""
    if len(values) <= SHALLOW:
        return values.argsort(kind="stable")
    some = (values <= np.partition(values, SHALLOW - 1)[SHALLOW - 1]).nonzero()[0]
    found: Ints = some[values[some].argsort(kind="stable")[:SHALLOW]]
    return found


def together(every: Sequence[Seen]) -> Seen:
    """The same of all parts of a run."""
    if len(every) == 1:
        return every[0]._replace(samples=tuple(every[0].samples))
    return Seen(
        sum(each.retrieved for each in every),
        any(each.is_judged for each in every),
        sum(each.shallow for each in every),
        sum(each.shallow_judged for each in every),
        np.concatenate([each.depths for each in every]),
        tuple(islice((sample for each in every for sample in each.samples), MOST_SAMPLES)),
    )


class Known(NamedTuple):
    """What is judged, as far as a doubt about a run needs it.

    of         gives the judged documents of a topic
    anywhere   gives those of all topics
    is_sparse  whether there are so few that good runs have hardly a judged document either
    """

    of: Callable[[bytes], Collection[bytes]]
    anywhere: Callable[[], Collection[bytes]]
    is_sparse: bool

    @classmethod
    def by(cls, qrels: Qrels, *, is_graded: bool = True) -> Known:
        """That of qrels; how many preferences there should be is not known, so that few are few.

        It may be asked for many runs: what was worked out for some topics is kept.
        """
        from irev.engine.other_ids import JudgedIds

        @lru_cache(MOST_SAMPLES)
        def of(topic: bytes) -> Collection[bytes]:
            number = qrels.topic_index[topic]
            lists = range(*qrels.list_start[number : number + 2].tolist())
            slices = (slice(int(qrels.start[at]), int(qrels.stop[at])) for at in lists)
            return JudgedIds(
                doc for rows in slices for doc in qrels.docs.take(rows).compact().to_list()
            )

        @lru_cache(1)
        def all_kept() -> Collection[bytes]:
            return frozenset(qrels.docs.to_list())

        anywhere = all_kept if len(qrels.grade) <= _FEW_JUDGMENTS else qrels.docs.to_list
        few = is_sparse(len(qrels.grade), len(qrels.topics), bool((qrels.grade == 0).any()))
        return cls(of, anywhere, few or not is_graded)


def of_seen(run: Seen, judged: Callable[[], Known]) -> tuple[Notice, ...]:
    """A warning where hardly anything of a run is judged."""
    found = hardly_judged(run, judged()) if run.is_few else None
    return () if found is None else (found,)


def is_sparse(judgments: int, topics: int, has_nonrelevant: bool) -> bool:
    """Whether so few documents are judged that good runs have hardly one of them."""
    return judgments < _SPARSE * topics or not has_nonrelevant


def hardly_judged(run: Seen, judged: Known) -> Notice | None:
    """A warning where nothing of a run is judged, or hardly anything, and what may be the cause."""
    if not run.is_few or not run.retrieved:
        return None
    explained = _explained(run, judged)
    if not run.is_judged:
        kind = "nothing-met" if judged.is_sparse and not explained else "nothing-judged"
        documents = "document" if run.retrieved == 1 else "documents"
        what = f"none of the {run.retrieved:,} {documents} of judged topics is judged"
        if run.shallow_judged and not explained:
            return Notice(kind, what, "some are in the pool without a grade")
        return Notice(kind, what, explained or _from_elsewhere(run, judged))
    share = run.shallow_judged / run.shallow
    what = f"{run.shallow_judged:,} of the {run.shallow:,} documents up to rank {SHALLOW} are "
    what += f"judged ({share:.1%})"
    if explained:
        return Notice("other-ids", what, explained)
    if judged.is_sparse:
        return None
    elsewhere = _share_elsewhere(run, judged)
    if elsewhere >= _ELSEWHERE:
        return Notice("other-topics", what, _shifted(elsewhere))
    return Notice("hardly-judged", what, "another collection, or documents that nobody pooled?")


def _explained(run: Seen, judged: Known) -> str:
    """How ids would have to be written, if that explains why hardly one is judged; or nothing."""
    from irev.engine.other_ids import JudgedIds, best_way

    samples: list[tuple[list[bytes], JudgedIds]] = []
    for topic, docs in run.samples:
        looked = sum(len(known) for _, known in samples)
        if len(samples) >= _LEAST_LOOKED and looked >= _MOST_LOOKED:
            break
        known = judged.of(topic)
        samples.append((docs, known if isinstance(known, JudgedIds) else JudgedIds(known)))
    way = best_way(samples)
    if way is None:
        return ""
    total = sum(len(docs) for docs, _ in samples)
    now = sum(document in known for docs, known in samples for document in docs)
    gained = way.hits - now
    is_enough = judged.is_sparse or gained >= _LEAST_GAIN * total
    if gained < _LEAST_HITS or way.hits < _TIMES * now or not is_enough:
        return ""
    return (
        f"the ids look different: '{id_text(way.one)}' in the run, '{id_text(way.other)}' in the "
        f"judgments ({way.how} "
        f"{way.hits / total:.0%} of the first {SHALLOW} would be judged)"
    )


def _from_elsewhere(run: Seen, judged: Known) -> str:
    """What to think of a run of which nothing is judged."""
    elsewhere = _share_elsewhere(run, judged)
    if elsewhere >= _ELSEWHERE:
        return _shifted(elsewhere)
    for topic, documents in run.samples:
        known = judged.of(topic)
        if documents and known:
            one, other = id_text(documents[0]), id_text(min(known))
            return f"'{one}' in the run, '{other}' in the judgments: another collection?"
    return "another collection?"


def _share_elsewhere(run: Seen, judged: Known) -> float:
    """Which share of the first documents is judged for any topic."""
    first = [document for _, documents in run.samples for document in documents]
    anywhere = set(first).intersection(judged.anywhere()) if first else set()
    return sum(document in anywhere for document in first) / len(first) if first else 0.0


def _shifted(share: float) -> str:
    return (
        f"{share:.0%} of the first {SHALLOW} are judged for other topics: are the topics shifted?"
    )


# topics, lines and depths


def of_account(account: Account, left_out: Sequence[bytes]) -> Iterator[Notice]:
    """Warnings about topics that the averages leave out, and lines that the run repeats."""
    if left_out:
        be, was, them = ("is", "was", "it") if len(left_out) == 1 else ("are", "were", "them")
        which = count_text(len(left_out), "judged topic")
        yield Notice(
            "unretrieved-topic",
            f"{which} {be} missing from the run and {was} left out of the averages: "
            f"{shortened_list(left_out, _MOST_IDS)}",
            f"use -c to count {them} as 0",
        )
    yield from left_out_lines(account)
    if account.missing and account.unjudged:
        from irev.engine.other_ids import topics_that_fit

        how, pairs = topics_that_fit(account.unjudged, account.missing)
        if pairs:
            yield Notice("other-topic-ids", *differing_topics(how, pairs))


def left_out_lines(account: Account) -> Iterator[Notice]:
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


def differing_topics(how: str, pairs: Sequence[tuple[bytes, bytes]]) -> tuple[str, str]:
    """Message and hint for topics of a run that are written otherwise than the judged ones."""
    one, other = pairs[0]
    which = count_text(len(pairs), "topic of the run", "topics of the run")
    return (
        f"{which} would be judged {how}",
        f"'{id_text(one)}' in the run, '{id_text(other)}' in the judgments",
    )


def too_shallow(depths: Ints, cutoff: int) -> tuple[Notice, ...]:
    """A warning where nearly all rankings, several, end at one depth above a cutoff."""
    if len(depths) < _LEAST_TOPICS:
        return ()
    deepest = int(depths.max())
    if deepest >= cutoff:
        return ()
    same = int((depths == deepest).sum())
    if same < _LEAST_TOPICS or same < _NEARLY_ALL * len(depths):
        return ()
    which = f"{same} of {len(depths)} topics end" if same < len(depths) else "all topics end"
    return (Notice("shallow-run", f"{which} at rank {deepest}, above the cutoff {cutoff}"),)
