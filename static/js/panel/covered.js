// What the details panel covers.

import { byId } from "../dom/elements.js";

/**
 * The top edge of the panel where it covers the page, as in narrow windows; else infinity.
 * @returns {number}
 */
export function panelTop() {
  const panel = byId("detail");
  return !panel.hidden && getComputedStyle(panel).position === "fixed" ? panel.getBoundingClientRect().top : Infinity;
}
