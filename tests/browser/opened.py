"""A page opened in Chromium, and what is seen of it."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PHONE, DESK, LARGE = 390, 1280, 1680
"""Widths of windows in pixels."""

SETTLED = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(
  () => requestAnimationFrame(() => setTimeout(done)))))"""
"""Figures are drawn behind the picture that follows a click."""

CUT_TEXTS = """() => [...document.querySelectorAll("#page svg")].flatMap((svg) => {
  const room = (svg.closest("th, td") || svg).getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < room.left - 3 || box.right > room.right + 3 ||
      box.top < room.top - 3 || box.bottom > room.bottom + 3);
  }).map((text) => text.textContent);
})"""
"""Texts of figures that stand outside of them, or of the cell that these are in."""

WIDER_BY = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@contextmanager
def started_chromium() -> Iterator[Any]:
    """The system's Chromium (CHROME=PATH names another) driven by Playwright."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROME") or next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path, "no Chromium is installed (Debian: apt-get install chromium; or CHROME=PATH)"
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


class OpenedPage:
    """A page in a window of its own, and all that it should not have done."""

    def __init__(
        self,
        chromium: Any,
        path: Path,
        *,
        link: dict[str, str] | None = None,
        width: int = DESK,
        scheme: str = "light",
        scripts: bool = True,
    ) -> None:
        self.problems: list[str] = []
        self._has_scripts = scripts
        self._context = chromium.new_context(
            viewport={"width": width, "height": 844 if width == PHONE else 900},
            color_scheme=scheme, java_script_enabled=scripts, offline=True,
        )  # fmt: skip
        self.page = self._context.new_page()
        self.page.set_default_timeout(10_000)
        self._address = path.as_uri()
        for event in ("console", "pageerror", "requestfailed"):
            self.page.on(event, lambda said, event=event: self.problems.append(f"{event}: {said}"))
        self.page.on("request", self._note_request)
        self.go(link or {})

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self._address, "data:", "blob:")):
            self.problems.append(f"loaded: {request.url}")

    def go(self, link: dict[str, str]) -> None:
        """Open the page anew with these choices in its address."""
        self.page.goto("about:blank")
        self.page.goto(f"{self._address}#{urlencode(link)}" if link else self._address)
        self.settle()

    def settle(self) -> None:
        """Wait until all figures are drawn."""
        if self._has_scripts:
            self.page.evaluate(SETTLED)

    def link(self) -> dict[str, str]:
        """The choices in the address."""
        return {key: text for key, (text,) in parse_qs(urlsplit(self.page.url).fragment).items()}

    def click(self, selector: str, **choices: Any) -> None:
        """Click and wait for the figures."""
        self.page.locator(selector).first.click(**choices)
        self.settle()

    def head(self, text: str) -> Any:
        """The head of a column of the table of runs."""
        return self.page.locator("#table thead button").get_by_text(text, exact=True)

    def sort_by(self, text: str) -> None:
        """Click on the head of a column."""
        self.head(text).click()
        self.settle()

    def texts(self, selector: str) -> list[str]:
        """What stands in elements, blanks folded."""
        return [" ".join(text.split()) for text in self.page.locator(selector).all_text_contents()]

    def run_names(self) -> list[str]:
        """The full names of the runs of the table, from the first row to the last."""
        names: list[str] = self.page.eval_on_selector_all(
            "#table tbody .name", "(labels) => labels.map((label) => label.title)"
        )
        return names

    def column(self, head: str) -> list[str]:
        """The texts of a column of the table of runs, whether it is in view or not."""
        heads = self.texts("#table thead th")
        index = next(i for i, text in enumerate(heads) if text == head)
        return self.texts(f"#table tbody tr > :nth-child({index + 1})")

    def choose(self, selector: str, label: str) -> None:
        """Choose from a list."""
        self.page.locator(selector).select_option(label=label)
        self.settle()

    def download(self, entry: str) -> str:
        """The text of a file of the menu."""
        self.page.locator(".menu summary").click()
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=entry, exact=True).click()
        text: str = download.value.path().read_text("utf-8")
        return text

    def layout_problems(self) -> list[str]:
        """Texts that are cut, and a page wider than its window."""
        problems = [f"cut: {text}" for text in self.page.evaluate(CUT_TEXTS)]
        wider = self.page.evaluate(WIDER_BY)
        return [*problems, *([f"wider than the window by {wider} px"] if wider > 0 else [])]

    def close(self) -> None:
        """Close the window."""
        self._context.close()
