// The graph of a large engine: toolbar, open blocks, selection, matches, keys and minimap.

import { byId } from "../../dom/elements.js";
import { oncePerFrame } from "../../dom/frames.js";
import { setState, state } from "../../state/state.js";
import { GraphControls, NO_CONTROLS } from "../controls.js";
import { LayerStyle } from "../layer_style.js";
import { litBySelection } from "../neighbors.js";
import { slowest } from "../slowest.js";
import { ZoomPane } from "../zoom_pane.js";
import { BlockLayout } from "./block_layout.js";
import { BlockTree } from "./block_tree.js";
import { boxOfLayer, mapBoxesOf, placesOf } from "./boxes.js";
import { READABLE } from "./layout_sizes.js";
import { Minimap } from "./minimap.js";
import { OpenBlocks } from "./open_blocks.js";
import { ViewRenderer } from "./view_renderer.js";
import { followClick } from "./viewer_clicks.js";
import { ViewerKeys } from "./viewer_keys.js";
import { watchPaper, wholePicture } from "./whole_drawing.js";

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
    this.tree = new BlockTree(plan, data);
    this.open = new OpenBlocks(this, lit ? null : key);
    this.requestDraw = oncePerFrame(() => this.draw());
    // The count of a filter shows at once; the next picture highlights what was found.
    this.highlight = oncePerFrame(() => {
      this.map.repaint();
      this.redraw();
    });
    this.steps = 1;
    this.paint = paint;
    this.drawing = new ViewRenderer(this.tree, data, this.paint);
    this.view = byId(`${prefix}graph-view`);
    this.view.replaceChildren(this.drawing.svg);
    this.view.classList.add("is-plan");
    this.pane = new ZoomPane(this.view, () => this.requestDraw());
    this.map = new Minimap(/** @type {any} */ (byId(`${prefix}graph-map`)), this, () => mapBoxesOf(this));
    this.keys = new ViewerKeys(this);
    /** The window that the layout is for. */
    this.room = this.windowRoom();
    this.layout = new BlockLayout(this.tree, 0, this.room);
    this.seen = { x: 0, y: 0, w: 0, h: 0 };
    this.onPaper = false;
    this.clickedTensor = false;
    this.useLayout();
    this.begin();
    this.watch();
    this.controls = lit ? NO_CONTROLS : new GraphControls(data, this, { prefix, ...picker });
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
    this.open.watch();
    this.view.addEventListener("scroll", () => this.requestDraw(), { passive: true });
    this.view.addEventListener("click", (event) => followClick(this, event));
    new ResizeObserver(() => {
      this.fitWindow();
      this.requestDraw();
    }).observe(this.view);
    new MutationObserver(() => this.recolor()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
    watchPaper(this);
  }

  /** Lay out the open blocks again. */
  stack() {
    this.room = this.windowRoom();
    this.layout = new BlockLayout(this.tree, this.open.least, this.room);
    this.useLayout();
  }

  useLayout() {
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

  draw() {
    if (this.onPaper) return;
    this.seen = this.pane.seen();
    this.drawSeen();
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

  /** Begin reading at the first item; at the slowest one of a drawing too wide to be read as a whole. */
  begin() {
    const share = (/** @type {LayoutItem} */ item) => item.blocks.reduce((sum, block) => sum + (block.share ?? 0), 0);
    this.pane.fit(this.layout.items[0]?.axis, this.isTall ? undefined : () => slowest(this.layout.items, share));
    this.draw();
  }

  /** @param {number} block */
  toggle(block) {
    this.open.toggle(block);
  }

  /**
   * Show what the address says is open.
   * @param {string} text
   */
  restore(text) {
    this.open.restore(text);
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
    this.highlight();
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
    return boxOfLayer(this.tree, this.layout, layer);
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

  repaint() {
    this.drawing.svg.classList.toggle("by-findings", this.paint.by === "findings");
    this.map.repaint();
    this.redraw();
  }

  /**
   * A new drawing of all that is expanded, for a file: in outlines where that is very large.
   * @returns {SVGSVGElement}
   */
  picture() {
    return wholePicture(this);
  }

  relabel() {
    this.redraw();
  }
}
