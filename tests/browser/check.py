"""Open the pages in a real browser and look whether they work: `make test-browser`.

Chromium is driven by its command line alone. Each page, called with `#selftest`, sorts every
column, searches every table, follows every link, and says in the document how it went; what else
must not happen (a message on the console, an address looked for, a page wider than its window) is
seen too. Each is opened as wide as a telephone and as a desk's screen, light and dark.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.files import IS_ROOT

SAMPLE = Path(__file__).parents[2] / "sample_data"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OUTCOME = re.compile(r'<html[^>]*data-selftest="([^"]*)"')
HOSTILE = "<script>document.title='broken'</script>.run"
"""The name of a run that would break out of a page that escapes none."""

WIDTHS = (390, 1280)
SCHEMES = {"dark": 0, "light": 1}
"""What Chromium calls them."""

FRAME = """<iframe src="{page}#selftest" style="width:{width}px;height:800px"></iframe>
<script>addEventListener("load", () => setTimeout(() => {{
  const page = frames[0], dark = page.matchMedia("(prefers-color-scheme: dark)").matches;
  const said = page.document.documentElement.dataset.selftest;
  if (said) document.documentElement.dataset.selftest =
    [said, page.innerWidth, dark ? "dark" : "light"].join(", ");
}}, 500));</script>"""
"""A window is never as narrow as a telephone; a frame may be."""


def main() -> int:
    """Check the pages, and that one whose script is not its own does not pass."""
    browser = os.environ.get("CHROME") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return _say("no Chromium is installed (Debian: apt install chromium; or CHROME=PATH)", 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_runs(folder / "runs")
        for kind, write in PAGES.items():
            page = folder / f"{kind}.html"
            write(page)
            for width in WIDTHS:
                for scheme in SCHEMES:
                    said, log = outcome(browser, page, width, scheme)
                    problems = complaints(log)
                    if not re.fullmatch(rf"passed: \d+, {width}, {scheme}", said) or problems:
                        said = said or "the script did not run"
                        return _say(f"{kind}, {width} {scheme}: {said}\n" + "\n".join(problems), 1)
            _say(f"{kind}: {said.partition(',')[0]} columns sorted, nothing loaded", 0)
            page.write_text(
                page.read_text("utf-8").replace("function compare", "function  compare")
            )
            changed, _ = outcome(browser, page, WIDTHS[0], "light")
            if changed:
                return _say("a script that was changed ran, though the page forbids it", 1)
    return _say("nothing on the console", 0)


def copy_runs(folder: Path) -> None:
    """The sample runs, one of them with a hostile name."""
    folder.mkdir()
    for run in (*SAMPLE.glob("*.run"), *SAMPLE.glob("*.run.gz")):
        shutil.copy(run, folder)
    shutil.copy(SAMPLE / "bm25.run", folder / HOSTILE.replace("/", "∕"))


def write_board(path: Path) -> None:
    """The leaderboard of the sample runs."""
    _irev(
        "leaderboard", "--format", "html", "--output", path, "--public", "50%", "--ci",
        "percentile", SAMPLE / "qrels.txt", path.parent / "runs",
    )  # fmt: skip


def write_report(path: Path) -> None:
    """The report on them."""
    runs = sorted((path.parent / "runs").iterdir())
    _irev("report", "--output", path, SAMPLE / "qrels.txt", *runs)


PAGES: dict[str, Callable[[Path], None]] = {"leaderboard": write_board, "report": write_report}


def _irev(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "irev", *map(str, words)], check=True)


def outcome(browser: str, page: Path, width: int, scheme: str) -> tuple[str, str]:
    """What the page says of itself, empty where it says nothing; and Chromium's log."""
    frame = page.with_name("frame.html")
    frame.write_text(FRAME.format(page=page.name, width=width))
    command = [
        browser, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--enable-logging=stderr", "--allow-file-access-from-files",
        "--disable-web-security", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={page.parent}/profile",
        "--virtual-time-budget=10000", "--dump-dom", frame.as_uri(),
    ]  # fmt: skip
    if IS_ROOT:
        command.insert(1, "--no-sandbox")  # Chromium refuses to start as root with it
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = OUTCOME.search(done.stdout)
    return (found[1] if found else "", done.stderr)


def complaints(log: str) -> list[str]:
    """The lines of Chromium's log that come from a page's console."""
    return [line for line in log.splitlines() if "CONSOLE" in line]


def _say(line: str, code: int) -> int:
    sys.stderr.write(f"{line}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
