// The filters of tables that the page holds whole.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hasWords } from "../../static/js/page/row_filter.js";

test("a text has all words of a filter in any order and case", () => {
  assert.ok(hasWords("conv1 sm80_XMMA FP16", "fp16 xmma"));
  assert.ok(hasWords("conv1", ""));
  assert.ok(!hasWords("conv1 FP16", "conv1 fp32"));
});
