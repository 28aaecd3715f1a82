// Draws the visible part of a large engine's graph; when zoomed out, only its outlines.

import { focusedElement } from "../../dom/elements.js";
import { svg } from "../../dom/svg.js";
import { relative, straight } from "../paths.js";
import { CLOSE } from "../zoom_pane.js";
import { closedBlock, fewBlocks, openFrame, openHead } from "./block_elements.js";
import { touches, within } from "./geometry.js";
import { GraphPen } from "./graph_pen.js";
import { itemLine } from "./line_elements.js";
import { addToList } from "./lists.js";
import { partElement } from "./part_elements.js";

/** @import { BlockTree } from "./block_tree.js" */
/** @import { LayerStyle } from "../layer_style.js" */
/** @import { BlockLayout } from "./block_layout.js" */

const NEAR = 0.4;
const MAX_DETAILED_BOXES = 600;

// Below this scale lines are finer than a pixel, and only boxes are drawn.
const BOXES_ONLY = 0.14;

export class ViewRenderer {
  /**
   * @param {BlockTree} tree
   * @param {ReportData} data
   * @param {LayerStyle} paint
   */
  constructor(tree, data, paint) {
    this.tree = tree;
    this.data = data;
    this.paint = paint;
    this.sizes = tree.plan.sizes;
    this.layers = { frames: svg("g", {}), lines: svg("g", { fill: "none", "stroke-width": "1.5" }), heads: svg("g", {}), items: svg("g", {}) };
    this.svg = svg("svg", { class: "graph-svg plan-svg", "font-family": "system-ui, sans-serif", "font-size": "12", role: "group", "aria-label": "Blocks and layers" });
    this.svg.append(...Object.values(this.layers));
    /** @type {Map<string, Element>} */
    this.shown = new Map();
    this.pen = new GraphPen(tree, data, paint);
    this.marks = this.pen.marks;
    this.near = false;
    this.bare = false;
    /** @type {LayoutItem[]} */
    this.items = [];
    /** @type {LayoutLine[]} */
    this.lines = [];
    /** @type {FrameBox[]} */
    this.frameBoxes = [];
    /**
     * What is drawn: the view and some space around it.
     * @type {Box | null}
     */
    this.region = null;
  }

  /**
   * Use another layout and draw everything again.
   * @param {BlockLayout} layout
   */
  use(layout) {
    this.items = this.pen.items = layout.items;
    this.lines = layout.lines;
    this.frameBoxes = layout.frameBoxes;
    this.svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    this.forget();
  }

  forget() {
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.region = null;
  }

  /**
   * Draw what is within the region around the view, if the view has left what was drawn before.
   * @param {Box} view
   * @param {number} scale
   */
  draw(view, scale) {
    const near = scale >= NEAR && this.boxesIn(view) <= MAX_DETAILED_BOXES;
    const [bare, close] = [scale < BOXES_ONLY, near && scale >= CLOSE];
    if (near !== this.near || bare !== this.bare || close !== this.pen.close) this.forget();
    this.bare = bare;
    this.near = this.pen.near = near;
    this.pen.close = close;
    if (this.region && within(view, this.region)) return;
    const margin = near ? 0.5 : 1;
    this.region = { x: view.x - margin * view.w, y: view.y - margin * view.h, w: (1 + 2 * margin) * view.w, h: (1 + 2 * margin) * view.h };
    if (near) this.drawNear(this.region);
    else this.drawFar(this.region);
  }

  /** @param {Box} region */
  drawNear(region) {
    const wanted = new Set();
    /** @type {(key: string, box: Box, group: SVGGElement, make: () => Element) => void} */
    const show = (key, box, group, make) => {
      if (!touches(box, region)) return;
      wanted.add(key);
      if (this.shown.has(key)) return;
      const element = make();
      this.shown.set(key, element);
      group.append(element);
    };
    this.frameBoxes.forEach((frame, index) => show(`f${index}`, frame, this.layers.frames, () => openFrame(this.pen, frame)));
    this.frameBoxes.forEach((frame, index) => frame.first && show(`h${index}`, frame, this.layers.heads, () => openHead(this.pen, frame)));
    this.lines.forEach((line, index) => show(`l${index}`, line, this.layers.lines, () => itemLine(this.pen, line)));
    this.items.forEach((item, index) => show(`i${index}`, item, this.layers.items, () => this.element(item)));
    for (const [key, element] of this.shown) {
      if (wanted.has(key) || element.contains(focusedElement())) continue;
      element.remove();
      this.shown.delete(key);
    }
  }

