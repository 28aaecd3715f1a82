// What layers of a report can be colored by.

import assert from "node:assert/strict";
import { test } from "node:test";

import { colorsOf } from "../../../static/js/charts/color_choice.js";

test("only what a report states is offered", () => {
  assert.deepEqual(colorsOf({ layers: [{}], findings: [] }), ["type", "precision"]);
  assert.deepEqual(colorsOf({ layers: [{}, { bound: "memory" }], findings: [] }), ["type", "precision", "bound"]);
  assert.deepEqual(colorsOf({ layers: [], findings: [{}], levels: { increase: {} } }), ["type", "precision", "findings", "increase"]);
});
