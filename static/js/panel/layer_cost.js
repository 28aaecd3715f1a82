// What a layer costs, as pairs of a name and a value.

import { formatBytes, formatCount, formatMs, formatNumber, formatPercent, withUnit } from "../format/numbers.js";

/**
 * What a layer costs, in a few words.
 * @param {Layer} layer
 * @param {ReportData["levels"]} levels Of the report.
 * @returns {[string, any][]}
 */
export function mainCost(layer, levels) {
  return [
    ["Avg. time", layer.avg_ms == null ? "not measured" : `${formatMs(layer.avg_ms)}, ${formatPercent(layer.share_percent)}`],
    ["Bound by", layer.bound ?? null],
    ["% of roofline", layer.reached_percent == null ? null : `${formatPercent(layer.reached_percent)}${layer.reached_percent > 100 ? ", exceeds the model" : ""}${layer.cached ? "; fits in the L2 cache" : ""}`],
    ["Error", errorText(layer, levels, "error", layer.error_percent)],
    ["Error increase", errorText(layer, levels, "increase", layer.error_increase_percent)],
  ];
}

/**
 * The error of a layer in percent, else what its color in the graph means; null where nothing is known.
 * @param {Layer} layer
 * @param {ReportData["levels"]} levels
 * @param {"error" | "increase"} by
 * @param {number | null | undefined} percent
 * @returns {string | null}
 */
function errorText(layer, levels, by, percent) {
  if (percent != null) return formatPercent(percent);
  const found = levels?.[by];
  if (!found) return null;
  const level = found.of[layer.index];
  // The last level is that of layers of which nothing is known.
  return level === found.meanings.length - 1 ? null : found.meanings[level]?.[0] ?? null;
}

/**
 * What else is known of it.
 * @param {Layer} layer
 * @returns {[string, any][]}
 */
export function otherCost(layer) {
  const work = layer.work;
  return [
    ["Median", layer.median_ms == null ? null : formatMs(layer.median_ms)],
    ["p10, p90, p99", layer.spread_ms ? withUnit(layer.spread_ms.filter((_, at) => at !== 1).map((each) => formatNumber(each)).join(", "), "ms") : null],
    ["Bytes moved", layer.moved_bytes == null ? "unknown" : formatBytes(layer.moved_bytes)],
    ["Weights", layer.weights_bytes ? formatBytes(layer.weights_bytes) : null],
    ["Bandwidth", layer.bandwidth_gbs == null ? null : `${formatNumber(layer.bandwidth_gbs)} GB/s`],
    ["Operations", layer.macs != null ? `${formatNumber(layer.macs / 1e9)} GMAC` : null],
    ["Operations", layer.flops && !work ? `${formatNumber(layer.flops / 1e9)} GFLOP` : null],
    ["M × N × K", work ? [work.m, work.n, work.k].map(formatCount).join(" × ") : null],
    ["Batch", work && work.batch > 1 ? formatCount(work.batch) : null],
    ["Weights inside the kernel", work?.hidden_weights_bytes ? `${formatBytes(work.hidden_weights_bytes)}, estimated` : null],
    ["Performance", layer.tflops == null ? null : `${formatNumber(layer.tflops)} ${rateUnit(layer.precision)}`],
    ["Arithmetic intensity", work?.intensity == null ? null : `${formatNumber(work.intensity)} FLOP/byte`],
    ["Roofline time", layer.roof_ms == null ? null : `${formatMs(layer.roof_ms)} (${layer.roof})`],
    ["Exceeds the roofline", layer.excess ?? null],
    ["Headroom", layer.headroom_ms == null ? null : formatMs(layer.headroom_ms)],
    ["Peak", layer.peak ? `${formatNumber(layer.peak[1])} ${rateUnit(layer.peak[0])} of ${layer.peak[0]}` : null],
  ];
}

/**
 * Integers have operations, not floating-point operations.
 * @param {string} precision
 */
function rateUnit(precision) {
  return precision.startsWith("INT") ? "TOP/s" : "TFLOP/s";
}
