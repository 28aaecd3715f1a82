// The mark of nodes that are part of an arrow.

import { svg } from "../../dom/svg.js";

/**
 * Return a mark before the end of an arrow.
 * @param {Point[]} points
 * @returns {Element}
 */
export function foldedMark(points) {
  const [x, y] = points[points.length - 1];
  return svg("path", { class: "edge-folded", d: `M${x} ${y - 21}l5 5l-5 5l-5 -5z`, stroke: "none" });
}
