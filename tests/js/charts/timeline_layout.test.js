// The lines of a timeline's ruler.

import assert from "node:assert/strict";
import { test } from "node:test";

import { rulerTicks } from "../../../static/js/charts/timeline_layout.js";

const labels = (range, room) => rulerTicks(range, room).map(({ label }) => label);

test("the ruler has round times within what is seen", () => {
  assert.deepEqual(labels([0, 10], 5), ["0 ms", "2 ms", "4 ms", "6 ms", "8 ms", "10 ms"]);
  assert.deepEqual(labels([0.23, 0.68], 5), ["0.3 ms", "0.4 ms", "0.5 ms", "0.6 ms"]);
  assert.deepEqual(labels([1, 1.9], 1), ["1 ms"]);
});

test("times are multiples of the step, not sums of it", () => {
  assert.deepEqual(rulerTicks([0, 1], 10).map(({ at }) => at), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((each) => each * 0.1));
});

test("a range of any size has a few lines, one without length none", () => {
  for (const [from, to, room] of [[0, 1e-9, 8], [0, 1e12, 8], [5, 5.0000001, 8], [0, 100, 0.2]]) {
    const { length } = rulerTicks([from, to], room);
    assert.ok(length >= 1 && length <= 10, `${from} to ${to}: ${length}`);
  }
  assert.deepEqual(rulerTicks([3, 3], 8), []);
});
