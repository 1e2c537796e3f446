// Figures as SVG files: always in light colours, with attributes instead of styles, so that editors read them.

const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray"];
const WRITTEN = ["fill", "font-size", "font-weight"];

/**
 * @param {SVGSVGElement | null} svg
 * @param {string} file
 */
function saveFigure(svg, file) {
  if (svg) saveFile(file + ".svg", "image/svg+xml", svgText(svg));
}

/**
 * What the style sheet says of a figure, written into it.
 * @param {SVGSVGElement} svg
 */
function svgText(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const hidden = html("div", { class: "sr" }, copy);
  document.body.append(hidden);
  document.documentElement.dataset.theme = "light";
  for (const part of copy.querySelectorAll("path, line, rect, circle, text")) {
    const style = getComputedStyle(part);
    const isText = part.tagName === "text";
    for (const property of isText ? WRITTEN : PAINTED) {
      const value = style.getPropertyValue(property);
      if (value && value !== "none" || property === "fill") part.setAttribute(property, value);
    }
    if (isText) part.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  }
  for (const part of copy.querySelectorAll("[class]")) part.removeAttribute("class");
  delete document.documentElement.dataset.theme;
  hidden.remove();
  copy.setAttribute("xmlns", SVG_NAMESPACE);
  return new XMLSerializer().serializeToString(copy);
}
