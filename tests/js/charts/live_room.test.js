// Whether texts of an interactive chart fit its column.

import assert from "node:assert/strict";
import { test } from "node:test";

import { hasRoom } from "../../../static/js/charts/live_room.js";

const chart = (annotations) => ({ margin: { l: 40, r: 60 }, xaxis: { type: "log", range: [0, 3] }, annotations });
const name = { text: "conv1.weight + /relu/Relu", x: 2, y: 2, xref: "x", yref: "y", xanchor: "center" };

test("names of points need their room beside the point", () => {
  assert.equal(hasRoom(chart([name]), 1000), true);
  assert.equal(hasRoom(chart([{ ...name, xshift: 100 }]), 390), false);
  assert.equal(hasRoom(chart([{ ...name, ax: 100 }]), 390), false);
  assert.equal(hasRoom(chart([{ ...name, x: 0 }]), 390), false);
  assert.equal(hasRoom(chart([{ ...name, xanchor: "right" }]), 390), true);
});

test("what is left of a point covers no number of the axis", () => {
  assert.equal(hasRoom(chart([{ ...name, x: 1, xanchor: "right" }]), 390), false);
  assert.equal(hasRoom(chart([{ ...name, x: 1, xanchor: "right" }]), 700), true);
});

test("labels and the legend do not shrink", () => {
  assert.equal(hasRoom({ margin: { l: 200, r: 60 }, annotations: [] }, 300), false);
  assert.equal(hasRoom(chart([{ text: "a".repeat(60), x: 0, y: 1 }]), 390), false);
  assert.equal(hasRoom(chart([{ text: "a".repeat(60), x: 0, y: 1 }]), 500), true);
});
