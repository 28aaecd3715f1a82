// What the graph says of blocks, layers and tensors.

import assert from "node:assert/strict";
import { test } from "node:test";

import { GraphWords } from "../../../static/js/graph/viewer/graph_words.js";

const LAYERS = [{ name: "a", type: "Conv", precision: "FP16", output_precision: "INT8", avg_ms: 0.5, share_percent: 50 }, { name: "b", type: "", precision: "", output_precision: "FP16", stream: 1 }];
const TENSORS = [{ name: "t", dims: [1, 3], format: "FP16", bytes: 6, from: [0], to: [1] }, { name: "t", version: 2, dims: [], from: [], to: [] }, { name: "q", title: "q\nscale 2", dims: [], from: [], to: [] }];
const words = (streams = 2, members = []) => new GraphWords({ streams, blocks: [{ id: 0, label: "engine" }, { id: 1, label: "head", parent: 0 }], membersIn: () => members }, { layers: LAYERS, tensors: TENSORS });

test("a block states its layers, what repeats and what differs", () => {
  assert.equal(words().about({ count: 2 }), "2 layers");
  assert.equal(words().about({ count: 2, differs: ["1 layer more"] }), "2 layers · 1 layer more");
  const series = { label: "layers.*" };
  assert.equal(words(1, [{ series }, { series, differs: ["x"], label: "layers.1" }]).about({ count: 4 }), "2 × layers.* · layers.1 differs");
});

test("without times a title states none", () => {
  const title = words().titleOf({ label: "head", count: 3, series: { label: "layers.*" }, precisions: { "": 3 } });
  assert.equal(title, "head\n3 layers\nprecision not stated 3\none of layers.*");
});

test("in little room a block states its share alone", () => {
  const block = { count: 4, ms: 2, share: 50 };
  assert.equal(words().costOf(block), "4 layers · 2.00 ms · 50.0%");
  assert.equal(words().costOf(block, 100), "50.0%");
});

test("a layer's title states what it writes, also where it is not stated what it computes with", () => {
  assert.equal(words().titleOfLayer(LAYERS[0]), "a\nConv · FP16 → INT8\n0.500 ms · 50.0%");
  assert.equal(words().titleOfLayer(LAYERS[1]), "b\nnot stated → FP16\nstream 1");
  assert.equal(words(1).titleOfLayer(LAYERS[1]), "b\nnot stated → FP16");
});

test("values of one name have numbers", () => {
  assert.equal(words().tensorName(TENSORS[0]), "t");
  assert.equal(words().tensorName(TENSORS[1]), "t (value 2)");
});

test("a tensor with a title of its own has no text beside its line", () => {
  assert.equal(words().textOfTensor(0), "1×3 FP16");
  assert.equal(words().textOfTensor(2), "");
  assert.equal(words().textOfTensor(99), "");
  assert.equal(words().tensorTitle(2), "q\nscale 2");
});

test("a line of many tensors names some of them, an end where it leads", () => {
  const line = { tensors: Array.from({ length: 10 }, () => 0), end: "leaving", leadsTo: [0] };
  const title = words().titleOfLine(line, [{ block: { label: "x", parent: 1 } }]);
  assert.ok(title.startsWith("Leads to head/x. Click to go there.\n"), title);
  assert.ok(title.endsWith("and 2 more"), title);
});
