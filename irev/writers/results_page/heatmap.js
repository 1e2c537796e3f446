// Topics in the order that is chosen, and runs against topics as a heat map.

// --- Topics in the order that is chosen, and the controls of their section ---

/**
 * What topics are ordered by, under the measure that is chosen.
 * @type {Record<string, (topic: number) => number>}
 */
const orderKeys = {
  mean: (topic) => -direction(chosen.measure) * scoresOn(topic).reduce((sum, score) => sum + score, 0),
  spread: (topic) => Math.min(...scoresOn(topic)) - Math.max(...scoresOn(topic)),
  difference: (topic) => -direction(chosen.measure) * gainOn(comparedRun(), topic),
  id: () => 0,
};

/**
 * The scores of all runs on a topic.
 * @param {number} topic
 */
const scoresOn = (topic) => range(numRuns).map((run) => scoreOf(chosen.measure, run, topic));

/**
 * How far a run is above the baseline on a topic.
 * @param {number} run
 * @param {number} topic
 */
const gainOn = (run, topic) => scoreOf(chosen.measure, run, topic) - scoreOf(chosen.measure, chosen.baseline, topic);

/** @returns {number[]} */
function topicsInOrder() {
  const keys = range(numTopics).map(orderKeys[chosen.order]);
  return range(numTopics).sort((a, b) => keys[a] - keys[b] || a - b);
}

/** Which order, which topic, which run. */
function topicControls() {
  /** @type {[string, string][]} */
  const orders = [["mean", "from easy to hard"], ["spread", "where runs differ most"], ["difference", "gain of the run over the baseline"], ["id", "by id"]];
  const usable = orders.filter(([key]) => numRuns > 1 || key === "mean" || key === "id");
  /** @type {[string | number, string][]} */
  const topics = [["", "choose …"], ...results.topics.map(({ id }, topic) => /** @type {[number, string]} */ ([topic, id]))];
  /** @type {[string | number, string][]} */
  const runs = [["", "choose …"], ...runsAsGiven().map((run) => /** @type {[number, string]} */ ([run, shortName(run)]))];
  return html("div", { class: "controls" },
    picker("pick-order", "Order of topics", usable, (order) => choose(order === "difference" ? { order, run: comparedRun() } : { order })),
    html("div", { class: "step" }, picker("pick-topic", "Topic", topics, (topic) => choose({ topic: topic === "" ? null : +topic })),
      button("←", () => stepTopic(-1), { class: "button", "aria-label": "previous topic" }),
      button("→", () => stepTopic(1), { class: "button", "aria-label": "next topic" })),
    numRuns > 1 && picker("pick-run", "Run", runs, (run) => {
      chooseRun(run === "" ? null : +run);
      syncControls();
    }));
}

/** @param {number} step */
function stepTopic(step) {
  const order = topicsInOrder();
  const at = chosen.topic === null ? (step > 0 ? -1 : 0) : order.indexOf(chosen.topic);
  const topic = order[(at + step + numTopics) % numTopics];
  choose({ topic }, `topic ${topicId(topic)}`);
}

// --- Runs against topics as a heat map of scores, or of differences from the baseline ---

/** @type {{runs: number[], topics: number[], label: number, cell: number, high: number} | null} */
let drawnHeat = null;

/** The section's figure, which listens to pointer and keys. */
function buildHeatMap() {
  const label = "Scores of runs by topic; arrow keys choose topic and run";
  const box = html("div", { class: "figure pointed", id: "heat", tabindex: "0", role: "group", "aria-label": label });
  box.addEventListener("mousemove", (event) => hintAtCell(event));
  box.addEventListener("mouseleave", () => showHint());
  box.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    const isRun = cell.run !== undefined && cell.run !== chosen.baseline;
    choose({ topic: cell.topic, ...(isRun ? { run: cell.run } : {}) }, `topic ${topicId(cell.topic)}`);
  });
  box.addEventListener("keydown", (event) => moveInHeatMap(event));
  return box;
}

/**
 * The classes of cells: 9 steps of a score, or of a difference around grey.
 * @returns {{kindOf: (run: number, topic: number) => string, low: string, high: string, letter: string}}
 */
