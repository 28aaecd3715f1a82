// Places of names beside points.

import assert from "node:assert/strict";
import { test } from "node:test";

import { boxOf, placeBeside } from "../../../static/js/charts/label_places.js";

const ROOM = { left: 0, right: 400, top: 0, bottom: 200 };
const POINT = { x: 200, y: 100, r: 5 };

test("a name is on the right of its point, else on the left, below or above", () => {
  assert.deepEqual(placeBeside(POINT, 100, ROOM, [], []), { x: 210, y: 104, anchor: "start" });
  const right = boxOf({ x: 210, y: 104, anchor: "start" }, 100);
  const left = boxOf({ x: 190, y: 104, anchor: "end" }, 100);
  assert.equal(placeBeside(POINT, 100, ROOM, [right], []).anchor, "end");
  assert.ok(placeBeside(POINT, 100, ROOM, [right, left], []).y > POINT.y + 10);
  const below = boxOf(placeBeside(POINT, 100, ROOM, [right, left], []), 100);
  assert.ok(placeBeside(POINT, 100, ROOM, [right, left, below], []).y < POINT.y);
});

test("a name that has no place is left out", () => {
  assert.equal(placeBeside(POINT, 401, ROOM, [], []), null);
  assert.equal(placeBeside(POINT, 100, ROOM, [ROOM], []), null);
  const crowd = Array.from({ length: 400 }, (_, at) => ({ x: at, y: 100, r: 30 }));
  assert.equal(placeBeside(POINT, 100, ROOM, [], crowd), null);
});

test("a name covers as few marks as possible", () => {
  assert.equal(placeBeside(POINT, 100, ROOM, [], [{ x: 250, y: 100, r: 3 }]).anchor, "end");
  const around = [250, 150].map((x) => ({ x, y: 100, r: 3 }));
  assert.ok(placeBeside(POINT, 100, ROOM, [], around).y > POINT.y + 10);
});
