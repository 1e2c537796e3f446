"""What the tests in a browser share; they run where `make test-browser` starts them.

There a missing browser, driver or package is a failure: nothing is skipped in silence.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from tests.browser.opened import OpenedPage

if not os.environ.get("IREV_TEST_BROWSER"):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One Chromium for all tests of a process."""
    from tests.browser.opened import started_chromium

    with started_chromium() as browser:
        yield browser


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., OpenedPage]]:
    """Open files; in the end nothing may have been loaded, blocked or said on the console."""
    from tests.browser.opened import OpenedPage

    pages: list[OpenedPage] = []

    def open_file(path: Path, **choices: Any) -> OpenedPage:
        pages.append(OpenedPage(chromium, path, **choices))
        return pages[-1]

    yield open_file
    problems = [problem for page in pages for problem in page.problems]
    for page in pages:
        page.close()
    assert not problems


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of invented results of a size: "16x43" are 16 runs on 43 topics."""
    from tests.browser.invented import invented_part, long_names, write_invented

    folder = tmp_path_factory.mktemp("invented")

    def write(size: str) -> Path:
        path = folder / f"{size}.html"
        if not path.exists():
            num_runs, num_topics = map(int, size.split("x"))
            write_invented(path, size, invented_part(long_names(num_runs), num_topics))
        return path

    return write
