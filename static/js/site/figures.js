// The figures of two engines side by side, as far as a site knows them.

import { h } from "../dom/elements.js";
import { DASH, formatBytes, formatCount, formatMs, formatNumber, formatSigned, formatSignedPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";

/**
 * @param {number | null | undefined} value
 * @returns {string}
 */
const formatTime = (value) => formatMs(value, 4);

/**
 * Title, key of an engine, formatter, and whether less is better (null: neither).
 * @type {[title: string, key: "latency" | "p99" | "compute" | "throughput" | "sum" | "reformat" | "size" | "weights" | "peak" | "layers" | "reformats" | "errors" | "warnings" | "infos", format: (value: number | null | undefined) => string, lessIsBetter: boolean | null][]}
 */
const FIGURES = [
  ["Median latency", "latency", formatTime, true],
  ["p99 latency", "p99", formatTime, true],
  ["Median GPU compute time", "compute", formatTime, true],
  ["Throughput (qps)", "throughput", formatNumber, false],
  ["Total layer time", "sum", formatTime, true],
  ["Time of reformat layers", "reformat", formatTime, true],
  ["Engine size", "size", formatBytes, true],
  ["Weights", "weights", formatBytes, true],
  ["Peak of live tensors", "peak", formatBytes, true],
  ["Layers", "layers", formatCount, null],
  ["Reformat layers", "reformats", formatCount, true],
  ["Errors", "errors", formatCount, true],
  ["Warnings", "warnings", formatCount, true],
  ["Infos", "infos", formatCount, null],
];

/**
 * By how much a value is more than another, as a percentage; empty where that is unknown.
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 * @returns {string}
 */
function changeOf(before, after) {
  if (before == null || after == null || !before) return "";
  return formatSignedPercent(100 * (after / before - 1));
}

/**
 * Color only what is better or worse beyond what no one would call a difference.
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 * @param {boolean | null} lessIsBetter
 * @returns {string | null}
 */
function changeClass(before, after, lessIsBetter) {
  if (before == null || after == null || lessIsBetter == null || Math.abs(after - before) <= 0.02 * Math.abs(before)) return null;
  return after < before === lessIsBetter ? "change change-faster" : "change change-slower";
}

/**
 * By how many a count differs: a percentage of few is not a figure.
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 * @returns {string}
 */
function differenceOf(before, after) {
  if (before == null || after == null) return "";
  return formatSigned(after - before, formatCount);
}

/**
 * @param {string} title
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 * @param {(value: number | null | undefined) => string} show
 * @param {boolean | null} lessIsBetter
 * @returns {HTMLElement}
 */
function figureRow(title, before, after, show, lessIsBetter) {
  const difference = (show === formatCount ? differenceOf : changeOf)(before, after);
  const change = h("td", { class: "number" }, h("span", { class: changeClass(before, after, lessIsBetter) }, difference || DASH));
  return h("tr", {}, h("th", { scope: "row" }, shorten(visible(title), 80)), h("td", { class: "number" }, show(before)), h("td", { class: "number" }, show(after)), change);
}

/**
 * @param {SiteEngine} a
 * @param {SiteEngine} b
 * @returns {HTMLElement}
 */
export function figuresTable(a, b) {
  const known = FIGURES.filter(([, key]) => a[key] != null || b[key] != null);
  return tableOf(["Figure", "A", "B", "Change"], known.map(([title, key, show, lessIsBetter]) => figureRow(title, a[key], b[key], show, lessIsBetter)));
}

/**
 * Groups of layers of both engines, those that differ most in time first.
 * @param {LayerGroup[] | undefined} ofA
 * @param {LayerGroup[] | undefined} ofB
 * @param {string} head
 * @returns {HTMLElement}
 */
export function groupsTable(ofA, ofB, head) {
  const [first, second] = [ofA, ofB].map((groups) => new Map((groups ?? []).map(([name, layers, ms]) => [name, { layers, ms }])));
  const names = [...new Set([...first.keys(), ...second.keys()])];
  const gap = (/** @type {string} */ name) => Math.abs((second.get(name)?.ms ?? 0) - (first.get(name)?.ms ?? 0));
  names.sort((one, other) => gap(other) - gap(one));
  const rows = names.map((name) => {
    const [before, after] = [first.get(name), second.get(name)];
    const layers = h("td", { class: "number" }, `${formatCount(before?.layers ?? 0)} → ${formatCount(after?.layers ?? 0)}`);
    const row = figureRow(name, before?.ms, after?.ms, formatTime, true);
    row.append(layers);
    return row;
  });
  return tableOf([head, "A", "B", "Change", "Layers"], rows);
}

/**
 * @param {Record<string, string> | undefined} ofA
 * @param {Record<string, string> | undefined} ofB
 * @returns {HTMLElement}
 */
export function conditionsTable(ofA, ofB) {
  const names = [...new Set([...Object.keys(ofA ?? {}), ...Object.keys(ofB ?? {})])];
  const rank = (/** @type {string} */ name) => (ofA?.[name] === ofB?.[name] ? 1 : 0);
  names.sort((one, other) => rank(one) - rank(other));
  const cell = (/** @type {string | undefined} */ value) => h("td", { class: value ? "name" : "muted" }, shorten(visible(value || "not stated"), 200));
  const rows = names.map((name) => h("tr", { class: rank(name) ? null : "is-other" }, h("th", { scope: "row" }, visible(name)), cell(ofA?.[name]), cell(ofB?.[name])));
  return tableOf(["Condition", "A", "B"], rows);
}

/**
 * @param {string[]} heads
 * @param {HTMLElement[]} rows
 * @returns {HTMLElement}
 */
function tableOf(heads, rows) {
  if (!rows.length) return h("p", { class: "muted" }, "Not stated in either capture.");
  const cells = heads.map((text, at) => h("th", { scope: "col", class: at && heads[0] !== "Condition" ? "number" : null }, text));
  return h("table", {}, h("thead", {}, h("tr", {}, cells)), h("tbody", {}, rows));
}
