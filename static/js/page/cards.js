// Tables on a phone: cards.css makes a card of each row, in which every value has the heading of its column.

import { findAll } from "../dom/elements.js";
import { PHONE, isWindow } from "../dom/windows.js";

const CARD_TABLES = "main :not(.grid-scroll) > table:is(.cards, :has(> thead th:nth-child(4)))";
/** From this number of letters on, figures take the room of two: "est. 0.0073–0.0092". */
const WIDE_FIGURE = 14;
/** What an element is, for browsers in which another display takes it away. */
const TABLE_ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TFOOT: "rowgroup", TR: "row", TD: "cell" };

/**
 * The headings of the cells of a row; a cell over several columns has none, and neither have those after it.
 * @param {string[]} heads Of the columns.
 * @param {number[]} spans Of the row's cells, in columns.
 * @returns {(string | undefined)[]}
 */
export function labelsOf(heads, spans) {
  const joined = spans.findIndex((span) => span > 1);
  return spans.map((_, at) => (joined >= 0 && at >= joined ? undefined : heads[at]));
}

/** @param {HTMLElement} element */
function keepRole(element) {
  const role = element.tagName === "TH" ? `${element.getAttribute("scope") === "row" ? "row" : "column"}header` : /** @type {Record<string, string>} */ (TABLE_ROLES)[element.tagName];
  if (role) element.setAttribute("role", role);
}

/**
 * Which columns need the room of two figures, so that all cards place their values alike.
 * @param {string[][]} rows Texts of the figures by column; other cells are empty.
 * @returns {Set<number>} Numbers of columns.
 */
export function wideColumns(rows) {
  return new Set(rows.flatMap((texts) => texts.flatMap((text, at) => (text.trim().length > WIDE_FIGURE ? [at] : []))));
}

/** @param {HTMLTableElement} table */
function labelTable(table) {
  if (table.classList.contains("is-labeled")) return;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((each) => each.textContent ?? "");
  const wide = wideColumns([...table.tBodies].flatMap((body) => [...body.rows]).map((row) => [...row.cells].map((cell) => (cell.matches(".number") ? (cell.textContent ?? "") : ""))));
  keepRole(table);
  for (const row of table.rows) {
    keepRole(/** @type {HTMLElement} */ (row.parentElement));
    keepRole(row);
    const cells = [...row.cells];
    const labels = labelsOf(heads, cells.map((cell) => cell.colSpan));
    cells.forEach((cell, at) => {
      keepRole(cell);
      if (labels[at]) cell.dataset.label = labels[at];
      cell.classList.toggle("wide-figure", wide.has(at) && cell.matches(".number"));
    });
  }
  table.classList.add("is-labeled");
}

/** Give the tables that are in the page now their headings, if the window is narrow. */
export function labelCards() {
  if (isWindow(PHONE)) /** @type {HTMLTableElement[]} */ (findAll(CARD_TABLES)).forEach(labelTable);
}

/** Give them their headings now, or once the window becomes narrow. */
export function watchCards() {
  labelCards();
  matchMedia(PHONE).addEventListener("change", labelCards);
}
