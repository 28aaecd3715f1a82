// The roofline of another GPU: its roofs over the layers as they were measured.

import { fromColumns } from "../data/unpack.js";
import { byId, find, h, targetOf } from "../dom/elements.js";
import { svg } from "../dom/svg.js";
import { PHONE } from "../dom/windows.js";
import { formatCount, formatMs, formatNumber } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { onState, setState, state } from "../state/state.js";
import { alongLine, boxOf, placeBeside } from "./label_places.js";
import { decades, peakOf, roofOf, underRoofs } from "./roofs.js";

/** @import { GpuPeaks, RoofPoint } from "./roofs.js" */
/** @import { Box, Dot as Mark } from "./label_places.js" */

/** Size, room around the points, and names of layers: how many, and their letters. Peaks are named beside the points. */
const WIDE = { w: 1040, h: 420, left: 64, right: 190, top: 36, bottom: 44, names: 4, letters: 28 };
/** On a phone, peaks are named above their lines. */
const TALL = { w: 480, h: 500, left: 58, right: 12, top: 48, bottom: 48, names: 2, letters: 22 };
const RADIUS = { least: 2.5, most: 9 };
/** Mean width of a letter. */
const LETTER = 6.4;
/** A text that can be read over points, and lets clicks through to them. */
const ON_POINTS = { "paint-order": "stroke", stroke: "var(--page)", "stroke-width": 3, "pointer-events": "none" };
/** Distance of names of peaks. */
const PEAK_LINE = 16;

/** @typedef {typeof WIDE} Space */

/**
 * Offer the GPUs of the table.
 * @param {ReportData} data
 */
export function openWhatIf(data) {
  const list = byId("what-if");
  const before = byId("chart-roofline");
  const given = data.whatIf;
  if (!list || !before || !given) return;
  const figure = h("figure", { class: "chart is-wide", id: "chart-what-if", hidden: true }, h("figcaption"), h("div", { class: "static-chart" }), h("p", { class: "muted", role: "status" }));
  before.after(figure);
  const points = measuredPoints(data);
  const gpus = gpusOf(given.gpus);
  const [here = null] = gpusOf(given.here);
  const phone = matchMedia(PHONE);
  list.append(...gpus.map(([name]) => h("option", {}, name)));
  list.addEventListener("change", (event) => setState({ gpu: targetOf(event).value }));
  const show = () => {
    const gpu = gpus.find(([name]) => name === state.gpu);
    list.value = gpu ? gpu[0] : "";
    before.hidden = Boolean(gpu);
    figure.hidden = !gpu;
    if (!gpu) return;
    find(figure, "figcaption").textContent = `What if: roofline of ${gpu[0]}`;
    figure.classList.toggle("is-wide", !phone.matches);
    find(figure, ".static-chart").replaceChildren(drawing(data, gpu, points, phone.matches ? TALL : WIDE));
    find(figure, "[role=status]").textContent = summary(gpu, here, points);
  };
  onState((_, changed) => changed.gpu && show());
  phone.addEventListener("change", show);
}

/**
 * @param {PackedRecords} columns
 * @returns {GpuPeaks[]}
 */
export function gpusOf(columns) {
  return fromColumns(columns).map(({ name, bandwidth, ...peaks }) => {
    const of = (/** @type {string} */ unit) => Object.fromEntries(Object.entries(peaks).filter(([key]) => key.startsWith(unit)).map(([key, peak]) => [key.slice(unit.length), peak]));
    return [name, bandwidth, of("tensor "), of("vector ")];
  });
}

/**
 * @param {ReportData} data
 * @returns {RoofPoint[]}
 */
function measuredPoints(data) {
  const { points, kinds } = /** @type {WhatIf} */ (data.whatIf);
  const [layers, intensities, kindOf] = points;
  return layers.flatMap((layer, at) => {
    const { flops, avg_ms: ms } = data.layers[layer];
    return flops && ms ? [{ layer, x: intensities[at], y: flops / ms / 1e9, flops, ms, kind: kinds[kindOf[at]] }] : [];
  });
}

