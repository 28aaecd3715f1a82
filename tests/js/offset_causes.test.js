// Causes that offset each other are named as in Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { offsetCauses } from "../../static/js/format/offset_causes.js";

for (const [title, causes, baselineMs, expected] of JSON.parse(readFileSync(new URL("../offset_cause_vectors.json", import.meta.url), "utf-8"))) {
  test(title, () => assert.equal(offsetCauses(causes, baselineMs), expected));
}
