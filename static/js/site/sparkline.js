// The times of the runs of a history as a small line.

import { svg } from "../dom/svg.js";
import { formatMs } from "../format/numbers.js";

const WIDTH = 80;
const HEIGHT = 18;
const MARGIN_X = 3;

const tenth = (/** @type {number} */ value) => Math.round(10 * value) / 10;

/**
 * A line through the times, with a dot at the run of this row; the vertical axis starts at zero.
 * @param {[address: string, ms: number][]} runs
 * @param {string} address
 * @returns {SVGSVGElement}
 */
export function sparkline(runs, address) {
  const most = runs.reduce((largest, [, ms]) => Math.max(largest, ms), 0);
  const x = (/** @type {number} */ at) => MARGIN_X + ((WIDTH - 2 * MARGIN_X) * at) / Math.max(1, runs.length - 1);
  const y = (/** @type {number} */ ms) => HEIGHT - 2 - ((HEIGHT - 5) * ms) / (most || 1);
  const points = runs.map(([, ms], at) => `${tenth(x(at))},${tenth(y(ms))}`);
  const own = runs.findIndex(([each]) => each === address);
  const drawing = svg("svg", { class: "sparkline", width: WIDTH, height: HEIGHT, role: "img", "aria-label": `Times of ${runs.length} runs, the latest ${formatMs(runs.at(-1)?.[1])}` });
  drawing.append(svg("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
  if (own >= 0) drawing.append(svg("circle", { cx: x(own), cy: y(runs[own][1]), r: 2.5, fill: "currentColor" }));
  return drawing;
}
