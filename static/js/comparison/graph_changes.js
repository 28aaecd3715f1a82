// What the colors and blocks of the graph show in a comparison.

import { formatMs, formatSigned, withoutNoise } from "../format/numbers.js";
import { expandRanges } from "../graph/viewer/ranges.js";
import { layersOf } from "./comparison_data.js";

/**
 * Give the colors and blocks of the graph the change as their meaning.
 * @param {ComparisonData} data
 */
export function addGraphChanges(data) {
  const rowOf = (/** @type {Layer} */ layer) => data.rows[data.rowOf[layer.index]];
  const deltas = new Float64Array(data.layers.length);
  for (const row of data.rows) {
    const [first] = layersOf(row.sides[data.focus]);
    // The whole difference of a row is at one of its layers, so that sums over blocks are right.
    if (first != null) deltas[first] = row.sides[data.focus].diff ?? 0;
  }
  data.meanings = changeMeanings(data, rowOf);
  data.noteOf = (block) => {
    const sum = withoutNoise(expandRanges(block.ranges).reduce((total, layer) => total + deltas[layer], 0), block.ms ?? 0);
    const kind = Math.abs(sum) < 0.02 * (block.ms ?? 0) ? "" : sum < 0 ? "is-faster" : "is-slower";
    return { text: block.ms == null ? "" : formatSigned(sum, formatMs), kind };
  };
}

/**
 * What colors mean in a graph of a comparison, of the candidate or of the baseline.
 * @param {ComparisonData} data
 * @param {(layer: Layer) => ComparedRow | undefined} rowOf
 * @returns {Record<string, (layer: Layer) => Meaning>}
 */
export function changeMeanings(data, rowOf) {
  const colorOf = (/** @type {string} */ name) => data.changeColors[name] ?? data.unknownColor;
  return {
    change: (layer) => {
      const status = rowOf(layer)?.sides[data.focus].status || "unknown";
      return [status, colorOf(status)];
    },
    structure: (layer) => {
      const found = changeOf(data, rowOf(layer));
      return found ? [found, colorOf(found)] : ["no structural change", data.unknownColor];
    },
  };
}

/**
 * The structural change of a row that colors show, if there is any.
 * @param {ComparisonData} data
 * @param {ComparedRow | undefined} row
 * @returns {string | undefined}
 */
function changeOf(data, row) {
  const side = row?.sides[data.focus];
  const found = side ? [...side.changes, side.status] : [];
  return [...data.structure, "baseline only"].find((each) => found.includes(each));
}

/**
 * Give the layers of rows with a structural change an outline, which shows side by side.
 * @param {ComparisonData} data
 * @param {ReportData} graph
 * @param {(layer: Layer) => ComparedRow | undefined} rowOf
 */
export function outlineChanges(data, graph, rowOf) {
  for (const layer of graph.layers) if (changeOf(data, rowOf(layer))) layer.outline = "var(--text)";
}
