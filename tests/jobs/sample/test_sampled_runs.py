"""`irev eval --sample` and the function that it writes the result of."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from irev import InputError, UsageError, evaluate_samples
from irev.jobs.sample.evaluation import SampledEvaluation, trec_lines
from irev.writers.forms import MACHINE_FORMATS
from irev.writers.trec import BELOW_TABLE
from tests.command import irev as command
from tests.files import SAMPLE

QRELS, RUNS = str(SAMPLE / "qrels.txt"), [str(SAMPLE / "bm25.run"), str(SAMPLE / "rm3.run")]
ARGUMENTS = ("--sample", "30%", "--repeat", "3", "--seed", "7", "-m", "infAP,P.5")


def evaluated(*runs: str, sign: bool = True, per_topic: bool = False) -> SampledEvaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_samples(
            QRELS, list(runs), "infAP P.5", samples=["30%"], repeat=3, seed=7, sign=sign,
            per_topic=per_topic, keep_going=True,
        )  # fmt: skip


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json", "jsonl"])
@pytest.mark.parametrize("number", [1, 2])
def test_command_and_function_give_the_same(form: str, number: int) -> None:
    ran = command(*ARGUMENTS, "--format", form, QRELS, *RUNS[:number])
    assert ran.code == 0
    result = evaluated(*RUNS[:number])
    assert result.text(form, width=None) == ran.out.decode().rstrip("\n")
    # a table has a line below it
    below_table = () if form in MACHINE_FORMATS else BELOW_TABLE
    notices = [each for each in result.warnings if each.kind not in below_table]
    said = [f"irev: {'note' if each.is_note else 'warning'}: {each}" for each in notices]
    assert ran.err.splitlines() == said


def test_the_text_of_trec_eval_has_topics_too() -> None:
    ran = command("-q", *ARGUMENTS, QRELS, *RUNS)
    assert b"".join(trec_lines(evaluated(*RUNS, per_topic=True), 4)) == ran.out


def test_rows_and_names() -> None:
    result = evaluated(*RUNS)
    assert repr(result) == "<SampledEvaluation of bm25, rm3>"
    frame = result.to_frame()
    assert [*dict.fromkeys(frame["run"])] == ["bm25", "rm3", "all"]
    assert result.to_dict()["seed"] == 7
    assert {each.run for each in result.warnings} <= {"", "bm25", "rm3"}


def test_a_run_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.run")
    result = evaluated(RUNS[0], missing)
    assert [each.name for each in result.runs] == ["bm25"]
    assert [path for path, _ in result.broken] == [missing]
    assert result.several_runs
    with pytest.raises(InputError, match=r"none\.run"):
        evaluate_samples(QRELS, [RUNS[0], missing], "infAP", samples=["30%"])
    ran = command(*ARGUMENTS, QRELS, RUNS[0], missing)
    assert ran.code == 2
    assert ran.out == b"".join(trec_lines(result, 4))
    assert missing in ran.err.splitlines()[-1]


def test_a_file_is_not_written_where_a_run_fails(tmp_path: Path) -> None:
    target = tmp_path / "out"
    ran = command(*ARGUMENTS, "--output", target, QRELS, RUNS[0], tmp_path / "none.run")
    assert ran.code == 2
    assert f"{target} was not written" in ran.err
    assert not target.exists()


def test_what_a_folder_has_besides_runs_is_told(tmp_path: Path) -> None:
    """With samples as without."""
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "bm25.run").write_bytes(Path(RUNS[0]).read_bytes())
    (folder / "gone").symlink_to(tmp_path / "nowhere")
    plain = command("-m", "map", QRELS, folder)
    sampled = command(*ARGUMENTS, QRELS, folder)
    assert plain.code == sampled.code == 2
    (line,) = [line for line in plain.err.splitlines() if "gone" in line]
    assert line in sampled.err


def test_no_samples_of_preferences() -> None:
    with pytest.raises(UsageError, match="samples are drawn from qrels"):
        evaluate_samples(QRELS, RUNS, "infAP", samples=["30%"], qrels_format="qrels_jg")


def test_options_are_keywords() -> None:
    with pytest.raises(UsageError, match="samples of the judgments need a rate"):
        evaluate_samples(QRELS, RUNS, "infAP")
    with pytest.raises(TypeError, match="has no option 'sample'; write samples="):
        evaluate_samples(QRELS, RUNS, "infAP", sample="30%")  # type: ignore[call-arg]


def test_runs_in_memory() -> None:
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 0, "d4": 0}}
    runs = {"one": {"q1": {"d1": 3.0, "d2": 2.0}}, "two": {"q1": {"d2": 3.0, "d1": 2.0}}}
    result = evaluate_samples(qrels, runs, "infAP", samples="50%", repeat=2)
    assert [each.name for each in result.runs] == ["one", "two"]
    assert result.runs[0].scores.values.tolist() == [[[1.0], [1.0]]]
