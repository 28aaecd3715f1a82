// Icicles: widths are times, and every layer is in one once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { IcicleTree } from "../../static/js/charts/icicle_layout.js";

// Groups: all, a, a/b, none of the model.
const PACKED = { labels: ["All layers", "a", "b", "not in the model"], parents: [-1, 0, 1, 0], apart: [3] };

function made(times, groups) {
  const layers = times.map((avg_ms, index) => ({ index, name: `layer ${index}`, avg_ms }));
  return new IcicleTree({ ...PACKED, layers: groups }, layers);
}

/** The layers of a box, also of those that it joins. */
function layersOf(tree, item) {
  if (item.merged) return item.merged.flatMap((each) => layersOf(tree, each));
  return item.layer ? [item.layer] : tree.layersIn(item.group);
}

test("the widths of a row add up to what is above", () => {
  for (const count of [1, 5, 400, 20000]) {
    const times = Array.from({ length: count }, (_, at) => (at % 17) / 8 + 0.125);
    const tree = made(times, times.map((_, at) => at % 4));
    const boxes = tree.boxes(0, 1000, 10);
    const total = times.reduce((sum, each) => sum + each, 0);
    assert.ok(Math.abs(tree.totals[0] - total) < 1e-6);
    for (const box of boxes.filter(({ group }) => group != null)) {
      const inside = boxes.filter(({ row, x }) => row === box.row + 1 && x >= box.x - 1e-6 && x < box.x + box.width - 1e-6);
      assert.ok(Math.abs(inside.reduce((sum, { width }) => sum + width, 0) - box.width) < 1e-6);
      const found = inside.flatMap((each) => layersOf(tree, each));
      assert.equal(new Set(found).size, tree.counts[box.group]);
      assert.equal(found.length, tree.counts[box.group]);
    }
    assert.ok(boxes.length < 2500, `${count} layers are ${boxes.length} boxes`);
  }
});

test("what is of no part of the model comes last", () => {
  const tree = made([1, 2, 3], [3, 1, 2]);
  assert.deepEqual(tree.inside[0].map(({ group }) => group), [1, 3]);
  assert.deepEqual(tree.inside[1].map(({ group, layer }) => group ?? layer.name), ["layer 1", 2]);
});

test("layers without time are left out", () => {
  const tree = made([0, undefined, 1], [3, 2, 1]);
  assert.deepEqual(tree.counts, [1, 1, 0, 0]);
  assert.deepEqual(tree.inside[0].map(({ group }) => group), [1]);
});

test("a group is found again by its path", () => {
  const tree = made([1, 1], [2, 3]);
  assert.deepEqual(tree.labels.map((_, at) => tree.byPath.get(tree.path(at))), [0, 1, 2, 3]);
  assert.equal(tree.path(0), "");
  assert.equal(tree.path(2), "a/b");
});

test("groups of one path have addresses of their own", () => {
  // Siblings of one label, a label with a slash, one that looks like a number, and a label of no characters.
  const labels = ["All", "a", "a", "a (2)", "b", "a/b", "b", "", "a"];
  const parents = [-1, 0, 0, 0, 1, 0, 2, 0, 0];
  const layers = labels.map((_, index) => ({ index, name: `layer ${index}`, avg_ms: 1 }));
  const tree = new IcicleTree({ labels, parents, apart: [], layers: labels.map((_, at) => at) }, layers);
  const paths = labels.map((_, at) => tree.path(at));
  assert.equal(new Set(paths).size, labels.length);
  assert.deepEqual(paths.map((path) => tree.byPath.get(path)), labels.map((_, at) => at));
  assert.deepEqual(paths.slice(0, 5), ["", "a", "a (2)", "a (2) (2)", "a/b"]);
});
