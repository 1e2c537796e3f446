"""The first half of every job: runs and saved scores become one table of scores.

Names of runs are settled here, the order of measures is the order asked, missing topics are counted
and every warning arises. A judged topic that a run lacks has the score of an empty ranking, since
runs are to be compared on the same topics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from irev.core import workers
from irev.core.arrays import Ints, byte_order, mean_of, offsets, run_starts
from irev.core.ids import Ids, concatenate_ids, ids_from_bytes
from irev.core.judged import Column, Input, Rows
from irev.core.option_values import Pool
from irev.core.text import as_text, count_text, full_list, parse_whole, shorten_name, shortened_list
from irev.engine.doubts import UNJUDGED, refuse_saved_scores
from irev.engine.join_scores import (
    add_classes,
    add_weights,
    align_topics,
    distinct_tables,
    drop_or_refuse_undefined_topics,
    given_scores,
    is_comparable,
    join_measures,
    listed_topics_or_all,
    measures_of_some_runs_warnings,
    no_topic_values_warnings,
    no_topics_message,
    replace_run_info,
    run_tables_if_saved,
    saved_score_gaps,
    scored_run_table,
    set_table_bounds,
    shared_columns,
)
from irev.engine.map_topics import (
    ExcludedDocuments,
    excluded_document_notes,
    map_topics_or_nothing,
    read_excluded,
)
from irev.errors import (
    NO_DOCUMENTS,
    InputError,
    IrevError,
    MismatchError,
    NoneScoredError,
    Notice,
    Problem,
    UsageError,
    note,
)
from irev.measures.naming.grammar import measure_names
from irev.measures.naming.resolve import column_with_bounds, lower_is_better, resolve_names
from irev.options import DEPTH_POOL, PREDICTED, Options, ScoringOptions
from irev.rank.ranking import RankingRule, index_pairs_refusing_duplicates, ranks_of_rows
from irev.read.batches import sha256_of_input
from irev.read.columns import ColumnNames
from irev.read.formats import GRADED, JUDGMENTS, run_layout
from irev.read.inputs import (
    RunInput,
    distinct_names,
    error_naming_run,
    given_runs,
    path_forms,
    path_of,
    rewindable,
    several_named_runs_error,
)
from irev.read.stream import given_name_of
from irev.scores.scores import MISSING_TOPIC, Scores
from irev.scores.signature import Signature, contradictions, options_part
from irev.scores.table import RunInfo, ScoreTable

if TYPE_CHECKING:
    from irev.core.option_records import MeasureRange
    from irev.engine.evaluate import FirstDocumentsNeed, RunEvaluator


OptionsType = TypeVar("OptionsType", bound=Options)

NameSource = Literal["file", "tag"]
"""What a run is called after: its file, or the tag in it."""

_JUDGED_AT_10 = "Judged(denom=retrieved)@10"
_FEW_JUDGED = 0.5

FEW_JUDGED_TEXT = (
    "of its first 10 documents are judged, and what is not judged counts as not relevant"
)
"""How a note on a run of whose documents few are judged ends."""

Watch = Callable[[Iterable[Any], int], Iterable[Any]]
"""Hands on what comes, of so many; a progress bar."""


def score_runs(
    qrels_or_table: Input | ScoreTable | None,
    runs: Input | Sequence[Input] | Mapping[str, Input] = (),
    measures: object = (),
    options: ScoringOptions | None = None,
    *,
    keep_going: bool = False,
    check_saved_scores: Callable[[str, int], None] = lambda path, num_runs: None,
    watch: Watch = lambda outcomes, _: outcomes,
    first_documents: FirstDocumentsNeed = "",
) -> ScoreTable:
    """Score runs, read saved scores, and bring all of them onto the same topics.

    Args:
        qrels_or_table: judgments, as `evaluate` takes them; None where all runs are saved scores;
            or a table of scores, which is taken as it is, with the measures that are named.
        runs: runs and files of saved scores, in any order; or a mapping of them by the names
            that the runs are to have. Runs may be in memory, as `evaluate` takes them; tables of
            scores are taken too.
        measures: names as `evaluate` takes them, which stand in the order asked; where none is
            named, those of the options, and of saved scores all that every run has.
        options: how runs are scored, and on which topics: all that are judged, unless they say
            otherwise. Their classes and weights of topics hold for saved scores too.
        keep_going: whether a run that cannot be scored is left out, rather than an error.
        check_saved_scores: raises an error of an input whose saved scores, of so many runs, are
            not to be taken.
        watch: what the scored runs pass through.
        first_documents: whether the runs of the table tell them.

    Raises:
        UsageError: runs without judgments; a measure without values by topic.
        InputError: an input that cannot be read, unless `keep_going`.
        NoneScoredError: with `keep_going` none is left.
        MismatchError: scores of different definitions or judgments; no topic in common.
    """
    options = options or ScoringOptions()
    qrels_or_table, runs = table_if_scores(qrels_or_table, runs, options)
    options.load_plugins()
    named_measures = tuple(measure_names(measures))
    runs, requested = options.scored_inputs(runs, named_measures)
    if qrels_or_table is not None and not isinstance(qrels_or_table, ScoreTable):
        requested = requested or options.default_measures
    evaluation = options.evaluation()
    if isinstance(qrels_or_table, ScoreTable):
        table = judged_table(qrels_or_table, runs, requested, evaluation)
        unused = unused_option_warnings(table.runs, table.columns, options, are_all_runs=True)
        table = replace(table, warnings=tuple(dict.fromkeys((*table.warnings, *unused))))
        return replace(set_table_bounds(table, options.measure_ranges), requested=named_measures)
    evaluation = options_with_pool(evaluation, runs)
    looks_at_judged = (
        options.warns_unjudged and options.qrels_format in GRADED and not options.judged_only
    )
    inputs = runs_or_scores(runs, evaluation.own_columns)
    # answers that were judged may be named
    may_name_judged_runs = JUDGMENTS[options.qrels_format].holds_runs
    tables, unscored, broken = _read_saved_scores(
        inputs,
        keep_going,
        check_saved_scores,
        options.measure_ranges,
        evaluation.own_columns,
        may_name_judged_runs=may_name_judged_runs,
    )
    saved_runs = [table.runs[0] for table in tables]
    evaluator = None
    notices: list[Notice] = []
    if unscored:
        more = (_JUDGED_AT_10,) if looks_at_judged else ()
        scored_measures = (*(requested or ("official",)), *more)
        evaluator = _evaluator(
            qrels_or_table, unscored, scored_measures, evaluation, options, first_documents
        )
        scored, failed = _scored_tables(evaluator, unscored, options.names, keep_going, watch)
        tables = [*tables, *scored]
        broken += failed
        notices += filter(warns_of_run_or_judgments, evaluator.notices)
        notices += evaluator.estimate_notices
    if not tables:
        if broken:
            raise NoneScoredError(broken)
        instead = (
            "" if qrels_or_table is None else ": give runs after the judgments, or scores of runs"
        )
        raise UsageError(f"there is no run{instead}")
    _refuse_contradicting_signatures(tables)
    if evaluator is None:
        _refuse_other_judgments(qrels_or_table, tables)
    gaps = saved_score_gaps(tables, [each.label for each in inputs])
    tables = distinct_tables(join_measures(tables), [each.forms for each in inputs])
    for table in sorted(tables, key=lambda table: table.runs[0].input_index):
        notices += [each.about(table.run_names[0]) for each in table.warnings]
    notices = [*dict.fromkeys(notices)]  # what is said of a file stands with each of its runs
    evaluated = None if evaluator is None else evaluator.columns
    few_judged: list[Notice] = []
    share = None
    if looks_at_judged and evaluated is not None:
        tables = [*map(_with_judged_share, tables)]
        few_judged, share = _few_judged_notes_and_mean_share(tables, notices)
        tables, evaluated = _without_judged_share(tables, evaluated, requested, evaluation)
    columns = shared_columns(tables, requested, evaluated, evaluation, gaps)
    if not requested:
        notices += measures_of_some_runs_warnings(tables, columns, gaps)
    there = {name for table in tables for name in table.measure_names}
    for each in options.measure_ranges:
        if each.measure and each.measure not in there:
            listed = shortened_list(sorted(there))
            raise UsageError(f"--bounds {each}: no scores of {each.measure}; there are {listed}")
    columns = tuple(column_with_bounds(column, options.measure_ranges) for column in columns)
    notices += no_topic_values_warnings(requested, evaluation)
    notices += unjudged_topic_notes([table.runs[0] for table in tables])
    notices += nothing_to_find_notes([table.runs[0] for table in tables])
    num_excluded = [table.runs[0].num_excluded for table in tables]
    if any(num_excluded):
        notices += excluded_document_notes(num_excluded)
    notices += unused_option_warnings(saved_runs, columns, options, are_all_runs=not unscored)
    table = join_tables(tables, columns, evaluation, options.nan == "drop-topic")
    table = replace(
        table,
        broken=tuple(broken),
        warnings=(*notices, *few_judged, *table.warnings),
        requested=named_measures,
        share_judged=share,
    )
    return table.warn_of_missing_topics()


def table_if_scores(qrels_or_table: Any, runs: Any, options: ScoringOptions) -> tuple[Any, Any]:
    """A job's first inputs; `Scores`, and lists and mappings of them, are made one table."""
    qrels_or_table = rewindable(qrels_or_table)
    scores, names = given_scores(qrels_or_table, runs)
    if scores is None:
        return qrels_or_table, runs
    return score_runs(None, scores, (), options.base_record(ScoringOptions)), names


