// Wide charts and printing.

import { findAll } from "../dom/elements.js";

/** Let the keyboard scroll charts that are wider than the window, as long as they are. */
export function watchWidths() {
  const charts = findAll(".static-chart");
  const watch = new ResizeObserver(() => {
    // All are measured before any is changed: each change would cost another layout.
    const isWider = charts.map((chart) => chart.scrollWidth > chart.clientWidth);
    charts.forEach((chart, at) => {
      if (isWider[at]) chart.setAttribute("tabindex", "0");
      else chart.removeAttribute("tabindex");
    });
  });
  watch.observe(document.body);
}

/** Expand for printing what is collapsed, and collapse it again afterward. */
export function watchPrinting() {
  /** @type {HTMLElement[]} */
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = findAll("main details:not([open])");
    opened.forEach((each) => each.setAttribute("open", ""));
  });
  addEventListener("afterprint", () => opened.forEach((each) => each.removeAttribute("open")));
}
