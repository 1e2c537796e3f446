"""A short run of each fuzzer, always the same; and that they find what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import Ran
from tests.files import ROOT
from tests.strategies import examples
from tools.fuzz import damage, differential, faults
from tools.fuzz.generated import Generated, Judgment, Retrieved, generate, text_of
from tools.fuzz.harness import Case, unsound


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_generated_input_has_the_values_of_the_plain_twins(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 10):
        tried = differential.try_seed(seed, tmp_path, None)
        assert tried is None or tried[2] is None, (seed, tried)


FOUND = (
    # a text beside grades below -1, of which a warning is computed
    Case(
        {"q": b"1 0 a 1\n1 0 b -2\n", "r": b"1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n"},
        ["-q", "-m", "relstring", "-m", "map", "q", "r"],
    ),
)


@pytest.mark.parametrize("case", FOUND)
def test_what_was_found_is_mended(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    ran = case.call(tmp_path)
    assert unsound(ran) is None
    assert ran.out.startswith(
        b"map                   \t1\t0.5000\nrelstring             \t1\t'.1'\n"
    )


@pytest.mark.skipif(not differential.trec_eval(), reason="there is no trec_eval")
def test_generated_input_has_the_output_of_trec_eval(tmp_path: Path) -> None:
    for seed in range(1000, 1040):
        tried = differential.try_seed(seed, tmp_path, differential.trec_eval())
        assert tried is None or tried[2] is None, (seed, tried)


@pytest.mark.parametrize("first", range(0, 150, 50))
def test_damaged_input_is_an_answer_or_an_error(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        result, _, finding = damage.try_seed(seed, tmp_path)
        assert finding is None, (seed, result.command(), finding)


@examples(10)
@given(st.integers(0, 1 << 32))
def test_joined_lines_and_parted_ids_are_told_or_change_no_score(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        result, outcome, finding = damage.try_joined(seed, Path(folder))
        assert finding is None, (result.files[damage.X], result.command(), outcome, finding)


@pytest.mark.thorough
def test_the_corpus_is_sound(tmp_path: Path) -> None:
    """Each file is read without an error, so that what is found is the damage's."""
    for name, words in damage.TARGETS:
        case = damage.case_of(name, words, damage.corpus()[name])
        case.write(tmp_path)
        ran = case.call(tmp_path)
        allowed = (2,) if name == damage.REFUSED else (0, 1)
        assert ran.code in allowed, (name, case.command(), ran.err)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(len(faults.FAULTS)))
def test_no_fault_leaves_half_a_file(seed: int, tmp_path: Path) -> None:
    result, outcome, finding = faults.try_seed(seed, tmp_path)
    assert finding is None, (result.command(), outcome, finding)


@pytest.mark.parametrize(
    ("style", "measure"), [("qrels", "map"), ("qrels_jg", "map_avgjg"), ("prefs", "prefs_simp")]
)
def test_a_wrong_value_is_found(style: str, measure: str, tmp_path: Path) -> None:
    """A digit changed in what irev printed is no longer what the twins say."""
    words = ["-q", "-R", style, "-m", measure, "q", "r"]
    drawn = generate(Random(5), style)
    files = {
        "q": text_of([line.fields() for line in drawn.judgments], b" "),
        "r": text_of([line.fields(i) for i, line in enumerate(drawn.run)], b" "),
    }
    case = Case(files, words)
    case.write(tmp_path)
    ran = case.call(tmp_path)
    result = differential.Pair(case, case, drawn, 0)
    assert ran.code == 0
    assert differential.twins_difference(result, ran.out, 0) == ""
    wrong = ran.out.replace(b"\t0.", b"\t1.", 1)
    assert wrong != ran.out
    assert "the twin has" in differential.twins_difference(result, wrong, 0)


JUDGED = [Judgment(topic, b"0", b"", b"a", b"1") for topic in (b"1", b"2")]
RUN_WITHOUT_2 = [Retrieved(b"1", b"a", b"0.5")]


