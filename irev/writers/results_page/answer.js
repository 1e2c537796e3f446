// Which run is best, what the tests show, and what is doubtful: three short texts.

/** The answer under the measure that is chosen. */
function drawAnswer() {
  byId("answer").replaceChildren(bestRun(), testsShow(), doubts());
}

/** The best run, and those that are not shown to differ from it. */
function bestRun() {
  const { measure } = chosen;
  const { higher, sum, name: label } = results.measures[measure];
  const best = ranked[measure][0];
  const [value, low, high] = results.means[measure][best];
  const what = sum ? "sum" : "mean";
  const heading = words(numRuns === 1 ? "only_" + what : (higher ? "highest_" : "lowest_") + what, { measure: label });
  const slots = { value: rounded(value), low: rounded(low), high: rounded(high) };
  const isLong = shortName(best).length > 30;
  const box = html("div", {}, html("h2", {}, heading),
    html("p", { class: isLong ? "big long" : "big", title: fullName(best) }, breakable(shortName(best))),
    html("p", {}, words(low === null ? "value" : "value_interval", slots)));
  if (hasPairs(measure)) {
    const alike = ranked[measure].filter((run) => run !== best && differenceFrom(measure, run, best, true)?.verdict === 0);
    box.append(html("p", {}, alike.length
      ? sentence(forCount("alike", alike.length), { count: String(alike.length), names: listNames(alike) })
      : words(numRuns === 2 ? "better_than_other" : "better_than_all", { count: numRuns - 1 })));
  }
  return box;
}

/** How many pairs differ, and how the runs stand to the baseline. */
function testsShow() {
  const { measure, baseline } = chosen;
  if (!isTested(measure, baseline) && !hasPairs(measure)) return hardTopics();
  const box = html("div", {}, html("h2", {}, words("tests_show")));
  const pairs = hasPairs(measure) ? countPairs(measure) : null;
  if (pairs) {
    const all = words(forCount("pairs", pairs.total), { count: pairs.total });
    box.append(html("p", { class: "big" }, words(forCount("pairs_differ", pairs.shown), { count: pairs.shown, pairs: all })));
  }
  const verdicts = range(numRuns).map((run) => differenceFrom(measure, run, baseline)?.verdict);
  /** @param {number} verdict */
  const count = (verdict) => verdicts.filter((each) => each === verdict).length;
  box.append(html("p", {}, sentence("against", {
    baseline: html("b", {}, breakable(shortName(baseline))),
    better: html("span", { class: "better" }, words("count_better", { count: count(1) })),
    worse: html("span", { class: "worse" }, words("count_worse", { count: count(-1) })),
    neither: String(count(0)),
  })));
  if (pairs) {
    const slots = { smallest: rounded(pairs.smallest), largest: rounded(pairs.largest) };
    const key = !pairs.shown ? "none_shown" : pairs.shown < pairs.total ? "smallest_shown" : "smallest_all_shown";
    const widest = pairs.half === undefined ? "" : " " + words("half_width", { width: rounded(pairs.half) });
    box.append(html("p", {}, words(key, slots) + widest));
  }
  return box;
}

/**
 * How many pairs differ, and by how much.
 * @param {number} measure
 */
function countPairs(measure) {
  let [total, shown, smallest, largest] = [0, 0, Infinity, 0];
  const halves = [];
  for (let a = 0; a < numRuns; a++) {
    for (let b = a + 1; b < numRuns; b++) {
      const pair = differenceFrom(measure, a, b, true);
      if (!pair) continue;
      total++;
      const size = Math.abs(pair.difference);
      if (pair.verdict) {
        shown++;
        smallest = Math.min(smallest, size);
      } else {
        largest = Math.max(largest, size);
      }
      if (Number.isFinite(pair.high - pair.low)) halves.push((pair.high - pair.low) / 2);
    }
  }
  halves.sort((a, b) => a - b);
  return { total, shown, smallest, largest, half: halves[halves.length >> 1] };
}

/** Of one run its worst topics; else why nothing was tested. */
function hardTopics() {
  const { measure } = chosen;
  if (numRuns > 1 || numTopics === 1 || !results.scores) {
    const tested = range(results.measures.length).filter((each) => isTested(each, chosen.baseline)).map(measureName);
    const reason = tested.length ? words("tested_measures", { measures: tested.join(", ") }) : results.no_test;
    return html("div", {}, html("h2", {}, words("no_test")), html("p", {}, reason));
  }
  const worst = range(numTopics)
    .sort((a, b) => direction(measure) * (scoreOf(measure, 0, a) - scoreOf(measure, 0, b)) || a - b)
    .slice(0, 5);
  const texts = worst.map((topic) => words("topic_score", { topic: topicId(topic), score: rounded(scoreOf(measure, 0, topic)) }));
  const heading = words(results.measures[measure].higher ? "lowest_topics" : "highest_topics");
  return html("div", {}, html("h2", {}, heading), html("p", {}, texts.join(", ")));
}

/** What makes the numbers doubtful: of any measure, and of this one. */
function doubts() {
  const texts = results.doubts
    .filter(({ measure }) => measure === undefined || measure === null || measure === chosen.measure)
    .map(({ text }) => html("li", {}, breakableText(text)));
  return html("div", { class: texts.length ? "care" : "care none" }, html("h2", {}, words("care")),
    texts.length ? html("ul", {}, texts) : html("p", {}, words("no_doubts")));
}
