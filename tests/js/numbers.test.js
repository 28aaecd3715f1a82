// The numbers in a page are written as numbers.py writes them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as numbers from "../../static/js/format/numbers.js";

const VECTORS = JSON.parse(readFileSync(new URL("../number_vectors.json", import.meta.url), "utf-8"));
const SPECIAL = { NaN, Infinity, "-Infinity": -Infinity };
const FUNCTIONS = { ...numbers, formatSignedMs: (value) => numbers.formatSigned(value, numbers.formatMs) };

for (const [name, vectors] of Object.entries(VECTORS)) {
  test(`${name} agrees with Python`, () => {
    assert.ok(vectors.length > 4);
    for (const vector of vectors) {
      const given = vector.slice(0, -1).map((each) => SPECIAL[each] ?? each);
      assert.equal(FUNCTIONS[name](...given), vector.at(-1), `${name}(${given.join(", ")})`);
    }
  });
}

test("every function that writes numbers has vectors", () => {
  const written = Object.keys(numbers).filter((name) => name.startsWith("format"));
  assert.ok(written.length > 6);
  for (const name of written) assert.ok(name in VECTORS, name);
});
