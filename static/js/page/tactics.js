// The filter of the table of tactics.

import { byId, targetOf } from "../dom/elements.js";
import { counted, formatCount } from "../format/numbers.js";

/**
 * Whether a text has all words of a filter, without regard to case.
 * @param {string} text
 * @param {string} filter
 * @returns {boolean}
 */
export function hasWords(text, filter) {
  const lower = text.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

/** Let the table of tactics be filtered; a report without a verbose log of the build has none. */
export function openTactics() {
  const table = byId("tactics-table");
  if (!table) return;
  byId("tactics-bar").hidden = false;
  const groups = [...table.querySelectorAll(":scope > tbody")].map((group) => ({ group: /** @type {HTMLElement} */ (group), text: group.textContent ?? "" }));
  const show = (/** @type {string} */ filter) => {
    let shown = 0;
    for (const { group, text } of groups) {
      group.hidden = !hasWords(text, filter);
      shown += Number(!group.hidden);
    }
    byId("tactics-count").textContent = shown === groups.length ? counted(shown, "row") : `${formatCount(shown)} of ${counted(groups.length, "row")}`;
  };
  byId("tactics-filter").addEventListener("input", (event) => show(targetOf(event).value));
  show("");
}
