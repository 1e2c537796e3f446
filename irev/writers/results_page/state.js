// What a reader has chosen, the permanent link to it, and the answer under it.

// --- What a reader has chosen, and the permanent link to it ---

/** @type {Choices} */
let initial;
/** @type {Choices} */
let chosen;

/** @type {Record<string, string[]>} */
const allowed = { show: ["means", "differences"], order: ["mean", "spread", "difference", "id"] };

/**
 * The choices before anything is clicked.
 * @param {number} part
 * @returns {Choices}
 */
function firstChoices(part) {
  return {
    part, measure: 0, baseline: firstBaseline(), run: null, topic: null, sort: "m0", falling: results.measures[0].higher,
    show: "means", order: "mean", q: "", team: "", all: false,
  };
}

/**
 * How choices are written in a link; a text that the page cannot follow gives undefined.
 * @type {Record<string, {write: (value: any) => string, read: (text: string) => unknown}>}
 */
const codes = {
  part: { write: (value) => data.parts[value].name, read: (text) => indexOf(data.parts, (part) => part.name === text) },
  measure: { write: measureName, read: (text) => indexOf(results.measures, (measure) => measure.name === text) },
  baseline: { write: fullName, read: (text) => indexOf(results.runs, (run) => run.name === text) },
  run: { write: fullName, read: (text) => indexOf(results.runs, (run) => run.name === text) },
  topic: { write: topicId, read: (text) => indexOf(results.topics, (topic) => topic.id === text) },
  falling: { write: (value) => (value ? "down" : "up"), read: (text) => ({ down: true, up: false })[text] },
  all: { write: () => "yes", read: (text) => (text === "yes" ? true : undefined) },
  sort: {
    write: (key) => (/^m\d+$/.test(key) ? measureName(+key.slice(1)) : key),
    read: (text) => (columnsOf().find((column) => column.key === text || column.head === text) || {}).key,
  },
};

/**
 * @template T
 * @param {T[]} list
 * @param {(entry: T) => boolean} isWanted
 */
function indexOf(list, isWanted) {
  const at = list.findIndex(isWanted);
  return at < 0 ? undefined : at;
}

/** Take the choices from the link; what it asks and the page lacks is ignored. */
function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  openResults(/** @type {number | undefined} */ (codes.part.read(link.get("part") || "")) ?? 0);
  initial = firstChoices(data.parts.indexOf(results));
  chosen = { ...initial };
  /** @type {Record<string, unknown>} */
  const changes = {};
  for (const [key, text] of link) {
    if (!Object.hasOwn(initial, key) || key === "part") continue;
    if (Object.hasOwn(allowed, key) && !allowed[key].includes(text)) continue;
    const value = Object.hasOwn(codes, key) ? codes[key].read(text) : text;
    if (value !== undefined) changes[key] = value;
    if (key === "measure" && value !== undefined && !link.has("sort")) {
      changes.sort = "m" + value;
      changes.falling ??= results.measures[/** @type {number} */ (value)].higher;
    }
  }
  if (typeof changes.team === "string" && !results.runs.some((run) => run.team === changes.team)) delete changes.team;
  Object.assign(chosen, changes);
  if (chosen.run === chosen.baseline) chosen.run = null;
  if (numTopics === 1) chosen.topic = 0;
}

/** Write what differs from the first choices into the address; a page inside a notebook has none of its own. */
function writeLink() {
  if (location.protocol === "about:") return;
  const link = new URLSearchParams();
  const isByMeasure = chosen.sort === "m" + chosen.measure;
  const usual = isByMeasure ? results.measures[chosen.measure].higher : initial.falling;
  for (const [key, value] of Object.entries(chosen)) {
    if (key === "falling" ? value === usual : value === initial[/** @type {keyof Choices} */ (key)]) {
      if (key !== "part" || value === 0) continue;
    }
    if (value === null || (key === "sort" && isByMeasure)) continue;
    if (key === "topic" && numTopics === 1) continue;
    link.set(key, codes[key] ? codes[key].write(value) : String(value));
  }
  const text = link.toString();
  if (text !== location.hash.slice(1)) {
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }
}

/** The run that is set beside the baseline on a topic: the highlighted one, else the best other one. */
const comparedRun = () => chosen.run ?? ranked[chosen.measure].find((run) => run !== chosen.baseline) ?? 0;

/**
 * Change what is chosen, draw it and say so.
 * @param {Partial<Choices>} changes
 * @param {string} [text] what a screen reader says
 */
function choose(changes, text) {
  const before = { ...chosen };
  Object.assign(chosen, changes);
  if (chosen.run === chosen.baseline) {
    chosen.run = before.run !== null && before.baseline !== chosen.baseline ? before.baseline : null;
  }
  draw(before);
  writeLink();
  if (text) announce(text);
}

/**
 * Rank by a measure: the plot, the marks, the differences and the topics follow.
 * @param {number} measure
 */
function chooseMeasure(measure) {
  const { higher, name: label } = results.measures[measure];
  choose({ measure, sort: "m" + measure, falling: higher }, `ranked by ${label}`);
}

