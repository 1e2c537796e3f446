"""How large irev is, and how far its calls go: `make size`, or `python -m tools.size`.

`--tree PATH` measures another checkout with the same program.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tools.file_imports import circles, is_for_types, package_imports
from tools.followed_calls import CALLS, CallPath
from tools.line_kinds import KINDS, line_kinds, room_sizes
from tools.vague_names import count_line, python_files, vague_names

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
    yield from figure_lines(package, lines["logic"] / max(functions, 1))


def figure_lines(package: Path, logic_per_function: float) -> Iterator[str]:
    """What says how fine the grain is; stubs, which a tool writes, are not counted."""
    paths = sorted(package.rglob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    inner_imports = {
        id(node)
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    import_lines = sum(line_kinds(path).count("imports") for path in paths)
    decorators = {
        ast.unparse(each.func)
        for node in functions
        for each in node.decorator_list
        if isinstance(each, ast.Call) and ast.unparse(each.func).split("_")[-1] == "job"
    }
    protocols = [
        node.name
        for node in classes
        if any(word in ast.unparse(b) for b in node.bases for word in ("JobFunction", "Protocol"))
        and any(isinstance(each, ast.FunctionDef) and each.name == "__call__" for each in node.body)
    ]
    imports = package_imports(package)
    at_run_time = circles(each for each in imports if not each.for_types)
    yield f"files at the top: {len(list(package.glob('*.py')))}"
    yield f"lines of the median file: {median(len(text.splitlines()) for text in texts):.0f}"
    yield f"lines of logic per function: {logic_per_function:.1f}"
    yield f"classes: {len(classes):,}"
    yield (
        f"lines of imports: {import_lines:,}; imports inside functions: {len(inner_imports)}; "
        f"TYPE_CHECKING blocks: {sum(map(is_for_types, nodes))}"
    )
    yield f"fmt: skip: {sum(text.count('# fmt: skip') for text in texts)}"
    yield f"decorators of jobs: {len(decorators)}; protocols of what is called: {len(protocols)}"
    yield f"circles of files: {len(at_run_time)}; with imports for types: {len(circles(imports))}"
    importers = Counter(name for _, name in {(each.module, each.imported) for each in imports})
    single = [name for name, count in importers.items() if count == 1]
    yield f"files that one other imports: {len(single)}"
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
