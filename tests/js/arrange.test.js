// Where the columns of a table are.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange, cardOf, fitted, isNarrow } from "../../static/js/table/arrange.js";

const COLUMNS = [
  { key: "index", label: "#", width: 56, frozen: true, minor: true },
  { key: "name", label: "Name", width: 340, frozen: true },
  { key: "ms", label: "Avg. time (ms)", shortLabel: "Time (ms)", width: 116, narrowWidth: 80, frozen: true },
  { key: "share", label: "Time (%)", width: 128 },
  { key: "type", label: "Type", width: 100, value: (item) => item.type },
];

const placed = (available) => arrange(COLUMNS, available, 1);
const keys = (found) => found.map(({ column }) => column.key);

test("the name takes what the others leave", () => {
  const found = placed(1000);
  assert.deepEqual(keys(found), ["index", "name", "ms", "share", "type"]);
  assert.equal(found.reduce((sum, { width }) => sum + width, 0), 1000);
  assert.equal(found[1].width, 600);
});

test("the first columns stay in view, the others do not", () => {
  assert.deepEqual(placed(1000).map(({ left }) => left), [0, 56, 656, null, null]);
  assert.deepEqual(placed(1000).map(({ isEdge }) => isEdge), [false, false, true, false, false]);
});

test("a table that is scrolled leaves room for what is beside the name", () => {
  const wide = [...COLUMNS, { key: "tactic", label: "Tactic", width: 900 }];
  const found = arrange(wide, 800, 1);
  assert.equal(found[1].width, 288);
  assert.ok(56 + found[1].width + 116 + 128 < 800);
});

test("beside an open panel the first columns are compact", () => {
  const wide = [...COLUMNS, { key: "tactic", label: "Tactic", width: 900 }];
  const found = arrange(wide, 640, 1);
  assert.deepEqual(found.slice(0, 5).map(({ width }) => width), [56, 200, 80, 128, 100]);
  assert.equal(found[2].label, "Time (ms)");
  assert.equal(placed(640)[1].width, 276);
});

test("a table that is not shown yet is neither compact nor a phone's", () => {
  assert.deepEqual(keys(placed(0)), ["index", "name", "ms", "share", "type"]);
  assert.equal(placed(0)[2].width, 116);
  assert.equal(placed(0)[2].label, "Avg. time (ms)");
});

test("on a phone the name, the time and its bar are in view", () => {
  const found = placed(358);
  assert.deepEqual(keys(found), ["name", "ms", "share", "type", "index"]);
  assert.equal(found.slice(0, 3).reduce((sum, { width }) => sum + width, 0), 358);
  assert.equal(found[1].label, "Time (ms)");
  assert.deepEqual(found.map(({ left }) => left), [0, 150, null, null, null]);
});

test("a column has another width on a phone alone", () => {
  const found = (available) => arrange([COLUMNS[1], { ...COLUMNS[2], phoneWidth: 60 }], available, 1)[1].width;
  assert.deepEqual([found(358), found(640), found(1000)], [60, 80, 116]);
  assert.deepEqual([0, 358, 479, 480].map((available) => isNarrow(available, 1)), [false, true, true, false]);
  assert.ok(isNarrow(800, 2));
});

test("on a tablet figures come before what describes", () => {
  const wide = [COLUMNS[0], COLUMNS[1], { key: "gpu", label: "GPU", width: 176, minor: true }, ...COLUMNS.slice(2)];
  assert.deepEqual(keys(arrange(wide, 738, 1)), ["index", "name", "ms", "share", "type", "gpu"]);
  assert.deepEqual(keys(arrange(wide, 1000, 1)), ["index", "name", "gpu", "ms", "share", "type"]);
  assert.deepEqual(keys(arrange(wide, 0, 1)), ["index", "name", "gpu", "ms", "share", "type"]);
});

test("before a table has a width its name has the least", () => {
  assert.ok(placed(0)[1].width >= 200);
});

