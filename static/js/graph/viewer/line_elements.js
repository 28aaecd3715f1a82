// The elements of lines: between items, inside of a part, and the ends of waits for another stream.

import { svg } from "../../dom/svg.js";
import { visible } from "../../format/text.js";
import { arrowHead, roundedPath } from "../paths.js";

/** @import { GraphPen } from "./graph_pen.js" */

// How long the end of a wait for another stream is.
const WAIT_LENGTH = 14;

/**
 * @param {GraphPen} pen
 * @param {LayoutLine} line
 * @returns {Element}
 */
export function itemLine(pen, line) {
  const { tensors, ends, source, target, end, leadsTo = [] } = line;
  const shade = pen.shadeOf(tensors[0]);
  const [x, y] = line.points[line.points.length - 1];
  /** @type {Point[]} */
  const path = ends ? [...line.points.slice(0, -1), [x, y - 4]] : line.points;
  const many = tensors.length > 1;
  const ring = end && line.points.at(end === "leaving" ? -1 : 0);
  return svg(
    "g",
    {
      class: `edge${end ? " is-end" : ""}${pen.litBy(tensors)}`,
      "data-tensor": tensors[0],
      "data-tensors": many ? tensors.join(" ") : null,
      "data-source": source,
      "data-target": target,
      "data-jump": end ? `item ${leadsTo[0]} ${tensors[0]}` : null,
      stroke: shade,
    },
    svg("title", {}, pen.words.titleOfLine(line, pen.items)),
    svg("path", { class: "edge-hit", d: roundedPath(path) }),
    svg("path", { d: roundedPath(path) }),
    ends ? svg("path", { d: arrowHead(line.points), fill: shade, stroke: "none" }) : null,
    ring ? svg("circle", { class: "end-ring", cx: ring[0], cy: ring[1], r: 4 }) : null,
    ends && pen.data.tensors[tensors[0]]?.folded ? foldedMark(line.points) : null,
    many && pen.near && !end ? svg("text", { class: "edge-text", stroke: "none", x: x + 6, y: y - 8, "font-size": "11" }, String(tensors.length)) : null,
  );
}

/**
 * @param {GraphPen} pen
 * @param {number} to
 * @param {Point[]} points
 * @param {number} tensor
 * @returns {Element}
 */
export function partLine(pen, to, points, tensor) {
  const facts = pen.data.tensors[tensor];
  const shade = pen.shadeOf(tensor);
  return svg(
    "g",
    { class: `edge${pen.litBy([tensor])}`, "data-tensor": tensor, stroke: shade, fill: "none", "stroke-width": "1.5" },
    facts ? svg("title", {}, visible(pen.words.tensorTitle(tensor))) : null,
    svg("path", { class: "edge-hit", d: roundedPath(points) }),
    svg("path", { d: roundedPath(points) }),
    to >= 0 ? svg("path", { d: arrowHead(points), fill: shade, stroke: "none" }) : null,
    facts?.folded && to >= 0 ? foldedMark(points) : null,
  );
}

/**
 * Where a layer waits for another stream or lets another one wait: ends that lead to each other.
 * @param {GraphPen} pen
 * @param {number} layer
 * @param {number} x
 * @param {number} y
 * @returns {Element[]}
 */
export function waitEnds(pen, layer, x, y) {
  const [, h] = pen.sizes.layer;
  /** @type {[layers: number[] | undefined, from: number, by: number, words: string][]} */
  const ends = [[pen.tree.waitsFor.get(layer), y, -WAIT_LENGTH, "Waits for"], [pen.tree.waitedBy.get(layer), y + h, WAIT_LENGTH, "Awaited by"]];
  return ends.flatMap(([others, from, by, words]) => {
    if (!others) return [];
    return svg(
      "g",
      { class: "sync is-end", "data-jump": `layer ${others[0]}` },
      svg("title", {}, pen.words.titleOfWait(words, others)),
      svg("path", { class: "edge-hit", d: `M${x + 14} ${from}v${by}` }),
      svg("path", { d: `M${x + 14} ${from}v${by}`, "stroke-dasharray": "1.5 3" }),
      svg("circle", { class: "end-ring", cx: x + 14, cy: from + by, r: 4 }),
    );
  });
}

/**
 * The mark of nodes that are part of an arrow, before its end.
 * @param {Point[]} points
 * @returns {Element}
 */
function foldedMark(points) {
  const [x, y] = points[points.length - 1];
  return svg("path", { class: "edge-folded", d: `M${x} ${y - 21}l5 5l-5 5l-5 -5z`, stroke: "none" });
}
