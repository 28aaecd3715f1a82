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
  const colorOf = (/** @type {string} */ name) => data.changeColors[name] ?? data.unknownColor;
  const deltas = new Float64Array(data.layers.length);
  for (const row of data.rows) {
    const [first] = layersOf(row.sides[data.focus]);
    // The whole difference of a row is at one of its layers, so that sums over blocks are right.
    if (first != null) deltas[first] = row.sides[data.focus].diff ?? 0;
  }
  data.meanings = {
    change: (layer) => {
      const status = rowOf(layer)?.sides[data.focus].status ?? "unknown";
      return [status, colorOf(status)];
    },
    structure: (layer) => {
      const changes = rowOf(layer)?.sides[data.focus].changes ?? [];
      const found = data.structure.find((each) => changes.includes(each));
      return found ? [found, colorOf(found)] : ["no structural change", data.unknownColor];
    },
  };
  data.noteOf = (block) => {
    const sum = withoutNoise(expandRanges(block.ranges).reduce((total, layer) => total + deltas[layer], 0), block.ms ?? 0);
    const kind = Math.abs(sum) < 0.02 * (block.ms ?? 0) ? "" : sum < 0 ? "is-faster" : "is-slower";
    return { text: block.ms == null ? "" : formatSigned(sum, formatMs), kind };
  };
}
