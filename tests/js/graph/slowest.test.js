// What is read first of a large drawing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { slowest } from "../../../static/js/graph/slowest.js";

test("the slowest is the first of the longest time, and none without a time", () => {
  const items = [{ ms: null }, { ms: 2 }, { ms: 3, first: true }, { ms: 3 }, {}];
  assert.equal(slowest(items, ({ ms }) => ms)?.first, true);
  assert.equal(slowest([{ ms: 0 }, { ms: null }], ({ ms }) => ms), undefined);
  assert.equal(slowest([], () => 1), undefined);
});
