// When each layer runs, and which of that is seen: the timeline without any drawing.

import { formatFixed } from "../format/numbers.js";

/**
 * A layer on the timeline, or something else that takes time; times in milliseconds.
 * @typedef {{ layer: number | null, row: number, start: number, end: number, name?: string, color?: Color }} Span
 * @typedef {{ label: string, spans: Span[] }} Row
 */

/**
 * A row for each stream with the spans of all its layers that have a time, in execution order. A layer begins where the
 * one before it on its stream ends, unless the report states another start.
 * @param {Pick<Layer, "index" | "stream" | "avg_ms">[]} layers
 * @param {[layer: number, start: number][]} starts
 * @returns {Row[]}
 */
export function layerRows(layers, starts) {
  const stated = new Map(starts);
  /** @type {Map<number | null, Span[]>} */
  const found = new Map();
  for (const { index, stream = null, avg_ms: ms } of layers) {
    if (!ms) continue;
    const spans = found.get(stream) ?? [];
    const start = stated.get(index) ?? spans.at(-1)?.end ?? 0;
    spans.push({ layer: index, row: 0, start, end: start + ms });
    found.set(stream, spans);
  }
  const ordered = [...found].sort(([one], [other]) => (one ?? -1) - (other ?? -1));
  // Where no layer states its stream, one row has all of them.
  const unknown = ordered.length > 1 ? "not stated" : "layers";
  return ordered.map(([stream, spans], row) => ({ label: stream == null ? unknown : `stream ${stream}`, spans: spans.map((span) => ({ ...span, row })) }));
}

/**
 * The rows of a traced query: boxes with their own names, and with colors unless they have those of their layer.
 * @param {PackedKernelTimeline} packed
 * @returns {Row[]}
 */
export function kernelRows({ rows, names, colors }) {
  return rows.map(([label, boxes], row) => ({
    label,
    spans: boxes.map(([start, took, layer, name, color]) => ({ layer: layer < 0 ? null : layer, row, start, end: start + took, name: names[name], ...(color < 0 ? {} : { color: colors[color] }) })),
  }));
}

/**
 * The first of a stream's spans that ends after a time, by halving: a stream may have tens of thousands.
 * @param {Span[]} spans
 * @param {number} time
 * @returns {number}
 */
export function firstAfter(spans, time) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].end > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The span at a time; the nearest one within a tolerance.
 * @param {Span[]} spans
 * @param {number} time
 * @param {number} tolerance In milliseconds.
 * @returns {Span | undefined}
 */
export function spanAt(spans, time, tolerance) {
  const at = firstAfter(spans, time);
  const far = (/** @type {Span | undefined} */ span) => (span ? Math.max(span.start - time, time - span.end, 0) : Infinity);
  const near = [spans[at], spans[at - 1]].sort((one, other) => far(one) - far(other))[0];
  return far(near) <= tolerance ? near : undefined;
}

/**
 * A part of the time that is within the whole and no narrower than browsers can draw.
 * @param {number} from
 * @param {number} to
 * @param {number} total
 * @returns {[from: number, to: number]}
 */
export function boundedRange(from, to, total) {
  const width = Math.min(total, Math.max(to - from, total / 1e5));
  const start = Math.min(Math.max(from, 0), total - width);
  return [start, start + width];
}

/**
 * Where the ruler has lines: at multiples of 1, 2 or 5 times a power of ten, at most as many as there is room for.
 * @param {[from: number, to: number]} range In milliseconds.
 * @param {number} room For how many lines; one at least.
 * @returns {{ at: number, label: string }[]} Times in milliseconds.
 */
export function rulerTicks([from, to], room) {
  const rough = (to - from) / Math.max(1, room);
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
  const digits = Math.min(9, Math.max(0, -Math.floor(Math.log10(step))));
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, index) => ({ at: (first + index) * step, label: `${formatFixed((first + index) * step, digits)} ms` }));
}
