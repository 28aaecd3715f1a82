// The timeline: when layers run, what is seen, and what is under the pointer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { boundedRange, firstAfter, kernelRows, layerRows, spanAt } from "../../static/js/charts/timeline_layout.js";

const LAYERS = [
  { index: 0, stream: 0, avg_ms: 2 },
  { index: 1, stream: 1, avg_ms: 1 },
  { index: 2, stream: 0 },
  { index: 3, stream: 0, avg_ms: 3 },
  { index: 4, stream: 1, avg_ms: 4 },
];

test("a layer begins where the one before it on its stream ends, unless another start is stated", () => {
  const rows = layerRows(LAYERS, [[4, 2.5]]);
  assert.deepEqual(rows.map(({ spans }) => spans.map(({ layer, row, start, end }) => [layer, row, start, end])), [[[0, 0, 0, 2], [3, 0, 2, 5]], [[1, 1, 0, 1], [4, 1, 2.5, 6.5]]]);
});

test("streams are in order, with the layers that do not state theirs first", () => {
  const rows = layerRows([{ index: 0, stream: 3, avg_ms: 1 }, { index: 1, avg_ms: 1 }, { index: 2, stream: 0, avg_ms: 1 }], []);
  assert.deepEqual(rows.map(({ label, spans }) => [label, spans.length]), [["not stated", 1], ["stream 0", 1], ["stream 3", 1]]);
  assert.deepEqual(layerRows([{ index: 0, avg_ms: 1 }], []).map(({ label }) => label), ["layers"]);
});

test("boxes of a traced query have their names, and a color or a layer", () => {
  /** @type {PackedKernelTimeline} */
  const packed = { total: 9, names: ["gemm", "CPU"], colors: ["#123456"], rows: [["kernels", [[1, 2, 5, 0, -1]]], ["no kernel", [[3, 4, -1, 1, 0]]]] };
  assert.deepEqual(kernelRows(packed), [
    { label: "kernels", spans: [{ layer: 5, row: 0, start: 1, end: 3, name: "gemm" }] },
    { label: "no kernel", spans: [{ layer: null, row: 1, start: 3, end: 7, name: "CPU", color: "#123456" }] },
  ]);
});

test("what is under the pointer is found, also beside a narrow layer", () => {
  const { spans } = layerRows(LAYERS, [[4, 2.5]])[1];
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