test("a column of short texts is narrow", () => {
  const [, , , share, type] = fitted(COLUMNS, [{ type: "Conv" }, { type: "Relu" }], ["type"]);
  assert.equal(share.width, 128);
  assert.ok(type.width < 70);
  assert.equal(fitted(COLUMNS, [{ type: "x".repeat(1000) }], ["type"])[4].width, 100);
  assert.ok(fitted(COLUMNS, [], ["type"])[4].width > 40);
  assert.ok(fitted(COLUMNS, [{ type: "INT8" }], ["type"], 12)[4].width > type.width);
  // The widest of long texts decides, not the one with the most characters.
  const items = Array.from({ length: 40 }, (_, at) => ({ type: at === 30 ? "WWWWWW" : "i".repeat(1 + (at % 7)) }));
  assert.equal(fitted(COLUMNS, items, ["type"], (text) => (text.startsWith("W") ? 70 : 10))[4].width, 90);
});

test("width that the name does not need makes texts whole", () => {
  const columns = [COLUMNS[1], { key: "gpu", label: "GPU", width: 100, roomyWidth: 260 }, COLUMNS[3]];
  const widths = (available) => arrange(columns, available, 1).map(({ width }) => width);
  assert.deepEqual(widths(560), [332, 100, 128]);
  assert.deepEqual(widths(620), [340, 152, 128]);
  assert.deepEqual(widths(1000), [612, 260, 128]);
  assert.equal(fitted([{ ...columns[1], value: () => "x" }], [{}], ["gpu"], () => 150)[0].roomyWidth, 170);
});

test("a name that is longer than its column is whole before other texts are", () => {
  const columns = [{ ...COLUMNS[1], width: 192, roomyWidth: 300 }, { key: "gpu", label: "GPU", width: 300, roomyWidth: 460 }];
  const widths = (available) => arrange(columns, available, 1).map(({ width }) => width);
  assert.deepEqual(widths(490), [200, 300]);
  assert.deepEqual(widths(600), [300, 300]);
  assert.deepEqual(widths(760), [300, 460]);
});

test("the text that misses the least is whole first", () => {
  const columns = [{ ...COLUMNS[1], width: 200 }, { key: "model", label: "Model", width: 200, roomyWidth: 360 }, { key: "gpu", label: "GPU", width: 200, roomyWidth: 240 }];
  assert.deepEqual(arrange(columns, 660, 1).map(({ width }) => width), [200, 220, 240]);
});

test("a column is as wide as all that its cells say", () => {
  const column = { key: "change", label: "Change", width: 240, number: true, value: (item) => item.change, text: (item) => `${item.mark} ${item.change}` };
  const [{ width }] = fitted([column], [{ change: 49.9, mark: "outlier" }], ["change"], (text) => 10 * text.length);
  assert.equal(width, 10 * "outlier 49.9".length + 20);
});

test("a card has a line for the name and as many as its values need", () => {
  const values = ["index", "name", "ms", "share", "type"].map((key) => ({ key, width: 80, number: true }));
  assert.deepEqual(cardOf(358, values, 1), { beside: 4, span: 1, height: 2 * 20 + 9 });
  assert.deepEqual(cardOf(358, [...values, { key: "precision", width: 80 }], 1), { beside: 4, span: 1, height: 3 * 20 + 9 });
  assert.deepEqual(cardOf(358, values, 2), { beside: 2, span: 1, height: 2 * (3 * 20 + 9) });
  // Of large letters in a narrow window one value fits.
  assert.deepEqual(cardOf(320, values, 2), { beside: 2, span: 2, height: 2 * (5 * 20 + 9) });
});

test("a long text takes two places of a card, in the next line if there is one left only", () => {
  const long = { key: "tactic", width: 240 };
  const short = (key) => ({ key, width: 80 });
  assert.equal(cardOf(358, [short("name"), short("a"), short("b"), long], 1).height, 49);
  assert.equal(cardOf(358, [short("name"), short("a"), short("b"), short("c"), long], 1).height, 69);
  assert.equal(cardOf(358, [short("name"), ...["a", "b", "c"].map(short), { ...short("d"), double: true }], 1).height, 69);
});

test("the box to select a row is beside its name", () => {
  const columns = ["tick", "name", "a", "b", "c", "d"].map((key) => ({ key, width: 80 }));
  assert.equal(cardOf(358, columns, 1).height, 49);
});
