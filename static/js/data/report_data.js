// The report's data, as the other modules use it.

import { linkKey } from "./links.js";
import { SEVERITIES } from "./severities.js";
import { recordsOf } from "./records.js";
import { unpack } from "./unpack.js";

/** @import { Defaults } from "./records.js" */

/** The empty list of all that have none; nothing may be added to it. @type {any[]} */
const NONE = [];
Object.freeze(NONE);

const noText = () => "";
const noItems = () => NONE;

/** What the data of layers and tensors leaves out. @type {Defaults} */
export const LAYER_DEFAULTS = {
  ...Object.fromEntries(["name", "type", "precision", "output_precision", "tactic"].map((key) => [key, noText])),
  ...Object.fromEntries(["origins", "operations", "inputs", "outputs"].map((key) => [key, noItems])),
  key: (layer) => layer.name,
  subtype: (layer) => layer.type,
};
/** @type {Defaults} */
const TENSOR_DEFAULTS = { name: noText, from: noItems, to: noItems, dims: noItems };

/** What a layer has besides its data. */
export class LayerRecord {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
    /** @type {FoundPlace[]} */
    this.findings = NONE;
    /** @type {string | undefined} */
    this.searchText = undefined;
  }
}

class TensorRecord {
  /** @param {number} index */
  constructor(index) {
    this.index = index;
  }
}

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
 * Make layers and tensors of their columns, and what links and search need.
 * @param {any} data
 * @returns {ReportData}
 */
export function completeReportData(data) {
  data.tensors = recordsOf(data.tensors, TensorRecord, TENSOR_DEFAULTS);
  const uses = usesOf(data.tensors);
  data.layers = recordsOf(data.layers, LayerRecord, LAYER_DEFAULTS, { inputs: uses, outputs: uses });
  for (const finding of data.findings) {
    for (const [layers, gain, message] of finding.places) {
      const found = { finding, gain, layers, message: finding.messages[message] ?? finding.title };
      for (const index of layers) {
        const layer = data.layers[index];
        if (layer.findings === NONE) layer.findings = [found];
        else layer.findings.push(found);
      }
    }
  }
  data.totalMs = data.layers.reduce((/** @type {number} */ total, /** @type {Layer} */ layer) => total + (layer.avg_ms ?? 0), 0);
  /** @type {Map<string, Layer> | null} */
  let byKey = null;
  // Only an address that names a layer asks for it.
  Object.defineProperty(data, "byKey", { get: () => (byKey ??= layersByKey(data.layers)) });
  return data;
}

/**
 * Of a tensor that a layer sees as the table of tensors does, the data has only the index.
 * @param {any[]} tensors
 * @returns {(values: ((number | TensorUse)[] | null)[]) => (TensorUse[] | null)[]}
 */
function usesOf(tensors) {
  /** @type {TensorUse[]} */
  const known = [];
  const inTable = (/** @type {number} */ index) => {
    const { dims, format, bytes } = tensors[index];
    return (known[index] ??= [index, dims, format ?? "", bytes ?? null]);
  };
  return (values) => values.map((uses) => uses && uses.map((use) => (typeof use === "number" ? inTable(use) : use)));
}

/**
 * @param {Layer[]} layers
 * @returns {Map<string, Layer>}
 */
function layersByKey(layers) {
  // Reversed: if keys differ only in what an address cannot hold, the first layer is found.
  return new Map(layers.map((layer) => /** @type {[string, Layer]} */ ([linkKey(layer.key), layer])).reverse());
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
  if (!layer.findings.length) return NONE;
  if (layer.findings.length < 2) return layer.findings.map(({ finding }) => finding);
  const found = [...new Set(layer.findings.map(({ finding }) => finding))];
  return found.sort((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
}