def join_tables(
    tables: Sequence[ScoreTable],
    columns: tuple[Column, ...],
    options: Options,
    drop_undefined: bool,
) -> ScoreTable:
    """All on the same topics, with their weights and classes, and with notes on these."""
    table = align_topics(tables, columns, options)
    table = drop_or_refuse_undefined_topics(table, drop_undefined)
    texts = []
    if len({run.path for run in table.runs}) > 1:
        for path in dict.fromkeys(run.path for run in table.runs if run.signature is None):
            texts.append(
                f"{path} has no signature: whether its scores are for these judgments is unknown"
            )
    if any(run.missing for run in table.runs):
        texts += [
            f"{column.name}: a topic that a run lacks has the score of an empty ranking, "
            "or 0 in saved scores that do not hold it"
            for column in filter(lower_is_better, table.columns)
        ]
    table = replace(table, warnings=(*table.warnings, *map(note, texts)))
    return add_classes(add_weights(table, options), options)


def options_with_pool(options: OptionsType, runs: Any) -> OptionsType:
    """The options with the pool itself, where they ask for one of the runs, "depth:100"."""
    pool = options.pool
    if not isinstance(pool, str) or not pool.startswith(DEPTH_POOL):
        return options
    depth = parse_whole(pool.removeprefix(DEPTH_POOL))
    if depth is None or depth < 1:
        raise UsageError(f"--pool {pool}: a depth is a whole number from 1 on: depth:100")
    sources = given_runs(runs, options.own_columns).sources
    if "-" in sources:
        raise UsageError("--pool reads each run twice, which standard input (-) does not allow")
    runs_pool = make_pool(
        sources,
        depth,
        threads=options.threads,
        run_format=options.run_format,
        excluded=read_excluded(options.exclude),
        columns=options.own_columns,
        passages=options.passages,
    )
    return options.replace(pool=runs_pool)


