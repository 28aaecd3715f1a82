// The table of layers.

import { layerLink } from "../data/links.js";
import { findingsOf } from "../data/report_data.js";
import { byId, h } from "../dom/elements.js";
import { formatCount, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { findingMark, findingName } from "../page/finding_links.js";
import { layerTerms } from "../query/layer_terms.js";
import { stated } from "../query/stated.js";
import { select, state } from "../state/state.js";
import { fitted } from "./arrange.js";
import { valueBar } from "./cells.js";
import { addFacets } from "./facets.js";
import { Grid } from "./grid.js";
import { layerColumns } from "./layer_columns.js";

/** Columns as narrow as their texts. */
const FITTED = ["type", "precision", "output_precision"];

/**
 * @param {ReportData} data
 * @returns {Facet<Layer>[]}
 */
function layerFacets(data) {
  const findings = new Map(data.findings.map((finding) => [finding.id, finding]));
  return [
    { term: "type", key: "type", label: "Type", values: (layer) => [stated(layer.type)] },
    { term: "precision", key: "precision", label: "Precision", values: (layer) => [stated(layer.precision)] },
    { term: "finding", label: "Finding", fewest: 1, values: (layer) => findingsOf(layer).map(({ id }) => id), name: (id) => findingName(/** @type {Finding} */ (findings.get(id))) },
  ];
}

/** @extends {Grid<Layer>} */
export class LayerTable extends Grid {
  /** @param {ReportData} data */
  constructor(data) {
    const hasFindings = data.layers.some((layer) => layer.findings.length);
    const columns = layerColumns(data.columns).map((column) => (column.key === "findings" ? { ...column, on: hasFindings } : column));
    super(data, data.layers, fitted(columns, data.layers, FITTED), "Layers");
    this.markFacets = addFacets(byId("facets"), data.layers, layerFacets(data));
    this.terms = layerTerms(data.columns);
    this.largestShare = data.layers.reduce((most, layer) => Math.max(most, layer.share_percent ?? 0), 0);
  }

  get language() {
    return this.terms;
  }

  selected() {
    return state.layer;
  }

  /**
   * @param {Layer} layer
   * @param {string} [kind]
   */
  select(layer, kind) {
    select(layer, kind);
  }

  /**
   * The positions of the layers that are shown.
   * @returns {number[]}
   */
  layers() {
    return this.rows.map((layer) => layer.index);
  }

  /**
   * @param {Layer} layer
   * @returns {string | null}
   */
  rowClass(layer) {
    return layer.findings.length ? `has-${findingsOf(layer)[0].severity}` : null;
  }

  /**
   * @param {number} shown
   * @param {number} of
   * @returns {string}
   */
  counted(shown, of) {
    const parts = [shown === of ? formatCount(of) : `${formatCount(shown)} of ${formatCount(of)}`, of === 1 ? " layer" : " layers"];
    if (shown < of && this.largestShare) parts.push(`, ${formatPercent(this.rows.reduce((total, layer) => total + (layer.share_percent ?? 0), 0))} of layer time`);
    if (state.layer && shown < of && !this.rows.includes(state.layer)) parts.push("; the selected layer is not among them");
    return parts.join("");
  }

  /**
   * Fill a cell that is more than text, and return whether it did.
   * @param {HTMLElement} cell
   * @param {Layer} layer
   * @param {Column<Layer>} column
   * @param {any} value
   * @param {string} text
   * @returns {boolean}
   */
  fill(cell, layer, column, value, text) {
    // A link of its own for each row would be as many stops of the Tab key: the arrow keys do it.
    if (column.key === "name") cell.append(this.nameLink(text, { href: layerLink(layer) }));
    else if (column.key === "findings" && value) cell.append(...this.marks(layer));
    else if (column.bar) cell.append(valueBar(value, this.largestShare), text);
    else return false;
    return true;
  }

  /**
   * @param {Layer} layer
   * @returns {(Node | string)[]}
   */
  marks(layer) {
    const [first, ...others] = findingsOf(layer);
    const titles = [first, ...others].map((finding) => `${finding.code} ${finding.title}`).join("\n");
    const more = others.length ? h("span", { class: "muted", title: shorten(visible(titles), 1000) }, ` +${others.length}`) : "";
    return [findingMark(first, { tabindex: "-1", title: shorten(visible(titles), 1000) }, findingName(first)), more];
  }

  /** Show the slowest layers first when a link leads to some of them, unless an order was chosen. */
  sortForLink() {
    if (this.largestShare && this.sort.key === "index") this.sortAs("avg_ms", false);
  }

  /** @param {string} text */
  filter(text) {
    super.filter(text);
    this.markFacets();
  }
}
