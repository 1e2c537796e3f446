"""How large irev is, and how far its calls go: `make size`, or `python -m tools.size`."""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "irev"
SAMPLE = ROOT / "sample_data"
QRELS, RUN, OTHER = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))

KINDS = (
    "logic", "signatures", "decorators", "fields", "data", "imports", "docstrings", "comments",
    "blank",
)  # fmt: skip
"""What a line is: a statement in a function; the head of a function or class; ...; a statement of
a module that is none of these (data)."""

RECORDS = {str(HOUSE / "core" / name) for name in ("frozen.py", "tuples.py")}
"""What stands in for dataclasses, typing and functools: their calls are not followed either."""

CALLS = {
    "irev -m map QRELS RUN": ["-m", "map", QRELS, RUN],
    "... --ties average": ["--ties", "average", "-m", "map", QRELS, RUN],
    "... of a Parquet run": ["-m", "map", QRELS, "run.parquet"],
    "irev compare -m map": ["compare", "-m", "map", QRELS, RUN, OTHER],
}
"""Calls that are followed, each in a process of its own."""


# --- lines ---------------------------------------------------------------------------------------


def lines_of(path: Path) -> list[str]:
    """The kind of each line of a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    kinds = ["blank"] * len(lines)
    with path.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
                kinds[token.start[0] - 1] = "comments"
    for kind, first, last in spans(ast.parse(text).body, "data"):
        for number in range(first - 1, last):
            if kinds[number] != "comments" and (kind == "docstrings" or lines[number].strip()):
                kinds[number] = kind
    return kinds


def spans(body: list[ast.stmt], kind: str) -> Iterator[tuple[str, int, int]]:
    """(kind, first line, last line) of statements; a later one overrides what is around it."""
    for node in body:
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for each in node.decorator_list:
                yield "decorators", each.lineno, each.end_lineno or each.lineno
            yield "signatures", node.lineno, node.body[0].lineno - 1
            yield "signatures", node.lineno, node.lineno
            yield from spans(node.body, "fields" if isinstance(node, ast.ClassDef) else "logic")
        elif isinstance(node, ast.Import | ast.ImportFrom) or is_for_types(node):
            yield "imports", node.lineno, last
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield ("docstrings" if isinstance(node.value.value, str) else kind), node.lineno, last
        else:
            yield kind, node.lineno, last
            for name in ("body", "orelse", "finalbody"):
                yield from spans(getattr(node, name, []), kind)
            for handler in getattr(node, "handlers", []):
                yield from spans(handler.body, kind)


def is_for_types(node: ast.stmt) -> bool:
    """Whether what stands there is for the type checker alone."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def rooms() -> dict[str, tuple[int, Counter[str]]]:
    """For each room of the house: how many files, and how many lines of each kind."""
    found: dict[str, tuple[int, Counter[str]]] = {}
    for path in sorted(HOUSE.rglob("*.py")):
        room = path.relative_to(HOUSE).parts[0] if path.parent != HOUSE else "(top)"
        files, counts = found.get(room, (0, Counter()))
        found[room] = (files + 1, counts + Counter(lines_of(path)))
    return found


def imported_once() -> list[str]:
    """The modules that exactly one other imports, with how many lines."""
    by: Counter[str] = Counter()
    modules = {module_of(path): path for path in HOUSE.rglob("*.py")}
    for path in modules.values():
        named = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    longer = f"{node.module}.{alias.name}"
                    named.add(longer if longer in modules else node.module)
            elif isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
        by.update(named - {module_of(path)})
    return [name for name in modules if by[name] == 1]


