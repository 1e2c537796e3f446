"""Two sets of judgments against each other, and what the choice between them changes for runs.

E. M. Voorhees, IPM 2000, "Variations in relevance judgments and the measurement of retrieval
effectiveness": how far assessors agree, and how little the order of runs does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irev.core.arrays import Floats, mean_of
from irev.core.job import FigureWidth, job
from irev.core.judged import Input
from irev.core.record import record
from irev.core.text import count_text, escape_non_utf8, shortened_list
from irev.core.workers import default_threads
from irev.engine.prepared_judgments import read_judgments
from irev.engine.score_runs import score_runs
from irev.errors import InputError, MismatchError, Notice, UsageError, note
from irev.jobs.plots.layout import FigureLayout, plot_style, series_style
from irev.jobs.plots.plot import (
    add_score_signatures,
    add_signature,
    input_label,
    matrix_figure,
    name_topics,
    notes_of,
    parameters_of,
    run_means_scatter_figure,
    run_names,
    sort_by_topic,
    topic_rows,
)
from irev.jobs.result import StudyResult
from irev.jobs.score_job import watch_runs
from irev.jobs.studies.criteria import (
    SHORT_TEXT,
    USUAL,
    Criterion,
    SignificanceOptions,
    conclusion_counts,
    conclusions_table,
    criteria_of,
    pair_verdicts,
    select_common_topics,
    tau_coefficients,
)
from irev.jobs.studies.judges import CURE, DONE, MISSING, Missing, TauOptions, top_weighted_taus
from irev.options import Options, ScoringOptions
from irev.read.formats import GRADED, JUDGMENTS
from irev.read.inputs import given_runs, path_of, rewindable
from irev.scores.saved import is_saved
from irev.statistics.correlation import (
    confusion,
    krippendorff_alpha,
    rms_error,
    second_judge_favour_by_run,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class AgreementOptions(TauOptions, SignificanceOptions, ScoringOptions):
    """What is significant, what is done about what a judge lacks, and how runs are scored."""

    without: ClassVar[Sequence[str]] = ("classes",)
    default_measures: ClassVar[tuple[str, ...]] = USUAL

    missing: Annotated[
        Missing,
        MISSING.replace(
            help="If a judge lacks topics or documents. That is an error (error), or they are left "
            "out (shared), or they count as grade 0 (zero).",
        ),
    ] = "shared"


NAME = "agreement"


@job(AgreementOptions)
def agreement(
    qrels: Input,
    other_qrels: Input,
    runs: Input = (),
    measures: object = (),
    *,
    options: AgreementOptions,
) -> StudyResult:
    """Two sets of judgments against each other, and what the choice between them changes for runs.

    Args:
        qrels: judgments, as `irev.evaluate` takes them.
        other_qrels: others of the same topics; or those of several judges, as a list, a mapping by
            name or a path with wildcards, each of which is held against the first.
        runs: none, or several, as a list, a mapping by name, a path with wildcards.
        measures: names as `irev.evaluate` takes them, for the runs; none: map, ndcg_cut.10, P.10.
        options: the record `AgreementOptions`, whose fields are keywords, too.

    Returns:
        The tables of `judgment_agreement`; where there are runs also those of `add_run_tables`.
        Of several judges these tables name the judge of each line, and `judges` has a line for each
        judge and measure, with what the judge lacks and what was done about it.

    Raises:
        UsageError: an option or a measure that makes no sense here.
        InputError: an input that cannot be read.
        MismatchError: judgments without a topic or a document in common; what one lacks.
    """
    runs, judges = rewindable(runs), given_runs(other_qrels, looks_inside=False).inputs
    if "-" in (path_of(qrels), *(path_of(judge.source) for judge in judges)):
        raise UsageError("standard input (-) cannot be read twice: give the judgments as files")
    options.load_plugins()
    results = [_agreement_of_two(qrels, judge.source, runs, measures, options) for judge in judges]
    if len(results) == 1:
        return results[0][0]
    return _join_judges([judge.name for judge in judges], results, options)


def _agreement_of_two(
    qrels: Input, other_qrels: Input, runs: Input, measures: object, options: AgreementOptions
) -> tuple[StudyResult, str]:
    """(the study of two sets of judgments, what the second lacks)."""
    judgments = (qrels, other_qrels)
    try:
        result, lacks = judgment_agreement(
            *judgments, options.base_record(Options), options.qrels_format, options.missing
        )
    except InputError:
        for path in filter(None, map(path_of, judgments)):
            if os.path.isfile(path) and is_saved(path):
                raise UsageError(
                    f"{path}: this looks like saved scores, not judgments; "
                    "irev study correlation compares how scores order runs"
                ) from None
        raise
    if isinstance(runs, list | tuple) and not runs:
        return result, lacks
    sides = [score_runs(each, runs, measures, options, watch=watch_runs) for each in judgments]
    if any(run.is_saved for run in sides[0].runs):
        raise UsageError("saved scores are the same under all judgments: give the runs themselves")
    tables, left_out = select_common_topics(sides, counts_zero=options.missing == "zero")
    criteria = list(zip(*(criteria_of(table) for table in tables), strict=True))
    result = add_run_tables(
        result,
        criteria,
        run_names(tables[0]),
        options,
        parameters={**parameters_of(sides[0]), "other runs": parameters_of(sides[1])["runs"]},
        topics_text=tables[0].topics_text,
        notices=dict.fromkeys((*notes_of(sides[0])[1:], *notes_of(sides[1])[1:], *left_out)),
    )
    return add_score_signatures(result, *tables), lacks


_TOLD = ("topics", "judged by both", "agreement", "kappa", "kappa quadratic", "alpha ordinal")
"""What is told of a judge in the table of all of them, from `summary`."""


def _join_judges(
    names: Sequence[str], results: Sequence[tuple[StudyResult, str]], options: AgreementOptions
) -> StudyResult:
    """The studies of several judges as one, without figures."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    frames: dict[str, list[pd.DataFrame]] = {}
    for name, (result, lacks) in zip(names, results, strict=True):
        (summary,) = result.tables["summary"].to_dict("records")
        of_measures: list[dict[Any, Any]] = [{}]
        if "runs" in result.tables:
            taus = ("measure", "tau_b", "tau_AP", f"tau@{options.tau_at}", "tau_GAP")
            of_measures = result.tables["runs"][list(taus)].to_dict("records")
        rows += (
            {
                "judge": name,
                **{key: summary[key] for key in _TOLD},
                **of_measure,
                "lacks": lacks,
                "done": DONE[options.missing] if lacks else "",
            }
            for of_measure in of_measures
        )
        for table_name, frame in result.tables.items():
            named = frame.copy()
            named.insert(0, "judge", name)
            frames.setdefault(table_name, []).append(named)
    first = results[0][0]
    of_all = {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}
    qrels = [first.parameters["qrels"][0], *(r.parameters["qrels"][1] for r, _ in results)]
    # what is said of all stands once
    of_every = set.intersection(*({*result.notices} for result, _ in results))
    notices = [each for each in first.notices if each in of_every]
    for name, (result, _) in zip(names, results, strict=True):
        notices += (each.about(name) for each in result.notices if each not in of_every)
    signatures: list[Any] = []
    for result, _ in results:
        of_judge = result.parameters["signature"]
        signatures += of_judge if isinstance(of_judge, list) else [of_judge]
    return StudyResult(
        NAME,
        {**first.parameters, "qrels": qrels, "signature": signatures},
        {"judges": pd.DataFrame(rows), **of_all},
        ("judges",),
        {},
        tuple(notices),
        doubts=tuple(dict.fromkeys(each for result, _ in results for each in result.doubts)),
    )


