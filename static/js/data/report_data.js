// The report's data, as the other modules use it.

import { linkKey } from "./links.js";
import { SEVERITIES } from "./severities.js";
import { fromColumns, unpack } from "./unpack.js";

/**
 * Load all attributes of all layers, a line of JSON per layer. Readers rarely need them, so they are unpacked on demand.
 * @param {ReportData} data
 * @returns {Promise<string[]>}
 */
export function loadAttributes(data) {
  data.loading ??= unpack("trexreport-attributes").then((text) => (data.attributes = text.split("\n")));
  return data.loading;
}

/**
 * @param {ReportData} data
 * @param {Layer} layer
 * @returns {Record<string, any> | null}
 */
export function attributesOf(data, layer) {
  return JSON.parse(/** @type {string[]} */ (data.attributes)[layer.index]);
}

/**
 * Fill in the empty values that the data leaves out, and what links and search need.
 * @param {any} data
 * @returns {ReportData}
 */
export function completeReportData(data) {
  data.layers = fromColumns(data.layers);
  data.tensors = fromColumns(data.tensors);
  data.layers.forEach((/** @type {any} */ layer, /** @type {number} */ index) => {
    layer.index = index;
    layer.name ??= "";
    layer.key ??= layer.name;
    for (const name of ["type", "precision", "output_precision", "tactic"]) layer[name] ??= "";
    layer.subtype ??= layer.type;
    for (const name of ["origins", "operations", "inputs", "outputs"]) layer[name] ??= [];
    layer.findings = [];
  });
  for (const finding of data.findings) {
    for (const [layers, gain, message] of finding.places) {
      const found = { finding, gain, layers, message: finding.messages[message] ?? finding.title };
      for (const index of layers) data.layers[index].findings.push(found);
    }
  }
  data.totalMs = data.layers.reduce((/** @type {number} */ total, /** @type {Layer} */ layer) => total + (layer.avg_ms ?? 0), 0);
  for (const tensor of data.tensors) {
    tensor.name ??= "";
    tensor.from ??= [];
    tensor.to ??= [];
    tensor.dims ??= [];
  }
  // Reversed: if keys differ only in what an address cannot hold, the first layer is found.
  data.byKey = new Map(data.layers.map((/** @type {Layer} */ layer) => [linkKey(layer.key), layer]).reverse());
  return data;
}

/**
 * The paths of the blocks that a layer is in, the innermost first.
 * @param {ReportData} data
 * @param {Layer} layer
 * @returns {string[]}
 */
export function blocksOf(data, layer) {
  data.blocksOf ??= pathsOfLayers(data.blocks ?? []);
  return data.blocksOf.get(layer.index) ?? [];
}

/**
 * @param {NonNullable<ReportData["blocks"]>} blocks
 * @returns {Map<number, string[]>}
 */
function pathsOfLayers(blocks) {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  /** @type {string[][]} */
  const around = [];
  for (const [path, parent, ranges] of blocks) {
    // Those around a block come before it.
    const paths = [path, ...(around[parent] ?? [])];
    around.push(paths);
    for (let at = 0; at < ranges.length; at += 2) for (let layer = ranges[at]; layer <= ranges[at + 1]; layer += 1) found.set(layer, paths);
  }
  return found;
}

/**
 * All texts of a layer that a search for a plain word covers, in lower case.
 * @param {ReportData} data
 * @param {Layer} layer
 * @returns {string}
 */
export function searchText(data, layer) {
  if (layer.searchText === undefined) {
    const tensors = [...layer.inputs, ...layer.outputs].map(([tensor]) => data.tensors[tensor].name);
    layer.searchText = [layer.name, layer.type, layer.subtype, layer.tactic, ...layer.origins, ...layer.operations, ...tensors]
      .join("\n")
      .toLowerCase();
  }
  return layer.searchText;
}

/**
 * The distinct findings of a layer, the most severe first.
 * @param {Layer} layer
 * @returns {Finding[]}
 */
export function findingsOf(layer) {
  const found = [...new Set(layer.findings.map(({ finding }) => finding))];
  return found.sort((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
}
