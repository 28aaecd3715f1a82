// What all pages do when they open.

import { watchNarrowCharts } from "../charts/narrow_charts.js";
import { readLines } from "../data/lines.js";
import { unpack } from "../data/unpack.js";
import { findAll, byId, h } from "../dom/elements.js";
import { addMessageBox } from "../dom/messages.js";
import { watchCards } from "./cards.js";
import { watchGlossary } from "./glossary.js";
import { watchPrinting, watchWidths } from "./layout.js";
import { watchSections } from "./sections.js";
import { goToPart, watchSharing } from "./share.js";
import { nextTheme, restoreTheme } from "./theme.js";

/**
 * Show what works only with this script. It is hidden by default, as style sheets may be blocked.
 * @param {boolean} works
 */
function showInteractiveParts(works) {
  document.documentElement.classList.toggle("js", works);
  findAll(".needs-script").forEach((each) => (each.hidden = !works));
}

/** In place of the interactive charts on a page that has none. */
export const NO_CHARTS = { show() {}, repaint() {} };

/**
 * Make a page interactive: what every page has, then the parts that `fill` makes of its data. It returns the charts, if there are any.
 * @param {(data: any, blocks: string | null, model: string | null) => Charts | void} fill
 */
export async function openPage(fill) {
  try {
    addMessageBox();
    restoreTheme();
    watchPrinting();
    watchWidths();
    watchCards();
    const [text, plan, model] = await Promise.all(["trexreport-data", "trexreport-plan", "trexreport-model"].map((id) => (byId(id) ? unpack(id) : null)));
    const data = readLines(text ?? "{}");
    await watchNarrowCharts();
    showInteractiveParts(true);
    const charts = fill(data, plan, model) ?? NO_CHARTS;
    watchSections();
    watchSharing();
    watchGlossary();
    byId("toggle-theme").addEventListener("click", () => nextTheme(charts));
    byId("open-help").addEventListener("click", () => byId("help").showModal());
    byId("close-help").addEventListener("click", () => byId("help").close());
    goToPart();
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    // All that the page came with can be read without a script; say what does not work.
    showInteractiveParts(false);
    byId("overview").prepend(h("p", { class: "notice" }, `This browser can’t run the interactive parts of the page (${/** @type {Error} */ (error).message}).`));
  }
}
