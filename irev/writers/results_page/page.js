// The page: its sections, what is drawn when, and the start.

/** Whether there are scores to show by topic. */
const hasHeatMap = () => !!results.scores && numTopics > 1;

const hasSomePairs = () => numRuns > 1 && results.pairs.some(Boolean);

/** Of more runs not all pairs are drawn. */
const MOST_RUNS_IN_PAIRS = 150;

const hasPairFigure = () => numRuns > 2 && hasSomePairs();

/** Whether all pairs take more than half of the page. */
const isPairFigureWide = () =>
  Math.min(numRuns, MOST_RUNS_IN_PAIRS) * 15 + Math.min(300, widestOf(results.runs.map(({ short }) => short))) + 60 > byId("page").clientWidth / 2;

/**
 * @param {string} id
 * @param {string} title
 * @param {...Child} children
 */
function section(id, title, ...children) {
  return html("section", { id: id + "-section", "aria-labelledby": id }, html("h2", { id }, title), ...children);
}

/** Make the elements of all sections that the results have something for. */
function buildPage() {
  document.title = [results.name, data.title].filter(Boolean).join(", ");
  byId("page").replaceChildren(...nodesOf([
    partControl(),
    html("div", { class: "answer", id: "answer" }),
    runsSection(),
    results.scores && topicsSection(),
    (hasPairFigure() || results.curves) && html("div", { class: isPairFigureWide() ? "two stacked" : "two" }, pairsSection(), curvesSection()),
    remarksSection(),
    madeSection(),
  ]));
  byId("page").lastElementChild?.classList.add("made");
}

function runsSection() {
  const hint = numRuns > 1
    ? ["Click a measure to rank by it, ", html("span", { class: "wide" }, "a circle to compare all runs with that one, "), "a name to highlight it in every figure."]
    : "Click a measure to see it everywhere.";
  return section("runs", words("runs"), html("p", { class: "soft hint" }, hint), tableControls(),
    buildTable(), html("p", { id: "shown", class: "soft", role: "status" }), html("div", { class: "notes", id: "notes" }));
}

function topicsSection() {
  if (!hasHeatMap()) return section("topics", words("topics"), html("div", { id: "topic" }));
  const hint = numRuns > 1
    ? "Runs in the order of the table. Click a cell, or use the arrow keys, to choose a topic and a run."
    : "Click a cell, or use the arrow keys, to choose a topic.";
  return section("topics", words("topics"), html("p", { class: "soft hint" }, hint), topicControls(),
    html("div", { class: "legend", id: "heat-legend" }), buildHeatMap(), html("div", { id: "topic" }), buildTopicTable());
}

function pairsSection() {
  if (!hasPairFigure()) return null;
  const legend = html("p", { class: "soft", id: "pairs-legend" }, "Row against column, numbered by place: ", html("span", { class: "better" }, "blue"),
    " the row is significantly better, ", html("span", { class: "worse" }, "orange"), " significantly worse, grey not significant. ",
    html("span", { class: "hint" }, "Click to compare."));
  return section("all-pairs", "All pairs", legend, buildPairs());
}

function curvesSection() {
  if (!results.curves) return null;
  return section("by-rank", results.curves.title, html("p", { class: "soft" }, results.curves.about + " ", html("span", { id: "curves-note" })), html("div", { class: "figure", id: "curves" }));
}

function remarksSection() {
  const { remarks = [], broken = [] } = results;
  if (!remarks.length && !broken.length) return null;
  const [heading, ...lines] = broken;
  return section("remarks", words("remarks"), remarks.length ? html("ul", {}, remarks.map((text) => html("li", {}, text))) : null,
    lines.length ? html("details", {}, html("summary", {}, heading), html("ul", {}, lines.map((line) => html("li", {}, line)))) : heading && html("p", {}, heading));
}

function madeSection() {
  const lines = results.made.map(([heading, text]) => [html("dt", {}, heading), madeText(heading, text)]);
  return html("section", { id: "made-section", "aria-labelledby": "made" },
    html("details", {}, html("summary", {}, html("h2", { id: "made" }, words("made"))), html("dl", {}, lines)),
    results.signature && html("p", {}, words("signature"), " ", html("code", {}, results.signature)));
}

/**
 * @param {string} heading
 * @param {string} text
 */
function madeText(heading, text) {
  const isCode = /^(signature|commands?)\b/.test(heading);
  return html("dd", {}, isCode ? html("code", {}, text) : text);
}

/**
 * Draw what changed: the answer and the table at once, the figures after them.
 * @param {Choices} [before] absent: everything is drawn
 */
function draw(before) {
  /** @type {(keyof Choices)[]} */
  const content = ["part", "measure", "baseline", "run", "show", "all"];
  const isReordered = !!before && content.every((key) => before[key] === chosen[key]);
  if (!isReordered) drawAnswer();
  syncControls();
  drawTable(isReordered);
  if (results.scores && (!before || !isReordered || before.topic !== chosen.topic)) drawTopic();
  drawSoon();
}

let waiting = 0;

/** Figures come after the next picture, so that a click is answered at once. */
function drawSoon() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => setTimeout(drawFigures));
}

function drawFigures() {
  if (hasHeatMap()) {
    drawHeatMap();
    drawTopicTable();
  }
  drawPairs();
  drawCurves();
}

/**
 * Show another part; the measure and the baseline stay if it has them.
 * @param {number} part
 */
function openPart(part) {
  const [measure, baseline] = [measureName(chosen.measure), fullName(chosen.baseline)];
  const hadBaseline = chosen.baseline !== initial.baseline;
  openResults(part);
  initial = firstChoices(0);
  chosen = { ...initial, part };
  const sameMeasure = codes.measure.read(measure);
  const sameBaseline = hadBaseline ? codes.baseline.read(baseline) : undefined;
  if (typeof sameMeasure === "number") chosen.measure = sameMeasure;
  if (typeof sameBaseline === "number") chosen.baseline = sameBaseline;
  chosen.sort = "m" + chosen.measure;
  chosen.falling = results.measures[chosen.measure].higher;
  if (numTopics === 1) chosen.topic = 0;
  buildPage();
  draw();
  writeLink();
  const control = byId("pick-part");
  ([...control.querySelectorAll("input")].find((input) => input.checked) || control).focus();
  announce(`${results.name}: ${counted(numRuns, "run")}`);
}

/** Take the choices from the address and draw all of them. */
function openLink() {
  readLink();
  buildPage();
  draw();
  drawFigures();
  if (chosen.topic !== null && hasHeatMap()) byId("topic").scrollIntoView({ block: "nearest" });
}

byId("static").replaceWith(html("div", { id: "page" }), html("div", { id: "hint", role: "tooltip", hidden: true }),
  html("div", { id: "said", class: "sr", "aria-live": "polite" }));
openLink();

const skip = document.querySelector(".skip");
skip?.setAttribute("href", "#runs");
skip?.addEventListener("click", (event) => {
  // the address holds what is chosen
  event.preventDefault();
  table().querySelector("button")?.focus();
});

let drawnWidth = innerWidth;
addEventListener("hashchange", openLink);
addEventListener("resize", () => {
  if (innerWidth === drawnWidth) return;
  drawnWidth = innerWidth;
  draw();
});
