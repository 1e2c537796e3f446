"""The reports: trec_eval's text against its own output, the other forms read back."""

import csv
import io
import json
import math

import numpy as np
import pytest

from irev.core.judged import Column
from irev.engine.doubts import left_out_topic_and_line_warnings
from irev.scores.scores import Account, Scores
from irev.writers import forms, trec
from irev.writers.scores import scores_document
from irev.writers.trec import ScoredFile, ScoreLayout, topic_class_and_tie_warnings, topics_sentence

RUNID = Column("runid", "runid", "text", "run", per_topic=False)
NUM_Q = Column("num_q", "num_q", "count", "topics", per_topic=False)
NUM_RET = Column("num_ret", "num_ret", "count", "sum")
MAP = Column("map", "map")
GM_MAP = Column("gm_map", "gm_map", "real", "geometric", per_topic=False)
RELSTRING = Column("relstring", "relstring", "text", "none")
ALL = (RUNID, NUM_Q, NUM_RET, MAP, GM_MAP, RELSTRING)

TOPICS = ScoreLayout(per_topic=True)


def scores(topics=(b"q1", b"q2"), columns=ALL, values=None, **more):
    if values is None:
        values = [[0, 0, 3, 1 / 3, math.log(1 / 3), 0], [0, 0, 2, 0.03125, math.log(0.03125), 0]]
        values = values[: len(topics)]
    facts = {
        "run_id": b"tag",
        "texts": {i: [b"10-", b"-1"] for i, c in enumerate(columns) if c is RELSTRING},
        "divisor": len(topics),
        "totals": {},
        "account": Account(),
        **more,
    }
    return Scores(topics=topics, columns=columns, values=np.array(values, float), **facts)


def written(name, *results, layout=TOPICS):
    pairs = [r if isinstance(r, ScoredFile) else ScoredFile("some.run", r) for r in results]
    if name == "trec":
        return b"".join(trec.write_trec_text(pairs, layout))
    return b"".join(forms.document_bytes(scores_document(pairs, layout), name, layout.decimals))


def test_trec():
    # trec_eval 10: 0.03125 prints as 0.0312, names are padded to 22 bytes
    assert written("trec", scores()) == (
        b"num_ret               \tq1\t3\n"
        b"map                   \tq1\t0.3333\n"
        b"relstring             \tq1\t'10-'\n"
        b"num_ret               \tq2\t2\n"
        b"map                   \tq2\t0.0312\n"
        b"relstring             \tq2\t'-1'\n"
        b"runid                 \tall\ttag\n"
        b"num_q                 \tall\t2\n"
        b"num_ret               \tall\t5\n"
        b"map                   \tall\t0.1823\n"
        b"gm_map                \tall\t0.1021\n"
    )


def test_trec_parts():
    whole = written("trec", scores())
    summary = written("trec", scores(), layout=ScoreLayout())
    topics = written("trec", scores(), layout=ScoreLayout(per_topic=True, summary=False))
    assert topics + summary == whole
    assert summary.startswith(b"runid")
    assert written("trec", scores(), layout=ScoreLayout(summary=False)) == b""


def test_trec_under_z():
    # the form of trec_eval 10's case z-basic: texts keep their names, all else is a real
    columns = (
        RUNID, Column("Znum_q", "num_q", "real", "topics", per_topic=False),
        Column("Znum_ret", "num_ret", "real", "sum"), RELSTRING,
    )  # fmt: skip
    made = scores(columns=columns, values=[[0, 0, 0, 0], [0, 0, -1000000, 0]])
    assert written("trec", made, layout=ScoreLayout(per_topic=True, zscores=True)) == (
        b"Znum_ret               \tq1\t0.0000\n"
        b"relstring             \tq1\t'10-'\n"
        b"Znum_ret               \tq2\t-1000000.0000\n"
        b"relstring             \tq2\t'-1'\n"
        b"runid                 \tall\ttag\n"
        b"Znum_q                 \tall\t2.0000\n"
        b"Znum_ret               \tall\t-1000000.0000\n"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, b"0.0000"),
        (-0.0, b"-0.0000"),
        (1e10, b"10000000000.0000"),
        # printf("%6.4f")
        (math.inf, b"   inf"),
        (-math.inf, b"  -inf"),
        (math.nan, b"   nan"),
        (math.copysign(math.nan, -1), b"  -nan"),
    ],
)
def test_trec_reals(value, shown):
    made = scores(topics=(b"%s",), columns=(NUM_RET, MAP), values=[[2, value]])
    lines = written("trec", made).splitlines()
    assert lines[0] == b"num_ret               \t%s\t2"
    assert lines[1].split(b"\t")[2] == lines[3].split(b"\t")[2] == shown


