// Tables that the page holds whole: a click on a heading sorts their rows.

import { findAll, h } from "../dom/elements.js";
import { sortedBy } from "./sorting.js";

/**
 * The figure that a cell begins with, as "1,130" or "≈ 2.5"; null for a dash.
 * @param {string} text
 * @returns {number | null}
 */
export function figureIn(text) {
  const found = /[-−]?\d[\d,]*(?:\.\d+)?/.exec(text);
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : null;
}

/** @param {HTMLTableElement} table */
function open(table) {
  const [body] = table.tBodies;
  const cells = [...(table.tHead?.rows[0].cells ?? [])];
  const items = [...body.rows].map((row, index) => ({ row, index }));
  cells.forEach((cell, at) => {
    const number = cell.classList.contains("number");
    const valueOf = (/** @type {string} */ text) => (number ? figureIn(text) : text.trim());
    /** @type {any} */
    const column = { key: cell.textContent, number, value: (/** @type {typeof items[0]} */ { row }) => valueOf(row.cells[at].textContent ?? "") };
    const sort = () => {
      const order = cell.getAttribute("aria-sort");
      const up = order ? order === "descending" : !number;
      cells.forEach((each) => each.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...sortedBy(items, column, up).map(({ row }) => row));
    };
    cell.replaceChildren(h("button", { type: "button", onclick: sort }, ...cell.childNodes));
  });
}

/** Let the tables that are declared so be sorted. */
export function openSortableTables() {
  /** @type {HTMLTableElement[]} */ (findAll("table.sortable")).forEach(open);
}
