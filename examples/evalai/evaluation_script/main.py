"""The evaluation script of EvalAI: `irev leaderboard` scores one submission."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

MEASURES = {"ndcg_cut_10": "nDCG@10", "map": "MAP"}
"""Measure, as irev prints it -> label of the leaderboard in challenge_config.yaml."""
SPLITS = {"test": "test_split"}
"""Codename of a phase -> codename of the split of the data that it is scored on."""


def evaluate(
    test_annotation_file: str, user_submission_file: str, phase_codename: str, **kwargs: Any
) -> dict[str, Any]:
    """Score one run.

    Args:
        test_annotation_file: the judgments of the phase.
        user_submission_file: the run.
        phase_codename: the phase.
        **kwargs: what EvalAI knows of the submission; not used.

    Returns:
        `result`, the numbers by split and label; `submission_result`, what the participant sees.

    Raises:
        ValueError: the run cannot be scored; EvalAI shows the message to whoever submitted, so it
            names the line and the kind of problem, and quotes no file.
    """
    measures = [word for name in MEASURES for word in ("-m", name)]
    # one run a submission: each further one would ask the judgments anew
    call = [sys.executable, "-m", "irev", "leaderboard", *measures, "--max-runs", "1"]
    done = subprocess.run(
        [*call, "--format", "json", "--", test_annotation_file, user_submission_file],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise ValueError(done.stderr)
    (board,) = json.loads(done.stdout)["leaderboard"][0]["boards"]
    (run,) = board["runs"]
    scores = {label: run["measures"][name]["value"] for name, label in MEASURES.items()}
    result = {SPLITS[phase_codename]: scores}
    return {"result": [result], "submission_result": result}
