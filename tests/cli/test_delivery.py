"""Where the outcome of studies goes: names of any bytes, whole outcomes, inputs that stay."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from irev import MissingExtraError, plots
from irev.cli.commands import irev
from tests.files import SAMPLE

QRELS = SAMPLE / "qrels.txt"

ODD = os.fsdecode(b"a\xe9|b.run")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of one topic whose name is no UTF-8, and judgments of it; two common ones."""
    monkeypatch.chdir(tmp_path)
    topics = b"\xe9|1", b"2", b"3"
    Path("odd.qrels").write_bytes(b"".join(b"%s 0 a 1\n%s 0 b 0\n" % (t, t) for t in topics))
    for name, first in ((ODD, b"a"), ("other.run", b"b")):
        second = b"b" if first == b"a" else b"a"
        lines = [b"%s Q0 %s 1 2 t\n%s Q0 %s 2 1 t\n" % (t, first, t, second) for t in topics[:2]]
        lines.append(b"3 Q0 a 1 2 t\n3 Q0 b 2 1 t\n")
        Path(name).write_bytes(b"".join(lines))


def command(*arguments: str) -> Result:
    return CliRunner().invoke(irev, list(arguments))


STUDIES = {
    "sensitivity": ["odd.qrels", ODD],
    "sensitivity of a topic": ["odd.qrels", ODD, "-t", os.fsdecode(b"\xe9|1")],
    "sensitivity behind the pool": ["odd.qrels", ODD, "--undiscovered", "1"],
    "judgment-noise": ["odd.qrels", ODD, "--theta", ".9", "--trials", "3"],
    "judgment-noise of assessors": ["odd.qrels", "odd.qrels", ODD],
    "correlation": ["odd.qrels", ODD, "other.run", "-m", "AP", "-m", "P@1"],
    "overlap": [ODD, "other.run"],
    "preference": ["odd.qrels", ODD, "other.run"],
    "agreement": ["odd.qrels", "odd.qrels", ODD, "other.run"],
    "design": ["odd.qrels", ODD, "other.run"],
    "topics": ["odd.qrels", ODD, "other.run"],
    "reproduction": [
        "odd.qrels", "--baseline", ODD, "--advanced", "other.run", "--new-baseline", ODD,
        "--new-advanced", "other.run",
    ],
}  # fmt: skip


@pytest.mark.in_turn(4)
@pytest.mark.usefixtures("unplaced")
@pytest.mark.parametrize("study", STUDIES)
def test_names_that_are_no_utf_8(study: str) -> None:
    arguments = ["study", study.split()[0], *STUDIES[study]]
    ran = command(*arguments, "--format", "json", "--output", "out", "--data", "parquet")
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.stdout)
    assert data["tables"]
    json.dumps(data, ensure_ascii=False).encode("utf-8")
    written = json.loads(Path("out/parameters.json").read_text(encoding="utf-8"))
    assert written["signature"] == data["parameters"]["signature"]
    # two judgments set beside each other have a signature each
    several = (
        written["signature"] if study in ("agreement", "reproduction") else [written["signature"]]
    )
    assert all(each["short"].startswith("irev:") for each in several)
    for name, rows in data["tables"].items():
        assert len(pd.read_parquet(f"out/{name}.parquet")) == len(rows)


@pytest.mark.parametrize(
    ("study", "table", "column", "name"),
    [
        ("overlap", "overlap", "topic", "\\xe9|1"),
        ("preference", "topics", "topic", "\\xe9|1"),
        ("preference", "pairs", "run", "a\\xe9|b"),
        ("sensitivity", "topics", "topic", "\\xe9|1"),
        ("correlation", "means", "run", "a\\xe9|b"),
        ("agreement", "changes", "run", "a\\xe9|b"),
    ],
)
def test_how_such_names_are_written(study: str, table: str, column: str, name: str) -> None:
    ran = command("study", study, *STUDIES[study], "--output", "out", "--figures", "none")
    assert ran.exit_code == 0, ran.output
    assert name in pd.read_csv(f"out/{table}.csv")[column].tolist()


def test_a_table_holds_no_more_cells_than_it_has() -> None:
    ran = command("study", "overlap", ODD, "other.run", "--format", "markdown")
    rows = [line for line in ran.stdout.splitlines() if "xe9" in line]
    assert [row.replace("\\|", "").count("|") for row in rows] == [9]


def test_what_a_study_is_signed_with() -> None:
    ran = command("study", "overlap", ODD, "other.run", "--format", "json")
    data = json.loads(ran.stdout)["parameters"]
    assert "study:overlap|p:0.9|ties:a" in data["signature"]["short"]
    hashes = [sha256(Path(name).read_bytes()).hexdigest() for name in (ODD, "other.run")]
    assert list(data["signature"]["runs"].values()) == hashes


MORE_STUDIES = {
    "enumerate": ["-m", "AP", "--ranks", "3"],
    "discriminative-power": ["odd.qrels", ODD, "other.run", "--resamples", "9", "--stability"],
    "robustness": ["odd.qrels", ODD, "other.run", "-m", "bpref", "--rates", "50"],
}


@pytest.mark.parametrize("study", [*STUDIES, *MORE_STUDIES])
def test_a_study_without_matplotlib_writes_its_tables(
    study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = (STUDIES | MORE_STUDIES)[study]
    study = study.split()[0]
    ran = command("study", study, *words, "--output", "out")
    assert ran.exit_code == 0, ran.output
    lack = "irev: note: there are tables in out, but no figures: this needs matplotlib: pip install"
    assert lack in ran.stderr
    assert "'irev[plot]'" in ran.stderr
    ran = command("study", study, *words, "--output", "without", "--figures", "none")
    assert (ran.exit_code, "no figures" in ran.stderr) == (0, False)
    names = sorted(path.name for path in Path("out").iterdir())
    assert names == sorted(path.name for path in Path("without").iterdir())
    assert len(names) > 1
    # who names a form is not given less without an error
    ran = command("study", study, *words, "--output", "png", "--figures", "png")
    assert (ran.exit_code, "this needs matplotlib" in ran.stderr) == (2, True)
    assert not Path("png").exists()


def test_a_plot_without_matplotlib_is_a_table_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plot = plots.per_topic({"q1": {"a": 1}}, {"r": {"q1": {"a": 1.0}}}, "map")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = plot._repr_html_()
    assert html.startswith("<p>no figure: this needs matplotlib")
    assert "<td>1.0000</td>" in html
    with pytest.raises(MissingExtraError, match="pip install"):
        plot.plot()


@pytest.mark.thorough
def test_an_input_is_not_written_over() -> None:
    text = "topic,x,y\n1,0.1,0.2\n2,0.3,0.1\n3,0.5,0.9\n"
    Path("topics.csv").write_text(text, encoding="utf-8")
    ran = command("study", "design", "topics.csv", "--output", ".")
    assert ran.exit_code == 2
    assert "would overwrite an input file" in ran.output
    assert Path("topics.csv").read_text(encoding="utf-8") == text
    ran = command("study", "design", "topics.csv", "--output", "odd.qrels")
    assert (ran.exit_code, "this is a file, not a directory" in ran.output) == (2, True)


@pytest.mark.thorough
def test_forms_of_figures_do_not_depend_on_one_another() -> None:
    for kinds, into in (("svg,png,pdf", "one"), ("pdf,png,svg", "other")):
        ran = command("study", "overlap", ODD, "other.run", "--output", into, "--figures", kinds)
        assert ran.exit_code == 0, ran.output
    for path in Path("one").iterdir():
        assert path.read_bytes() == (Path("other") / path.name).read_bytes(), path.name
