// All pairs of runs, a measure by rank, and what a reader can take away: tables, data, figures as files.

// --- Which runs are significantly better than which: row against column ---

/** @type {{runs: number[], label: number, cell: number} | null} */
let drawnPairs = null;
const PAIRS_TOP = 18;

/** The figure, which listens to the pointer. */
function buildPairs() {
  const box = html("div", { class: "figure pointed", id: "pairs" });
  box.addEventListener("mousemove", (event) => hintAtPair(event));
  box.addEventListener("mouseleave", () => showHint());
  box.addEventListener("click", (event) => {
    const pair = pairAt(event);
    if (pair) choose({ run: pair[0], baseline: pair[1] }, `${shortName(pair[0])} compared with ${shortName(pair[1])}`);
  });
  return box;
}

/** Draw all pairs under the measure that is chosen. */
function drawPairs() {
  const box = document.getElementById("pairs");
  const section = document.getElementById("all-pairs-section");
  if (!box || !section) return;
  const { measure } = chosen;
  section.hidden = !hasPairs(measure);
  if (section.hidden) return;
  const matching = new Set(numRuns > MOST_RUNS_IN_PAIRS ? matchingRuns() : range(numRuns));
  const runs = ranked[measure].filter((run) => matching.has(run));
  const isDrawn = runs.length >= 2 && runs.length <= MOST_RUNS_IN_PAIRS;
  byId("pairs-legend").hidden = !isDrawn;
  if (!isDrawn) {
    drawnPairs = null;
    box.replaceChildren(html("p", { class: "soft" }, words("too_many_pairs", { runs: runs.length, most: MOST_RUNS_IN_PAIRS })));
    return;
  }
  const width = Math.max(240, box.clientWidth - 4);
  const isLarge = runs.length > 24;
  const size = runs.length > 20 ? 11 : 12;
  const longest = widestOf(runs.map(shortName), size, 650);
  const label = Math.ceil(Math.min(longest, width * 0.36)) + 34;
  const cell = Math.max(11, Math.min(isLarge ? 15 : 26, (width - label - 4) / runs.length));
  drawnPairs = { runs, label, cell };
  const title = `Which runs are significantly better than which, under ${measureName(measure)}`;
  box.replaceChildren(figure(label + runs.length * cell + 2, runs.length * cell + PAIRS_TOP + 2, title, pairCells(), pairNames(size)));
}

function pairCells() {
  const { runs, label, cell } = /** @type {NonNullable<typeof drawnPairs>} */ (drawnPairs);
  /** @type {Record<string, string[]>} */
  const paths = { neither: [], better: [], worse: [] };
  const side = (cell - 1).toFixed(1);
  runs.forEach((run, row) => runs.forEach((other, column) => {
    const pair = differenceFrom(chosen.measure, run, other, true);
    if (!pair) return;
    const [x, y] = [label + column * cell, PAIRS_TOP + row * cell].map((value) => value.toFixed(1));
    paths[verdictClass(pair)].push(`M${x} ${y}h${side}v${side}h-${side}z`);
  }));
  return [
    shape("path", { class: "d4", d: paths.neither.join("") }),
    shape("path", { class: "d7", d: paths.better.join("") }),
    shape("path", { class: "d2", d: paths.worse.join("") }),
  ];
}

/** @param {number} size */
function pairNames(size) {
  const { runs, label, cell } = /** @type {NonNullable<typeof drawnPairs>} */ (drawnPairs);
  const every = Math.ceil(17 / cell);
  const height = Math.min(size, cell);
  return runs.map((run, i) => {
    const kind = run === chosen.baseline ? "strong" : run === chosen.run ? "hot" : null;
    const middle = (i + 0.5) * cell;
    return [
      shape("text", { x: label - 26, y: PAIRS_TOP + middle + height * 0.35, "text-anchor": "end", class: kind, "font-size": height },
        fitted(shortName(run), label - 32, height, 650), shape("title", {}, fullName(run))),
      i % every === 0 && shape("text", { class: "axis", x: label - 6, y: PAIRS_TOP + middle + 4, "text-anchor": "end" }, String(i + 1)),
      i % every === 0 && shape("text", { class: "axis", x: label + middle, y: 11, "text-anchor": "middle" }, String(i + 1)),
    ];
  });
}

