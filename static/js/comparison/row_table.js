// The table of rows: aligned layers of all engines.

import { h } from "../dom/elements.js";
import { formatCount, formatMs, formatSigned } from "../format/numbers.js";
import { shorten } from "../format/text.js";
import { Grid } from "../table/grid.js";
import { layersOf, selectedRow, selectRow, setCandidate } from "./comparison_data.js";
import { rowColumns } from "./row_columns.js";
import { rowTerms } from "./row_terms.js";

/** @extends {Grid<ComparedRow>} */
export class RowTable extends Grid {
  /** @param {ComparisonData} data */
  constructor(data) {
    super(data, data.rows, rowColumns(data), "Aligned layers");
    this.known = rowTerms(data);
    this.measure();
  }

  measure() {
    this.largest = this.items.reduce((most, row) => Math.max(most, Math.abs(row.side.diff ?? 0)), 0);
  }

  get language() {
    return this.known;
  }

  /**
   * Compare another engine with the baseline.
   * @param {number} candidate
   */
  setCandidate(candidate) {
    setCandidate(this.data, candidate);
    this.measure();
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
    const known = this.rows.filter((row) => row.side.diff != null);
    if (known.length) parts.push(`, ${formatSigned(known.reduce((sum, row) => sum + (row.side.diff ?? 0), 0), formatMs)} in total`);
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
    if (column.key === "name") cell.append(h("a", { class: "name", href: `#row=${row.index}`, title: shorten(text, 1000), tabindex: "-1", onclick: (/** @type {MouseEvent} */ event) => this.followed(event, row) }, shorten(text, 300)));
    else if (column.bar) cell.append(this.bar(value, this.largest ?? 0, Number(value) < 0 ? "is-faster" : "is-slower"), text);
    else if (column.key === "mark" && value) cell.append(h("span", { class: `change change-${value.replaceAll(" ", "-")}` }, text));
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