@pytest.mark.parametrize(
    ("words", "lines", "outcome"),
    [
        ("-c -l 2", [b"num_rel\tall\t3"], "num_rel under -c -l"),
        ("-c", [b"utility_1,-1,2,0\t2\t0.1"], "a dummy document under -c"),
        (
            "-c -l 2",
            [b"num_rel\tall\t3", b"utility_1,-1,2,0\tall\t0.1"],
            "a dummy document under -c and num_rel under -c -l",
        ),
        (
            "-c -l 2",
            [b"num_rel\tall\t3", b"relstring_5\t2\t'.'", b"map\tall\tnan"],
            "a dummy document under -c and nan of trec_eval and num_rel under -c -l",
        ),
        # what one of them does not explain is a finding, whatever stands beside it
        ("-c -l 2", [b"num_rel\tall\t3", b"map\tall\t0.1"], "DIFFERENT: map"),
        ("-c", [b"num_rel\tall\t3"], "DIFFERENT: num_rel"),
        ("-c -l 2", [b"num_rel\t1\t3"], "DIFFERENT: num_rel"),
        ("", [b"utility_1,-1,2,0\tall\t0.1"], "DIFFERENT: utility_1,-1,2,0"),
        ("-c", [b"utility_1,-1,2,0\t1\t0.1"], "DIFFERENT: utility_1,-1,2,0"),
        ("", [b"map\tall\tnan", b"P_5\tall\t0.2"], "DIFFERENT: P_5"),
    ],
)
def test_known_differences_explain_lines_one_by_one(
    words: str, lines: list[bytes], outcome: str
) -> None:
    case = Case({}, words.split())
    pair = differential.Pair(case, case, Generated("qrels", True, JUDGED, RUN_WITHOUT_2), 0)
    assert differential.difference_class(pair, lines) == outcome


@pytest.mark.parametrize(
    ("ran", "what"),
    [
        (Ran(b"", "irev: this is a bug", 3), "exit 3"),
        (Ran(b"", "Traceback (most recent call last):\n  x", 1), "a traceback"),
        (Ran(b"x", "an error", 2), "output beside exit 2"),
        (Ran(b"", "", 2), "exit 2 without a word"),
        (Ran(b"", "a \x1b[31m", 2), "a control character"),
        (Ran(b"", "a \x9b31m", 2), "a control character"),
    ],
)
def test_what_is_unsound_is_found(ran: Ran, what: str) -> None:
    finding = unsound(ran)
    assert finding is not None
    assert finding.what.startswith(what)


def test_a_case_depends_on_its_seed_alone() -> None:
    for seed in (3, 4, 5):
        assert differential.pair(seed) == differential.pair(seed)
        assert damage.case(seed) == damage.case(seed)
        assert faults.case(seed) == faults.case(seed)
        assert generate(Random(seed), "prefs") == generate(Random(seed), "prefs")
    assert damage.case(3) != damage.case(4)


@pytest.mark.thorough
def test_a_crash_of_the_process_is_a_finding_and_the_others_go_on(tmp_path: Path) -> None:
    """The run goes on behind it, and keeps the case."""
    code = (
        "import os, sys\n"
        "from tools.fuzz import damage, run\n"
        "try_seed = damage.try_seed\n"
        "def crashing(seed, folder):\n"
        "    if seed == 1:\n"
        "        os.abort()\n"
        "    return try_seed(seed, folder)\n"
        "run.FUZZERS['damage'] = damage.try_seed = crashing\n"
        "if __name__ == '__main__':\n"
        "    sys.exit(run.main())\n"
    )
    (tmp_path / "crashing.py").write_text(code)
    words = ["--only", "damage", "--count", "3", "--minutes", "5", "--keep", "kept"]
    done = subprocess.run(
        [sys.executable, "crashing.py", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "damage 1: the process ends with -6" in done.stdout
    assert "up to seed 3; 1 findings of 1 classes" in done.stdout
    assert (tmp_path / "kept" / "damage-1" / "COMMAND").read_text(encoding="utf-8") == (
        f"{damage.case(1).command()}\n"
    )
