"""What changes the numbers of a study changes its signature: each of its own options in turn."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from irev.cli.commands import Job, irev
from irev.cli.options import MeasureOptions
from irev.cli.study import command as study
from irev.core.option_records import ResultOptions
from irev.options import ScoringOptions
from tests.each import for_each
from tools.figures.gallery import GALLERY, gallery_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = ("a.run", "b.run", "c.run", "d.run")
SCORED = ("qrels", *RUNS, "-m", "AP", "-m", "P@3")
BOTH = (
    "--baseline", "a.run", "--advanced", "b.run", "--new-baseline", "c.run", "--new-advanced",
    "d.run",
)  # fmt: skip
FEW = ("--resamples", "20")

CALLS: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "sensitivity": [
        (("--ranking", "2,0,1,0", "--relevant", "4"),
         ("--ranking 0,2,1,0", "--relevant 5", "--grade 2", "--ideal fixed", "-m AP")),
        (("--ranking", "2,0,1,0"), ("--grades-present 2,2,1",)),
        (("qrels", "a.run"), ("--depth 2", "--topic 2", "--topic 2 --doc d7", "--undiscovered 3")),
        (("--undiscovered", "3", "--relevant", "2,4", "--scores", "0.2"), ("--scores 0.3",)),
    ],
    "enumerate": [((), ("--grades-present 2,1", "--ranks 4", "--pick 32100", "-m AP"))],
    "judgment-noise": [
        (("--theta", "0.9", "--trials", "9"),
         ("--theta 0.8", "--trials 8", "--seed 1", "--topic-set-size 20", "--ranks 5", "-m P@3")),
    ],
    "correlation": [
        ((*SCORED, "--teams", "teams", "--best-per-team", "AP"), ("--best-per-team P@3",)),
        ((*SCORED, *FEW),
         ("--other-qrels other", "--top 2", "--top 2 --by P@3", "--teams teams --best-per-team AP",
          "--resamples 30", "--seed 1", "--alpha 0.3", "--correction none", "--test t",
          "--tau-at 3")),
        (("qrels", *RUNS, "-m", "Q", "-m", "AP"),
         ("--sweep beta=1,10", "--sweep beta=1,10 --against P@3")),
        (("people", "llm", "--missing", "shared"), ("--missing zero",)),
    ],
    "overlap": [
        (("a.run", "b.run"), ("--persistence 0.5", "--ties w")),
    ],
    "preference": [
        (("qrels", *RUNS, "--test", "bootstrap", *FEW),
         ("--preference rpp", "--test t", "--correction none", "--resamples 30", "--seed 1")),
    ],
    "agreement": [
        (("qrels", "other", *SCORED[1:]), ("--alpha 0.3", "--correction none", "--test t")),
        (("qrels", "fewer", *SCORED[1:]), ("--missing zero", "--tau-at 3")),
    ],
    "design": [
        (("--sd", "0.1"), ("--sd 0.2",)),
        ((), ("--difference 0.2", "--alpha 0.1", "--power 0.9", "-m nDCG@10")),
        (("--variance", "0.1"),
         ("--variance 0.2", "--difference 0.2", "--alpha 0.1", "--power 0.9", "--width 0.2",
          "--systems 5")),
        (SCORED, ("--target 0.8", "--limits 0.5", "--collection saved.json")),
    ],
    "topics": [(SCORED, ("--standardise z",))],
    "reproduction": [
        (("qrels", *BOTH, *FEW),
         ("--baseline d.run", "--advanced d.run", "--new-baseline a.run", "--new-advanced a.run",
          "--new-qrels other", "--resamples 30", "--seed 1", "--alpha 0.1", "--margin 0.2",
          "--persistence 0.5")),
        (("qrels", *BOTH, *FEW, "--new-qrels", "fewer"), ("--welch",)),
    ],
    "discriminative-power": [
        ((*SCORED, *FEW),
         ("--alpha 0.3", "--test t", "--resamples 30", "--seed 1", "--topic-set-size 3",
          "--against P@3", "--teams teams --best-per-team AP", "--swap",
          "--stability")),
        (("qrels", *RUNS, "-m", "Q", *FEW), ("--gains 3:2:1", "-m P@3 --concordance AP")),
        ((*SCORED, *FEW, "--swap", "--trials", "9"), ("--trials 8", "--with-replacement")),
    ],
    "robustness": [
        ((*SCORED, "--rates", "50", "--repeat", "2"),
         ("--rates 30", "--repeat 3", "--imperfect 20", "--seed 1", "--topics some",
          "--collection 'other a.run b.run'")),
    ],
}  # fmt: skip
"""Study -> calls, each with what may be said otherwise."""

OWN = {"seed", "ties"}
"""Options of studies that are called like others of every evaluation."""

INPUTS = {"qrels_format", "decimal_comma"}
"""How files are read: the signature has their bytes, and the options of every evaluation."""


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Six topics of nine documents, of which each run has seven."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("signed"))
        for name, factor in (("qrels", 5), ("other", 7)):
            rows = [(t, d, (factor * t + d * d) % 4) for t in range(1, 7) for d in range(9)]
            Path(name).write_text(
                "".join(f"{t} 0 d{d} {grade}\n" for t, d, grade in rows), encoding="utf-8"
            )
        for place, name in enumerate(RUNS, 2):
            ranked = [(t, (place * i + t * place) % 11, i) for t in range(1, 7) for i in range(7)]
            lines = [f"{t} Q0 d{d} {i + 1} {9 - i} {name}\n" for t, d, i in ranked]
            Path(name).write_text("".join(lines), encoding="utf-8")
        Path("teams").write_text(
            "".join(f"{name} {name in 'a.run b.run'}\n" for name in RUNS), encoding="utf-8"
        )
        judged = Path("qrels").read_text(encoding="utf-8").splitlines(keepends=True)
        Path("fewer").write_text("".join(judged[: len(judged) // 2]), encoding="utf-8")
        for name, runs in (("people", "abc"), ("llm", "ab")):
            lines = [f"{r} {name} {t} {(ord(r) * t) % 7}.5\n" for r in runs for t in range(1, 5)]
            Path(name).write_text("".join(lines), encoding="utf-8")
        Path("some").write_text("1\n2\n3\n", encoding="utf-8")
        words = ["-q", "-m", "AP", "-m", "P@3", "--format", "json", "--output", "saved.json"]
        assert CliRunner().invoke(irev, [*words, "other", *RUNS]).exit_code == 0
        yield


def outcome(kind: str, *words: str) -> tuple[Any, list[str]]:
    """The tables of a study, and the short forms of its signatures."""
    ran = CliRunner().invoke(irev, ["study", kind, *words, "--format", "json"])
    assert ran.exit_code == 0, f"{words}\n{ran.output}"
    told = json.loads(ran.stdout)
    # a study of given numbers alone has parameters and no signature
    signed = told["parameters"].get("signature", told["parameters"])
    forms = signed if isinstance(signed, list) else [signed]
    return told["tables"], [json.dumps(form) for form in forms]


def test_every_study_has_calls() -> None:
    assert set(study.kinds) == set(CALLS), "each study needs a call in CALLS, with its options"


def test_every_study_that_draws_has_a_command_in_the_gallery(tmp_path: Path) -> None:
    shown = "\n".join(gallery_commands(GALLERY.read_text(encoding="utf-8")))
    for kind in (kind for kind in CALLS if f"irev study {kind} " not in shown):
        for words, _ in CALLS[kind]:
            ran = CliRunner().invoke(irev, ["study", kind, *words, "--output", str(tmp_path)])
            assert ran.exit_code == 0, ran.output
            assert list(tmp_path.glob("*.svg")) == [], f"the gallery has no study {kind}"


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("kind", CALLS)
def test_an_option_that_changes_a_number_is_signed(kind: str) -> None:
    unsigned = []
    for words, others in CALLS[kind]:
        tables, signed = outcome(kind, *words)
        for other in others:
            changed, now_signed = outcome(kind, *words, *shlex.split(other))
            if changed != tables and now_signed == signed:
                unsigned.append(other)
    assert not unsigned


@for_each("kind", CALLS)
def test_every_option_of_a_study_is_tried(kind: str) -> None:
    job = study.get_command(click.Context(study), kind)
    assert isinstance(job, Job)
    options = {
        option.name: option.opts
        for options in job.record_options
        if issubclass(options.record, ResultOptions)
        and not issubclass(options.record, MeasureOptions)
        for option in options.params
        if not {option.name} & {*options.record.shared_keywords()}
    }
    shared = {option for field in ScoringOptions.fields().values() for option in field.opts}
    options = {
        name: spelled for name, spelled in options.items() if name not in shared or name in OWN
    }
    tried = {word for words, others in CALLS[kind] for word in (*words, *" ".join(others).split())}
    left_out = {name for name, spelled in options.items() if tried.isdisjoint(spelled)}
    assert left_out <= INPUTS
