// The filter language.

import assert from "node:assert/strict";
import { test } from "node:test";

import { completeReportData } from "../../static/js/data/report_data.js";
import { layerTerms } from "../../static/js/query/layer_terms.js";
import { compileQuery, hasTerms, quoted, splitQuery, unknownTerms, unquoted } from "../../static/js/query/query.js";
import { packed } from "./helpers.js";

const COLUMNS = [
  { key: "name", heading: "Name", kind: "text", width: 300, term: "name" },
  { key: "type", heading: "Type", kind: "text", width: 100, term: "type" },
  { key: "precision", heading: "Precision", kind: "text", width: 80, term: "precision", exact: true },
  { key: "origins", heading: "ONNX nodes", kind: "list", width: 300, term: "onnx" },
  { key: "stream", heading: "Stream", kind: "count", width: 70, term: "stream", exact: true },
  { key: "avg_ms", heading: "Avg. time (ms)", kind: "number", width: 90, term: "time", figure: true },
  { key: "moved_bytes", heading: "Moved", kind: "bytes", width: 90, term: "moved", figure: true },
  { key: "headroom_ms", heading: "Headroom (ms)", kind: "number", width: 90 },
];

const DATA = completeReportData({
  columns: COLUMNS,
  layers: packed([
    { name: "conv1", type: "Convolution", precision: "FP16", avg_ms: 1, share_percent: 50, moved_bytes: 2e6, tactic: "sm80_xmma", outputs: [[0, [1], "Row", 4]] },
    { name: "reformat", type: "Reformat", precision: "FP32", avg_ms: 0.5, share_percent: 25, origins: ["/a/Conv", "/b/Add"], inputs: [[0, [1], "Row", 4]] },
    { name: "pool \"max\" 2", type: "Pooling", subtype: "MaxPool", precision: "INT8", avg_ms: 0.25, share_percent: 12.5, stream: 1 },
    { name: "noop", type: "NoOp", key: "noop\ud800" },
  ]),
  tensors: packed([{ name: "Activations" }]),
  findings: [{ id: "TRX301", code: "TRX301", name: "mixed", severity: "warning", title: "t", messages: ["m"], places: [[[1], 0.1, 0]] }],
});

const found = (query) => {
  const fits = compileQuery(query, DATA, layerTerms(COLUMNS));
  return DATA.layers.filter(fits).map((layer) => layer.index);
};

test("layers of a block are those of the blocks in it", () => {
  const data = { ...DATA, blocks: [["net", -1, []], ["net/a", 0, [0, 0, 3, 3]], ["net/b", 0, [1, 1]], ["head", -1, [2, 2]]] };
  const inBlock = (query) => DATA.layers.filter(compileQuery(query, data, layerTerms(COLUMNS))).map((layer) => layer.index);
  assert.deepEqual(inBlock('block:"net"'), [0, 1, 3]);
  assert.deepEqual(inBlock('block:"net/a"'), [0, 3]);
  assert.deepEqual(inBlock("block:head"), [2]);
  assert.deepEqual(inBlock('block:"n"'), []);
});

test("comparisons include their limit only where they say so", () => {
  assert.deepEqual(found("time<0.5"), [2]);
  assert.deepEqual(found("time<=0.5"), [1, 2]);
  assert.deepEqual(found("time>0.5"), [0]);
  assert.deepEqual(found("time>=0.5"), [0, 1]);
});

test("a percent sign compares shares, and letters scale numbers", () => {
  assert.deepEqual(found("time>=25%"), [0, 1]);
  assert.deepEqual(found("time<=12.5%"), [2]);
  assert.deepEqual(found("moved>1M"), [0]);
  assert.deepEqual(found("moved>=2000k"), [0]);
  assert.deepEqual(found("moved>2M"), []);
});

test("fields search parts, but precisions and streams as a whole", () => {
  assert.deepEqual(found("type:conv,pool"), [0, 2]);
  assert.deepEqual(found("type:maxpool"), [2]);
  assert.deepEqual(found('type:"Conv"'), []);
  assert.deepEqual(found("precision:fp"), []);
  assert.deepEqual(found("precision:fp16,int8"), [0, 2]);
  assert.deepEqual(found("stream:1"), [2]);
  assert.deepEqual(found("onnx:*"), [1]);
  assert.deepEqual(found("precision:\"not stated\""), [3]);
  assert.deepEqual(found("tensor:activations"), [0, 1]);
});

test("findings are found by code, severity and name", () => {
  for (const query of ["finding:trx301", "finding:warning", "finding:mixed", "finding:*"]) assert.deepEqual(found(query), [1], query);
  assert.deepEqual(found("finding:error"), []);
});

test("words search all texts, patterns the name, and a minus negates", () => {
  assert.deepEqual(found("xmma"), [0]);
  assert.deepEqual(found("/a/conv"), [1]);
  assert.deepEqual(found("/^(conv1|noop)$/"), [0, 3]);
  assert.deepEqual(found("-type:NoOp -/conv/"), [1, 2]);
  assert.deepEqual(found('"pool ""max"" 2"'), [2]);
  assert.deepEqual(found(""), [0, 1, 2, 3]);
});

test("names of the language itself are plain words", () => {
  for (const query of ["constructor:x", "toString>1", "__proto__:x"]) assert.deepEqual(found(query), [], query);
});

test("a column without a term is not a field", () => {
  assert.deepEqual(found("headroom_ms>0"), []);
  assert.deepEqual(found("undefined:x"), []);
});

test("a wrong query is an error that says what is wrong", () => {
  assert.throws(() => found("time>fast"), /time>fast: .*time>1%/);
  assert.throws(() => found("moved>1.2.3"), /moved>1\.2\.3/);
  assert.throws(() => found("/(/"), /\/\(\//);
});

test("a query is split at blanks outside of quotes and patterns", () => {
  assert.deepEqual(splitQuery('a  type:"b c" -/d e/ f'), ["a", 'type:"b c"', "-/d e/", "f"]);
  assert.deepEqual(splitQuery(""), []);
});

test("quoting is undone by unquoting", () => {
  for (const text of ["", "a b", 'say "x"', '"', "a,b"]) {
    assert.equal(unquoted(quoted(text)), text);
    assert.deepEqual(splitQuery(`type:${quoted(text)}`), [`type:${quoted(text)}`]);
  }
});

test("only texts with a known term are queries", () => {
  const terms = layerTerms(COLUMNS);
  const known = ["type:conv", "-type:conv", "conv time>1%", "time<=2"].filter((text) => hasTerms(text, terms));
  assert.equal(known.length, 4);
  const plain = ["conv", "", "a:b", "std::vector", "time:1>2", "type>1", "constructor:x", "x type"].filter((text) => hasTerms(text, terms));
  assert.deepEqual(plain, []);
});

test("what looks like a term and is none is named", () => {
  const unknown = (text) => unknownTerms(text, layerTerms(COLUMNS));
  assert.equal(unknown("tim>1 -typ:conv tim>2 type:conv time>1"), "not a filter term: tim>, typ:");
  assert.equal(unknown("type:nope time>1 conv1 /a:b/ a"), "");
  assert.equal(unknown("type>1"), "not a filter term: type>");
});
