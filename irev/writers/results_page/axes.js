// Axes whose positions are numbers.

/**
 * A linear axis. Its ends are ticks, so that no mark lies outside.
 * @param {number} low
 * @param {number} high
 * @param {number} mostSteps
 * @returns {Axis}
 */
function linearAxis(low, high, mostSteps) {
  if (!(high > low)) {
    low -= 0.05;
    high += 0.05;
  }
  const raw = (high - low) / mostSteps;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5].find((n) => n * power >= raw - 1e-12) || 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = range(last - first + 1).map((i) => +((first + i) * step).toPrecision(12));
  const decimals = Math.max(...ticks.map((tick) => (String(tick).split(".")[1] || "").length));
  const span = ticks[ticks.length - 1] - ticks[0];
  return {
    low: ticks[0],
    high: ticks[ticks.length - 1],
    ticks,
    label: (tick) => rounded(tick, decimals),
    at: (value) => (Math.min(Math.max(value, ticks[0]), ticks[ticks.length - 1]) - ticks[0]) / span,
  };
}

/**
 * Every so many ticks have a label, so that none touches the next.
 * @param {number} numTicks
 * @param {number} step distance of two ticks
 * @param {number} widest label
 */
function labelEvery(numTicks, step, widest) {
  for (let every = 1; every < numTicks; every++) {
    if ((numTicks - 1) % every === 0 && step * every >= widest) return every;
  }
  return Math.max(1, numTicks - 1);
}

/**
 * Positions at least so far apart, each as near as may be to where it wants to stand.
 * @param {number[]} wishes in rising order
 * @param {number} gap
 * @param {number} most
 */
function spreadOut(wishes, gap, most) {
  const places = wishes.slice();
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + gap);
  let limit = most;
  for (let i = places.length - 1; i >= 0; i--) {
    places[i] = Math.min(places[i], limit);
    limit = places[i] - gap;
  }
  return places;
}
