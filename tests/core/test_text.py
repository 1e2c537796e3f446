"""Numbers and names, read from texts and written in sentences; short names of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from irev.core.text import (
    ShortNames,
    count_text,
    list_beginning,
    parse_c_number,
    parse_whole,
    short_run_names,
    shortened_list,
)
from irev.writers.scores import paper_run_names, shorten_run_names
from tests.each import for_each

# --- Numbers are read to their last byte, or not at all ---

WHOLE = {"0": 0, "5": 5, "+5": 5, "-05": -5, "-0": 0, "9223372036854775808": 2**63}
NOT_WHOLE = [
    "", "+", "-", "5x", "23.4", "1.0", "1e3", "0x10", " 5", "5 ", "5\n", "1_000", "٣", "²",
    "9" * 5000,
]  # fmt: skip
REAL = {
    "1": 1.0, "-.5": -0.5, "5.": 5.0, "+2.5e-3": 0.0025, "1E2": 100.0, "0x1p4": 16.0, "-0X.8": -0.5,
    "0x1.8P-1": 0.75, "0x10": 16.0, "inf": math.inf, "-Infinity": -math.inf, "1e999": math.inf,
    "-0x1p99999": -math.inf, "1e-999": 0.0, "0.1": 0.1,
}  # fmt: skip
NOT_REAL = [
    "", ".", "e5", "1e", "1e+", "0x", "0x1p", "0x.p1", "1,5", "2.5zz", " 1", "1 ", "1\n", "1_0",
    "٣.٥", "nan", "NAN", "-nan", "infin", "ınf", "--1",
]  # fmt: skip


def test_whole_numbers() -> None:
    for text, number in WHOLE.items():
        assert parse_whole(text) == parse_whole(text.encode()) == number, text
    for text in NOT_WHOLE:
        assert parse_whole(text) is parse_whole(text.encode()) is None, text


def test_real_numbers() -> None:
    for text, number in REAL.items():
        assert parse_c_number(text) == parse_c_number(text.encode()) == number, text
    for text in NOT_REAL:
        assert parse_c_number(text) is parse_c_number(text.encode()) is None, text


def test_bytes_that_are_no_text() -> None:
    assert parse_whole(b"\xff1") is None
    assert parse_c_number(b"1\xb2") is None


# --- Numbers of things and lists of names in sentences ---


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("topic",), "0 topics"),
        (1, ("topic",), "1 topic"),
        (2, ("topic",), "2 topics"),
        (1, ("class has", "classes have"), "1 class has"),
        (3, ("class has", "classes have"), "3 classes have"),
    ],
)
def test_counted(number: int, words: tuple[str, ...], text: str) -> None:
    assert count_text(number, *words) == text


@pytest.mark.parametrize(
    ("names", "whole", "beginning"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("abcde", "a, b, c, d, e", "a, b, c, d, e"),
        ("abcdef", "a, b, c, d, e and 1 more", "a, b, c, d, e, ..."),
    ],
)
def test_lists(names: str, whole: str, beginning: str) -> None:
    """Up to five names are told, of texts and of ids alike."""
    ids = [name.encode() for name in names]
    assert shortened_list(list(names)) == shortened_list(ids) == whole
    assert list_beginning(list(names)) == list_beginning(ids) == beginning


def test_how_many_are_told_can_be_said() -> None:
    assert shortened_list(["a", "b", "c"], 1) == "a and 2 more"
    assert list_beginning(["a", "b", "c"], 2) == "a, b, ..."


def test_ids_are_shown_as_messages_show_them() -> None:
    assert shortened_list([b"\xff", b"a\nb"]) == r"\xff, a\nb"


# --- Short names of runs: endings and shared beginnings left out, names distinct ---

PASSAGES = (
    "bm25.MD25.run",
    "colbert_monoelectra-base_msmarco-passage-trec-dl-2019-judged.run",
    "dl-19-official-input.ICT-BERT2.gz",
    "dl-19-official-input.TUA1-1.gz",
    "dl-19-official-input.TUW19-p1-f.gz",
    "dl-19-official-input.UNH_bm25.gz",
    "dl-19-official-input.bm25base_p.gz",
    "dl-19-official-input.bm25base_prf_p.gz",
    "dl-19-official-input.bm25tuned_rm3_p.gz",
    "dl-19-official-input.idst_bert_p1.gz",
    "dl-19-official-input.ms_duet_passage.gz",
    "dl-19-official-input.p_bert.gz",
    "dl-19-official-input.p_exp_bert.gz",
    "dl-19-official-input.runid2.gz",
    "dl-19-official-input.srchvrs_ps_run1.gz",
    "dl-19-official-input.test1.gz",
)
"""The names of the files of runs of TREC 2019 Deep Learning, as a mirror of them has them."""

COVID = (
    "10x10.prf.unipd.it", "BBGhelani1", "BERT", "BITEM_BL", "BRPHJ_NLP2", "IRIT_marked_un_pair",
    "OHSU_RUN1", "OHSU_RUN2", "OHSU_RUN3", "Technion-JPD", "Technion-MEDMM", "Technion-RRF",
    "UIowaS_Run1", "UIowaS_Run2", "UIowaS_Run3", "ir_covid19_cle_dfr", "ir_covid19_cle_ib",
    "ir_covid19_cle_lmd", "ixa-ir-filter-narr", "ixa-ir-filter-query", "ixa-ir-filter-quest",
    "jlbase", "jlprec", "jlrecall", "poznan_run1", "poznan_run2", "poznan_run3",
    "sab20.1.meta.docs", "sheikh_bm25_all", "smith.bm25", "smith.ql", "smith.rm3",
)  # fmt: skip
"""The names of 32 runs of TREC-COVID, round 1."""


def test_what_most_long_names_begin_with_is_left_out() -> None:
    short = short_run_names(PASSAGES)
    assert short.names == (
        "bm25.MD25",
        "colbert_monoelectra-base_msmarco-passage-trec-dl-2019-judged",
        "ICT-BERT2",
        "TUA1-1",
        "TUW19-p1-f",
        "UNH_bm25",
        "bm25base_p",
        "bm25base_prf_p",
        "bm25tuned_rm3_p",
        "idst_bert_p1",
        "ms_duet_passage",
        "p_bert",
        "p_exp_bert",
        "runid2",
        "srchvrs_ps_run1",
        "test1",
    )
    assert (short.endings, short.prefix, short.num_prefixed) == (
        (".gz", ".run"), "dl-19-official-input.", 14,
    )  # fmt: skip
    assert short.left_out == (
        'Left out: "dl-19-official-input." at the start of 14 names; the endings .gz, .run.'
    )


def test_names_of_ordinary_length_stay_as_they_are() -> None:
    assert short_run_names(COVID) == ShortNames(COVID, (), "", 0)
    assert short_run_names(COVID).left_out == ""


@for_each(
    ("names", "short"),
    [
        ([], []),
        (["bm25"], ["bm25"]),
        (["bm25.RUN.gz", "rm3.res.txt"], ["bm25", "rm3"]),
        # one long name shares its beginning with nobody
        (["b", "a-name-of-thirty-characters-12"], ["b", "a-name-of-thirty-characters-12"]),
        # the beginning goes from short names that have it, too
        (["our-team-2024/task-one/" + n for n in ("bm25.run", "rm3.run", "a")],
         ["bm25", "rm3", "a"]),
        # all long ones share less than most of them: what all share counts
        (["shared.by.all.the.names-" + n for n in ("x-1", "x-2", "x-3", "x-4", "y-5")],
         ["x-1", "x-2", "x-3", "x-4", "y-5"]),
        # three of four are 75%
        (["a-beginning-that-is-long-" + n for n in "123"] + ["another-beginning-that-is-long"],
         ["a-beginning-that-is-long-" + n for n in "123"] + ["another-beginning-that-is-long"]),
        # no separator behind what they share
        (["abcdefghijklmnopqrstuvwxyz1", "abcdefghijklmnopqrstuvwxyz2"],
         ["abcdefghijklmnopqrstuvwxyz1", "abcdefghijklmnopqrstuvwxyz2"]),
        # behind the folders of teams, of names that are long still
        ([f"{team}/task-2024-passages-{run}" for team in ("anna", "ben") for run in ("a", "b-1")],
         ["anna/a", "anna/b-1", "ben/a", "ben/b-1"]),
        ([f"teams/2024/{team}/task-2024-passages-{team}" for team in ("anna", "ben")],
         ["anna/anna", "ben/ben"]),
        (["anna/run-1", "ben/run-2"], ["anna/run-1", "ben/run-2"]),
        (["anna/task-2024-passages-x", "ben/task-2024-passages-", "carla/task-2024-passages-y"],
         ["anna/passages-x", "ben/passages-", "carla/passages-y"]),
        (["Συστήματα_ανάκτησης_πληροφοριών_α", "Συστήματα_ανάκτησης_πληροφοριών_β"], ["α", "β"]),
    ],
)  # fmt: skip
def test_rules(names: Sequence[str], short: Sequence[str]) -> None:
    assert list(short_run_names(names).names) == list(short)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        # without endings the first two would be one name
        (["bm25.run", "bm25.txt", "rm3.run"], ["bm25.run", "bm25.txt", "rm3"]),
        (["bm25.run", "bm25.run.gz", "bm25.run.run"], ["bm25.run", "bm25.run.gz", "bm25.run.run"]),
        # without their beginning one would be called as another is
        (["input-of-the-task-2024-bm25", "input-of-the-task-2024-rm3", "bm25"],
         ["2024-bm25", "2024-rm3", "bm25"]),
        # ... or not at all
        (["a-beginning-that-is-long-enough-", "a-beginning-that-is-long-enough-b"],
         ["enough-", "enough-b"]),
        ([".run", ".gz"], [".run", ".gz"]),
        (["bm25.run", "bm25.run"], ["bm25", "bm25"]),
    ],
)  # fmt: skip
def test_names_stay_distinct(names: Sequence[str], short: Sequence[str]) -> None:
    assert list(short_run_names(names).names) == list(short)


def test_thousands_of_names_of_one_beginning() -> None:
    names = [f"a/long/way/to/the/{number}/and/further/{number % 7}.run" for number in range(5000)]
    short = short_run_names(names)
    assert short.prefix == "a/long/way/to/the/"
    assert len(set(short.names)) == 5000


def test_what_is_left_out_behind_folders_is_said() -> None:
    names = [f"{team}/task-2024-passages-{run}.run" for team in ("anna", "berta") for run in "xy"]
    assert short_run_names(names).left_out == (
        'Left out: "task-2024-passages-" after the folder of 4 names; the endings .run.'
    )
    assert paper_run_names(names) == (
        ("anna/x", "anna/y", "berta/x", "berta/y"),
        ['The names of 4 runs are shown without "task-2024-passages-" after the folder.'],
    )


def test_sentences_call_runs_as_their_table_does() -> None:
    names = ["a/run", "a/run-2", "b"]
    sentences = ["Note: a/run-2 lacks 1 topic, a/run and c/a/run lack 2.", "b has all."]
    assert shorten_run_names(sentences, names, ["run", "run-2", "b"]) == [
        "Note: run-2 lacks 1 topic, run and c/a/run lack 2.", "b has all.",
    ]  # fmt: skip
