// What rows contribute to a step of the breakdown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { contributionOf, stepOf } from "../../static/js/comparison/contributions.js";

const LAYERS = [
  { type: "Convolution", output_precision: "INT8", avg_ms: 1 },
  { type: "Reformat", output_precision: "FP16", avg_ms: 0.25 },
  { type: "Reformat", output_precision: "INT8", avg_ms: 0.5 },
];

/** A row of the first layer in the baseline, and of all layers in the candidate. */
function example() {
  const sides = [
    { members: [0], helpers: [] },
    { members: [0], helpers: [1, 2], causes: { "reformats added": 0.75 } },
  ];
  const row = { sides, base: sides[0], side: sides[1], block: "layer1" };
  return [{ baseline: 0, candidate: 1, engines: [{ layers: LAYERS }, { layers: LAYERS }], rows: [row] }, row];
}

test("a quoted term names a step", () => {
  assert.deepEqual(stepOf('cause:"reformats added"'), { by: "cause", name: "reformats added" });
  assert.deepEqual(stepOf('slow block:"a ""b"""'), { by: "block", name: 'a "b"' });
  for (const query of ["", "cause:reformats", '-cause:"fused"', 'status:"faster"']) assert.equal(stepOf(query), null);
});

test("a row contributes its layers of the step, its causes, or its whole difference", () => {
  const [data, row] = example();
  const contribution = (by, name) => contributionOf(data, row, { by, name });
  assert.equal(contribution("cause", "reformats added"), 0.75);
  assert.equal(contribution("cause", "fused"), 0);
  assert.equal(contribution("type", "Reformat"), 0.75);
  assert.equal(contribution("type", "Convolution"), 0);
  assert.equal(contribution("out", "INT8"), 0.5);
  assert.equal(contribution("block", "layer1"), 0.75);
  assert.equal(contribution("block", "layer2"), 0);
});

test("rounding noise contributes nothing", () => {
  const [data, row] = example();
  data.engines[0] = { layers: [{ type: "Convolution", output_precision: "INT8", avg_ms: 1 + 2e-16 }] };
  assert.equal(contributionOf(data, row, { by: "type", name: "Convolution" }), 0);
});

test("a row contributes its layers of a module or a source line", () => {
  const [data, row] = example();
  data.engines[0].steps = { module: [["layer1", "not in the model"], [0]], "source line": [["m.py:7"], [0]] };
  data.engines[1].steps = { module: [["not in the model", "layer1"], [1, 0, 1]], "source line": [["m.py:7", "shared: m.py:7, 8"], [0, 1, 1]] };
  const parts = (query) => contributionOf(data, row, stepOf(query));
  assert.equal(parts('onnx:"layer1"'), 0.5);
  assert.equal(parts('onnx:"not in the model"'), 0.25);
  assert.equal(parts('source:"m.py:7"'), 0);
  assert.equal(parts('source:"shared: m.py:7, 8"'), 0.75);
});

test("names that differ in case alone are steps of their own", () => {
  const [data, row] = example();
  for (const engine of data.engines) engine.steps = { module: [["Net.Layer", "net.layer"], [0, 1, 1]] };
  const parts = (name) => contributionOf(data, row, { by: "onnx", name });
  assert.equal(parts("Net.Layer"), 0);
  assert.equal(parts("net.layer"), 0.75);
  // As the filter finds it.
  assert.equal(parts("NET.LAYER"), 0.75);
  assert.equal(contributionOf(data, row, { by: "type", name: "reformat" }), 0.75);
});
