// The graph of a small engine, which is drawn in the page: colors, selection, matches and keys.

import { byId, closestTo, find, findAll } from "../dom/elements.js";
import { fitText } from "../dom/svg.js";
import { TabStop } from "../dom/tab_stop.js";
import { setState, state } from "../state/state.js";
import { arrangementOf, fittingArrangement, rearrange } from "./arrangement.js";
import { GraphControls, NO_CONTROLS } from "./controls.js";
import { boxesOf, completeNodes, namesIn, nodesIn, sizeOf } from "./drawn_nodes.js";
import { LayerStyle } from "./layer_style.js";
import { litBySelection, nearestLayer } from "./neighbors.js";
import { Minimap } from "./viewer/minimap.js";
import { slowest } from "./slowest.js";
import { ZoomPane } from "./zoom_pane.js";

/** @import { MapBox } from "./viewer/minimap.js" */

/** From this scale on a drawing of which all columns are seen can be read by scrolling down. */
const COLUMNS_READABLE = 0.9;
/** What a view leaves free beside a drawing, in pixels. */
const BESIDE = 8;
/** What a node's name leaves free of its width, in pixels. */
const NAME_MARGIN = 22;

/**
 * Return the graph of a page; one that does nothing where the page has no drawing.
 * @param {ReportData} data
 * @param {string | null} [columns] Where all is in columns, for wide windows, as JSON.
 * @returns {GraphView}
 */
export function inlineGraph(data, columns) {
  const drawing = /** @type {SVGSVGElement | null} */ (document.querySelector("#graph-view .graph-svg"));
  return drawing ? new InlineGraph(data, drawing, columns ? JSON.parse(columns) : []) : { filter() {}, show() {} };
}

/**
 * Return a second graph of a page, which has no tools of its own.
 * @param {ReportData} data
 * @param {string} text The drawing.
 * @param {SecondGraph} options
 * @returns {any}
 */
export function secondGraph(data, text, options) {
  const drawing = /** @type {any} */ (document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true));
  return new InlineGraph(data, drawing, [], options);
}

