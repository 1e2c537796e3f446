"""The guides as tests read them: files that a page shows, commands, and what these print.

A block of calls begins with ```` ```console ````, each call with `$`. Below a call stands what it
prints to standard output; a line `...` stands for any number of lines. Its messages are shown, too,
behind this output, if one of the lines begins with `irev: `, or if there is no such output.

What a reader need not see stands in comments of HTML:

    <!-- file: topics.txt -->      the next block is the text of this file
    <!-- run: sort a > b -->       is done first, in a shell
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from glob import glob
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tests.command import irev
from tests.files import ROOT


class Step(NamedTuple):
    """What is done, in the order of the page: a file is written, or a line is called.

    file    the name of the file; empty: a call
    text    its text, or the line
    output  what a page shows of the call; None: it is hidden
    """

    file: str
    text: str
    output: str | None


_STEP = re.compile(
    r"^<!-- file: (?P<file>\S+) -->\s+^(?P<fence>```+)\w*\n(?P<text>.*?)^(?P=fence)$"
    r"|^<!-- run: (?P<hidden>.*?) -->$"
    r"|^```console\n(?P<calls>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def guide_steps(page: str) -> Iterator[Step]:
    """What a page does and shows."""
    for block in _STEP.finditer(page):
        if block["file"]:
            yield Step(block["file"], block["text"], None)
        elif block["hidden"]:
            yield Step("", block["hidden"], None)
        else:
            for part in re.split(r"^\$ ", block["calls"], flags=re.MULTILINE)[1:]:
                line, _, output = part.partition("\n")
                yield Step("", line, output)


def is_shown(output: str, shown: str) -> bool:
    """Whether a page shows an output: equal, but for lines `...`, which stand for any lines."""
    pattern = "".join(
        "(?:.*\n)*" if line == "...\n" else re.escape(line) for line in shown.splitlines(True)
    )
    return re.fullmatch(pattern, output) is not None


def failures(page: str, folder: Path) -> Iterator[str]:
    """What a page shows and is not so; its calls are done in a folder, which gets the samples."""
    for name in ("sample_data", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    for step in guide_steps(page):
        if step.file:
            (folder / step.file).write_text(step.text, encoding="utf-8")
            continue
        out, err = _outputs(step.text, folder)
        if step.output is not None:
            has_messages = not out or re.search("^irev: ", step.output, re.MULTILINE)
            actual = out + err if step.output and has_messages else out
            if not is_shown(actual, step.output) or "Traceback" in err:
                yield f"$ {step.text}\n{out}{err}"
        for path in re.findall(r"--(?:output|save) (\S+\.\w+)", step.text):
            if "$" not in path and not glob(path, root_dir=folder):
                yield f"$ {step.text}\nno file {path}"


_WITHOUT_SHELL = re.compile(r"irev (?P<words>[^<>;|&$]+)")
"""A call that needs no shell."""


def _outputs(line: str, folder: Path) -> tuple[str, str]:
    """What a line prints: to standard output, and to standard error."""
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    call = _WITHOUT_SHELL.fullmatch(line)
    if not call:
        shell = f'irev() {{ "{sys.executable}" -m irev "$@"; }}\n{line}'
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=folder, capture_output=True, env={**os.environ, **environment}, check=False,
        )  # fmt: skip
        return done.stdout.decode(), done.stderr.decode()
    words = shlex.split(call["words"])
    files = [sorted(glob(word, root_dir=folder)) if "*" in word else [word] for word in words]
    ran = irev(*chain.from_iterable(files), cwd=folder, environment=environment)
    return ran.out.decode(), ran.err
