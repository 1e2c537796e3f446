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

  function search(table) {
    const input = document.createElement("input"), count = document.createElement("span");
    const label = document.createElement("label"), rows = Array.from(table.tBodies[0].rows);
    input.type = "search";
    label.className = "search";
    label.append("Search ", input, " ", count);
    table.closest(".scroll").before(label);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      const left = rows.filter((row) => !row.hidden).length;
      count.textContent = wanted ? left + " of " + rows.length : "";
    });
    return input;
  }
  const fields = Array.from(document.querySelectorAll("table.searched"), search);

  function open() {  // what a link leads to, and all that it lies in
    let found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (const target = found; found; found = found.parentElement) {
      if (found.tagName === "DETAILS") found.open = true;
      if (found.parentElement === document.body) target.scrollIntoView();
    }
  }
  addEventListener("hashchange", open);
  addEventListener("load", open);

  function checkSearch(field) {
    const rows = Array.from(field.closest(".search").nextElementSibling.querySelectorAll("tbody tr"));
    const shown = () => rows.filter((row) => !row.hidden).length;
    for (const [text, wanted] of [["\u0000 no such text", 0], ["", rows.length]]) {
      field.value = text;
      field.dispatchEvent(new Event("input"));
      if (shown() !== wanted) problems.push("search shows " + shown() + " rows, not " + wanted);
    }
  }

  function checkLink(link) {
    const target = document.getElementById(link.getAttribute("href").slice(1));
    if (!target) problems.push("a link leads nowhere: " + link.getAttribute("href"));
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
    fields.forEach(checkSearch);
    document.querySelectorAll("a").forEach(checkLink);
    const room = document.documentElement;
    if (room.scrollWidth > room.clientWidth) problems.push("wider than the window by " + (room.scrollWidth - room.clientWidth));
    const loaded = performance.getEntriesByType("resource").filter((e) => !e.name.startsWith("data:"));
    if (loaded.length) problems.push("loaded: " + loaded.map((entry) => entry.name).join(" "));
    const outcome = problems.length ? "failed: " + problems.join("; ") : "passed: " + heads.length;
    document.documentElement.setAttribute("data-selftest", outcome);
  }
  if (location.hash === "#selftest") addEventListener("load", selfTest);
})();
