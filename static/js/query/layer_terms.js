// The terms of the filter of layers, as renderer/layer_columns.py declares them.

import { blocksOf, searchText } from "../data/report_data.js";
import { stated } from "./stated.js";

/** Terms whose texts are more than those of one column. */
const OTHER_TEXTS = {
  /** @param {Layer} layer */
  type: (layer) => [stated(layer.type), layer.subtype],
  /** @param {Layer} layer */
  finding: (layer) => layer.findings.flatMap(({ finding }) => [finding.id, finding.severity, finding.name]),
  /** @param {Layer} layer */
  op: (layer) => layer.operations,
  /**
   * @param {Layer} layer
   * @param {ReportData} data
   */
  block: (layer, data) => blocksOf(data, layer),
  /**
   * @param {Layer} layer
   * @param {ReportData} data
   */
  tensor: (layer, data) => [...layer.inputs, ...layer.outputs].map(([index]) => data.tensors[index].name),
};

/**
 * @param {LayerColumn[]} columns
 * @returns {Terms<Layer>}
 */
export function layerTerms(columns) {
  /** @type {Terms<Layer>} */
  const terms = {
    share: (layer) => layer.share_percent,
    plain: (data, layer) => searchText(data, layer),
    title: (layer) => layer.name,
    exact: new Set(),
    texts: {},
    figures: {},
  };
  for (const { key, kind, term, figure, exact } of columns) {
    if (!term) continue;
    if (figure) terms.figures[term] = (layer) => /** @type {number | undefined} */ (layer[key]);
    else if (kind === "list") terms.texts[term] = (layer) => /** @type {string[]} */ (layer[key] ?? []);
    else if (kind === "text") terms.texts[term] = (layer) => [stated(/** @type {string | undefined} */ (layer[key]))];
    else terms.texts[term] = (layer) => [layer[key] == null ? "" : String(layer[key])];
    if (exact) terms.exact.add(term);
  }
  Object.assign(terms.texts, OTHER_TEXTS);
  return terms;
}
