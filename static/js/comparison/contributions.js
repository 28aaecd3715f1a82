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
  const lowered = step.name.toLowerCase();
  if (step.by === "cause") return Object.entries(row.side.causes ?? {}).reduce((sum, [cause, part]) => (cause === lowered ? sum + part : sum), 0);
  // The filter ignores case, so a name that is not a step in this case means those in any.
  step.isExact ??= data.rows.some((each) => each.sides.some((side, engine) => layersOf(side).some((at) => nameOf(data.engines[engine], each, step.by, at) === step.name)));
  const isMember = (/** @type {string} */ name) => (step.isExact ? name === step.name : name.toLowerCase() === lowered);
  const [before, after] = [data.baseline, data.candidate].map((engine) => timeOf(data.engines[engine].layers, row.sides[engine], (at) => isMember(nameOf(data.engines[engine], row, step.by, at))));
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
 * The step of a layer of a row.
 * @param {ComparedEngine} engine
 * @param {ComparedRow} row
 * @param {string} by
 * @param {number} at
 * @returns {string}
 */
function nameOf(engine, row, by, at) {
  if (by === "onnx" || by === "source") return modelStep(engine, by, at);
  if (by === "block") return row.block;
  return stated(by === "type" ? engine.layers[at].type : engine.layers[at].output_precision);
}

/**
 * @param {Layer[]} layers
 * @param {RowSide} side
 * @param {(at: number) => boolean} isMember
 * @returns {number}
 */
function timeOf(layers, side, isMember) {
  return layersOf(side).reduce((sum, at) => (isMember(at) ? sum + (layers[at].avg_ms ?? 0) : sum), 0);
}
