"""The command beside recorded outputs of trec_eval 10.0-rc3 and 9.0.8, case by case.

Each case is a folder: `cmd` (the arguments), the input files, and what the two programs printed
(`out`, `code`; `out9`, `code9`). Where irev does otherwise on purpose, `OWN` holds what it prints,
worked out by hand; the table of differences in docs/trec_eval.md says why.
"""

from __future__ import annotations

import shlex

import pytest

from tests import files
from tests.command import Ran, irev
from tests.each import for_each

CASES = files.CASES / "trec_eval"
NAMES = sorted(path.name for path in CASES.iterdir())


def _lines(*lines: str) -> bytes:
    """Lines of output, written with single blanks; the name is padded as trec_eval pads it."""
    fields = (line.split(" ", 2) for line in lines)
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in fields).encode()


REFUSED = {
    "007-scores-nan": "score 'nan' is not a number",
    "014-dup-doc-in-qrels-not-looked-at": "duplicate document",
    "023-no-common-topic-c": "no topic in common",
    "029-M-nonnumeric": "-M",
    "035-l-minus-1": "-l",
    "040-rel-lenient-parse": "is not a whole number",
    "059-params-on-plain-measure": "map",
    "067-ndcg-gain-dup-level": "twice",
    "068-ndcg-gain-nonint-name": "x",
    "103-run-cr-only": "a carriage return within the line",
}
"""Cases that trec_eval takes and irev refuses, and what its message says."""

OWN = {
    # num_rel honours -l: one document of each topic is graded 2 or more
    "020-c-num_rel-ignores-l": _lines(
        "num_rel q1 1", "num_rel_ret q1 1", "num_rel q2 1", "num_rel_ret q2 1",
        "num_rel all 2", "num_rel_ret all 2",
    ),
    # the first topic has R = 0
    "043-first-topic-all-negative": _lines("num_q all 2", "num_rel all 1"),
    # the second topic has no grade at all, so no ideal
    "044-later-topic-all-minus-1": _lines(
        "num_rel q1 2", "map q1 0.5000", "relstring q1 '2'", "ideal_dcg q1 2.6309",
        "ndcg q1 0.7602", "num_rel q2 0", "map q2 0.0000", "relstring q2 '.'",
        "ideal_dcg q2 0.0000", "ndcg q2 0.0000",
    ),
    # R = 2, the first found at rank 2: (0 + 1/2 + 1/2) / 3
    "050-11pt-unsorted": _lines("11pt_avg_1,.5,0 q 0.3333"),
    # (1.2 + 1.9/log2(3) + 1.5/2) / (1.9 + 1.5/log2(3) + 1.2/2)
    "065-ndcg-gain-close-values": _lines("ndcg_1=1.9,2=1.5,3=1.2 q 0.9136"),
    "097-qrels-consecutive-comments": _lines("map all 1.0000"),
    "098-qrels-consecutive-comments-as-data": _lines("num_rel q 1", "num_rel all 1"),
    "166-P-cutoff-beyond-32-bits": _lines("P_1 all 1.0000", "P_2147483649 all 0.0000"),
    # a topic that the run lacks is an empty ranking, whatever the qrels judge
    "167-c-placeholder-docno-judged": _lines(
        "num_ret q1 1", "num_rel_ret q1 1", "map q1 1.0000", "num_ret q2 0", "num_rel_ret q2 0",
        "map q2 0.0000", "num_ret all 1", "num_rel_ret all 1", "map all 0.5000",
    ),
}  # fmt: skip
"""What irev prints where trec_eval prints something else."""

ZERO_BY_ZERO = {
    # two topics, the second without any document left: 1 and 0 make 0.5
    "025-J-nothing-judged-nan": {b"all": b"0.5000", b"q2": b"0.0000"},
    "028-M-zero-nan": {b"all": b"0.0000"},
}
"""Cases in which trec_eval prints `-nan`, and what stands there instead, by topic."""

ACCEPTED_LIKE_10 = {
    "097-qrels-consecutive-comments",
    "098-qrels-consecutive-comments-as-data",
    "100-run-comments",
    "104-run-stdin",
    "169-prefs-comments",
}
"""Files that trec_eval 9 refused; `--compat trec9` is about numbers and topics, and reads them."""


def _run(name: str, *options: str) -> Ran:
    case = CASES / name
    stdin = case / "stdin"
    arguments = shlex.split((case / "cmd").read_text(encoding="utf-8"))
    return irev(*options, *arguments, cwd=case, stdin=stdin if stdin.exists() else None)


def _own(name: str, out: bytes) -> bytes:
    """The recorded output with what irev prints for 0/0."""
    lines = []
    for line in out.splitlines(keepends=True):
        topic = line.split(b"\t")[1]
        lines.append(line.replace(b"  -nan", ZERO_BY_ZERO[name].get(topic, b"  -nan")))
    return b"".join(lines)


def test_all_cases_are_there() -> None:
    """All recorded cases are found, and every exception is about one of them."""
    assert len(NAMES) == 116
    assert {*REFUSED, *OWN, *ZERO_BY_ZERO} <= set(NAMES)


@for_each("name", NAMES)
def test_version_10(name: str) -> None:
    """What trec_eval 10 prints, or what irev prints on purpose."""
    ran = _run(name)
    if name in REFUSED:
        assert (ran.out, ran.code) == (b"", 2)
        assert REFUSED[name] in ran.err
    elif name in OWN:
        assert (ran.out, ran.code) == (OWN[name], 0)
    elif name in ZERO_BY_ZERO:
        assert (ran.out, ran.code) == (_own(name, (CASES / name / "out").read_bytes()), 0)
    elif int((CASES / name / "code").read_text(encoding="utf-8")):
        assert (ran.out, ran.code) == (b"", 2)
        assert ran.err
    else:
        assert (ran.out, ran.code) == ((CASES / name / "out").read_bytes(), 0)


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("name", NAMES)
def test_version_9(name: str) -> None:
    """What trec_eval 9.0.8 prints under --compat trec9, but for the same exceptions."""
    ran = _run(name, "--compat", "trec9")
    recorded = (CASES / name / "out9").read_bytes()
    if name in REFUSED:
        assert (ran.out, ran.code) == (b"", 2)
    elif name in ZERO_BY_ZERO:
        assert (ran.out, ran.code) == (_own(name, recorded), 0)
    elif name in ACCEPTED_LIKE_10:
        assert ran.code == 0
    elif int((CASES / name / "code9").read_text(encoding="utf-8")) and name not in OWN:
        assert (ran.out, ran.code) == (b"", 2)
    elif name not in OWN:
        assert (ran.out, ran.code) == (recorded, 0)
