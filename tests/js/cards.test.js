// Rows as cards on a phone: each value has the heading of its column.

import assert from "node:assert/strict";
import { test } from "node:test";

import { labelsOf } from "../../static/js/page/cards.js";

test("each cell has the heading of its column", () => {
  assert.deepEqual(labelsOf(["Type", "Layers", "Time (ms)"], [1, 1, 1]), ["Type", "Layers", "Time (ms)"]);
});

test("a cell over several columns, and what follows it, has no heading", () => {
  assert.deepEqual(labelsOf(["Type", "Layers", "Time (ms)"], [1, 2]), ["Type", undefined]);
  assert.deepEqual(labelsOf(["Type"], [1, 1]), ["Type", undefined]);
});
