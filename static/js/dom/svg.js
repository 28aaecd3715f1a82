// Elements of a drawing, and texts that fit into it.

import { shorten, visible } from "../format/text.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Create an element of a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} attributes null leaves an attribute out.
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** @type {CanvasRenderingContext2D} */
let ruler;

/**
 * Shorten a text in its middle until it fits into a width in pixels.
 * @param {string} text
 * @param {number} width
 * @param {number} [size]
 * @param {string} [weight]
 * @returns {string}
 */
export function fitText(text, width, size = 12, weight = "") {
  const shown = visible(text);
  ruler ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  ruler.font = `${weight} ${size}px system-ui, sans-serif`;
  if (shown.length * size * 0.35 <= width && ruler.measureText(shown).width <= width) return shown;
  let [low, high] = [1, Math.min(shown.length, 200)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ruler.measureText(shorten(shown, middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return shorten(shown, low);
}
