// The data of a comparison: the engines, and rows of aligned layers.

import { recordsOf } from "../data/records.js";
import { completeReportData, LAYER_DEFAULTS, LayerRecord } from "../data/report_data.js";
import { fromColumns } from "../data/unpack.js";
import { withoutNoise } from "../format/numbers.js";
import { offsetCauses } from "../format/offset_causes.js";
import { precisionChange } from "../format/precision.js";
import { setState, state } from "../state/state.js";

/**
 * Fill in the empty values that the data leaves out.
 * @param {any} data
 * @returns {ComparisonData}
 */
export function completeComparisonData(data) {
  completeReportData(data);
  for (const engine of data.engines) {
    engine.layers = engine.layers ? recordsOf(engine.layers, LayerRecord, LAYER_DEFAULTS) : data.layers;
  }
  /** @type {RowSide[][]} */
  const sides = data.sides.map(fromColumns);
  for (const side of /** @type {any[]} */ (sides.flat())) for (const name of ["members", "helpers", "keys", "changes"]) side[name] ??= [];
  data.rows = fromColumns(data.rows);
  data.rowOf = new Int32Array(data.layers.length).fill(-1);
  data.rows.forEach((/** @type {ComparedRow} */ row, /** @type {number} */ index) => {
    Object.assign(row, { index, label: row.label ?? "", module: row.module ?? "", block: row.block ?? "", sides: sides.map((side) => side[index]) });
    row.base = row.sides[data.baseline];
    for (const layer of layersOf(row.sides[data.focus])) data.rowOf[layer] = index;
  });
  data.statedBaseline = data.baseline;
  setCandidate(data, data.focus);
  return data;
}

/**
 * Choose the engine that rows compare with the baseline.
 * @param {ComparisonData} data
 * @param {number} candidate
 */
export function setCandidate(data, candidate) {
  data.candidate = candidate;
  for (const row of data.rows) row.side = sideOf(data, row);
}

/**
 * Choose the engine that rows are compared with; the candidate takes the place of a baseline that it becomes.
 * @param {ComparisonData} data
 * @param {number} baseline
 */
export function setBaseline(data, baseline) {
  const before = data.baseline;
  data.baseline = baseline;
  for (const row of data.rows) row.base = row.sides[baseline];
  setCandidate(data, data.candidate === baseline ? before : data.candidate);
}

/**
 * What the candidate does in a row. Against another baseline than the stated one only times and what differs in
 * precision and tactic are known, not what is noise.
 * @param {ComparisonData} data
 * @param {ComparedRow} row
 * @returns {RowSide}
 */
function sideOf(data, row) {
  const { baseline, candidate } = data;
  const side = row.sides[candidate];
  if (baseline === data.statedBaseline) return side;
  const before = row.base.ms ?? null;
  const after = side.ms ?? null;
  const known = before !== null && after !== null;
  const differs = (/** @type {(layer: Layer) => string} */ value) => String(valuesOf(data, baseline, row.base, value)) !== String(valuesOf(data, candidate, side, value));
  const changes = [];
  if (row.base.members.length && side.members.length) {
    if (differs((layer) => `${layer.precision} ${layer.output_precision}`)) changes.push("precision changed");
    if (differs((layer) => layer.tactic)) changes.push("tactic changed");
  }
  return { ...side, diff: known ? withoutNoise(after - before, after, before) : null, ratio: known && before ? after / before : null, status: side.members.length && !row.base.members.length ? "candidate only" : row.base.members.length && !side.members.length ? "baseline only" : "", changes, causes: {} };
}

/**
 * The positions of all layers of a side, those that compute first.
 * @param {RowSide} side
 * @returns {number[]}
 */
export function layersOf(side) {
  return [...side.members, ...side.helpers];
}

/**
 * The selected row, null if there is none.
 * @param {ComparisonData} data
 * @returns {ComparedRow | null}
 */
export function selectedRow(data) {
  if (state.layer) return data.rows[data.rowOf[state.layer.index]] ?? null;
  return state.row == null ? null : data.rows[Number(state.row)];
}

/**
 * Select a row by its first layer in the graph, else by itself.
 * @param {ComparisonData} data
 * @param {ComparedRow} row
 * @param {string} [kind]
 */
export function selectRow(data, row, kind) {
  const [layer] = layersOf(row.sides[data.focus]);
  setState(layer == null ? { row: row.index } : { layer: data.layers[layer] }, kind);
}

/**
 * All texts of a row that a search for a plain word covers, in lower case.
 * @param {ComparisonData} data
 * @param {ComparedRow} row
 * @returns {string}
 */
export function rowSearchText(data, row) {
  if (row.searchText === undefined) {
    const texts = [row.label, row.module];
    row.sides.forEach((side, engine) => {
      for (const at of layersOf(side)) {
        const layer = data.engines[engine].layers[at];
        texts.push(layer.name, layer.type, layer.tactic, ...(layer.origins ?? []));
      }
    });
    row.searchText = texts.join("\n").toLowerCase();
  }
  return row.searchText;
}

/**
 * The different values of the computing layers of a side, in their order.
 * @param {ComparisonData} data
 * @param {number} engine
 * @param {RowSide} side
 * @param {(layer: Layer) => string} value
 * @returns {string[]}
 */
export function valuesOf(data, engine, side, value) {
  return [...new Set(side.members.map((at) => value(data.engines[engine].layers[at])).filter(Boolean))];
}

/**
 * @param {ComparisonData} data
 * @param {number} engine
 * @param {RowSide} side
 * @returns {string[]}
 */
export function precisionsOf(data, engine, side) {
  return valuesOf(data, engine, side, (layer) => (layer.output_precision && layer.output_precision !== layer.precision ? `${layer.precision} → ${layer.output_precision}` : layer.precision));
}

/**
 * What differs in structure in a row; of a change of precision, inputs and outputs from which to which. A time within
 * noise has no one cause; those that offset each other are named with what they add and save.
 * @param {ComparisonData} data
 * @param {ComparedRow} row
 * @returns {string[]}
 */
export function changesOf(data, row) {
  const stated = (/** @type {"precision" | "output_precision"} */ key) => [data.baseline, data.candidate].map((engine) => valuesOf(data, engine, row.sides[engine], (layer) => layer[key]));
  const phrases = row.side.changes.map((change) => (change === "precision changed" && precisionChange(stated("precision"), stated("output_precision"))) || change);
  const offset = row.side.status === "within noise" ? offsetCauses(row.side.causes ?? {}, row.base.ms ?? 0) : "";
  return offset ? [...phrases, offset] : phrases;
}