def judgment_agreement(
    first_qrels: Input,
    second_qrels: Input,
    options: Options,
    qrels_format: str = "qrels",
    missing: Missing = "shared",
) -> tuple[StudyResult, str]:
    """How far two sets of judgments agree on the documents that both grade.

    For each topic that both have, and for all documents together: the share of equal grades,
    Cohen's kappa, plain and weighted by the distance of the grades or its square, Krippendorff's
    alpha (nominal, ordinal), and the overlap of the relevant documents. Grades below 0 are no
    judgments. What one set lacks is left out, or has grade 0 (`missing`).

    Returns:
        Tables `summary` (all documents), `grades` (for each first grade, how the second one
        differs), `confusion` (how often which grades were given, drawn) and `agreement` (each
        topic, drawn); and what the second set lacks.

    Source: Cohen 1960 and 1968; Krippendorff, Content Analysis, 2004; Voorhees 2000, for the
    overlap.
    """
    import pandas as pd

    if qrels_format not in GRADED and not JUDGMENTS[qrels_format].holds_runs:
        raise UsageError(f"-R {qrels_format}: the judgments must be {' or '.join(GRADED)}")
    judged_by_topic, lacking_topics = judged_twice_by_topic(
        first_qrels, second_qrels, options, qrels_format, counts_zero=missing == "zero"
    )
    all_judged = concatenate_topics(judged_by_topic)
    if not len(all_judged.first):
        raise MismatchError("no document is judged in both")
    sources = ((first_qrels, "first"), (second_qrels, "second"))
    labels = [path_of(source) or f"the {which} judgments" for source, which in sources]
    of_shared = [
        judged
        for topic_id, judged in judged_by_topic.items()
        if topic_id not in {*lacking_topics[0], *lacking_topics[1]}
    ]
    numbers_lacking = (
        sum(judged.only_second for judged in of_shared),
        sum(judged.only_first for judged in of_shared),
    )
    lacks = []
    for topics, num_documents in zip(lacking_topics, numbers_lacking, strict=True):
        texts = [f"{count_text(len(topics), 'topic')}: {shortened_list(topics, 10)}"] * bool(topics)
        if num_documents:
            texts.append(count_text(num_documents, "document"))
        lacks.append("; ".join(texts))
    if missing == "error" and any(lacks):
        texts = [
            f"{label} {_lack(label)} {text}"
            for label, text in zip(labels, lacks, strict=True)
            if text
        ]
        raise MismatchError(f"{'; '.join(texts)}; {CURE}")
    by_topic = pd.DataFrame(
        [
            {"topic": escape_non_utf8(topic_id), **judged.agreement_facts(options.level)}
            for topic_id, judged in judged_by_topic.items()
        ]
    )
    summary = pd.DataFrame(
        [{"topics": len(judged_by_topic), **all_judged.agreement_facts(options.level)}]
    )
    confusions = confusion_cells_table(all_judged)
    tables = {
        "summary": summary,
        "grades": shift_by_first_grade_table(all_judged),
        "confusion": confusions,
        "agreement": by_topic,
    }
    parameters: dict[str, Any] = {
        "qrels": [input_label(first_qrels), input_label(second_qrels)],
        "level": options.level,
    }
    if missing != "shared":
        parameters["missing"] = missing
    notices = [
        note(
            f"both judged {count_text(all_judged.num_both, 'document')} of "
            f"{count_text(len(judged_by_topic), 'topic')}; "
            f"relevant is a grade of {options.level} or more"
        ),
        *map(note, _lacking_topic_texts(labels, lacking_topics, missing)),
    ]
    first_highest, second_highest = all_judged.highest
    if first_highest != second_highest and "max" not in dict(options.defaults):
        notices.append(
            Notice(
                "other-grades",
                f"the highest grade is {first_highest:g} in the first judgments and "
                f"{second_highest:g} in the second: measures of gains (ERR, RBP, nDCG) are then "
                "on two scales",
                "--max-grade names the highest grade",
            )
        )
    figures = {
        "confusion": partial(
            matrix_figure,
            confusions,
            "share",
            value_label="share of the row",
            text_column="documents",
            axes_labels=("grade in the second judgments", "grade in the first judgments"),
        ),
        "agreement": partial(topic_agreement_figure, by_topic),
    }
    shown = ("summary", "grades", "confusion", "agreement")
    result = StudyResult(NAME, parameters, tables, shown, figures, tuple(notices))
    result = add_signature(
        result, {}, options, qrels=(first_qrels, second_qrels), qrels_format=qrels_format
    )
    return result, lacks[1]


