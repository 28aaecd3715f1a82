// How the address holds what is selected and filtered, so that a link restores it.

import { layerLink, linkKey } from "../data/links.js";

/** Nothing is selected. A row of a comparison is selected by itself only if it has no layer in the graph. A node is one of the ONNX model. */
export const NO_SELECTION = { layer: null, tensor: null, row: null, node: null };

/** What else the address holds, each as a text: the filter, which graph is shown, the open blocks of both, the enlarged module and source line, the filter of nodes, the GPU of another roofline, in a comparison the chosen baseline and candidate, and in a site's index the order and the selected engines. */
export const EMPTY_TEXTS = { filter: "", view: "", graph: "", model: "", module: "", source: "", nodes: "", gpu: "", baseline: "", candidate: "", sort: "", ticked: "" };

export const TEXTS = /** @type {(keyof typeof EMPTY_TEXTS)[]} */ (Object.keys(EMPTY_TEXTS));
const STATE_LINK = /^#([LR]\d+$|(layer|tensor|row|node|filter|view|graph|model|module|source|nodes|gpu|baseline|candidate|sort|ticked)=)/;

/**
 * Whether an address names a part of the state, not a section.
 * @param {string} hash
 * @returns {boolean}
 */
export function isStateLink(hash) {
  return STATE_LINK.test(hash);
}

/**
 * Return what an address names and nothing else, undefined for what the report does not have; null for the address of a section.
 * @param {LinkTargets} data
 * @param {string} hash
 * @param {(what: string) => void} [reportMissing]
 * @returns {StateChange | null}
 */
export function readHash(data, hash, reportMissing = () => {}) {
  if (!isStateLink(hash)) return null;
  const missing = (/** @type {string} */ what) => {
    reportMissing(what);
    return undefined;
  };
  const rowAt = (/** @type {string} */ text) => {
    // A site's rows have names, as their positions change from one build to the next.
    const row = data.rowNamed ? data.rowNamed(text) : data.rows?.[Number(text)] ? Number(text) : undefined;
    return row ?? missing(`no row ${text}`);
  };
  // The links that work without this script use positions.
  if (hash.startsWith("#L")) return { layer: data.layers[Number(hash.slice(2))] ?? missing(`no layer at ${hash.slice(2)}`) };
  if (hash.startsWith("#R")) return { row: rowAt(hash.slice(2)) };
  /** @type {StateChange} */
  const found = {};
  for (const part of hash.slice(1).split("&")) {
    const [name, value = ""] = part.split(/=(.*)/s);
    const text = decoded(value);
    const key = TEXTS.find((each) => each === name);
    if (key) found[key] = text;
    if (name === "layer") found.layer = data.byKey.get(linkKey(text)) ?? missing(`no layer ${text}`);
    if (name === "row") found.row = rowAt(text);
    if (name === "node") found.node = /^\d+$/.test(text) && data.model?.nodes[Number(text)] ? Number(text) : missing(`no node ${text}`);
    if (name === "tensor") found.tensor = /^\d+$/.test(text) && data.tensors[Number(text)] ? Number(text) : missing(`no tensor ${text}`);
  }
  return found;
}

/**
 * @param {string} value
 * @returns {string}
 */
function decoded(value) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Return the address of a state, empty if nothing is selected or filtered.
 * @param {StateChange} state
 * @returns {string}
 */
export function hashOf({ layer, tensor, row, node, ...texts }) {
  const parts = [];
  if (layer) parts.push(layerLink(layer).slice(1));
  else if (tensor != null) parts.push(`tensor=${tensor}`);
  else if (node != null) parts.push(`node=${node}`);
  else if (row != null) parts.push(`row=${encodeURIComponent(row)}`);
  for (const name of TEXTS) if (texts[name]) parts.push(`${name}=${encodeURIComponent(texts[name])}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/**
 * Return a state after a change; at most one of a layer, a tensor, a node and a row is selected.
 * @param {State} state
 * @param {StateChange} change
 * @returns {State}
 */
export function changedState(state, { layer, tensor, row, node, ...texts }) {
  const next = { ...state };
  if ([layer, tensor, row, node].some((each) => each !== undefined)) Object.assign(next, NO_SELECTION, layer ? { layer } : tensor != null ? { tensor } : node != null ? { node } : { row: row ?? null });
  for (const name of TEXTS) next[name] = texts[name] ?? next[name];
  return next;
}
