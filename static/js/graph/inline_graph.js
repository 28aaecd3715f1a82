// The graph of a small engine, which is drawn in the page: colors, selection, matches and keys.

import { byId, closestTo, find, findAll } from "../dom/elements.js";
import { fitText } from "../dom/svg.js";
import { setState, state } from "../state/state.js";
import { GraphControls } from "./controls.js";
import { LayerStyle } from "./layer_style.js";
import { litBySelection, nearestLayer } from "./neighbors.js";
import { ZoomPane } from "./zoom_pane.js";

/**
 * Return the graph of a page; one that does nothing where the page has no drawing.
 * @param {ReportData} data
 * @returns {GraphView}
 */
export function inlineGraph(data) {
  const drawing = /** @type {SVGSVGElement | null} */ (document.querySelector("#graph-view .graph-svg"));
  return drawing ? new InlineGraph(data, drawing) : { filter() {}, show() {} };
}

class InlineGraph {
  /**
   * @param {ReportData} data
   * @param {SVGSVGElement} drawing
   */
  constructor(data, drawing) {
    this.data = data;
    this.view = byId("graph-view");
    this.svg = drawing;
    this.steps = 1;
    this.clickedTensor = false;
    /** @type {Element | null} */
    this.stop = null;
    this.paint = new LayerStyle(data);
    this.nodes = new Map(findAll(".node", this.svg).map((node) => [Number(node.dataset.layer), node]));
    this.names = new Map([...this.nodes].map(([index, node]) => [index, find(node, ".node-name")?.textContent ?? ""]));
    for (const [index, node] of this.nodes) this.paint.flag(node, data.layers[index], Number(find(node, ".node-box").getAttribute("width")));
    this.svg.classList.add("is-zoomed");
    this.pane = new ZoomPane(this.view);
    this.pane.hold(this.svg, this.svg.viewBox.baseVal.width, this.svg.viewBox.baseVal.height);
    this.pane.fit();
    this.view.addEventListener("click", (event) => this.clicked(event));
    // A listener to the focus on the drawing itself would make that a stop of the Tab key.
    this.view.addEventListener("keydown", (event) => this.keyed(event));
    this.view.addEventListener("focusin", (event) => this.rove(closestTo(event, ".node")));
    // One stop of the Tab key for the whole graph; the arrow keys go from layer to layer.
    for (const node of this.nodes.values()) node.setAttribute("tabindex", "-1");
    this.rove(this.nodes.values().next().value);
    this.controls = new GraphControls(data, this);
  }

  /**
   * Return whether a layer has a box.
   * @param {number} layer
   * @returns {boolean}
   */
  draws(layer) {
    return this.nodes.has(layer);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (this.pane.dragged) {
      event.preventDefault();
      return;
    }
    const tensor = closestTo(event, ".edge, .port");
    if (!tensor) return;
    // What was clicked is in view.
    this.clickedTensor = true;
    setState({ layer: null, tensor: Number(tensor.dataset.tensor) });
    this.clickedTensor = false;
    const goal = this.nodes.get(Number(tensor.dataset.jump ?? NaN));
    if (goal) this.pane.reveal(goal);
  }

  /**
   * Down to the first layer that reads, up to the first that writes, sideways in the order of execution.
   * @param {KeyboardEvent} event
   */
  keyed(event) {
    const index = Number(closestTo(event, ".node")?.dataset.layer ?? NaN);
    if (Number.isNaN(index) || event.altKey || event.ctrlKey || event.metaKey) return;
    const drawn = [...this.nodes.keys()].sort((left, right) => left - right);
    const beside = (/** @type {number} */ by) => drawn[drawn.indexOf(index) + by];
    const go = {
      ArrowDown: () => nearestLayer(this.data, index, "outputs", "to", (layer) => this.nodes.has(layer)),
      ArrowUp: () => nearestLayer(this.data, index, "inputs", "from", (layer) => this.nodes.has(layer)),
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
    }[event.key];
    if (!go) return;
    event.preventDefault();
    const node = this.nodes.get(go() ?? NaN);
    if (!node) return;
    node.focus({ preventScroll: true });
    this.pane.reveal(node);
  }

  /** @param {Element | null | undefined} node */
  rove(node) {
    if (!node) return;
    this.stop?.setAttribute("tabindex", "-1");
    this.stop = node;
    node.setAttribute("tabindex", "0");
  }

  /** Color the layers again after the meaning of colors has changed. */
  repaint() {
    this.svg.classList.toggle("by-findings", this.paint.by === "findings");
    for (const [index, node] of this.nodes) find(node, ".node-mark").setAttribute("fill", this.paint.mark(this.data.layers[index]));
  }

  relabel() {
    for (const [index, node] of this.nodes) {
      const name = find(node, ".node-name");
      const room = Number(find(node, ".node-box").getAttribute("width")) - 22;
      if (name) name.textContent = this.paint.label === "name" ? this.names.get(index) ?? "" : fitText(this.paint.text(this.data.layers[index]), room);
    }
  }

  /**
   * @param {string} text
   * @param {FilterTable} table
   */
  filter(text, table) {
    const filtered = Boolean(text.trim());
    this.svg.classList.toggle("is-filtered", filtered);
    const matches = new Set(filtered ? table.layers() : []);
    for (const [index, node] of this.nodes) node.classList.toggle("is-match", matches.has(index));
    this.controls.found(filtered ? matches : null, table.problem);
  }

  show() {
    findAll(".is-selected, .is-lit", this.svg).forEach((each) => each.classList.remove("is-selected", "is-lit"));
    this.controls.stepped();
    const { selected, layers, tensors, goal } = litBySelection(this.data, this.steps);
    this.light(layers, tensors);
    const node = this.nodes.get(goal ?? NaN);
    if (selected != null) {
      if (!node) return;
      node.classList.add("is-selected");
      this.rove(node);
      this.pane.reveal(node);
    } else if (state.tensor == null) {
      if (node) this.pane.reveal(node);
    } else {
      const place = this.svg.querySelector(".port.is-lit, .node.is-lit");
      if (place && !this.clickedTensor) this.pane.reveal(place);
    }
  }

  /**
   * @param {Set<number>} layers
   * @param {Set<number>} tensors
   */
  light(layers, tensors) {
    for (const layer of layers) this.nodes.get(layer)?.classList.add("is-lit");
    for (const each of findAll("[data-tensor]", this.svg)) if (tensors.has(Number(each.dataset.tensor))) each.classList.add("is-lit");
  }
}
