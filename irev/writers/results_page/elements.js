// Elements of the page and of its figures, texts as a reader sees them, and axes.

// --- Elements of the page and of its figures; texts are always set as text ---

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
 * @param {Child} text
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

// --- Numbers, names and sentences as a reader sees them ---

/** @param {number} length */
const range = (length) => Array.from({ length }, (_, i) => i);

/**
 * A number with fixed decimals and a true minus; halves go to the even digit, as in irev's tables.
 * @param {number | null | undefined} value
 * @param {number} [decimals]
 */
function rounded(value, decimals = results.places) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  let text = size.toFixed(decimals);
  // toFixed takes an exact half up: the digit before would be even
  if (/[13579]$/.test(text) && /^50*$/.test(size.toFixed(decimals + 25).slice(-25))) {
    text = (size - 0.25 * 10 ** -decimals).toFixed(decimals);
  }
  return (value < 0 ? "−" : "") + text;
}

/** @param {number} value */
const signed = (value) => (value > 0 ? "+" : "") + rounded(value);

/** @param {number | null | undefined} p */
function pText(p) {
  if (p === null || p === undefined || Number.isNaN(p)) return "";
  if (p < 0.0001) return "<0.0001";
  return p < 1 && p >= 0.99995 ? ">0.9999" : rounded(p, 4);
}

/** @param {number | null} share */
const percent = (share) => (share === null ? "–" : rounded(100 * share, 0) + "%");

const confidence = () => +(100 * results.confidence).toPrecision(6) + "%";

/**
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => count + " " + noun + (count === 1 ? "" : "s");

/**
 * A sentence whose slots are texts or elements.
 * @param {string} key
 * @param {Record<string, Child>} [slots]
 * @returns {Child[]}
 */
function sentence(key, slots = {}) {
  const pieces = data.words[key].split(/\{(\w+)\}/);
  return pieces.map((piece, i) => (i % 2 ? slots[piece] : piece));
}

/**
 * The same as one text.
 * @param {string} key
 * @param {Record<string, string | number>} [slots]
 */
function words(key, slots = {}) {
  return data.words[key].replace(/\{(\w+)\}/g, (_, slot) => String(slots[slot]));
}

/**
 * The key of a sentence about so many.
 * @param {string} key
 * @param {number} count
 */
const forCount = (key, count) => (count === 1 ? key + "_one" : key);

/** @param {number} run */
const shortName = (run) => results.runs[run].short;

/** @param {number} run */
const fullName = (run) => results.runs[run].name;

/**
 * As many names as have room, and how many more there are.
 * @param {number[]} runs
 * @returns {Child[]}
 */
function listNames(runs) {
  let room = 150;
  let fits = 0;
  while (fits < runs.length && (room -= [...shortName(runs[fits])].length + 2) >= 0) fits++;
  fits = Math.max(1, fits);
  // a name that runs from right to left turns nothing else round
  const names = runs.slice(0, fits).flatMap((run, i) => [i ? ", " : "", html("bdi", {}, breakableText(shortName(run)))]);
  return runs.length > fits ? sentence("and_more", { names, count: String(runs.length - fits) }) : names;
}

/**
 * A name that may be broken behind a separator.
 * @param {string} text
 * @returns {Child[]}
 */
function breakable(text) {
  return text.split(/(?<=[-_./])/).flatMap((part, i) => (i ? [html("wbr"), part] : [part]));
}

/**
 * A text whose long words, names most often, may be broken behind a separator; a short one stays whole.
 * @param {string} text
 * @returns {Child[]}
 */
function breakableText(text) {
  return text.split(/(\s+)/).map((word) => {
    if (word.length >= 25) return breakable(word);
    return word.includes("-") ? html("span", { class: "whole" }, word) : word;
  });
}

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
const fontFamily = getComputedStyle(document.body).fontFamily;
/** @type {Map<string, number>} */
const widths = new Map();

/**
 * The width of a text in pixels.
 * @param {string} text
 * @param {number} [size]
 * @param {number} [weight]
 */
function widthOf(text, size = 12, weight = 400) {
  const key = `${weight} ${size}px ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen.font = `${weight} ${size}px ${fontFamily}`;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/**
 * @param {string[]} texts
 * @param {number} [size]
 * @param {number} [weight]
 */
const widestOf = (texts, size, weight) => Math.max(0, ...texts.map((text) => widthOf(text, size, weight)));

/**
 * A text that fits: the middle is left out, since the end tells names apart.
 * @param {string} text
 * @param {number} room
 * @param {number} [size]
 * @param {number} [weight]
 */
function fitted(text, room, size = 12, weight = 400) {
  if (widthOf(text, size, weight) <= room) return text;
  const letters = [...text];
  /** @param {number} kept */
  const cut = (kept) => [
    ...letters.slice(0, Math.ceil(kept * 0.4)), "…", ...letters.slice(letters.length - Math.floor(kept * 0.6)),
  ].join("");
  let low = 1;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(cut(middle), size, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

// --- Axes whose positions are numbers ---

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
