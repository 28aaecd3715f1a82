// The one stop of the Tab key among many elements.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TabStop } from "../../../static/js/dom/tab_stop.js";

/** What the test needs of an element. */
function element() {
  return { tabindex: "-1", setAttribute(_, value) { this.tabindex = value; } };
}

test("one element at a time is the stop", () => {
  const [one, other] = [element(), element()];
  const stop = new TabStop();
  stop.moveTo(one);
  stop.moveTo(other);
  assert.deepEqual([one.tabindex, other.tabindex], ["-1", "0"]);
  stop.moveTo(other);
  assert.equal(other.tabindex, "0");
});

test("nothing in place of an element leaves the stop where it is", () => {
  const one = element();
  const stop = new TabStop();
  stop.moveTo(one);
  stop.moveTo(null);
  stop.moveTo(undefined);
  assert.equal(stop.element, one);
  assert.equal(one.tabindex, "0");
});
