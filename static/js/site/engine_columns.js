// The columns of the table of engines.

import { formatBytes, formatCount, formatNumber, formatSignedPercent } from "../format/numbers.js";

/**
 * The date as a number such as 20240501, so that it can be compared.
 * @param {SiteEngine} engine
 * @returns {number | null}
 */
export function dateNumber(engine) {
  const day = (engine.date ?? "").slice(0, 10).replaceAll("-", "");
  return day ? Number(day) : null;
}

/**
 * What the table says of an engine's change against the runs before it: a verdict too, if there is one.
 * @param {SiteEngine} engine
 * @returns {string}
 */
export function changeText(engine) {
  if (engine.contradictions) return "contradictory files";
  const change = engine.change == null ? "" : formatSignedPercent(engine.change);
  return [engine.mark, change].filter(Boolean).join(" ");
}

/** @type {Column<SiteEngine>[]} */
export const ENGINE_COLUMNS = [
  { key: "tick", label: "Select", width: 60, narrowWidth: 56, frozen: true, value: () => "", on: true },
  { key: "index", label: "#", width: 64, number: true, value: (engine) => engine.index, show: formatCount },
  { key: "name", label: "Engine", width: 192, roomyWidth: 280, frozen: true, value: (engine) => engine.name, text: (engine) => [engine.name, engine.hint].filter(Boolean).join(" "), on: true },
  { key: "date", label: "Date", width: 108, value: (engine) => (engine.date ?? "").slice(0, 10), on: true },
  { key: "latency", label: "Latency (ms)", width: 88, number: true, value: (engine) => engine.latency, show: formatNumber, on: true },
  { key: "sum", label: "Total layer time (ms)", width: 96, number: true, value: (engine) => engine.sum, show: formatNumber },
  { key: "change", label: "Change", width: 240, number: true, double: true, value: (engine) => engine.change, text: changeText, show: formatSignedPercent, on: true },
  { key: "trend", label: "Trend", width: 96, value: (engine) => engine.trend, on: true },
  { key: "model", label: "Model", width: 120, roomyWidth: 280, minor: true, value: (engine) => engine.model, on: true },
  { key: "gpu", label: "GPU", width: 132, roomyWidth: 280, minor: true, double: true, value: (engine) => engine.gpu, on: true },
  { key: "precision", label: "Precision", width: 148, roomyWidth: 184, minor: true, value: (engine) => engine.precision, on: true },
  { key: "p99", label: "p99 (ms)", width: 80, number: true, value: (engine) => engine.p99, show: formatNumber, on: true },
  { key: "tensorrt", label: "TensorRT", width: 88, value: (engine) => engine.tensorrt, on: true },
  { key: "throughput", label: "Throughput (qps)", width: 136, number: true, value: (engine) => engine.throughput, show: formatNumber },
  { key: "size", label: "Size", width: 96, number: true, value: (engine) => engine.size, show: formatBytes, on: true },
  { key: "errors", label: "Errors", width: 72, number: true, value: (engine) => engine.errors, show: formatCount, on: true },
  { key: "warnings", label: "Warnings", width: 80, number: true, value: (engine) => engine.warnings, show: formatCount, on: true },
  { key: "infos", label: "Infos", width: 72, number: true, value: (engine) => engine.infos, show: formatCount },
  { key: "compute", label: "GPU compute (ms)", width: 128, number: true, value: (engine) => engine.compute, show: formatNumber },
  { key: "layers", label: "Layers", width: 80, number: true, value: (engine) => engine.layers, show: formatCount },
  { key: "reformats", label: "Reformats", width: 88, number: true, value: (engine) => engine.reformats, show: formatCount },
  { key: "weights", label: "Weights", width: 96, number: true, value: (engine) => engine.weights, show: formatBytes },
  { key: "batch", label: "Batch", width: 72, number: true, value: (engine) => engine.batch, show: formatCount },
  { key: "shapes", label: "Inputs", width: 240, value: (engine) => engine.shapes },
  { key: "notes", label: "Input warnings", width: 112, number: true, value: (engine) => engine.notes, show: formatCount },
  { key: "contradictions", label: "Contradictions", width: 112, number: true, value: (engine) => engine.contradictions, show: formatCount },
  { key: "codes", label: "Rules", width: 240, value: (engine) => engine.codes },
  { key: "place", label: "Location", width: 320, value: (engine) => engine.place },
];
