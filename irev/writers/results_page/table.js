// The table of runs: its columns, and its rows, which are drawn once and then only put into another order.

// --- The columns of the table of runs: what they are sorted by, and what they show ---

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
    key: "place", head: words("place"), hint: `place by ${measureName(chosen.measure)}`,
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

// --- One table for all measures. Rows are drawn once and then only put into another order ---

/** @typedef {{row: HTMLTableRowElement, radio: HTMLInputElement, label: HTMLButtonElement}} DrawnRow */

/** @type {Map<number, DrawnRow>} */
let drawnRows = new Map();

/** The parts of the table that stay. */
function buildTable() {
  drawnRows = new Map();
  measuredFor = "";
  return html("div", { class: "board", id: "board" },
    html("table", { class: "runs", id: "table" }, html("caption", { class: "sr" }), html("thead"), html("tbody")));
}

const table = () => /** @type {HTMLTableElement} */ (byId("table"));

/**
 * Draw the table, or only its order.
 * @param {boolean} isReordered whether nothing but the order and the choice of rows changed
 */
function drawTable(isReordered) {
  const columns = columnsOf();
  const axis = plotAxis();
  const runs = rowsInOrder();
  const focused = document.activeElement;
  if (!isReordered) {
    drawHeads(columns, axis);
    range(numRuns).forEach((run) => drawRow(run, columns, axis));
  }
  markSorted(columns);
  const rows = runs.map((run) => /** @type {DrawnRow} */ (drawnRows.get(run)).row);
  table().tBodies[0].replaceChildren(...rows, ...(rows.length ? [] : [emptyRow(columns.length + 1)]));
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
  byId("shown").textContent = runs.length < numRuns ? `${runs.length} of ${numRuns} runs shown` : "";
  if (!isReordered) {
    table().className = "runs" + (chosen.all ? " all" : "") + (numRuns > 24 ? " dense" : "");
    fitTable();
    drawNotes();
  }
}

/**
 * @param {Column[]} columns
 * @param {Axis} axis
 */
function drawHeads(columns, axis) {
  const head = /** @type {HTMLTableSectionElement} */ (table().tHead);
  const focused = head.contains(document.activeElement) && document.activeElement?.closest("th")?.dataset.key;
  const cells = columns.map((column) => {
    if (column.key === "plot") {
      return html("th", { scope: "col", class: "plot", "data-key": "plot" }, html("span", { class: "sub" }, plotTitle()), axisFigure(axis));
    }
    const attributes = { "data-key": column.key, title: column.hint, class: classOf(column) };
    return sortHead(breakableHead(column.head), attributes, null, () => sortBy(column));
  });
  const circle = html("th", { scope: "col", class: "circle", title: "compare with this run" },
    html("span", { class: "sr" }, words("baseline")), html("span", { "aria-hidden": "true" }, "vs"));
  head.replaceChildren(html("tr", {}, numRuns > 1 && circle, cells));
  if (focused) /** @type {HTMLElement | null} */ (head.querySelector(`[data-key="${focused}"] button`))?.focus({ preventScroll: true });
}

/**
 * A name of a measure may be broken before its options and its cutoff.
 * @param {string} head
 */
