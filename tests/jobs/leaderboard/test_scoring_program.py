"""`irev leaderboard` as the scoring program of CodaBench and TIRA."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil

import pandas as pd
import pytest
from click.testing import CliRunner

from irev import leaderboard
from irev.cli.commands import irev
from irev.cli.leaderboard import prototext, scores_txt
from tests.files import ROOT, SAMPLE, copy_to_change

BUNDLE = ROOT / "examples" / "codabench"

# trec_eval 10's scores of rm3.run with -c, as sample_data/README.md has them
MAP, NDCG = 0.4385, 0.5834


@pytest.fixture
def folders(tmp_path):
    """What CodaBench gives to a scoring program, made of the example's bundle."""
    (tmp_path / "input").mkdir()
    copy_to_change(BUNDLE / "reference_data", tmp_path / "input" / "ref")
    result = tmp_path / "input" / "res"
    (result / "__MACOSX").mkdir(parents=True)
    (result / "__MACOSX" / "._rm3.run").write_text("x")
    (result / "metadata").write_text("description: mine\n")
    (result / "inside").mkdir()
    copy_to_change(SAMPLE / "rm3.run", result / "inside" / "rm3.run")
    return tmp_path


def call(*arguments):
    outcome = CliRunner().invoke(irev, ["leaderboard", *map(str, arguments)])
    if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
        return 2, str(outcome.exception)
    return outcome.exit_code, outcome.stderr


def test_the_bundle_is_scored_by_its_own_command(folders):
    text = (BUNDLE / "scoring_program" / "metadata.yaml").read_text(encoding="utf-8")
    command = shlex.split(text.removeprefix("command: ").replace("/app", str(folders)))
    assert command[:2] == ["irev", "leaderboard"]

    code, err = call(*command[2:])

    note = "irev: note: topics without judgments are left out: 1 of inside/rm3\n"
    assert (code, err) == (0, note)
    scores = json.loads((folders / "output" / "scores.json").read_text(encoding="utf-8"))
    assert {key: round(value, 4) for key, value in scores.items()} == {"map": MAP, "ndcg": NDCG}
    lines = (folders / "output" / "scores.txt").read_text(encoding="utf-8").splitlines()
    assert {k: float(v) for k, v in (line.split(": ") for line in lines)} == scores
    assert "by topic" in (folders / "output" / "detailed_results.html").read_text(encoding="utf-8")
    # the platform shows what has the key of a column
    competition = (BUNDLE / "competition.yaml").read_text(encoding="utf-8")
    columns = competition.partition("columns:")[2]
    assert set(re.findall(r"key: (\w+)", columns)) == set(scores)
    for kind in ("image", "terms", "file", "scoring_program", "reference_data"):
        for path in re.findall(rf"\b{kind}: (\S+)", competition):
            assert (BUNDLE / path).exists()


def test_the_bundle_has_the_samples_judgments():
    qrels = (BUNDLE / "reference_data" / "qrels.txt").read_bytes()
    assert qrels == (SAMPLE / "qrels.txt").read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("inside/rm3.run", b"1 Q0 d 1 high t\n", "rm3.run:1: the score is not a number"),
        ("inside/rm3.run", b"", "rm3.run: there are no lines of data"),
        ("inside/rm3.run", b"other Q0 d 1 1 t\n", "no topic"),
        ("second.run", b"1 Q0 d 1 1 t\n", "the submission must be one file"),
        ("inside/rm3.run", None, "the submission must be one file"),
    ],
)
def test_a_bad_submission_leaves_no_scores(folders, name, content, message):
    path = folders / "input" / "res" / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    code, err = call("--codabench", folders / "input", folders / "output", "-m", "map")
    assert code == 1
    assert message in err
    assert "high" not in err
    assert not (folders / "output").exists()


