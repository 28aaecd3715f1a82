// Which entry of the glossary explains a memory layout.

import assert from "node:assert/strict";
import { test } from "node:test";

import { layoutTerm } from "../../static/js/page/glossary.js";

test("layouts with packs or with channels last share an entry", () => {
  const packed = ["NC/32HW32", "NC/4HW4", "NC/8", "NHWC", "NHWC8", "HWC16", "NDHWC8", "kCDHW32", "kHWC8", "kCHW32", "kDHWC8", "CHW4"];
  assert.deepEqual(packed.filter((layout) => layoutTerm(layout) !== "NC/32HW32"), []);
});

test("other texts are themselves", () => {
  for (const text of ["linear", "NCHW", "", "FP16", "x".repeat(5000), "NC/", "kLINEAR"]) assert.equal(layoutTerm(text), text);
});
