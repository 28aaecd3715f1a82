// Names from files, and names that are alike.

import assert from "node:assert/strict";
import { test } from "node:test";

import { distinctNames } from "../../static/js/comparison/row_columns.js";
import { breakParts, shorten, visible } from "../../static/js/format/text.js";
import { nearestLayer, neighborsOf } from "../../static/js/graph/neighbors.js";

test("control characters can be seen", () => {
  assert.equal(visible("a\u0000b\u001b[1m\u007f"), "a␀b␛[1m␡");
  assert.equal(visible("\u202eabc\u2066\ud800\uffff"), "\ufffdabc\ufffd\ufffd\ufffd");
  assert.equal(visible("a\tb\nc é 漢 😀"), "a\tb\nc é 漢 😀");
});

test("a text is shortened in its middle", () => {
  assert.equal(shorten("abcdefghij", 10), "abcdefghij");
  assert.equal(shorten("abcdefghij", 5), "ab…ij");
  assert.equal(shorten("abcdefghij", 4), "ab…j");
});

test("shortened names stay distinct", () => {
  for (const names of [
    ["a", "b"],
    ["resnet50-int8-before-x", "resnet50-int8-after-x"],
    ["model-0000000001-engine", "model-0000000002-engine"],
    ["same", "same"],
    ["long name that is the same", "long name that is the same"],
  ]) {
    const shown = distinctNames(names, 12);
    assert.equal(new Set(shown).size, names.length, shown.join(" | "));
    assert.ok(shown.every((name) => name.length <= 14), shown.join(" | "));
  }
});

test("a shortened name keeps the words at its end", () => {
  assert.deepEqual(distinctNames(["resnet18-int8-before", "resnet18-int8-after"], 12), ["…before", "…after"]);
  assert.deepEqual(distinctNames(["resnet (a100-resnet18-fp32)", "resnet-qat", "resnet-qat-residual"], 12), ["…fp32", "resnet-qat", "…residual"]);
  assert.deepEqual(distinctNames(["first-of-all-models-x", "other"], 12), ["…models-x", "other"]);
  // Nothing of these ends says which they are.
  assert.deepEqual(distinctNames(["before-this-model-v1", "after-this-model-v1"], 12), ["before…el-v1", "after-…el-v1"]);
});

test("a long name is divided between its parts", () => {
  for (const [name, parts] of /** @type {[string, string[]][]} */ ([
    ["/layer1/conv1/Conv", ["/layer1/conv1/Conv"]],
    ["/layer1/layer1.0/QuantizeLinear", ["/layer1/", "layer1.0/", "QuantizeLinear"]],
    ["conv.weight + /layer1/conv/Conv", ["conv.weight + /layer1/", "conv/", "Conv"]],
    ["sm80_xmma_fprop_implicit_gemm", ["sm80_", "xmma_", "fprop_", "implicit_", "gemm"]],
    ["__myl_CastMulMeanAddSqrtDiv__", ["__myl_", "CastMulMeanAddSqrtDiv__"]],
    ["/".repeat(30), ["/".repeat(30)]],
    ["", [""]],
  ])) {
    assert.deepEqual(breakParts(name), parts);
  }
});

// 0 → 1 → 3, 0 → 2 → 3, by tensors 0 to 3.
const DATA = {
  layers: [[[], [0, 1]], [[0], [2]], [[1], [3]], [[2, 3], []]].map(([inputs, outputs]) => ({ inputs: inputs.map((each) => [each]), outputs: outputs.map((each) => [each]) })),
  tensors: [{ from: [0], to: [1] }, { from: [0], to: [2] }, { from: [1], to: [3] }, { from: [2], to: [3] }],
};

test("neighbors are within a number of steps in both directions", () => {
  const near = neighborsOf(DATA, 1, 1);
  assert.deepEqual([...near.layers].sort(), [0, 1, 3]);
  assert.deepEqual([...near.tensors].sort(), [0, 2]);
  assert.deepEqual([...neighborsOf(DATA, 0, 2).layers].sort(), [0, 1, 2, 3]);
  assert.deepEqual([...neighborsOf(DATA, 0, 0).layers], [0]);
});

test("the nearest layer that fits is found past those that do not", () => {
  assert.equal(nearestLayer(DATA, 0, "outputs", "to", (layer) => layer === 3), 3);
  assert.equal(nearestLayer(DATA, 3, "inputs", "from", () => true), 1);
  assert.equal(nearestLayer(DATA, 3, "outputs", "to", () => true), undefined);
});
