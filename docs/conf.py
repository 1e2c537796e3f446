"""How Sphinx builds the site: `make site`. Works offline; formulas are MathML, search is local."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import irev  # noqa: E402
from irev.core import __version__  # noqa: E402
from tools.docs import reference_pages, search_terms  # noqa: E402

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
        source[0] = source[0].replace(f"](../{up}{path}", f"]({up}reference/{inside}")
    source[0] = re.sub(r"\[([^]]*)\]\((?:\.\./)+examples/[^)]*\)", r"\1", source[0])
    source[0] = source[0].replace("<!-- live report -->", _LIVE_LINK)
    source[0] = search_terms.with_search_terms(page, source[0])


LIVE_REPORT = "sample-report.html"
_LIVE_LINK = (
    f'<a href="{LIVE_REPORT}">Open the report of the sample runs</a>: the page that '
    "<code>irev report</code> writes."
)


def _write_live_report(app: Sphinx, error: Exception | None) -> None:
    """Put the report of the sample runs beside the pages of the site."""
    if error is None and app.builder.format == "html":
        folder = ROOT / "sample_data"
        runs = [folder / name for name in ("bm25.run", "rm3.run", "dense.run.gz", "fusion.run")]
        with warnings.catch_warnings(action="ignore", category=irev.IrevWarning):
            report = irev.report(folder / "qrels.txt", runs, title="The sample runs")
        report.save(Path(app.outdir) / LIVE_REPORT)


def _whole(app: Sphinx, doctree: nodes.document) -> None:
    """Mark short code, so that no line ends inside an option."""
    for code in doctree.findall(nodes.literal):
        if len(code.astext()) <= 20:
            code["classes"].append("short")


def setup(app: Sphinx) -> None:
    """Add the formulas, the pages of the commands, the links, and a report to look at."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    # pages are read again where these have changed
    app.add_config_value("terms_of_pages", search_terms.all_terms(), "env", types=[dict])
    app.connect("builder-inited", lambda _: reference_pages.write())
    app.connect("source-read", _inside)
    app.connect("doctree-read", _whole)
    app.connect("build-finished", _write_live_report)
