"""What `irev eval` takes beside the choices of an evaluation, and what it refuses together."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from irev.cli.options import (
    CSV_SAFE,
    FORMAT,
    LAYOUT,
    OUTPUT,
    PLACES,
    MeasureOptions,
    measure_name_completions,
)
from irev.core.option_records import Opt, OutputOptions, ResultOptions
from irev.errors import UsageError
from irev.options import DEPTH, ELDER, OWN, REPEAT, SAMPLES, EvaluationOptions
from irev.writers.forms import MACHINE_FORMATS, OUTPUT_FORMATS, is_parquet_path

if TYPE_CHECKING:
    from irev.errors import Notice
    from irev.writers.trec import ScoreLayout

TREC = "trec"
"""trec_eval's text, the form of `irev eval` where none is named."""

SHEETS = ("sheet", "sheet-html")
"""Forms of `irev eval` alone: TREC's summary sheet, as text and as a page."""

FLAT = "flat"
"""The means under the keys that logs of experiments take: a form of `irev eval` alone."""

RECALL_RULE = Opt("--recall-rule", help="Points of the curve that serve a recall level.")


class EvalEngineAndSampleOptions(ResultOptions):
    """How the runs are read and evaluated, beside the choices of the evaluation."""

    zscores: Annotated[str | None, Opt(
        "-Z", "--Zscore", metavar="FILE", section=ELDER, help_order=12, file="always",
        help="Print z scores, using the means and standard deviations in FILE.",
    )] = None  # fmt: skip
    samples: Annotated[Sequence[str], SAMPLES] = ()
    repeat: Annotated[int, REPEAT] = 10
    engine: Annotated[Literal["local", "spark"], Opt(
        "--engine", section=OWN, help_order=33, effect="nothing",
        help="Where to rank runs: on this machine (local, the default) or by Spark, for runs "
        "in a cluster (paths or URIs of text or Parquet, a folder of runs). Results are the "
        "same.",
    )] = "local"  # fmt: skip

    def refuse_clashing_options(self, options: EvaluationOptions) -> None:
        """Refuse what an engine cannot do, and a number of samples where none is drawn."""
        if not self.samples and self.repeat != type(self).repeat:
            raise UsageError("--repeat needs --sample")
        if self.engine == "local":
            return
        if self.samples:
            raise UsageError(f"--engine {self.engine} cannot be combined with --sample")
        if isinstance(options.pool, str) and options.pool.startswith(DEPTH):
            raise UsageError(
                f"--engine spark cannot be combined with --pool {options.pool}: name a file"
            )


