// The controls above a table: the filter, copying, and the menu of columns.

import { byId, targetOf } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { counted } from "../format/numbers.js";
import { setState } from "../state/state.js";
import { asCsv } from "./csv.js";
import { asMarkdown } from "./markdown.js";

/** @param {boolean} open */
export function toggleColumns(open) {
  byId("columns").hidden = !open;
  byId("columns-button").setAttribute("aria-expanded", String(open));
}

/** @param {PageTable} table */
export function watchToolbar(table) {
  let waiting = 0;
  // At most one change of the filter per frame.
  const typed = (/** @type {Event} */ event) => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => setState({ filter: targetOf(event).value }, "typing"));
  };
  for (const id of ["filter", "graph-find"]) byId(id)?.addEventListener("input", typed);
  const rows = () => counted(table.rows.length, "row");
  byId("copy-csv").addEventListener("click", () => copyText(asCsv(table.rows, table.columns), rows()));
  byId("copy-markdown").addEventListener("click", () => copyText(asMarkdown(table.rows, table.columns), rows()));
  byId("columns-button").addEventListener("click", () => toggleColumns(Boolean(byId("columns").hidden)));
  addEventListener("click", (event) => targetOf(event).closest?.(".menu") || toggleColumns(false));
}
