"""The quick tests on every Python that can be had, with the oldest packages and with the newest.

`make matrix`, or `python -m tools.matrix TEST...`. uv makes an environment for each, in
.venv-matrix: `oldest` has the first version of each package that pyproject.toml allows and this
Python has a wheel of, `newest` the last, and what these need is the newest in both; so NumPy is
tried from end to end, and pandas 2 and 3. PYTHONS="3.12 3.13" tries these alone. The exit code is 1
if a test failed anywhere, or none passed; a Python that cannot be had is named.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PACKAGES = {"oldest": ("--resolution", "lowest-direct"), "newest": ("--upgrade",)}
# old packages call what those they need have since deprecated
WARNINGS = {"oldest": ("-W", "ignore::DeprecationWarning"), "newest": ()}
# for one test: on a busy machine, in the background, some need more than pyproject.toml allows
TIMEOUT = ("--timeout", "1800")
TOOLS = ("hypothesis", "pytest", "pytest-timeout", "pytest-xdist")
VERSIONS = """
from importlib.metadata import version
names = "numpy", "pandas", "pyarrow", "scipy", "click", "tabulate", "matplotlib"
print(*(f"{name} {version(name)}" for name in names), sep=", ")
"""


def interpreter(python: str) -> str:
    """One of pyenv's, which need not be on PATH; otherwise uv looks for it, and may download it."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return str(next(pyenv.glob(f"versions/{python}.*/bin/python{python}"), python))


def uv(*arguments: str) -> bool:
    """Whether uv did it; what it says otherwise is shown."""
    call = [sys.executable, "-m", "uv", "--quiet", *arguments]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
    return done.returncode == 0


def test_environment(python: str, packages: str, tests: list[str]) -> str:
    """What came of the tests on a Python with the oldest or the newest packages."""
    place = ROOT / ".venv-matrix" / f"{python}-{packages}"
    own = str(place / "bin" / "python")
    if not uv("venv", "--clear", "--python", interpreter(python), str(place)):
        return "cannot be had"
    install = ("pip", "install", "--python", own, "--only-binary", ":all:", "--compile-bytecode")
    needed = ("-r", "pyproject.toml", "--extra", "plot")
    if not (uv(*install, *PACKAGES[packages], *needed) and uv(*install, *TOOLS)):
        return "has no such packages"
    call = [own, "-m", "pytest", "-q", *TIMEOUT, *WARNINGS[packages], *tests]
    done = subprocess.run(call, cwd=ROOT, check=False)
    versions = subprocess.run(
        [own, "-c", VERSIONS], capture_output=True, encoding="utf-8", check=True
    )
    return f"{'FAILED' if done.returncode else 'passed'} with {versions.stdout.strip()}"


def main(tests: list[str]) -> int:
    """Try all; the summary is last."""
    pythons = os.environ.get("PYTHONS", "").split() or PYTHONS
    outcomes = {
        f"Python {python}, {packages}": test_environment(python, packages, tests)
        for python in pythons
        for packages in PACKAGES
    }
    print(*(f"{place}: {outcome}" for place, outcome in outcomes.items()), sep="\n")
    words = {outcome.partition(" ")[0] for outcome in outcomes.values()}
    return int("FAILED" in words or "passed" not in words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
