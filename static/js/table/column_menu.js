// The menu of a table's columns.

import { h } from "../dom/elements.js";

/**
 * Fill the menu: a box for each column, which shows or hides it.
 * @template Item
 * @param {HTMLElement} menu
 * @param {Column<Item>[]} columns
 * @param {() => void} changed Called after a column was shown or hidden.
 */
export function fillColumnMenu(menu, columns, changed) {
  const boxes = columns.map((column) => {
    const box = h("input", { type: "checkbox" });
    box.checked = Boolean(column.on);
    box.addEventListener("change", () => {
      column.on = box.checked;
      changed();
    });
    return h("label", {}, box, ` ${column.label}`);
  });
  menu.replaceChildren(...boxes);
}
