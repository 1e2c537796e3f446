"""`make test-near`: the tests that look at the files changed since main.

    python -m tools.near [COMMIT]

Of a module these are the tests of the folder that mirrors its room, and those that import it; of a
file of tests it is itself; for anything else changed, the tests of the documentation and packaging.
"""

from __future__ import annotations

import re
import sys

from tools.mutants import ROOT, git_names, tests_in_room

OTHERS = ("tests/test_readme.py", "tests/test_packaging.py")


def changed_files(commit: str) -> list[str]:
    """What differs from where this branch left the commit, with what git does not know yet."""
    unknown = git_names("ls-files", "-o", "--exclude-standard")
    return sorted({*unknown, *git_names("diff", "--name-only", "--merge-base", commit)})


def nearest_tests(path: str) -> list[str]:
    """The files of tests that look at a file."""
    if re.fullmatch(r"tests/(.*/)?test_\w+\.py", path):
        return [path] if (ROOT / path).exists() else []
    if not re.fullmatch(r"irev/.*\.py", path):
        return [*OTHERS]
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    folder, _, name = module.rpartition(".")
    imports = re.compile(
        rf"\b(from {re.escape(folder)} import .*\b{name}\b|(from|import) {re.escape(module)}\b)"
    )
    importing = [
        test.relative_to(ROOT).as_posix()
        for test in (ROOT / "tests").rglob("test_*.py")
        if imports.search(test.read_text(encoding="utf-8"))
    ]
    return [*tests_in_room(path), *importing, "tests/test_layers.py"]


def main(commit: str = "main") -> None:
    """Print the files."""
    tests = {test for path in changed_files(commit) for test in nearest_tests(path)}
    print(*sorted(tests or OTHERS))


if __name__ == "__main__":
    main(*sys.argv[1:])
