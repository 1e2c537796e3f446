"""Open the leaderboard's page in a real browser and look whether it works: `make test-browser`.

Chromium is driven by its command line alone. The page, called with `#selftest`, sorts every column
and says in the document how it went; what else must not happen (a message on the console, an
address looked for) is read from Chromium's log.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "sample_data"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OUTCOME = re.compile(r'<html[^>]*data-selftest="([^"]*)"')


def main() -> int:
    """Check the page, and that a page whose script is not its own does not pass."""
    browser = os.environ.get("CHROME") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return _say("no Chromium is installed (Debian: apt install chromium; or CHROME=PATH)", 2)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "board.html")
        write_page(page)
        passed, log = outcome(browser, page, folder)
        problems = complaints(log)
        if not passed.startswith("passed") or problems:
            return _say(
                f"the page: {passed or 'the script did not run'}\n" + "\n".join(problems), 1
            )
        page.write_text(page.read_text("utf-8").replace("function compare", "function  compare"))
        changed, _ = outcome(browser, page, folder)
        if changed:
            return _say("a script that was changed ran, though the page forbids it", 1)
    return _say(f"{passed} columns sorted, nothing loaded, nothing on the console", 0)


def write_page(path: Path) -> None:
    """The page of the sample runs, with a name that would break out of a page that escapes none."""
    runs = path.parent / "runs"
    runs.mkdir()
    for run in (*SAMPLE.glob("*.run"), *SAMPLE.glob("*.run.gz")):
        shutil.copy(run, runs)
    hostile = "<script>document.title='broken'</script>.run"
    shutil.copy(SAMPLE / "bm25.run", runs / hostile.replace("/", "∕"))
    options = ["--format", "html", "--output", str(path)]
    options += ["--public", "50%", "--ci", "percentile"]
    command = [sys.executable, "-m", "irev", "leaderboard", *options, str(SAMPLE / "qrels.txt")]
    subprocess.run([*command, str(runs)], check=True)


def outcome(browser: str, page: Path, folder: str) -> tuple[str, str]:
    """What the page says of itself, empty where it says nothing; and Chromium's log."""
    command = [
        browser, "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--enable-logging=stderr",
        "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
        "--virtual-time-budget=10000", "--dump-dom", f"{page.as_uri()}#selftest",
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
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