@pytest.mark.parametrize(("places", "shown"), [(0, b" 0"), (1, b"0.3"), (6, b"0.333333")])
def test_trec_places(places, shown):
    made = scores(topics=(b"q",), columns=(MAP,), values=[[1 / 3]])
    assert written("trec", made, layout=ScoreLayout(decimals=places)).endswith(
        b"all\t" + shown + b"\n"
    )


def test_trec_ids_and_names_are_copied_through():
    name = Column("utility_1,-1,0.5,-0.25", "utility")
    ids = (b"\xff\xe9", "q\u00fc".encode(), b"%d%s")
    made = scores(topics=ids, columns=(name,), values=[[1], [2], [3]], run_id=b"\xff")
    lines = written("trec", made, layout=ScoreLayout(per_topic=True, summary=False)).split(b"\n")
    assert [line.split(b"\t")[1] for line in lines[:3]] == list(ids)
    assert lines[0].startswith(b"utility_1,-1,0.5,-0.25\t")


def test_trec_names_are_padded_in_bytes():
    name = Column("set_relative_P_of_something_long", "set_relative_P")
    made = scores(topics=(b"q",), columns=(name,), values=[[0]])
    assert written("trec", made) == b"".join(
        b"set_relative_P_of_something_long\t%b\t0.0000\n" % topic for topic in (b"q", b"all")
    )


def test_trec_of_several_runs():
    results = [ScoredFile("a.run", scores()), ScoredFile("b\udcff.run", scores())]
    whole = written("trec", *results, layout=ScoreLayout(several_runs=True))
    one = written("trec", scores(), layout=ScoreLayout())
    assert whole == b"# a.run\n" + one + b"# b\xff.run\n" + one


def test_trec_beyond_one_block():
    topics = tuple(b"%04d" % i for i in range(600))
    made = scores(topics=topics, columns=(MAP,), values=[[i / 600] for i in range(600)])
    lines = written("trec", made, layout=ScoreLayout(per_topic=True, summary=False)).splitlines()
    assert lines == [b"map".ljust(22) + b"\t%04d\t%.4f" % (i, i / 600) for i in range(600)]


AWKWARD = (b"007", b"1e5", b'"q', b"a|b", b"a,b", b"<x>", b"\xff")
EXACT = [1 / 3, 0.1, 1e-300, 0.30000000000000004, 0.0, 1.0, 2 / 3]


def awkward(**more):
    values = [[5, value, 0] for value in EXACT]
    columns = (NUM_RET, MAP, GM_MAP)
    return scores(topics=AWKWARD, columns=columns, values=values, **more)


@pytest.mark.parametrize(("name", "separator"), [("csv", ","), ("tsv", "\t")])
def test_delimited_is_exact(name, separator):
    text = written(name, awkward()).decode("utf-8", "surrogateescape")
    table = list(csv.DictReader(io.StringIO(text), delimiter=separator))
    assert [row["topic"].encode() for row in table] == [*AWKWARD[:-1], rb"\xff", b"all"]
    assert [float(row["map"]) for row in table[:-1]] == EXACT
    assert {row["run"] for row in table} == {"some.run"}
    assert {row["gm_map"] for row in table[:-1]} == {""}
    assert table[-1]["num_ret"] == "35"
    assert table[-1]["gm_map"] == "1.0"


def test_delimited_holds_what_is_shown():
    assert written("csv", scores(), layout=ScoreLayout()).decode() == (
        "run,topic,runid,num_q,num_ret,map,gm_map,averaged_over,left_out\n"
        f"some.run,all,tag,2,5,{(1 / 3 + 0.03125) / 2!r},"
        f"{math.exp((math.log(1 / 3) + math.log(0.03125)) / 2)!r},2,0\n"
    )
    only = ScoreLayout(per_topic=True, summary=False)
    assert written("csv", scores(), layout=only).decode() == (
        f"run,topic,num_ret,map,relstring\nsome.run,q1,3,{1 / 3!r},10-\nsome.run,q2,2,0.03125,-1\n"
    )


