// Names in narrow places keep what differs, in Python and in JavaScript alike.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nameParts, sharedBeginnings } from "../../static/js/format/name_parts.js";

const VECTORS = JSON.parse(readFileSync(new URL("../name_part_vectors.json", import.meta.url), "utf-8"));

test("names are divided where they begin to differ", () => {
  assert.ok(VECTORS.length > 5);
  for (const [names, parts] of VECTORS) {
    const alike = sharedBeginnings(names);
    assert.deepEqual(names.map((name) => nameParts(name, alike.get(name))), parts);
  }
});

test("no character of two units is divided", () => {
  for (let at = 10; at < 24; at += 1) {
    const name = `${"a".repeat(at)}😀${"b".repeat(40 - at)}`;
    assert.ok(nameParts(name, at).join("").isWellFormed());
    assert.ok(nameParts(name, 0).join("").isWellFormed());
  }
});

test("a name shares its beginning with the one most like it, and nothing with others", () => {
  assert.deepEqual([...sharedBeginnings(["xyz", "abc", "abd", "a"])], [["a", 1], ["abc", 2], ["abd", 2], ["xyz", 0]]);
  assert.deepEqual([...sharedBeginnings(["q"])], [["q", 0]]);
});
