"""The preference measures: hand calculations, trec_eval's own output, and the plain versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev.measures.families.preferences  # noqa: F401  (registers the measures)
from irev.core.views import JudgmentGroup, RankedPreferences
from irev.errors import ContradictionError, MismatchError
from irev.measures.families.preferred_pairs import tally
from irev.measures.registry import TREC_MEASURES, measures_of_set
from tests import files
from tests.each import for_each
from tests.plain_preferences import MEASURES, Line, Topic, contradicts
from tests.registered import compute_measure
from tests.strategies import examples

CASES = files.CASES / "trec_eval"


def ranked_preferences(topics: list[Topic]) -> RankedPreferences:
    """What the measures see of some topics."""
    num_ret, num_docs, groups = [], [], []
    for topic in topics:
        place = {doc: i for i, doc in enumerate(topic.order())}
        num_docs.append(len(place))
        num_ret.append(sum(map(topic.retrieved, place)))
        groups.append(tuple(judgment_group(group, place) for group in topic.groups()))
    return RankedPreferences(
        np.array(num_ret, np.int64), np.array(num_docs, np.int64), tuple(groups)
    )


def judgment_group(lines: list[Line], place: dict[str, int]) -> JudgmentGroup:
    """The lines of one group by subgroup, each ordered by internal rank."""
    subgroups = [
        sorted((place[line.doc], line.level) for line in lines if line.subgroup == name)
        for name in sorted({line.subgroup for line in lines})
    ]
    return JudgmentGroup(
        tuple(np.array([doc for doc, _ in rows], np.int64) for rows in subgroups),
        tuple(np.array([level for _, level in rows], np.float64) for rows in subgroups),
    )


def topic(ranking: str, *lines: str) -> Topic:
    """A topic from `a b c` and lines like `group subgroup doc level`."""
    fields = [line.split() for line in lines]
    return Topic(ranking.split(), [Line(g, s, doc, float(level)) for g, s, doc, level in fields])


def value(name: str, *topics: Topic) -> Any:
    """A measure of some topics."""
    return compute_measure(name, ranked_preferences(list(topics))).tolist()


# group 1: a > b, b > d, a > d, and c, not retrieved, between b and d; group 2 has a > b alone
EXAMPLE = topic("b a x d", "1 s a 3", "1 s b 2", "1 s c 1", "1 s d 0", "2 s a 1", "2 s b 0")
# x: 2 subgroups, a > b > c and so a > c; all retrieved as a c b
PARTIAL = topic("a c b", "1 x a 3", "1 x b 2", "1 y b 5", "1 y c 4")
# 1 relevant document (b), 3 not: a and c retrieved around it, d not
SURPLUS = topic("a b c", "1 s b 1", "1 s a 0", "1 s c 0", "1 s d 0")
# the same as a partial order
SURPLUS_PARTIAL = topic("a b c", "1 s b 1", "1 s a 0", "1 s c 0", "1 t b 1", "1 t d 0")
# c and d not retrieved
MISSING = topic("a b", "1 s a 2", "1 s b 1", "1 s c 1", "1 s d 0")


@for_each(
    ("name", "case", "expected"),
    [
        # group 1 has 4 levels: 6 preferences, group 2 has 1
        ("prefs_num_prefs_poss", EXAMPLE, 7),
        # group 1: a>c, a>d, b>c, b>d; not a>b, and not c>d since c is missing; group 2: none
        ("prefs_num_prefs_ful", EXAMPLE, 4),
        ("prefs_num_prefs_ful_ret", EXAMPLE, 2),
        ("prefs_simp", EXAMPLE, 4 / 7),
        # retrieved: ab ad bd of group 1, ab of group 2
        ("prefs_simp_ret", EXAMPLE, 2 / 4),
        ("prefs_simp_imp", EXAMPLE, 4 / 7),
        ("prefs_avgjg", EXAMPLE, (4 / 6 + 0) / 2),
        ("prefs_avgjg_ret", EXAMPLE, (2 / 3 + 0) / 2),
        ("prefs_avgjg_imp", EXAMPLE, (4 / 6 + 0) / 2),
        # pairs ab ad bd ac bc cd, of which ab and cd stand the wrong way
        ("prefs_pair", EXAMPLE, 4 / 6),
        ("prefs_pair_ret", EXAMPLE, 2 / 3),
        ("prefs_pair_imp", EXAMPLE, 4 / 6),
        # group 1: 3 relevant, 1 not, 2 added: (4 + 2 * 2) / (6 + 3 * 2); group 2: even
        ("prefs_avgjg_Rnonrel", EXAMPLE, (8 / 12 + 0) / 2),
        # group 1: 2 relevant retrieved, 1 not, 1 added: (2 + 2 * 1) / (3 + 3 * 1)
        ("prefs_avgjg_Rnonrel_ret", EXAMPLE, (4 / 6 + 0) / 2),
        ("prefs_num_prefs_poss", PARTIAL, 3),
        ("prefs_num_prefs_ful", PARTIAL, 2),
        # 3 relevant, none not: (2 + 3 * 3) / (3 + 3 * 3)
        ("prefs_avgjg_Rnonrel", PARTIAL, 11 / 12),
        # the lowest level keeps a; counted: ba, aa, ca, da, none fulfilled
        ("prefs_avgjg_Rnonrel", SURPLUS, 0 / 4),
        ("prefs_avgjg_Rnonrel_ret", SURPLUS, 0 / 3),
        ("prefs_avgjg", SURPLUS, 2 / 3),
        # only ba is left
        ("prefs_avgjg_Rnonrel", SURPLUS_PARTIAL, 0 / 1),
        ("prefs_avgjg", SURPLUS_PARTIAL, 2 / 3),
        # ab ac ad bd cd: all fulfilled but cd, of two that were not retrieved
        ("prefs_simp", MISSING, 4 / 5),
        ("prefs_simp_imp", MISSING, 4 / 4),
        ("prefs_simp_ret", MISSING, 1 / 1),
        ("prefs_pair", MISSING, 4 / 5),
        ("prefs_pair_imp", MISSING, 4 / 4),
        ("prefs_avgjg_imp", MISSING, 4 / 4),
        # 3 relevant (2 retrieved), 1 not: (4 + 2 * 2) / (5 + 3 * 2)
        ("prefs_avgjg_Rnonrel", MISSING, 8 / 11),
        # 2 relevant retrieved, no other: (1 + 2 * 2) / (1 + 3 * 2)
        ("prefs_avgjg_Rnonrel_ret", MISSING, 5 / 7),
    ],
)
def test_by_hand(name, case, expected):
    """Values counted by hand agree, for the real and the plain version."""
    assert value(name, case) == [expected]
    assert MEASURES[name](case) == expected


def test_negative_levels_stay_inside_their_group():
    """A lowest level with fewer documents than there are relevant ones is kept whole."""
    case = topic("c a b d", "1 s a 2", "1 s b 1", "1 s c 0", "1 s d -1", "1 s e 0")
    # R = 2, N = 3; counted above the lowest level: ab ac ae bc be (not ac, bc: c is first),
    # over d: ad bd cd ed and d itself (not ed: e is missing; not d over itself)
    assert value("prefs_avgjg_Rnonrel", case) == [(3 + 3) / (5 + 5)]


def test_negative_levels_of_a_partial_order_are_neither():
    """With subgroups a negative level is neither relevant nor not."""
    case = topic("a b", "1 s a 1", "1 s b -1", "1 t a 1")
    # R = 1, N = 0: (1 + 1) / (1 + 1)
    assert value("prefs_avgjg_Rnonrel", case) == [1.0]


def test_repeated_lines():
    """A repeated line counts again in a complete order, once in a partial one."""
    complete = topic("a b", "1 s a 1", "1 s a 1", "1 s b 0", "1 s b 0", "1 s b 0")
    partial = topic("a b", "1 s a 1", "1 s a 1", "1 s b 0", "1 t b 0", "1 t a 1")
    assert value("prefs_num_prefs_poss", complete, partial) == [6, 1]
    # R = 2, N = 3: two lines of b stay; over each of them two of a and three of b itself
    assert value("prefs_avgjg_Rnonrel", complete) == [4 / 10]


def test_nothing_to_divide_by():
    """0/0 is 0; in the evened measures it takes the whole topic with it."""
    none = topic("a b", "1 s a 1", "1 s b 0", "2 s c 0")
    assert value("prefs_avgjg", none) == [0.5]
    assert value("prefs_avgjg_Rnonrel", none) == [0.0]
    alone = topic("", "1 s c 0")
    for name in MEASURES:
        assert value(name, alone) == [0.0]


def test_no_topics():
    """No topics, no values."""
    for name in MEASURES:
        assert value(name) == []


@pytest.mark.parametrize(
    ("lines", "reason", "docs"),
    [
        (["1 s b 1", "1 s a 2", "1 s a 1"], "two levels", (1,)),
        (["1 s a 2", "1 s b 1", "1 t a 0", "1 t c 1"], "level 0", (1,)),
        (["1 s a 0", "1 s b 1", "1 t a 2"], "level 0", (1,)),
        (["1 s a 2", "1 s b 1", "1 t b 2", "1 t a 1"], "each other", (0, 1)),
        (["1 s a 2", "1 s b 1", "1 t b 2", "1 t c 1", "1 u c 2", "1 u a 1"], "each other", (0, 1)),
    ],
)
def test_contradictions(lines, reason, docs):
    """What cannot hold in a group is an error that says where."""
    fine = topic("a", "1 s a 1")
    case = topic("b a", "0 s a 1", *lines)
    assert contradicts(case)
    with pytest.raises(ContradictionError, match=reason) as caught:
        value("prefs_simp", fine, case)
    assert isinstance(caught.value, MismatchError)
    assert (caught.value.topic, caught.value.group, caught.value.docs) == (1, 1, docs)


def test_two_levels_in_one_of_several_subgroups():
    """They put the document above itself, which says nothing."""
    case = topic("a b", "1 s a 2", "1 s a 1", "1 s b 0", "1 t b 0")
    assert not contradicts(case)
    assert value("prefs_num_prefs_poss", case) == [1]


def test_counted_once():
    """All measures share one count."""
    prefs = ranked_preferences([EXAMPLE])
    assert tally(prefs) is tally(prefs)


def outputs() -> list[Any]:
    """The cases with preferences that trec_eval 10 evaluates per topic."""
    cases = []
    for path in sorted(CASES.glob("*/cmd")):
        words = path.read_text(encoding="utf-8").split()
        succeeds = (path.parent / "code").read_text(encoding="utf-8").strip() == "0"
        if succeeds and "-q" in words and {"prefs", "qrels_prefs"} & {*words}:
            cases.append(pytest.param(path.parent, words, id=path.parent.name))
    return cases


def read_topics(folder: Path, words: list[str]) -> dict[str, Topic]:
    """The topics of a case, ranked: score falling, equal scores by id rising, cut at -M."""
    most = int(words[words.index("-M") + 1]) if "-M" in words else None
    rankings: dict[str, list[tuple[float, str]]] = {}
    for name, _, doc, _, score, _ in map(
        str.split, (folder / "run").read_text(encoding="utf-8").splitlines()
    ):
        rankings.setdefault(name, []).append((-float(score), doc))
    judgments: dict[str, list[Line]] = {}
    for text in (folder / "qrels").read_text(encoding="utf-8").splitlines():
        name, group, *subgroup, doc, level = text.split()
        line = Line(group, subgroup[0] if subgroup else "0", doc, float(level))
        judgments.setdefault(name, []).append(line)
    return {
        name: Topic([doc for _, doc in sorted(rankings.get(name, []))][:most], lines)
        for name, lines in sorted(judgments.items())
    }


@pytest.mark.parametrize(("folder", "words"), outputs())
def test_against_trec_eval(folder, words):
    """Every value that trec_eval prints per topic, to its four decimals."""
    topics = read_topics(folder, words)
    prefs = ranked_preferences(list(topics.values()))
    compared = 0
    for name, which, printed in map(
        str.split, (folder / "out").read_text(encoding="utf-8").splitlines()
    ):
        if which != "all":
            got = compute_measure(name, prefs)[list(topics).index(which)]
            places = len(printed.partition(".")[2])
            assert f"{got:.{places}f}" == printed, name
            compared += 1
    assert compared


LEVELS = st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.5, -1.0])
DOCS = st.sampled_from("abcdefgh")
LINES = st.builds(Line, st.sampled_from("123"), st.sampled_from("sst"), DOCS, LEVELS)
TOPICS = st.builds(
    Topic, st.lists(DOCS, unique=True, max_size=8), st.lists(LINES, min_size=1, max_size=14)
)


@pytest.mark.long
@examples(300)
@given(st.lists(TOPICS, min_size=1, max_size=5))
def test_against_the_plain_version(drawn):
    """Every measure equals its definition to the last bit, or both refuse the topic."""
    fine = [case for case in drawn if not contradicts(case)]
    for case in drawn:
        if case not in fine:
            with pytest.raises(ContradictionError):
                tally(ranked_preferences([case]))
    prefs = ranked_preferences(fine)
    for name, plain in MEASURES.items():
        values = compute_measure(name, prefs)
        assert values.dtype == np.float64
        assert values.tolist() == [plain(case) for case in fine]
        low, high = TREC_MEASURES[name].bounds
        assert ((values >= low) & (values <= high)).all()


def test_records():
    """The records stand where trec_eval's table has them, and each is complete."""
    assert [m.name for m in measures_of_set("all_prefs") if m.needs == "prefs"] == list(MEASURES)
    assert [m.name for m in measures_of_set("prefs") if m.needs == "prefs"] == list(MEASURES)[:6]
    for position, name in enumerate(MEASURES, 37):
        record = TREC_MEASURES[name]
        assert record.position == position
        assert record.needs == "prefs"
        assert record.title
        assert record.formula
        assert record.source
        assert record.help.strip()
        counted = "_num_" in name
        assert (record.kind, record.average) == (("count", "sum") if counted else ("real", "mean"))
