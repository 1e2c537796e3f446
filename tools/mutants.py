"""Small faults put into irev one at a time: which of them does no test notice?

`make mutants`, or `python -m tools.mutants [--sample N] [--seed N] [PLACE...]`. A place is a module
or a room (irev/read, irev/jobs/gate); without one it is the core. Cosmic Ray makes the faults: one
of each kind wherever it can be, or, with --sample, so many of each place, drawn by the seed. Each
is put into a copy of the tree, and tests look for it: those of the folder that mirrors its room
(for the core, a choice of them), and where these pass, all files that import the room or call the
command. The tests must pass without it; with it they may take three times as long and half a
minute. Printed are the faults that survive, but for those explained in mutants.txt beside this
file. The exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
EXPLAINED = Path(__file__).with_suffix(".txt")

CORE = {
    "irev/core/ids.py": "tests/rank/test_rank.py tests/core/test_ids.py",
    "irev/rank/ranking.py": "tests/rank/test_rank.py tests/rank/ties -k 'not mean and not turning'",
    "irev/rank/ties.py": "tests/rank/ties",
    "irev/measures/shared.py": "tests/rank/ties tests/measures/test_every_measure.py "
    "tests/measures/test_parameters.py",
    "irev/measures/families/average_precision.py": "tests/measures/test_every_measure.py "
    "tests/measures/test_defined_classic.py tests/measures/test_every_record.py "
    "-k 'AP or map or unique or IPrec'",
    "irev/statistics/resampling.py": "tests/statistics/test_randomisation.py "
    "tests/statistics/test_corrections.py",
    "irev/statistics/significance_tests.py": "tests/statistics/test_paired.py "
    "tests/statistics/test_anova.py tests/statistics/test_randomisation.py",
}
"""The modules of the core, and the tests that have to notice: some 3,900 lines."""

OPERATORS = re.compile(
    r"core/(NumberReplacer|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr"
    r"|ReplaceOrWithAnd|ReplaceUnaryOperator_Delete_\w+|ZeroIterationForLoop|ReplaceBreakWithContinue"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul"
    r"|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is"
    r"|In_NotIn|NotIn_In))"
)
"""Cosmic Ray would try each operator in the place of each, too."""

NOTICE = "-x -q -n 0 -p no:cacheprovider --assert=plain --hypothesis-profile=notice --basetemp tmp"
"""Stop at the first failure, and spend no time on saying it well."""

MEMORY = 8 << 30
"""Bytes that a process may fill: a fault may ask for all there are."""


class Fault(NamedTuple):
    """A fault: its line in a module, and which one of its kind there it is."""

    module: str
    line: int
    operator: str
    occurrence: int

    def changed_text(self) -> tuple[str, str]:
        """Its module's text without it and with it."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        text = (ROOT / self.module).read_text(encoding="utf-8")
        return text, mutate_code(text, get_operator(self.operator)(), self.occurrence)

    def __str__(self) -> str:
        """As it is printed, and looked for in the explanations."""
        text, changed = (text.split("\n") for text in self.changed_text())
        lines = [*difflib.unified_diff(text, changed, n=0)][2:]
        before, after = (
            " ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"
        )
        return f"{self.module}: {before}  ->  {after}"


