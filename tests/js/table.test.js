// The table of layers: columns, order, and copying as CSV and Markdown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fromColumns } from "../../static/js/data/unpack.js";
import { asCsv } from "../../static/js/table/csv.js";
import { layerColumns } from "../../static/js/table/layer_columns.js";
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

test("the order of the layers is that of their positions, in both directions", () => {
  const column = { key: "index", label: "#", width: 40, number: true, value: (row) => row.index };
  const rows = [{ index: 2 }, { index: 10 }, { index: 0 }];
  assert.deepEqual(sortedBy(rows, column, true).map((row) => row.index), [0, 2, 10]);
  assert.deepEqual(sortedBy(rows, column, false).map((row) => row.index), [10, 2, 0]);
  assert.deepEqual(rows.map((row) => row.index), [2, 10, 0]);
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

test("names are not Markdown", () => {
  const cell = (name) => asMarkdown([{ name }], [NAME]).split("\n")[2];
  assert.equal(cell("a|b"), "| a\\|b |");
  assert.equal(cell("a\nb"), "| a b |");
  assert.equal(cell("<b>*x*_`"), "| \\<b\\>\\*x\\*\\_\\` |");
  assert.match(cell("@someone"), /@&#8203;someone/);
  assert.match(cell("#12"), /#&#8203;12/);
  assert.doesNotMatch(cell("https://x.invalid www.x.invalid"), /https:\/|www\./);
});

test("the columns of layers are those of the registry", () => {
  const columns = layerColumns([
    { key: "name", heading: "Name", kind: "text", width: 340, on: true },
    { key: "origins", heading: "ONNX nodes", kind: "list", width: 320 },
    { key: "stream", heading: "Stream", kind: "count", width: 72 },
    { key: "roof_ms", heading: "Roofline time (ms)", kind: "number", width: 90 },
    { key: "reached_percent", heading: "% of roofline", kind: "number", width: 108 },
    { key: "headroom_ms", heading: "Headroom (ms)", kind: "number", width: 90, bar: true },
    { key: "moved_bytes", heading: "Moved", kind: "bytes", width: 90 },
    { key: "flops", heading: "GFLOP", kind: "count", width: 80, divisor: 1e9 },
    { key: "findings", heading: "Findings", kind: "text", width: 184 },
    { key: "bound", heading: "Bound by", kind: "text", term: "bound" },
  ]);
  const finding = (code, severity) => ({ finding: { code, severity } });
  const layer = { name: "n", origins: ["x", "y"], stream: 1309, roof_ms: 10, reached_percent: 100, headroom_ms: 0.0005, moved_bytes: 2048, flops: 13e9, findings: [finding("B", "info"), finding("A", "error")], bound: "memory" };
  const shown = columns.map((column) => [column.label, column.show ? column.show(column.value(layer)) : column.value(layer)]);
  assert.deepEqual(shown, [
    ["Name", "n"], ["Findings", "A, B"], ["ONNX nodes", "x, y"], ["Stream", "1,309"], ["Roofline time (ms)", "10.0"], ["% of roofline", "100"], ["Headroom (ms)", "<0.001"],
    ["Moved", "2.00\u00a0KiB"], ["GFLOP", "13.0"],
  ]);
  assert.deepEqual(columns.map((column) => Boolean(column.number)), [false, false, false, true, true, true, true, true, true]);
  const reached = columns.find((column) => column.key === "reached_percent");
  assert.deepEqual([130, 100.01, 99, null].map((percent) => reached.show(percent)), ["130 (exceeds)", "100 (exceeds)", "99.0", "–"]);
  assert.deepEqual(columns.filter((column) => column.on || column.bar).map((column) => column.key), ["name", "headroom_ms"]);
});

test("columns become records without the values that are null", () => {
  const packed = { count: 3, columns: [["a", [1, null, 3]], ["b", ["x", "y"], [0, 1, 0]]] };
  assert.deepEqual(fromColumns(packed), [{ a: 1, b: "x" }, { b: "y" }, { a: 3, b: "x" }]);
});
