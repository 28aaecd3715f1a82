// The roofs of another GPU.

import assert from "node:assert/strict";
import { test } from "node:test";

import { alongLine, boxOf, placeBeside } from "../../static/js/charts/label_places.js";
import { decades, peakOf, roofOf, underRoofs } from "../../static/js/charts/roofs.js";
import { gpusOf, summary } from "../../static/js/charts/what_if.js";

// 100 GB/s, 10 TOP/s of INT8, 5 TFLOP/s of FP16, 1 TFLOP/s of CUDA cores: ridge points at 100, 50 and 10.
const GPU = ["G", 100, { INT8: 10, FP16: 5 }, { FP32: 1 }];
const point = (x, y, kind, ms = 1) => ({ layer: 0, x, y, flops: y * ms * 1e9, ms, kind });

test("GPUs have the peaks that are known of them", () => {
  const packed = { count: 2, columns: [["name", ["G", "H"]], ["bandwidth", [100], [0, 0]], ["tensor INT8", [10, null]], ["tensor INT8/FP16", [null, 7]], ["vector FP32", [1, null]]] };
  assert.deepEqual(gpusOf(packed), [["G", 100, { INT8: 10 }, { FP32: 1 }], ["H", 100, { "INT8/FP16": 7 }, {}]]);
  assert.deepEqual(gpusOf({ count: 0, columns: [] }), []);
});

test("the first known type counts, and the CUDA cores for what is not a product", () => {
  assert.deepEqual(peakOf(GPU, ["INT8/FP16", "INT8"]), ["INT8", 10]);
  assert.deepEqual(peakOf(GPU, ["TF32", "FP32"]), ["FP32", 1]);
  assert.deepEqual(peakOf(GPU, null), ["CUDA cores FP32", 1]);
  assert.equal(peakOf(GPU, ["FP8"]), null);
});

test("a roof is the lower one of memory and peak", () => {
  assert.equal(roofOf(GPU, point(20, 1, ["INT8"])).limit, 2);
  assert.equal(roofOf(GPU, point(500, 1, ["INT8"])).limit, 10);
  assert.equal(roofOf(GPU, point(1, 1, ["FP8"])), null);
});

test("sums count what is known, and state what is not", () => {
  const found = underRoofs(GPU, [point(20, 1, ["INT8"]), point(500, 20, ["INT8"]), point(1, 1, ["FP8"]), point(1, 1, ["FP8/FP16", "FP4"])]);
  assert.deepEqual(found, { known: 2, above: 1, ms: 2, roofMs: 0.5 + 2, memory: 1, missing: ["FP4", "FP8"] });
});

test("the sentence is not a prediction, and unknown stays unknown", () => {
  const text = summary(GPU, ["H", 200, { INT8: 20 }, {}], [point(20, 1, ["INT8"]), point(1, 1, ["FP8"])]);
  assert.match(text, /measured on H: no prediction\. Roofline time of 1 layer: 0\.500.ms \(measured 1\.00.ms, roofline time there 0\.250.ms\); 1 below the memory roof\. 1 layer has no roof: the table has no FP8 peak/);
  const alone = summary(GPU, null, [point(1, 1, ["FP8"])]);
  assert.doesNotMatch(alone, /Roofline time|measured on/);
  assert.match(alone, /1 layer has no roof/);
});

test("an axis has its powers of ten, and more where there are few", () => {
  assert.deepEqual(decades(0.5, 2000).map(Math.round), [1, 10, 100, 1000]);
  assert.deepEqual(decades(1, 30), [1, 2, 5, 10, 20]);
});

test("a name lies over no slanted line", () => {
  const room = { left: 0, right: 400, top: 0, bottom: 400 };
  const line = alongLine({ x: 0, y: 400 }, { x: 400, y: 0 });
  const name = (lines) => placeBeside({ x: 195, y: 200, r: 3 }, 60, room, lines, []);
  assert.equal(name([]).anchor, "start");
  const place = name(line);
  assert.notEqual(place.anchor, "start");
  const box = boxOf(place, 60);
  // The line is where x and y are 400 together: the name is on one side of it.
  const sides = [box.left + box.top, box.right + box.bottom].map((sum) => Math.sign(sum - 400));
  assert.equal(sides[0], sides[1]);
});
