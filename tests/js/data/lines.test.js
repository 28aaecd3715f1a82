// Data whose lines are parsed when they are needed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readLines } from "../../../static/js/data/lines.js";
import { recordsOf } from "../../../static/js/data/records.js";

/** As packed_json() writes it. */
const TEXT = `{"engine":
"a\\nb"
,"layers":{"count":3,"columns":[["name",
["x","y","z"]
],["type",
["Conv","Pool"]
,
[0,1,0]
]]},"findings":
[{"id":"f"}]
}`;

class Plain {
  constructor(index) {
    this.index = index;
  }
}

/**
 * What a function returns, and how many texts were parsed meanwhile.
 * @template Result
 * @param {() => Result} action
 * @returns {[Result, number]}
 */
function parsed(action) {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (...given) => {
    count += 1;
    return parse(...given);
  };
  try {
    return [action(), count];
  } finally {
    JSON.parse = parse;
  }
}

test("all members are those of the whole text", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(readLines(TEXT))), JSON.parse(TEXT));
  assert.deepEqual(readLines("{}"), {});
  assert.deepEqual(readLines('[{"name":"prefill"}]'), [{ name: "prefill" }]);
});

test("a member is parsed when it is read first, and once", () => {
  const [data, atFirst] = parsed(() => readLines(TEXT));
  assert.equal(atFirst, 1);
  assert.deepEqual(parsed(() => [data.findings, data.findings]), [[[{ id: "f" }], [{ id: "f" }]], 1]);
  assert.equal(data.findings, data.findings);
  assert.deepEqual(parsed(() => data.engine), ["a\nb", 1]);
});

test("a member can be replaced before it is read", () => {
  const data = readLines(TEXT);
  data.findings = [];
  assert.deepEqual(parsed(() => data.findings), [[], 0]);
});

test("records parse the columns that they are asked for", () => {
  const data = readLines(TEXT);
  const [records, atFirst] = parsed(() => recordsOf(data.layers, Plain, { type: () => "?" }));
  assert.equal(atFirst, 0);
  assert.deepEqual(parsed(() => records.map(({ type }) => type)), [["Conv", "Pool", "Conv"], 2]);
  assert.deepEqual(parsed(() => records.map(({ name }) => name)), [["x", "y", "z"], 1]);
});
