// The graph as a workspace: columns that suit the window, colors of closed blocks, names of saved files, the panel's width.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LayerStyle } from "../../static/js/graph/layer_style.js";
import { fileName } from "../../static/js/graph/picture.js";
import { boundedWidth } from "../../static/js/panel/panel_edge.js";

const PALETTE = { typeColors: { Conv: "#111", Pool: "#222" }, precisionColors: { FP16: "#333", INT8: "#444" }, boundColors: {}, streamColors: {}, unknownColor: "#ccc", heat: [[5, "#f00"], [1, "#a00"], [0, "#500"]] };

/** The style of layers that are given as type, time and the severity of a finding. */
function styleOf(...layers) {
  const made = layers.map(([type, avg_ms, severity], index) => ({ index, type, avg_ms, precision: index ? "FP16" : "INT8", findings: severity ? [{ finding: { severity } }] : [] }));
  return new LayerStyle({ ...PALETTE, layers: made, findings: [] });
}

test("a closed block has the colors of its layers by their share of the time", () => {
  const style = styleOf(["Conv", 3], ["Pool", 1], ["Conv", null]);
  assert.deepEqual(style.mix([0, 1, 2], 50), [["#111", 0.75], ["#222", 0.25]]);
  style.by = "precision";
  assert.deepEqual(style.mix([0, 1], 50), [["#444", 0.75], ["#333", 0.25]]);
});

test("a block without times has the colors of its layers by their number", () => {
  assert.deepEqual(styleOf(["Conv"], ["Conv"], ["Pool"], ["Conv"]).mix([0, 1, 2, 3], null), [["#111", 0.75], ["#222", 0.25]]);
});

test("by time a block has the color of its own share", () => {
  const style = styleOf(["Conv", 3], ["Pool", 1]);
  style.by = "time";
  assert.deepEqual(style.mix([0, 1], 6), [["#f00", 1]]);
  assert.deepEqual(style.mix([0, 1], null), [["#ccc", 1]]);
});

test("by error a block has the color of its worst layer, and the legend begins with the worst", () => {
  const style = styleOf(["Conv", 3], ["Pool", 1], ["Conv", 2]);
  style.data.levels = { error: { meanings: [["NaN", "#000"], ["error ≥10%", "#a00"], ["error <0.1%", "#eee"], ["error not known", "#ccc"]], of: [2, 1, 3] } };
  style.by = "error";
  assert.deepEqual(style.meaning(style.data.layers[0]), ["error <0.1%", "#eee"]);
  assert.deepEqual(style.mix([0, 1, 2], 60), [["#a00", 1]]);
  assert.deepEqual(style.mix([2], 60), [["#ccc", 1]]);
  assert.deepEqual(style.legend(() => true).map(([text]) => text), ["error ≥10%", "error <0.1%", "error not known"]);
});

test("a legend has its classes in the order of their colors, however frequent they are", () => {
  const style = styleOf(["Pool", 3], ["Pool", 1], ["Conv", 2], ["", 1]);
  style.data.typeColors = { Conv: "#00f", Reformat: "#0ff", Pool: "#0f0" };
  assert.deepEqual(style.legend(() => true).map(([text]) => text), ["Conv", "Pool", "type not stated"]);
  style.by = "stream";
  style.data.streamColors = { 2: "#00f", 10: "#0f0" };
  for (const [at, stream] of [10, 2, null, 10].entries()) style.data.layers[at].stream = stream;
  assert.deepEqual(style.legend(() => true).map(([text]) => text), ["stream 2", "stream 10", "stream not stated"]);
  style.by = "findings";
  const found = (severity) => ({ finding: { severity } });
  for (const [at, severities] of [["info"], ["warning"], [], ["error", "info"]].entries()) style.data.layers[at].findings = severities.map(found);
  assert.deepEqual(style.legend(() => true).map(([text]) => text), ["finding: error", "finding: warning", "finding: info", "no finding"]);
});

test("names of saved files have only letters, digits and hyphens", () => {
  assert.equal(fileName("resnet 18/../int8 graph.svg"), "resnet-18-int8-graph.svg");
  assert.equal(fileName("..\\..\\\u0000.png"), "graph.png");
  assert.equal(fileName("модель 1.svg"), "модель-1.svg");
  assert.ok(fileName(`${"x".repeat(500)}.svg`).length < 90);
});

test("the panel keeps within the window, whatever was saved", () => {
  assert.equal(boundedWidth(500, 1920), 500);
  assert.equal(boundedWidth(5000, 1920), 900);
  assert.equal(boundedWidth(500, 800), 320);
  assert.equal(boundedWidth(-3, 400), 260);
  assert.equal(boundedWidth(Number("abc"), 1920), 400);
});