/**
 * @param {MouseEvent} event
 * @returns {[number, number] | null} the run of the row and that of the column
 */
function pairAt(event) {
  const svg = byId("pairs").firstElementChild;
  if (!svg || !drawnPairs) return null;
  const box = svg.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - drawnPairs.label) / drawnPairs.cell);
  const row = Math.floor((event.clientY - box.top - PAIRS_TOP) / drawnPairs.cell);
  const most = drawnPairs.runs.length;
  if (row < 0 || column < 0 || row >= most || column >= most || row === column) return null;
  return [drawnPairs.runs[row], drawnPairs.runs[column]];
}

/** @param {MouseEvent} event */
function hintAtPair(event) {
  const pair = pairAt(event);
  const difference = pair && differenceFrom(chosen.measure, pair[0], pair[1], true);
  if (!pair || !difference) {
    showHint();
    return;
  }
  const { verdict, low, high, p } = difference;
  const relation = verdict > 0 ? "is significantly better than" : verdict < 0 ? "is significantly worse than" : "does not differ significantly from";
  showHint(event, html("b", {}, shortName(pair[0])), `${relation} ${shortName(pair[1])}`,
    `${signed(difference.difference)} [${signed(low)}, ${signed(high)}], p ${pText(p)}`);
}

// --- A measure by rank, as curves over a logarithmic axis ---

/** So many curves have a colour of their own. */
const COLOURS = 8;

/**
 * The colours of runs by their numbers: in the order as given, whichever measure is chosen, and no two alike.
 * @param {number[]} runs
 */
function coloursOf(runs) {
  /** @type {Map<number, number>} */
  const colours = new Map();
  for (const run of [...runs].sort((a, b) => results.runs[a].given - results.runs[b].given)) {
    let colour = results.runs[run].given % COLOURS;
    while ([...colours.values()].includes(colour)) colour = (colour + 1) % COLOURS;
    colours.set(run, colour);
  }
  return colours;
}

