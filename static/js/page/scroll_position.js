// What the reader looks at stays in place when the page's widths change.

import { byId } from "../dom/elements.js";

/** @type {number | null} */
let pointerY = null;

/** Remember where the pointer was pressed last; a key says nothing of where the reader looks. */
export function watchPointer() {
  addEventListener("pointerdown", (event) => (pointerY = event.clientY), { capture: true, passive: true });
  addEventListener("keydown", () => (pointerY = null), { capture: true, passive: true });
}

/**
 * Change the page's widths without moving what the reader looks at: texts above it may wrap otherwise.
 * @param {() => void} change
 */
export function keepScrollPosition(change) {
  const column = byId("main").getBoundingClientRect();
  const x = Math.max(0, column.left) + 80;
  const height = pointerY ?? innerHeight * 0.4;
  const anchor = document.elementsFromPoint(x, height).find((element) => element.matches("main .grid-scroll, main .graph-scroll, figure, main tr, main li, main p, main h2, main h3, main dl, main section"));
  const before = anchor?.getBoundingClientRect().top ?? 0;
  change();
  const moved = anchor ? anchor.getBoundingClientRect().top - before : 0;
  if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
}
