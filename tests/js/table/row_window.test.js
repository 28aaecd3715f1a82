// Which rows of a table are in the page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { rowsInView } from "../../../static/js/table/row_window.js";

test("rows in view have some more around them, within the table", () => {
  assert.deepEqual(rowsInView(0, 280, 28, 20000), [0, 34]);
  assert.deepEqual(rowsInView(2800, 280, 28, 20000), [88, 122]);
  assert.deepEqual(rowsInView(20000 * 28, 280, 28, 20000), [19988, 20000]);
  assert.deepEqual(rowsInView(0, 280, 28, 3), [0, 3]);
  assert.deepEqual(rowsInView(0, 280, 28, 0), [0, 0]);
});

test("a table that is not shown yet gets the rows of a usual height", () => {
  const [first, end] = rowsInView(0, 0, 28, 20000);
  assert.deepEqual([first, end], [0, 46]);
});

test("a table that lost rows while it was scrolled shows its last ones", () => {
  assert.deepEqual(rowsInView(28 * 5000, 280, 28, 20), [8, 20]);
});
