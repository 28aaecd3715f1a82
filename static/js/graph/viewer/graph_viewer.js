// The graph of a large engine: toolbar, open blocks, selection, matches, keys and minimap.

import { byId, closestTo, targetOf } from "../../dom/elements.js";
import { setState, state } from "../../state/state.js";
import { GraphControls, NO_CONTROLS } from "../controls.js";
import { LayerStyle } from "../layer_style.js";
import { litBySelection } from "../neighbors.js";
import { ZoomPane } from "../zoom_pane.js";
import { BlockLayout, READABLE } from "./block_layout.js";
import { mapBoxesOf, placesOf } from "./boxes.js";
import { BlockTree } from "./block_tree.js";
import { Minimap } from "./minimap.js";
import { ViewRenderer } from "./view_renderer.js";
import { ViewerKeys } from "./viewer_keys.js";

/** @import { MapBox } from "./minimap.js" */

export class GraphViewer {
  /**
   * @param {ReportData} data
   * @param {PackedBlocks} plan
   * @param {ViewerOptions} [options] Of a second graph in the page: what the ids of its elements begin with, the part of the state that holds its open blocks, and how its layers look.
   */
  constructor(data, plan, { prefix = "", key = "graph", paint = new LayerStyle(data), picker, lit } = {}) {
    this.given = lit;
    this.isTall = false;
    this.data = data;
    this.prefix = prefix;
    this.key = key;
    this.tree = new BlockTree(plan, data);
    this.tree.openFirst();
    this.first = this.tree.openText();
    this.least = 0;
    this.steps = 1;
    this.paint = paint;
    this.drawing = new ViewRenderer(this.tree, data, this.paint);
    this.view = byId(`${prefix}graph-view`);
    this.view.replaceChildren(this.drawing.svg);
    this.view.classList.add("is-plan");
    this.pane = new ZoomPane(this.view, () => this.requestDraw());
    this.map = new Minimap(/** @type {any} */ (byId(`${prefix}graph-map`)), this, () => this.mapBoxes());
    this.keys = new ViewerKeys(this);
    this.layout = new BlockLayout(this.tree);
    this.room = { w: 0, h: 0 };
    this.seen = { x: 0, y: 0, w: 0, h: 0 };
    this.pending = false;
    this.onPaper = false;
    this.clickedTensor = false;
    /** @type {number | null} */
    this.lighting = null;
    this.stack();
    this.begin();
    this.watch();
    this.controls = lit ? NO_CONTROLS : new GraphControls(data, this, { prefix, ...picker });
    this.draw();
  }

  /**
   * Whether a layer has a node.
   * @param {number} layer
   * @returns {boolean}
   */
  draws(layer) {
    return this.tree.partOf[layer] >= 0;
  }

  watch() {
    const press = (/** @type {string} */ id, /** @type {() => void} */ action) => byId(this.prefix + id)?.addEventListener("click", action);
    press("plan-open-all", () => this.openTo(this.tree.deepest + 1));
    press("plan-close-all", () => this.openTo(1));
    press("plan-deeper", () => this.openTo(this.depth() + 1));
    byId(`${this.prefix}plan-least`)?.addEventListener("change", (event) => this.showFrom(Number(targetOf(event).value)));
    this.view.addEventListener("scroll", () => this.requestDraw(), { passive: true });
    this.view.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => {
      this.fitWindow();
      this.requestDraw();
    }).observe(this.view);
    new MutationObserver(() => this.recolor()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    addEventListener("beforeprint", () => this.drawAll());
    addEventListener("afterprint", () => this.drawAgain());
  }

  /** Lay out the open blocks again. */
  stack() {
    this.room = this.windowRoom();
    this.layout = new BlockLayout(this.tree, this.least, this.room);
    this.drawing.use(this.layout);
    this.pane.smallest = Math.min(0.03, 0.5 / Math.max(1, this.layout.items.length / 400));
    this.pane.hold(this.drawing.svg, this.layout.width, this.layout.height);
    this.map.use(this.layout);
  }

  /**
   * Draw other data of the same blocks; what is open and marked stays.
   * @param {ReportData} data
   * @param {PackedBlocks} plan
   */
  use(data, plan) {
    const [{ open }, { marks }] = [this.tree, this.drawing];
    this.data = this.paint.data = this.controls.data = data;
    this.tree = new BlockTree(plan, data);
    this.tree.open = open;
    this.drawing = new ViewRenderer(this.tree, data, this.paint);
    Object.assign(this.drawing.marks, marks);
    this.view.replaceChildren(this.drawing.svg);
    this.stack();
    this.draw();
  }

  /**
   * The room that a drawing has in the window, whether or not this graph is shown now.
   * @returns {{ w: number, h: number }}
   */
  windowRoom() {
    if (this.isTall) return { w: 0, h: 0 };
    return { w: this.view.clientWidth || innerWidth, h: Math.max(300, innerHeight - 100) };
  }