def _lacking_topic_texts(
    labels: Sequence[str], lacking_topics: Sequence[Sequence[bytes]], missing: Missing
) -> Iterator[str]:
    """What is said of topics that one set of judgments lacks, a line for each."""
    for label, topics in zip(labels, lacking_topics, strict=True):
        if topics:
            be, count = ("is", "counts") if len(topics) == 1 else ("are", "count")
            done = f"{count} as grade 0" if missing == "zero" else f"{be} left out"
            yield (
                f"{label} {_lack(label)} {count_text(len(topics), 'topic')} of the other "
                f"judgments, which {done}: {shortened_list(topics, 10)}"
            )


def _lack(label: str) -> str:
    return "lack" if label.startswith("the ") else "lacks"


@record
class JudgedTwice:
    """The N documents of a topic, or of all, that both sets of judgments grade.

    first, second  float64[N], the grades
    only_first, only_second how many documents one set alone grades
    num_both  how many both grade: all, unless what one lacks has grade 0
    highest  the highest grade of each set, of the documents of one set alone too
    """

    first: Floats
    second: Floats
    only_first: int
    only_second: int
    num_both: int
    highest: tuple[float, float]

    def agreement_facts(self, level: float) -> dict[str, float | int]:
        """How far the two agree.

        Grades of at least the level are relevant: `overlap` is how many documents both call
        relevant, of those that either does. NaN where nothing can be said.
        """
        table = confusion(self.first, self.second)
        grades = np.stack((self.first, self.second))
        relevant = grades >= level
        either = int(relevant.any(axis=0).sum())
        return {
            "judged by both": self.num_both,
            "first only": self.only_first,
            "second only": self.only_second,
            "agreement": table.observed_agreement,
            "kappa": table.kappa(),
            "kappa linear": table.kappa("linear"),
            "kappa quadratic": table.kappa("quadratic"),
            "alpha nominal": krippendorff_alpha(grades, "nominal"),
            "alpha ordinal": krippendorff_alpha(grades, "ordinal"),
            "overlap": int(relevant.all(axis=0).sum()) / either if either else float("nan"),
        }


