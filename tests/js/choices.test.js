// The baseline and the candidate in the address.

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenEngine, chosenPair } from "../../static/js/comparison/choices.js";

const DATA = { engines: [{}, {}, {}], statedBaseline: 0, focus: 1 };

test("an address names engines by numbers from 1", () => {
  assert.equal(chosenEngine("3", 3, 0), 2);
  assert.deepEqual(chosenPair({ baseline: "3", candidate: "1" }, DATA), { baseline: 2, candidate: 0 });
});

test("what names no engine is as the page came", () => {
  for (const text of ["", "0", "4", "-1", "1.5", "x", "1e0", "9".repeat(400)]) assert.equal(chosenEngine(text, 3, 1), 1, text);
});

test("one engine is never both", () => {
  assert.deepEqual(chosenPair({ baseline: "2", candidate: "" }, DATA), { baseline: 1, candidate: 0 });
  assert.deepEqual(chosenPair({ baseline: "", candidate: "1" }, DATA), { baseline: 0, candidate: 1 });
});
