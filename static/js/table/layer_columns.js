// The columns of the table of layers.

import { findingsOf } from "../data/report_data.js";
import { formatBytes, formatCount, formatNumber } from "../format/numbers.js";

/** @type {Column<Layer>[]} */
export const LAYER_COLUMNS = [
  { key: "index", label: "#", width: 56, number: true, value: (layer) => layer.index, show: formatCount, on: true },
  { key: "name", label: "Name", width: 340, value: (layer) => layer.name, on: true },
  { key: "type", label: "Type", width: 128, value: (layer) => layer.type, on: true },
  { key: "precision", label: "Precision", width: 88, value: (layer) => layer.precision, on: true },
  { key: "out", label: "Output", width: 80, value: (layer) => layer.out },
  { key: "ms", label: "Time, ms", width: 92, number: true, value: (layer) => layer.ms, show: formatNumber, on: true },
  { key: "share", label: "Share, %", width: 128, number: true, bar: true, value: (layer) => layer.share, show: formatNumber, on: true },
  { key: "findings", label: "Findings", width: 184, value: (layer) => findingsOf(layer).map((finding) => finding.code).join(", ") },
  { key: "median", label: "Median, ms", width: 96, number: true, value: (layer) => layer.median, show: formatNumber },
  { key: "moved", label: "Moved", width: 96, number: true, value: (layer) => layer.moved, show: formatBytes, on: true },
  { key: "weights", label: "Weights", width: 96, number: true, value: (layer) => layer.weights, show: formatBytes },
  { key: "gbs", label: "GB/s", width: 80, number: true, value: (layer) => layer.gbs, show: formatNumber },
  { key: "gmac", label: "GMAC", width: 80, number: true, value: (layer) => (layer.work ? layer.work.macs / 1e9 : null), show: formatNumber },
  { key: "tflops", label: "TFLOP/s", width: 84, number: true, value: (layer) => layer.work?.tflops, show: formatNumber },
  { key: "bound", label: "Bound by", width: 88, value: (layer) => layer.bound },
  { key: "reached", label: "Of its roof, %", width: 104, number: true, value: (layer) => layer.reached, show: formatNumber },
  { key: "headroom", label: "Headroom, ms", width: 108, number: true, value: (layer) => layer.headroom, show: formatNumber },
  { key: "gflop", label: "GFLOP", width: 80, number: true, value: (layer) => (layer.flops == null ? null : layer.flops / 1e9), show: formatNumber },
  { key: "stream", label: "Stream", width: 72, number: true, value: (layer) => layer.stream, show: formatCount },
  { key: "tactic", label: "Tactic", width: 320, value: (layer) => layer.tactic, on: true },
  { key: "onnx", label: "Made from", width: 320, value: (layer) => layer.onnx.join(", ") },
];
