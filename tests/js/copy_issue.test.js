// A finding as the text of an issue.

import assert from "node:assert/strict";
import { test } from "node:test";

import { issueText } from "../../static/js/page/copy_issue.js";

const LAYERS = Array.from({ length: 30 }, (_, index) => ({ name: `conv|${index}\n@all`, type: "Convolution", precision: "INT8", avg_ms: index / 10 }));
const FINDING = { code: "TRX302", name: "quantization.mixed-residual-add", places: [[[1, 2], null, 0], [[2, 3], null, 0]] };
const PARTS = { headline: "2 <b>Adds</b>", savings: "Savings est. 10%", facts: ["A100"], texts: [["Cost", "time"]], address: "https://x.invalid/r.html#finding-TRX302" };

test("an issue has what, where and why", () => {
  const text = issueText({ layers: LAYERS, engine: "net" }, FINDING, PARTS);
  const lines = text.split("\n");
  assert.equal(lines[0], "### 2 \\<b\\>Adds\\</b\\>");
  assert.ok(lines.includes("net · A100"));
  assert.equal(lines.filter((line) => line.startsWith("| conv")).length, 3);
  assert.ok(lines.includes("**Cost.** time"));
  assert.ok(lines.includes(PARTS.address));
});

test("no name mentions anyone or breaks the table", () => {
  const text = issueText({ layers: LAYERS }, FINDING, PARTS);
  assert.match(text, /\| conv\\\|1 \\@&#8203;all \| Convolution/);
});

test("of many layers the first are listed", () => {
  const many = { ...FINDING, places: [[LAYERS.map((_, index) => index), null, 0]] };
  assert.match(issueText({ layers: LAYERS }, many, PARTS), /\n10 more layers\.\n/);
});
