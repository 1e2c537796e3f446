"""Where the files that tests read lie."""

import os
import shutil
import stat
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_data"
CASES = ROOT / "tests" / "cases"

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
"""Whether the user may do anything; there is no such user on Windows."""


def copy_to_change(source: Path, copy: Path, *left_out: str) -> None:
    """Copy a file or a folder; what results may be changed, also where the checkout may not be."""
    if not source.is_dir():
        shutil.copyfile(source, copy)
        return
    ignored = shutil.ignore_patterns(*left_out)
    shutil.copytree(source, copy, ignore=ignored, copy_function=shutil.copyfile)
    for folder in (copy, *(path for path in copy.rglob("*") if path.is_dir())):
        folder.chmod(folder.stat().st_mode | stat.S_IWUSR)