/**
 * What the colors of the points mean, in a line above the drawing.
 * @param {ReportData} data
 * @param {RoofPoint[]} points
 * @returns {SVGElement[]}
 */
function legend(data, points) {
  const present = new Set(points.map(({ layer }) => data.layers[layer].precision));
  let left = 0;
  return Object.entries(data.precisionColors).filter(([precision]) => present.has(precision)).flatMap(([precision, fill]) => {
    const name = visible(precision);
    const at = left;
    left += 36 + name.length * LETTER * (12 / 11);
    return [spot(data, precision, at + 5, 8, 4, { fill }), svg("text", { class: "chart-text", x: at + 16, y: 12 }, name)];
  });
}

/**
 * A point in the color and the shape of its precision, as the static roofline draws it.
 * @param {ReportData} data
 * @param {string} precision
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {Record<string, any>} look
 * @returns {SVGElement}
 */
function spot({ whatIf }, precision, x, y, r, look) {
  const corners = whatIf?.shapes[precision];
  if (!corners) return svg("circle", { cx: x, cy: y, r, ...look });
  const tenths = (/** @type {number} */ value) => Math.round(10 * value) / 10;
  return svg("path", { d: `M${corners.map(([across, down]) => `${tenths(x + r * across)} ${tenths(y + r * down)}`).join("L")}Z`, ...look });
}

/**
 * What the other GPU would allow, in words.
 * @param {GpuPeaks} gpu
 * @param {GpuPeaks | null} here
 * @param {RoofPoint[]} points
 * @returns {string}
 */
export function summary(gpu, here, points) {
  const there = underRoofs(gpu, points);
  const layers = (/** @type {number} */ count) => `${formatCount(count)} ${count === 1 ? "layer" : "layers"}`;
  const parts = [`Roofs of ${gpu[0]} at boost clock over the times that were measured${here ? ` on ${here[0]}` : ""}: no prediction.`];
  if (there.known) parts.push(`Roofline time of ${layers(there.known)}: ${formatMs(there.roofMs)} (measured ${formatMs(there.ms)}${hereText(here, points, gpu)}); ${formatCount(there.memory)} below the memory roof.`);
  if (there.above) parts.push(`${layers(there.above)} ${there.above === 1 ? "is" : "are"} above the roofs: there they would take longer, as far as no cache holds their data.`);
  if (there.known < points.length) parts.push(`${layers(points.length - there.known)} ${points.length - there.known === 1 ? "has" : "have"} no roof: the table has no ${there.missing.join(", ")} peak of this GPU.`);
  return parts.join(" ");
}

/**
 * The roofline time of the same layers on the GPU of the capture, where all of them have one.
 * @param {GpuPeaks | null} here
 * @param {RoofPoint[]} points
 * @param {GpuPeaks} gpu
 * @returns {string}
 */
function hereText(here, points, gpu) {
  if (!here) return "";
  const same = points.filter((point) => roofOf(gpu, point));
  const sums = underRoofs(here, same);
  return sums.known === same.length ? `, roofline time there ${formatMs(sums.roofMs)}` : "";
}

/**
 * @param {ReportData} data
 * @param {GpuPeaks} gpu
 * @param {RoofPoint[]} points
 * @param {Space} space
 * @returns {SVGSVGElement}
 */
