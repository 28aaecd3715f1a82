// From which precisions to which the layers of a row change, as in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { precisionChange } from "../../static/js/format/precision.js";

const VECTORS = JSON.parse(readFileSync(new URL("../precision_change_vectors.json", import.meta.url), "utf-8"));
const distinct = (layers, at) => [...new Set(layers.map((layer) => layer[at]).filter(Boolean))];

for (const [title, before, after, expected] of VECTORS) {
  test(title, () => {
    const [inputs, outputs] = [0, 1].map((at) => [distinct(before, at), distinct(after, at)]);
    assert.equal(precisionChange(inputs, outputs), expected);
  });
}
