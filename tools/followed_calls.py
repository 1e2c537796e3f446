"""How far a few calls of irev go: `python -P tools/followed_calls.py TREE CALL` follows one.

It imports nothing of this tree, so that any checkout of irev can be measured with it. A call into
another file is a hop. What runs while modules are imported does not count; a generator is called
once, however often it goes on; functions that have no name are part of those around them.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import sys
import threading
import warnings
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SAMPLE = Path(__file__).parents[1] / "sample_data"
QRELS, *RUNS = (str(SAMPLE / name) for name in ("qrels.txt", "bm25.run", "rm3.run"))

_INLINE = {"<module>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>"}


class CallPath(NamedTuple):
    """What a call touches; `loaded_...` is what has been imported when it is done."""

    loaded_files: int
    loaded_lines: int
    functions: int
    files: int
    calls: int
    hops: int
    deepest: int


class CallFollower:
    """Counts calls of the functions of a package, in every thread."""

    def __init__(self, package: Path) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.calls = self.hops = self.deepest = 0
        self._inside = f"{package}/"
        # frames are kept, so that no other gets the number of one
        self._generators: dict[int, FrameType] = {}
        self._stacks: dict[int, list[FrameType]] = defaultdict(list)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """What `sys.setprofile` calls."""
        if not frame.f_code.co_filename.startswith(self._inside):
            return
        stack = self._stacks[threading.get_ident()]
        if event == "call":
            stack.append(frame)
            self._count(stack)
        elif event == "return" and stack and stack[-1] is frame:
            stack.pop()

    def _count(self, stack: list[FrameType]) -> None:
        code = stack[-1].f_code
        # the body of a class is no function
        if code.co_name in _INLINE or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if any(frame.f_code.co_name == "<module>" for frame in stack):
            return
        if code.co_flags & inspect.CO_GENERATOR:
            if id(stack[-1]) in self._generators:
                return
            self._generators[id(stack[-1])] = stack[-1]
        self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        self.calls += 1
        self.hops += len(stack) > 1 and stack[-2].f_code.co_filename != code.co_filename
        self.deepest = max(self.deepest, len(stack))


def _command(*words: str) -> Callable[[], object]:
    def run() -> None:
        from irev.cli import main

        sys.argv = ["irev", *words]
        with contextlib.suppress(SystemExit):
            main()

    return run


def _sample_dicts() -> tuple[Any, dict[str, Any]]:
    """The sample's judgments and runs as dicts."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in Path(QRELS).read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels[topic][document] = int(grade)
    runs: dict[str, Any] = {}
    for path in RUNS:
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            topic, _, document, _, score, _ = line.split()
            scores[topic][document] = float(score)
        runs[Path(path).stem] = dict(scores)
    return dict(qrels), runs


def _parquet_run() -> str:
    """The first run as a table, in the current folder."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = [line.split() for line in Path(RUNS[0]).read_text(encoding="utf-8").splitlines()]
    columns = {
        "query_id": [row[0] for row in rows],
        "doc_id": [row[2] for row in rows],
        "score": [float(row[4]) for row in rows],
    }
    parquet.write_table(pa.table(columns), "run.parquet")
    return "run.parquet"


def _evaluate() -> Callable[[], object]:
    import irev

    qrels, runs = _sample_dicts()
    return lambda: irev.evaluate(qrels, runs["bm25"], ["map"])


def _compare() -> Callable[[], object]:
    import irev

    qrels, runs = _sample_dicts()
    return lambda: irev.compare(qrels, runs, ["map"])


def _gate() -> Callable[[], object]:
    import irev

    qrels, runs = _sample_dicts()
    return lambda: irev.gate(qrels, runs["bm25"], min={"map": 0.1})


def _correlation() -> Callable[[], object]:
    import irev

    qrels, runs = _sample_dicts()
    measures, api = ["map", "P.10"], cast("Any", irev)
    if hasattr(irev, "studies"):
        return lambda: api.studies.correlation(qrels, runs, measures)
    return lambda: api.study("correlation", qrels, *runs.values(), measures=measures)


CALLS: dict[str, Callable[[], Callable[[], object]]] = {
    "evaluate(dict)": _evaluate,
    "compare(dicts)": _compare,
    "gate(dict)": _gate,
    "study correlation(dicts)": _correlation,
    "irev -m map": lambda: _command("-m", "map", QRELS, RUNS[0]),
    "irev --ties average": lambda: _command("--ties", "average", "-m", "map", QRELS, RUNS[0]),
    "irev -m map, Parquet": lambda: _command("-m", "map", QRELS, _parquet_run()),
    "irev compare": lambda: _command("compare", "-m", "map", QRELS, *RUNS),
}
"""What makes each call ready. One of Python is followed the second time, when nothing is left to be
imported or remembered; a command the first time, as whoever types it has it."""


def follow_call(tree: Path, name: str) -> CallPath:
    """Carry out a call in this process, and say what of a tree it touches."""
    call = CALLS[name]()
    if not name.startswith("irev "):
        call()
    follower = CallFollower(tree / "irev")
    threading.setprofile(follower)
    sys.setprofile(follower)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    modules = [m for n, m in sys.modules.items() if n.partition(".")[0] == "irev"]
    paths = {path for module in modules if (path := getattr(module, "__file__", None))}
    assert all(Path(path).is_relative_to(tree) for path in paths), "irev comes from elsewhere"
    return CallPath(
        len(paths),
        sum(len(Path(path).read_text(encoding="utf-8").splitlines()) for path in paths),
        len(follower.functions),
        len({path for path, *_ in follower.functions}),
        follower.calls,
        follower.hops,
        follower.deepest,
    )


def main(tree: str, name: str) -> None:
    """Print the numbers, and nothing else."""
    warnings.simplefilter("ignore")
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(output):
        path = follow_call(Path(tree).resolve(), name)
    print(json.dumps(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
