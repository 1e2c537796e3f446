"""How Sphinx builds the site: `make site`. Works offline; formulas are MathML, search is local."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from irev.core.version import __version__  # noqa: E402
from tools.docs import reference_pages  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "irev"
author = "The irev developers"
copyright = "the irev developers, MIT licence"
release = version = __version__
extensions = ["myst_parser"]
exclude_patterns = ["tools"]
smartquotes = False  # two dashes begin an option
html_theme = "furo"
html_title = f"irev {__version__}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
# examples show what a terminal shows; no lexer may refuse a line of it
highlight_language = "text"


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def _inside(app: Sphinx, page: str, source: list[str]) -> None:
    """Where a page links to a file beside docs, link to the page that has it, or to nothing."""
    up = "../" * page.count("/")
    for path, inside in reference_pages.BESIDE.items():
        source[0] = source[0].replace(f"](../{path}", f"]({up}reference/{inside}")
    source[0] = re.sub(r"\[([^]]*)\]\(\.\./examples/[^)]*\)", r"\1", source[0])


def _whole(app: Sphinx, doctree: nodes.document) -> None:
    """Mark short code, so that no line ends inside an option."""
    for code in doctree.findall(nodes.literal):
        if len(code.astext()) <= 20:
            code["classes"].append("short")


def setup(app: Sphinx) -> None:
    """Add the formulas, the pages of the commands, and the links."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("builder-inited", lambda _: reference_pages.write())
    app.connect("source-read", _inside)
    app.connect("doctree-read", _whole)
