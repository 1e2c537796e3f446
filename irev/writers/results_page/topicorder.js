// Topics in the order that is chosen, and the controls of their section.

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
  const byName = range(numRuns).sort((a, b) => (shortName(a) < shortName(b) ? -1 : 1));
  /** @type {[string | number, string][]} */
  const runs = [["", "choose …"], ...byName.map((run) => /** @type {[number, string]} */ ([run, shortName(run)]))];
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