def faults_of(module: str) -> list[Fault]:
    """One fault of each kind at each place of a module, from the first line on."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    text = (ROOT / module).read_text(encoding="utf-8")
    quiet = lines_without_code(text)
    nodes = list(ast_nodes(get_ast(text)))
    faults: dict[tuple[tuple[int, int], str], Fault] = {}
    for name in filter(OPERATORS.fullmatch, operator_names()):
        operator = get_operator(name)()
        starts = (start for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(starts):
            if start[0] not in quiet:
                faults.setdefault((start, name), Fault(module, start[0], name, occurrence))
    return [faults[place] for place in sorted(faults)]


def lines_without_code(text: str) -> set[int]:
    """Lines that decide nothing: annotations, imports, and whether a class is frozen."""
    numbers: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            numbers |= set(range(node.lineno, node.body[0].lineno))
        elif isinstance(node, ast.ClassDef):
            numbers |= {each.lineno for each in node.decorator_list}
        elif (
            isinstance(node, ast.Import | ast.ImportFrom)
            or (isinstance(node, ast.AnnAssign) and node.value is None)
            or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        ):
            numbers |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return numbers


def modules_of(place: str) -> list[str]:
    """A module, or all below a folder."""
    path = ROOT / place
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    if not files:
        raise SystemExit(f"{place} is no module and no room of this tree")
    return [file.relative_to(ROOT).as_posix() for file in files]


def draw(place: str, sample: int | None, seed: int) -> list[Fault]:
    """The faults of a place, or so many of them: the same for the same text and seed.

    A module is drawn in proportion to its length, and one of its faults: modules that are not drawn
    are not searched for faults, which takes most of the time.
    """
    modules = modules_of(place)
    if sample is None:
        return [fault for module in modules for fault in faults_of(module)]
    generator = random.Random(f"{seed} {place}")
    sizes = {module: (ROOT / module).stat().st_size + 1 for module in modules}
    left: dict[str, list[Fault]] = {}
    drawn: list[Fault] = []
    while sizes and len(drawn) < sample:
        [module] = generator.choices([*sizes], [*sizes.values()])
        if module not in left:
            left[module] = faults_of(module)
        if left[module]:
            drawn.append(left[module].pop(generator.randrange(len(left[module]))))
        else:
            del sizes[module]
    return sorted(drawn)


def tests_near(module: str) -> str:
    """The tests that look first: of the nearest folder of tests that mirrors the module's."""
    return CORE[module] if module in CORE else shlex.join(tests_in_room(module))


def tests_in_room(module: str) -> list[str]:
    """The files of the nearest folder of tests that mirrors a module's."""
    folder = ROOT / "tests" / Path(module).relative_to("irev").parent
    while not (tests := sorted(folder.glob("test_*.py"))):
        folder = folder.parent
    if folder == ROOT / "tests":  # what everybody imports
        tests = sorted(folder.glob("api/test_*.py"))
    return [test.relative_to(ROOT).as_posix() for test in tests]


def tests_behind(module: str) -> str:
    """The tests that look for what those passed over: what imports its room, calls the command."""
    room = ".".join(Path(module).parent.parts)
    users = re.compile(rf"(from|import) ({re.escape(room)}|tests\.command)\b")
    near = shlex.split(tests_near(module))
    return shlex.join(
        name
        for test in sorted((ROOT / "tests").rglob("test_*.py"))
        if (name := test.relative_to(ROOT).as_posix()) not in near
        and users.search(test.read_text(encoding="utf-8"))
    )


def git_names(*call: str) -> list[str]:
    """The names of files that git lists; the program ends where git lists none, as in an sdist."""
    done = subprocess.run(
        ["git", *call, "-z"], cwd=ROOT, capture_output=True, check=False, encoding="utf-8"
    )
    if done.returncode:
        error = done.stderr.partition("\n")[0]
        raise SystemExit(f"{error}\ngit was asked which files there are; make test does without it")
    return done.stdout.split("\0")[:-1]


def copies(number: int, folder: Path) -> Queue[Path]:
    """So many copies of the tree as it stands, compiled so that a changed source is seen."""
    trees: Queue[Path] = Queue()
    names = git_names("ls-files")
    for place in range(number):
        copy = folder / str(place)
        for name in names:
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
        # without what the recorded calls find in their folder
        compiled = "-m compileall -q -x golden/files --invalidation-mode checked-hash irev tests"
        subprocess.run([sys.executable, *shlex.split(compiled)], cwd=copy, check=True)
        trees.put(copy)
    return trees


