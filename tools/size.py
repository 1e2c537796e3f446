"""How large irev is, and how far its calls go: `make size`, or `python -m tools.size`.

`--tree PATH` measures another checkout with the same program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tools.followed_calls import CALLS, CallPath
from tools.line_kinds import KINDS, imported_once, room_sizes
from tools.vague_names import count_line, python_files, vague_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]


def call_path(tree: Path, name: str) -> CallPath | str:
    """What a call touches, in a process that has a tree's irev; or why it fails there."""
    program = ROOT / "tools" / "followed_calls.py"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-P", program, tree, name], cwd=folder, encoding="utf-8", check=False,
            capture_output=True, env={**os.environ, "PYTHONPATH": str(tree)},
        )  # fmt: skip
    if done.returncode:
        return (done.stderr.splitlines() or ["it failed"])[-1]
    return CallPath(*json.loads(done.stdout))


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Lines of a table, numbers to the right."""
    cells = [[cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    for first, *others in (heads, *cells):
        right = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *right)).rstrip()


def size_lines(package: Path) -> Iterator[str]:
    """The table of rooms, the largest first, and what else is counted of files and names."""
    sizes = room_sizes(package)
    rows: list[list[object]] = [
        [room, size.num_files, size.num_functions, size.lines.total()]
        + [size.lines[kind] for kind in KINDS]
        for room, size in sorted(sizes.items(), key=lambda item: -item[1].lines.total())
    ]
    lines = sum((size.lines for size in sizes.values()), Counter[str]())
    num_files = sum(size.num_files for size in sizes.values())
    functions = sum(size.num_functions for size in sizes.values())
    rows.append(["all", num_files, functions, lines.total(), *(lines[kind] for kind in KINDS)])
    yield from table_lines(("room", "files", "functions", "lines", *KINDS), rows)
    yield ""
    single = [len(path.read_text(encoding="utf-8").splitlines()) for path in imported_once(package)]
    yield f"rooms: {len(sizes)}; files at the top: {len(list(package.glob('*.py')))}"
    yield f"modules that one other imports: {len(single)}, of {sum(single):,} lines"
    names = [name for path in python_files([package]) for name in vague_names(path)]
    yield f"vague names: {count_line(names)}"


def call_lines(tree: Path) -> Iterator[str]:
    """The table of calls."""
    paths = {name: call_path(tree, name) for name in CALLS}
    rows = [(name, *path) for name, path in paths.items() if isinstance(path, CallPath)]
    heads = [field.replace("_", " ") for field in CallPath._fields]
    yield from table_lines(("call", *heads), rows)
    for name, path in paths.items():
        if isinstance(path, str):
            yield f"{name}: {path}"


def main(words: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.size", description=__doc__)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout that is measured")
    tree = parser.parse_args(words).tree.resolve()
    for line in (*size_lines(tree / "irev"), "", *call_lines(tree)):
        print(line)


if __name__ == "__main__":
    main()
