// Records that look their values up in columns.

import assert from "node:assert/strict";
import { test } from "node:test";

import { alikeBy, recordsOf } from "../../../static/js/data/records.js";
import { completeReportData, findingsOf } from "../../../static/js/data/report_data.js";
import { packed } from "../helpers.js";

class Plain {
  constructor(index) {
    this.index = index;
  }
}

const PACKED = { count: 3, columns: [["name", ["a", null, "c"]], ["type", ["Conv", null], [0, 1, 0]], ["ms", [0, 2, null]]] };

test("values come from plain and from coded columns", () => {
  const records = recordsOf(PACKED, Plain, {});
  assert.deepEqual(records.map(({ index, name, type, ms }) => [index, name, type, ms]), [[0, "a", "Conv", 0], [1, undefined, undefined, 2], [2, "c", "Conv", undefined]]);
});

test("what the columns lack is taken from the record instead; zero is a value", () => {
  const records = recordsOf(PACKED, Plain, { type: () => "?", label: (record) => `${record.name}!`, ms: () => -1 });
  assert.deepEqual(records.map(({ type }) => type), ["Conv", "?", "Conv"]);
  assert.deepEqual(records.map(({ label }) => label), ["a!", "undefined!", "c!"]);
  assert.deepEqual(records.map(({ ms }) => ms), [0, 2, -1]);
});

test("a value that is set belongs to one record of one set", () => {
  const [records, others] = [recordsOf(PACKED, Plain, {}), recordsOf(PACKED, Plain, {})];
  records[0].name = "new";
  assert.deepEqual(records.map(({ name }) => name), ["new", undefined, "c"]);
  assert.equal(others[0].name, "a");
});

test("a column that is too short leaves the rest out", () => {
  assert.deepEqual(recordsOf({ count: 2, columns: [["name", ["a"]]] }, Plain, {}).map(({ name }) => name), ["a", undefined]);
});

test("records with one code count as one of them", () => {
  const records = recordsOf({ count: 4, columns: [["type", ["Conv", "none", "Pool"], [2, 0, 2, 2]], ["name", ["a", "b", "c", "d"]]] }, Plain, {});
  const counted = (key) => alikeBy(records, key).map(([{ index }, count]) => [index, count]);
  assert.deepEqual(counted("type"), [[0, 3], [1, 1]]);
  assert.deepEqual(counted("name"), [[0, 1], [1, 1], [2, 1], [3, 1]]);
  assert.deepEqual(alikeBy(["x"], "type"), [["x", 1]]);
  records[3].type = "Pool";
  assert.deepEqual(counted("type"), counted("name"));
});

const report = () =>
  completeReportData({
    layers: packed([{ name: "a", type: "Conv", avg_ms: 1 }, { name: "b" }, { key: "a" }]),
    tensors: packed([{ name: "t", from: [0] }, {}]),
    findings: [{ id: "x", severity: "info", title: "X", messages: ["first"], places: [[[0, 1], null, 0], [[0], "1 ms", null]] }, { id: "y", severity: "error", title: "Y", messages: [], places: [[[0], null, null]] }],
  });

test("layers have findings of their own, the worst first and each once", () => {
  const { layers } = report();
  assert.deepEqual(layers.map((layer) => findingsOf(layer).map(({ id }) => id)), [["y", "x"], ["x"], []]);
  assert.deepEqual(layers[0].findings.map(({ message }) => message), ["first", "X", "Y"]);
});

test("layers and tensors have texts and lists where the data has none", () => {
  const { layers, tensors } = report();
  assert.deepEqual([layers[1].type, layers[1].subtype, layers[0].subtype, layers[1].key], ["", "", "Conv", "b"]);
  assert.deepEqual([layers[2].inputs, tensors[1].to, tensors[1].name, tensors[0].from], [[], [], "", [0]]);
  assert.equal(layers[1].avg_ms, undefined);
});

test("of a tensor that a layer sees as the table of tensors does the data has the index", () => {
  const { layers } = completeReportData({
    layers: packed([{ inputs: [1, [0, [8], "INT8", null]] }, { inputs: [1], outputs: [0] }]),
    tensors: packed([{ dims: [2, 4], format: "FP16", bytes: 16 }, {}]),
    findings: [],
  });
  assert.deepEqual(layers[0].inputs, [[1, [], "", null], [0, [8], "INT8", null]]);
  assert.deepEqual([layers[1].inputs, layers[1].outputs], [[[1, [], "", null]], [[0, [2, 4], "FP16", 16]]]);
  assert.deepEqual(layers[0].outputs, []);
});

test("nothing can be added to what all empty lists share", () => {
  const { layers } = report();
  assert.throws(() => layers[2].inputs.push(1), TypeError);
  assert.deepEqual(layers[1].inputs, []);
});

test("of equal keys an address means the first layer", () => {
  const data = report();
  assert.equal(data.byKey.get("a"), data.layers[0]);
  assert.equal(data.totalMs, 1);
});