def judged_twice_by_topic(
    first_qrels: Input,
    second_qrels: Input,
    options: Options,
    qrels_format: str,
    *,
    counts_zero: bool = False,
) -> tuple[dict[bytes, JudgedTwice], tuple[list[bytes], list[bytes]]]:
    """The topics that both have, in byte order, and which topics of the other each set lacks.

    Where what one lacks `counts_zero`, all topics and documents that either has. Grades below 0 are
    no judgments.
    """
    grades_of_sets: list[dict[bytes, dict[bytes, float]]] = []
    threads = options.threads or default_threads()
    for judgments in (first_qrels, second_qrels):
        prepared = read_judgments(judgments, qrels_format, [], options, threads)
        answers = prepared.answers
        qrels = prepared.qrels if answers is None else answers.label_qrels_by_run_and_item()
        grades_of_sets.append({})
        for topic_index, topic in enumerate(qrels.topics):
            judged_list = int(qrels.list_start[topic_index])
            rows = np.arange(int(qrels.start[judged_list]), int(qrels.stop[judged_list]))
            rows = rows[qrels.grade[rows] >= 0]
            documents, grades = qrels.docs.take(rows).to_list(), qrels.grade[rows].tolist()
            grades_of_sets[-1][topic] = dict(zip(documents, grades, strict=True))
    first_grades, second_grades = grades_of_sets
    shared_topics = first_grades.keys() & second_grades.keys()
    if not shared_topics:
        raise MismatchError("the two sets of judgments have no topic in common")
    judged_by_topic = {}
    counted = first_grades.keys() | second_grades.keys() if counts_zero else shared_topics
    for topic_id in sorted(counted):
        first, second = first_grades.get(topic_id, {}), second_grades.get(topic_id, {})
        shared = first.keys() & second.keys()
        documents = sorted(first.keys() | second.keys() if counts_zero else shared)
        judged_by_topic[topic_id] = JudgedTwice(
            np.array([first.get(document, 0.0) for document in documents]),
            np.array([second.get(document, 0.0) for document in documents]),
            len(first) - len(shared),
            len(second) - len(shared),
            len(shared),
            (max(first.values(), default=0.0), max(second.values(), default=0.0)),
        )
    lacking = (
        sorted(second_grades.keys() - first_grades),
        sorted(first_grades.keys() - second_grades),
    )
    return judged_by_topic, lacking


