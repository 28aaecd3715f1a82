// Rows as cards on a phone: each value has the heading of its column.

import assert from "node:assert/strict";
import { test } from "node:test";

import { labelsOf, wideColumns } from "../../static/js/page/cards.js";

test("each cell has the heading of its column", () => {
  assert.deepEqual(labelsOf(["Type", "Layers", "Time (ms)"], [1, 1, 1]), ["Type", "Layers", "Time (ms)"]);
});

test("a cell over several columns, and what follows it, has no heading", () => {
  assert.deepEqual(labelsOf(["Type", "Layers", "Time (ms)"], [1, 2]), ["Type", undefined]);
  assert.deepEqual(labelsOf(["Type"], [1, 1]), ["Type", undefined]);
});

test("a column with a long figure in one row has the room of two in every row", () => {
  const rows = [["", "0.0571", "est. 0.013–0.018"], ["", "0.0390", "–"]];
  assert.deepEqual([...wideColumns(rows)], [2]);
  assert.deepEqual([...wideColumns([["", " 13.7% to 38.3 \n"]])], []);
  assert.deepEqual([...wideColumns([])], []);
});
