// The columns of the table of nodes, and its order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { nodeColumns, nodeFindings } from "../../static/js/table/node_table.js";
import { sortedBy } from "../../static/js/table/sorting.js";

const [warning, error] = ["warning", "error"].map((severity) => ({ code: severity, severity }));
const place = (finding) => ({ finding, layers: [], gain: null, message: "" });
const layers = [
  { index: 0, name: "a", findings: [place(warning), place(warning)] },
  { index: 1, name: "b", findings: [place(error)] },
];
const node = (index, given) => ({ index, name: `node ${index}`, type: "Conv", module: "", source: "", inputs: [], outputs: [], layers: [], precision: "", ...given });
const nodes = [
  node(0, { layers: [0], alone_ms: 0, shared_ms: 1, evidence: "layer name" }),
  node(1, { reason: "computed from constants while building", alone_ms: 0, shared_ms: 0 }),
  node(2, { layers: [0, 1], alone_ms: 2, shared_ms: 1, source: "m.py:3" }),
];
const columns = Object.fromEntries(nodeColumns({ layers, totalMs: 4, findings: [warning] }, nodes).map((column) => [column.key, column]));

test("times are those of a node's layers, and none where it is in no layer", () => {
  assert.deepEqual(nodes.map(columns.share.value), [25, null, 75]);
  assert.deepEqual(nodes.map(columns.alone.value), [0, null, 2]);
  assert.deepEqual(sortedBy(nodes, columns.share, false).map(({ index }) => index), [2, 0, 1]);
});

test("layers, findings and reasons are texts to sort by", () => {
  assert.deepEqual(nodes.map(columns.layers.value), ["a", "", "a, b"]);
  assert.deepEqual(nodes.map(columns.findings.value), ["warning", "", "error, warning"]);
  assert.deepEqual(nodeFindings(nodes[2], layers), [error, warning]);
  assert.deepEqual(nodes.map(columns.state.value), ["layer name", "computed from constants while building", ""]);
});

test("what says nothing of any node is off", () => {
  const bare = Object.fromEntries(nodeColumns({ layers, totalMs: 0, findings: [] }, [node(0)]).map((column) => [column.key, column.on]));
  assert.deepEqual(["source", "share", "findings", "name"].map((key) => bare[key]), [false, false, false, true]);
});
