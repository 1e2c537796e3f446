// The results that are shown, and what is counted in them. Nothing is tested here.

const data = /** @type {PageData} */ (JSON.parse(byId("data").textContent || ""));

/** @type {Results} */
let results;
let numRuns = 0;
let numTopics = 0;
/** @type {number[][]} by measure, the best run first */
let ranked = [];
/** @type {number[][]} by measure and run: one plus the number of better runs */
let placeOf = [];
/** @type {Map<number, [number, number]>[]} by measure and pair: wins and losses that rounded scores do not give */
let exactCounts = [];

/**
 * Show a part of the data from now on.
 * @param {number} part
 */
function openResults(part) {
  results = data.parts[part];
  numRuns = results.runs.length;
  numTopics = results.topics.length;
  ranked = results.measures.map((_, m) =>
    range(numRuns).sort((a, b) => direction(m) * (meanOf(m, b) - meanOf(m, a)) || a - b));
  exactCounts = results.measures.map((_, m) => {
    const flat = (results.counts || [])[m] || [];
    return new Map(range(flat.length / 3).map((i) => [flat[3 * i], [flat[3 * i + 1], flat[3 * i + 2]]]));
  });
  placeOf = ranked.map((order, m) => {
    /** @type {number[]} */
    const places = [];
    order.forEach((run, i) => {
      const isEqual = i > 0 && meanOf(m, run) === meanOf(m, order[i - 1]);
      places[run] = isEqual ? places[order[i - 1]] : i + 1;
    });
    return places;
  });
}

/**
 * @param {number} measure
 * @param {number} run
 */
const meanOf = (measure, run) => results.means[measure][run][0];

/** @param {number} measure */
const direction = (measure) => (results.measures[measure].higher ? 1 : -1);

/** @param {number} measure */
const measureName = (measure) => results.measures[measure].name;

/** @param {number} topic */
const topicId = (topic) => results.topics[topic].id;

/**
 * The score of a run on a topic; 0 where it lacks the topic.
 * @param {number} measure
 * @param {number} run
 * @param {number} topic
 */
const scoreOf = (measure, run, topic) => (results.scores ? results.scores[measure][run][topic] || 0 : 0) / 1e4;

/**
 * @param {number} measure
 * @param {number} run
 * @param {number} topic
 */
const isMissing = (measure, run, topic) => !!results.scores && results.scores[measure][run][topic] === null;

/** @param {number} baseline */
const familyOf = (baseline) => (results.families || []).find((family) => family.baseline === baseline);

/**
 * Whether all pairs were tested under a measure.
 * @param {number} measure
 */
const hasPairs = (measure) => numRuns > 1 && !!results.pairs[measure];

/**
 * Whether the runs were tested against a baseline.
 * @param {number} measure
 * @param {number} baseline
 */
function isTested(measure, baseline) {
  const family = familyOf(baseline);
  return hasPairs(measure) || (numRuns > 1 && !!family && !!family.measures[measure]);
}

/**
 * A run minus the baseline, as it was tested; null where it was not.
 * @param {number} measure
 * @param {number} run
 * @param {number} baseline
 * @param {boolean} [ofAllPairs] in the family of all pairs, whichever baseline was named
 * @returns {Difference | null}
 */
function differenceFrom(measure, run, baseline, ofAllPairs = false) {
  if (run === baseline) return null;
  const family = ofAllPairs ? undefined : familyOf(baseline);
  const ofFamily = family && family.measures[measure];
  const columns = ofFamily || results.pairs[measure];
  if (!columns) return null;
  const isReversed = !ofFamily && run > baseline;
  const at = ofFamily ? run : pairIndex(Math.min(run, baseline), Math.max(run, baseline));
  const p = columns.p[at];
  if (p === null || p === undefined) return null;
  const difference = meanOf(measure, run) - meanOf(measure, baseline);
  let [low, high] = [-Infinity, Infinity];
  if (columns.half) {
    const half = columns.half[at];
    if (half !== null) [low, high] = [difference - half / 1e4, difference + half / 1e4];
  } else if (columns.low && columns.high) {
    low = (columns.low[at] ?? -Infinity) / 1e4;
    high = (columns.high[at] ?? Infinity) / 1e4;
    if (isReversed) [low, high] = [-high, -low];
  }
  const sign = /** @type {-1 | 0 | 1} */ (Math.sign(difference) * direction(measure));
  return { difference, low, high, p, verdict: p <= results.alpha ? sign : 0 };
}

/**
 * Where a pair stands, a < b.
 * @param {number} a
 * @param {number} b
 */
const pairIndex = (a, b) => a * numRuns - (a * (a + 1)) / 2 + b - a - 1;

/**
 * On how many topics a run is better than the baseline, as good, and worse.
 * @param {number} measure
 * @param {number} run
 * @param {number} baseline
 * @returns {[number, number, number]}
 */
function winsTiesLosses(measure, run, baseline) {
  const exact = exactCounts[measure].get(pairIndex(Math.min(run, baseline), Math.max(run, baseline)));
  if (exact && run !== baseline) {
    const [wins, losses] = run < baseline ? exact : [exact[1], exact[0]];
    return [wins, numTopics - wins - losses, losses];
  }
  /** @type {[number, number, number]} */
  const counts = [0, 0, 0];
  const scores = results.scores ? results.scores[measure] : [];
  for (let topic = 0; topic < numTopics; topic++) {
    const gain = (scores[run][topic] || 0) - (scores[baseline][topic] || 0);
    const sign = Math.abs(gain) <= results.tie ? 0 : Math.sign(gain);
    counts[1 - direction(measure) * sign]++;
  }
  return counts;
}

/**
 * The places that the tests leave open, for all runs at once.
 * @param {number} measure
 * @param {number} run
 * @returns {[number, number]}
 */
function openPlaces(measure, run) {
  let [first, last] = [1, numRuns];
  for (let other = 0; other < numRuns; other++) {
    const difference = differenceFrom(measure, run, other, true);
    if (difference && difference.verdict < 0) first++;
    if (difference && difference.verdict > 0) last--;
  }
  return [first, last];
}

/** @param {Difference | null} difference */
function verdictClass(difference) {
  if (!difference) return "self";
  return difference.verdict > 0 ? "better" : difference.verdict < 0 ? "worse" : "neither";
}

/** @param {Difference} difference */
const verdictText = (difference) => words("verdict_" + verdictClass(difference));

/** The runs in the order in which they were given. */
const runsAsGiven = () => range(numRuns).sort((a, b) => results.runs[a].given - results.runs[b].given);

const hasTeams = () => results.runs.some((run) => run.team);

/** The baseline that was named, or the best run by the first measure: never the first file. */
const firstBaseline = () => results.baseline ?? ranked[0][0];
