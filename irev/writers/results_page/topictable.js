// All topics as a table: how many documents are relevant, and what runs reach.

/** @typedef {"id" | "relevant" | "lowest" | "median" | "highest" | "baseline"} TopicKey */

/** @type {{key: TopicKey, falling: boolean}} */
const topicSort = { key: "id", falling: false };

/** The table, folded; it is drawn when it is opened. */
function buildTopicTable() {
  const box = html("details", { id: "topic-table" }, html("summary", {}, "All topics as a table"),
    scrollBox("tall", "All topics", html("table", { class: "topics" }, html("thead"), html("tbody"))));
  box.addEventListener("toggle", () => drawTopicTable());
  return box;
}

/** Draw the table if it is open. */
function drawTopicTable() {
  const box = /** @type {HTMLDetailsElement} */ (byId("topic-table"));
  if (!box.open) return;
  const rows = range(numTopics).map(topicRow);
  /** @type {TopicKey[]} */
  const all = ["id", "relevant", "lowest", "median", "highest", "baseline"];
  const hasRelevant = results.topics.some(({ relevant }) => relevant !== null);
  const keys = all.filter((key) => (key === "relevant" ? hasRelevant : numRuns > 1 || key === "id" || key === "baseline"));
  const sign = topicSort.falling ? -1 : 1;
  rows.sort((a, b) => sign * (a[topicSort.key] - b[topicSort.key]) || a.id - b.id);
  const shown = /** @type {HTMLTableElement} */ (box.querySelector("table"));
  const focused = document.activeElement?.closest("th")?.dataset.key;
  shown.tHead?.replaceChildren(html("tr", {}, keys.map(topicHead)));
  shown.tBodies[0].replaceChildren(...rows.map((row) => html("tr", {}, keys.map((key) => topicCell(row, key)))));
  if (focused) /** @type {HTMLElement | null} */ (shown.querySelector(`[data-key="${focused}"] button`))?.focus();
}

/**
 * @param {number} topic
 * @returns {Record<TopicKey, number>}
 */
function topicRow(topic) {
  const scores = scoresOn(topic).sort((a, b) => a - b);
  const half = numRuns >> 1;
  return {
    id: topic, relevant: results.topics[topic].relevant ?? -1,
    lowest: scores[0], highest: scores[numRuns - 1],
    median: numRuns % 2 ? scores[half] : (scores[half - 1] + scores[half]) / 2,
    baseline: scoreOf(chosen.measure, chosen.baseline, topic),
  };
}

/** @param {TopicKey} key */
function topicHead(key) {
  const text = key === "id" ? words("topic") : key === "baseline" ? shortName(chosen.baseline) : words(key);
  const falling = topicSort.key === key ? topicSort.falling : null;
  return sortHead(text, { "data-key": key, class: key === "id" ? "text" : null }, falling, () => {
    topicSort.falling = topicSort.key === key ? !topicSort.falling : key !== "id";
    topicSort.key = key;
    drawTopicTable();
    announce(`topics sorted by ${text}, ${topicSort.falling ? "falling" : "rising"}`);
  });
}

/**
 * @param {Record<TopicKey, number>} row
 * @param {TopicKey} key
 */
function topicCell(row, key) {
  if (key === "relevant") return html("td", {}, row.relevant < 0 ? "–" : String(row.relevant));
  if (key !== "id") return html("td", {}, rounded(row[key]));
  const label = topicId(row.id);
  const choice = button(label, () => {
    choose({ topic: row.id }, `topic ${label}`);
    byId("topic").scrollIntoView({ block: "nearest" });
  }, { class: "name" });
  return html("th", { scope: "row", class: "text" }, choice);
}
