// The drop-down lists above the table of engines.

import { findAll, h } from "../dom/elements.js";
import { shorten, visible } from "../format/text.js";
import { quoted, splitQuery, unquoted } from "../query/query.js";
import { setState, state } from "../state/state.js";

/**
 * Offer in the drop-down lists the values that engines differ in, and keep them and the filter in step.
 * @param {SiteData} data
 * @returns {() => void}
 */
export function watchChoices(data) {
  const lists = /** @type {HTMLSelectElement[]} */ (findAll("select[data-term]"));
  const termOf = (/** @type {HTMLSelectElement} */ list) => list.dataset.term ?? "";
  for (const list of lists) {
    const values = [...new Set(data.rows.map((/** @type {any} */ row) => row[termOf(list)] ?? ""))].sort();
    list.append(...values.filter(Boolean).map((value) => h("option", { value }, shorten(visible(value), 60))));
    if (list.parentElement) list.parentElement.hidden = values.length < 2;
  }
  const isOf = (/** @type {HTMLSelectElement} */ list, /** @type {string} */ term) => term.startsWith(`${termOf(list)}:`);
  for (const list of lists) {
    list.addEventListener("change", () => {
      const terms = splitQuery(state.filter).filter((term) => !isOf(list, term));
      if (list.value) terms.push(`${termOf(list)}:${quoted(list.value)}`);
      setState({ filter: terms.join(" ") });
    });
  }
  return () => {
    const terms = splitQuery(state.filter);
    for (const list of lists) {
      const own = terms.filter((term) => isOf(list, term));
      const value = own.length === 1 ? unquoted(own[0].slice(termOf(list).length + 1)) : "";
      list.value = [...list.options].some((option) => option.value === value) ? value : "";
    }
  };
}
