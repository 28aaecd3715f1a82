// Every part of a page shows the state.

import { findAll, byId } from "../dom/elements.js";
import { selectedLink } from "../state/state.js";
import { keepScrollPosition, watchPointer } from "./scroll_position.js";

/** Mark every link to the selected layer or row, in charts, tables and the graph. */
function markLinks() {
  findAll("a[aria-current='location']").forEach((link) => link.removeAttribute("aria-current"));
  const selected = selectedLink();
  if (selected) findAll(`main a[href="${selected}"]`).forEach((link) => link.setAttribute("aria-current", "location"));
}

/**
 * Return a listener to the state that updates the parts that a change concerns.
 * @param {FilterTable | null} table
 * @param {{ show(): void }} panel
 * @param {GraphView} graph
 * @param {Charts} charts
 * @returns {(state: State, changed: Changed) => void}
 */
export function followState(table, panel, graph, charts) {
  watchPointer();
  return (now, changed) => {
    if (table && changed.filter) {
      for (const id of ["filter", "graph-find"]) if (byId(id) && byId(id).value !== now.filter) byId(id).value = now.filter;
      if (changed.followed) table.sortForLink?.();
      table.filter(now.filter);
      graph.filter(now.filter, table);
    }
    if (changed.graph) graph.restore?.(now.graph);
    if (changed.view || changed.model) graph.arrange?.(now);
    if (changed.selection) {
      keepScrollPosition(() => panel.show());
      graph.show();
      charts.show();
      markLinks();
    }
    if (table && changed.selection) table.reveal();
    if (changed.followed) table?.scroller.closest("section")?.scrollIntoView();
  };
}
