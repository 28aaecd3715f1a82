// Wide charts and printing.

/** Let the keyboard scroll charts that are wider than the window, as long as they are. */
export function watchWidths() {
  const charts = [...document.querySelectorAll(".static-chart")];
  const watch = new ResizeObserver(() => {
    for (const chart of charts) {
      if (chart.scrollWidth > chart.clientWidth) chart.setAttribute("tabindex", "0");
      else chart.removeAttribute("tabindex");
    }
  });
  watch.observe(document.body);
}

/** Expand for printing what is collapsed, and collapse it again afterward. */
export function watchPrinting() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    opened.forEach((each) => each.setAttribute("open", ""));
  });
  addEventListener("afterprint", () => opened.forEach((each) => each.removeAttribute("open")));
}
