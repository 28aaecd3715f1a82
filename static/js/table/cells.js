// What the cells of all tables have in common: classes, places and bars.

import { h } from "../dom/elements.js";
import { nameParts } from "../format/name_parts.js";
import { shorten } from "../format/text.js";
import { isDouble } from "./arrange.js";

/** Of the longest bar, in pixels. */
const BAR_WIDTH = 56;
/** What is in the first line of a card, as cards.css knows it. @type {Record<string, string>} */
const CARD_PLACES = { name: "card-name", tick: "card-tick" };

/**
 * Create a cell of a column, at its place if that stays in view.
 * @param {"td" | "th"} tag
 * @param {Pick<PlacedColumn<any>, "column" | "left" | "isEdge">} placed
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function columnCell(tag, { column, left, isEdge }, attributes = {}, ...children) {
  const names = [column.number && "number", left != null && "frozen", isEdge && "is-edge", CARD_PLACES[column.key] ?? (isDouble(column) && "card-double")].filter(Boolean);
  const cell = h(tag, { role: tag === "td" ? "cell" : "columnheader", ...attributes, class: names.join(" ") || null }, ...children);
  if (left != null) cell.style.left = `${left}px`;
  return cell;
}

/**
 * The heads of a table; each sorts by its column.
 * @template Item
 * @param {PlacedColumn<Item>[]} columns
 * @param {{ key: string, up: boolean }} sort
 * @param {(column: Column<Item>) => void} sortBy
 * @returns {HTMLElement}
 */
export function headRow(columns, sort, sortBy) {
  const cells = columns.map(({ column, label, width, left, isEdge }) => {
    const sorted = sort.key === column.key;
    const arrow = sorted ? h("span", { class: "arrow" }, sort.up ? " ↑" : " ↓") : null;
    const button = h("button", { type: "button", title: column.label, onclick: () => sortBy(column) }, h("span", {}, label), arrow);
    const cell = columnCell("th", { column, left, isEdge }, { scope: "col", "aria-sort": sorted ? (sort.up ? "ascending" : "descending") : null }, button);
    cell.style.width = `${width}px`;
    return cell;
  });
  return h("tr", { role: "row" }, cells);
}

/**
 * A bar as long as its value is against the largest.
 * @param {number | null | undefined} value
 * @param {number} largest
 * @param {string} [kind]
 * @returns {HTMLElement}
 */
export function valueBar(value, largest, kind = "") {
  const bar = h("span", { class: `cell-bar ${kind}`.trim(), "aria-hidden": "true" });
  bar.style.width = `${value && largest ? (BAR_WIDTH * Math.abs(value)) / largest : 0}px`;
  return bar;
}

/**
 * A name as a link that keeps what differs from other names, however narrow its column is.
 * @param {string} text
 * @param {number} alike How many characters at its beginning other names share.
 * @param {Record<string, any>} attributes
 * @returns {HTMLElement}
 */
export function cutLink(text, alike, attributes) {
  return h("a", { class: "name cut", title: shorten(text, 1000), tabindex: "-1", ...attributes }, nameSpans(text, alike));
}

/**
 * A text that keeps its end, where it differs from others, however narrow its column is.
 * @param {string} text
 * @param {string} [kind]
 * @returns {HTMLElement}
 */
export function cutText(text, kind = "") {
  return h("span", { class: `cut ${kind}`.trim(), title: shorten(text, 1000) }, nameSpans(text, 0));
}

/**
 * @param {string} text
 * @param {number} alike
 * @returns {HTMLElement[]}
 */
function nameSpans(text, alike) {
  return nameParts(text, alike).map((part) => h("span", {}, part));
}