def table_of_run(run: RunInput, scores: Scores, names: NameSource) -> ScoreTable:
    """The table of a run that was scored, with what makes its scores doubtful."""
    tag = shorten_name(as_text(scores.run_id))
    name = tag if names == "tag" and tag and not given_name_of(run.source) else run.forms[0]
    table = scored_run_table(name, path_of(run.source), scores, run.place)
    return replace(table, warnings=tuple(filter(warns_of_run_or_judgments, scores.notices)))


def runs_or_scores(
    runs: Input | Sequence[Input] | Mapping[str, Input], columns: ColumnNames = ()
) -> list[RunInput]:
    """The runs that are given, of which some may be scores already: these have names."""
    given = given_runs(runs, columns)
    if given.kind == "names":
        return given.inputs
    return [each._replace(forms=_forms_of_scores(each) or each.forms) for each in given.inputs]


def _forms_of_scores(each: RunInput) -> list[str]:
    """What the run of scores may be called; empty: the input is none, or has no name."""
    scores = each.source
    if isinstance(scores, Scores) and scores.name + as_text(scores.run_id):
        return [scores.run_name, f"{scores.run_name} ({each.place + 1})"]
    if not isinstance(scores, ScoreTable) or len(scores.runs) != 1:
        return []
    run = scores.runs[0]
    return [run.name, *(form for form in path_forms(run.path) if run.path and form != run.name)]


