// The timeline: when layers run, what is seen, and what is under the pointer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { boundedRange, byStream, firstAfter, spanAt, spansOf } from "../../static/js/charts/timeline_layout.js";

const LAYERS = [
  { index: 0, stream: 0, avg_ms: 2 },
  { index: 1, stream: 1, avg_ms: 1 },
  { index: 2, stream: 0 },
  { index: 3, stream: 0, avg_ms: 3 },
  { index: 4, stream: 1, avg_ms: 4 },
];

test("a layer begins where the one before it on its stream ends, unless another start is stated", () => {
  const spans = spansOf(LAYERS, [[4, 2.5]]);
  assert.deepEqual(spans.map(({ layer, start, end }) => [layer, start, end]), [[0, 0, 2], [1, 0, 1], [3, 2, 5], [4, 2.5, 6.5]]);
});

test("streams are in order, with the layers that do not state theirs first", () => {
  const spans = spansOf([{ index: 0, stream: 3, avg_ms: 1 }, { index: 1, avg_ms: 1 }, { index: 2, stream: 0, avg_ms: 1 }], []);
  assert.deepEqual([...byStream(spans)].map(([stream, own]) => [stream, own.length]), [[null, 1], [0, 1], [3, 1]]);
});

test("what is under the pointer is found, also beside a narrow layer", () => {
  const spans = byStream(spansOf(LAYERS, [[4, 2.5]])).get(1);
  assert.equal(firstAfter(spans, 1.5), 1);
  assert.equal(spanAt(spans, 0.5, 0)?.layer, 1);
  assert.equal(spanAt(spans, 1.2, 0.3)?.layer, 1);
  assert.equal(spanAt(spans, 1.8, 0.3), undefined);
  assert.equal(spanAt(spans, 2.4, 0.3)?.layer, 4);
  assert.equal(spanAt([], 1, 5), undefined);
});

test("what is shown keeps within the whole", () => {
  assert.deepEqual(boundedRange(-5, 5, 8), [0, 8]);
  assert.deepEqual(boundedRange(6, 10, 8), [4, 8]);
  const [from, to] = boundedRange(3, 3, 10);
  assert.ok(to > from && from >= 0 && to <= 10);
});
