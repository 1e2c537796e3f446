// What is chosen above the table: measure, baseline, what the plot shows, search, team, columns.

/** The parts of the data, chosen above the answer; null where there is one. */
function partControl() {
  if (data.parts.length === 1) return null;
  /** @type {[string, string][]} */
  const options = data.parts.map(({ name: label }, part) => [String(part), label]);
  const letters = options.reduce((sum, [, label]) => sum + label.length + 4, 0);
  const control = (letters > 90 ? picker : toggle)("pick-part", "Part", options, (part) => openPart(+part));
  return html("div", { class: "controls parts" }, control);
}

/** The controls of the table. */
function tableControls() {
  const byName = range(numRuns).sort((a, b) => (shortName(a) < shortName(b) ? -1 : 1));
  const teams = [...new Set(results.runs.map(({ team }) => team).filter(Boolean))].sort();
  const hasDifferences = numRuns > 1;
  /** @type {[number, string][]} */
  const measures = results.measures.map(({ name: label }, measure) => [measure, label]);
  /** @param {Event} event */
  const search = (event) => choose({ q: /** @type {HTMLInputElement} */ (event.target).value });
  return html("div", { class: "controls" },
    measures.length > 1 && picker("pick-measure", "Measure", measures, (value) => chooseMeasure(+value)),
    numRuns > 1 && picker("pick-baseline", "Compare with", byName.map((run) => [run, shortName(run)]), (run) => chooseBaseline(+run)),
    hasDifferences && toggle("pick-show", "Show", [["means", "means"], ["differences", "differences"]],
      (show) => choose({ show }, `showing ${show}`)),
    numRuns > 4 && html("label", {}, "Search runs", html("input", { type: "search", id: "pick-q", oninput: search })),
    teams.length > 1 && picker("pick-team", "Team", [["", `all ${teams.length}`], ...teams.map((team) => /** @type {[string, string]} */ ([team, team]))],
      (team) => choose({ team }, team ? `runs of ${team}` : "runs of all teams")),
    button("More columns", () => choose({ all: !chosen.all }), { class: "button", id: "pick-all" }),
    html("div", { class: "end" }, menu("Download", downloads())));
}

/** Let all controls show what is chosen. */
function syncControls() {
  /** @type {[string, string | number][]} */
  const values = [
    ["pick-measure", chosen.measure], ["pick-baseline", chosen.baseline], ["pick-team", chosen.team], ["pick-q", chosen.q],
    ["pick-order", chosen.order], ["pick-topic", chosen.topic ?? ""], ["pick-run", chosen.run ?? ""], ["pick-part", chosen.part],
  ];
  for (const [id, value] of values) {
    const control = /** @type {HTMLSelectElement | null} */ (document.getElementById(id));
    if (control && control.value !== String(value)) control.value = String(value);
  }
  checkToggle("pick-show", chosen.show);
  checkToggle("pick-part", String(chosen.part));
  const all = byId("pick-all");
  all.setAttribute("aria-pressed", String(chosen.all));
  all.textContent = chosen.all ? "Fewer columns" : "More columns";
}

/**
 * @param {string} id
 * @param {string} value
 */
function checkToggle(id, value) {
  for (const input of byId("page").querySelectorAll("input")) {
    if (input.name === id) input.checked = input.value === value;
  }
}