def _read_saved_scores(
    inputs: Sequence[RunInput],
    keep_going: bool,
    check_saved_scores: Callable[[str, int], None],
    ranges: Sequence[MeasureRange],
    columns: ColumnNames,
    *,
    may_name_judged_runs: bool = False,
) -> tuple[list[ScoreTable], list[RunInput], list[tuple[str, IrevError]]]:
    """The tables of inputs that hold scores, the inputs that are to be scored, what is broken."""
    tables: list[ScoreTable] = []
    unscored: list[RunInput] = []
    broken: list[tuple[str, IrevError]] = []
    for each in inputs:
        path = path_of(each.source)
        is_no_file = path not in ("", "-") and not os.path.lexists(path)
        saved: list[ScoreTable] = []
        try:
            if not (may_name_judged_runs and is_no_file):
                saved = run_tables_if_saved(each.source, ranges, columns)
            check_saved_scores(path, len(saved))
        except IrevError as error:
            if not keep_going:
                raise
            broken.append((each.label, error))
            continue
        if len(saved) > 1 and given_name_of(each.source):
            raise several_named_runs_error(path, [table.runs[0].name for table in saved])
        if len(saved) == 1 and (not path or given_name_of(each.source)):
            saved = [replace_run_info(table, name=each.forms[0]) for table in saved]
        tables += [replace_run_info(table, input_index=each.place) for table in saved]
        if not saved:
            unscored.append(each)
    return tables, unscored, broken


def _evaluator(
    qrels: Input | None,
    unscored: Sequence[RunInput],
    measures: Sequence[str],
    evaluation: Options,
    options: ScoringOptions,
    first_documents: FirstDocumentsNeed,
) -> RunEvaluator:
    from irev.engine.evaluate import RunEvaluator

    if qrels is None:
        raise UsageError(f"{unscored[0].label}: this is a run: give its qrels first: QRELS RUN...")
    qrels_format = options.qrels_format
    # a model's judgments of topics, not of documents, are scored by themselves
    names = PREDICTED if qrels_format == "strata" else ()
    fields = {name: getattr(options, name) for name in names}
    return RunEvaluator(
        qrels,
        measures,
        evaluation,
        qrels_format=qrels_format,
        sign=True,
        first_documents=first_documents,
        **fields,
    )


def _scored_tables(
    evaluator: RunEvaluator,
    unscored: Sequence[RunInput],
    names: NameSource,
    keep_going: bool,
    watch: Watch,
) -> tuple[list[ScoreTable], list[tuple[str, IrevError]]]:
    """A table for each run, with what makes its scores doubtful; and what is broken."""
    tables: list[ScoreTable] = []
    broken: list[tuple[str, IrevError]] = []
    called = distinct_names([each.forms for each in unscored])
    sources = [each.source for each in unscored]
    outcomes = watch(evaluator.outcomes(sources, called), len(unscored))
    for each, (_, outcome) in zip(unscored, outcomes, strict=True):
        if isinstance(outcome, IrevError):
            if not keep_going:
                raise error_naming_run(each.label, outcome)
            broken.append((each.label, outcome))
            continue
        tables.append(table_of_run(each, outcome, names))
    return tables, broken


