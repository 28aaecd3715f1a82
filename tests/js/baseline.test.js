// Rows against a baseline that the reader chooses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changesOf, setBaseline, setCandidate } from "../../static/js/comparison/comparison_data.js";

const layer = (precision, tactic) => ({ name: "n", type: "t", precision, output_precision: precision, tactic });
const side = (ms, more = {}) => ({ members: ms == null ? [] : [0], helpers: [], keys: [], changes: [], ms, ...more });

function compared() {
  const sides = [side(2), side(1, { diff: -1, ratio: 0.5, status: "faster", changes: ["precision changed"] }), side(null)];
  const engines = [layer("FP32", "a"), layer("INT8", "b"), layer("INT8", "b")].map((each) => ({ layers: [each] }));
  const data = { baseline: 0, statedBaseline: 0, candidate: 1, engines, rows: [{ sides, base: sides[0] }] };
  setCandidate(data, 1);
  return data;
}

test("against the stated baseline rows are what the comparison found", () => {
  const data = compared();
  assert.equal(data.rows[0].side.status, "faster");
});

test("a candidate that becomes the baseline changes places with it", () => {
  const data = compared();
  setBaseline(data, 1);
  assert.equal(data.candidate, 0);
  const [{ side: found }] = data.rows;
  assert.deepEqual([found.diff, found.ratio, found.status], [1, 2, ""]);
  assert.deepEqual(found.changes, ["precision changed", "tactic changed"]);
  setBaseline(data, 0);
  assert.equal(data.rows[0].side.diff, -1);
});

test("a time that is not known has no difference", () => {
  const data = compared();
  setBaseline(data, 1);
  setCandidate(data, 2);
  assert.deepEqual([data.rows[0].side.diff, data.rows[0].side.ratio, data.rows[0].side.status], [null, null, "baseline only"]);
});

test("a change of precision is stated from the chosen baseline to the candidate", () => {
  const data = compared();
  data.engines[1].layers[0].output_precision = "FP16";
  assert.deepEqual(changesOf(data, data.rows[0]), ["inputs FP32 → INT8, outputs FP32 → FP16"]);
  setBaseline(data, 1);
  assert.deepEqual(changesOf(data, data.rows[0]), ["inputs INT8 → FP32, outputs FP16 → FP32", "tactic changed"]);
});
