// Engines of a site against a chosen baseline.

import assert from "node:assert/strict";
import { test } from "node:test";

import { changeText } from "../../static/js/site/engine_columns.js";
import { againstBaseline, distinction } from "../../static/js/site/engine_table.js";

const BASE = { model: "m", latency: 2, sum: 4 };

test("latency counts, else total layer time, and never one against the other", () => {
  assert.equal(againstBaseline({ model: "m", latency: 3, sum: 1 }, BASE), 50);
  assert.equal(againstBaseline({ model: "m", sum: 2 }, BASE), -50);
  assert.equal(againstBaseline({ model: "m", sum: 2 }, { model: "m", latency: 2 }), null);
});

test("what is unknown or of another model has no difference", () => {
  for (const other of [{ model: "n", latency: 3 }, { latency: 3 }, { model: "m" }]) assert.equal(againstBaseline(other, BASE), null);
  assert.equal(againstBaseline({ latency: 3 }, { latency: 2 }), null);
  assert.equal(againstBaseline(BASE, undefined), null);
  assert.equal(againstBaseline({ model: "m", latency: 1 }, { model: "m", latency: 0 }), null);
});

test("what was selected differs from others of its name as in the table", () => {
  assert.equal(distinction({ hint: "resnet-fp16", date: "2024-05-02T10:00", place: "a/b" }), "resnet-fp16 2024-05-02");
  assert.equal(distinction({ date: "2024-05-02T10:00", place: "a/b" }), "2024-05-02");
  assert.equal(distinction({ place: "a/b" }), "a/b");
});

test("a change has its verdict, and contradictory files have no change", () => {
  assert.equal(changeText({ mark: "outlier (slower)", change: 49.9 }), "outlier (slower) +49.9%");
  assert.equal(changeText({ change: -0.04 }), "−0.04%");
  assert.equal(changeText({ mark: "first" }), "first");
  assert.equal(changeText({}), "");
  assert.equal(changeText({ mark: "slower", change: 5, contradictions: 1 }), "contradictory files");
});