def warns_of_run_or_judgments(notice: Notice) -> bool:
    """Whether a doubt about runs or judgments is told where runs are set against each other.

    Not what is doubtful about measures; and of topics that a run lacks the table itself warns.
    """
    if notice.is_note:
        return notice.kind in ("no-checksum", "comment", "gains-below-level", "unjudged-citations")
    return notice.kind != MISSING_TOPIC


def unjudged_topic_notes(runs: Sequence[RunInfo]) -> Iterator[Notice]:
    """One note on the topics of all runs that are not judged."""
    counts = {run.name: run.num_unjudged_topics for run in runs if run.num_unjudged_topics}
    numbers = set(counts.values())
    if counts:
        listed = shortened_list([f"{number} of {name}" for name, number in counts.items()])
        if len(counts) > 1 and len(numbers) == 1:
            listed = f"{numbers.pop()} of each of {len(counts)} runs: {shortened_list([*counts])}"
        yield Notice("unjudged-topic", f"topics without judgments are left out: {listed}")


def nothing_to_find_notes(runs: Sequence[RunInfo]) -> Iterator[Notice]:
    """One note on the topics of all runs whose right answer is that there is nothing."""
    num_empty = max((len(run.nothing_to_find) for run in runs), default=0)
    if num_empty:
        right = [f"{len(run.rightly_empty)} of {run.name}" for run in runs if run.nothing_to_find]
        yield Notice(
            "nothing-to-find",
            f"{count_text(num_empty, 'topic has', 'topics have')} no relevant document: where "
            f"a run retrieved nothing it counts as 1, else as 0; nothing was retrieved for "
            f"{shortened_list(right)}",
        )


def _with_judged_share(table: ScoreTable) -> ScoreTable:
    """The table of a run that says which share of its first 10 documents is judged."""
    run = table.runs[0]
    empty = {*run.missing, *run.rightly_empty}
    in_run = [topic not in empty for topic in table.topics]
    if run.is_saved or _JUDGED_AT_10 not in table.measure_names or not any(in_run):
        return table
    share = float(table.scores(_JUDGED_AT_10)[in_run, 0].mean())
    return replace_run_info(table, judged_at_10=share)


def _few_judged_notes_and_mean_share(
    tables: Sequence[ScoreTable], notices: Sequence[Notice]
) -> tuple[list[Notice], float | None]:
    """Notes on runs of whose documents few are judged, without a warning yet; the mean share.

    The scores of such runs say more of the pool than of them.
    """
    warned = {notice.run for notice in notices if notice.kind in UNJUDGED}
    runs = [table.runs[0] for table in tables]
    shares = [run.judged_at_10 for run in runs if run.judged_at_10 is not None]
    few_judged = [
        note(f"{run.name}: only {run.judged_at_10:.0%} {FEW_JUDGED_TEXT}")
        for run in runs
        if run.judged_at_10 is not None
        and run.judged_at_10 < _FEW_JUDGED
        and run.name not in warned
    ]
    return few_judged, mean_of(np.array(shares)) if shares else None


def _without_judged_share(
    tables: list[ScoreTable],
    evaluated: tuple[Column, ...],
    measures: Sequence[str],
    options: Options,
) -> tuple[list[ScoreTable], tuple[Column, ...]]:
    """The tables and columns without the measure that was added, unless it was asked for."""
    requested = [c for request in resolve_names(measures, options) for c in request.columns]
    if any(column.name == _JUDGED_AT_10 for column in requested):
        return tables, evaluated
    columns = tuple(column for column in evaluated if column.name != _JUDGED_AT_10)
    unsigned = []
    for table in tables:
        signature = table.runs[0].signature
        if signature is not None and not table.runs[0].is_saved:
            measures_of = {n: what for n, what in signature.measures.items() if n != _JUDGED_AT_10}
            signature = replace(signature, measures=measures_of)
            table = replace_run_info(table, signature=signature)
        unsigned.append(table)
    return unsigned, columns