function heatScale() {
  const { measure } = chosen;
  const rows = range(numRuns).map((run) => range(numTopics).map((topic) => scoreOf(measure, run, topic)));
  if (chosen.show === "means") {
    const all = rows.flat();
    const least = all.reduce((one, score) => Math.min(one, score), 0);
    const most = all.reduce((one, score) => Math.max(one, score), 0);
    // a measure of low values would be pale; ends are tenths, so that other runs change them little
    const isUnit = results.measures[measure].unit;
    const [low, high] = isUnit ? [0, Math.max(1, Math.ceil(10 * most - 1e-9)) / 10] : [least, most || 1];
    const step = (high - low) / 9;
    return {
      kindOf: (run, topic) => "h" + Math.max(0, Math.min(8, Math.floor((rows[run][topic] - low) / step))),
      low: isUnit ? "0" : rounded(low), high: isUnit ? String(high) : rounded(high), letter: "h",
    };
  }
  const base = rows[chosen.baseline];
  let most = 1e-9;
  for (const row of rows) row.forEach((score, topic) => (most = Math.max(most, Math.abs(score - base[topic]))));
  return {
    kindOf: (run, topic) => {
      const gain = rows[run][topic] - base[topic];
      const step = Math.min(3, Math.floor((4 * Math.abs(gain)) / most));
      return "d" + (Math.abs(gain) < 5e-5 ? 4 : gain > 0 ? 5 + step : 3 - step);
    },
    low: "−" + rounded(most, 2), high: "+" + rounded(most, 2), letter: "d",
  };
}

/** Draw the heat map in the order of the table's rows. */
function drawHeatMap() {
  const box = byId("heat");
  const runs = rowsInOrder();
  const topics = topicsInOrder();
  const width = Math.max(240, box.clientWidth - 4);
  const high = runs.length > 36 ? 13 : runs.length > 20 ? 16 : 20;
  const size = Math.min(12, high - 2);
  const longest = widestOf(runs.map(shortName), size, 650);
  const label = Math.ceil(Math.min(Math.max(40, longest), width * (width < 600 ? 0.34 : 0.24))) + 12;
  const cell = Math.max(2, Math.min(34, (width - label - 8) / numTopics));
  drawnHeat = { runs, topics, label, cell, high };
  const scale = heatScale();
  const left = box.scrollLeft;
  if (runs.length) {
    const tall = runs.length * high;
    const ids = topicLabels(topics, label, cell, tall);
    const title = `${measureName(chosen.measure)} of ${counted(runs.length, "run")} on ${counted(numTopics, "topic")}`;
    box.replaceChildren(figure(label + numTopics * cell + 6, tall + ids.height, title,
      heatNames(label, high, size), heatCells(scale.kindOf), ids.texts, chosenTopicFrame(tall)));
  } else {
    box.replaceChildren(html("p", { class: "empty" }, "No run matches."));
  }
  box.scrollLeft = left;
  drawHeatLegend(scale);
}

/**
 * @param {number} label
 * @param {number} high
 * @param {number} size
 */
function heatNames(label, high, size) {
  const { runs } = /** @type {NonNullable<typeof drawnHeat>} */ (drawnHeat);
  return runs.map((run, row) => {
    const kind = run === chosen.baseline ? "strong" : run === chosen.run ? "hot" : null;
    const y = row * high + high / 2 + size * 0.35;
    return shape("text", { x: label - 8, y, "text-anchor": "end", "font-size": size, class: kind },
      fitted(shortName(run), label - 10, size, 650), shape("title", {}, fullName(run)));
  });
}

/**
 * One path for each shade, and a stroke through what a run lacks.
 * @param {(run: number, topic: number) => string} kindOf
 */
function heatCells(kindOf) {
  const { runs, topics, label, cell, high } = /** @type {NonNullable<typeof drawnHeat>} */ (drawnHeat);
  const wide = (cell - (cell >= 5 ? 1 : 0)).toFixed(1);
  const columns = topics.map((_, column) => (label + column * cell).toFixed(1));
  /** @type {Map<string, string[]>} */
  const paths = new Map();
  const strokes = [];
  for (const [row, run] of runs.entries()) {
    for (const [column, topic] of topics.entries()) {
      const kind = kindOf(run, topic);
      const path = paths.get(kind) || [];
      if (!path.length) paths.set(kind, path);
      path.push(`M${columns[column]} ${row * high}h${wide}v${high - 1}h-${wide}z`);
      if (isMissing(chosen.measure, run, topic)) strokes.push(`M${columns[column]} ${row * high}l${wide} ${high - 1}`);
    }
  }
  return [
    ...[...paths].map(([kind, path]) => shape("path", { class: kind, d: path.join("") })),
    strokes.length ? shape("path", { class: "lacks", d: strokes.join("") }) : null,
  ];
}

/**
 * The ids below: level if they fit, else turned, else every so many; the chosen one always.
 * @param {number[]} topics
 * @param {number} label
 * @param {number} cell
 * @param {number} top
 */
