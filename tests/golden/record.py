"""Records what the command lines of calls.txt print and write: `python -m tests.golden.record`.

Words behind it name the groups to record; without any, all are.
"""

from __future__ import annotations

import contextlib
import difflib
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

from tests.command import Ran, irev, process

HERE = Path(__file__).parent
SAMPLE = HERE.parent.parent / "sample_data"
EXPECTED = HERE / "expected"
INPUTS = ("*.run", "*.gz", "*.txt")
ENVIRONMENT = {"COLUMNS": "80", "PYTHONPATH": str(SAMPLE.parent), "OPENBLAS_NUM_THREADS": "1"}

ROUNDED = ("eval-stats", "compare", "leaderboard", "gate", "studies", "plots")
"""Groups whose last digits are scipy's and the matrix products'."""

EXACT = re.compile(r"-?\d+\.\d{11,}(?:e[+-]?\d+)?|-?\d\.?\d*e[+-]\d+")

MATPLOTLIBS = re.compile(r'<svg [^>]*>(?:(?!</svg>).)*?<g id="[^"]*figure_1">.*?</svg>', re.DOTALL)
"""A figure inside a page: what it looks like to the last digit is matplotlib's affair."""


RESULTS_PAGE = '<script type="application/json" id="data">'
"""A page whose script, style and sentences stand in files of their own, tried in a browser."""


def groups() -> dict[str, list[str]]:
    """The command lines of each group."""
    by_name: dict[str, list[str]] = {}
    for line in (HERE / "calls.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            lines = by_name[line.removeprefix("== ")] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return by_name


@contextlib.contextmanager
def folder_of_inputs() -> Iterator[Path]:
    """A folder with all the files that the calls name, as the current one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in [*(HERE / "files").iterdir(), *(p for i in INPUTS for p in SAMPLE.glob(i))]:
            shutil.copy(path, folder)
        run = csv.read_csv(
            folder / "run.csv",
            convert_options=csv.ConvertOptions(column_types={"qid": pa.string()}),
        )
        parquet.write_table(run, folder / "run.parquet")
        qrels = csv.read_csv(
            folder / "qrels.tsv",
            parse_options=csv.ParseOptions(delimiter="\t"),
            convert_options=csv.ConvertOptions(column_types={"query-id": pa.string()}),
        )
        parquet.write_table(qrels, folder / "qrels.parquet")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def record_call(line: str, folder: Path) -> str:
    """What a call does, as text; what it wrote is removed again."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    done = run_call(line)
    parts = [f"$ {line}\n", readable_text(done.out)]
    if done.err:
        parts += ["--- stderr\n", readable_text(done.err.encode())]
    if done.code:
        parts.append(f"--- exit {done.code}\n")
    for path in sorted(folder.rglob("*")):
        if path.parent.name == "__pycache__":
            continue  # whether plug-ins are compiled is not the program's doing
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns:
            assert path not in before, f"{line} writes over {path.name}"
            parts += [f"--- file {path.relative_to(folder)}\n", content(path)]
    for path in folder.iterdir():
        if path not in before:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return "".join(parts).replace(str(folder), "FOLDER")


def run_call(line: str) -> Ran:
    """Run a command line."""
    words = shlex.split(line)
    source = b""
    if "<" in words:
        *words, _, path = words
        source = Path(path).read_bytes()
    if words[0] == "python":
        return process(*words[3:], stdin=source, environment=ENVIRONMENT)
    return irev(*words[1:], stdin=source, environment=ENVIRONMENT)


def readable_text(content: bytes) -> str:
    """Bytes as text that no editor or version of irev changes."""
    text = content.decode("utf-8", "backslashreplace").replace("\r", "\\r")
    text = MATPLOTLIBS.sub("(svg figure)", text)
    if RESULTS_PAGE in text:
        text = re.sub(r"<(script|style)>.*?</\1>", r"(own \1)", text, flags=re.DOTALL)
        text = re.sub(r"'sha256-[^']*'", "(digest)", text)
        text = re.sub(r'"words":\{.*?\},"parts":', '"words":(own words),"parts":', text)
    text = re.sub(r'(irev:|irev\s+|"irev": ")\d+\.\d+\.\d+', r"\1VERSION", text)
    return text if text.endswith("\n") or not text else f"{text}\n--- no newline at the end\n"


def content(path: Path) -> str:
    """What a file holds; a figure's bytes are matplotlib's affair."""
    if path.suffix in (".svg", ".png", ".pdf"):
        return f"({path.suffix[1:]} figure)\n"
    return readable_text(path.read_bytes())


def record(lines: list[str], folder: Path) -> dict[str, str]:
    """What the calls of a group do, by their command lines."""
    return {line: record_call(line, folder) for line in lines}


def recorded_outputs(group: str) -> dict[str, str]:
    """What was recorded of a group, by its command lines."""
    text = (EXPECTED / f"{group}.txt").read_bytes().decode()
    parts = re.split(r"^(?=\$ (?:irev|python)\b)", text, flags=re.MULTILINE)
    return {part.partition("\n")[0].removeprefix("$ "): part for part in parts if part}


def alike(group: str, actual: str, expected: str) -> bool:
    """Whether texts are equal, or but for last digits, in a group where these may differ."""
    ours, theirs = EXACT.findall(actual), EXACT.findall(expected)
    return actual == expected or (
        group in ROUNDED
        and EXACT.sub("#", actual) == EXACT.sub("#", expected)
        and all(
            math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-15)
            for a, b in zip(ours, theirs, strict=True)
        )
    )


def with_recorded_digits(group: str, actual: str, expected: str) -> str:
    """A text in which every line that is alike is as it was recorded, on whatever machine."""
    if group not in ROUNDED:
        return actual
    ours, theirs = actual.splitlines(keepends=True), expected.splitlines(keepends=True)
    shape, recorded_shape = ([EXACT.sub("#", line) for line in lines] for lines in (ours, theirs))
    matcher = difflib.SequenceMatcher(None, shape, recorded_shape, autojunk=False)
    for here, there, length in matcher.get_matching_blocks():
        for index in range(length):
            if alike(group, ours[here + index], theirs[there + index]):
                ours[here + index] = theirs[there + index]
    return "".join(ours)


def main(*group_names: str) -> None:
    """Record the groups anew."""
    EXPECTED.mkdir(exist_ok=True)
    with folder_of_inputs() as folder:
        for group, lines in groups().items():
            if not group_names or group in group_names:
                path = EXPECTED / f"{group}.txt"
                before = recorded_outputs(group) if path.exists() else {}
                text = "".join(
                    with_recorded_digits(group, actual, before.get(line, ""))
                    for line, actual in record(lines, folder).items()
                )
                path.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main(*sys.argv[1:])