def is_passed(tree: Path, tests: str, limit: float | None = None) -> bool:
    """Whether the tests pass in a copy of the tree, within the limit in seconds."""
    spark = ROOT / ".venv-spark"
    environment = {
        **os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{spark}", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    call = [sys.executable, *shlex.split(f"-m pytest {NOTICE} {tests}")]
    with (tree / "output.txt").open("wb") as output:
        run = subprocess.Popen(
            call, cwd=tree, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            return run.wait(limit) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)  # and what the tests began
            run.wait()


def seconds_of(tests: str, trees: Queue[Path]) -> float:
    """How long the tests take that have to pass to begin with."""
    tree = trees.get()
    try:
        began = time.monotonic()
        if not is_passed(tree, tests):
            raise SystemExit(
                f"{tests}\n{(tree / 'output.txt').read_text(encoding='utf-8')[-3000:]}"
            )
        return time.monotonic() - began
    finally:
        trees.put(tree)


def survives(fault: Fault, tests: str, seconds: float, trees: Queue[Path]) -> bool:
    """Whether the tests, which take so long without the fault, pass with it."""
    tree = trees.get()
    module = tree / fault.module
    text, changed = fault.changed_text()
    try:
        module.write_text(changed, encoding="utf-8")
        return is_passed(tree, tests, 3 * seconds + 30)
    finally:
        module.write_text(text, encoding="utf-8")
        trees.put(tree)


def survivors(
    faults: list[Fault], tests: dict[str, str], trees: Queue[Path], pool: ThreadPoolExecutor
) -> list[Fault]:
    """The faults that the tests of their modules do not notice."""
    needed = sorted({tests[fault.module] for fault in faults} - {""})
    seconds = dict(zip(needed, pool.map(lambda each: seconds_of(each, trees), needed), strict=True))
    are_left = pool.map(
        lambda fault: (
            not (mine := tests[fault.module]) or survives(fault, mine, seconds[mine], trees)
        ),
        faults,
    )
    return [fault for fault, is_left in zip(faults, are_left, strict=True) if is_left]


def explanations() -> dict[str, str]:
    """Why a fault is none, by the fault: lines of mutants.txt, each with its reason below it."""
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines() if EXPLAINED.exists() else []
    return {
        lines[number - 1]: line.strip()
        for number, line in enumerate(lines)
        if line.startswith("    ")
    }


def stands(explained: str) -> bool:
    """Whether the line of an explained fault still stands in its module."""
    module, fault = explained.split(": ", 1)
    before = " ".join(fault.partition("  ->  ")[0].split())
    return before in " ".join((ROOT / module).read_text(encoding="utf-8").split())


def main(words: list[str]) -> int:
    """Try the faults of the places; the exit code."""
    parser = argparse.ArgumentParser(
        prog="make mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sample", type=int, help="faults drawn from each place; otherwise all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("places", nargs="*", metavar="PLACE", default=list(CORE))
    options = parser.parse_args(words)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    drawn = {place: draw(place, options.sample, options.seed) for place in options.places}
    faults = [fault for of_place in drawn.values() for fault in of_place]
    modules = sorted({fault.module for fault in faults})
    began = time.monotonic()
    number = min(len(faults), os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(number) as pool:
        trees = copies(number, Path(folder))
        left = survivors(faults, {each: tests_near(each) for each in modules}, trees, pool)
        print(f"{len(left)} of {len(faults)} pass the nearest tests", flush=True)
        # one set for all: to run it without a fault takes minutes
        behind = {name for fault in left for name in shlex.split(tests_behind(fault.module))}
        left = survivors(left, dict.fromkeys(modules, shlex.join(sorted(behind))), trees, pool)
    reasons = explanations()
    new = [fault for fault in left if str(fault) not in reasons]
    for place, of_place in drawn.items():
        counts = (sum(fault in of_place for fault in some) for some in (left, new))
        print(place, len(of_place), "faults, {} survived, {} unexplained".format(*counts))
    for fault in new:
        print(f"  {fault.line}: {fault.operator}\n{fault}")
    for name in reasons:
        if name.partition(": ")[0] in modules and not stands(name):
            print(f"  gone, take its explanation out:\n{name}")
    print(
        f"{len(faults)} faults, {(time.monotonic() - began) / 60:.0f} min, {len(new)} unexplained"
    )
    return int(bool(new))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