def test_json():
    account = Account(missing=(b"q7",), unjudged=(b"\xff",), without_relevant=(b"q1",))
    whole = json.loads(written("json", scores(account=account)))
    assert whole["measures"] == [column.name for column in ALL]
    assert set(whole) == {"irev", "measures", "canonical", "runs"}
    assert whole["canonical"] == {}
    (run,) = whole["runs"]
    assert run["run"] == "some.run"
    assert run["runid"] == "tag"
    assert run["averaged_over"] == 2
    assert run["missing"] == ["q7"]
    assert run["missing_count_as_zero"] is False
    assert run["unjudged"] == ["\udcff"]
    assert run["without_relevant"] == ["q1"]
    assert run["skipped"] == []
    assert run["topics"] == {
        "q1": {"num_ret": 3, "map": 1 / 3, "relstring": "10-"},
        "q2": {"num_ret": 2, "map": 0.03125, "relstring": "-1"},
    }
    assert run["all"]["num_q"] == 2
    assert run["all"]["runid"] == "tag"


def test_json_has_irevs_own_names():
    columns = (Column("ndcg@5", "nDCG", canonical="nDCG@5"), MAP)
    made = scores(topics=(b"q",), columns=columns, values=[[1, 0]], texts={})
    whole = json.loads(written("json", made))
    assert whole["measures"] == ["ndcg@5", "map"]
    assert whole["canonical"] == {"ndcg@5": "nDCG@5"}


def test_json_is_exact_utf8_and_strict():
    made = awkward()
    made.values[0, 1] = math.nan
    text = written("json", made).decode("utf-8")
    run = json.loads(text, parse_constant=pytest.fail)["runs"][0]
    ids = [topic.encode("utf-8", "surrogateescape") for topic in run["topics"]]
    assert ids == list(AWKWARD)
    assert [values["map"] for values in run["topics"].values()] == [None, *EXACT[1:]]
    assert run["all"]["map"] is None


def test_table():
    assert written("table", scores(account=Account(missing=(b"q7",)))).decode() == (
        "topic      runid    num_q    num_ret     map    gm_map    relstring\n"
        "-------  -------  -------  ---------  ------  --------  -----------\n"
        "q1                                 3  0.3333                    10-\n"
        "q2                                 2  0.0312                     -1\n"
        "all          tag        2          5  0.1823    0.1021\n"
        "\n"
        "averaged over 2 topics; 1 judged topic missing from the run: q7\n"
    )


def cells(lines):
    return [line.split() for line in lines]


@pytest.mark.parametrize(
    ("layout", "labels"),
    [
        (ScoreLayout(several_runs=True), [["one.run"], ["two.run"]]),
        (
            ScoreLayout(several_runs=True, per_topic=True),
            [["one.run", "q1"], ["one.run", "q2"], ["one.run", "all"],
             ["two.run", "q1"], ["two.run", "all"]],
        ),
    ],
)  # fmt: skip
def test_table_of_several_runs(layout, labels):
    one = scores(columns=(MAP,), values=[[0.25], [0.75]])
    two = scores(topics=(b"q1",), columns=(MAP,), values=[[1]], account=Account(missing=(b"q2",)))
    text = written(
        "table", ScoredFile("one.run", one), ScoredFile("two.run", two), layout=layout
    ).decode()
    table, _, below = text.partition("\n\n")
    assert [row[:-1] for row in cells(table.splitlines()[2:])] == labels
    assert below == (
        "one.run: averaged over 2 topics\n"
        "two.run: averaged over 1 topic; 1 judged topic missing from the run: q2\n"
    )


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_human_forms_keep_ids_and_places(name):
    made = awkward()
    text = written(name, made, layout=ScoreLayout(per_topic=True, decimals=2))
    for id_ in (b"007", b"1e5", b'"q', b"a,b", rb"\xff"):
        assert id_ in text
    assert b"0.33" in text
    assert b"0.333" not in text


def test_table_without_rows():
    text = written("table", scores(), layout=ScoreLayout(summary=False)).decode()
    assert text.endswith("averaged over 2 topics\n")


