"""Whether the files of a command line are saved scores, which need no judgments."""

from collections.abc import Sequence

_STDIN = "-"


def no_scores_text(path: str) -> str:
    """What is wrong with a single file that holds no saved scores."""
    from irev.scores.saved import table_hint

    what = f"{path} contains no saved scores, and no run was given"
    hint = "" if path == _STDIN else table_hint(path)
    return f"{what}; {hint}" if hint else what


def starts_with_saved(files: Sequence[str]) -> bool:
    """Whether the first file holds saved scores, so that no judgments are wanted."""
    if not files or files[0] == _STDIN:
        return False
    from irev.scores.saved import is_saved

    return is_saved(files[0])
