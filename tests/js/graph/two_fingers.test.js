// Two fingers zoom and move; one is left to the browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fingersAt, watchTwoFingers } from "../../../static/js/graph/two_fingers.js";

const finger = (clientX, clientY) => ({ clientX, clientY });

/** A pane at (10, 20) that records what fingers do to it. */
function watched() {
  const listeners = {};
  const done = [];
  const view = { addEventListener: (name, listener) => (listeners[name] = listener), getBoundingClientRect: () => ({ left: 10, top: 20 }) };
  watchTwoFingers(view, { moved: (...by) => done.push(["moved", ...by]), zoomed: (...by) => done.push(["zoomed", ...by]), ended: () => done.push(["ended"]) });
  const touch = (name, ...touches) => {
    let prevented = false;
    listeners[name]({ touches, cancelable: true, preventDefault: () => (prevented = true) });
    return prevented;
  };
  return { touch, done };
}

test("fingers have a distance and a middle, and a least distance", () => {
  assert.deepEqual(fingersAt([finger(0, 0), finger(30, 40)]), { apart: 50, x: 15, y: 20 });
  assert.equal(fingersAt([finger(5, 5), finger(5, 5)]).apart, 24);
});

test("two fingers zoom around the point between them and move with it", () => {
  const { touch, done } = watched();
  assert.equal(touch("touchstart", finger(100, 100), finger(200, 100)), true);
  assert.equal(touch("touchmove", finger(60, 120), finger(260, 120)), true);
  touch("touchend", finger(60, 120));
  assert.deepEqual(done, [["zoomed", 2, 150, 100], ["moved", 10, 20], ["ended"]]);
});

test("one finger is the browser's, and three do nothing", () => {
  const { touch, done } = watched();
  assert.equal(touch("touchstart", finger(100, 100)), false);
  assert.equal(touch("touchmove", finger(100, 50)), false);
  touch("touchstart", finger(1, 1), finger(2, 2), finger(3, 3));
  touch("touchmove", finger(9, 9), finger(8, 8), finger(7, 7));
  touch("touchend");
  assert.deepEqual(done, []);
});