def test_table_has_no_control_characters():
    made = scores(topics=("a\u2028b".encode(), b"\x1b[31m"), columns=(MAP,), values=[[1], [1]])
    text = written("table", made).decode()
    assert "a\\u2028b" in text
    assert "\\x1b[31m" in text


def test_markdown():
    made = scores(topics=(b"a|b", b"<x>"), columns=(MAP,), values=[[0.5], [1]])
    lines = written("markdown", made).decode().splitlines()
    assert lines[0].split() == ["|", "topic", "|", "map", "|"]
    assert set(lines[1]) <= set("|-: ")
    assert lines[2].split() == ["|", "a\\|b", "|", "0.5000", "|"]
    assert lines[3].split() == ["|", "\\<x\\>", "|", "1.0000", "|"]
    assert lines[4].split() == ["|", "all", "|", "0.7500", "|"]
    assert lines[-1] == "averaged over 2 topics"


def test_markdown_leaves_measure_names_readable():
    made = scores(topics=(b"_q_",), columns=(Column("ndcg_cut_10", "ndcg_cut"),), values=[[1]])
    text = written("markdown", made).decode()
    assert "ndcg_cut_10" in text
    assert "\\_q\\_" in text


@pytest.mark.parametrize("name", ["trec", *forms.OUTPUT_FORMATS])
def test_every_writer_takes_several_results(name):
    results = [ScoredFile("a", scores()), ScoredFile("b", scores())]
    whole = written(name, *results, layout=ScoreLayout(several_runs=True))
    assert whole.endswith(b"\n")
    if name == "trec":
        parts = [written(name, result, layout=ScoreLayout(several_runs=True)) for result in results]
        assert whole == b"".join(parts)


def _warnings(made):
    return [
        str(each)
        for each in left_out_topic_and_line_warnings(
            made.account, made.left_out, made.account.missing
        )
    ]


def _notes(made):
    found = topic_class_and_tie_warnings(made)
    assert all(each.is_note for each in found)
    return [str(each) for each in found]


def test_no_warning_without_a_reason():
    assert _warnings(scores()) == []
    assert _notes(scores()) == []
    assert topics_sentence(scores()) == "averaged over 2 topics"


def test_missing_topics_are_warned_of():
    made = scores(account=Account(missing=(b"401", b"402")))
    assert _warnings(made) == [
        "2 judged topics are missing from the run and were left out of the averages: 401, 402; "
        "use -c to count them as 0"
    ]
    assert _notes(made) == ["averaged over 2 topics"]


def test_at_most_ten_ids_are_listed():
    made = scores(account=Account(missing=tuple(b"%02d" % i for i in range(12))))
    assert "00, 01, 02, 03, 04, 05, 06, 07, 08, 09 and 2 more;" in _warnings(made)[0]


@pytest.mark.parametrize(
    "counted",
    [
        pytest.param({"divisor": 2}, id="evaluated as an empty ranking"),
        pytest.param({"topics": (b"q1",), "divisor": 2}, id="in the divisor only"),
    ],
)
def test_missing_topics_that_count_are_no_warning(counted):
    made = scores(**counted, account=Account(missing=(b"q2",)))
    assert _warnings(made) == []
    assert _notes(made) == [
        "1 judged topic missing from the run, counted as 0: q2", "averaged over 2 topics"
    ]  # fmt: skip
    assert topics_sentence(made) == (
        "averaged over 2 topics; 1 judged topic missing from the run, counted as 0: q2"
    )


def test_topics_that_are_left_out_and_count_all_the_same():
    """As with -D under -c, where trec_eval divides by all topics."""
    made = scores(topics=(b"q1",), divisor=3, account=Account(skipped=(b"q2", b"q3")))
    assert topics_sentence(made) == (
        "averaged over 3 topics, of which 2 left out by choice count as 0; "
        "2 topics were left out by choice: q2, q3"
    )


def test_notes():
    made = scores(account=Account(unjudged=(b"x",), skipped=(b"y", b"z")))
    assert _warnings(made) == []
    assert _notes(made) == [
        "1 topic of the run is not judged: x",
        "2 topics were left out by choice: y, z",
        "averaged over 2 topics",
    ]
