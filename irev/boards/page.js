"use strict";
(function () {
  const problems = [];
  addEventListener("error", (event) => problems.push(String(event.message)));
  addEventListener("securitypolicyviolation", (event) => problems.push("blocked: " + event.blockedURI));

  function key(row, column) {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v;
  }

  function compare(one, other) {
    const numbers = [Number(one), Number(other)];
    if (!numbers.some(Number.isNaN)) return numbers[0] - numbers[1];
    return one < other ? -1 : one > other ? 1 : 0;
  }

  function sort(head, column, falling) {
    const body = head.closest("table").tBodies[0];
    const rows = Array.from(body.rows);
    const place = new Map(rows.map((row, number) => [row, number]));
    rows.sort((one, other) => {
      const left = key(one, column), right = key(other, column);
      if ((left === "") !== (right === "")) return left === "" ? 1 : -1;  // nothing stands last
      const order = compare(left, right);
      return (falling ? -order : order) || place.get(one) - place.get(other);
    });
    body.append(...rows);
    for (const cell of head.parentNode.cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  }

  const heads = Array.from(document.querySelectorAll("table.sortable thead th"));
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () =>
      sort(head, head.cellIndex, head.getAttribute("aria-sort") === "ascending"));
  }

  function check(head) {
    for (const falling of [false, true]) {
      head.firstChild.click();
      const wanted = falling ? "descending" : "ascending";
      if (head.getAttribute("aria-sort") !== wanted) problems.push("not marked as " + wanted);
      const rows = Array.from(head.closest("table").tBodies[0].rows);
      const keys = rows.map((row) => key(row, head.cellIndex)).filter((text) => text !== "");
      for (let i = 1; i < keys.length; i++) {
        const order = compare(keys[i - 1], keys[i]);
        if (falling ? order < 0 : order > 0) problems.push("not sorted: " + head.textContent);
      }
    }
  }

  function selfTest() {
    if (!heads.length) problems.push("no table can be sorted");
    heads.forEach(check);
    const loaded = performance.getEntriesByType("resource").filter((e) => !e.name.startsWith("data:"));
    if (loaded.length) problems.push("loaded: " + loaded.map((entry) => entry.name).join(" "));
    const outcome = problems.length ? "failed: " + problems.join("; ") : "passed: " + heads.length;
    document.documentElement.setAttribute("data-selftest", outcome);
  }
  if (location.hash === "#selftest") addEventListener("load", selfTest);
})();
