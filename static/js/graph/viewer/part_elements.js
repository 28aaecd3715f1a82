// The elements of a part of an open block: its layers, the lines between them, and small boxes of ports.

import { fitText, svg } from "../../dom/svg.js";
import { pointsOf } from "../paths.js";
import { FILL } from "./block_colors.js";
import { touches } from "./geometry.js";
import { partLine, waitEnds } from "./line_elements.js";

/** @import { GraphPen } from "./graph_pen.js" */

// How the names of small boxes' rows begin: inputs and outputs of the engine, tensors that go on elsewhere, constants.
/** @type {Record<string, string>} */
const PORT_KINDS = { I: "input", O: "output", S: "stub", C: "constant" };

/**
 * @param {GraphPen} pen
 * @param {PartItem} item
 * @returns {Element}
 */
export function partElement(pen, { part, x, y }) {
  const { shape } = part;
  const group = svg("g", { class: "plan-part", transform: `translate(${x} ${y})` });
  /** @type {[Point[], number][]} */
  const texts = [];
  (shape.edges ?? []).forEach(([from, to, ...flat], index) => {
    const tensor = from < 0 ? part.in[-1 - from] : to < 0 ? part.out[-1 - to] : part.tensors[index];
    const points = pointsOf(flat);
    group.append(partLine(pen, to, points, tensor));
    texts.push([points, tensor]);
  });
  part.layers.forEach((layer, index) => {
    const [left, top] = [shape.at[2 * index], shape.at[2 * index + 1]];
    group.append(...waitEnds(pen, layer, left, top), layerElement(pen, pen.data.layers[layer], left, top));
  });
  group.append(...smallBoxes(pen, part));
  if (pen.close) group.append(...lineTexts(pen, part, texts));
  return group;
}

/**
 * The rows of the small boxes of a part.
 * @param {GraphPen} pen
 * @param {Part} part
 * @returns {Element[]}
 */
function smallBoxes(pen, part) {
  const { shape } = part;
  const found = [];
  for (const [index, rows] of (part.small ?? shape.small ?? []).entries()) {
    const at = 2 * (part.layers.length + index);
    for (const [row, kind] of [...rows].entries()) {
      const top = shape.at[at + 1] + pen.sizes.pad / 2 + row * pen.sizes.row[1];
      found.push(portElement(pen, part, kind, part.rows[found.length], shape.at[at], top));
    }
  }
  return found;
}

/**
 * Shape and format beside the lines of a part, as far as there is room.
 * @param {GraphPen} pen
 * @param {Part} part
 * @param {[Point[], number][]} lines
 * @returns {Element[]}
 */
function lineTexts(pen, part, lines) {
  const [w, h] = pen.sizes.layer;
  const taken = part.layers.map((_, index) => ({ x: part.shape.at[2 * index], y: part.shape.at[2 * index + 1], w, h }));
  const found = [];
  for (const [points, tensor] of lines) {
    const text = pen.words.textOfTensor(tensor);
    const upright = points.slice(1).map((to, at) => [points[at], to]).filter(([from, to]) => Math.abs(to[1] - from[1]) > 14);
    const [from, to] = upright.sort((one, other) => Math.abs(other[1][1] - other[0][1]) - Math.abs(one[1][1] - one[0][1]))[0] ?? [];
    if (!from || !text) continue;
    const box = { x: (from[0] + to[0]) / 2 + 4, y: (from[1] + to[1]) / 2 - 6, w: text.length * 5.2, h: 12 };
    if (taken.some((other) => touches(box, other))) continue;
    taken.push(box);
    found.push(svg("text", { class: "edge-text", x: box.x, y: box.y + 9, "font-size": "9.5" }, text));
  }
  return found;
}

/**
 * @param {GraphPen} pen
 * @param {Layer} layer
 * @param {number} x
 * @param {number} y
 * @returns {Element}
 */
function layerElement(pen, layer, x, y) {
  const [w, h] = pen.sizes.layer;
  const cost = pen.words.costOfLayer(layer);
  const stream = pen.words.streamOf(layer);
  const turns = layer.precision && layer.output_precision && layer.output_precision !== layer.precision;
  const [inset, radius] = layer.type === "Reformat" ? [8, 14] : [0, 4];
  const mark = { y: inset, width: 6, height: h - 2 * inset, rx: 2 };
  const node = svg(
    "a",
    { class: `node${layer.kind ? ` is-${layer.kind}` : ""}${pen.classesOf(layer.index)}`, href: layer.href ?? `#L${layer.index}`, "data-layer": layer.index, transform: `translate(${x} ${y})`, tabindex: "-1" },
    svg("title", {}, pen.words.titleOfLayer(layer)),
    layer.outline ? svg("rect", { class: "node-outline", x: -4, y: -4, width: w + 8, height: h + 8, rx: 7, fill: "none", stroke: layer.outline, "stroke-width": 3 }) : null,
    svg("rect", { class: "node-box", width: w, height: h, rx: radius }),
    svg("rect", { class: "node-fill", width: w, height: h, rx: radius, fill: pen.paint.mark(layer), "fill-opacity": FILL }),
    svg("rect", { class: "node-mark", ...mark, fill: pen.paint.mark(layer) }),
    turns ? svg("rect", { class: "node-turn", ...mark, x: w - 4, fill: pen.data.precisionColors[layer.output_precision] }) : null,
    svg("text", { class: "node-name", x: 14, y: 18 }, fitText(pen.paint.text(layer), w - 22 - (stream ? 56 : 0))),
    stream ? svg("text", { class: "node-stream", x: w - 8, y: 18, "font-size": "11", "text-anchor": "end" }, stream) : null,
    svg("text", { class: "node-kind", x: 14, y: 34, "font-size": "11" }, fitText(layer.origin || layer.type || "layer", cost ? w - 120 : w - 22, 11)),
    svg("text", { class: "node-cost", x: w - 8, y: 34, "font-size": "11", "text-anchor": "end" }, cost),
  );
  pen.paint.flag(node, layer, w);
  return node;
}

/**
 * @param {GraphPen} pen
 * @param {Part} part
 * @param {string} kind
 * @param {number} tensor
 * @param {number} x
 * @param {number} y
 * @returns {Element}
 */
function portElement(pen, part, kind, tensor, x, y) {
  const [w, h] = pen.sizes.row;
  const facts = pen.data.tensors[tensor];
  const goal = kind === "S" ? goalOf(part, facts) : null;
  return svg(
    "g",
    { class: `port port-${PORT_KINDS[kind]}${pen.litBy([tensor])}`, "data-tensor": tensor, "data-jump": goal == null ? null : `layer ${goal} ${tensor}`, transform: `translate(${x} ${y})` },
    svg("title", {}, pen.words.titleOfPort(tensor, part, goal)),
    svg("rect", { class: "port-box", y: 1, width: w, height: h - 2, rx: 9, "stroke-dasharray": { S: "4 2", C: "1 2" }[kind] }),
    svg("text", { class: "port-name", x: w / 2, y: 14, "font-size": "11", "text-anchor": "middle" }, fitText(pen.words.tensorName(facts), w - 16, 11)),
  );
}

/**
 * Where a stub leads: to who writes its tensor, else to the first who reads it outside of the part.
 * @param {Part} part
 * @param {Tensor} tensor
 * @returns {number | undefined}
 */
function goalOf(part, { from, to }) {
  const inside = new Set(part.layers);
  return [...from, ...to].find((layer) => !inside.has(layer));
}
