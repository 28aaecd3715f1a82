// The choice of what colors mean, above a drawing of the time.

import { h } from "../dom/elements.js";

/** What layers are colored by, and what that is called. */
export const COLORS = { type: "type", precision: "precision", bound: "bound by", findings: "findings", error: "error", increase: "error increase" };

/** @typedef {keyof typeof COLORS} ColoredBy */

/** Of every engine; the others are offered where a report has something to show. */
const ALWAYS = new Set(["type", "precision"]);

/**
 * What the layers of a report can be colored by.
 * @param {Pick<ReportData, "layers" | "findings" | "levels">} data
 * @returns {ColoredBy[]}
 */
export function colorsOf({ layers, findings, levels }) {
  const isStated = {
    bound: () => layers.some(({ bound }) => bound),
    findings: () => findings.length > 0,
    error: () => Boolean(levels?.error),
    increase: () => Boolean(levels?.increase),
  };
  const all = /** @type {ColoredBy[]} */ (Object.keys(COLORS));
  return all.filter((by) => ALWAYS.has(by) || isStated[/** @type {keyof typeof isStated} */ (by)]());
}

/**
 * The field to choose.
 * @param {ColoredBy[]} choices
 * @param {(by: string) => void} chosen
 * @returns {HTMLElement}
 */
export function colorChoice(choices, chosen) {
  const field = h("select", { onchange: () => chosen(field.value) }, choices.map((value) => h("option", { value }, COLORS[value])));
  return h("label", {}, "Color ", field);
}
