"""A notebook that is executed, exported as HTML, and opened: what its cells show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.files import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

FIRST = SAMPLE / "first"
RUNS = [str(FIRST / name) for name in ("bm25.run", "neural.run")]
CELLS = (
    f"import irev; qrels, runs = {str(FIRST / 'qrels.txt')!r}, {RUNS}; "
    "table = irev.evaluate(qrels, runs, 'map'); None",
    "irev.report(qrels, runs, 'map')",
    "table",
    "irev.compare(table)",
    "irev.leaderboard(table)",
    "irev.gate(qrels, runs[0], 'map', min={'map': 0.9})",
    "irev.check(qrels, runs)",
    "irev.describe_measure('ndcg')",
    "irev.plots.per_topic(table)",
    "irev.studies.topic_difficulty(table)",
    "table.plot()",
    "irev.compare(table).plot('per-topic')",
)


def exported_notebook(path: Path) -> Path:
    """The notebook of these cells, run by a kernel of its own, as HTML that loads nothing."""
    import nbformat.v4
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS]
    )
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    # the other templates take scripts for formulas and widgets from the network
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    path.write_text(f"<!DOCTYPE html>\n<meta charset='utf-8'>\n{body}", encoding="utf-8")
    return path


def test_a_report_is_a_page_of_its_own_and_other_results_are_tables(open_page, tmp_path):
    opened = open_page(exported_notebook(tmp_path / "notebook.html"))
    frame = opened.page.frame_locator("iframe")
    rows = frame.locator("#table tbody tr")
    rows.first.wait_for()
    texts = [" ".join(text.split()) for text in rows.all_inner_texts()]
    # the page's script filled in the table: mean average precision as pytrec_eval has it
    assert [text.split()[:2] for text in texts] == [["1", "neural"], ["2", "bm25"]]
    assert "0.631" in texts[0]
    assert "0.439" in texts[1]
    frame.locator("#table thead button", has_text="run").first.click()
    assert frame.locator("#table thead th[aria-sort]").inner_text().split()[0] == "run"
    body = frame.locator("body")
    assert "sans-serif" in body.evaluate("(body) => getComputedStyle(body).fontFamily")
    # nowhere do ends of lines stand as text
    assert "\\n" not in body.inner_text()
    outputs = opened.page.locator(".jp-OutputArea-output, .output_html, .output_svg, .output_png")
    assert outputs.count() == len(CELLS) - 1
    assert all("\\n" not in text for text in outputs.all_inner_texts())
    assert opened.page.locator(".irev").count() == 7
    assert opened.page.locator("svg").count() == 1
    # what `plot` gives shows itself, though nobody asked for matplotlib's own rules
    pictures = opened.page.locator("img[src^='data:image/png']")
    assert pictures.count() == 2
    assert "<Figure" not in opened.page.locator("body").inner_text()
    assert min(box["width"] for box in (each.bounding_box() for each in pictures.all())) > 500
