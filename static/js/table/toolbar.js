// The controls above a table: the filter, copying, and the menu of columns.

import { byId } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { counted } from "../format/numbers.js";
import { setState } from "../state/state.js";
import { asCsv } from "./csv.js";
import { asMarkdown } from "./markdown.js";

export function toggleColumns(open) {
  byId("columns").hidden = !open;
  byId("columns-button").setAttribute("aria-expanded", String(open));
}

export function watchToolbar(table) {
  let waiting;
  for (const input of [byId("filter"), byId("graph-find")].filter(Boolean)) {
    input.addEventListener("input", () => {
      // At most one change of the filter per frame.
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => setState({ filter: input.value }, "typing"));
    });
  }
  const rows = () => counted(table.rows.length, "row");
  byId("copy-csv").addEventListener("click", () => copyText(asCsv(table.rows, table.columns), rows()));
  byId("copy-markdown").addEventListener("click", () => copyText(asMarkdown(table.rows, table.columns), rows()));
  byId("columns-button").addEventListener("click", () => toggleColumns(byId("columns").hidden));
  addEventListener("click", (event) => event.target.closest?.(".menu") || toggleColumns(false));
}
