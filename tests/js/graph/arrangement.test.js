// Which arrangement of a graph suits a view.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fittingArrangement } from "../../../static/js/graph/arrangement.js";

const LEAST = { whole: 0.8, width: 0.9 };
const ONE = { w: 300, h: 2900 };
const TWO = { w: 640, h: 1500 };
const THREE = { w: 980, h: 1050 };
const FOUR = { w: 1330, h: 810 };
const ALL = [ONE, TWO, THREE, FOUR];

test("what can be read as a whole is shown as a whole, the largest first", () => {
  assert.equal(fittingArrangement(ALL, { w: 1200, h: 790 }, LEAST), FOUR);
  assert.equal(fittingArrangement(ALL, { w: 1000, h: 1000 }, LEAST), THREE);
  assert.equal(fittingArrangement(ALL, { w: 3000, h: 3000 }, LEAST), ONE);
});

test("else the widest of which all columns are read by scrolling down", () => {
  assert.equal(fittingArrangement(ALL, { w: 1040, h: 690 }, LEAST), THREE);
  assert.equal(fittingArrangement(ALL, { w: 736, h: 900 }, LEAST), TWO);
});

test("a view that is narrower than any, or is not shown, has one column", () => {
  assert.equal(fittingArrangement(ALL, { w: 250, h: 600 }, LEAST), ONE);
  assert.equal(fittingArrangement(ALL, { w: -8, h: -8 }, LEAST), ONE);
  assert.equal(fittingArrangement([ONE], { w: 1200, h: 790 }, LEAST), ONE);
});
