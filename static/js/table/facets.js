// The most frequent values of some properties above a table: a click shows the rows that have one.

import { alikeBy } from "../data/records.js";
import { h } from "../dom/elements.js";
import { formatCount } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { quoted, splitQuery } from "../query/query.js";
import { setState, state } from "../state/state.js";

const MAX_CHIPS = 6;
const MAX_CHOICES = 100;

/**
 * The number of items by value, the most frequent first.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => Iterable<string>} valuesOf
 * @param {string} [key] Of the only value that they depend on.
 * @returns {[value: string, count: number][]}
 */
export function frequencies(items, valuesOf, key) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const [item, count] of alikeBy(items, key)) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1));
}

/**
 * Return a query with the value of a property replaced; a value that is in it already is taken out.
 * @param {string} query
 * @param {string} term
 * @param {string} value
 * @returns {string}
 */
export function toggled(query, term, value) {
  const wanted = `${term}:${quoted(value)}`;
  const terms = splitQuery(query);
  const others = terms.filter((each) => !each.startsWith(`${term}:`));
  return (terms.includes(wanted) ? others : [...others, wanted]).join(" ");
}

/**
 * Show chips above a table; return what marks those that are in the filter.
 * @template Item
 * @param {HTMLElement} place
 * @param {Item[]} items
 * @param {Facet<Item>[]} facets
 * @returns {() => void}
 */
export function addFacets(place, items, facets) {
  /** @type {{ chip: HTMLElement, text: string }[]} */
  const chips = [];
  for (const facet of facets) {
    const found = frequencies(items, facet.values, facet.key);
    if (found.length < (facet.fewest ?? 2)) continue;
    const name = facet.name ?? ((/** @type {string} */ value) => value);
    const group = h("span", { class: "chips", role: "group", "aria-label": facet.label }, h("span", { class: "muted" }, facet.label));
    for (const [value, count] of found.slice(0, MAX_CHIPS)) {
      const text = `${facet.term}:${quoted(value)}`;
      const onclick = () => setState({ filter: toggled(state.filter, facet.term, value) });
      const chip = h("button", { type: "button", class: "chip", "aria-pressed": "false", title: shorten(visible(name(value)), 200), onclick }, shorten(visible(name(value)), 28), " ", h("span", { class: "muted" }, formatCount(count)));
      chips.push({ chip, text });
      group.append(chip);
    }
    group.append(moreOf(facet, found.slice(0, MAX_CHOICES), name));
    place.append(group);
  }
  return () => {
    const terms = new Set(splitQuery(state.filter));
    for (const { chip, text } of chips) chip.setAttribute("aria-pressed", String(terms.has(text)));
  };
}

/**
 * @template Item
 * @param {Facet<Item>} facet
 * @param {[value: string, count: number][]} found
 * @param {(value: string) => string} name
 * @returns {HTMLElement}
 */
function moreOf(facet, found, name) {
  const list = h("select", { class: found.length > MAX_CHIPS ? "chip" : "chip only-narrow", "aria-label": `${facet.label}: all` }, h("option", { value: "" }, "all"), found.map(([value, count]) => h("option", { value }, `${shorten(visible(name(value)), 60)} ${formatCount(count)}`)));
  list.addEventListener("change", () => {
    if (list.value) setState({ filter: toggled(state.filter, facet.term, list.value) });
    list.value = "";
  });
  return list;
}
