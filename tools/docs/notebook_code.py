"""The code of docs/notebook.md as a module, whose types `make lint` checks.

python -m tools.docs.notebook_code FILE
"""

import doctest
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "notebook.md"


def main(path: str) -> None:
    """Write what stands behind the prompts of the page."""
    page = PAGE.read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page)
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(example.source for example in examples), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