def test_an_output_folder_that_is_used_twice_holds_nothing_old(folders):
    arguments = ("--codabench", folders / "input", folders / "output", "-m", "map")
    assert call(*arguments)[0] == 0
    assert len(list((folders / "output").iterdir())) == 3
    (folders / "output" / "mine").touch()
    (folders / "input" / "res" / "inside" / "rm3.run").write_text("1 Q0 d 1 high t\n")
    assert call(*arguments)[0] == 1
    assert [path.name for path in (folders / "output").iterdir()] == ["mine"]
    # nor where the organiser's own files are at fault
    copy_to_change(SAMPLE / "rm3.run", folders / "input" / "res" / "inside" / "rm3.run")
    assert call(*arguments)[0] == 0
    (folders / "input" / "ref" / "qrels.txt").write_text("1 0 d\n")
    assert call(*arguments)[0] == 2
    assert [path.name for path in (folders / "output").iterdir()] == ["mine"]


@pytest.mark.parametrize("place", ["input/res", "input/ref", "input/res/inside"])
def test_nothing_is_written_into_what_is_read(folders, place):
    (folders / place / "scores.json").write_text("mine")
    code, err = call("--codabench", folders / "input", folders / place, "-m", "map")
    assert code == 2
    assert "must not be inside an input" in err
    assert (folders / place / "scores.json").read_text(encoding="utf-8") == "mine"


def test_a_link_is_no_submission(folders):
    run = folders / "input" / "res" / "inside" / "rm3.run"
    run.unlink()
    run.symlink_to(folders / "input" / "ref" / "qrels.txt")
    arguments = ("--codabench", folders / "input", folders / "output", "-m", "map")
    code, err = call(*arguments, "--log", folders / "log")
    assert code == 1
    assert "inside/rm3.run: a link, which is not followed" in err
    truth = (SAMPLE / "qrels.txt").read_text(encoding="utf-8")
    for text in (err, (folders / "log").read_text(encoding="utf-8")):
        assert not any(line in text for line in truth.splitlines())
    assert not (folders / "output").exists()
    run.unlink()
    run.symlink_to(SAMPLE.resolve() / "rm3.run")
    assert call(*arguments, "--follow-links")[0] == 0


def test_a_pipe_is_no_submission(folders):
    run = folders / "input" / "res" / "inside" / "rm3.run"
    run.unlink()
    os.mkfifo(run)
    code, err = call("--codabench", folders / "input", folders / "output", "-m", "map")
    assert code == 1
    assert "inside/rm3.run: a pipe, a socket or a device, not a file" in err


def test_what_platforms_show_quotes_no_file(folders):
    (folders / "input" / "ref" / "qrels.txt").write_text("1 0 hidden-4711 3\n1 0 hidden-4712 x\n")
    arguments = ("--codabench", folders / "input", folders / "output", "-m", "map")
    code, err = call(*arguments, "--log", folders / "log")
    assert code == 2
    assert "qrels.txt:2: the grade is not a whole number" in err
    assert "hidden" not in err
    assert "grade 'x'" in (folders / "log").read_text(encoding="utf-8")


def test_what_the_organiser_has_wrong(folders):
    arguments = ("--codabench", folders / "input", folders / "output", "-m", "map")
    assert call(*arguments, "--columns", "P_5=x")[0] == 2
    assert call(*arguments, "--columns", "map")[0] == 2
    assert call(*arguments, "--public", "50%")[0] == 2
    assert call(*arguments[:2])[0] == 2
    assert call(*arguments, "--tira")[0] == 2
    (folders / "input" / "ref" / "qrels.txt").write_text("1 0 d\n")
    code, err = call(*arguments)
    assert code == 2
    assert "qrels.txt:1:" in err
    assert not (folders / "output").exists()


def test_tira_reads_blocks(tmp_path):
    for name in ("truth", "run"):
        (tmp_path / name).mkdir()
    shutil.copy(SAMPLE / "qrels.txt", tmp_path / "truth")
    (tmp_path / "truth" / "topics.xml").write_text("<topics/>")
    packed = gzip.compress((SAMPLE / "rm3.run").read_bytes())
    (tmp_path / "run" / "run.txt.gz").write_bytes(packed)
    (tmp_path / "run" / "ir-metadata.yml").write_text("schema: x\n")

    folders = [tmp_path / name for name in ("truth", "run", "out")]
    code, err = call("--tira", *folders, "-m", "map", "-m", "ndcg_cut.10")

    assert (code, err) == (0, "irev: note: topics without judgments are left out: 1 of run\n")
    text = (tmp_path / "out" / "evaluation.prototext").read_text(encoding="utf-8")
    blocks = re.findall(r'measure \{\n  key: "(.*)"\n  value: "(.*)"\n\}\n', text)
    actual = dict(blocks)
    assert actual.pop("signature").startswith("irev:")
    assert {key: round(float(value), 4) for key, value in actual.items()} == {
        "map": MAP,
        "ndcg_cut_10": NDCG,
    }


