"""What a gate tells machines: GitHub's files and annotations, JUnit XML, JSON, Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from irev.errors import InputError, Problem
from irev.jobs.gate.document import MAX_SUMMARY_BYTES, error_annotation_lines, number_text
from tests.command import irev
from tests.gates import Ended, gate, write_qrels, write_run


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments and two runs, and a step of GitHub Actions around the call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    write_qrels("qrels", 4)
    write_run("good.run", [1, 1, 1, 1])
    write_run("worse.run", [2, 2, 2, 1])
    return tmp_path


def commands(done: Ended) -> list[str]:
    return [line for line in done.err.splitlines() if line.startswith("::")]


def test_failures_are_errors_and_stdout_stays_as_it_is() -> None:
    arguments = ["qrels", "worse.run", "--min", "map=0.7", "--baseline", "good.run"]
    done = gate(*arguments)
    assert done.code == 1
    assert commands(done) == [
        "::error title=irev gate%3A min map::failed: map is 0.6250, must be at least 0.7",
        "::error title=irev gate%3A baseline map::failed: map is 0.6250, which is 0.3750 below the "
        "1.0000 of good; tolerance 0.01",
    ]
    assert gate(*arguments, "--no-github").out == done.out
    assert commands(gate(*arguments, "--no-github")) == []


def test_a_pass_is_a_notice_and_an_open_comparison_a_warning() -> None:
    arguments = ["qrels", "worse.run", "--baseline", "good.run"]
    done = gate("qrels", "good.run", "--min", "map=0.7")
    assert commands(done) == [
        "::notice title=irev gate::PASSED: map is 1.0000, must be at least 0.7"
    ]
    done = gate(*arguments, "--alpha", 0.01, "--undecided", "pass")
    assert done.code == 0
    assert [line.partition(" ")[0] for line in commands(done)] == ["::warning", "::notice"]


def test_values_and_the_summary_are_appended() -> None:
    Path("summary.md").write_text("before\n", encoding="utf-8")
    Path("outputs").write_text("before=1\n", encoding="utf-8")
    gate("qrels", "worse.run", "--min", "P@1=0.5", "--min", "map=0.1")
    assert Path("outputs").read_text(encoding="utf-8").splitlines() == [
        "before=1", "outcome=failed", "gates=2", "failed=1", "undecided=0", "mean_P_1=0.25",
        "mean_map=0.625",
    ]  # fmt: skip
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert summary.startswith("before\n### irev gate: FAILED")
    assert "| min P@1 | **failed** | P@1 is 0.2500, must be at least 0.5 |" in summary
    cells = [[cell.strip() for cell in line.split("|")] for line in summary.splitlines()]
    assert ["", "min map", "passed", "map is 0.6250, must be at least 0.1", ""] in cells
    done = gate("qrels", "worse.run", "--min", "P@1=0.5", "--min", "map=0.1", "--format",
                "markdown", "--no-github")  # fmt: skip
    assert "before\n" + done.out == summary


def test_the_summary_is_cut_at_what_github_takes() -> None:
    Path("summary.md").write_bytes(b"x" * (MAX_SUMMARY_BYTES - 200))
    gate("qrels", "worse.run", "--baseline", "good.run")
    content = Path("summary.md").read_bytes()
    assert len(content) <= MAX_SUMMARY_BYTES
    assert content.endswith(b"(the rest is cut: a summary holds 1 MiB)\n")


def test_no_more_than_ten_annotations_of_a_kind() -> None:
    limits = [part for cutoff in range(1, 13) for part in ("--min", f"P@{cutoff}=1")]
    lines = commands(gate("qrels", "worse.run", *limits))
    assert len(lines) == 10
    assert lines[-1].endswith("must be at least 1 (and 2 more)")


def test_unreadable_files_are_annotated_at_their_lines() -> None:
    Path("bad.run").write_text("1 Q0 yes 1 0.5 tag\n1 Q0 no 2 high tag\n", encoding="utf-8")
    done = gate("qrels", "bad.run", "--min", "map=0", "--junit", "junit.xml")
    assert done.code == 2
    assert commands(done)[0].startswith("::error file=bad.run,line=2,title=irev gate::")
    assert Path("outputs").read_text(encoding="utf-8") == "outcome=error\n"
    assert "nothing could be judged" in Path("summary.md").read_text(encoding="utf-8")
    (suite,) = ElementTree.parse("junit.xml").getroot()
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error") is not None


def test_what_has_a_meaning_in_workflow_commands_is_escaped() -> None:
    error = InputError([Problem("a,b:c%.run", 3, "field-count", "100 %\nno\r", "hint: x,y")])
    assert list(error_annotation_lines(error)) == [
        "::error file=a%2Cb%3Ac%25.run,line=3,title=irev gate::100 %25%0Ano%0D (hint: x,y)"
    ]


def test_no_name_of_a_file_makes_a_command() -> None:
    odd = "x\n::error::y.run"
    Path(odd).write_bytes(Path("good.run").read_bytes())
    for form in ("text", "markdown"):
        done = gate("qrels", "worse.run", "--baseline", odd, "--format", form)
        assert done.code == 1
        assert not [line for line in done.out.splitlines() if line.startswith("::")]
        assert len(commands(done)) == 1


def test_no_text_of_a_file_ends_the_summary_of_a_failure() -> None:
    Path("bad.run").write_text("```\n# <img>\n", encoding="utf-8")
    assert gate("qrels", "bad.run", "--min", "map=0").code == 2
    number_text = Path("summary.md").read_text(encoding="utf-8").split("\n\n")[1].splitlines()
    assert number_text
    assert all(line.startswith("    ") for line in number_text)


def test_standard_input_is_called_so() -> None:
    done = irev("gate", "qrels", "-", "--min", "map=0", stdin=Path("good.run"))
    assert done.code == 0
    assert b"standard input" in done.out


def test_junit_has_a_test_case_for_each_gate() -> None:
    Path("junit.xml").write_text("of the last call", encoding="utf-8")
    done = gate("qrels", "worse.run", "--min", "map=0.1", "--max", "P@1=0.1", "--baseline",
                "good.run", "--alpha", 0.01, "--junit", "junit.xml")  # fmt: skip
    assert done.code == 1
    (suite,) = ElementTree.parse("junit.xml").getroot()
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "3", "failures": "2", "errors": "0",
    }  # fmt: skip
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["min map", "max P@1", "baseline map"]
    failures = [case.find("failure") for case in cases]
    kinds = [None if failure is None else failure.get("type") for failure in failures]
    assert kinds == [None, "failed", "undecided"]
    assert failures[1] is not None
    assert failures[1].get("message") == "P@1 is 0.2500, must be at most 0.1"
    told_there = failures[2].text if failures[2] is not None else ""
    assert "one-sided paired t tests, n = 4 topics" in (told_there or "")
    heads = ["topic", "run", "baseline", "difference"]
    assert any(line.split() == heads for line in (told_there or "").splitlines())
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert str(properties["run signature"]).startswith("irev:")
    assert str(properties["topics"]).startswith("4; a judged topic that a run lacks counts as 0")


def test_names_that_xml_cannot_hold_are_written_all_the_same() -> None:
    name = b"a\x01\xff&<.run".decode("utf-8", "surrogateescape")
    Path(name).write_bytes(Path("good.run").read_bytes())
    done = gate("qrels", "worse.run", "--baseline", name, "--junit", "junit.xml")
    assert done.code == 1
    (suite,) = ElementTree.parse("junit.xml").getroot()
    assert r"a\x01\xff&<" in str(suite.find("testcase/failure").get("message"))  # type: ignore[union-attr]


def test_json_is_exact_and_signed() -> None:
    write_run("third.run", [3, 1, 1, 1])
    done = gate("qrels", "third.run", "--min", "map=0.7", "--format", "json")
    data = json.loads(done.out)
    assert data["means"] == {"map": (1 / 3 + 1 + 1 + 1) / 4}
    assert data["missing_count_as_zero"]
    signature = data["run"]["signature"]
    assert signature["short"].startswith("irev:")
    assert signature["divisor"] == 4
    assert len(signature["qrels"]) == 64
    assert data["baseline"] is None


def test_markdown_means_nothing_else() -> None:
    Path("a|b_c.run").write_bytes(Path("good.run").read_bytes())
    done = gate("qrels", "worse.run", "--baseline", "a|b_c.run", "--format", "markdown")
    assert "baseline a\\|b_c; topics" in done.out
    cells = [[cell.strip() for cell in line.split("|")] for line in done.out.splitlines()]
    assert ["", "1", "0.5000", "1.0000", "-0.5000", ""] in cells


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [
        (0.39996, 0.4, "0.39996"),
        (0.40004, 0.4, "0.4000"),
        (0.4, 0.4, "0.4000"),
        (0.41, 0.4, "0.4100"),
        (-0.01004, -0.01, "-0.01004"),
        (0.39996, None, "0.4000"),
    ],
)
def test_rounding_hides_no_verdict(value: float, bound: float | None, text: str) -> None:
    assert number_text(value, 4, bound) == text
