// The chips above a table.

import assert from "node:assert/strict";
import { test } from "node:test";

import { frequencies, toggled } from "../../static/js/table/facets.js";

test("values are counted, the most frequent first", () => {
  const items = [["b"], ["a", "b"], ["c"], []];
  assert.deepEqual(frequencies(items, (item) => item), [["b", 2], ["a", 1], ["c", 1]]);
});

test("a value is put in place of another one of its property", () => {
  assert.equal(toggled("", "type", "Conv"), 'type:"Conv"');
  assert.equal(toggled('time>1% type:"Conv"', "type", "Re format"), 'time>1% type:"Re format"');
});

test("a value that is chosen is taken out", () => {
  assert.equal(toggled('a type:"Re format" b', "type", "Re format"), "a b");
  assert.equal(toggled('type:"a ""b"""', "type", 'a "b"'), "");
});