def _refuse_contradicting_signatures(tables: Sequence[ScoreTable]) -> None:
    """Scores that are known to mean different things are not set beside each other."""
    runs = [table.runs[0] for table in tables]
    signed = [(run.path or run.name, run.signature) for run in runs]
    known_signatures = [(path, signature) for path, signature in signed if signature is not None]
    for path, signature in known_signatures[1:]:
        first_path, first = known_signatures[0]
        reasons = contradictions(first, signature, means=False)
        if reasons:
            raise MismatchError(f"{first_path} and {path} cannot be compared: {'; '.join(reasons)}")
    evaluated = [(run.path or run.name, run.evaluation) for run in runs if run.evaluation]
    for path, evaluation in evaluated[1:]:
        first_path, first_evaluation = evaluated[0]
        if not evaluation.has_judgments_of(first_evaluation):
            raise MismatchError(
                f"{first_path} and {path} cannot be compared: their judgments differ"
            )


def _refuse_other_judgments(qrels: Input | None, tables: Sequence[ScoreTable]) -> None:
    """Saved scores, where no run tells more, must be scores under the judgments that were given."""
    path = "" if qrels is None else path_of(qrels)
    runs = [table.runs[0] for table in tables]
    signed = [(run.path, run.signature) for run in runs if run.signature and run.signature.qrels]
    if path in ("", "-") or not signed:
        return
    of_qrels = Signature(qrels=sha256_of_input(path))
    for run_path, signature in signed:
        reasons = contradictions(of_qrels, signature, means=False)
        if reasons:
            raise MismatchError(f"{path} and {run_path} do not belong together: {reasons[0]}")


# --- A table of scores as jobs take it: some of its runs and measures, on the same topics ---


def judged_table(
    table: ScoreTable, runs: Any, measures: Sequence[str], options: Options
) -> ScoreTable:
    """A table as jobs take it: the runs and measures that are named, on the same topics.

    Args:
        table: the scores.
        runs: names of runs; none: all.
        measures: names of measures; none: all that can be compared.
        options: of which the topics, weights and classes count.
    """
    if table.topic_policy == "own":  # of `evaluate`; compared are all on all judged topics
        order = sorted(range(len(table.runs)), key=table.run_names.__getitem__)
        table = replace(
            table,
            runs=tuple(table.runs[index] for index in order),
            values=table.values[:, :, order],
            topic_policy="judged",
            evaluated=None,
        )
    if runs:
        names = [runs] if isinstance(runs, str) else [*runs]
        place_of = {table.run_index(name): place for place, name in enumerate(names)}
        table = table.select_runs([*place_of])
        placed = [
            replace(run, input_index=place_of[index])
            for run, index in zip(table.runs, sorted(place_of), strict=True)
        ]
        table = replace(table, runs=tuple(placed))
    if options.listed_topics is not None or isinstance(options.topics, os.PathLike):
        listed = listed_topics_or_all(table.topics, options)
        table = table.select_topics(np.array([topic in listed for topic in table.topics]))
    if options.topics == "both" and table.topic_policy == "judged":
        missing_by_run = [run.missing for run in table.runs]
        missing = set().union(*missing_by_run)
        table = table.select_topics(np.array([topic not in missing for topic in table.topics]))
        runs = [
            replace(run, left_out=missing)
            for run, missing in zip(table.runs, missing_by_run, strict=True)
        ]
        table = replace(table, runs=tuple(runs), topic_policy="common")
    if options.weights is not None or options.classes is not None:
        classed = add_classes(add_weights(table, options), options)
        table = replace(classed, warnings=table.warnings)
    columns = table.columns
    if measures:
        columns = tuple(dict.fromkeys(table.column(name) for name in measures))
    usable = tuple(column for column in columns if is_comparable(column))
    if not usable:
        raise UsageError(no_topics_message(columns))
    if usable != table.columns:
        table = table.select_measures(usable)
    return table.warn_of_missing_topics()


