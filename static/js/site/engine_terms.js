// The terms of the query language for engines.

import { SEVERITIES } from "../data/severities.js";
import { stated } from "../query/stated.js";
import { dateNumber } from "./engine_columns.js";

const FIGURE_NAMES = /** @type {const} */ (["latency", "p99", "compute", "throughput", "size", "weights", "layers", "reformats", "batch", "errors", "warnings", "infos", "change", "sum", "notes", "contradictions", "index"]);

/** @type {Terms<SiteEngine>} */
export const ENGINE_TERMS = {
  share: (engine) => engine.change,
  plain: (_, engine) => (engine.searchText ??= [engine.name, engine.model, engine.gpu, engine.place].filter(Boolean).join("\n").toLowerCase()),
  title: (engine) => engine.name,
  exact: new Set(),
  texts: {
    name: (engine) => [engine.name],
    model: (engine) => [stated(engine.model)],
    gpu: (engine) => [stated(engine.gpu)],
    tensorrt: (engine) => [stated(engine.tensorrt)],
    precision: (engine) => [stated(engine.precision)],
    shapes: (engine) => [stated(engine.shapes)],
    place: (engine) => [engine.place],
    date: (engine) => [stated(engine.date)],
    mark: (engine) => [engine.mark ?? ""],
    finding: (engine) => [...(engine.codes ?? "").split(" "), ...SEVERITIES.filter((severity) => engine[/** @type {"errors" | "warnings" | "infos"} */ (`${severity}s`)])],
  },
  figures: {
    date: dateNumber,
    ...Object.fromEntries(FIGURE_NAMES.map((name) => [name, (/** @type {SiteEngine} */ engine) => engine[name]])),
  },
};