@pytest.mark.parametrize("platform", ["codabench", "tira"])
@pytest.mark.parametrize("asked_by", ["option", "configuration"])
def test_saved_scores_are_no_submission(tmp_path, platform, asked_by):
    folders = [tmp_path / name for name in ("ref", "res", "out")]
    for folder in folders[:2]:
        folder.mkdir()
    shutil.copy(SAMPLE / "qrels.txt", folders[0])
    run = folders[1] / "mine.csv"
    command = [
        "eval",
        "-q",
        "-m",
        "map",
        "--format",
        "csv",
        SAMPLE / "qrels.txt",
        SAMPLE / "rm3.run",
    ]
    run.write_bytes(CliRunner().invoke(irev, [*map(str, command)]).stdout_bytes)
    accepting = ["--accept-scores"]
    if asked_by == "configuration":
        (tmp_path / "irev.toml").write_text("[leaderboard]\naccept_scores = true\n")
        accepting = ["--config", str(tmp_path / "irev.toml")]
    places = folders if platform == "tira" else [tmp_path, folders[2]]

    code, err = call(f"--{platform}", *places, "-m", "map", *accepting)

    assert code == 1
    # whoever submitted has no options
    assert "mine.csv: these are saved scores, not a run\n" in err
    assert not folders[2].exists()
    # a board would take them
    assert call(*accepting, "-m", "map", folders[0] / "qrels.txt", run)[0] == 0


