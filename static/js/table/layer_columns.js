// The columns of the table of layers, as renderer/layer_columns.py declares them.

import { findingsOf } from "../data/report_data.js";
import { formatBytes, formatCount, formatNumber } from "../format/numbers.js";

const FORMATTERS = { count: formatCount, number: formatNumber, bytes: formatBytes };

/** The columns that come first: in a narrow window these are in view. */
const FIRST_COLUMNS = ["index", "name", "avg_ms", "share_percent", "findings"];
const FROZEN_COLUMNS = ["index", "name", "avg_ms"];
/** @type {Record<string, string>} */
const SHORT_LABELS = { avg_ms: "Time (ms)" };
/** @type {Record<string, number>} */
const NARROW_WIDTHS = { avg_ms: 84, share_percent: 112 };

/**
 * @param {LayerColumn[]} columns
 * @returns {Column<Layer>[]}
 */
export function layerColumns(columns) {
  const place = (/** @type {LayerColumn} */ column) => (FIRST_COLUMNS.includes(column.key) ? FIRST_COLUMNS.indexOf(column.key) : FIRST_COLUMNS.length);
  return columns
    .filter((column) => column.width)
    .sort((left, right) => place(left) - place(right))
    .map(({ key, heading, kind, width, on, bar, divisor }) => ({
      key,
      label: heading,
      width: /** @type {number} */ (width),
      on,
      bar,
      frozen: FROZEN_COLUMNS.includes(key),
      minor: key === "index",
      shortLabel: SHORT_LABELS[key],
      narrowWidth: NARROW_WIDTHS[key],
      number: kind !== "text" && kind !== "list",
      value: valueOf(key, kind, divisor),
      show: key === "reached_percent" ? formatReached : kind === "text" || kind === "list" ? undefined : divisor ? formatNumber : FORMATTERS[kind],
    }));
}

/**
 * The share of the roofline, which marks what no model of the GPU explains.
 * @param {number | null | undefined} percent
 * @returns {string}
 */
function formatReached(percent) {
  return `${formatNumber(percent)}${(percent ?? 0) > 100 ? " (exceeds)" : ""}`;
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