# --- Options of rankings and judgments, which change no scores that are there already ---


def unused_option_warnings(
    runs: Sequence[RunInfo],
    columns: Sequence[Column],
    options: ScoringOptions,
    *,
    are_all_runs: bool,
) -> Iterator[Notice]:
    """A warning of options that are not at their default, and that some scores were made without.

    Args:
        runs: those whose scores were there already. Of scores in memory that do not tell how they
            were made nothing is said: it may have been with these options.
        columns: the measures that are compared; their names may hold defaults of measures.
        options: those of the job.
        are_all_runs: whether no run is scored. If one is, topics without a relevant document are
            left out of saved scores, too.
    """
    runs = [run for run in runs if run.is_saved or run.signature is not None]
    if not runs:
        return
    values = _option_values_to_sign(options)
    if not are_all_runs and options.no_relevant == "skip":
        values.pop("no_relevant", None)
    spellings = [
        ScoringOptions.fields()["qrels_format" if name == "format" else name].opt.names[0]
        for name, value in values.items()
        if not all(_is_made_with(run.signature, name, value) for run in runs)
    ]
    # and the defaults of measures that stand in no name of a measure
    opts = {opt.pair_key: opt for opt in ScoringOptions.fields()["defaults"].opts.values()}
    names = [f"{column.name} {column.canonical}" for column in columns]
    for key, _ in options.defaults:
        if not any(f"{key}=" in name for name in names):
            spellings.append(opts[key].names[0] if key in opts else key)
    if spellings:
        have, they_act = ("has", "it acts") if len(spellings) == 1 else ("have", "they act")
        yield Notice(
            "unused-option",
            f"{full_list(spellings)} {have} no effect on saved scores: {they_act} where runs are "
            "scored (irev eval)",
        )


def _option_values_to_sign(options: ScoringOptions) -> dict[str, Any]:
    """Option of rankings or judgments -> its value as a signature has it, unless the default.

    Of files it is not known here what they hold: their value is None.
    """
    evaluation = options.evaluation()
    values = options_part(evaluation, options.qrels_format)
    default_values = options_part(Options(), options.qrels_format)
    changed: dict[str, Any] = {}
    for name, field in Options.fields().items():
        opt = field.opt
        acts = opt.effect == "values" or name in ("run_format", "duplicates", "no_relevant")
        if not acts or opt.pair_key:
            continue
        if opt.sign_content and getattr(evaluation, name) != field.default:
            changed[name] = None
        elif name in values and values[name] != default_values.get(name):
            changed[name] = values[name]
    if options.qrels_format != ScoringOptions.qrels_format:
        changed["format"] = options.qrels_format
    return changed


def _is_made_with(signature: Signature | None, name: str, value: Any) -> bool:
    """Whether scores are known to be made with an option; of files, with one."""
    if signature is None:
        return False
    if value is None:
        return name in signature.options or name in signature.files
    return signature.has_option(name, value)


# --- Pools: what several runs retrieved up to a depth, and which run brought which document ---


