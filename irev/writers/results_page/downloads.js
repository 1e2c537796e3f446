// What a reader can take away: tables as CSV, all data as JSON. Figures are in figurefiles.js.

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
