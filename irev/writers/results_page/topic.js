// One topic, with the first documents of two runs side by side; and all topics as a table.

// --- One topic: the scores of all runs, and the first documents of two runs side by side ---

/** Draw the topic that is chosen. */
function drawTopic() {
  const box = byId("topic");
  const { topic } = chosen;
  box.className = topic === null ? "" : "detail";
  if (topic === null) {
    const gain = numRuns > 1 ? "the score of every run" : "its score";
    const more = results.documents ? ` and the first documents of ${numRuns > 1 ? "two runs" : "the run"}` : "";
    box.replaceChildren(html("p", { class: "soft hint" }, `Choose a topic, in the figure or by its id, to see ${gain}${more}.`));
    return;
  }
  box.replaceChildren(...nodesOf([topicScores(topic), documentsOf(topic)]));
}

/** @param {number} topic */
function topicScores(topic) {
  const { measure, baseline } = chosen;
  const { relevant } = results.topics[topic];
  const runs = range(numRuns).sort((a, b) =>
    direction(measure) * (scoreOf(measure, b, topic) - scoreOf(measure, a, topic)) || placeOf[measure][a] - placeOf[measure][b]);
  const scores = scoresOn(topic);
  const most = results.measures[measure].unit ? 1 : Math.max(1e-9, ...scores);
  const many = numRuns > 1;
  const heads = ["run", measureName(measure), html("span", { class: "sr" }, "bar"), many && words("difference")];
  const rows = runs.map((run) => {
    const label = fitted(shortName(run), innerWidth < 700 ? 140 : 240, 14, 650);
    const isMarked = many && (run === baseline || run === chosen.run);
    const bar = shape("rect", {
      class: run === baseline ? "fill base" : "fill", y: "14%", height: "72%",
      width: (100 * Math.max(0, scores[run])) / most + "%",
    });
    return html("tr", {},
      html("th", { scope: "row", class: "text", title: fullName(run) },
        isMarked ? html("b", { class: run === chosen.run ? "hot" : null }, label) : label),
      html("td", {}, isMissing(measure, run, topic) ? "lacks it" : rounded(scores[run])),
      html("td", { class: "bar-cell" }, shape("svg", { "aria-hidden": "true" }, bar)),
      many && html("td", {}, run === baseline ? html("span", { class: "soft" }, words("baseline")) : signed(gainOn(run, topic))));
  });
  const title = `Topic ${topicId(topic)}: ${measureName(measure)}${many ? " of every run" : ""}`;
  return html("div", {},
    html("div", { class: "head" }, html("h3", {}, title), relevant !== null && html("small", {}, counted(relevant, "relevant document"))),
    scrollBox("tall", title, html("table", { class: "bars" },
      html("thead", {}, html("tr", {}, heads.map((head, i) => head && html("th", { scope: "col", class: i ? null : "text" }, head)))),
      html("tbody", {}, rows))));
}

/**
 * A box that scrolls, and can be reached by keys.
 * @param {string} kind
 * @param {string} label
 * @param {...Child} children
 */
function scrollBox(kind, label, ...children) {
  return html("div", { class: "scroll " + kind, tabindex: "0", role: "region", "aria-label": label }, ...children);
}

/**
 * Ids behind a common beginning; of each run a character for each document.
 * @param {number} topic
 * @param {Documents} documents
 */
function unpackTopic(topic, documents) {
  const { start, ids, grades, tops } = documents.topics[topic];
  const lists = tops.split(" ");
  return {
    ids: ids.split(" ").map((id) => start + id),
    grades: grades.split(" ").map((grade) => (grade === "-" ? null : +grade)),
    /** @param {number} run @returns {number[] | null} numbers of documents; null: not held */
    topOf: (run) => {
      const at = documents.runs.indexOf(run);
      if (at < 0) return null;
      return [...lists[at]].map((letter) => letter.codePointAt(0) || 0).map((code) => code - (code < 256 ? 63 : 192));
    },
  };
}