  /** Lay out again in a window of another shape, and keep what is in the middle of it. */
  fitWindow() {
    const { w, h } = this.windowRoom();
    // Small changes, as of the panel beside it, move nothing.
    if (!this.view.clientWidth || (Math.abs(w - this.room.w) < 0.35 * this.room.w && Math.abs(h - this.room.h) < 0.35 * this.room.h)) return;
    const seen = this.pane.seen();
    const middle = this.layout.items.findIndex((item) => item.y + item.h > seen.y && item.x + item.w > seen.x);
    this.stack();
    this.revealItem(this.layout.items[middle]);
  }

  /**
   * Show all in one column, as beside another graph, or what suits the window.
   * @param {boolean} isTall
   */
  setTall(isTall) {
    this.isTall = isTall;
    this.stack();
    this.begin();
  }

  /**
   * Where layers are, those of a closed block together.
   * @returns {{ box: Box, layers: number[] }[]}
   */
  places() {
    return placesOf(this);
  }

  requestDraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    if (this.onPaper) return;
    this.seen = this.pane.seen();
    this.drawSeen();
  }

  /** Draw all of the graph, for printing. */
  drawAll() {
    this.pane.settle();
    this.drawing.draw({ x: 0, y: 0, w: this.layout.width, h: this.layout.height }, 1);
    // The size of the paper is not that of the window: what follows it waits.
    this.onPaper = true;
  }

  drawAgain() {
    this.onPaper = false;
    this.draw();
  }

  /** Paint the minimap again in the colors of another theme; the drawing follows the theme by itself. */
  recolor() {
    this.map.repaint();
    this.requestDraw();
  }

  drawSeen() {
    this.drawing.draw(this.seen, this.pane.scale);
    this.keys.ensureStop();
    this.map.frame(this.seen);
  }

  /** Draw everything in view again, because its colors or marks changed. Asking where the view is would cost a layout. */
  redraw() {
    const restoreFocus = this.keys.focusHolder();
    this.drawing.forget();
    this.drawSeen();
    restoreFocus();
  }

  // Open blocks.

  /** @returns {number} */
  depth() {
    return Math.max(...[...this.tree.open].map((id) => this.tree.blocks[id].depth)) + 1;
  }

  /** @param {number} depth */
  openTo(depth) {
    this.change(() => this.tree.openTo(depth));
    this.begin();
  }

  /** Begin reading at the first item. */
  begin() {
    this.pane.fit(this.layout.items[0]?.axis);
    this.draw();
  }

  /** @param {number} least */
  showFrom(least) {
    this.change(() => (this.least = least));
  }

  /** @param {number} id */
  toggle(id) {
    this.change(() => {
      if (!this.tree.open.delete(id)) this.tree.open.add(id);
    }, id);
  }

  /**
   * Change the layout, and keep a block where it was in the view, or else the top of the view.
   * @param {() => void} action
   * @param {number} [block]
   */
  change(action, block) {
    const before = block == null ? null : this.placeOf(block);
    const restoreFocus = this.keys.focusHolder();
    action();
    this.stack();
    const after = block == null ? null : this.placeOf(block);
    if (before && after) {
      this.view.scrollLeft += (after.x - before.x) * this.pane.scale;
      this.view.scrollTop += (after.y - before.y) * this.pane.scale;
    }
    this.draw();
    restoreFocus();
    this.remember();
  }

  /**
   * Where a block is, open or closed.
   * @param {number} id
   * @returns {Box | undefined}
   */
  placeOf(id) {
    const frame = this.layout.frameBoxes.find((each) => each.block.id === id && each.first);
    if (frame) return { x: frame.x + frame.w / 2, y: frame.y, w: 0, h: 0 };
    const item = this.layout.items.find((each) => each.kind === "block" && each.block.id === id);
    return item && { x: item.x + item.w / 2, y: item.y, w: 0, h: 0 };
  }

  remember() {
    const open = this.tree.openText();
    const plain = open === this.first && !this.least;
    if (this.given) return;
    setState({ [this.key]: plain ? "" : [open, this.least].filter(Boolean).join("_") }, this.key);
  }

  /**
   * Show what the address says is open.
   * @param {string} text
   */
  restore(text) {
    const [open, wanted] = (text || this.first).split("_");
    const choice = byId(`${this.prefix}plan-least`);
    // Only what can be chosen: anything else could not be undone by choosing.
    const least = [...(choice?.options ?? [])].some((option) => option.value === wanted) ? Number(wanted) : 0;
    if (open === this.tree.openText() && least === this.least) return;
    if (!this.tree.openFrom(open)) return;
    this.least = least;
    if (choice) choice.value = String(least);
    this.stack();
    this.draw();
  }

  // Selection and matches.

  /**
   * @param {string} text
   * @param {FilterTable} table
   */
  filter(text, table) {
    const filtered = Boolean(text.trim());
    this.drawing.marks.matches = filtered ? new Set(table.layers()) : null;
    this.drawing.svg.classList.toggle("is-filtered", filtered);
    this.controls.found(this.drawing.marks.matches, table.problem);
    // The count shows at once; the next picture highlights what was found.
    this.lighting ??= requestAnimationFrame(() => {
      this.lighting = null;
      this.map.repaint();
      this.redraw();
    });
  }

  show() {
    const { goal, ...marks } = this.lit();
    Object.assign(this.drawing.marks, marks);
    this.controls.stepped();
    this.redraw();
    if (goal != null && !this.clickedTensor) this.revealLayer(goal, state.tensor == null);
  }

  /**
   * What is marked because of the selection.
   * @returns {Lit}
   */
  lit() {
    return this.given ? this.given() : litBySelection(this.data, this.steps);
  }

  /**
   * Bring a layer into view; if it is meant itself, open what is around it and come as near as to read it.
   * @param {number} layer
   * @param {boolean} open
   */
  revealLayer(layer, open) {
    if (open && this.tree.closedAround(layer)) {
      this.tree.openAround(layer);
      this.stack();
    }
    if (open && this.pane.scale < READABLE) this.pane.scaleTo(READABLE);
    this.revealItem(this.boxOf(layer));
  }

  /**
   * Scroll to an item of the layout.
   * @param {Box | null | undefined} box
   */
  revealItem(box) {
    if (!box) return;
    this.pane.settle();
    const view = this.view.getBoundingClientRect();
    const seen = this.pane.seen();
    const { scale } = this.pane;
    this.pane.revealBox(new DOMRect(view.left + (box.x - seen.x) * scale, view.top + (box.y - seen.y) * scale, box.w * scale, box.h * scale));
    this.draw();
  }

  /**
   * Where a layer or the closed block around it is; of a layer without a node, where its block is.
   * @param {number} layer
   * @returns {Box | undefined}
   */
  boxOf(layer) {
    const part = this.tree.partOf[layer];
    const item = this.layout.items.find((each) => (each.part ? each.part.index === part : each.blocks.some((block) => this.tree.anyIn(block, new Set([layer])))));
    if (!item) return this.placeOf(this.tree.leafOf[layer]);
    if (!item.part) return item;
    const at = item.part.layers.indexOf(layer);
    const [w, h] = this.tree.plan.sizes.layer;
    return { x: item.x + item.part.shape.at[2 * at], y: item.y + item.part.shape.at[2 * at + 1], w, h };
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (this.pane.dragged) {
      event.preventDefault();
      return;
    }
    const block = closestTo(event, ".block-toggle");
    if (block) {
      this.toggle(Number(block.dataset.block));
      return;
    }
    if (!this.drawing.near && targetOf(event).closest(".far-boxes")) {
      const box = this.view.getBoundingClientRect();
      this.pane.zoom(READABLE / this.pane.scale, event.clientX - box.left, event.clientY - box.top);
      return;
    }
    const jump = closestTo(event, "[data-jump]");
    if (jump) {
      const [kind, goal, through] = (jump.dataset.jump ?? "").split(" ");
      this.jump(kind, goal, through);
      return;
    }
    const tensor = closestTo(event, ".edge, .port");
    if (tensor) this.showTensor(Number(tensor.dataset.tensor));
  }

  /**
   * Light a tensor and its ends without moving: what was clicked is in view.
   * @param {number} tensor
   */
  showTensor(tensor) {
    this.clickedTensor = true;
    setState({ layer: null, tensor });
    this.clickedTensor = false;
  }

  /**
   * Go where a tensor, or a wait for another stream, goes on: to an item or to a layer.
   * @param {string} kind
   * @param {string} goal
   * @param {string} [tensor]
   */
  jump(kind, goal, tensor) {
    if (tensor) this.showTensor(Number(tensor));
    if (kind === "item") this.revealItem(this.layout.items[Number(goal)]);
    else this.revealLayer(Number(goal), true);
  }

  repaint() {
    this.drawing.svg.classList.toggle("by-findings", this.paint.by === "findings");
    this.map.repaint();
    this.redraw();
  }

  /**
   * What the minimap shows: closed blocks in their foremost color, layers in theirs.
   * @returns {MapBox[]}
   */
  mapBoxes() {
    return mapBoxesOf(this);
  }

  /**
   * A new drawing of all that is expanded, for a file: in outlines where that is very large.
   * @returns {SVGSVGElement}
   */
  picture() {
    const drawing = new ViewRenderer(this.tree, this.data, this.paint);
    drawing.marks.matches = this.drawing.marks.matches;
    drawing.svg.classList.toggle("is-filtered", this.drawing.marks.matches != null);
    drawing.use(this.layout);
    drawing.draw({ x: 0, y: 0, w: this.layout.width, h: this.layout.height }, 1);
    return drawing.svg;
  }

  relabel() {
    this.redraw();
  }
}
