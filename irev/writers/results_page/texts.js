// Numbers, names and sentences as a reader sees them.

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
  return p < 0.0001 ? "<0.0001" : rounded(p, 4);
}

/** @param {number | null} share */
const percent = (share) => (share === null ? "–" : Math.floor(100 * share + 1e-9) + "%");

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
