// Which runs are shown to be better than which: row against column.

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
  const title = `Which runs are shown to be better than which, under ${measureName(measure)}`;
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
  const relation = verdict > 0 ? "is shown to be better than" : verdict < 0 ? "is shown to be worse than" : "is not shown to differ from";
  showHint(event, html("b", {}, shortName(pair[0])), `${relation} ${shortName(pair[1])}`,
    `${signed(difference.difference)} [${signed(low)}, ${signed(high)}], p ${pText(p)}`);
}
