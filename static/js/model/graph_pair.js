// The graph of the engine and that of its ONNX model: which of them is shown, and what both follow.

import { byId } from "../dom/elements.js";
import { setState, state } from "../state/state.js";
import { ModelViewer } from "./model_viewer.js";

const VIEWS = ["engine", "onnx", "both"];

export class GraphPair {
  /**
   * @param {ReportData} report
   * @param {GraphView} engine
   */
  constructor(report, engine) {
    this.report = report;
    this.engine = engine;
    this.controls = engine.controls;
    /**
     * Made when it is shown first.
     * @type {ModelViewer | null}
     */
    this.model = null;
    /** @type {[text: string, table: FilterTable] | null} */
    this.filtered = null;
    /** The view that was arranged last. */
    this.arranged = "engine";
    this.isWide = matchMedia("(min-width: 1000px)");
    this.isWide.addEventListener("change", () => this.arrange(state));
    for (const view of VIEWS) byId(`view-${view}`).addEventListener("click", () => setState({ view: view === "engine" ? "" : view }));
    this.arrange(state);
  }

  /**
   * What is shown: in a narrow window one of both.
   * @returns {string}
   */
  get view() {
    const wanted = VIEWS.includes(state.view) ? state.view : "engine";
    return wanted === "both" && !this.isWide.matches ? "onnx" : wanted;
  }

  /** @param {State} now */
  arrange(now) {
    const { view } = this;
    const isOther = view !== this.arranged;
    this.arranged = view;
    for (const each of VIEWS) byId(`view-${each}`).setAttribute("aria-pressed", String(each === view));
    byId("view-both").hidden = !this.isWide.matches;
    byId("graphs").classList.toggle("is-both", view === "both");
    byId("engine-graph").hidden = view === "onnx";
    byId("model-graph").hidden = view === "engine";
    if (view === "engine") {
      if (isOther) this.engine.show();
      return;
    }
    const isNew = !this.model;
    this.model ??= new ModelViewer(this.report);
    this.model.restore(now.model);
    if (isNew && this.filtered) this.model.filter(...this.filtered);
    // Showing the selection opens what is around it, which a reader may just have closed.
    if (isOther) this.show();
  }

  /**
   * @param {string} text
   * @param {FilterTable} table
   */
  filter(text, table) {
    this.filtered = [text, table];
    this.engine.filter(text, table);
    this.model?.filter(text, table);
  }

  show() {
    this.engine.show();
    this.model?.show();
  }

  /** @param {string} text */
  restore(text) {
    this.engine.restore?.(text);
  }
}
