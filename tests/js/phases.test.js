// The tabs of a page of several phases.

import assert from "node:assert/strict";
import { test } from "node:test";

import { phaseOf, tabAddress } from "../../static/js/page/phases.js";

const PHASES = [{ name: "prefill" }, { name: "a&b=ü #" }, { name: "\ud800 half" }];

test("a tab's address names its phase, and phaseOf finds it", () => {
  for (const page of ["file:///tmp/set.html", "https://ci/job/set.html?token=1&phase=old#L3"]) {
    PHASES.forEach(({ name }, index) => assert.equal(phaseOf(tabAddress(page, name), PHASES), index));
    assert.equal(phaseOf(tabAddress(page, null), PHASES), -1);
  }
});

test("other parts of the query stay, and the state of another phase goes", () => {
  assert.equal(tabAddress("https://ci/set.html?token=1&phase=old#L3", "prefill"), "https://ci/set.html?token=1&phase=prefill");
  assert.equal(tabAddress("file:///set.html?phase=old#L3", null), "file:///set.html");
});

test("an unknown phase is the overview", () => {
  assert.equal(phaseOf("file:///set.html?phase=other", PHASES), -1);
  assert.equal(phaseOf("file:///set.html", PHASES), -1);
});
