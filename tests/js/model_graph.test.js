// The graph of the ONNX model: colors of groups, costs of blocks, folded nodes, the terms of its search.

import assert from "node:assert/strict";
import { test } from "node:test";

import { blockCosts, timeRange } from "../../static/js/model/block_costs.js";
import { groupColors, neighboringGroups } from "../../static/js/model/group_colors.js";
import { groupsOf, ModelData, quantizationText } from "../../static/js/model/model_data.js";
import { nodeTerms } from "../../static/js/query/node_terms.js";
import { compileQuery } from "../../static/js/query/query.js";
import { packed } from "./helpers.js";

/** Pseudo-random numbers from 0 to 1 that are the same in every run. */
function numbers(seed) {
  let at = seed;
  return () => (at = (at * 16807) % 2147483647) / 2147483647;
}

test("groups beside each other have different colors", () => {
  for (let seed = 1; seed < 40; seed += 1) {
    const next = numbers(seed);
    const nodes = Array.from({ length: 200 }, (_, index) => ({ inputs: index ? [index - 1, ...(next() < 0.3 ? [Math.floor(next() * index)] : [])] : [] }));
    const groupOf = Int32Array.from(nodes, (_, index) => (next() < 0.2 ? -1 : Math.floor(index / 4)));
    const neighbors = neighboringGroups(nodes, groupOf);
    const colors = groupColors(50, neighbors, 8);
    assert.equal(colors.length, 50);
    assert.ok(new Set(colors).size > 4);
    for (const [group, others] of neighbors) {
      for (const other of others) {
        assert.ok(neighbors.get(other).has(group));
        // With more neighbors than colors not all can differ.
        if ([...others].filter((each) => each < group).length < 8 && other < group) assert.notEqual(colors[group], colors[other]);
      }
    }
  }
});

test("groups on both sides of nodes that vanished are neighbors", () => {
  const neighbors = neighboringGroups([{ inputs: [] }, { inputs: [0] }, { inputs: [1] }, { inputs: [2] }], Int32Array.from([0, -1, -1, 1]));
  assert.deepEqual([...neighbors.get(0)], [1]);
  assert.deepEqual([...neighbors.get(1)], [0]);
});

test("the time of a layer that computes nodes of two blocks is shared by both", () => {
  const blocks = [
    { label: "all", ranges: [0, 3], count: 4 },
    { label: "a", parent: 0, ranges: [0, 1], count: 2 },
    { label: "b", parent: 0, ranges: [2, 3], count: 2 },
  ];
  const costs = blockCosts(blocks, [[0], [1, 2], [3, 2], []], (layer) => [1, 2, 4, 8][layer], 4);
  assert.deepEqual(costs, [{ alone: 7, shared: 0 }, { alone: 1, shared: 2 }, { alone: 4, shared: 2 }]);
  assert.equal(timeRange(1, 2), "1.00 to 3.00 ms");
  assert.equal(timeRange(1, 0), "1.00 ms");
});

/** a → Q → DQ → b → c, of which layer 0 computes a, layer 1 computes b and c, and c is of a module of its own. */
function report() {
  const nodes = [
    { name: "/m/a", type: "Relu", module: "m", outputs: ["a0"], layers: [0], alone_ms: 1, shared_ms: 0 },
    { name: "/m/q", type: "QuantizeLinear", module: "m", inputs: [0], outputs: ["q0"], reason: "became a scale", vanished: true, quantized: ["INT8", 0.25, -1] },
    { name: "/m/dq", type: "DequantizeLinear", module: "m", inputs: [1], outputs: ["d0"], reason: "became a scale", vanished: true, quantized: ["INT8", 0.25, -1] },
    { name: "/m/b", type: "Conv", module: "m", inputs: [2], outputs: ["b0"], layers: [1], alone_ms: 0, shared_ms: 2, stack: 1, source: "x.py:3" },
    { name: "/n/c", type: "Relu", module: "n", inputs: [3], outputs: ["c0"], layers: [1], alone_ms: 0, shared_ms: 2 },
  ];
  const blocks = [
    { label: "all", ranges: [0, 4], count: 5 },
    { label: "m", parent: 0, ranges: [0, 3], count: 4 },
    { label: "n", parent: 0, ranges: [4, 4], count: 1 },
  ];
  const plan = { sizes: {}, blocks, shapes: [] };
  const model = { nodes: packed(nodes), frames: ["a.py:1 in f", "x.py:3 in g"], stacks: [[], [0, 1]], folded: [[1, 0], [2, 0]], plans: [plan, structuredClone(plan)], typeColors: {}, groupColors: ["red", "green", "blue"] };
  const layers = [
    { index: 0, name: "a", precision: "FP16", avg_ms: 1, findings: [] },
    { index: 1, name: "b + c", precision: "INT8", avg_ms: 2, findings: [] },
    { index: 2, name: "reformat", precision: "", avg_ms: 1, findings: [] },
  ];
  const data = { layers, tensors: [{ name: "q0", dims: [1, 8], format: "INT8 linear", type: "INT8", from: [], to: [] }], totalMs: 4, unknownColor: "gray" };
  data.model = new ModelData(JSON.stringify(model), data);
  return data;
}