/**
 * @param {number} topic
 * @returns {Child}
 */
function documentsOf(topic) {
  const { documents } = results;
  if (!documents) return results.documents_note ? html("p", { class: "soft" }, results.documents_note) : null;
  const unpacked = unpackTopic(topic, documents);
  const runs = numRuns > 1 ? [comparedRun(), chosen.baseline] : [0];
  const tops = runs.map(unpacked.topOf);
  const left = runs.filter((_, i) => !tops[i]);
  if (left.length) {
    return html("p", { class: "soft" },
      `To stay small, this page holds the documents of ${counted(documents.runs.length, "run")}, not of `, listNames(left), ".");
  }
  const lists = /** @type {number[][]} */ (tops);
  const depth = Math.max(...lists.map((list) => list.length));
  const note = `relevant from grade ${results.level}; ? not judged` + (numRuns > 1 ? "; ↔ rank in the other list" : "");
  const title = `The first ${documents.depth} documents, with grades`;
  return html("div", {},
    html("div", { class: "head" }, html("h3", {}, title), html("small", {}, note)),
    depth ? scrollBox("", title, documentTable(topic, runs, lists, unpacked, depth))
      : html("p", { class: "empty" }, `${numRuns > 1 ? "Neither run ranks" : "The run does not rank"} documents for this topic.`));
}

/**
 * @param {number} topic
 * @param {number[]} runs
 * @param {number[][]} lists
 * @param {ReturnType<typeof unpackTopic>} unpacked
 * @param {number} depth
 */
function documentTable(topic, runs, lists, unpacked, depth) {
  const span = runs.length > 1 ? 3 : 2;
  const wide = byId("topic").clientWidth / (innerWidth > 1152 ? 2 : 1);
  const room = Math.max(100, Math.min(260, wide / 2 - 105));
  const heads = runs.map((run) => html("th", { class: "text", scope: "colgroup", colspan: span, title: fullName(run) },
    fitted(shortName(run), room, 13, 650), " ", html("span", { class: "soft" }, rounded(scoreOf(chosen.measure, run, topic)))));
  const rows = range(depth).map((rank) => html("tr", {}, html("th", { scope: "row" }, String(rank + 1)),
    lists.map((list, side) => documentCells(list[rank], lists[1 - side], unpacked))));
  const made = html("table", { class: "docs" },
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "rank"), heads)), html("tbody", {}, rows));
  made.addEventListener("mouseover", (event) => {
    const at = /** @type {Element} */ (event.target).closest("td")?.dataset.document;
    for (const cell of made.querySelectorAll("td")) cell.classList.toggle("lit", !!at && cell.dataset.document === at);
  });
  return made;
}

/**
 * @param {number | undefined} document
 * @param {number[] | undefined} other the other list
 * @param {ReturnType<typeof unpackTopic>} unpacked
 */
function documentCells(document, other, { ids, grades }) {
  const link = { "data-document": document };
  const also = other && document !== undefined ? other.indexOf(document) : -1;
  const cells = [
    html("td", link, document !== undefined && gradeMark(grades[document])),
    html("td", { class: "text doc", title: document === undefined ? null : ids[document], ...link }, document === undefined ? "" : ids[document]),
  ];
  if (other) cells.push(html("td", { class: "also", ...link }, also >= 0 ? `↔ ${also + 1}` : ""));
  return cells;
}

/** @param {number | null} grade */
function gradeMark(grade) {
  if (grade === null) return html("span", { class: "grade none", title: "not judged" }, "?");
  const isRelevant = grade >= results.level;
  const kind = !isRelevant ? "g0" : grade > results.level ? "g2" : "g1";
  return html("span", { class: "grade " + kind, title: isRelevant ? "relevant" : "not relevant" }, String(grade));
}

// --- All topics as a table: how many documents are relevant, and what runs reach ---

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
