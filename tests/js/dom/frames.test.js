// Work that waits for the next frame.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { oncePerFrame } from "../../../static/js/dom/frames.js";

let waiting = [];
beforeEach(() => {
  waiting = [];
  globalThis.requestAnimationFrame = (action) => waiting.push(action);
});
afterEach(() => delete globalThis.requestAnimationFrame);
const frame = () => waiting.splice(0).forEach((action) => action());

test("an action runs once in a frame, however often it is asked for", () => {
  let runs = 0;
  const ask = oncePerFrame(() => (runs += 1));
  ask();
  ask();
  assert.equal(runs, 0);
  frame();
  assert.equal(runs, 1);
  frame();
  assert.equal(runs, 1);
});

test("an action that asks again runs in the frame after", () => {
  let runs = 0;
  const ask = oncePerFrame(() => {
    runs += 1;
    if (runs < 3) ask();
  });
  ask();
  frame();
  assert.equal(runs, 1);
  frame();
  frame();
  frame();
  assert.equal(runs, 3);
});
