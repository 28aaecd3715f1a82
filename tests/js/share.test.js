// What a chart shows, as CSV.

import assert from "node:assert/strict";
import { test } from "node:test";

import { marksCsv } from "../../static/js/page/share.js";

test("tooltips of different length become rows of one table", () => {
  const text = marksCsv([["Conv", "1 ms, 50%"], ["=cmd", "type", "2 ms"]]);
  assert.deepEqual(text.split("\r\n"), ["Name,Value 1,Value 2", 'Conv,"1 ms, 50%",', "'=cmd,type,2 ms"]);
});

test("a chart without marks has a head only", () => {
  assert.equal(marksCsv([]), "Name");
});
