// Filters of tables that the page holds whole: those of tactics and of executed nodes.

import { byId, findAll, targetOf } from "../dom/elements.js";
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

/**
 * Let rows be filtered; a report without them has no such filter.
 * @param {string} section What the ids of the filter begin with.
 * @param {string} rows What selects the rows, or groups of them.
 */
function openFilter(section, rows) {
  if (!byId(`${section}-filter`)) return;
  byId(`${section}-bar`).hidden = false;
  const groups = findAll(rows).map((group) => ({ group: /** @type {HTMLElement} */ (group), text: group.textContent ?? "" }));
  const show = (/** @type {string} */ filter) => {
    let shown = 0;
    for (const { group, text } of groups) {
      group.hidden = !hasWords(text, filter);
      shown += Number(!group.hidden);
    }
    byId(`${section}-count`).textContent = shown === groups.length ? counted(shown, "row") : `${formatCount(shown)} of ${counted(groups.length, "row")}`;
  };
  byId(`${section}-filter`).addEventListener("input", (event) => show(targetOf(event).value));
  show("");
}

/** Open the filters that the report has. */
export function openRowFilters() {
  openFilter("tactics", "#tactics-table > tbody");
  openFilter("execution", ".executed > tbody > tr");
}