def concatenate_topics(judged_by_topic: dict[bytes, JudgedTwice]) -> JudgedTwice:
    """The documents of all topics."""
    every = judged_by_topic.values()
    return JudgedTwice(
        np.concatenate([judged.first for judged in every]),
        np.concatenate([judged.second for judged in every]),
        sum(judged.only_first for judged in every),
        sum(judged.only_second for judged in every),
        sum(judged.num_both for judged in every),
        (max(judged.highest[0] for judged in every), max(judged.highest[1] for judged in every)),
    )


def confusion_cells_table(judged: JudgedTwice) -> pd.DataFrame:
    """Columns: first, second (grades), documents, share (of all with that first grade)."""
    import pandas as pd

    confusions = confusion(judged.first, judged.second)
    num_grades = len(confusions.grades)
    row_totals = np.maximum(confusions.counts.sum(axis=1, keepdims=True), 1)
    grades = [f"{grade:g}" for grade in confusions.grades.tolist()]
    return pd.DataFrame(
        {
            "first": np.repeat(grades, num_grades),
            "second": np.tile(grades, num_grades),
            "documents": confusions.counts.ravel(),
            "share": (confusions.counts / row_totals).ravel(),
        }
    )


def shift_by_first_grade_table(judged: JudgedTwice) -> pd.DataFrame:
    """For each grade of the first judgments how the second ones differ, and of all grades.

    Columns: first (the grade), documents, the shares of these whose second grade is lower, equal
    and higher, and difference (the mean of second less first).
    """
    import pandas as pd

    rows = []
    for grade in [*np.unique(judged.first).tolist(), None]:
        rows_of_grade = slice(None) if grade is None else judged.first == grade
        differences = judged.second[rows_of_grade] - judged.first[rows_of_grade]
        rows.append(
            {
                "first": "all" if grade is None else f"{grade:g}",
                "documents": len(differences),
                "lower": float((differences < 0).mean()),
                "equal": float((differences == 0).mean()),
                "higher": float((differences > 0).mean()),
                "difference": mean_of(differences),
            }
        )
    return pd.DataFrame(rows)


def add_run_tables(
    result: StudyResult,
    criterion_pairs: Sequence[tuple[Criterion, Criterion]],
    run_names: Sequence[str],
    options: AgreementOptions,
    *,
    parameters: Mapping[str, Any] | None = None,
    topics_text: str = "",
    notices: Iterable[Notice] = (),
) -> StudyResult:
    """The same with what the choice between the judgments changes for S runs.

    Returns:
        Tables `runs` (for each measure tau_b, tau_a, p, tau_AP with the first judgments as the
        truth, tau_AP_b, tau@k and tau_GAP, the RMS error of the means, and of all pairs of runs
        those found significant under both (AA, AD in opposite directions), under one (PA, PD) or
        neither),
        `favour` (for each run how much higher the second judgments score it than the mean run),
        `changes` (every pair of runs) and `scatter` (what is drawn).
    """
    import pandas as pd

    rows, favours, changes, points, tests_done = [], [], [], [], []
    for first, second in criterion_pairs:
        first_verdicts, second_verdicts = (pair_verdicts(each, options) for each in (first, second))
        second_name = f"{second.name} under the second judgments"
        tests_done.append(first_verdicts.test_done)
        tests_done.append(second_verdicts.test_done._replace(measure=second_name))
        rows.append(
            {
                "measure": first.name,
                **tau_coefficients(first, second),
                **top_weighted_taus(first, second, options.tau_at),
                "rms": rms_error(second.means, first.means),
                **conclusion_counts(first_verdicts, second_verdicts),
            }
        )
        favours.append(second_judge_favour_by_run_table(first, second, run_names, options.alpha))
        pair_changes = conclusions_table(run_names, first_verdicts, second_verdicts)
        pair_changes.insert(0, "measure", first.name)
        changes.append(pair_changes)
        drawn = {
            "measure": f"{first.name}, first judgments",
            "with": f"{second.name}, second judgments",
        }
        means = {"run": list(run_names), "x": first.means, "y": second.means}
        points.append(pd.DataFrame({**drawn, **means}))
    tables = {
        "runs": pd.DataFrame(rows),
        "favour": pd.concat(favours, ignore_index=True),
        "changes": pd.concat(changes, ignore_index=True),
        "scatter": pd.concat(points, ignore_index=True),
    }
    # each panel of the figure has its tau
    panels = tables["scatter"][["measure", "with"]].drop_duplicates()
    names_of_panels = panels.itertuples(index=False, name=None)
    taus = dict(zip(names_of_panels, tables["runs"]["tau_b"].tolist(), strict=True))
    scatter = partial(run_means_scatter_figure, tables["scatter"], taus, has_diagonal=True)
    num_topics = len(criterion_pairs[0][0].scores)
    return StudyResult(
        result.name,
        {
            **result.parameters,
            "tau_at": options.tau_at,
            **options.significance_parameters(tests_done),
            **(parameters or {}),
        },
        {**result.tables, **tables},
        (*result.shown[:3], "runs", "favour", *result.shown[3:]),
        {**result.figures, "scatter": scatter},
        (
            *result.notices,
            *notices,
            note(
                f"{count_text(len(run_names), 'run')} by their means over "
                f"{topics_text or count_text(num_topics, 'topic')}"
            ),
            *map(note, options.significance_lines(num_topics, len(run_names), tests_done)),
            note(SHORT_TEXT.format("judgments")),
            note(
                "favour: how much higher the second judgments score a run than the first ones do "
                "(error), compared with the mean run; p of the paired t test, with Holm's "
                "correction for the number of runs"
            ),
        ),
    )