def tables_of_runs(folder):
    """Files of all kinds that ask a question in each of two runs, or in each of two files."""
    rows = [("r1", "1", "d0032", 1.0), ("r2", "1", "d0041", 1.0)]
    frame = pd.DataFrame(rows, columns=["run", "qid", "docno", "score"])
    csv = frame.to_csv(index=False)
    texts = {
        "x.csv": csv,
        "x.run": csv,  # whatever it is called
        "x.tsv": frame.to_csv(index=False, sep="\t"),
        "x.jsonl": frame.to_json(orient="records", lines=True),
        "x.json": frame.to_json(orient="records"),
        "by_run.json": json.dumps({run: {topic: {doc: score}} for run, topic, doc, score in rows}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "x.csv.gz").write_bytes(gzip.compress(csv.encode()))
    frame.to_parquet(folder / "x.parquet")
    frame.to_feather(folder / "x.feather")
    for name in ("two", "parts.parquet"):
        (folder / name).mkdir()
        for run, rows_of_run in frame.groupby("run"):
            rows_of_run.drop(columns="run").to_parquet(folder / name / f"{run}.parquet")
    for run, rows_of_run in frame.groupby("run"):
        part = folder / "partitioned" / "x.parquet" / f"run={run}"
        part.mkdir(parents=True)
        rows_of_run.drop(columns="run").to_parquet(part / "part-0.parquet")
    return sorted(folder.iterdir())


def test_no_submission_of_several_runs_is_scored(tmp_path):
    """One run of one document asks one question: a thousand would read out the judgments."""
    made = tmp_path / "made"
    made.mkdir()
    paths = tables_of_runs(made)
    board = leaderboard(SAMPLE / "qrels.txt", made, "P_1", test="none", ci="none")
    # each is a file of one run, and a table without a column of runs
    assert board.table.run_names == ("parts", "two/r1", "two/r2")
    reasons = {os.path.relpath(each.path, made): each.kind for each in board.broken}
    assert reasons.pop("by_run.json") == "bad-table"
    assert set(reasons.values()) == {"too-many-runs"}
    assert len(reasons) == len(paths) - 3

    for folder in ("ref", "res"):
        (tmp_path / folder).mkdir()
    shutil.copy(SAMPLE / "qrels.txt", tmp_path / "ref")
    codabench = ("--codabench", tmp_path, tmp_path / "out", "-m", "P_1")
    for name, message in {
        "x.csv": "x.csv: it holds 2 runs, and a submission may hold 1\n",
        "two": "the submission must be one file",
        "parts.parquet": "the submission must be one file",
        "partitioned": "the submission must be one file",
    }.items():
        (made / name).rename(tmp_path / "res" / name)
        code, err = call(*codabench)
        assert (code, message in err) == (1, True), (name, err)
        shutil.move(tmp_path / "res" / name, made)
    # what is named is the submitter's, too
    code, err = call("--tira", tmp_path / "ref", made / "x.parquet", tmp_path / "out", "-m", "P_1")
    assert (code, "x.parquet: it holds 2 runs" in err) == (1, True)
    assert not (tmp_path / "out").exists()
    for words in (("--max-runs", "2"), ("--documents",)):
        code, err = call(*codabench, *words)
        assert (code, f"{words[0]} cannot be combined with one submission" in err) == (2, True)


def test_a_platform_is_told_the_chosen_measures_and_nothing_else(tmp_path):
    """Judgments that differ where these measures do not look give the same bytes.

    The hash of the judgments in a signature is another, and tells nothing.
    """
    for folder in ("ref", "res"):
        (tmp_path / folder).mkdir()
    topics = [str(number) for number in range(1, 7)]
    run = [f"{topic} Q0 d{rank} {rank} {-rank} t\n" for topic in topics for rank in range(1, 4)]
    none_of_them = [f"none{number} Q0 d {number} 1 t\n" for number in range(1000)]
    shown = []
    for second, third in (("0", "0"), ("3", "1"), (None, None)):
        judgments = [f"{topic} 0 d1 {int(topic) % 2}\n" for topic in topics]
        for doc, grade in (("d2", second), ("d3", third)):
            judgments += [f"{topic} 0 {doc} {grade}\n" for topic in topics if grade is not None]
        judgments += [f"{topic} 0 other 1\n" for topic in topics]
        (tmp_path / "ref" / "qrels").write_text("".join(judgments))
        outcomes = []
        for lines in ([*run, *none_of_them], run[:3]):
            (tmp_path / "res" / "x.run").write_text("".join(lines))
            said = call(
                "--codabench", tmp_path, tmp_path / "out", "-m", "P_1", "-m", "recall_2", "-m",
                "Judged@10", "--by", "recall_2", "--columns", "P_1=p",
            )  # fmt: skip
            assert said[0] == 0, said
            outcomes.append(said)
            for name in ("scores.json", "scores.txt", "detailed_results.html"):
                text = (tmp_path / "out" / name).read_text(encoding="utf-8")
                outcomes.append(re.sub(r"\|q:[0-9a-f]{8}\||@[0-9a-f]{8}\b", "", text))
            assert re.findall(r'"measures":\[\{"name":"(.*?)"', text) == ["P_1"]
            assert re.findall(r'"judged":(.*?),', text) == ['"judged@{rank}"', "null"]
        shown.append(outcomes)
    assert all(each == shown[0] for each in shown)


def test_how_many_documents_the_organiser_left_out_is_not_told(folders):
    left_out = folders / "left-out"
    left_out.write_text("1 d0032\n2 d0006\n")
    places = (folders / "input", folders / "output")
    said = call("--codabench", *places, "-m", "map", "--exclude", left_out)
    assert said == (
        0,
        "irev: note: topics without judgments are left out: 1 of inside/rm3\n"
        "irev: note: documents were left out before ranks were counted\n",
    )


def test_odd_keys_are_quoted():
    assert scores_txt({"nDCG@10": 0.5, "map": 1e-07}) == b'"nDCG@10": 0.5\nmap: 1e-07\n'
    assert b'key: "a\\"b"' in prototext({'a"b': 1.0})
