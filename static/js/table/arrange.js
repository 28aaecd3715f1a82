// Where the columns of a table are: in which order, how wide, and which stay in view when it is scrolled.

import { alikeBy } from "../data/records.js";

// A table narrower than this many pixels, at the usual text size, has the layout for phones.
const NARROW_TABLE = 480;
/** Beside an open panel: the first columns are as narrow as their values, so that one more of them is in view. */
const COMPACT_TABLE = 720;
/** Narrower than this, what only describes comes last, so that figures are in view. */
const FIGURES_FIRST = 800;
const MIN_NAME = 200;
const MIN_NARROW_NAME = 120;
/** Of the width of a table that is scrolled sideways. */
const NAME_SHARE = 0.36;
const CHARACTER_WIDTH = 7.8;
const CELL_PADDING = 20;
/** On a phone a row is a card: its name in a line, and below it as many values beside each other as have this room. */
const CARD_VALUE = 84;
/** Of a line of a card, and around all of them; what cards.css knows, too. */
const CARD_LINE = 20;
const CARD_SPACE = 9;
/** From this width on, a text takes the room of two values. */
const DOUBLE_WIDTH = 150;
/** Texts of a column that are measured. */
const MEASURED = 12;

/**
 * Whether a table has the layout for phones.
 * @param {number} available In pixels; 0 before it has a width.
 * @param {number} scale Of the reader's text size.
 * @returns {boolean}
 */
export function isNarrow(available, scale) {
  return available > 0 && available < NARROW_TABLE * scale;
}

/**
 * Whether a value takes twice the room of others in a card: texts that say what a row is about.
 * @param {Column<any>} column
 * @returns {boolean}
 */
export function isDouble(column) {
  return column.double ?? (!column.number && column.key !== "name" && column.width >= DOUBLE_WIDTH);
}

/**
 * How the values of a row are placed on a phone.
 * @param {number} available In pixels.
 * @param {Column<any>[]} columns
 * @param {number} scale Of the reader's text size.
 * @returns {{ beside: number, span: number, height: number }} The columns of a card, how many of them a value takes (all
 *   with large letters), and the height of a row in pixels.
 */
export function cardOf(available, columns, scale) {
  const fitting = Math.floor(available / (CARD_VALUE * scale));
  const beside = Math.max(2, fitting);
  const span = fitting < beside ? beside : 1;
  let [lines, used] = [1, beside];
  for (const column of columns) {
    // Both are in the first line.
    if (column.key === "name" || column.key === "tick") continue;
    const room = isDouble(column) ? 2 : span;
    if (used + room > beside) [lines, used] = [lines + 1, 0];
    used += room;
  }
  return { beside, span, height: (lines * CARD_LINE + CARD_SPACE) * scale };
}

/**
 * The columns in the order of a table of this width, with their widths; the name takes what the others leave.
 * @template Item
 * @param {Column<Item>[]} columns
 * @param {number} available In pixels.
 * @param {number} scale Of the reader's text size.
 * @returns {PlacedColumn<Item>[]} Each with its left edge where it stays in view, else null.
 */
export function arrange(columns, available, scale) {
  const narrow = isNarrow(available, scale);
  const compact = available > 0 && available < COMPACT_TABLE * scale;
  const last = (/** @type {Column<Item>} */ column) => Boolean(column.minor) && (narrow || (available > 0 && available < FIGURES_FIRST * scale && !column.frozen));
  const ordered = [...columns.filter((column) => !last(column)), ...columns.filter(last)];
  const others = ordered.filter((column) => column.key !== "name");
  const width = (/** @type {Column<Item>} */ column) => ((narrow && column.phoneWidth) || (compact && column.narrowWidth) || column.width) * scale;
  // On a phone the name shares the width with the time and its bar, and the others are reached by scrolling.
  const beside = narrow ? others.slice(0, 2) : others;
  const name = columns.find((column) => column.key === "name");
  const wanted = (name?.roomyWidth ?? name?.width ?? 0) * scale;
  const given = extraWidths(beside, available - beside.reduce((sum, column) => sum + width(column), 0) - wanted, narrow ? () => 0 : width, scale);
  const rest = available - beside.reduce((sum, column) => sum + width(column) + (given.get(column) ?? 0), 0);
  const fewest = Math.min((name?.width ?? 0) * scale, NAME_SHARE * available);
  const nameWidth = Math.floor(narrow ? Math.max(MIN_NARROW_NAME * scale, rest) : Math.max(MIN_NAME * scale, compact ? 0 : fewest, rest));
  let left = 0;
  let frozen = true;
  return ordered.map((column) => {
    frozen &&= Boolean(column.frozen);
    const placed = { column, label: (compact && column.shortLabel) || column.label, width: column.key === "name" ? nameWidth : width(column) + (given.get(column) ?? 0), left: frozen ? left : null };
    left += placed.width;
    return placed;
  }).map((placed, at, all) => ({ ...placed, isEdge: placed.left != null && all[at + 1]?.left === null }));
}

/**
 * What columns get of the width that neither they nor the name need, until their texts are whole: first those that
 * miss the least, so that most are.
 * @template Item
 * @param {Column<Item>[]} columns
 * @param {number} spare In pixels.
 * @param {(column: Column<Item>) => number} width
 * @param {number} scale
 * @returns {Map<Column<Item>, number>}
 */
function extraWidths(columns, spare, width, scale) {
  const given = new Map();
  const missing = (/** @type {Column<Item>} */ column) => (column.roomyWidth ?? 0) * scale - width(column);
  for (const column of columns.toSorted((one, other) => missing(one) - missing(other))) {
    const more = Math.floor(Math.min(spare, missing(column)));
    if (more <= 0 || !width(column)) continue;
    given.set(column, more);
    spare -= more;
  }
  return given;
}

/**
 * Columns of texts no wider than their widest text.
 * @template Item
 * @param {Column<Item>[]} columns
 * @param {Item[]} items
 * @param {string[]} keys Of the columns to fit.
 * @param {number | ((text: string) => number)} [width] Of a character, or of a text; in pixels at the usual text size.
 * @returns {Column<Item>[]}
 */
export function fitted(columns, items, keys, width = CHARACTER_WIDTH) {
  const measure = typeof width === "number" ? (/** @type {string} */ text) => text.length * width : width;
  return columns.map((column) => {
    if (!keys.includes(column.key)) return column;
    const textOf = column.text ?? ((/** @type {Item} */ item) => String(column.value(item) ?? ""));
    const widest = longestTexts(alikeBy(items, column.text ? undefined : column.key), textOf).reduce((most, text) => Math.max(most, measure(text)), measure(`${column.label}↑`));
    const whole = Math.ceil(widest) + CELL_PADDING;
    return { ...column, width: Math.min(column.width, whole), ...(column.roomyWidth ? { roomyWidth: Math.min(column.roomyWidth, whole) } : {}) };
  });
}

/**
 * The texts with the most characters, one of which is the widest in all likelihood: to measure all takes too long.
 * @template Item
 * @param {[item: Item, count: number][]} items
 * @param {(item: Item) => string} textOf
 * @returns {string[]}
 */
function longestTexts(items, textOf) {
  const longest = new Set();
  let fewest = 0;
  for (const [item] of items) {
    const text = textOf(item);
    if (text.length < fewest || longest.has(text)) continue;
    longest.add(text);
    if (longest.size <= MEASURED) continue;
    const ordered = [...longest].sort((one, other) => one.length - other.length);
    longest.delete(ordered[0]);
    fewest = ordered[1].length;
  }
  return [...longest];
}
