// Texts on colors.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inkOn } from "../../../static/js/charts/ink.js";

test("text is black on light colors and white on dark ones", () => {
  assert.equal(inkOn("#ffffff"), "#000000");
  assert.equal(inkOn("#000000"), "#ffffff");
  assert.equal(inkOn("#76b900"), "#000000");
  assert.equal(inkOn("#1A4480"), "#ffffff");
});

test("a color without hexadecimal digits leaves the page's own", () => {
  for (const shade of ["var(--page)", "red", "#fff", "#gggggg", ""]) assert.equal(inkOn(shade), null, shade);
});
