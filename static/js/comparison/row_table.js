// The table of rows: aligned layers of all engines.

import { byId, h } from "../dom/elements.js";
import { textMeasure } from "../dom/text_width.js";
import { formatCount, formatMs, formatSigned, withoutNoise } from "../format/numbers.js";
import { valueBar } from "../table/cells.js";
import { addFacets } from "../table/facets.js";
import { Grid } from "../table/grid.js";
import { layersOf, selectedRow, selectRow } from "./comparison_data.js";
import { contributionOf, stepOf } from "./contributions.js";
import { rowColumns } from "./row_columns.js";
import { rowTerms } from "./row_terms.js";

/** What the candidate does in a row, and what changed. @type {Facet<ComparedRow>[]} */
const ROW_FACETS = [
  { term: "status", label: "Status", values: ({ side }) => (side.status ? [side.status] : []) },
  { term: "change", label: "What changed", fewest: 1, values: ({ side }) => side.changes.filter((change) => change !== side.status) },
];

/** @extends {Grid<ComparedRow>} */
export class RowTable extends Grid {
  /** @param {ComparisonData} data */
  constructor(data) {
    super(data, data.rows, rowColumns(data, textMeasure()), "Aligned layers");
    this.known = rowTerms(data);
    this.measure();
    this.markFacets = addFacets(byId("facets"), data.rows, ROW_FACETS);
  }

  measure() {
    this.largest = this.items.reduce((most, row) => Math.max(most, Math.abs(row.side.diff ?? 0)), 0);
  }

  get language() {
    return this.known;
  }

  /**
   * Show the rows that fit a query; those of a step of the breakdown with their contributions to it.
   * @param {string} text
   */
  filter(text) {
    this.data.step = stepOf(text);
    const column = this.all.find((each) => each.key === "contribution");
    if (column && column.on !== Boolean(this.data.step)) {
      column.on = Boolean(this.data.step);
      this.chooseColumns();
      this.fillMenu();
    }
    super.filter(text);
    this.markFacets();
  }

  /** Show the sides that are compared now. */
  refresh() {
    this.measure();
    byId("facets").replaceChildren();
    this.markFacets = addFacets(byId("facets"), this.items, ROW_FACETS);
    this.markFacets();
    this.order();
  }

  /** @returns {ComparedRow | null} */
  selected() {
    return selectedRow(this.data);
  }

  /**
   * @param {ComparedRow} row
   * @param {string} [kind]
   */
  select(row, kind) {
    selectRow(this.data, row, kind);
  }

  /** @returns {number[]} */
  layers() {
    return this.rows.flatMap((row) => layersOf(row.sides[this.data.focus]));
  }

  /** @returns {null} */
  rowClass() {
    return null;
  }

  /**
   * @param {number} shown
   * @param {number} of
   * @returns {string}
   */
  counted(shown, of) {
    const parts = [shown === of ? formatCount(of) : `${formatCount(shown)} of ${formatCount(of)}`, of === 1 ? " row" : " rows"];
    const { step } = this.data;
    const known = this.rows.map((row) => (step ? contributionOf(this.data, row, step) : row.side.diff) ?? null).filter((part) => part !== null);
    const sum = known.reduce((total, part) => total + part, 0);
    const noiseless = withoutNoise(sum, ...known);
    if (known.length) parts.push(`, ${step ? `contributions to “${step.name}”` : "difference"}: ${formatSigned(noiseless, formatMs)}`);
    return parts.join("");
  }

  /**
   * @param {HTMLElement} cell
   * @param {ComparedRow} row
   * @param {Column<ComparedRow>} column
   * @param {any} value
   * @param {string} text
   * @returns {boolean}
   */
  fill(cell, row, column, value, text) {
    if (column.key === "name") cell.append(this.nameLink(text, { href: `#row=${row.index}`, onclick: (/** @type {MouseEvent} */ event) => this.followed(event, row) }));
    else if (column.bar) cell.append(valueBar(value, this.largest ?? 0, Number(value) < 0 ? "is-faster" : "is-slower"), text);
    else if (column.key === "status" && value) cell.append(h("span", { class: `change change-${value.replaceAll(" ", "-")}` }, text));
    else return false;
    return true;
  }

  /**
   * @param {MouseEvent} event
   * @param {ComparedRow} row
   */
  followed(event, row) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.select(row);
  }
}
