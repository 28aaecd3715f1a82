// The layout of the graph of a large engine: open and closed blocks, lines between them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BlockLayout } from "../../static/js/graph/viewer/block_layout.js";
import { BlockTree } from "../../static/js/graph/viewer/block_tree.js";
import { boundsOf, touches, within } from "../../static/js/graph/viewer/geometry.js";
import { expandRanges } from "../../static/js/graph/viewer/ranges.js";

const SHAPE = { w: 100, h: 80, at: [10, 10], top: [20, 40, 60, 80], bottom: [70] };

/** A model of `count` modules of one layer each, two by two in groups, with skips forward and one line back. */
function model(count) {
  const groups = Math.ceil(count / 2);
  const blocks = [{ label: "engine", ranges: [0, count - 1], count }];
  for (let group = 0; group < groups; group += 1) {
    blocks.push({ label: `group${group}`, parent: 0, ranges: [2 * group, Math.min(count, 2 * group + 2) - 1], count: 2, share: group });
  }
  for (let layer = 0; layer < count; layer += 1) blocks.push({ label: `m${layer}`, parent: 1 + (layer >> 1), ranges: [layer, layer], count: 1, share: layer % 5 });
  const leaf = (layer) => 1 + groups + layer;
  const flows = [];
  for (let layer = 0; layer + 1 < count; layer += 1) flows.push([layer + 1, leaf(layer), leaf(layer + 1), ...[4, 7].filter((step) => layer % step === 1 && layer + step < count).map((step) => leaf(layer + step))]);
  if (count > 3) flows.push([count, leaf(count - 1), leaf(1)]);
  const reads = (layer) => flows.filter(([, , ...to]) => to.includes(leaf(layer))).map(([tensor]) => tensor);
  const parts = Array.from({ length: count }, (_, layer) => ({ block: leaf(layer), shape: 0, in: reads(layer), out: [layer + 1], rows: [], tensors: [] }));
  const data = { layers: Array.from({ length: count }, () => ({})) };
  return new BlockTree({ sizes: { layer: [80, 40], row: [80, 20], pad: 4 }, blocks, parts, flows, shapes: [SHAPE] }, data);
}

const inner = (box) => ({ x: box.x + 0.5, y: box.y + 0.5, w: box.w - 1, h: box.h - 1 });

/** Check what every layout keeps. */
function check(layout) {
  assert.ok(layout.items.length > 0);
  const whole = { x: 0, y: 0, w: layout.width, h: layout.height };
  layout.items.forEach((item, index) => {
    assert.ok(within(item, whole), `item ${index} is in the drawing`);
    for (const other of layout.items.slice(index + 1)) assert.ok(!touches(inner(item), inner(other)), `items ${index} and ${other.index}`);
  });
  for (const frame of layout.frameBoxes) {
    assert.ok(within(frame, whole), frame.block.label);
    for (const item of layout.items) if (touches(inner(item), inner(frame))) assert.ok(within(item, frame), `${item.block.label} is in ${frame.block.label} or outside of it`);
  }
  for (const line of layout.lines) {
    assert.ok(within(line, whole), "a line is in the drawing");
    assert.deepEqual(boundsOf(line.points), { x: line.x, y: line.y, w: line.w, h: line.h });
    if (line.end) continue;
    const [source, target] = [layout.items[line.source], layout.items[line.target]];
    const [[x, y], [toX, toY]] = [line.points[0], line.points.at(-1)];
    assert.ok(y === source.y + source.h && x >= source.x && x <= source.x + source.w, "a line leaves the bottom of its source");
    assert.ok(toY === target.y && toX >= target.x && toX <= target.x + target.w, "a line arrives at the top of its target");
    for (const [index, [px, py]] of line.points.entries()) {
      const next = line.points[index + 1];
      if (next) assert.ok(px === next[0] || py === next[1], "lines are straight up or sideways");
      if (next) for (const item of layout.items) assert.ok(!touches(boundsOf([[px, py], next]), inner(item)), `a line crosses item ${item.index}`);
    }
  }
}

test("no items overlap and no line crosses an item, whatever is open", () => {
  const tree = model(11);
  for (let depth = 1; depth <= 3; depth += 1) {
    tree.openTo(depth);
    const layout = new BlockLayout(tree);
    check(layout);
    assert.equal(layout.items.length, [6, 11, 11][depth - 1]);
    assert.ok(layout.lines.length >= layout.items.length - 1);
  }
});

test("long models go on in further columns", () => {
  const tree = model(240);
  tree.openTo(3);
  const layout = new BlockLayout(tree);
  check(layout);
  assert.ok(layout.columns.length > 1);
  assert.ok(layout.items.every((item) => item.column >= 0 && item.column < layout.columns.length));
  assert.ok(layout.height < 6000, `${layout.height}`);
});

test("a wide window gets columns side by side, a narrow one a single column", () => {
  const tree = model(20);
  tree.openTo(3);
  const narrow = new BlockLayout(tree, 0, { w: 250, h: 800 });
  const wide = new BlockLayout(tree, 0, { w: 1600, h: 900 });
  check(wide);
  assert.equal(narrow.columns.length, 1);
  assert.ok(wide.columns.length > 1);
  assert.ok(wide.height < narrow.height);
  const counts = wide.columns.map(({ first, last }) => last - first + 1);
  assert.ok(Math.max(...counts) <= 3 * Math.min(...counts), `${counts}`);
});

test("lines on the same height of a gap do not touch", () => {
  const tree = model(40);
  tree.openTo(3);
  const { items } = new BlockLayout(tree);
  let compared = 0;
  for (const { gap } of items) {
    for (const [index, one] of gap.uses.entries()) {
      for (const other of gap.uses.slice(index + 1)) {
        compared += 1;
        if (one.track === other.track) assert.ok(one.to < other.from || other.to < one.from);
      }
    }
  }
  assert.ok(compared > 5, `${compared}`);
});

test("blocks of little time are taken together", () => {
  const tree = model(11);
  tree.openTo(2);
  const { items } = tree.items(2);
  const few = items.filter((item) => item.kind === "few");
  assert.ok(few.length > 0);
  for (const item of few) for (const block of item.blocks) assert.ok(block.share < 2, block.label);
  check(new BlockLayout(tree, 2));
});

test("what is open is a text that gives it back", () => {
  const tree = model(11);
  const first = tree.openText();
  for (const change of [() => tree.openTo(2), () => tree.open.delete(2), () => tree.open.add(9), () => tree.openFirst()]) {
    change();
    const open = [...tree.open].sort();
    const text = tree.openText();
    tree.openTo(1);
    assert.equal(tree.openFrom(text), true);
    assert.deepEqual([...tree.open].sort(), open, text);
  }
  assert.equal(tree.openFrom(first), true);
  for (const text of ["", "x", "1.-", "1..2", "2 "]) assert.equal(tree.openFrom(text), false, text);
});

test("a layer knows the closed block around it", () => {
  const tree = model(4);
  tree.openTo(1);
  assert.equal(tree.closedAround(3).label, "group1");
  tree.open.add(2);
  assert.equal(tree.closedAround(3).label, "m3");
  tree.openAround(3);
  assert.equal(tree.closedAround(3), undefined);
  assert.equal(tree.closedAround(0).label, "group0");
});

test("ranges hold both of their ends", () => {
  assert.deepEqual(expandRanges([0, 2, 5, 5]), [0, 1, 2, 5]);
  assert.deepEqual(expandRanges(), []);
});