/** Draw the curves; of many runs the best, the highlighted and the baseline are told apart. */
function drawCurves() {
  const box = document.getElementById("curves");
  const { curves } = results;
  if (!box || !curves) return;
  const { ranks, values } = curves;
  const isFew = numRuns <= COLOURS;
  const order = ranked[chosen.measure];
  const apart = [order[0], chosen.run, chosen.baseline].filter((run) => run !== null);
  const named = isFew ? order : [...new Set(apart)];
  const width = Math.max(260, Math.min(820, box.clientWidth - 4));
  const height = Math.max(300, Math.min(430, width * 0.6));
  const bottom = height - 40;
  const left = 40;
  const right = width - Math.min(widestOf(named.map(shortName), 12, 650) + 16, width * 0.36);
  const colours = coloursOf(named);
  const axis = linearAxis(0, Math.max(0.05, ...values.flat().map(Number)), 5);
  const lastRank = ranks[ranks.length - 1];
  /** @param {number} rank */
  const x = (rank) => left + (right - left) * (lastRank > 1 ? Math.log(rank) / Math.log(lastRank) : 0.5);
  /** @param {number} value */
  const y = (value) => 8 + (bottom - 8) * (1 - axis.at(value));
  /** @param {number} run */
  const numRanks = (run) => values[run].filter((value) => value !== null).length;
  /** @param {number} run */
  const line = (run) => "M" + values[run].slice(0, numRanks(run)).map((value, i) => `${x(ranks[i]).toFixed(1)} ${y(value ?? 0).toFixed(1)}`).join("L");
  /**
   * @param {number} run
   * @returns {[number, number]}
   */
  const endOf = (run) => [x(ranks[numRanks(run) - 1]), y(values[run][numRanks(run) - 1] ?? 0)];
  const others = range(numRuns).filter((run) => !named.includes(run));
  const title = `${curves.title} of ${counted(numRuns, "run")}`;
  box.replaceChildren(figure(width, height, title,
    axis.ticks.map((tick) => [
      shape("path", { class: "grid", d: `M${left} ${y(tick).toFixed(1)}H${right}` }),
      shape("text", { class: "axis", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, axis.label(tick)),
    ]),
    rankTicks(ranks, x).map((rank) => shape("text", { class: "axis", x: x(rank), y: bottom + 17, "text-anchor": "middle" }, String(rank))),
    shape("text", { class: "axis", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, "rank (logarithmic)"),
    others.map((run) => shape("path", { class: "curve", d: line(run) }, shape("title", {}, fullName(run)))),
    [...named].reverse().map((run) => shape("path", { class: "curve on c" + colours.get(run), d: line(run) }, shape("title", {}, fullName(run)))),
    curveNames(named, colours, endOf, right, bottom, width)));
  byId("curves-note").replaceChildren(...nodesOf(isFew ? [] : [
    `In colour: the best run${chosen.run === null ? " and the baseline" : ", the baseline and the highlighted run"}; the others are grey. `,
    chosen.run === null && html("span", { class: "hint" }, "Click a name in the table to add its run."),
  ]));
}

/**
 * Ranks whose labels do not touch.
 * @param {number[]} ranks
 * @param {(rank: number) => number} x
 */
function rankTicks(ranks, x) {
  let last = -Infinity;
  return ranks.filter((rank) => {
    const fits = x(rank) - last >= widthOf(String(rank), 11) + 8;
    if (fits) last = x(rank);
    return fits;
  });
}

/**
 * Names at the lines' ends, moved apart where they would touch.
 * @param {number[]} runs
 * @param {Map<number, number>} colours
 * @param {(run: number) => [number, number]} endOf where a run's line ends
 * @param {number} right
 * @param {number} bottom
 * @param {number} width
 */
function curveNames(runs, colours, endOf, right, bottom, width) {
  const order = [...runs].sort((a, b) => endOf(a)[1] - endOf(b)[1]);
  const places = spreadOut(order.map((run) => endOf(run)[1]), 14, bottom);
  return order.map((run, at) => [
    shape("path", { class: (endOf(run)[0] < right ? "lead far c" : "lead c") + colours.get(run), d: `M${endOf(run).map((place) => place.toFixed(1)).join(" ")}L${right + 8} ${places[at].toFixed(1)}` }),
    shape("text", { x: right + 11, y: places[at] + 4 }, fitted(shortName(run), width - right - 12),
      shape("title", {}, fullName(run))),
  ]);
}

// --- What a reader can take away: tables as CSV, all data as JSON. Figures are in figurefiles.js ---

/** @returns {[string, () => void][]} the entries of the menu */
function downloads() {
  /** @type {([string, () => void] | false)[]} */
  const entries = [
    ["The table (CSV)", () => saveFile("table.csv", "text/csv", tableCsv())],
    !!results.scores && ["Scores by topic (CSV)", () => saveFile("topics.csv", "text/csv", topicCsv())],
    hasSomePairs() && ["All pairs (CSV)", () => saveFile("pairs.csv", "text/csv", pairCsv())],
    ["Means or differences (SVG)", () => saveFigure(plotFigure(), chosen.show)],
    hasHeatMap() && ["Runs by topics (SVG)", () => saveFigure(byId("heat").querySelector("svg"), "topics")],
    hasPairFigure() && numRuns <= MOST_RUNS_IN_PAIRS && ["All pairs (SVG)", () => saveFigure(byId("pairs").querySelector("svg"), "pairs")],
    !!results.curves && [`${results.curves.title} (SVG)`, () => saveFigure(byId("curves").querySelector("svg"), "curves")],
    ["All data of this page (JSON)", () => saveFile("data.json", "application/json", JSON.stringify(data))],
  ];
  return /** @type {[string, () => void][]} */ (entries.filter(Boolean));
}

/**
 * @param {string} file
 * @param {string} type
 * @param {string} text
 */
function saveFile(file, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = html("a", { href, download: "irev-" + file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** @typedef {string | number | null | undefined} CsvValue */

/** @param {CsvValue[][]} rows */
const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",") + "\n").join("");

/** @param {CsvValue} value */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "number" ? String(value) : spreadsheetSafe(value);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that is no formula and drives no terminal, as --csv-safe writes it.
 * @param {string} text
 */
function spreadsheetSafe(text) {
  const shown = text.replace(/[^\P{C}]|(?! )\p{Z}/gu, escapedCharacter);
  const isFormula = /^[=+\-@\t\r＝＋－＠]/.test(text);
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  return isFormula && !isNumber && text !== "-" ? "'" + shown : shown;
}

/** @param {string} character */
function escapedCharacter(character) {
  const code = character.codePointAt(0) || 0;
  const named = /** @type {Record<number, string>} */ ({ 9: "\\t", 10: "\\n", 13: "\\r" })[code];
  if (named) return named;
  const digits = code.toString(16);
  if (code < 0x80) return "\\x" + digits.padStart(2, "0");
  return code > 0xffff ? "\\U" + digits.padStart(8, "0") : "\\u" + digits.padStart(4, "0");
}

/** The runs as the table shows them, with more columns and digits. */
function tableCsv() {
  const { measure, baseline } = chosen;
  const heads = [
    "place", "run", "team", ...results.measures.flatMap(({ name: label }) => [label, `${label} low`, `${label} high`]),
    "measure", "baseline", "difference", "low", "high", "p", "test", "wins", "ties", "losses",
    results.judged_at === null ? "judged" : `judged@${results.judged_at}`, "missing topics",
  ];
  const rows = rowsInOrder().map((run) => {
    const difference = fromBaseline(run);
    const isOther = run !== baseline;
    const counts = isOther && results.scores ? winsTiesLosses(measure, run, baseline) : [null, null, null];
    return [
      placeOf[measure][run], fullName(run), results.runs[run].team, ...results.measures.flatMap((_, m) => results.means[m][run]),
      measureName(measure), numRuns > 1 ? fullName(baseline) : "",
      ...(isOther ? [trimmed(meanOf(measure, run) - meanOf(measure, baseline))] : [null]),
      ...(difference ? [trimmed(difference.low), trimmed(difference.high), difference.p, testsNow().test] : [null, null, null, ""]),
      ...counts, results.runs[run].judged, results.runs[run].missing.length,
    ];
  });
  return csvText([heads, ...rows]);
}

/**
 * A number without the noise of its last digits; nothing where it is unbounded.
 * @param {number} value
 */
const trimmed = (value) => (Number.isFinite(value) ? +value.toFixed(6) : null);

/** A row for each run and topic. */
function topicCsv() {
  const heads = ["run", "topic", "relevant", ...results.measures.map(({ name: label }) => label)];
  const rows = range(numRuns).flatMap((run) => range(numTopics).map((topic) => [
    fullName(run), topicId(topic), results.topics[topic].relevant,
    ...results.measures.map((_, measure) => (isMissing(measure, run, topic) ? null : scoreOf(measure, run, topic))),
  ]));
  return csvText([heads, ...rows]);
}

/** A row for each pair and measure that were tested. */
function pairCsv() {
  const rows = [];
  for (let measure = 0; measure < results.measures.length; measure++) {
    for (const [i, run] of ranked[measure].entries()) {
      for (const other of ranked[measure].slice(i + 1)) {
        const pair = differenceFrom(measure, run, other, true);
        if (!pair) continue;
        rows.push([
          measureName(measure), fullName(run), fullName(other), trimmed(pair.difference), trimmed(pair.low), trimmed(pair.high),
          pair.p, verdictText(pair), results.test,
        ]);
      }
    }
  }
  return csvText([["measure", "run", "against", "difference", "low", "high", "p", "verdict", "test"], ...rows]);
}

// --- Figures as SVG files: always in light colours, with attributes instead of styles, so that editors read them ---

const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray"];
const WRITTEN = ["fill", "font-size", "font-weight"];

/**
 * @param {SVGSVGElement | null} svg
 * @param {string} file
 */
function saveFigure(svg, file) {
  if (svg) saveFile(file + ".svg", "image/svg+xml", svgText(svg));
}

/**
 * What the style sheet says of a figure, written into it.
 * @param {SVGSVGElement} svg
 */
function svgText(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const hidden = html("div", { class: "sr" }, copy);
  document.body.append(hidden);
  document.documentElement.dataset.theme = "light";
  for (const part of copy.querySelectorAll("path, line, rect, circle, text")) {
    const style = getComputedStyle(part);
    const isText = part.tagName === "text";
    for (const property of isText ? WRITTEN : PAINTED) {
      const value = style.getPropertyValue(property);
      if (value && value !== "none" || property === "fill") part.setAttribute(property, value);
    }
    if (isText) part.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  }
  for (const part of copy.querySelectorAll("[class]")) part.removeAttribute("class");
  delete document.documentElement.dataset.theme;
  hidden.remove();
  copy.setAttribute("xmlns", SVG_NAMESPACE);
  return new XMLSerializer().serializeToString(copy);
}