const breakableHead = (head) => head.split(/(?=[(@])/).flatMap((part, i) => (i ? [html("wbr"), part] : [part]));

/**
 * Say by which column the rows are sorted.
 * @param {Column[]} columns
 */
function markSorted(columns) {
  for (const head of table().querySelectorAll("th")) {
    if (head.dataset.key === chosen.sort) head.setAttribute("aria-sort", chosen.falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  const by = columns.find(({ key }) => key === chosen.sort);
  const slots = { column: by ? by.head : "", baseline: shortName(chosen.baseline) };
  const caption = /** @type {HTMLTableCaptionElement} */ (table().caption);
  caption.textContent = words(numRuns > 1 ? "table_caption_baseline" : "table_caption", slots);
}

/** @param {Column} column */
function classOf(column) {
  const { key, room, measure } = column;
  if (measure !== undefined) return measure === chosen.measure ? "chosen" : "other";
  return key === "run" ? "text" : room || "";
}

/**
 * A second click turns the order round.
 * @param {Column} column
 */
function sortBy(column) {
  const falling = chosen.sort === column.key ? !chosen.falling : !!column.falling;
  /** @type {Partial<Choices>} */
  const changes = { sort: column.key, falling };
  if (column.measure !== undefined) changes.measure = column.measure;
  choose(changes, `sorted by ${column.head}, ${falling ? "falling" : "rising"}`);
}

/**
 * @param {number} run
 * @param {Column[]} columns
 * @param {Axis} axis
 */
function drawRow(run, columns, axis) {
  const drawn = drawnRows.get(run) || newRow(run);
  const { row, radio, label } = drawn;
  const isBaseline = run === chosen.baseline && numRuns > 1;
  const isHighlighted = run === chosen.run && numRuns > 1;
  radio.checked = isBaseline;
  label.setAttribute("aria-pressed", String(isHighlighted));
  row.className = (isBaseline ? "base " : "") + (isHighlighted ? "highlighted" : "");
  const cells = columns.map((column) => {
    if (column.key === "run") return nameCell(run, label, isBaseline);
    if (column.key === "plot") return html("td", { class: "plot" }, rowPlot(run, axis));
    return valueCell(run, column);
  });
  row.replaceChildren(...nodesOf([numRuns > 1 && html("td", { class: "circle" }, radio), cells]));
}

/**
 * @param {number} run
 * @returns {DrawnRow}
 */
function newRow(run) {
  const hint = { name: "baseline", "aria-label": `compare with ${shortName(run)}` };
  const radio = html("input", { type: "radio", ...hint, onchange: () => chooseBaseline(run) });
  const label = button(null, () => chooseRun(run), { class: "name", title: fullName(run) });
  const drawn = { row: html("tr", { id: "run-" + run }), radio, label };
  drawnRows.set(run, drawn);
  return drawn;
}

/**
 * @param {number} run
 * @param {HTMLButtonElement} label
 * @param {boolean} isBaseline
 */
function nameCell(run, label, isBaseline) {
  const isNarrow = innerWidth < 700;
  label.replaceChildren(...nodesOf(breakable(isNarrow ? fitted(shortName(run), 230, 13, 650) : shortName(run))));
  const { team } = results.runs[run];
  return html("th", { scope: "row", class: "text" }, label,
    team && [" ", html("span", { class: "team" }, team)],
    isBaseline && [" ", html("span", { class: "tag" }, words("baseline"))]);
}

/**
 * @param {number} run
 * @param {Column} column
 */
function valueCell(run, column) {
  const cell = html("td", { class: classOf(column) }, column.text(run));
  const { key, measure } = column;
  if (measure !== undefined && numRuns > 1 && meanOf(measure, run) === meanOf(measure, ranked[measure][0])) {
    cell.classList.add("best");
    cell.title = results.measures[measure].sum ? "best sum" : "best mean";
  }
  const difference = key === "difference" ? fromBaseline(run) : null;
  if (difference) {
    const mark = difference.verdict > 0 ? "▲" : difference.verdict < 0 ? "▼" : "·";
    cell.append(" ", html("span", { class: verdictClass(difference), "aria-hidden": "true" }, mark),
      html("span", { class: "sr" }, ", " + verdictText(difference)));
  }
  const { judged, missing } = results.runs[run];
  if (key === "places" && openPlaces(chosen.measure, run)[0] === 1) cell.classList.add("tied");
  if ((key === "judged" && judged !== null && +rounded(100 * judged, 0) < 90) || (key === "missing" && missing.length)) cell.classList.add("doubtful");
  return cell;
}

/** @param {number} width */
function emptyRow(width) {
  const showAll = button("Show all runs", () => choose({ q: "", team: "" }, "all runs are shown"), { class: "button" });
  return html("tr", {}, html("td", { class: "text empty", colspan: width }, "No run matches. ", showAll));
}

/** What the width of the names depends on, when it was measured, and how wide they were then. */
let measuredFor = "";
let nameWidth = "";

/** The column of names is as wide as the longest one, if the plot keeps a fifth of the table. */
function fitTable() {
  const board = byId("board");
  const head = /** @type {HTMLElement} */ (table().querySelector("thead .text"));
  const reasons = [chosen.part, innerWidth, chosen.measure, chosen.show, chosen.all, isTested(chosen.measure, chosen.baseline)];
  if (reasons.join() !== measuredFor) {
    measuredFor = reasons.join();
    board.classList.remove("narrow", "scrolls");
    // heads are broken, then the table scrolls
    for (const measure of ["narrow", "scrolls"]) {
      nameWidth = innerWidth > 700 ? roomForNames(board, head) + "px" : "";
      head.style.minWidth = nameWidth;
      if (table().scrollWidth > board.clientWidth + 1) board.classList.add(measure);
    }
  }
  head.style.minWidth = nameWidth;
  thinAxis();
}

/**
 * @param {HTMLElement} board
 * @param {HTMLElement} head
 */
function roomForNames(board, head) {
  const plot = /** @type {HTMLElement} */ (table().querySelector("thead .plot"));
  const size = numRuns > 24 ? 14 : 15;
  const tag = numRuns > 1 ? 74 : 0;
  const lengths = results.runs.map(({ short, team }) => widthOf(short, size, 650) + (team ? widthOf(team, 13) + 14 : 0) + tag);
  const others = table().scrollWidth - head.offsetWidth - plot.offsetWidth;
  const room = board.clientWidth - others - Math.max(210, board.clientWidth * 0.19);
  return Math.round(Math.min(Math.max(80, ...lengths) + 22, Math.max(220, room)));
}

/** What the tests are, what the marks mean, and who chose the baseline. */
function drawNotes() {
  const { measure, baseline } = chosen;
  const isShown = isTested(measure, baseline);
  const { test, between } = testsNow();
  const slots = { baseline: shortName(baseline), measure: measureName(0) };
  const notes = [
    isShown && test,
    isShown && between,
    isShown && words("marks", { alpha: results.alpha }),
    hasPairs(measure) && results.kind === "board" && words("tied"),
    isShown && results.baseline === null && baseline === ranked[0][0] && words("no_baseline", slots),
  ];
  byId("notes").replaceChildren(...nodesOf(notes.map((note) => note && html("p", {}, breakableText(note)))));
}
