// A drawing of a graph in one column or in several: the same boxes, lines and texts in other places.

import { findAll } from "../dom/elements.js";
import { svg } from "../dom/svg.js";
import { placeOf } from "./drawn_nodes.js";

/**
 * What has a place of its own in a drawing: boxes, and the rows of those that have several.
 * @param {SVGSVGElement} drawing
 * @returns {HTMLElement[]}
 */
function placedIn(drawing) {
  return findAll(".graph-nodes > [transform]", drawing);
}

/**
 * Where everything is in a drawing.
 * @param {SVGSVGElement} drawing
 * @returns {Arrangement}
 */
export function arrangementOf(drawing) {
  const { width, height } = drawing.viewBox.baseVal;
  const texts = findAll(".edge-texts > text", drawing);
  return {
    w: width,
    h: height,
    at: placeOf(drawing.querySelector(".graph-nodes")?.getAttribute("transform")),
    boxes: placedIn(drawing).flatMap((each) => placeOf(each.getAttribute("transform"))),
    lines: findAll(".graph-edges path", drawing).map((each) => each.getAttribute("d") ?? ""),
    texts: texts.map((each) => [Number(each.getAttribute("x")), Number(each.getAttribute("y")), each.textContent ?? ""]),
  };
}

/**
 * Put everything in a drawing where an arrangement has it.
 * @param {SVGSVGElement} drawing
 * @param {Arrangement} arrangement
 */
export function rearrange(drawing, { w, h, at, boxes, lines, texts }) {
  const move = (/** @type {Element} */ element, /** @type {number} */ x, /** @type {number} */ y) => element.setAttribute("transform", `translate(${x} ${y})`);
  drawing.setAttribute("viewBox", `0 0 ${w} ${h}`);
  drawing.setAttribute("width", String(w));
  drawing.setAttribute("height", String(h));
  for (const group of findAll(".graph-edges, .graph-nodes", drawing)) move(group, ...at);
  placedIn(drawing).forEach((each, index) => move(each, boxes[2 * index], boxes[2 * index + 1]));
  findAll(".graph-edges path", drawing).forEach((each, index) => each.setAttribute("d", lines[index]));
  drawing.querySelector(".edge-texts")?.replaceChildren(...texts.map(([x, y, text]) => svg("text", { x, y }, text)));
}

/**
 * The arrangement that suits a view: the largest of those that can be read as a whole, else the widest of which the
 * width can be read, else the first.
 * @param {Arrangement[]} arrangements From the narrowest to the widest.
 * @param {{ w: number, h: number }} view In pixels; 0 of one that is not shown.
 * @param {{ whole: number, width: number }} least Scales at which a drawing is read as a whole, and by scrolling down.
 * @returns {Arrangement}
 */
export function fittingArrangement(arrangements, view, least) {
  const scale = (/** @type {Arrangement} */ { w, h }) => Math.min(1, view.w / w, view.h / h);
  const best = arrangements.reduce((one, other) => (scale(other) > scale(one) ? other : one));
  if (scale(best) >= least.whole) return best;
  return arrangements.findLast(({ w }) => view.w / w >= least.width) ?? arrangements[0];
}
