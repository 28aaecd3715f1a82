// Drawings of charts and of findings for phones, where those of the page would have to shrink until none of it can be read.

import { unpack } from "../data/unpack.js";
import { byId, h } from "../dom/elements.js";
import { NARROW } from "../dom/windows.js";

/**
 * Parse a drawing that came with the page.
 * @param {string} text
 * @returns {Element}
 */
function parsedDrawing(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

async function drawNarrowCharts() {
  const drawings = /** @type {Record<string, string[]>} */ (JSON.parse(await unpack("trexreport-narrow")));
  for (const [id, texts] of Object.entries(drawings)) {
    const figure = byId(id);
    if (!figure || figure.classList.contains("has-narrow")) continue;
    const parsed = texts.map(parsedDrawing);
    // The wide drawing is not shown, but what it is called still holds; a pattern states its own name.
    const name = figure.querySelector(".static-chart svg")?.getAttribute("aria-labelledby");
    if (name) parsed[0].setAttribute("aria-labelledby", name);
    figure.append(h("div", { class: "narrow-chart" }, parsed));
    figure.classList.add("has-narrow");
  }
}

/** Put narrow drawings into a narrow window, now or once it becomes narrow. */
export async function watchNarrowCharts() {
  if (!byId("trexreport-narrow")) return;
  const window = matchMedia(NARROW);
  window.addEventListener("change", () => window.matches && drawNarrowCharts());
  if (window.matches) await drawNarrowCharts();
}
