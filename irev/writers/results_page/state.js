// What a reader has chosen, and the permanent link to it.

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
