// How wide texts are, so that columns are as wide as their texts and no wider.

import { h } from "./elements.js";

/**
 * Return a function that measures a text as the page writes it.
 * @returns {(text: string) => number} In pixels at the usual text size; for a page without canvas an estimate.
 */
export function textMeasure() {
  const context = /** @type {HTMLCanvasElement} */ (h("canvas")).getContext("2d");
  if (!context) return (text) => text.length * 7.8;
  const { fontFamily } = getComputedStyle(document.body);
  context.font = `14px ${fontFamily}`;
  return (text) => context.measureText(text).width;
}
