"""Scores of submissions that stay in a file from one board to the next, by the files' hashes."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.core.output_files import replace_file
from irev.core.version import __version__
from irev.engine.confined import decode_json_with_bytes, encode_json_with_bytes
from irev.errors import InputError, Problem
from irev.read.stream import STDIN, FoundFolder, read_all, sha256_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from irev.engine.confined import Limits
    from irev.jobs.leaderboard.scoring import ScoringSetup
    from irev.scores.signature import Signature

_KIND = "scores kept by irev leaderboard --update"
_HINT = "delete this file: then all submissions are scored"

UNCHANGED = "unchanged"
"""What a worker answers of a file that has the hash of the one whose scores are kept."""


class KeptSubmission(NamedTuple):
    """The scores of a submission.

    sha256       of its decompressed bytes
    sent_run_info     what a worker told of it, a `SentRunInfo`
    score_bytes  float64[topics, columns], as they lie in memory
    """

    sha256: str
    sent_run_info: Sequence[Any]
    score_bytes: bytes


class KeptScores(NamedTuple):
    """What such a file holds: which scoring its scores are of, and those of each path."""

    scoring_key: str
    submissions: Mapping[str, KeptSubmission]

    @property
    def sha256_by_path(self) -> dict[str, str]:
        """The hashes of the submissions."""
        return {path: kept.sha256 for path, kept in self.submissions.items()}


def scoring_key(setup: ScoringSetup, limits: Limits, signature: Signature) -> str:
    """The hash of all that a score depends on, beside the submission."""
    options = setup.options
    choices = {name: repr(getattr(options, name)) for name in options.fields() if name != "threads"}
    parts = [
        __version__, setup.measures, choices, setup.qrels_format, setup.plugins,
        setup.drops_undefined, setup.first_documents,
        limits.max_size, limits.max_memory, limits.max_seconds, signature.long,
    ]  # fmt: skip
    return sha256_of(encode_json_with_bytes(parts))


def can_be_kept(path: str) -> bool:
    """Whether the scores of a path may be kept: it is one file, which can be read again."""
    return path != STDIN and not isinstance(path, FoundFolder)


def read_kept_scores(path: str) -> KeptScores:
    """The scores in a file; none where there is no such file.

    Raises:
        InputError: it cannot be read, is damaged, or is another kind of file.
    """
    if not os.path.lexists(path):
        return KeptScores("", {})
    content = read_all(path)
    try:
        first_line, body = content.split(b"\n", 1)
        head = decode_json_with_bytes(first_line)
        if head["kind"] != _KIND:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise _kept_error(path, "this file was not written by --update", _OTHER_HINT) from None
    if sha256_of(body) != head.get("sha256"):
        raise _kept_error(path, "these kept scores are damaged: their hash is another", _HINT)
    try:
        facts = decode_json_with_bytes(body)
        submissions = {
            name: KeptSubmission(sha256, sent, base64.b64decode(scores, validate=True))
            for name, (sha256, sent, scores) in facts["submissions"].items()
        }
        return KeptScores(str(facts["scoring"]), submissions)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise inconsistent_error(path) from None


_OTHER_HINT = "name a new file, or one that an earlier call with --update wrote"


def write_kept_scores(path: str, kept: KeptScores) -> None:
    """Write the scores, whole or not at all."""
    submissions = {
        name: [each.sha256, each.sent_run_info, base64.b64encode(each.score_bytes).decode()]
        for name, each in sorted(kept.submissions.items())
    }
    body = encode_json_with_bytes({"scoring": kept.scoring_key, "submissions": submissions}) + b"\n"
    head = (
        encode_json_with_bytes({"kind": _KIND, "irev": __version__, "sha256": sha256_of(body)})
        + b"\n"
    )
    with replace_file(path) as stream:
        stream.writelines((head, body))


def inconsistent_error(path: str) -> InputError:
    """The error of a file whose parts contradict each other."""
    return _kept_error(path, "these kept scores contradict each other", _HINT)


def _kept_error(path: str, message: str, hint: str) -> InputError:
    return InputError([Problem(path, None, "bad-saved-scores", message, hint)])
