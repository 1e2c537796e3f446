// A measure by rank, as curves over a logarithmic axis.

/** Draw the curves; of many runs the best, the highlighted and the baseline are told apart. */
function drawCurves() {
  const box = document.getElementById("curves");
  const { curves } = results;
  if (!box || !curves) return;
  const { ranks, values } = curves;
  const isFew = numRuns <= 8;
  const order = ranked[chosen.measure];
  const apart = [order[0], chosen.run, chosen.baseline].filter((run) => run !== null);
  const named = isFew ? order : [...new Set(apart)];
  const width = Math.max(260, Math.min(820, box.clientWidth - 4));
  const height = Math.max(300, Math.min(430, width * 0.6));
  const bottom = height - 40;
  const left = 40;
  const right = width - Math.min(widestOf(named.map(shortName), 12, 650) + 16, width * 0.36);
  const axis = linearAxis(0, Math.max(0.05, ...values.flat()), 5);
  const lastRank = ranks[ranks.length - 1];
  /** @param {number} rank */
  const x = (rank) => left + (right - left) * (lastRank > 1 ? Math.log(rank) / Math.log(lastRank) : 0.5);
  /** @param {number} value */
  const y = (value) => 8 + (bottom - 8) * (1 - axis.at(value));
  /** @param {number} run */
  const line = (run) => "M" + values[run].map((value, i) => `${x(ranks[i]).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
  const others = range(numRuns).filter((run) => !named.includes(run));
  const title = `${curves.title} of ${counted(numRuns, "run")}`;
  box.replaceChildren(figure(width, height, title,
    axis.ticks.map((tick) => [
      shape("path", { class: "grid", d: `M${left} ${y(tick).toFixed(1)}H${right}` }),
      shape("text", { class: "axis", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, axis.label(tick)),
    ]),
    rankTicks(ranks, x).map((rank) => shape("text", { class: "axis", x: x(rank), y: bottom + 17, "text-anchor": "middle" }, String(rank))),
    shape("text", { class: "axis", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, "rank (logarithmic)"),
    others.map((run) => shape("path", { class: "curve", d: line(run) }, shape("title", {}, fullName(run)))),
    [...named.keys()].reverse().map((i) => shape("path", { class: "curve on c" + i, d: line(named[i]) }, shape("title", {}, fullName(named[i])))),
    curveNames(named, (run) => y(values[run][ranks.length - 1]), right, bottom, width)));
  byId("curves-note").replaceChildren(...nodesOf(isFew ? [] : [
    `In colour: the best run${chosen.run === null ? " and the baseline" : ", the baseline and the highlighted run"}; the others are grey. `,
    chosen.run === null && html("span", { class: "hint" }, "Click a name in the table to add its run."),
  ]));
}

/**
 * Ranks whose labels do not touch.
 * @param {number[]} ranks
 * @param {(rank: number) => number} x
 */
function rankTicks(ranks, x) {
  let last = -Infinity;
  return ranks.filter((rank) => {
    const fits = x(rank) - last >= widthOf(String(rank), 11) + 8;
    if (fits) last = x(rank);
    return fits;
  });
}

/**
 * Names at the lines' ends, moved apart where they would touch.
 * @param {number[]} runs
 * @param {(run: number) => number} endOf where a run's line ends
 * @param {number} right
 * @param {number} bottom
 * @param {number} width
 */
function curveNames(runs, endOf, right, bottom, width) {
  const order = [...runs.keys()].sort((a, b) => endOf(runs[a]) - endOf(runs[b]));
  const places = spreadOut(order.map((i) => endOf(runs[i])), 14, bottom);
  return order.map((i, at) => [
    shape("path", { class: "lead c" + i, d: `M${right} ${endOf(runs[i]).toFixed(1)}L${right + 8} ${places[at].toFixed(1)}` }),
    shape("text", { x: right + 11, y: places[at] + 4 }, fitted(shortName(runs[i]), width - right - 12),
      shape("title", {}, fullName(runs[i]))),
  ]);
}
