// Where the keys of a table lead.

import assert from "node:assert/strict";
import { test } from "node:test";

import { rowStep, stepped } from "../../../static/js/table/row_keys.js";

test("keys go by a row, by what is in view, or to the end", () => {
  assert.equal(rowStep("ArrowDown", 10.4), 1);
  assert.equal(rowStep("ArrowUp", 10.4), -1);
  assert.equal(rowStep("PageDown", 10.4), 8);
  assert.equal(rowStep("PageUp", 1), -1);
  assert.equal(rowStep("End", 10), Infinity);
  assert.equal(rowStep("Enter", 10), undefined);
});

test("steps end at the first and the last row; without a row they begin at the first", () => {
  assert.equal(stepped(3, 1, 10), 4);
  assert.equal(stepped(3, -8, 10), 0);
  assert.equal(stepped(3, Infinity, 10), 9);
  assert.equal(stepped(3, -Infinity, 10), 0);
  assert.equal(stepped(-1, 1, 10), 0);
  assert.equal(stepped(-1, Infinity, 10), 9);
});