def second_judge_favour_by_run_table(
    first_criterion: Criterion,
    second_criterion: Criterion,
    run_names: Sequence[str],
    interval_alpha: float,
) -> pd.DataFrame:
    """Columns: measure, run, error, favour, low, high, p, holm; the run most favoured first.

    See `irev.statistics.correlation.second_judge_favour_by_run`; where lower is better, a run
    is favoured whose favour is below 0.
    """
    import pandas as pd

    errors = second_judge_favour_by_run(
        first_criterion.scores, second_criterion.scores, level=1 - interval_alpha
    )
    table = pd.DataFrame(
        {
            "measure": first_criterion.name,
            "run": list(run_names),
            "error": errors.error,
            "favour": errors.favour,
            "low": errors.low,
            "high": errors.high,
            "p": errors.p,
            "holm": errors.corrected,
        }
    )
    return table.sort_values(
        "favour", ascending=not first_criterion.higher_is_better, kind="stable"
    )


_LINES = {"agreement": "equal grades", "kappa": "kappa", "alpha ordinal": "alpha (ordinal)"}
"""What is drawn of each topic, and what it is called."""


def topic_agreement_figure(
    agreement_by_topic: pd.DataFrame, *, width: FigureWidth = "page"
) -> Figure:
    """The share of equal grades, kappa and alpha of each topic; what is NaN is not drawn."""
    agreement_by_topic = sort_by_topic(agreement_by_topic)
    rows_of_topics = topic_rows(len(agreement_by_topic), 1, 1, width)
    lowest = float(np.nanmin([0.0, *agreement_by_topic[list(_LINES)].to_numpy().ravel()]))
    with plot_style(width):
        layout = FigureLayout(len(rows_of_topics), width=width, height=2.2, max_columns=1)
        for axes, indices in zip(layout.panels, rows_of_topics, strict=True):
            some = agreement_by_topic.iloc[indices.start : indices.stop]
            axes.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
            for number, (column, name) in enumerate(_LINES.items()):
                look = {**series_style(number), "linestyle": "none"}
                axes.plot(np.arange(len(some)), some[column].to_numpy(), label=name, **look)
            axes.set_ylim(1.05 * lowest - 0.05, 1.05)
            axes.set_ylabel("agreement")
            name_topics(layout, axes, list(some["topic"]), len(rows_of_topics[0]))
        axes.set_xlabel("topic")
        layout.set_panel_legend()
        return layout.finish()
