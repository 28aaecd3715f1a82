// What the address holds of the open blocks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openAddress } from "../../../static/js/graph/viewer/open_blocks.js";

test("what is open at first needs no address", () => {
  assert.equal(openAddress("2.a", 0, "2.a"), "");
});

test("other blocks and the least share are in the address", () => {
  assert.equal(openAddress("1", 0, "2.a"), "1");
  assert.equal(openAddress("2.a", 5, "2.a"), "2.a_5");
});
