// What an icicle says of its boxes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { IcicleTree } from "../../../static/js/charts/icicle_layout.js";
import { IcicleWords } from "../../../static/js/charts/icicle_words.js";

const LAYERS = [
  { index: 0, name: "conv\u202e1", avg_ms: 3, type: "Conv", precision: "FP16" },
  { index: 1, name: "relu", avg_ms: 1, type: "", precision: "" },
];
const TREE = new IcicleTree({ labels: ["model", "backbone"], parents: [-1, 0], layers: [1, 0], apart: [] }, LAYERS);
const STYLE = { data: {}, meaning: (layer, by) => [layer[by] ?? `${by} not stated`, "#000000"] };
const words = new IcicleWords(TREE, STYLE);

test("a group has its path, its time and its layers", () => {
  assert.deepEqual(words.facts({ group: 1, ms: 3 }), ["backbone", "3.00\u00a0ms", "75.0%", "1 timed layer"]);
  assert.deepEqual(words.facts({ group: 0, ms: 4 }), ["model", "4.00\u00a0ms", "100%", "2 timed layers"]);
});

test("a layer has what its colors mean, and control characters in its name are shown", () => {
  const [name, ms, share, type, precision] = words.facts({ layer: LAYERS[0], ms: 3 });
  assert.ok(!name.includes("\u202e") && name.startsWith("conv"));
  assert.deepEqual([ms, share, type, precision], ["3.00\u00a0ms", "75.0%", "Conv", "FP16"]);
});

test("errors are stated only where they are known", () => {
  assert.equal(words.facts({ layer: LAYERS[0], ms: 3 }).some((each) => each.includes("error")), false);
  const known = new IcicleWords(TREE, { ...STYLE, data: { levels: { error: {} } } });
  assert.ok(known.facts({ layer: LAYERS[0], ms: 3 }).includes("error not stated"));
});

test("neighbors too narrow to show are counted", () => {
  assert.deepEqual(words.facts({ merged: [{}, {}], ms: 1 }), ["2 boxes too narrow to show", "1.00\u00a0ms", "25.0%"]);
});
