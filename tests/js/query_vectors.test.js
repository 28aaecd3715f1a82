// The filter language finds the same layers in pages and in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { completeReportData } from "../../static/js/data/report_data.js";
import { layerTerms } from "../../static/js/query/layer_terms.js";
import { compileQuery } from "../../static/js/query/query.js";
import { packed } from "./helpers.js";

const VECTORS = JSON.parse(readFileSync(new URL("../query_vectors.json", import.meta.url), "utf-8"));
const COLUMNS = [
  { key: "index", kind: "count", term: "index", figure: true },
  { key: "name", kind: "text", term: "name" },
  { key: "type", kind: "text", term: "type" },
  { key: "precision", kind: "text", term: "precision", exact: true },
  { key: "origins", kind: "list", term: "node" },
  { key: "stream", kind: "count", term: "stream", exact: true },
  { key: "avg_ms", kind: "number", term: "time", figure: true },
  { key: "share_percent", kind: "number", term: "share", figure: true },
  { key: "moved_bytes", kind: "bytes", term: "moved", figure: true },
];
const DATA = completeReportData({ columns: COLUMNS, layers: packed(VECTORS.layers), tensors: packed([]), findings: [] });

test("queries find the layers of the shared vectors", () => {
  assert.ok(Object.keys(VECTORS.fits).length > 30);
  for (const [query, expected] of Object.entries(VECTORS.fits)) {
    const fits = compileQuery(query, DATA, layerTerms(COLUMNS));
    assert.deepEqual(DATA.layers.filter(fits).map((layer) => layer.index), expected, query);
  }
});

test("wrong queries are errors", () => {
  for (const query of VECTORS.wrong) assert.throws(() => compileQuery(query, DATA, layerTerms(COLUMNS)), Error, query);
});
