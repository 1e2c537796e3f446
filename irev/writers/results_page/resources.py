"""The files of the page beside the code: script, style, sentences."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_COMMENTS = ("//", "/*", "*")


@cache
def resource_text(name: str) -> str:
    """A file of this folder as text."""
    return resources.files("irev.writers.results_page").joinpath(name).read_text("utf-8")


@cache
def page_script() -> str:
    """The script: the files that `scripts.txt` lists, in its order, without their comments."""
    names = resource_text("scripts.txt").split()
    lines = [line for name in names for line in _code_lines(resource_text(name))]
    return "\n".join(['"use strict";(()=>{', *lines, "})();"])


@cache
def page_style() -> str:
    """The style, without comments."""
    style = re.sub(r"/\*.*?\*/", "", resource_text("page.css"), flags=re.DOTALL)
    return "\n".join(_code_lines(style))


def _code_lines(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(_COMMENTS)]
