// The columns of the table of layers, as renderer/layer_columns.py declares them.

import { findingsOf } from "../data/report_data.js";
import { formatBytes, formatCount, formatNumber } from "../format/numbers.js";

const FORMATTERS = { count: formatCount, number: formatNumber, bytes: formatBytes };

/**
 * @param {LayerColumn[]} columns
 * @returns {Column<Layer>[]}
 */
export function layerColumns(columns) {
  return columns
    .filter((column) => column.width)
    .map(({ key, heading, kind, width, on, bar, divisor }) => ({
      key,
      label: heading,
      width: /** @type {number} */ (width),
      on,
      bar,
      number: kind !== "text" && kind !== "list",
      value: valueOf(key, kind, divisor),
      show: kind === "text" || kind === "list" ? undefined : divisor ? formatNumber : FORMATTERS[kind],
    }));
}

/**
 * @param {keyof Layer} key
 * @param {LayerColumn["kind"]} kind
 * @param {number} [divisor]
 * @returns {(layer: Layer) => any}
 */
function valueOf(key, kind, divisor) {
  if (key === "findings") return (layer) => findingsOf(layer).map((finding) => finding.code).join(", ");
  if (kind === "list") return (layer) => /** @type {string[]} */ (layer[key] ?? []).join(", ");
  if (divisor) return (layer) => (layer[key] == null ? null : /** @type {number} */ (layer[key]) / divisor);
  return (layer) => layer[key];
}
