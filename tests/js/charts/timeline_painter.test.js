// The boxes of a timeline: a name is written on the color of its box, which nothing covers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { TimelinePainter } from "../../../static/js/charts/timeline_painter.js";

/** A pen that keeps what it draws. */
function recorder() {
  const drawn = [];
  const pen = {
    fillStyle: "",
    fillRect: (x, _y, width) => drawn.push(["box", pen.fillStyle, Math.round(x), Math.round(width)]),
    fillText: (text) => drawn.push(["text", pen.fillStyle, text]),
    measureText: (text) => ({ width: 6 * text.length }),
  };
  return { drawn, pen };
}

test("a name is black or white on the color of its box", () => {
  const { drawn, pen } = recorder();
  globalThis.document = { createElement: () => ({ getContext: () => pen }) };
  const colors = ["#123456", "#ffdd88"];
  const painter = new TimelinePainter({ getContext: () => pen }, [], [], (span) => ({ color: colors[span.layer], text: "a query is enqueued" }));
  painter.shade = (shade) => shade;
  painter.width = 1104;
  painter.range = [0, 10];
  painter.drawSpans([{ layer: 0, row: 0, start: 0, end: 6 }, { layer: 1, row: 0, start: 6, end: 9 }, { layer: 0, row: 0, start: 9, end: 9.2 }], 0);
  delete globalThis.document;
  assert.deepEqual(drawn, [
    ["box", "#123456", 104, 599],
    ["text", "#ffffff", "a query is enqueued"],
    ["box", "#ffdd88", 704, 299],
    ["text", "#000000", "a query is enqueued"],
    ["box", "#123456", 1004, 19],
  ]);
});