/** @param {number} run */
function chooseBaseline(run) {
  choose({ baseline: run }, `compared with ${shortName(run)}`);
}

/**
 * Highlight a run; a second click takes that back.
 * @param {number | null} run
 */
function chooseRun(run) {
  if (run === chosen.baseline) return;
  if (run === null || run === chosen.run) choose({ run: null }, "no run is highlighted");
  else choose({ run }, `${shortName(run)} is highlighted in all figures`);
}

/** The runs that the search and the team leave, in the order of the runs. */
function matchingRuns() {
  const wanted = chosen.q.trim().toLowerCase();
  return range(numRuns).filter((run) => {
    const { name: full, short, team } = results.runs[run];
    const text = `${full} ${short} ${team}`.toLowerCase();
    return (!chosen.team || team === chosen.team) && text.includes(wanted);
  });
}

/** The same in the order of the table. */
function rowsInOrder() {
  const columns = columnsOf();
  const column = columns.find(({ key }) => key === chosen.sort) || columns.find(({ measure }) => measure === chosen.measure);
  const values = range(numRuns).map((run) => (column ? column.value(run) : 0));
  const place = new Map(ranked[chosen.measure].map((run, i) => [run, i]));
  const sign = chosen.falling ? -1 : 1;
  return matchingRuns().sort((a, b) => {
    const [one, other] = [values[a], values[b]];
    if (one === null || other === null) return one === other ? byPlace(a, b) : one === null ? 1 : -1;
    return one < other ? -sign : one > other ? sign : byPlace(a, b);
  });

  /**
   * @param {number} a
   * @param {number} b
   */
  function byPlace(a, b) {
    return (place.get(a) || 0) - (place.get(b) || 0);
  }
}

// --- Which run is best, what the tests show, and what is doubtful: three short texts ---

/** The answer under the measure that is chosen. */
function drawAnswer() {
  const verdict = verdictSentence();
  byId("answer").replaceChildren(...nodesOf([verdict && html("p", { class: "verdict" }, breakableText(verdict)), bestRun(), testsShow(), doubts()]));
}

/** What may be said of the best run and of the baseline, or of the second; null where the page does not hold it. */
function verdictSentence() {
  const { measure, baseline } = chosen;
  const [best, second] = ranked[measure];
  const other = baseline === best ? second : baseline;
  return results.verdicts[measure]?.[other] ?? null;
}

/** The best run, and those that do not differ significantly from it. */
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
  // of two runs the verdict says it
  if (hasPairs(measure) && (numRuns > 2 || !verdictSentence())) {
    const alike = ranked[measure].filter((run) => run !== best && differenceFrom(measure, run, best, true)?.verdict === 0);
    box.append(html("p", {}, alike.length
      ? sentence(forCount("alike", alike.length), { count: String(alike.length), names: listNames(alike) })
      : words(forCount("better_than_all", numRuns - 1), { count: numRuns - 1 })));
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
    const { total, significant } = pairs;
    const key = total === 1 ? (significant ? "pair_differs" : "pair_differs_not") : forCount("pairs_differ", significant);
    box.append(html("p", { class: "big" }, words(key, { count: significant, pairs: words("pairs", { count: total }) })));
  }
  const verdicts = range(numRuns).map((run) => differenceFrom(measure, run, baseline)?.verdict);
  /** @param {number} verdict */
  const count = (verdict) => verdicts.filter((each) => each === verdict).length;
  if (numRuns > 2 || !pairs || familyOf(baseline)) {
    box.append(html("p", {}, sentence("against", {
      baseline: html("b", {}, breakable(shortName(baseline))),
      better: html("span", { class: "better" }, words("count_better", { count: count(1) })),
      worse: html("span", { class: "worse" }, words("count_worse", { count: count(-1) })),
      neither: String(count(0)),
    })));
  }
  if (pairs && pairs.total > 1) {
    const slots = { smallest: rounded(pairs.smallest), largest: rounded(pairs.largest) };
    const { total, significant, half } = pairs;
    const key = !significant ? "none_significant" : significant < total ? "smallest_significant" : "all_significant";
    const widest = half === undefined ? "" : " " + words("half_width", { width: rounded(half) });
    box.append(html("p", {}, words(key, slots) + widest));
  }
  return box;
}

/**
 * How many pairs differ, and by how much.
 * @param {number} measure
 */
function countPairs(measure) {
  let [total, significant, smallest, largest] = [0, 0, Infinity, 0];
  const halves = [];
  for (let a = 0; a < numRuns; a++) {
    for (let b = a + 1; b < numRuns; b++) {
      const pair = differenceFrom(measure, a, b, true);
      if (!pair) continue;
      total++;
      const size = Math.abs(pair.difference);
      if (pair.verdict) {
        significant++;
        smallest = Math.min(smallest, size);
      } else {
        largest = Math.max(largest, size);
      }
      if (Number.isFinite(pair.high - pair.low)) halves.push((pair.high - pair.low) / 2);
    }
  }
  halves.sort((a, b) => a - b);
  return { total, significant, smallest, largest, half: halves[halves.length >> 1] };
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
