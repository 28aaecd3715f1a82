// Where the layers and blocks of a large engine's graph are.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BlockLayout } from "../../../static/js/graph/viewer/block_layout.js";
import { BlockTree } from "../../../static/js/graph/viewer/block_tree.js";
import { boxOfLayer, headOf } from "../../../static/js/graph/viewer/boxes.js";
import { within } from "../../../static/js/graph/viewer/geometry.js";

const SHAPE = { w: 100, h: 80, at: [10, 10, 10, 45], top: [50], bottom: [50] };
const SIZES = { layer: [80, 30], row: [80, 20], pad: 4 };

/** An engine of two blocks of two layers each. */
function engine() {
  const blocks = [
    { label: "engine", ranges: [0, 3], count: 4 },
    { label: "first", parent: 0, ranges: [0, 1], count: 2 },
    { label: "second", parent: 0, ranges: [2, 3], count: 2 },
  ];
  const parts = [{ block: 1, shape: 0, rows: [], tensors: [] }, { block: 2, shape: 0, rows: [], tensors: [] }];
  const tree = new BlockTree({ sizes: SIZES, blocks, parts, flows: [], shapes: [SHAPE], hidden: [3, 3] }, { layers: [{}, {}, {}, {}] });
  tree.open = new Set([0, 1]);
  return { tree, layout: new BlockLayout(tree) };
}

test("a layer of an open block has a box of its own inside of it", () => {
  const { tree, layout } = engine();
  const box = boxOfLayer(tree, layout, 1);
  const [item] = layout.items;
  assert.deepEqual(box, { x: item.x + 10, y: item.y + 45, w: 80, h: 30 });
  assert.ok(within(box, layout.frameBoxes[0]));
});

test("a layer of a closed block is where that is", () => {
  const { tree, layout } = engine();
  assert.equal(boxOfLayer(tree, layout, 2), layout.items[1]);
});

test("a layer without a node is at the head of its open block", () => {
  const { tree } = engine();
  tree.open.add(2);
  const layout = new BlockLayout(tree);
  const frame = layout.frameBoxes.find(({ block }) => block.id === 2);
  assert.deepEqual(boxOfLayer(tree, layout, 3), { x: frame.x + frame.w / 2, y: frame.y, w: 0, h: 0 });
});

test("a block is found open and closed, and not inside of a closed one", () => {
  const { layout } = engine();
  assert.equal(headOf(layout, 1).y, layout.frameBoxes[0].y);
  assert.equal(headOf(layout, 2).y, layout.items[1].y);
  assert.equal(headOf(layout, 7), undefined);
});