function drawing(data, gpu, points, space) {
  const peaks = new Map(points.flatMap(({ kind }) => [peakOf(gpu, kind)].filter((each) => each !== null)));
  const ridges = [...peaks.values()].map((peak) => (1e3 * peak) / gpu[1]);
  // All points, all ridge points and all peaks are in the drawing: nothing is cut off.
  const [x, y] = [scaleOf([...points.map((point) => point.x), ...ridges], space.left, space.w - space.right), scaleOf([...points.map((point) => point.y), ...peaks.values()], space.h - space.bottom, space.top)];
  const longest = points.reduce((most, { ms }) => Math.max(most, ms), 0);
  const marks = points.map((point) => ({ x: x.at(point.x), y: y.at(point.y), r: Math.max(RADIUS.least, RADIUS.most * Math.sqrt(point.ms / longest)) }));
  const dots = points.map((point, index) => {
    const layer = data.layers[point.layer];
    const { x: cx, y: cy, r } = marks[index];
    const roof = roofOf(gpu, point);
    const reached = roof ? `${formatNumber((100 * point.y) / roof.limit)}% of this roof${point.y > roof.limit ? ", exceeds the model" : ""}` : "roof not known";
    return svg("a", { href: `#L${point.layer}`, tabindex: "-1" }, svg("title", {}, `${visible(layer.name)}\n${formatNumber(point.x)} FLOP/byte, ${formatMs(point.ms)}, ${reached}`), spot(data, layer.precision, cx, cy, r, { fill: data.precisionColors[layer.precision] ?? data.unknownColor, "fill-opacity": 0.75, stroke: "var(--page)" }));
  });
  const lines = roofs(gpu, peaks, x, y, space);
  const bandwidth = memoryName(gpu, x, y);
  const label = `Measured layers below the roofs of ${gpu[0]}`;
  return svg("svg", { class: "chart", viewBox: `0 0 ${space.w} ${space.h}`, width: space.w, height: space.h, role: "img", "aria-label": label, "font-size": 12, "font-family": "system-ui, sans-serif" }, svg("title", {}, label), legend(data, points), axes(x, y, space), dots, lines.drawn, bandwidth.text, labels(data, gpu, points, marks, [bandwidth.box, ...lines.boxes], space));
}

/**
 * A logarithmic scale with some room on both ends.
 * @param {number[]} values
 * @param {number} from
 * @param {number} to
 */
function scaleOf(values, from, to) {
  const [low, high] = [values.reduce((least, each) => Math.min(least, each), Infinity) / 1.4, values.reduce((most, each) => Math.max(most, each), 0) * 1.4];
  const share = (/** @type {number} */ value) => Math.log(value / low) / Math.log(high / low);
  return { low, high, at: (/** @type {number} */ value) => Math.round(10 * (from + share(value) * (to - from))) / 10 };
}

/** @typedef {ReturnType<typeof scaleOf>} Scale */

/**
 * @param {Scale} x
 * @param {Scale} y
 * @param {Space} space
 * @returns {SVGElement[]}
 */
