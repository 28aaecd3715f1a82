// When each layer runs, and which of that is seen: the timeline without any drawing.

/**
 * A layer on the timeline; times in milliseconds.
 * @typedef {{ layer: number, stream: number | null, start: number, end: number }} Span
 */

/**
 * Return the spans of all layers with a time, in execution order. A layer begins where the one before it on its stream
 * ends, unless the report states another start.
 * @param {Pick<Layer, "index" | "stream" | "avg_ms">[]} layers
 * @param {[layer: number, start: number][]} starts
 * @returns {Span[]}
 */
export function spansOf(layers, starts) {
  const stated = new Map(starts);
  /** @type {Map<number | null, number>} */
  const free = new Map();
  const found = [];
  for (const { index, stream = null, avg_ms: ms } of layers) {
    if (!ms) continue;
    const start = stated.get(index) ?? free.get(stream) ?? 0;
    found.push({ layer: index, stream, start, end: start + ms });
    free.set(stream, start + ms);
  }
  return found;
}

/**
 * The spans of each stream, streams in order.
 * @param {Span[]} spans
 * @returns {Map<number | null, Span[]>}
 */
export function byStream(spans) {
  const streams = [...new Set(spans.map(({ stream }) => stream))].sort((one, other) => (one ?? -1) - (other ?? -1));
  /** @type {Map<number | null, Span[]>} */
  const found = new Map(streams.map((stream) => [stream, []]));
  for (const span of spans) found.get(span.stream)?.push(span);
  return found;
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
