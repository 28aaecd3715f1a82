// The way of the arrow keys from box to box.

import assert from "node:assert/strict";
import { test } from "node:test";

import { neighborOf } from "../../../static/js/charts/icicle_layout.js";

// A root over two groups; the second one has two layers.
const BOXES = [
  { row: 0, x: 0, width: 100, ms: 10 },
  { row: 1, x: 0, width: 40, ms: 4 },
  { row: 1, x: 40, width: 60, ms: 6 },
  { row: 2, x: 40, width: 20, ms: 2 },
  { row: 2, x: 60, width: 40, ms: 4 },
];
const from = (at, key) => neighborOf(BOXES, BOXES[at], key);

test("arrow keys go to the box around, the first one inside, and those beside", () => {
  assert.equal(from(4, "ArrowUp"), 2);
  assert.equal(from(0, "ArrowDown"), 1);
  assert.equal(from(2, "ArrowDown"), 3);
  assert.equal(from(1, "ArrowRight"), 2);
  assert.equal(from(4, "ArrowLeft"), 3);
});

test("where nothing is, they lead nowhere", () => {
  assert.equal(from(0, "ArrowUp"), -1);
  assert.equal(from(1, "ArrowDown"), -1);
  assert.equal(from(2, "ArrowRight"), -1);
  assert.equal(from(0, "ArrowLeft"), -1);
});
