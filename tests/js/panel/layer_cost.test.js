// What the panel says of a layer's cost and precision.

import assert from "node:assert/strict";
import { test } from "node:test";

import { precisionText } from "../../../static/js/format/precision.js";
import { mainCost, otherCost } from "../../../static/js/panel/layer_cost.js";

const stated = (pairs) => Object.fromEntries(pairs.filter(([, value]) => value != null));

test("what is not known is stated as unknown or left out, never zero", () => {
  assert.deepEqual(stated(mainCost({ index: 0 }, undefined)), { "Avg. time": "not measured" });
  assert.deepEqual(stated(otherCost({ precision: "" })), { "Bytes moved": "unknown" });
});

test("the error is a figure, else the meaning of its color, else nothing", () => {
  const levels = { error: { meanings: [["above 5%", "red"], ["not known", "gray"]], of: [0, 1] } };
  assert.equal(stated(mainCost({ index: 0 }, levels)).Error, "above 5%");
  assert.equal(stated(mainCost({ index: 1 }, levels)).Error, undefined);
  assert.equal(stated(mainCost({ index: 7 }, levels)).Error, undefined);
  assert.equal(stated(mainCost({ index: 1, error_percent: 2 }, levels)).Error, "2.00%");
});

test("a layer above its roofline exceeds the model", () => {
  const reached = (percent) => stated(mainCost({ index: 0, reached_percent: percent }, undefined))["% of roofline"];
  assert.equal(reached(72.5), "72.5%");
  assert.equal(reached(109), "109%, exceeds the model");
});

test("integers have no floating-point operations", () => {
  assert.ok(stated(otherCost({ precision: "INT8", tflops: 3 })).Performance.endsWith(" TOP/s"));
  assert.ok(stated(otherCost({ precision: "FP16", tflops: 3 })).Performance.endsWith(" TFLOP/s"));
});

test("a precision that changes has both sides", () => {
  assert.equal(precisionText({ precision: "FP16", output_precision: "INT8" }), "FP16 → INT8");
  assert.equal(precisionText({ precision: "FP16", output_precision: "FP16" }), "FP16");
  assert.equal(precisionText({ precision: "", output_precision: "FP16" }), "not stated → FP16");
  assert.equal(precisionText({ precision: "", output_precision: "" }), "");
});