def make_pool(
    runs: Sequence[Input],
    depth: int | None,
    ranking: RankingRule | None = None,
    threads: int | None = None,
    run_format: str = "trec_results",
    excluded: ExcludedDocuments | None = None,
    columns: ColumnNames = (),
    passages: str | None = None,
) -> Pool:
    """The pool of some runs: of each topic the first `depth` documents of each, or all.

    Runs are ordered as they are evaluated: by score, equal scores by document id, both falling,
    or as `ranking` has it. `run_format` and `passages` are those of `Options`, `columns` its
    `own_columns`;
    `excluded` documents are left out before.
    """
    ranking = ranking or RankingRule()
    layout = run_layout(
        run_format, by_rank=ranking.ties == "rank", columns=columns, passages=passages
    )
    work = partial(_first_rows, depth=depth, ranking=ranking, excluded=excluded)
    threads = threads or workers.default_threads()
    for run in runs:
        refuse_saved_scores(run)
    read = [map_topics_or_nothing(run, layout, work, threads) for run in runs]
    if not any(each.results for each in read):
        raise InputError([Problem("the runs", None, NO_DOCUMENTS, "none retrieved anything")])
    pool = _join_runs([_join_parts(each.results) for each in read])
    notices = [notice for each in read for notice in each.notices if not notice.is_note]
    return replace(pool, warnings=tuple(notices))


def unique_documents(pool: Pool) -> list[int]:
    """How many documents each run alone brought."""
    alone = pool.sole_run
    count: list[int] = np.bincount(alone[alone >= 0], minlength=pool.num_runs).tolist()
    return count


class _Retrieved(NamedTuple):
    """Documents of some topics of a run, in any order, with their ranks.

    `num_excluded` is how many were left out before ranks were counted.
    """

    topics: list[bytes]
    topic: Ints
    docs: Ids
    rank: Ints
    num_excluded: int


def _first_rows(
    rows: Rows, depth: int | None, ranking: RankingRule, excluded: ExcludedDocuments | None = None
) -> _Retrieved:
    """The first documents of some whole topics."""
    index_pairs_refusing_duplicates(rows, rows.topic_of_row, len(rows.topics))
    num_rows = len(rows.docs)
    rows = rows if excluded is None else excluded.kept_rows(rows)
    rank = ranks_of_rows(rows, ranking)
    kept = np.flatnonzero(rank <= depth) if depth is not None else np.arange(len(rank))
    docs = rows.docs.take(kept).compact()
    num_excluded = num_rows - len(rows.docs)
    return _Retrieved(rows.topics, rows.topic_of_row[kept], docs, rank[kept], num_excluded)


def _join_parts(parts: Sequence[_Retrieved]) -> _Retrieved:
    """A run's parts as one: they share no topic. Of a run of nothing there is none."""
    if not parts:
        return _Retrieved([], np.zeros(0, np.int64), ids_from_bytes([]), np.zeros(0, np.int64), 0)
    base = offsets([len(part.topics) for part in parts])
    return _Retrieved(
        [topic for part in parts for topic in part.topics],
        np.concatenate([part.topic + at for part, at in zip(parts, base, strict=False)]),
        concatenate_ids([part.docs for part in parts]),
        np.concatenate([part.rank for part in parts]),
        sum(part.num_excluded for part in parts),
    )


def _join_runs(runs: Sequence[_Retrieved]) -> Pool:
    topics = tuple(sorted({topic for run in runs for topic in run.topics}))
    number = {topic: place for place, topic in enumerate(topics)}
    numbers = [np.array([number[topic] for topic in run.topics], np.int64) for run in runs]
    topic = np.concatenate([of[run.topic] for of, run in zip(numbers, runs, strict=True)])
    run_of = np.repeat(np.arange(len(runs)), [len(run.docs) for run in runs])
    rank = np.concatenate([run.rank for run in runs])

    code, names = concatenate_ids([run.docs for run in runs]).codes()
    place = np.empty(len(names), np.int64)
    by_id = byte_order(names)
    place[by_id] = np.arange(len(names))
    document = topic * max(len(names), 1) + place[code]
    order = np.lexsort((run_of, document))
    document, run_of, rank, topic = document[order], run_of[order], rank[order], topic[order]
    start = run_starts(document)
    first = start[:-1]
    docs = ids_from_bytes(names).take(by_id[document[first] % len(names)])
    best = np.minimum.reduceat(rank, first)
    num_excluded = [run.num_excluded for run in runs]
    return Pool(len(runs), topics, topic[first], docs, best, start, run_of, rank, num_excluded)
