"""Z scores: expected values by hand, and from trec_eval 10 (its case z-basic)."""

import numpy as np
import pytest

from irev.core.judged import Column
from irev.engine.join_scores import MISSING, read_zscores
from irev.errors import InputError
from irev.scores.scores import Account, Scores


def scores(values, columns=("map",), topics=(b"q1", b"q2"), **more):
    facts = {"texts": {}, "totals": {}, **more}
    made = tuple(c if isinstance(c, Column) else Column(c, c) for c in columns)
    return Scores(
        run_id=b"tag", topics=tuple(topics), columns=made, values=np.array(values, float),
        divisor=len(topics), account=Account(), **facts,
    )  # fmt: skip


@pytest.fixture
def z_file(tmp_path):
    def write(content):
        path = tmp_path / "zscores"
        path.write_bytes(content)
        return str(path)

    return write


def test_deviation_in_standard_deviations(z_file):
    reference = read_zscores(z_file(b"q1 map 0.25 0.5\nq2 map 0.5 0.25\n"))
    result = reference.apply(scores([[0.5], [0.25]]))
    assert result.values.tolist() == [[0.5], [-1.0]]
    assert [column.name for column in result.columns] == ["Zmap"]


def test_no_spread_is_zero_at_the_mean_only(z_file):
    reference = read_zscores(z_file(b"q1 map 0.5 0\nq2 map 0.5 0\n"))
    assert reference.apply(scores([[0.5], [0.25]])).values.tolist() == [[0.0], [MISSING]]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"q0 map 0 1\n", id="topic not listed, before all"),
        pytest.param(b"zz map 0 1\n", id="topic not listed, after none"),
        pytest.param(b"q1 zzz 0 1\n", id="name not listed"),
        pytest.param(b"q1 P_5 0 1\nq2 map 0 1\n", id="the next topic begins with the name"),
    ],
)
def test_no_entry(z_file, content):
    values = read_zscores(z_file(content)).apply(scores([[0.5], [0.5]])).values
    assert values[0, 0] == MISSING


@pytest.mark.parametrize(
    ("names", "hit"),
    [
        # as trec_eval 10 does it: halving a sorted list of n entries begins at the floor of n/2
        (("map", "map"), 1),
        (("map", "map", "map"), 1),
        (("a", "map", "map"), 1),
        (("map", "map", "zzz", "zzz"), 0),
        (("map", "map", "map", "map"), 2),
    ],
)
def test_of_several_entries_the_one_that_halving_hits(z_file, names, hit):
    content = "".join(f"q1 {name} 0 {place + 1}\n" for place, name in enumerate(names))
    result = read_zscores(z_file(content.encode())).apply(scores([[1.0]], topics=[b"q1"]))
    assert result.values[0, 0] == 1.0 / (hit + 1)


def test_counts_of_topics_and_texts_stay(z_file):
    columns = [
        Column("runid", "runid", "text", "run", per_topic=False),
        Column("num_q", "num_q", "count", "topics", per_topic=False),
        Column("num_rel", "num_rel", "count", "sum"),
        Column("relstring", "relstring", "text", "none"),
        Column("gm_map", "gm_map", "real", "geometric", per_topic=False),
    ]
    reference = read_zscores(z_file(b"q1 num_rel 1 2\nq1 gm_map -1 1\n"))
    result = reference.apply(
        scores(
            [[0, 0, 3, 0, -0.5]], columns, [b"q1"],
            texts={3: [b"1-"]}, totals={"num_rel": 7.0},
        )
    )  # fmt: skip
    names = [column.name for column in result.columns]
    assert names == ["runid", "Znum_q", "Znum_rel", "relstring", "Zgm_map"]
    assert [column.kind for column in result.columns] == ["text", "real", "real", "text", "real"]
    assert result.values[0, 2] == 1.0
    assert result.summary_of(0) == b"tag"
    assert result.summary_of(1) == 1.0
    assert result.summary_of(2) == 7.0
    assert result.summary_of(4) == pytest.approx(1.6487212707001282, rel=1e-15)  # exp(0.5)


@pytest.mark.parametrize(
    "content",
    [
        b"q1 map 0x1p-2 .5\n",
        b"\xef\xbb\xbfq1 map 0.25 0.5\n",
        b"# a comment\n\n  # another\nq1\tmap  0.25 5e-1\r\n\r\n",
        b"  q1 map 0.25 0.5",
    ],
)
def test_odd_clothes(z_file, content):
    assert read_zscores(z_file(content)).entries == {b"q1": {b"map": (0.25, 0.5)}}


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"", None, "no z score"),
        (b"# nothing\n", None, "no z score"),
        (b"q1 map 0 1\n\nq1 map 0\n", 3, "3 fields"),
        (b"q1 map 0 1 2\n", 1, "5 fields"),
        (b"q1 map 0,5 1\n", 1, "'0,5'"),
        (b"q1 map 0.5 nan\n", 1, "'nan'"),
        (b"q1 map 0.5 1x\n", 1, "'1x'"),
    ],
)
def test_refused(z_file, content, line, words):
    with pytest.raises(InputError, match=words) as caught:
        read_zscores(z_file(content))
    assert caught.value.line == line


def test_all_bad_lines_are_named(z_file):
    with pytest.raises(InputError) as caught:
        read_zscores(z_file(b"a b c\nq1 map 0 1\nd e f\n"))
    assert [problem.line for problem in caught.value.problems] == [1, 3]


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_zscores(str(tmp_path / "nosuch"))
