// The controls above the graph: zoom, color, label, neighbors and matches.

import { byId, targetOf } from "../dom/elements.js";
import { formatCount } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { select, state } from "../state/state.js";
import { goToGraph, watchTools } from "./workspace.js";
/** In place of the tools of a graph that follows another one. */
export const NO_CONTROLS = /** @type {any} */ ({ stepped() {}, found() {}, colorBy() {} });

export class GraphControls {
  /**
   * @param {ReportData} data
   * @param {any} graph
   * @param {Partial<Picker> & { prefix?: string }} [options] Of a second graph in the page: what the ids of its elements begin with, and how it selects what was found.
   */
  constructor(data, graph, { prefix = "", picked = () => state.layer?.index, pick = (layer) => select(data.layers[layer], "find") } = {}) {
    this.data = data;
    this.graph = graph;
    this.prefix = prefix;
    this.picked = picked;
    this.pick = pick;
    /** @type {number[] | null} */
    this.matches = null;
    this.problem = "";
    const press = (/** @type {string} */ id, /** @type {() => void} */ action) => this.element(id)?.addEventListener("click", action);
    const choose = (/** @type {string} */ id, /** @type {(value: string) => void} */ action) => this.element(id)?.addEventListener("change", (event) => action(targetOf(event).value));
    press("graph-fit", () => graph.pane.fitAll());
    press("graph-in", () => graph.pane.zoom(1.25));
    press("graph-out", () => graph.pane.zoom(0.8));
    choose("graph-color", (by) => this.colorBy(by));
    choose("graph-label", (label) => {
      graph.paint.label = label;
      graph.relabel();
    });
    choose("graph-steps", (steps) => {
      graph.steps = Number(steps);
      graph.show();
    });
    press("find-previous", () => this.step(-1));
    press("find-next", () => this.step(1));
    watchTools(graph, prefix);
    graph.view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.zoomed(event));
    this.input = this.element("graph-find");
    this.input.addEventListener("keydown", (event) => this.keyed(event));
    this.legend();
  }

  /** @param {string} id */
  element(id) {
    return byId(this.prefix + id);
  }

  /** @param {string} by */
  colorBy(by) {
    this.element("graph-color").value = by;
    this.graph.paint.by = by;
    this.graph.repaint();
    this.legend();
  }

  legend() {
    this.element("graph-legend").replaceChildren(...this.graph.paint.legendItems((/** @type {number} */ layer) => this.graph.draws(layer)));
  }

  /**
   * Take over what the filter found, null if nothing is looked for, and what is wrong with the filter.
   * @param {Iterable<number> | null} matches
   * @param {string} problem
   */
  found(matches, problem) {
    this.problem = problem;
    this.matches = problem ? null : matches && [...matches].sort((left, right) => left - right);
    if (problem) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    this.stepped();
  }

  stepped() {
    const count = this.matches?.length;
    const at = this.matches ? this.matches.indexOf(this.picked() ?? -1) : -1;
    const counted = count == null ? "" : at >= 0 ? `${formatCount(at + 1)} of ${formatCount(count)}` : count ? `${formatCount(count)} found` : "none found";
    this.element("find-count").textContent = this.problem ? shorten(visible(this.problem), 80) : counted;
    for (const id of ["find-previous", "find-next"]) this.element(id).disabled = !count;
  }

  /**
   * Select the next or the previous layer of those that were found.
   * @param {number} by
   */
  step(by) {
    if (!this.matches?.length) return;
    const here = this.picked() ?? -1;
    const next = by > 0 ? this.matches.find((layer) => layer > here) ?? this.matches[0] : this.matches.findLast((layer) => layer < here) ?? this.matches.at(-1);
    if (next == null) return;
    goToGraph();
    this.pick(next);
  }

  /** @param {KeyboardEvent} event */
  zoomed(event) {
    const zoom = { "+": () => this.graph.pane.zoom(1.25), "=": () => this.graph.pane.zoom(1.25), "-": () => this.graph.pane.zoom(0.8), 0: () => this.graph.pane.fitAll() }[event.key];
    if (!zoom || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoom();
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.step(event.shiftKey ? -1 : 1);
  }
}