function axes(x, y, space) {
  const text = (/** @type {Record<string, any>} */ place, /** @type {string} */ words) => svg("text", { class: "chart-text-muted", ...place }, words);
  const line = (/** @type {Record<string, any>} */ place) => svg("line", { class: "chart-grid", ...place });
  const [right, bottom] = [space.w - space.right, space.h - space.bottom];
  return [
    ...decades(x.low, x.high).flatMap((value) => [line({ x1: x.at(value), x2: x.at(value), y1: space.top, y2: bottom }), text({ x: x.at(value), y: bottom + 16, "text-anchor": "middle" }, formatNumber(value))]),
    ...decades(y.low, y.high).flatMap((value) => [line({ x1: space.left, x2: right, y1: y.at(value), y2: y.at(value) }), text({ x: space.left - 8, y: y.at(value) + 4, "text-anchor": "end" }, formatNumber(value))]),
    text({ x: (space.left + right) / 2, y: space.h - 8, "text-anchor": "middle" }, "Arithmetic intensity (FLOP/byte)"),
    text({ x: 14, y: (space.top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(space.top + bottom) / 2})` }, "TFLOP/s, TOP/s"),
  ];
}

/**
 * The roofs: that of the memory up to the highest peak, and each peak from its ridge point on.
 * @param {GpuPeaks} gpu
 * @param {Map<string, number>} peaks
 * @param {Scale} x
 * @param {Scale} y
 * @param {Space} space
 * @returns {{ drawn: SVGElement[], boxes: Box[] }} With what lines and names cover.
 */
function roofs(gpu, peaks, x, y, space) {
  const right = space.w - space.right;
  const isAbove = space === TALL;
  const highest = Math.max(...peaks.values());
  const start = Math.max(x.low, (1e3 * y.low) / gpu[1]);
  const line = (/** @type {string} */ d) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.5 });
  if (!peaks.size) return { drawn: [], boxes: [] };
  const end = (1e3 * highest) / gpu[1];
  const [from, to] = [{ x: x.at(start), y: y.at((start * gpu[1]) / 1e3) }, { x: x.at(end), y: y.at(highest) }];
  /** @type {SVGElement[]} */
  const drawn = [line(`M${from.x} ${from.y}L${to.x} ${to.y}`)];
  const boxes = alongLine(from, to);
  let free = -Infinity;
  for (const [type, peak] of [...peaks].sort(([, one], [, other]) => other - one)) {
    const [left, level] = [x.at((1e3 * peak) / gpu[1]), y.at(peak)];
    // One below the other where peaks are close together.
    free = Math.max(level + (isAbove ? -5 : 4), free + PEAK_LINE);
    const words = `${type}: ${formatNumber(peak)}`;
    const place = isAbove ? { x: right, "text-anchor": "end" } : { x: right + 6 };
    drawn.push(line(`M${left} ${level}H${right}`), svg("text", { class: "chart-text", ...place, ...ON_POINTS, y: free }, words));
    boxes.push({ left, right, top: level - 1, bottom: level + 1 });
    if (isAbove) boxes.push(boxOf({ x: right, y: free, anchor: "end" }, words.length * LETTER * (12 / 11)));
  }
  return { drawn, boxes };
}

/**
 * The name of the memory roof, below its begin.
 * @param {GpuPeaks} gpu
 * @param {Scale} x
 * @param {Scale} y
 * @returns {{ text: SVGElement, box: Box }}
 */
function memoryName(gpu, x, y) {
  const words = `Memory ${formatNumber(gpu[1])} GB/s`;
  const start = Math.max(x.low, (1e3 * y.low) / gpu[1]);
  const place = { x: x.at(start) + 34, y: y.at((start * gpu[1]) / 1e3) - 4, anchor: /** @type {const} */ ("start") };
  return { text: svg("text", { class: "chart-text-muted", x: place.x, y: place.y, ...ON_POINTS }, words), box: boxOf(place, words.length * LETTER * (12 / 11)) };
}

/**
 * The layers that are farthest below the roofs, by time.
 * @param {ReportData} data
 * @param {GpuPeaks} gpu
 * @param {RoofPoint[]} points
 * @param {Mark[]} marks Of the points.
 * @param {Box[]} texts That are there already, and lines.
 * @param {Space} space
 * @returns {SVGElement[]}
 */
function labels(data, gpu, points, marks, texts, space) {
  const headroom = (/** @type {RoofPoint} */ point) => {
    const roof = roofOf(gpu, point);
    return roof ? point.ms - point.flops / (roof.limit * 1e9) : -1;
  };
  const room = { left: space.left, right: space.w - space.right, top: 16, bottom: space.h - space.bottom };
  const found = [];
  for (const at of points.map((_, index) => index).sort((one, other) => headroom(points[other]) - headroom(points[one])).slice(0, 40)) {
    if (found.length === space.names || headroom(points[at]) <= 0) break;
    const name = shorten(visible(data.layers[points[at].layer].name), space.letters);
    const width = name.length * LETTER;
    const place = placeBeside(marks[at], width, room, texts, marks.filter((mark) => mark !== marks[at]));
    if (!place) continue;
    texts.push(boxOf(place, width));
    found.push(svg("text", { class: "chart-text", x: place.x, y: place.y, "font-size": 11, "text-anchor": place.anchor, ...ON_POINTS }, name));
  }
  return found;
}