class EvalOutput(OutputOptions):
    """What is printed of an evaluation, and where."""

    per_topic: Annotated[bool, Opt(
        "-q", "--query_eval_wanted", section=ELDER, help_order=1, in_short_help=True,
        help="Also print the values of each topic.",
    )] = False  # fmt: skip
    no_summary: Annotated[bool, Opt(
        "-n", "--nosummary", section=ELDER, help_order=5, help="Do not print the summary over "
                                                     "topics."
    )] = False  # fmt: skip
    format: Annotated[str, FORMAT.replace(
        section=OWN, help_order=26, choices=(TREC, *OUTPUT_FORMATS, FLAT, *SHEETS)
    )] = TREC  # fmt: skip
    layout: Annotated[Literal["full", "paper"], LAYOUT.replace(
        section=OWN,
        help="paper: with --format latex, markdown, html or table, one table of runs and measures "
        "to put into a paper, the best in bold, and a caption; in LaTeX as wide as a column or a "
        "page.",
    )] = "full"  # fmt: skip
    csv_safe: Annotated[bool, CSV_SAFE.replace(section=OWN)] = False
    places: Annotated[int | None, PLACES.replace(
        section=OWN,
        help="Number of decimals. csv, tsv, json and jsonl always have full precision. Default: 4, "
        "or 2 with --percent.",
    )] = None  # fmt: skip
    percent: Annotated[bool, Opt(
        "--percent", section=OWN, in_short_help=True,
        help="Multiply values by 100, in tables and with --score-only.",
    )] = False  # fmt: skip
    score_only: Annotated[bool, Opt(
        "--score-only", section=OWN, in_short_help=True,
        help="Print only the numbers. There is one line per run, with tabs between the measures.",
    )] = False  # fmt: skip
    sort: Annotated[str | None, Opt(
        "--sort", metavar="MEASURE", section=OWN, in_short_help=True,
        completions=measure_name_completions,
        help="Put the best run first. Runs with equal values keep their order.",
    )] = None  # fmt: skip
    stats: Annotated[bool, Opt(
        "--stats", section=OWN, in_short_help=True,
        help="Also print sd, variance, median and 95% t interval over topics. sd and variance are "
        "those of a sample (divided by n - 1). In trec: NAME[sd], NAME[variance], NAME[median], "
        "NAME[low], NAME[high].",
    )] = False  # fmt: skip
    recall_rule: Annotated[Literal["ge", "band", "te9", "te10"] | None, RECALL_RULE.replace(
        section=OWN,
        help="With --format sheet: points that serve a recall level. Recall at least the level "
        "(ge, as irev plot recall-precision), up to a tenth above it (band), or level * R rounded "
        "as trec_eval 9 (te9) or 10 (te10) does. Default: as the trec_eval of --compat.",
    )] = None  # fmt: skip
    description: Annotated[str | None, Opt(
        "--description", metavar="TEXT", section=OWN,
        help="With --format sheet: Run Description. Default: the path of the run.",
    )] = None  # fmt: skip
    output: Annotated[str | None, OUTPUT.replace(
        section=OWN,
        help="Write to FILE instead of standard output. A FILE.parquet gets a Parquet table with "
        "run, topic, measure and value. On an error FILE is left unchanged.",
    )] = None  # fmt: skip

    @property
    def is_parquet(self) -> bool:
        """Whether the values of each topic are written as a Parquet table."""
        return self.format == TREC and is_parquet_path(self.output)

    @property
    def is_sheet(self) -> bool:
        """Whether TREC's summary sheet is written."""
        return self.format in SHEETS

    @property
    def prints_each_run(self) -> bool:
        """Whether each run is printed once it is scored: the text of several is that of each."""
        return self.format == TREC and not (self.score_only or self.sort or self.output)

    @property
    def decimals(self) -> int:
        """How many decimals are shown."""
        if self.places is None:
            return 2 if self.percent else 4
        return self.places

    def sheet_measures(self, options: EvaluationOptions) -> Sequence[str]:
        """What a summary sheet shows."""
        from irev.writers.scores import sheet_measures

        return sheet_measures(self._recall_rule(options))

    def score_layout(
        self, options: EvaluationOptions, *, several_runs: bool, zscores: bool
    ) -> "ScoreLayout":
        """What is shown of the scores, and how."""
        from irev.writers.trec import ScoreLayout

        return ScoreLayout(
            per_topic=self.per_topic,
            summary=not self.no_summary,
            several_runs=several_runs,
            decimals=self.decimals,
            zscores=zscores,
            percent=self.percent,
            stats=self.stats,
            recall_rule=self._recall_rule(options),
            description=self.description,
        )

    def _recall_rule(self, options: EvaluationOptions) -> str:
        return self.recall_rule or f"te{options.version}"

    def without_notices_below_table(self, notices: "Iterable[Notice]") -> "Iterable[Notice]":
        """Those of a run, but for what a line below the table says of its topics."""
        if self.score_only or self.format in (TREC, FLAT, *MACHINE_FORMATS):
            return notices
        from irev.writers.document import BELOW_TABLE

        return (each for each in notices if each.kind not in BELOW_TABLE)

    def refuse_clashing_options(
        self,
        options: EvaluationOptions,
        measures: MeasureOptions,
        inputs: EvalEngineAndSampleOptions,
    ) -> None:
        """Refuse what cannot be combined."""
        if inputs.samples:
            self._refuse_beside_judgment_samples(inputs)
        if options.predicted is not None:
            refused = {
                "--sample": inputs.samples, "-Z": inputs.zscores is not None,
                f"--engine {inputs.engine}": inputs.engine != "local",
            }  # fmt: skip
            for name, is_given in refused.items():
                if is_given:
                    raise UsageError(f"--predicted cannot be combined with {name}")
        self._refuse_clashing_forms(options, inputs)
        self._refuse_beside_flat_or_parquet(options, inputs)
        if self.is_sheet:
            self._refuse_beside_summary_sheet(options, measures, inputs)
        inputs.refuse_clashing_options(options)

    def _refuse_beside_judgment_samples(self, inputs: EvalEngineAndSampleOptions) -> None:
        """Refuse what samples leave no place for."""
        refused = {
            "-n": self.no_summary, "-Z": inputs.zscores is not None, "--stats": self.stats,
            "--sort": self.sort, "--percent": self.percent, "--score-only": self.score_only,
        }  # fmt: skip
        for name, is_given in refused.items():
            if is_given:
                raise UsageError(
                    f"--sample reports summaries under samples: {name} cannot be combined with it"
                )

    def _refuse_beside_paper_layout(self, inputs: EvalEngineAndSampleOptions) -> None:
        """Refuse what one table of runs and measures has no place for."""
        if self.format in (TREC, FLAT, *SHEETS):
            raise UsageError(
                "--layout paper needs a form with tables: --format latex, markdown, html or table"
            )
        others = {
            "-q": self.per_topic, "-n": self.no_summary, "--stats": self.stats,
            "--score-only": self.score_only, "--sample": inputs.samples,
        }  # fmt: skip
        for name, is_given in others.items():
            if is_given:
                raise UsageError(f"--layout paper is one table of means: leave out {name}")

    def _refuse_clashing_forms(
        self, options: EvaluationOptions, inputs: EvalEngineAndSampleOptions
    ) -> None:
        """Refuse forms that cannot be combined."""
        form = f"--format {self.format}"
        is_text = self.format == TREC and not self.score_only
        clashes: dict[str, dict[str, object]] = {
            "--score-only": {
                form: self.format != TREC, "-q": self.per_topic, "-n": self.no_summary,
                "--stats": self.stats, "-Z": inputs.zscores, "--group-by": options.classes,
            },
            "--stats": {
                "-q": self.per_topic and self.format != TREC, "-n": self.no_summary,
                "-Z": inputs.zscores, "--topic-weights": options.weights, form: self.is_sheet,
            },
        }  # fmt: skip
        for option, is_chosen in (("--score-only", self.score_only), ("--stats", self.stats)):
            for other, is_given in clashes[option].items() if is_chosen else ():
                if is_given:
                    raise UsageError(f"{option} cannot be combined with {other}")
        if self.layout == "paper":
            self._refuse_beside_paper_layout(inputs)
        for option, value in (
            ("--recall-rule", self.recall_rule), ("--description", self.description),
        ):  # fmt: skip
            if value is not None and not self.is_sheet:
                raise UsageError(f"{option} needs --format {' or '.join(SHEETS)}")
        if self.percent and (is_text or self.is_sheet or self.format in MACHINE_FORMATS):
            raise UsageError(
                f"--percent cannot be combined with {form}: use --format table, markdown, latex or "
                "html, or --score-only"
            )

    def _refuse_beside_flat_or_parquet(
        self, options: EvaluationOptions, inputs: EvalEngineAndSampleOptions
    ) -> None:
        """Refuse what means under flat names, or values of topics alone, have no place for."""
        if self.format == FLAT:
            form = f"--format {FLAT}"
        elif self.is_parquet:
            form = f"--output {self.output}"
        else:
            return
        refused = {
            "-q": self.per_topic and self.format == FLAT, "-n": self.no_summary,
            "--stats": self.stats, "--score-only": self.score_only, "--percent": self.percent,
            "--sample": inputs.samples, "--group-by": options.classes and self.format == FLAT,
            "--topic-weights": options.weights and self.format == FLAT,
        }  # fmt: skip
        for name, is_given in refused.items():
            if is_given:
                raise UsageError(f"{form} cannot be combined with {name}")

    def _refuse_beside_summary_sheet(
        self,
        options: EvaluationOptions,
        measures: MeasureOptions,
        inputs: EvalEngineAndSampleOptions,
    ) -> None:
        """Refuse what a summary sheet has no place for."""
        refused = {
            "-m": measures.measures,
            "-q": self.per_topic,
            "-n": self.no_summary,
            "-Z": inputs.zscores is not None,
            "--tie-range": options.tie_range,
            "--residuals": options.residuals,
            "--judged": options.judged_shares,
            "--group-by": options.classes,
            "--topic-weights": options.weights,
            "--sample": inputs.samples,
        }
        for name, is_given in refused.items():
            if is_given:
                raise UsageError(
                    f"--format {self.format} is TREC's summary sheet: {name} does not apply"
                )