test("Q/DQ nodes are part of the arrow from what they read to what reads them", () => {
  const { data, plan } = report().model.graph(true);
  assert.deepEqual(data.tensors.map(({ from, to }) => [from, to]), [[[0], []], [[], []], [[0], [3]], [[3], [4]], [[4], []]]);
  assert.ok(data.tensors[2].folded);
  assert.match(data.tensors[2].title, /Q\/DQ: INT8, scale 0.25/);
  assert.match(data.tensors[2].title, /INT8 linear/);
  assert.equal(data.tensors[2].type, "INT8");
  assert.deepEqual(data.layers[0].outputs.map(([tensor]) => tensor), [0, 2]);
  assert.deepEqual(data.layers[3].inputs.map(([tensor]) => tensor), [2]);
  assert.equal(plan.blocks[1].cost, "1.00 to 3.00 ms");
  assert.equal(plan.blocks[1].share, 75);
});

test("Q/DQ nodes can be boxes of their own", () => {
  const { data } = report().model.graph(false);
  assert.deepEqual(data.tensors.map(({ from, to }) => [from, to]), [[[0], [1]], [[1], [2]], [[2], [3]], [[3], [4]], [[4], []]]);
  assert.ok(data.tensors.every(({ folded }) => !folded));
});

test("a node has an outline if its layer computes others too", () => {
  const { model } = report();
  const { layers } = model.graph(true).data;
  assert.equal(layers[0].outline, undefined);
  assert.ok(layers[3].outline);
  assert.equal(layers[3].outline, layers[4].outline);
  assert.notEqual(layers[0].shade, layers[3].shade);
  assert.equal(layers[1].kind, "vanished");
  assert.equal(layers[3].precision, "INT8");
  assert.deepEqual([...model.nodesOf], [[0, [0]], [1, [3, 4]]]);
  assert.deepEqual(model.framesOf(model.nodes[3]), ["x.py:3 in g", "a.py:1 in f"]);
  assert.deepEqual(groupsOf([{ layers: [1, 2] }, { layers: [1] }, { layers: [] }, { layers: [1, 2] }]), { groups: [2, 1], groupOf: Int32Array.from([0, 1, -1, 0]) });
});

test("many nodes of one layer are read in linear time", () => {
  const count = 60_000;
  const nodes = Array.from({ length: count }, (_, index) => ({ name: `n${index}`, type: "Relu", layers: [0] }));
  const model = { nodes: packed(nodes), frames: [], stacks: [[]], folded: [], plans: [], typeColors: {}, groupColors: ["red"] };
  const data = { layers: [{ index: 0, name: "all", precision: "", avg_ms: 1, findings: [] }], tensors: [], totalMs: 1 };
  const start = performance.now();
  assert.equal(new ModelData(JSON.stringify(model), data).nodesOf.get(0).length, count);
  assert.ok(performance.now() - start < 5000);
});

test("what is quantized is a text", () => {
  assert.equal(quantizationText({ quantized: ["INT8", null, 0] }), "INT8, a scale for each index of axis 0");
  assert.equal(quantizationText({ quantized: ["", null, -1] }), "data type not stated");
  assert.equal(quantizationText({}), "");
});

test("nodes are found by name, module, source, layer, time and reason", () => {
  const data = report();
  const found = (query) => data.model.nodes.filter(compileQuery(query, data, nodeTerms(data))).map(({ index }) => index);
  assert.deepEqual(found("type:relu"), [0, 4]);
  assert.deepEqual(found("module:n"), [4]);
  assert.deepEqual(found("source:x.py"), [3]);
  assert.deepEqual(found("layer:b"), [3, 4]);
  assert.deepEqual(found("vanished:*"), [1, 2]);
  assert.deepEqual(found("time>30%"), [3, 4]);
  assert.deepEqual(found("precision:fp16"), [0]);
  assert.deepEqual(found("c0"), [4]);
  assert.deepEqual(found("-/m/"), [4]);
  assert.throws(() => found("/[/"));
});
