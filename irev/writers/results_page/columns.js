// The columns of the table of runs: what they are sorted by, and what they show.

/** @returns {Column[]} */
function columnsOf() {
  const isTestedNow = isTested(chosen.measure, chosen.baseline);
  /** @type {(Column | false)[]} */
  const columns = [
    numRuns > 1 && placeColumn(),
    hasPairs(chosen.measure) && placesColumn(),
    runColumn(),
    plotColumn(),
    ...results.measures.map((_, measure) => measureColumn(measure)),
    results.means[chosen.measure].some(([, low]) => low !== null) && intervalColumn(),
    numRuns > 1 && differenceColumn(),
    isTestedNow && betweenColumn(),
    isTestedNow && pColumn(),
    numRuns > 1 && !!results.scores && winsColumn(),
    results.judged_at !== null && judgedColumn(),
    missingColumn(),
  ];
  return /** @type {Column[]} */ (columns.filter(Boolean));
}

/** @returns {Column} */
function placeColumn() {
  return {
    key: "place", head: words("place"), hint: `place by ${measureName(chosen.measure)}`, room: "medium",
    value: (run) => placeOf[chosen.measure][run],
    text: (run) => String(placeOf[chosen.measure][run]),
  };
}

/** @returns {Column} */
function placesColumn() {
  return {
    key: "places", head: words("places", { confidence: confidence() }),
    hint: "the places that the tests leave open, for all runs at once",
    room: results.kind === "board" ? "medium" : "more",
    value: (run) => openPlaces(chosen.measure, run)[0],
    text: (run) => openPlaces(chosen.measure, run).join("–"),
  };
}

/** @returns {Column} */
function runColumn() {
  return { key: "run", head: words("run"), value: (run) => shortName(run).toLowerCase(), text: shortName };
}

/** @returns {Column} */
function plotColumn() {
  return { key: "plot", head: "", value: () => null, text: () => "" };
}

/**
 * @param {number} measure
 * @returns {Column}
 */
function measureColumn(measure) {
  const { name: head, higher, about } = results.measures[measure];
  return {
    key: "m" + measure, head, measure, falling: higher, room: "other",
    hint: (about ? about + "; " : "") + "click to rank by it",
    value: (run) => meanOf(measure, run),
    text: (run) => rounded(meanOf(measure, run)),
  };
}

/** @returns {Column} */
function intervalColumn() {
  const means = results.means[chosen.measure];
  return {
    key: "interval", head: confidence() + " interval", room: "more", falling: true,
    hint: "of each mean, not simultaneous; whether two of them overlap says nothing about their difference",
    value: (run) => means[run][1],
    text: (run) => `${rounded(means[run][1])} to ${rounded(means[run][2])}`,
  };
}

/** @returns {Column} */
function differenceColumn() {
  const { measure, baseline } = chosen;
  /** @param {number} run */
  const value = (run) => meanOf(measure, run) - meanOf(measure, baseline);
  return {
    key: "difference", head: words("difference"), falling: true, value,
    hint: `mean of the run minus mean of ${shortName(baseline)}, ${measureName(measure)}`,
    text: (run) => (run === baseline ? "" : signed(value(run))),
  };
}

/** @param {number} run */
const fromBaseline = (run) => differenceFrom(chosen.measure, run, chosen.baseline);

/** The tests that hold while this baseline is chosen. */
const testsNow = () => familyOf(chosen.baseline) || results;

/** @returns {Column} */
function betweenColumn() {
  return {
    key: "between", head: "interval of difference", room: "more", falling: true, hint: testsNow().between,
    value: (run) => fromBaseline(run)?.low ?? null,
    text: (run) => {
      const difference = fromBaseline(run);
      return difference ? `${signed(difference.low)} to ${signed(difference.high)}` : "";
    },
  };
}

/** @returns {Column} */
function pColumn() {
  return {
    key: "p", head: words("p"), room: "medium", hint: testsNow().test,
    value: (run) => fromBaseline(run)?.p ?? null,
    text: (run) => pText(fromBaseline(run)?.p),
  };
}

/** @returns {Column} */
function winsColumn() {
  const { measure, baseline } = chosen;
  return {
    key: "wins", head: words("w/t/l"), room: "wide", falling: true,
    hint: "topics on which the run is better than the baseline, equal, worse",
    value: (run) => {
      const [wins, , losses] = winsTiesLosses(measure, run, baseline);
      return run === baseline ? null : wins - losses;
    },
    text: (run) => (run === baseline ? "" : winsTiesLosses(measure, run, baseline).join("/")),
  };
}

/** @returns {Column} */
function judgedColumn() {
  return {
    key: "judged", head: words("judged", { rank: results.judged_at ?? 0 }), room: "medium", falling: true,
    hint: "mean share of the first documents that are judged",
    value: (run) => results.runs[run].judged,
    text: (run) => percent(results.runs[run].judged),
  };
}

/** @returns {Column} */
function missingColumn() {
  return {
    key: "missing", head: "missing", room: "more", falling: true,
    hint: "judged topics that count as 0, since the run lacks them",
    value: (run) => results.runs[run].missing.length,
    text: (run) => String(results.runs[run].missing.length),
  };
}