def module_of(path: Path) -> str:
    """The name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


# --- calls ---------------------------------------------------------------------------------------


class Way(NamedTuple):
    """What a call touches: a hop is a call into another file, a generator being called once."""

    modules: int
    lines: int
    functions: int
    files: int
    calls: int
    hops: int
    deepest: int


class Follower:
    """Counts calls of irev's functions, those while modules are imported aside."""

    def __init__(self) -> None:
        """Nothing was called yet."""
        self.functions: set[tuple[str, str, int]] = set()
        self.calls = self.hops = self.deepest = 0
        self._generators: dict[int, FrameType] = {}
        self._stacks: dict[int, list[tuple[FrameType, str]]] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """What `sys.setprofile` calls."""
        path = frame.f_code.co_filename
        if not path.startswith(str(HOUSE)) or path in RECORDS:
            return
        stack = self._stacks.setdefault(threading.get_ident(), [])
        if event == "call":
            stack.append((frame, path))
            self._count(frame, path, stack)
        elif event == "return" and stack and stack[-1][0] is frame:
            stack.pop()

    def _count(self, frame: FrameType, path: str, stack: list[tuple[FrameType, str]]) -> None:
        code = frame.f_code
        inline = ("<module>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>")
        importing = any(each.f_code.co_name == "<module>" for each, _ in stack)
        if importing or code.co_name in inline or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if code.co_flags & inspect.CO_GENERATOR:
            if id(frame) in self._generators:
                return
            self._generators[id(frame)] = frame
        self.functions.add((path, code.co_qualname, code.co_firstlineno))
        self.calls += 1
        self.hops += len(stack) > 1 and stack[-2][1] != path
        self.deepest = max(self.deepest, len(stack))


def follow(words: list[str]) -> None:
    """Run irev with these arguments here, and print what was touched as the last line."""
    from irev.cli import main

    follower = Follower()
    sys.argv = ["irev", *words]
    threading.setprofile(follower)
    sys.setprofile(follower)
    try:
        main()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    loaded = [m for name, m in sys.modules.items() if name.partition(".")[0] == "irev"]
    paths = {str(getattr(module, "__file__", "")) for module in loaded}
    lines = sum(len(Path(path).read_text(encoding="utf-8").splitlines()) for path in paths)
    way = Way(
        len(paths), lines, len(follower.functions), len({path for path, *_ in follower.functions}),
        follower.calls, follower.hops, follower.deepest,
    )  # fmt: skip
    print(json.dumps(way))


def way_of(words: list[str]) -> Way:
    """What a call of irev in a process of its own touches."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder) / "run.parquet")
        done = subprocess.run(
            [sys.executable, "-m", "tools.size", "follow", *words],
            capture_output=True, text=True, check=True, env=environment, cwd=folder,
        )  # fmt: skip
    return Way(*json.loads(done.stdout.splitlines()[-1]))


def write_parquet(path: Path) -> None:
    """The first run as a table."""
    import pyarrow as pa
    from pyarrow import parquet

    lines = Path(RUN).read_text(encoding="utf-8").splitlines()
    topic, _, document, _, score, _ = zip(*(line.split() for line in lines), strict=True)
    columns = {"query_id": topic, "doc_id": document, "score": [float(each) for each in score]}
    parquet.write_table(pa.table({name: list(column) for name, column in columns.items()}), path)


# --- what is printed -----------------------------------------------------------------------------


def table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> Iterator[str]:
    """Lines of a table, numbers to the right."""
    cells = [[str(cell) if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    for row in (list(heads), *cells):
        first, *others = (
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join((first, *others)).rstrip()


def report() -> Iterator[str]:
    """Lines, then ways."""
    found = rooms()
    rows: list[tuple[object, ...]] = [
        (room, files, counts.total(), *(counts[kind] for kind in KINDS))
        for room, (files, counts) in sorted(found.items(), key=lambda each: -each[1][1].total())
    ]
    total = sum((counts for _, counts in found.values()), Counter[str]())
    files = sum(number for number, _ in found.values())
    rows.append(("all", files, total.total(), *(total[kind] for kind in KINDS)))
    yield from table(("room", "files", "lines", *KINDS), rows)
    once = imported_once()
    size = sum(len(path.read_text().splitlines()) for path in map(path_of, once))
    yield ""
    yield f"modules that one other imports: {len(once)}, of {size:,} lines"
    yield f"files at the top: {len(list(HOUSE.glob('*.py')))}"
    yield ""
    ways: list[tuple[object, ...]] = [(name, *way_of(words)) for name, words in CALLS.items()]
    yield from table(("way", *Way._fields), ways)


def path_of(module: str) -> Path:
    """The file of a module."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def main(words: list[str]) -> None:
    """Print the report, or follow one call."""
    if words[:1] == ["follow"]:
        follow(words[1:])
    else:
        print("\n".join(report()))


if __name__ == "__main__":
    main(sys.argv[1:])
