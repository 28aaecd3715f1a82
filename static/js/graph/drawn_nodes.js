// The nodes of a graph that Python has drawn: their boxes and names, and what the script adds to them.

import { find, findAll } from "../dom/elements.js";
import { svg } from "../dom/svg.js";

/** @import { LayerStyle } from "./layer_style.js" */

/**
 * Read a translation as trexreport writes it.
 * @param {string | null | undefined} text
 * @returns {Point} The origin for any other text.
 */
export function placeOf(text) {
  const [x, y] = /^translate\(([-\d.]+) ([-\d.]+)\)$/.exec(text ?? "")?.slice(1).map(Number) ?? [0, 0];
  return [x, y];
}

/**
 * @param {SVGSVGElement} drawing
 * @returns {Map<number, HTMLElement>} By layer.
 */
export function nodesIn(drawing) {
  return new Map(findAll(".node", drawing).map((node) => [Number(node.dataset.layer), node]));
}

/**
 * @param {Element} node
 * @returns {{ w: number, h: number }}
 */
export function sizeOf(node) {
  const box = find(node, ".node-box");
  return { w: Number(box.getAttribute("width")), h: Number(box.getAttribute("height")) };
}

/**
 * Where nodes are in the coordinates of the whole drawing.
 * @param {SVGSVGElement} drawing
 * @param {Map<number, Element>} nodes
 * @returns {[layer: number, box: Box][]}
 */
export function boxesOf(drawing, nodes) {
  const [left, top] = placeOf(drawing.querySelector(".graph-nodes")?.getAttribute("transform"));
  return [...nodes].map(([layer, node]) => {
    const [x, y] = placeOf(node.getAttribute("transform"));
    return [layer, { x: x + left, y: y + top, ...sizeOf(node) }];
  });
}

/**
 * Add outlines and the marks of findings to the nodes of a drawing, which become one stop of the Tab key together: the
 * arrow keys go from layer to layer.
 * @param {SVGSVGElement} drawing
 * @param {Layer[]} layers
 * @param {LayerStyle} paint
 */
export function completeNodes(drawing, layers, paint) {
  for (const [index, node] of nodesIn(drawing)) {
    node.setAttribute("tabindex", "-1");
    const { w, h } = sizeOf(node);
    paint.flag(node, layers[index], w);
    const { outline } = layers[index];
    if (outline) find(node, ".node-box").before(svg("rect", { class: "node-outline", x: -4, y: -4, width: w + 8, height: h + 8, rx: 7, fill: "none", stroke: outline, "stroke-width": 3 }));
  }
}

/**
 * The names that are drawn in nodes, shortened to their room.
 * @param {SVGSVGElement} drawing
 * @returns {Map<number, string>} By layer.
 */
export function namesIn(drawing) {
  return new Map([...nodesIn(drawing)].map(([layer, node]) => [layer, find(node, ".node-name")?.textContent ?? ""]));
}