function topicLabels(topics, label, cell, top) {
  const longest = widestOf(topics.map(topicId), 11, 650);
  const isLevel = longest + 6 <= cell;
  const every = isLevel ? 1 : Math.ceil(13 / cell);
  const at = chosen.topic === null ? -1 : topics.indexOf(chosen.topic);
  const texts = topics.map((topic, column) => {
    const isChosen = column === at;
    const isCrowded = !isLevel && at >= 0 && Math.abs(column - at) < every;
    if (!isChosen && (column % every || isCrowded)) return null;
    const x = label + (column + 0.5) * cell;
    const kind = isChosen ? "axis hot" : "axis";
    const text = fitted(topicId(topic), 106, 11, 650);
    if (isLevel) return shape("text", { class: kind, x, y: top + 13, "text-anchor": "middle" }, text);
    const turn = `translate(${(x + 4).toFixed(1)} ${top + 6}) rotate(-90)`;
    return shape("text", { class: kind, transform: turn, "text-anchor": "end" }, text);
  });
  return { texts, height: (isLevel ? 18 : Math.min(longest, 106) + 10) + 4 };
}

/** @param {number} tall */
function chosenTopicFrame(tall) {
  const { topics, label, cell } = /** @type {NonNullable<typeof drawnHeat>} */ (drawnHeat);
  if (chosen.topic === null || numTopics === 1) return null;
  const x = label + topics.indexOf(chosen.topic) * cell - 1;
  return shape("rect", { class: "frame", x, y: 0, width: Math.max(4, cell + 1), height: tall });
}

/** @param {ReturnType<typeof heatScale>} scale */
function drawHeatLegend({ low, high, letter }) {
  const steps = range(9).map((i) => shape("rect", { class: letter + i, x: i * 16, width: 16, height: 12 }));
  const meaning = chosen.show === "means" ? measureName(chosen.measure) : `difference from ${shortName(chosen.baseline)}`;
  const hasGaps = results.runs.some(({ missing }) => missing.length);
  byId("heat-legend").replaceChildren(...nodesOf([
    html("span", {}, low), shape("svg", { width: 144, height: 12, "aria-hidden": "true" }, steps), html("span", {}, high),
    html("span", {}, meaning), hasGaps && html("span", {}, "· struck out: the run lacks the topic"),
  ]));
}

/** @param {MouseEvent} event */
function cellAt(event) {
  const svg = byId("heat").querySelector("svg");
  if (!svg || !drawnHeat) return null;
  const box = svg.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - drawnHeat.label) / drawnHeat.cell);
  const row = Math.floor((event.clientY - box.top) / drawnHeat.high);
  if (column < 0 || column >= numTopics || row < 0) return null;
  return { topic: drawnHeat.topics[column], run: /** @type {number | undefined} */ (drawnHeat.runs[row]) };
}

/** @param {MouseEvent} event */
function hintAtCell(event) {
  const cell = cellAt(event);
  if (!cell || cell.run === undefined) {
    showHint();
    return;
  }
  const { run, topic } = cell;
  const isCompared = numRuns > 1 && run !== chosen.baseline;
  showHint(event, html("b", {}, shortName(run)), `topic ${topicId(topic)}: ${scoreText(run, topic)}`,
    isCompared && `${signed(gainOn(run, topic))} from ${shortName(chosen.baseline)}`);
}

/**
 * @param {number} run
 * @param {number} topic
 */
function scoreText(run, topic) {
  const { measure } = chosen;
  if (isMissing(measure, run, topic)) return "lacks it, counts as 0";
  return `${measureName(measure)} ${rounded(scoreOf(measure, run, topic))}`;
}

/** @param {KeyboardEvent} event */
function moveInHeatMap(event) {
  /** @type {Record<string, [number, number]>} */
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const step = steps[event.key];
  if (!step || !drawnHeat) return;
  event.preventDefault();
  const { topics, runs } = drawnHeat;
  const column = chosen.topic === null ? -1 : topics.indexOf(chosen.topic);
  const topic = topics[Math.max(0, Math.min(numTopics - 1, column + step[0]))];
  const others = runs.filter((run) => run !== chosen.baseline);
  const row = Math.max(0, Math.min(others.length - 1, others.indexOf(comparedRun()) + step[1]));
  const run = others.length ? others[row] : null;
  choose({ topic, run }, `topic ${topicId(topic)}, ${run === null ? "" : shortName(run) + ": "}${scoreText(run ?? chosen.baseline, topic)}`);
}
