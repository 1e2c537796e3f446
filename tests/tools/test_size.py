"""What is counted of lines, names and calls; expected values by hand."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.files import ROOT
from tools.followed_calls import CallFollower
from tools.line_kinds import line_kinds, room_sizes
from tools.size import call_path, figure_lines, main
from tools.vague_names import PARAMETER, PARTICIPLE, PREPOSITION, VALUE, vague_names

MODULE = '''"""One line."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TABLE = {
    "a": 1,
    # why
}


@decorator(
    name="x",
)
class Thing:
    """Words.

    More.
    """

    field: int = 1
    """What it is."""

    def first(
        self,
    ) -> int:
        # because
        if self.field:
            return 1

        return 2
'''


def test_each_line_is_of_one_kind(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    assert Counter(line_kinds(path)) == {
        "docstrings": 6, "imports": 4, "tables": 3, "comments": 2, "decorators": 3,
        "signatures": 4, "fields": 1, "logic": 3, "blank": 8,
    }  # fmt: skip
    assert len(line_kinds(path)) == len(MODULE.splitlines())


def test_a_job_is_a_room(tmp_path: Path) -> None:
    package = tmp_path / "irev"
    for name, text in {
        "__init__.py": "",
        "core/a.py": "x = 1\n",
        "core/deep/b.py": "from irev.core import a\n",
        "read/f.py": "def f():\n    from irev.read import g\n",
        "read/g.py": "import irev.core.a, irev.core.deep.b\nfrom irev.read.f import f\n",
        "rank/h.py": "if TYPE_CHECKING:\n    from irev.rank.i import i\n",
        "rank/i.py": "from irev.rank.h import h\nimport irev.rank.h\n",
        "jobs/gate/c.py": "import irev.core.a\n",
        "jobs/pool/d.py": "from irev.jobs.gate.c import e\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    sizes = room_sizes(package)
    assert {room: size.num_files for room, size in sizes.items()} == {
        "(top)": 1, "core": 2, "jobs/gate": 1, "jobs/pool": 1, "rank": 2, "read": 2,
    }  # fmt: skip
    figures = "\n".join(figure_lines(package, 1.0))
    assert "files that one other imports: 6\n" in figures
    assert "circles of files: 1; with imports for types: 2\n" in figures
    assert "imports inside functions: 1; TYPE_CHECKING blocks: 1\n" in figures


def test_vague_names(tmp_path: Path) -> None:
    path = tmp_path / "names.py"
    path.write_text(
        "def drawn(found, of): ...\n"
        "def _by_topic(topic_ids): given = wanted = 1\n"
        "def joined_pool(seed): ...\n"
        "def seed(): ...\n"
        "class A:\n    def __with__(self): told = 1\n"
    )
    assert {(name.line, name.name, name.fault) for name in vague_names(path)} == {
        (1, "drawn", PARTICIPLE), (1, "found", VALUE), (1, "of", PARAMETER),
        (2, "_by_topic", PREPOSITION), (2, "given", VALUE), (2, "wanted", VALUE),
        (6, "told", VALUE),
    }  # fmt: skip


def test_calls_and_hops(tmp_path: Path) -> None:
    """A generator is called once, a lambda not at all; a hop is a call into another file."""
    inner, outer = tmp_path / "inner.py", tmp_path / "outer.py"
    inner.write_text("def leaf(): return 1\ndef branch(): return leaf()\n")
    outer.write_text(
        "from inner import branch, leaf\n"
        "def many():\n    yield branch()\n    yield leaf()\n"
        "def root(): return [(lambda: each)() for each in many()]\n"
    )
    names: dict[str, object] = {}
    sys.path.insert(0, str(tmp_path))
    try:
        exec(compile(outer.read_text(encoding="utf-8"), str(outer), "exec"), names)
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("inner", None)
    follower, root = CallFollower(tmp_path), names["root"]
    assert callable(root)
    sys.setprofile(follower)
    try:
        assert root() == [1, 1]
    finally:
        sys.setprofile(None)
    # root, many, branch, leaf, leaf
    assert (follower.calls, follower.hops, len(follower.functions)) == (5, 2, 4)


def test_a_call_of_this_tree_is_followed() -> None:
    path = call_path(ROOT, "evaluate(dict)")
    assert not isinstance(path, str), path
    assert path.loaded_files >= path.files > 10
    assert path.calls > path.hops > path.deepest > 5


@pytest.mark.thorough
def test_a_tree_without_the_call_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "irev").mkdir()
    (tmp_path / "irev" / "__init__.py").write_text('"""Nothing."""\n')
    main(["--tree", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines[1:3]] == [
        [n, "1", "0", "1"] for n in ("(top)", "all")
    ]
    assert [line for line in lines if line.startswith("gate(dict): AttributeError")]
