// The table of layers: columns, order, and copying as CSV and Markdown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fromColumns } from "../../static/js/data/unpack.js";
import { asCsv } from "../../static/js/table/csv.js";
import { LAYER_COLUMNS } from "../../static/js/table/layer_columns.js";
import { asMarkdown } from "../../static/js/table/markdown.js";
import { sortedBy } from "../../static/js/table/sorting.js";

const NAME = { key: "name", label: "Name", width: 100, value: (row) => row.name };
const TIME = { key: "ms", label: "Time (ms)", width: 100, number: true, value: (row) => row.ms, show: (value) => (value == null ? "–" : value.toFixed(2)) };

const csv = (...names) => asCsv(names.map((name) => ({ name })), [NAME]).split("\r\n").slice(1).join("\r\n");
const order = (rows, column, up) => sortedBy(rows.map((row, index) => ({ ...row, index })), column, up).map((row) => row.index);

test("numbers are sorted by value, missing ones come last in both directions", () => {
  const rows = [{ ms: 10 }, {}, { ms: 9 }, { ms: 0 }, { ms: null }, { ms: 10 }];
  assert.deepEqual(order(rows, TIME, true), [3, 2, 0, 5, 1, 4]);
  assert.deepEqual(order(rows, TIME, false), [0, 5, 2, 3, 1, 4]);
});

test("texts are sorted by character, empty ones come last in both directions", () => {
  const rows = [{ name: "b" }, { name: "" }, { name: "a" }, { name: "b" }, { name: undefined }];
  assert.deepEqual(order(rows, NAME, true), [2, 0, 3, 1, 4]);
  assert.deepEqual(order(rows, NAME, false), [0, 3, 2, 1, 4]);
});

test("CSV quotes what would end a cell or a row", () => {
  assert.equal(csv("a,b"), '"a,b"');
  assert.equal(csv('say "x"'), '"say ""x"""');
  assert.equal(csv("a\nb"), '"a\nb"');
  assert.equal(csv("a\rb"), '"a\rb"');
  assert.equal(csv("plain"), "plain");
  assert.equal(asCsv([{ name: "a", ms: 1.25 }, { name: "b" }], [NAME, TIME]), "Name,Time (ms)\r\na,1.25\r\nb,");
});

test("CSV keeps a spreadsheet from running names as formulas", () => {
  for (const name of ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\u00ad=1", "＝1"]) {
    assert.match(csv(name), /^"?'/, JSON.stringify(name));
  }
  for (const name of ["a=1", "/conv1", "1-2"]) assert.doesNotMatch(csv(name), /'/, name);
  assert.equal(asCsv([{ ms: -1.5 }], [TIME]).split("\r\n")[1], "-1.5");
});

test("Markdown aligns numbers right and shows what the table shows", () => {
  assert.equal(asMarkdown([{ name: "a", ms: 1.255 }, { name: "" }], [NAME, TIME]), "| Name | Time (ms) |\n| --- | --: |\n| a | 1.25 |\n| – | – |");
});

test("names are no Markdown", () => {
  const cell = (name) => asMarkdown([{ name }], [NAME]).split("\n")[2];
  assert.equal(cell("a|b"), "| a\\|b |");
  assert.equal(cell("a\nb"), "| a b |");
  assert.equal(cell("<b>*x*_`"), "| \\<b\\>\\*x\\*\\_\\` |");
  assert.match(cell("@someone"), /@&#8203;someone/);
  assert.match(cell("#12"), /#&#8203;12/);
  assert.doesNotMatch(cell("https://x.invalid www.x.invalid"), /https:\/|www\./);
});

test("every column of layers shows its own value", () => {
  const layer = {
    index: 1, name: "n", type: "t", precision: "p", out: "o", ms: 2, share: 3, findings: [], median: 4, moved: 5, weights: 6, gbs: 7,
    work: { macs: 8e9, tflops: 9 }, bound: "memory", roof: 10, reached: 11, headroom: 12, flops: 13e9, stream: 14, tactic: "s", onnx: ["x", "y"],
  };
  const values = Object.fromEntries(LAYER_COLUMNS.map((column) => [column.key, column.value(layer)]));
  assert.deepEqual(values, {
    index: 1, name: "n", type: "t", precision: "p", out: "o", ms: 2, share: 3, findings: "", median: 4, moved: 5, weights: 6, gbs: 7,
    gmac: 8, tflops: 9, bound: "memory", reached: 11, headroom: 12, gflop: 13, stream: 14, tactic: "s", onnx: "x, y",
  });
});

test("columns become records without the values that are null", () => {
  const packed = { count: 3, columns: [["a", [1, null, 3]], ["b", ["x", "y"], [0, 1, 0]]] };
  assert.deepEqual(fromColumns(packed), [{ a: 1, b: "x" }, { b: "y" }, { a: 3, b: "x" }]);
});