class InlineGraph {
  /**
   * @param {ReportData} data
   * @param {SVGSVGElement} drawing In one column.
   * @param {Arrangement[]} columns Where all of it is in several.
   * @param {Partial<SecondGraph>} [options]
   */
  constructor(data, drawing, columns, { prefix = "", lit } = {}) {
    this.data = data;
    this.given = lit;
    this.isTall = false;
    /** @type {{ box: Box, layers: number[] }[] | null} */
    this.placed = null;
    this.view = byId(`${prefix}graph-view`);
    this.svg = drawing;
    this.arrangements = [arrangementOf(drawing), ...columns];
    /** @type {Arrangement | null} */
    this.arrangement = null;
    this.steps = 1;
    this.clickedTensor = false;
    /** @type {Set<number> | null} */
    this.matches = null;
    this.stop = new TabStop();
    this.paint = new LayerStyle(data);
    this.nodes = nodesIn(drawing);
    this.names = namesIn(drawing);
    drawing.classList.add("is-zoomed");
    completeNodes(drawing, data.layers, this.paint);
    this.view.replaceChildren(drawing);
    this.pane = new ZoomPane(this.view, () => this.frame());
    this.map = new Minimap(/** @type {any} */ (byId(`${prefix}graph-map`)), this, () => this.mapBoxes());
    this.use(this.fitting());
    this.view.addEventListener("scroll", () => this.frame(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(this.view);
    this.view.addEventListener("click", (event) => this.clicked(event));
    // A listener to the focus on the drawing itself would make that a stop of the Tab key.
    this.view.addEventListener("keydown", (event) => this.keyed(event));
    this.view.addEventListener("focusin", (event) => this.stop.moveTo(closestTo(event, ".node")));
    this.controls = lit ? NO_CONTROLS : new GraphControls(data, this);
  }

  /**
   * Show all in one column, as beside another graph, or what suits the width.
   * @param {boolean} isTall
   */
  setTall(isTall) {
    this.isTall = isTall;
    this.resized();
  }

  /**
   * Where layers are.
   * @returns {{ box: Box, layers: number[] }[]}
   */
  places() {
    this.placed ??= boxesOf(this.svg, this.nodes).map(([layer, box]) => ({ box, layers: [layer] }));
    return this.placed;
  }

  /**
   * The arrangement that suits the view.
   * @returns {Arrangement}
   */
  fitting() {
    const { clientWidth, clientHeight } = this.view;
    if (this.isTall || this.pane.isOnPhone()) return this.arrangements[0];
    return fittingArrangement(this.arrangements, { w: clientWidth - BESIDE, h: clientHeight - BESIDE }, { whole: this.pane.leastWhole(), width: COLUMNS_READABLE });
  }

  /** @param {Arrangement} arrangement */
  use(arrangement) {
    // As it came it is in one column.
    if (this.arrangement || arrangement !== this.arrangements[0]) rearrange(this.svg, arrangement);
    this.arrangement = arrangement;
    this.placed = null;
    this.map.use({ width: arrangement.w, height: arrangement.h });
    this.pane.hold(this.svg, arrangement.w, arrangement.h);
    this.begin();
    this.stop.moveTo(this.nodes.values().next().value);
  }

  /** Begin with all of the drawing if it can be read, or with all of its width, else with the slowest layer. */
  begin() {
    const { w, h } = this.arrangement ?? this.arrangements[0];
    const { clientWidth, clientHeight } = this.view;
    if (Math.min((clientWidth - BESIDE) / w, (clientHeight - BESIDE) / h) >= this.pane.leastWhole()) this.pane.fitAll();
    else this.pane.fit(this.middle(), this.isTall ? undefined : () => slowest(this.places(), ({ layers }) => this.data.layers[layers[0]].avg_ms)?.box);
  }

  /**
   * The middle of the boxes, beside which texts may reach out on one side.
   * @returns {number}
   */
  middle() {
    const boxes = this.places().map(({ box }) => box);
    const [left, right] = boxes.reduce(([least, most], { x, w }) => [Math.min(least, x), Math.max(most, x + w)], [Infinity, 0]);
    return boxes.length ? (left + right) / 2 : 0;
  }

  resized() {
    const arrangement = this.fitting();
    if (arrangement !== this.arrangement && this.view.clientWidth) {
      this.use(arrangement);
      this.map.repaint();
      this.show();
    }
    this.frame();
  }

  /** Show on the minimap what is in view. */
  frame() {
    if (this.map) this.map.frame(this.pane.seen());
  }

  /** @returns {MapBox[]} */
  mapBoxes() {
    return boxesOf(this.svg, this.nodes).map(([index, box]) => ({ ...box, shade: this.paint.mark(this.data.layers[index]), found: Boolean(this.matches?.has(index)) }));
  }

  /**
   * A new drawing, for a file.
   * @returns {SVGSVGElement}
   */
  picture() {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true));
    copy.classList.remove("is-zoomed");
    copy.removeAttribute("style");
    return copy;
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

  /** Color the layers again after the meaning of colors has changed. */
  repaint() {
    this.svg.classList.toggle("by-findings", this.paint.by === "findings");
    for (const [index, node] of this.nodes) for (const each of findAll(".node-mark, .node-fill", node)) each.setAttribute("fill", this.paint.mark(this.data.layers[index]));
    this.map.repaint();
    this.frame();
  }

  relabel() {
    for (const [index, node] of this.nodes) {
      const name = find(node, ".node-name");
      const room = sizeOf(node).w - NAME_MARGIN;
      if (name) name.textContent = this.paint.label === "name" ? this.names.get(index) ?? "" : fitText(this.paint.text(this.data.layers[index]), room);
    }
  }

  /**
   * @param {string} text
   * @param {FilterTable} table
   */
  filter(text, table) {
    this.matches = text.trim() ? new Set(table.layers()) : null;
    this.filtered();
    this.controls.found(this.matches, table.problem);
  }

  /** Mark what the filter found. */
  filtered() {
    this.svg.classList.toggle("is-filtered", this.matches != null);
    for (const [index, node] of this.nodes) node.classList.toggle("is-match", Boolean(this.matches?.has(index)));
    this.map.repaint();
    this.frame();
  }

  show() {
    findAll(".is-selected, .is-lit", this.svg).forEach((each) => each.classList.remove("is-selected", "is-lit"));
    this.controls.stepped();
    const { selected, layers, tensors, goal } = this.given ? this.given() : litBySelection(this.data, this.steps);
    this.light(layers, tensors);
    const node = this.nodes.get(goal ?? NaN);
    if (selected != null) {
      const own = this.nodes.get(selected);
      own?.classList.add("is-selected");
      this.stop.moveTo(own);
      if (node) this.pane.reveal(node);
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
