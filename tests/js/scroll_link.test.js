// Two graphs that scroll together.

import assert from "node:assert/strict";
import { test } from "node:test";

import { followed, ScrollLink } from "../../static/js/graph/scroll_link.js";

const at = (y, ...parts) => ({ x: 0, y, parts });
const middle = (y) => ({ x: 0, y, w: 150, h: 150 });

test("what both have nearest to the middle is at the same place in both", () => {
  const [here, there] = [[at(0, 0), at(100, 1), at(200, 2)], [at(0, 0), at(50, 2)]];
  assert.deepEqual(followed(here, there, middle(190), -1), { x: 0, y: 40 });
  // Part 1 is not in the other graph.
  assert.deepEqual(followed(here, there, middle(90), -1), { x: 0, y: 90 });
});

test("what is looked at counts while it is in view", () => {
  const [here, there] = [[at(0, 0), at(100, 1)], [at(0, 0), at(500, 1)]];
  assert.deepEqual(followed(here, there, middle(60), 0), { x: 0, y: 60 });
  assert.deepEqual(followed(here, there, middle(60), -1), { x: 0, y: 460 });
  assert.deepEqual(followed(here, there, middle(200), 0), { x: 0, y: 600 });
});

test("graphs without anything in common stay where they are", () => {
  assert.equal(followed([at(0, 1)], [at(0, 2)], middle(0), -1), null);
  assert.equal(followed([], [], middle(0), -1), null);
});

function linked(places) {
  const view = { listeners: [], scrollLeft: 0, scrollTop: 0, clientWidth: 0, clientHeight: 0, moves: 0, addEventListener(_, listener) { this.listeners.push(listener); }, getBoundingClientRect: () => ({ top: 0 }), scrollTo({ top }) { this.scrollTop = top; this.moves += 1; } };
  const pane = { view, scale: 1, smallest: 0.5, rescaled() {}, seen: () => ({ x: 0, y: view.scrollTop, w: 0, h: 0 }), scaleTo(scale) { this.scale = scale; this.rescaled(); } };
  return { graph: { pane, places: () => places.map(([y, layer]) => ({ box: { x: 0, y, w: 0, h: 0 }, layers: [layer] })) }, partOf: (layer) => layer };
}

test("a graph that is moved by the other one does not move that again", () => {
  const [one, other] = [linked([[0, 0], [100, 1]]), linked([[0, 0], [300, 1]])];
  const link = new ScrollLink([one, other], () => -1);
  const scroll = ({ graph }) => graph.pane.view.listeners.forEach((each) => each());
  one.graph.pane.view.scrollTop = 100;
  scroll(one);
  assert.equal(other.graph.pane.view.moves, 0);
  link.on = true;
  scroll(one);
  assert.equal(other.graph.pane.view.scrollTop, 300);
  scroll(other);
  assert.equal(one.graph.pane.view.moves, 0);
  other.graph.pane.view.scrollTop = 0;
  scroll(other);
  assert.equal(one.graph.pane.view.scrollTop, 0);
});

test("both have one scale, however small", () => {
  const [one, other] = [linked([]), linked([])];
  new ScrollLink([one, other], () => -1).on = true;
  one.graph.pane.scaleTo(0.25);
  assert.deepEqual([other.graph.pane.scale, other.graph.pane.smallest], [0.25, 0.25]);
});
