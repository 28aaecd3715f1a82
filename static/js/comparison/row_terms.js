// The terms of the query language for rows of a comparison; times are those of the selected candidate.

import { layersOf, rowSearchText, valuesOf } from "./comparison_data.js";
import { modelStep } from "./contributions.js";

/**
 * @param {ComparisonData} data
 * @returns {Terms<ComparedRow>}
 */
export function rowTerms(data) {
  /** @type {(row: ComparedRow, value: (layer: Layer) => string) => string[]} */
  const every = (row, value) => row.sides.flatMap((side, engine) => valuesOf(data, engine, side, value));
  /** @type {(row: ComparedRow, by: "onnx" | "source") => string[]} */
  const stepsOf = (row, by) => row.sides.flatMap((side, engine) => layersOf(side).map((at) => modelStep(data.engines[engine], by, at)));
  return {
    share: (row) => (row.side.ms == null ? null : (100 * row.side.ms) / data.engines[data.candidate].sum),
    plain: rowSearchText,
    title: (row) => row.label,
    exact: new Set(["status"]),
    texts: {
      name: (row) => row.sides.flatMap((side, engine) => layersOf(side).map((at) => data.engines[engine].layers[at].name)),
      status: (row) => [row.side.status ?? ""],
      change: (row) => row.side.changes,
      cause: (row) => Object.keys(row.side.causes ?? {}),
      block: (row) => [row.block],
      module: (row) => [row.module || "no module"],
      type: (row) => row.sides.flatMap((side, engine) => layersOf(side).map((at) => data.engines[engine].layers[at].type || "not stated")),
      precision: (row) => every(row, (layer) => layer.precision || "not stated"),
      out: (row) => row.sides.flatMap((side, engine) => layersOf(side).map((at) => data.engines[engine].layers[at].output_precision || "not stated")),
      onnx: (row) => stepsOf(row, "onnx"),
      source: (row) => stepsOf(row, "source"),
      tactic: (row) => every(row, (layer) => layer.tactic),
      matched: (row) => row.side.keys,
    },
    figures: {
      baseline: (row) => row.base.ms,
      candidate: (row) => row.side.ms,
      diff: (row) => row.side.diff,
      ratio: (row) => row.side.ratio,
      index: (row) => row.index,
    },
  };
}
