// Interactive charts: plotly.js is unpacked when the first chart comes into view, not before.

import { unpack } from "../data/unpack.js";
import { findAll, byId, h } from "../dom/elements.js";
import { PHONE, TOUCH, isWindow } from "../dom/windows.js";
import { goTo, state } from "../state/state.js";
import { hasRoom } from "./live_room.js";

/** The least room between two numbers of an axis, in pixels. */
const NUMBER_ROOM = 60;

export class Charts {
  /** @param {ReportData} data */
  constructor(data) {
    this.specifications = data.plotly;
    /** @type {Set<any>} */
    this.live = new Set();
    /** @type {Promise<void> | null} */
    this.loading = null;
    const figures = findAll("figure[data-chart]");
    if (!figures.length || !byId("trexreport-plotly")) return;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          observer.unobserve(entry.target);
          this.bringToLife(/** @type {HTMLElement} */ (entry.target));
        }
      },
      { rootMargin: "100px" },
    );
    figures.forEach((figure) => observer.observe(figure));
  }

  /**
   * Whether the interactive chart is easier to read than the drawing that the page came with, in the window as it is now.
   * @param {HTMLElement} figure
   * @param {any} layout
   * @returns {boolean}
   */
  suits(figure, layout) {
    // On a phone it has a drawing for this width, in which a finger meets nothing but links.
    if (isWindow(PHONE) && isWindow(TOUCH) && figure.matches(".is-wide") && byId("trexreport-narrow")) return false;
    return hasRoom(layout, figure.clientWidth);
  }

  /** @param {HTMLElement} figure */
  async bringToLife(figure) {
    const specification = this.specifications[figure.dataset.chart ?? ""];
    if (!specification || !this.suits(figure, specification.layout)) return;
    const { l: left, r: right } = specification.layout.margin ?? {};
    try {
      this.loading ??= unpack("trexreport-plotly").then((text) => {
        document.head.append(Object.assign(document.createElement("script"), { textContent: text }));
      });
      await this.loading;
      const height = specification.layout.height;
      const texts = findAll(".static-chart svg > title, .static-chart svg > desc", figure).map((each) => each.textContent);
      const target = /** @type {any} */ (h("div", { class: "live-chart", role: "img", "aria-label": texts.join(". ") }));
      target.style.height = `${height}px`;
      figure.append(target);
      const layout = { ...specification.layout, ...this.theme(specification.layout), height, autosize: true };
      const ticks = () => Math.max(2, Math.min(specification.layout.xaxis?.nticks ?? 0, Math.floor((figure.clientWidth - left - right) / NUMBER_ROOM)));
      if (layout.xaxis?.nticks) layout.xaxis = { ...layout.xaxis, nticks: ticks() };
      // Otherwise a finger that scrolls the page is caught in the chart.
      if (isWindow(TOUCH)) layout.dragmode = false;
      await window.Plotly.newPlot(target, this.quiet(specification.data), layout, { ...specification.config, responsive: true });
      // Not before: until then the drawing that the page came with is what there is to see.
      figure.classList.add("is-live");
      target.on("plotly_click", (/** @type {any} */ event) => this.follow(event.points[0]));
      this.live.add(target);
      this.mark(target);
      // plotly.js follows the window only; the column also narrows when the panel opens.
      const fit = async () => {
        const isLive = figure.classList.toggle("is-live", this.suits(figure, specification.layout));
        if (!isLive || !target.clientWidth) return;
        await window.Plotly.Plots.resize(target);
        if (layout.xaxis?.nticks && target.layout.xaxis.nticks !== ticks()) window.Plotly.relayout(target, { "xaxis.nticks": ticks() });
      };
      new ResizeObserver(fit).observe(figure);
    } catch {
      // The drawing that the page came with stays.
      figure.classList.remove("is-live");
      figure.querySelector(".live-chart")?.remove();
    }
  }

  /**
   * Plotly takes a list of colors for the root of a treemap, which has no text, for one color, and warns.
   * @param {any[]} traces
   * @returns {any[]}
   */
  quiet(traces) {
    return traces.map(({ textfont, ...trace }) => (trace.type === "treemap" ? { ...trace, insidetextfont: textfont } : { ...trace, textfont }));
  }

  /** @param {any} point */
  follow(point) {
    const data = Array.isArray(point?.customdata) ? point.customdata[0] : point?.customdata;
    if (typeof data === "string" && data.startsWith("#")) goTo(data);
  }

  /** Show in every chart which layer is selected: the others step back. */
  show() {
    for (const target of this.live) this.mark(target);
  }

  /** @param {any} target */
  mark(target) {
    const link = state.layer ? `#L${state.layer.index}` : null;
    const points = target.data.map((/** @type {any} */ trace) => {
      const found = link ? [...(trace.customdata ?? [])].flatMap((data, at) => (String(data) === link ? [at] : [])) : [];
      return found;
    });
    // Only where the layer is in the chart: a chart of types has nothing to show of one layer.
    const marked = points.some((/** @type {number[]} */ found) => found.length);
    const plain = target.data.flatMap((/** @type {any} */ trace, /** @type {number} */ at) => (["bar", "scatter"].includes(trace.type) ? [at] : []));
    if (!plain.length || (!marked && !target.marked)) return;
    target.marked = marked;
    window.Plotly.restyle(target, { selectedpoints: plain.map((/** @type {number} */ at) => (marked ? points[at] : null)) }, plain);
  }

  /**
   * Neutral colors of the page as it is now.
   * @param {any} layout
   * @returns {any}
   */
  theme(layout) {
    const style = getComputedStyle(document.documentElement);
    // Where the system gives the colors these are its words, which plotly.js does not know.
    const probe = document.body.appendChild(h("span", { hidden: true }));
    const of = (/** @type {string} */ name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const family = style.getPropertyValue("--font");
    const [text, raised, axis] = ["--text", "--raised", "--axis"].map(of);
    probe.remove();
    // Lines are half transparent and suit both themes. Colors given here would also turn on what has none.
    return {
      font: { ...layout.font, color: text, family },
      hoverlabel: { ...layout.hoverlabel, bgcolor: raised, bordercolor: axis, font: { color: text, family } },
    };
  }

  repaint() {
    for (const target of this.live) window.Plotly.relayout(target, this.theme(target.layout));
  }
}
