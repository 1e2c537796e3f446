"""Small faults put into irev's core one at a time: which of them does no test notice?

`make mutants`, or `python -m tools.mutants [MODULE...]`. Cosmic Ray makes the faults and runs
the tests, on copies of the tree. Printed are the faults that survive, but for those explained in
mutants.txt beside this file. The exit code is 1 if there are any.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
EXPLAINED = Path(__file__).with_suffix(".txt")

CORE = {
    "irev/core/pairs.py": "tests/rank/test_rank.py tests/core/test_ids.py",
    "irev/rank/order.py": "tests/rank/test_rank.py tests/rank/ties -k 'not mean and not turning'",
    "irev/rank/ranking.py": "tests/rank/test_rank.py tests/rank/ties -k 'not mean and not turning'",
    "irev/rank/ties/tie_orders.py": "tests/rank/ties",
    "irev/rank/ties/expectation.py": "tests/rank/ties",
    "irev/measures/tie_expectations.py": "tests/rank/ties",
    "irev/measures/families/average_precision.py": "tests/measures/test_every_measure.py "
    "tests/measures/test_defined_classic.py tests/measures/test_every_record.py "
    "-k 'AP or map or unique'",
    "irev/statistics/t_tests.py": "tests/statistics/test_paired.py tests/statistics/test_anova.py",
    "irev/statistics/permutation.py": "tests/statistics/test_randomisation.py "
    "tests/statistics/test_corrections.py",
    "irev/statistics/ranks_and_signs.py": "tests/statistics/test_paired.py "
    "tests/statistics/test_randomisation.py",
}
"""The modules, and the tests that have to notice: some 1,900 lines."""

OPERATORS = re.compile(
    r"core/(NumberReplacer|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceAndWithOr"
    r"|ReplaceOrWithAnd|ReplaceUnaryOperator_Delete_\w+|ZeroIterationForLoop|ReplaceBreakWithContinue"
    r"|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|FloorDiv_Mul|Mod_Mul|Pow_Mul"
    r"|BitAnd_BitOr|BitOr_BitAnd|LShift_RShift|RShift_LShift)"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is"
    r"|In_NotIn|NotIn_In))"
)
"""Cosmic Ray would try each operator in the place of each, too."""

NOTICE = "-x -q -n 0 -p no:cacheprovider --assert=plain --hypothesis-profile=notice --timeout 30"
"""Stop at the first failure, and spend no time on saying it well."""

LIMIT = 120.0
"""Seconds after which the tests hang: the fault was noticed."""


class Mutant(NamedTuple):
    """A fault: where it is, and what it does to its line."""

    module: str
    line: int
    operator: str
    before: str
    after: str

    def __str__(self) -> str:
        """As it is printed, and looked for in the explanations."""
        return f"{self.module}: {self.before}  ->  {self.after}"


def copies(number: int, folder: Path) -> Queue[Path]:
    """So many copies of the tree as it stands, compiled so that a changed source is seen."""
    trees: Queue[Path] = Queue()
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    for place in range(number):
        copy = folder / str(place)
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, copy / name)
        compiled = [
            "-m",
            "compileall",
            "-q",
            "--invalidation-mode",
            "checked-hash",
            "irev",
            "tests",
        ]
        subprocess.run([sys.executable, *compiled], cwd=copy, check=True)
        trees.put(copy)
    return trees


def outcomes(module: str, tests: str, trees: Queue[Path]) -> tuple[int, list[Mutant]]:
    """How many faults were tried in a module, and which survived."""
    tree = trees.get()
    try:
        python = shlex.quote(sys.executable)
        run = f"{python} -m pytest {NOTICE} {tests}"
        (tree / "mutants.toml").write_text(
            f"[cosmic-ray]\nmodule-path = [{json.dumps(module)}]\ntimeout = {LIMIT}\n"
            f"excluded-modules = []\ntest-command = {json.dumps(run)}\n"
            '[cosmic-ray.distributor]\nname = "local"\n'
        )
        (tree / "session").unlink(missing_ok=True)
        call(tree, run)  # they must pass to begin with
        cosmic_ray(tree, "init", "mutants.toml", "session")
        tried = choose(tree, module)
        cosmic_ray(tree, "exec", "mutants.toml", "session")
        return tried, survivors(cosmic_ray(tree, "dump", "session"))
    finally:
        trees.put(tree)


def cosmic_ray(tree: Path, *words: str) -> str:
    """Run Cosmic Ray in a copy of the tree; what it prints."""
    return call(tree, shlex.join([sys.executable, "-m", "cosmic_ray.cli", *words]))


def call(tree: Path, line: str) -> str:
    """Run a command in a copy of the tree; what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        shlex.split(line), cwd=tree, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def choose(tree: Path, module: str) -> int:
    """Leave one fault of each kind at a place in the session; how many these are."""
    from cosmic_ray.work_db import WorkDB, use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    quiet = lines_without_code((tree / module).read_text(encoding="utf-8"))
    kept: set[tuple[str, tuple[int, int]]] = set()
    with use_db(str(tree / "session"), WorkDB.Mode.open) as session:
        # they come in another order each time
        for item in sorted(session.pending_work_items, key=lambda item: place_of(*item.mutations)):
            (mutation,) = item.mutations
            fault = (mutation.operator_name, mutation.start_pos)
            if (
                OPERATORS.fullmatch(mutation.operator_name)
                and mutation.start_pos[0] not in quiet
                and fault not in kept
            ):
                kept.add(fault)
            else:
                session.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED))
    return len(kept)


def place_of(mutation: Any) -> tuple[Any, ...]:
    """Where a fault is, and which of those of its kind there."""
    return mutation.start_pos, mutation.operator_name, mutation.occurrence


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


def survivors(dump: str) -> list[Mutant]:
    """The faults of a session that no test noticed."""
    mutants = []
    for line in dump.splitlines():
        item, result = json.loads(line)
        if result and result["test_outcome"] == "survived":
            mutants.append(mutant_of(item["mutations"][0], result))
    return mutants


def mutant_of(mutation: dict[str, Any], result: dict[str, Any]) -> Mutant:
    """A fault, from Cosmic Ray's record of it."""
    changed = [
        line for line in result["diff"].splitlines()
        if line[:1] in "+-" and not line.startswith(("+++", "---"))
    ]  # fmt: skip
    before, after = (
        " ".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+"
    )
    name = mutation["operator_name"].removeprefix("core/")
    return Mutant(mutation["module_path"], mutation["start_pos"][0], name, before, after)


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


def main(modules: list[str]) -> int:
    """Try the faults of all modules, or of some; the exit code."""
    core = {module: tests for module, tests in CORE.items() if not modules or module in modules}
    reasons = explanations()
    began, total, unexplained = time.monotonic(), 0, 0
    number = min(len(core), os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(number) as pool:
        trees = copies(number, Path(folder))
        results = pool.map(lambda module: outcomes(module, core[module], trees), core)
        for module, (tried, survived) in zip(core, results, strict=True):
            total += tried
            new = [mutant for mutant in survived if str(mutant) not in reasons]
            unexplained += len(new)
            print(f"{module}: {tried} faults, {len(survived)} survived, {len(new)} unexplained")
            for mutant in new:
                print(f"  {mutant.line}: {mutant.operator}\n{mutant}", flush=True)
            for name in reasons:
                if name.startswith(f"{module}: ") and not stands(name):
                    print(f"  gone, take its explanation out:\n{name}", flush=True)
    print(f"{total} faults in {(time.monotonic() - began) / 60:.0f} min, {unexplained} unexplained")
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
