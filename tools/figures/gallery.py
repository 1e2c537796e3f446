"""Draw the gallery (docs/evidence/studies.md) anew, by the commands that stand above its figures.

    python -m tools.figures.gallery

What `--output NAME.svg` or `--plot NAME.svg` writes is docs/figures/NAME.svg. Of what a study
writes to a folder, FOLDER/NAME.svg is FOLDER-NAME.svg, or FOLDER.svg if both have one name.
"""

from __future__ import annotations

import glob
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "evidence" / "studies.md"
FIGURES = ROOT / "docs" / "figures"

_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[[^]]*\]\(\.\./figures/([^)]+)\)")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def gallery_commands(page: str) -> list[str]:
    """The commands of the page, in its order."""
    return [line for block in _BLOCK.findall(page) for line in block.splitlines()]


def gallery_pictures(page: str) -> list[str]:
    """The names of the files that the page shows, in its order."""
    return _PICTURE.findall(page)


def command_words(command: str, folder: Path) -> list[str]:
    """The arguments of a command; patterns of files are replaced by the files in the folder."""
    words = []
    for word in shlex.split(command)[1:]:
        files = sorted(glob.glob(word, root_dir=folder)) if "*" in word else []
        words += files or [word]
    return words


def drawn_figures(folder: Path) -> dict[str, Path]:
    """The figures that commands wrote to a folder, by the names that they have on the page."""
    figures = {}
    for path in sorted(folder.glob("*.svg")) + sorted(folder.glob("*/*.svg")):
        outer = "" if path.parent == folder else path.parent.name
        name = path.stem if outer in ("", path.stem) else f"{outer}-{path.stem}"
        figures[f"{name}.svg"] = path
    return figures


def smaller_svg(text: str) -> str:
    """A figure with its numbers to two decimals and without metadata."""
    return _NUMBER.sub(lambda number: f"{float(number[0]):.2f}", _METADATA.sub("", text))


def main() -> None:
    """Run the commands in a folder with the sample data, and take the figures over."""
    page = GALLERY.read_text(encoding="utf-8")
    commands, pictures = gallery_commands(page), gallery_pictures(page)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "sample_data", folder / "sample_data")
        for command in commands:
            words = command_words(command, folder)
            subprocess.run(
                [sys.executable, "-m", "irev", *words], cwd=folder, check=True, capture_output=True
            )
        figures = drawn_figures(folder)
        for file_name in pictures:
            svg = smaller_svg(figures[file_name].read_text(encoding="utf-8"))
            (FIGURES / file_name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