  /**
   * @param {LayoutItem} item
   * @returns {Element}
   */
  element(item) {
    if (item.part) return partElement(this.pen, /** @type {PartItem} */ (item));
    return item.kind === "few" ? fewBlocks(this.pen, item, item.index) : closedBlock(this.pen, item, item.index);
  }

  /**
   * Draw outlines: one path for all boxes of one color, one for all lines of one color.
   * @param {Box} region
   */
  drawFar(region) {
    /** @type {[frames: string[], boxes: Map<Color, string[]>, lines: Map<Color, string[]>, marked: string[]]} */
    const [frames, boxes, lines, marked] = [[], new Map(), new Map(), []];
    const rect = (/** @type {Box} */ { x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;
    const near = (/** @type {Box} */ each) => touches(each, region);
    for (const frame of this.frameBoxes.filter(near)) frames.push(rect(frame));
    for (const { tensors, points } of this.bare ? [] : this.lines.filter(near)) addToList(lines, this.data.precisionColors[this.data.tensors[tensors[0]].type ?? ""], straight(points));
    const closed = this.items.filter((item) => near(item) && !item.part);
    const few = closed.length <= MAX_DETAILED_BOXES / 2;
    for (const item of few ? [] : closed) addToList(boxes, "var(--raised)", rect(item));
    for (const item of this.items) if (item.part && near(item)) this.outline(/** @type {PartItem} */ (item), boxes, lines, marked);
    this.forget();
    /** @type {(key: string, element: Element, group: SVGGElement) => void} */
    const keep = (key, element, group) => {
      this.shown.set(key, element);
      group.append(element);
    };
    keep("frames", svg("path", { class: "frame-box", d: frames.join("") }), this.layers.frames);
    for (const [shade, parts] of lines) {
      for (let first = 0; first < parts.length; first += 200) {
        keep(`l${shade}${first}`, svg("path", { class: "far-lines", d: parts.slice(first, first + 200).join(""), stroke: shade ?? "currentColor" }), this.layers.lines);
      }
    }
    for (const [shade, parts] of boxes) {
      // Not in one piece: what lies outside of the view is cheap only as a path of its own.
      for (let first = 0; first < parts.length; first += 200) {
        const d = parts.slice(first, first + 200).join("");
        keep(`b${shade}${first}`, svg("path", { class: this.bare ? "far-boxes is-bare" : "far-boxes", d, fill: shade }), this.layers.items);
      }
    }
    if (marked.length) keep("marked", svg("path", { class: "far-marks", d: marked.join("") }), this.layers.items);
    if (few) for (const item of closed) keep(`i${item.index}`, this.element(item), this.layers.items);
  }

  /**
   * Add the outlines of a part's boxes and edges.
   * @param {PartItem} item
   * @param {Map<Color, string[]>} boxes
   * @param {Map<Color, string[]>} lines
   * @param {string[]} marked
   */
  outline({ part, x, y }, boxes, lines, marked) {
    const [w, h] = this.sizes.layer;
    const { at, edges = [] } = part.shape;
    const { selected, layers, matches } = this.marks;
    part.layers.forEach((layer, index) => {
      const text = `M${x + at[2 * index]} ${y + at[2 * index + 1]}h${w}v${h}h${-w}z`;
      const shade = matches && !matches.has(layer) ? "var(--page)" : this.paint.mark(this.data.layers[layer]);
      addToList(boxes, shade, text);
      if (selected === layer || layers.has(layer)) marked.push(text);
    });
    if (this.bare) return;
    const steps = (part.shape.relative ??= edges.map(([, , ...flat]) => relative(flat)));
    edges.forEach(([, , left, top], index) => addToList(lines, "var(--axis)", `M${x + left} ${y + top}${steps[index]}`));
  }

  /**
   * @param {Box} view
   * @returns {number}
   */
  boxesIn(view) {
    return this.items.reduce((sum, item) => sum + (touches(item, view) ? item.part?.layers.length ?? 1 : 0), 0);
  }
}
