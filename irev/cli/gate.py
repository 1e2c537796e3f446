"""`irev gate`: whether a run may pass, for continuous integration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irev.cli.arguments import Option
from irev.cli.commands import Job
from irev.cli.files import check_files, write, write_document
from irev.cli.gathering import evaluation_options, gathering_options, starts_with_saved
from irev.cli.messages import say
from irev.cli.types import whole_number
from irev.errors import IrevError, UsageError
from irev.statistics.methods import OF_P
from irev.writers.forms import FORMS, TEXT

if TYPE_CHECKING:
    from irev.gating.verdicts import Report

STOPPED = 1
"""The exit code where the run does not pass."""

_GATES, _OUTPUT = "Options of the gates", "Options for the output"
_NOT_CONFIGURED = ("config", "no_config", "help")


def gate(**given: Any) -> int:
    """Let a run pass, or stop it: by limits of its means, and beside a baseline.

    --min and --max are limits of a measure's mean over all judged topics; one that equals its
    limit is within. With --baseline a run fails whose mean dropped by more than --tolerance; with
    --alpha one-sided paired t tests decide, and leave open what they cannot decide. A judged topic
    that a run lacks counts as 0. With --group-by every gate is also judged on each class of topics.

    RUN and the baseline may be saved scores; those of other judgments or definitions are refused.
    Settings come from [gate] of irev.toml or [tool.irev.gate] of pyproject.toml, here or above;
    the command line wins.

    Exit code 0: passed; 1: failed, or open; 2: not comparable, unreadable, or a wrong option.
    """
    configured = _configured(given)
    given = {**given, **configured}
    on_github = _on_github(given["github"])
    try:
        qrels, run = _files(given)
        report = _judged(given, qrels, run)
    except IrevError as error:
        _tell_failure(error, given, on_github)
        raise
    return _told(report, given, on_github)


def _judged(given: dict[str, Any], qrels: str | None, run: str) -> Report:
    from irev.gating.gate import judge
    from irev.gating.limits import read_limits
    from irev.gating.verdicts import Rules

    rules = Rules(given["tolerance"], given["alpha"], given["undecided"], given["correction"])
    limits = read_limits("min", given["min"]) + read_limits("max", given["max"])
    if not (limits or given["baseline"] or given["save"]):
        raise UsageError("there is no gate: --min NAME=X, --max NAME=X or --baseline FILE")
    more = [given[name] for name in ("classes", "weights", "intents")]
    written = [("--save", given["save"]), ("--junit", given["junit"])]
    check_files([qrels, run, *more], written)
    check_files([qrels, run, given["baseline"], *more], written[1:])
    files = (run,) if qrels is None else (qrels, run)
    return judge(
        qrels, run, limits, rules, evaluation_options({**given, "files": files}),
        baseline=given["baseline"], measures=given["measures"], format=given["qrels_format"],
        drop_undefined=given["nan"] == "drop-topic",
    )  # fmt: skip


def _told(report: Report, given: dict[str, Any], on_github: bool) -> int:
    """Write the report to all places; the exit code."""
    from irev.gating import github
    from irev.gating.document import document, saved
    from irev.gating.junit import write_junit

    places, code = given["places"], 0 if report.passed else STOPPED
    for note in report.notes:
        say(f"irev: note: {note}")
    if given["junit"]:
        write(write_junit(report, places), given["junit"])
    if given["save"] and report.passed:
        write_document(saved(report), "json", given["save"])
    elif given["save"]:
        say(f"irev: note: {given['save']} was not written, since the run did not pass")
    if on_github:
        github.write_summary(report, places, os.environ)
        for line in github.annotated(report, places):
            say(line)
    write_document(document(report, places, code), given["format"], None, places)
    return code


def _tell_failure(error: IrevError, given: dict[str, Any], on_github: bool) -> None:
    """Let a step of CI show what kept the gates from being judged."""
    if given["junit"] and not isinstance(error, UsageError):
        from irev.gating.junit import write_error

        write(write_error(error), given["junit"])
    if on_github:
        from irev.gating import github

        github.write_failure(error, os.environ)
        for line in github.annotated_error(error):
            say(line)


def _on_github(wanted: bool | None) -> bool:
    from irev.gating.github import is_on

    return is_on(os.environ) if wanted is None else wanted


def _files(given: dict[str, Any]) -> tuple[str | None, str]:
    """QRELS and RUN, from the command line or the settings; saved scores need no QRELS.

    Raises:
        UsageError: one is missing, or there are others.
    """
    files = given["files"]
    if len(files) == 2:
        return files[0], files[1]
    run = files[0] if files else given.get("run")
    qrels = given.get("qrels")
    if len(files) > 2 or run is None or (qrels is None and not starts_with_saved([run])):
        raise click.UsageError(
            "a relevance file and one run are wanted: irev gate QRELS RUN --min ndcg@10=0.4",
            click.get_current_context(silent=True),
        )
    return qrels, run


def _configured(given: dict[str, Any]) -> dict[str, Any]:
    """What the settings say and the command line does not, by the names of parameters."""
    path = _config_file(given)
    if path is None:
        return {}
    from irev.config import spelled
    from irev.gating.config import read_config, wrong_value

    context = click.get_current_context()
    options = {
        name.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option) and option.name not in _NOT_CONFIGURED
        for name in option.opts
        if name.startswith("--")
    }
    known = {spelled(str(option.name)): name for name, option in options.items()}
    known |= {spelled(name): name for name in (*options, "qrels", "run")}
    config = read_config(path, known)
    found: dict[str, Any] = {}
    for key, values in config.values.items():
        if key in ("qrels", "run"):
            if len(values) != 1 or not isinstance(values[0], str):
                raise wrong_value(path, key, "a path is wanted")
            found[key] = values[0]
            continue
        name = str(options[key].name)
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if key in ("min", "max"):
            found[name] = (*given[name], *_other_limits(values, given[name]))
        elif not is_given:
            try:
                arguments = _arguments(key, options[key], values)
                found[name] = command.make_context("irev gate", arguments).params[name]
            except click.UsageError as error:
                raise wrong_value(path, key, error.message) from None
    say(f"irev: note: settings of {path}")
    return found


def _config_file(given: dict[str, Any]) -> str | None:
    if given["no_config"]:
        if given["config"]:
            raise UsageError("--config and --no-config contradict each other")
        return None
    from irev.gating.config import find_config

    return given["config"] or find_config()


def _other_limits(values: tuple[Any, ...], given: tuple[str, ...]) -> list[str]:
    """The limits of the settings for measures that the command line has no limit for."""
    named = {text.rpartition("=")[0] for text in given}
    return [text for text in values if text.rpartition("=")[0] not in named]


def _arguments(key: str, option: click.Option, values: tuple[Any, ...]) -> list[str]:
    """A setting as it would stand on the command line.

    Raises:
        click.UsageError: it cannot.
    """
    if option.is_flag != all(isinstance(value, bool) for value in values):
        raise click.UsageError("true or false is wanted" if option.is_flag else "a value is wanted")
    if len(values) != 1 and not option.multiple:
        raise click.UsageError("one value is wanted")
    if option.is_flag:
        names = option.opts if values[0] else option.secondary_opts
        return names[:1]
    return [f"--{key}={value}" for value in values]


def _gate_options() -> list[click.Parameter]:
    def own(*names: str, **facts: Any) -> Option:
        return Option(*names, section=_GATES, **facts)

    return [
        own(
            "--min", multiple=True, metavar="NAME=X",
            help="The least that the mean of a measure may be: ndcg@10=0.4; a guard such as "
            "judged@10=0.8 likewise. May be repeated.",
        ),
        own(
            "--max", multiple=True, metavar="NAME=X",
            help="The most that it may be: unj_10=0.2. May be repeated.",
        ),
        own(
            "--baseline", metavar="FILE",
            help="What RUN is set against: a run, which is scored under QRELS too, or the saved "
            "scores of one by topic, which must be of the same qrels.",
        ),
        own(
            "-m", "--measure", "measures", multiple=True, metavar="NAME",
            help="What is compared with the baseline; may be repeated. Default: the measures of "
            "--min but for shares of judged documents, or map.",
        ),
        own(
            "--tolerance", type=float, default=0.01, metavar="X",
            help="How far a mean may lie below the baseline's. Default: 0.01.",
        ),
        own(
            "--alpha", type=float, metavar="A",
            help="Let one-sided paired t tests of this level decide, such as 0.05: worse where "
            "the upper end of the interval of the difference is below -X, not worse where its "
            "lower end is not, open otherwise.",
        ),
        own(
            "--undecided", type=click.Choice(["fail", "pass"]), default="fail",
            help="What becomes of a comparison that is open. Default: fail.",
        ),
        own(
            "--correction", type=click.Choice(OF_P), default="none",
            help="Test each comparison by itself (none, the default), or correct for their number "
            "before one is called worse.",
        ),
        own(
            "--config", metavar="FILE",
            help="Take settings from this file: qrels, run and the options by their names. "
            "Default: the nearest irev.toml or pyproject.toml that has some.",
        ),
        own("--no-config", is_flag=True, help="Take settings from no file."),
    ]  # fmt: skip


def _output_options() -> list[click.Parameter]:
    def own(*names: str, **facts: Any) -> Option:
        return Option(*names, section=_OUTPUT, **facts)

    return [
        own(
            "--format", type=click.Choice([TEXT, *FORMS]), default="text",
            help="The form of the output; csv, tsv, json and jsonl have full precision. "
            "Default: text.",
        ),
        own(
            "--places", type=whole_number(0, 17), default=4, metavar="N",
            help="Decimals, where not in full precision. Default: 4.",
        ),
        own(
            "--save", metavar="FILE",
            help="Write the scores by topic there if the run passes: the next baseline.",
        ),
        own("--junit", metavar="FILE", help="Write JUnit XML there, a test case for each gate."),
        own(
            "--github/--no-github", default=None,
            help="Write annotations to stderr, and append to the files named by "
            "GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. Default: where GITHUB_ACTIONS is true.",
        ),
    ]  # fmt: skip


def _parameters() -> list[click.Parameter]:
    files = click.Argument(["files"], nargs=-1, metavar="QRELS RUN")
    shared = [o for o in gathering_options(without=("measures",)) if o.name != "names"]
    return [files, *_gate_options(), *_output_options(), *shared]


command = Job(
    "gate",
    params=_parameters(),
    callback=gate,
    help=gate.__doc__,
    epilog="Example: irev gate qrels.txt new.run --min ndcg@10=0.4 --baseline old.run",
    context_settings={"help_option_names": ["-h", "--help"]},
)
