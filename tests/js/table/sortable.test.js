// The tables that the page holds whole and sorts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { figureIn } from "../../../static/js/table/sortable.js";

test("the figure of a cell is what it shows", () => {
  assert.deepEqual(["1,130", "0.00418", "≈ 2.5", "−0.3", "112 (exceeds)", "8 of 12", "<0.001", "–", ""].map(figureIn), [1130, 0.00418, 2.5, -0.3, 112, 8, 0.001, null, null]);
});
