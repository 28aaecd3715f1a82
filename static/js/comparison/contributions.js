// What each row contributes to a step of the breakdown; the contributions of all rows add up to the step.

import { withoutNoise } from "../format/numbers.js";
import { splitQuery, unquoted } from "../query/query.js";
import { stated } from "../query/stated.js";
import { layersOf } from "./comparison_data.js";

const STEP = /^(cause|type|out|block|onnx|source):(".*")$/s;

/**
 * The step whose rows a query selects, null for none: 'cause:"reformats added"' is the link of a step.
 * @param {string} query
 * @returns {Step | null}
 */
export function stepOf(query) {
  for (const term of splitQuery(query)) {
    const found = term.match(STEP);
    if (found) return { by: found[1], name: unquoted(found[2]) };
  }
  return null;
}

/**
 * What a row contributes to a step, in milliseconds.
 * @param {ComparisonData} data
 * @param {ComparedRow} row
 * @param {Step} step
 * @returns {number | null}
 */
export function contributionOf(data, row, step) {
  const name = step.name.toLowerCase();
  if (step.by === "cause") return Object.entries(row.side.causes ?? {}).reduce((sum, [cause, part]) => (cause === name ? sum + part : sum), 0);
  const [before, after] = [data.baseline, data.candidate].map((engine) => timeOf(data.engines[engine].layers, row.sides[engine], memberTest(data.engines[engine], row, step.by, name)));
  return withoutNoise(after - before, after, before);
}

/**
 * The step of a layer by what its ONNX model states; empty without a model.
 * @param {ComparedEngine} engine
 * @param {"onnx" | "source"} by
 * @param {number} layer
 * @returns {string}
 */
export function modelStep(engine, by, layer) {
  const found = engine.steps?.[by === "onnx" ? "module" : "source line"];
  return found ? found[0][found[1][layer]] : "";
}

/**
 * @param {ComparedEngine} engine
 * @param {ComparedRow} row
 * @param {string} by
 * @param {string} name
 * @returns {(layer: Layer, at: number) => boolean}
 */
function memberTest(engine, row, by, name) {
  if (by === "onnx" || by === "source") return (_, at) => modelStep(engine, by, at).toLowerCase() === name;
  if (by === "block") return () => row.block.toLowerCase() === name;
  return (layer) => stated(by === "type" ? layer.type : layer.output_precision).toLowerCase() === name;
}

/**
 * @param {Layer[]} layers
 * @param {RowSide} side
 * @param {(layer: Layer, at: number) => boolean} isMember
 * @returns {number}
 */
function timeOf(layers, side, isMember) {
  return layersOf(side).reduce((sum, at) => (isMember(layers[at], at) ? sum + (layers[at].avg_ms ?? 0) : sum), 0);
}
