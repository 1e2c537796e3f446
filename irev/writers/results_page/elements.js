// Elements of the page and of its figures; texts are always set as text.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * @template {Element} E
 * @param {E} target
 * @param {Record<string, unknown>} attributes "onclick" adds a listener; true is "", false and null are left out
 * @param {Child[]} children
 * @returns {E}
 */
function furnish(target, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      target.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (value === true) {
      target.setAttribute(key, "");
    } else if (value !== false && value !== null && value !== undefined && value !== "") {
      target.setAttribute(key, String(value));
    }
  }
  target.append(...nodesOf(children));
  return target;
}

/**
 * @param {Child[]} children
 * @returns {(string | Node)[]}
 */
function nodesOf(children) {
  return /** @type {(string | Node)[]} */ (
    children.flat(9).filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 */
function html(tag, attributes, ...children) {
  return furnish(document.createElement(tag), attributes || {}, children);
}

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 */
function shape(tag, attributes, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, tag), attributes || {}, children);
}

/**
 * A figure that a screen reader calls by its label.
 * @param {number} width
 * @param {number} height
 * @param {string} label
 * @param {...Child} children
 */
function figure(width, height, label, ...children) {
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const viewBox = `0 0 ${size.width} ${size.height}`;
  return shape("svg", { ...size, viewBox, role: "img", "aria-label": label }, ...children);
}

/**
 * An element that is surely there.
 * @param {string} id
 */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {Child} label
 * @param {() => void} act
 * @param {Record<string, unknown>} [attributes]
 */
function button(label, act, attributes) {
  return html("button", { type: "button", onclick: act, ...attributes }, label);
}

/**
 * A head of a column, by which a table is sorted.
 * @param {string} text
 * @param {Record<string, unknown>} attributes
 * @param {boolean | null} falling null: the table is not sorted by it
 * @param {() => void} act
 */
function sortHead(text, attributes, falling, act) {
  const sorted = falling === null ? null : falling ? "descending" : "ascending";
  return html("th", { scope: "col", ...attributes, "aria-sort": sorted }, button(text, act));
}

/**
 * A labelled list to choose from.
 * @param {string} id
 * @param {string} label
 * @param {[string | number, string][]} options value and text
 * @param {(value: string) => void} act
 */
function picker(id, label, options, act) {
  /** @param {Event} event */
  const onchange = (event) => act(/** @type {HTMLSelectElement} */ (event.target).value);
  const choices = options.map(([value, text]) => new Option(text, String(value)));
  return html("label", {}, label, html("select", { id, onchange }, choices));
}

/**
 * A few choices side by side, of which one is on.
 * @param {string} id
 * @param {string} label
 * @param {[string, string][]} options
 * @param {(value: string) => void} act
 */
function toggle(id, label, options, act) {
  const choices = options.map(([value, text]) =>
    html("label", {}, html("input", { type: "radio", name: id, value, onchange: () => act(value) }), text));
  return html("fieldset", { id }, html("legend", {}, label), html("div", { class: "toggle" }, choices));
}

/**
 * A button that opens a list of acts.
 * @param {string} label
 * @param {[string, () => void][]} entries
 */
function menu(label, entries) {
  const summary = html("summary", {}, label);
  const box = html("details", { class: "menu" }, summary);
  const close = () => {
    box.open = false;
    summary.focus();
  };
  box.append(html("div", {}, entries.map(([text, act]) => button(text, () => { close(); act(); }))));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(/** @type {Node} */ (event.target))) box.open = false;
  });
  return box;
}

/**
 * The hint beside the pointer; without lines it vanishes.
 * @param {MouseEvent} [event]
 * @param {...Child} lines
 */
function showHint(event, ...lines) {
  const box = byId("hint");
  box.hidden = !event;
  if (!event) return;
  box.replaceChildren(...lines.map((line) => html("div", {}, line)));
  const isLow = event.clientY + 18 + box.offsetHeight > innerHeight;
  const x = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8);
  const y = event.clientY + (isLow ? -box.offsetHeight - 10 : 18);
  box.style.left = Math.max(8, x) + "px";
  box.style.top = Math.max(8, y) + "px";
}

/**
 * What a screen reader says of a change.
 * @param {string} text
 */
function announce(text) {
  byId("said").textContent = text;
}
