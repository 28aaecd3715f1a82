// The address holds the state and gives it back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { linkKey } from "../../static/js/data/links.js";
import { changedState, EMPTY_TEXTS, hashOf, isStateLink, NO_SELECTION, readHash } from "../../static/js/state/address.js";

const NAMES = ["conv1", "a&b=c#d?%", "ünï/cödé", "half \ud800", "100%", "#L0", ""];
const layers = NAMES.map((key, index) => ({ index, key, name: key }));
const DATA = { layers, tensors: [{}, {}], rows: [{}, {}, {}], byKey: new Map(layers.map((layer) => [linkKey(layer.key), layer])) };
const EMPTY = { ...NO_SELECTION, ...EMPTY_TEXTS };

const again = (state) => ({ ...EMPTY, ...readHash(DATA, hashOf(state)) });

test("every layer is found again by its address", () => {
  for (const layer of layers) assert.equal(again({ ...EMPTY, layer }).layer, layer, layer.key);
});

test("tensors, rows and texts are found again together", () => {
  for (const state of [
    { ...EMPTY, tensor: 0 },
    { ...EMPTY, row: 2 },
    { ...EMPTY, tensor: 1, filter: 'type:"a b" time>1% /x&y=z/', graph: "2.a_0.1", module: "layer1/a&b=c", source: "m.py/line 3", sort: "-ms" },
    { ...EMPTY, layer: layers[1], filter: "=&#" },
  ]) assert.deepEqual(again(state), state);
});

test("nothing selected has no address", () => {
  assert.equal(hashOf(EMPTY), "");
  assert.equal(readHash(DATA, ""), null);
});

test("links by position and addresses of sections are distinguished", () => {
  assert.equal(readHash(DATA, "#L1").layer, layers[1]);
  assert.deepEqual(readHash(DATA, "#R2"), { row: 2 });
  for (const hash of ["#layers", "#finding-1", "#Layer=1", "#", "#L", "#L1x"]) {
    assert.equal(isStateLink(hash), false, hash);
    assert.equal(readHash(DATA, hash), null, hash);
  }
});

test("what the report does not have is reported and undefined", () => {
  const reported = [];
  for (const hash of ["#L99", "#R99", "#layer=nope", "#row=3", "#tensor=2", "#tensor=-1", "#tensor=1e0"]) {
    const [value] = Object.values(readHash(DATA, hash, (what) => reported.push(what)));
    assert.equal(value, undefined, hash);
  }
  assert.equal(reported.length, 7);
});

test("a damaged escape is taken as it is", () => {
  assert.equal(readHash(DATA, "#filter=%E0%A4%A").filter, "%E0%A4%A");
});

test("rows of a site go by name", () => {
  const site = { ...DATA, rows: [{}], rowNamed: (text) => (text === "abc" ? text : undefined) };
  assert.deepEqual(readHash(site, "#row=abc"), { row: "abc" });
  assert.deepEqual(readHash(site, "#row=0"), { row: undefined });
});

test("at most one of a layer, a tensor and a row is selected", () => {
  const selected = { ...EMPTY, layer: layers[0], filter: "x" };
  assert.deepEqual(changedState(selected, { tensor: 1 }), { ...EMPTY, tensor: 1, filter: "x" });
  assert.deepEqual(changedState(selected, { row: 0 }), { ...EMPTY, row: 0, filter: "x" });
  assert.deepEqual(changedState(selected, { layer: null }), { ...EMPTY, filter: "x" });
  assert.deepEqual(changedState(selected, { filter: "" }), { ...selected, filter: "" });
  assert.deepEqual(changedState(selected, {}), selected);
});
