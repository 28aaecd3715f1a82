// The edge of the panel, which makes it wider or narrower by dragging and by arrow keys.

import { h } from "../dom/elements.js";
import { readPreference, savePreference } from "../state/preferences.js";

const WIDTH_PREFERENCE = "trexreport-panel-width";
const NARROWEST = 260;
/** What tokens.css has, too. */
const USUAL = 400;
const WIDEST = 900;
const KEY_STEP = 20;

/**
 * The width within its bounds: what is beside the panel keeps some room.
 * @param {number} width In pixels.
 * @param {number} room The width of the window.
 * @returns {number}
 */
export function boundedWidth(width, room) {
  const most = Math.max(NARROWEST, Math.min(WIDEST, room - 480));
  return Math.round(Math.min(most, Math.max(NARROWEST, Number.isFinite(width) ? width : USUAL)));
}

/**
 * Return the edge; the width that was chosen last, in any report, is set at once.
 * @returns {HTMLElement}
 */
export function panelEdge() {
  let width = USUAL;
  const edge = h("div", { class: "detail-edge", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the panel", "aria-valuemin": NARROWEST, "aria-valuemax": WIDEST });
  const use = (/** @type {number} */ wanted) => {
    width = boundedWidth(wanted, innerWidth);
    const { style } = document.documentElement;
    // The style sheet has the usual width: a change at the root costs the style of the whole page.
    if (width !== USUAL || style.length) style.setProperty("--detail", `${width}px`);
    edge.setAttribute("aria-valuenow", String(width));
  };
  const keep = () => savePreference(WIDTH_PREFERENCE, String(width));
  use(Number(readPreference(WIDTH_PREFERENCE) || USUAL));
  edge.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
  });
  edge.addEventListener("pointermove", (event) => event.buttons && use(innerWidth - event.clientX));
  edge.addEventListener("pointerup", keep);
  edge.addEventListener("dblclick", () => {
    use(USUAL);
    keep();
  });
  edge.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: KEY_STEP, ArrowRight: -KEY_STEP }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    use(width + by);
    keep();
  });
  return edge;
}
