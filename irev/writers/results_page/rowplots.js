// The plot in the rows of the table, and the controls above it.

// --- The plot that stands in the rows of the table: means or differences, with intervals ---

/**
 * What a run's row shows: a point, its interval and how it stands to the baseline.
 * @param {number} run
 * @returns {{at: number, low: number | null, high: number | null, verdict: string}}
 */
function rowMark(run) {
  const { measure, baseline } = chosen;
  const difference = fromBaseline(run);
  const isAlone = run === baseline || numRuns === 1;
  const verdict = isAlone ? "self" : difference ? verdictClass(difference) : "neither";
  const [mean, low, high] = results.means[measure][run];
  if (chosen.show === "means") return { at: mean, low, high, verdict };
  const at = mean - meanOf(measure, baseline);
  return { at, low: difference && difference.low, high: difference && difference.high, verdict };
}

/** The axis that all rows share. */
function plotAxis() {
  const ends = range(numRuns).flatMap((run) => {
    const { at, low, high } = rowMark(run);
    return [at, low ?? at, high ?? at].filter(Number.isFinite);
  });
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (chosen.show === "differences") [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  return linearAxis(low, high, 5);
}

/** What the plot shows, in a few words. */
function plotTitle() {
  const { measure, baseline } = chosen;
  if (chosen.show === "differences") {
    return isTested(measure, baseline) ? "difference with its interval" : "difference";
  }
  const hasIntervals = results.means[measure].some(([, low]) => low !== null);
  if (results.measures[measure].sum) return "sum";
  return words(hasIntervals ? "mean_interval_plot" : "mean_plot", { confidence: confidence() });
}

/**
 * @param {Axis} axis
 * @param {number} value
 */
const percentOn = (axis, value) => (3 + 94 * axis.at(value)).toFixed(2) + "%";

/**
 * @param {Axis} axis
 * @param {number} value
 * @param {string} kind
 */
function upright(axis, value, kind) {
  const x = percentOn(axis, value);
  return shape("line", { class: kind, x1: x, x2: x, y1: "-30%", y2: "130%" });
}

/**
 * @param {number} run
 * @param {Axis} axis
 */
function rowPlot(run, axis) {
  const { at, low, high, verdict } = rowMark(run);
  const reference = chosen.show === "means" ? meanOf(chosen.measure, chosen.baseline) : 0;
  const hasInterval = low !== null && high !== null;
  return shape("svg", { "aria-hidden": "true" },
    axis.ticks.map((tick) => upright(axis, tick, "grid")),
    numRuns > 1 && upright(axis, reference, "rule"),
    shape("g", { class: verdict },
      hasInterval && shape("line", { class: "bar", x1: percentOn(axis, low), x2: percentOn(axis, high), y1: "50%", y2: "50%" }),
      shape("circle", { class: "dot", r: 4.25, cx: percentOn(axis, at), cy: "50%" })));
}

/** @param {Axis} axis */
function axisFigure(axis) {
  const label = `axis from ${axis.label(axis.low)} to ${axis.label(axis.high)}`;
  return shape("svg", { role: "img", "aria-label": label }, axis.ticks.map((tick) =>
    shape("text", { class: "axis", x: percentOn(axis, tick), y: "85%", "text-anchor": "middle" }, axis.label(tick))));
}

/** Leave labels out where they would touch. */
function thinAxis() {
  const svg = /** @type {SVGSVGElement} */ (table().querySelector("thead .plot svg"));
  const texts = [...svg.querySelectorAll("text")];
  const step = (svg.clientWidth * 0.94) / (texts.length - 1);
  const every = labelEvery(texts.length, step, widestOf(texts.map((text) => text.textContent || ""), 11) + 8);
  texts.forEach((text, i) => text.classList.toggle("unlabelled", i % every > 0));
}

/** The plot as a figure of its own, with names and an axis. */
function plotFigure() {
  const runs = rowsInOrder();
  const axis = plotAxis();
  const left = Math.ceil(Math.min(340, widestOf(runs.map(shortName)))) + 16;
  const [plotWidth, rowHeight] = [440, 22];
  const [width, height] = [left + plotWidth + 40, runs.length * rowHeight];
  /** @param {number} value */
  const x = (value) => left + 10 + plotWidth * axis.at(value);
  const title = `${measureName(chosen.measure)}: ${plotTitle()}` + (chosen.show === "means" ? "" : `, from ${shortName(chosen.baseline)}`);
  const reference = chosen.show === "means" ? meanOf(chosen.measure, chosen.baseline) : 0;
  const rows = runs.map((run, row) => {
    const { at, low, high, verdict } = rowMark(run);
    const y = 4 + (row + 0.5) * rowHeight;
    return shape("g", { class: verdict },
      shape("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, fitted(shortName(run), left - 12), shape("title", {}, fullName(run))),
      low !== null && high !== null && shape("path", { class: "bar", d: `M${x(low)} ${y}H${x(high)}` }),
      shape("circle", { class: "dot", r: 4.25, cx: x(at), cy: y }));
  });
  const every = labelEvery(axis.ticks.length, plotWidth / (axis.ticks.length - 1), widestOf(axis.ticks.map(axis.label), 11) + 8);
  const ticks = axis.ticks.map((tick, i) => [
    shape("path", { class: "grid", d: `M${x(tick)} 4V${height + 4}` }),
    i % every === 0 && shape("text", { class: "axis", x: x(tick), y: height + 20, "text-anchor": "middle" }, axis.label(tick)),
  ]);
  return figure(width, height + 50, title, ticks,
    numRuns > 1 && shape("path", { class: "rule", d: `M${x(reference)} 4V${height + 4}` }), rows,
    shape("text", { class: "axis", x: width / 2, y: height + 40, "text-anchor": "middle" }, fitted(title, width - 16, 11)));
}

// --- What is chosen above the table: measure, baseline, what the plot shows, search, team, columns ---

/** The parts of the data, chosen above the answer; null where there is one. */
function partControl() {
  if (data.parts.length === 1) return null;
  /** @type {[string, string][]} */
  const options = data.parts.map(({ name: label }, part) => [String(part), label]);
  const letters = options.reduce((sum, [, label]) => sum + label.length + 4, 0);
  const control = (letters > 90 ? picker : toggle)("pick-part", "Part", options, (part) => openPart(+part));
  return html("div", { class: "controls parts" }, control);
}

/** The controls of the table. */
function tableControls() {
  const teams = [...new Set(results.runs.map(({ team }) => team).filter(Boolean))].sort();
  const hasDifferences = numRuns > 1;
  /** @type {[number, string][]} */
  const measures = results.measures.map(({ name: label }, measure) => [measure, label]);
  /** @param {Event} event */
  const search = (event) => choose({ q: /** @type {HTMLInputElement} */ (event.target).value });
  return html("div", { class: "controls" },
    measures.length > 1 && picker("pick-measure", "Measure", measures, (value) => chooseMeasure(+value)),
    numRuns > 1 && picker("pick-baseline", "Compare with", runsAsGiven().map((run) => [run, shortName(run)]), (run) => chooseBaseline(+run)),
    hasDifferences && toggle("pick-show", "Show", [["means", "means"], ["differences", "differences"]],
      (show) => choose({ show }, `showing ${show}`)),
    numRuns > 4 && html("label", {}, "Search runs", html("input", { type: "search", id: "pick-q", oninput: search })),
    teams.length > 1 && picker("pick-team", "Team", [["", `all ${teams.length}`], ...teams.map((team) => /** @type {[string, string]} */ ([team, team]))],
      (team) => choose({ team }, team ? `runs of ${team}` : "runs of all teams")),
    button("More columns", () => choose({ all: !chosen.all }), { class: "button", id: "pick-all" }),
    html("div", { class: "end" }, menu("Download", downloads())));
}

/** Let all controls show what is chosen. */
function syncControls() {
  /** @type {[string, string | number][]} */
  const values = [
    ["pick-measure", chosen.measure], ["pick-baseline", chosen.baseline], ["pick-team", chosen.team], ["pick-q", chosen.q],
    ["pick-order", chosen.order], ["pick-topic", chosen.topic ?? ""], ["pick-run", chosen.run ?? ""], ["pick-part", chosen.part],
  ];
  for (const [id, value] of values) {
    const control = /** @type {HTMLSelectElement | null} */ (document.getElementById(id));
    if (control && control.value !== String(value)) control.value = String(value);
  }
  checkToggle("pick-show", chosen.show);
  checkToggle("pick-part", String(chosen.part));
  const all = byId("pick-all");
  all.setAttribute("aria-pressed", String(chosen.all));
  all.textContent = chosen.all ? "Fewer columns" : "More columns";
}

/**
 * @param {string} id
 * @param {string} value
 */
function checkToggle(id, value) {
  for (const input of byId("page").querySelectorAll("input")) {
    if (input.name === id) input.checked = input.value === value;
  }
}
