// An overview of a large engine's graph: where the time goes, the visible part, and the matches of a filter.

/** @import { BlockLayout } from "./block_layout.js" */
/** @import { GraphViewer } from "./graph_viewer.js" */
/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 */
function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

export class Minimap {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {GraphViewer} plan
   */
  constructor(canvas, plan) {
    this.canvas = canvas;
    this.plan = plan;
    /** @type {Set<number> | null} */
    this.marked = null;
    this.scale = 1;
    /** @type {LayoutItem[]} */
    this.items = [];
    this.width = 0;
    this.height = 0;
    /**
     * What does not change with the view, painted once.
     * @type {HTMLCanvasElement | null}
     */
    this.back = null;
    const go = (/** @type {PointerEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      this.goTo((event.clientX - box.left) / this.scale, (event.clientY - box.top) / this.scale);
    };
    canvas.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  goTo(x, y) {
    const { pane } = this.plan;
    const { clientWidth, clientHeight } = this.plan.view;
    this.plan.view.scrollLeft = x * pane.scale - clientWidth / 2;
    this.plan.view.scrollTop = y * pane.scale - clientHeight / 2;
  }

  /** @param {BlockLayout} layout */
  use(layout) {
    this.items = layout.items;
    this.width = layout.width;
    this.height = layout.height;
    this.scale = Math.min(180 / layout.width, 150 / layout.height);
    this.canvas.width = Math.max(8, Math.round(layout.width * this.scale));
    this.canvas.height = Math.max(8, Math.round(layout.height * this.scale));
    this.back = null;
  }

  /** @param {Set<number> | null} layers */
  mark(layers) {
    this.marked = layers;
    this.back = null;
  }

  /**
   * Paint what does not change with the view, once.
   * @returns {HTMLCanvasElement}
   */
  background() {
    if (this.back) return this.back;
    const back = document.createElement("canvas");
    [back.width, back.height] = [this.canvas.width, this.canvas.height];
    const pen = contextOf(back);
    const shares = this.items.map((item) => this.shareOf(item));
    this.items.forEach((item, index) => {
      [, pen.fillStyle] = this.plan.paint.heat(shares[index]);
      const [x, y, h] = [item.x * this.scale, item.y * this.scale, item.h * this.scale];
      pen.fillRect(x, y, Math.max(1, item.w * this.scale), Math.max(1, h));
      const { marked } = this;
      const found = marked && (item.part ? item.part.layers.some((layer) => marked.has(layer)) : item.blocks.some((block) => this.plan.tree.anyIn(block, marked)));
      if (!found) return;
      pen.fillStyle = getComputedStyle(this.canvas).color;
      pen.fillRect(x, y, 3, Math.max(2, h));
    });
    this.back = back;
    return back;
  }

  /**
   * @param {LayoutItem} item
   * @returns {number | null}
   */
  shareOf(item) {
    const shares = item.part ? item.part.layers.map((layer) => this.plan.data.layers[layer].share_percent) : item.blocks.map((block) => block.share);
    const known = shares.filter((share) => share != null);
    return known.length ? known.reduce((sum, share) => sum + share, 0) : null;
  }

  /**
   * Show which part of the plan the view shows.
   * @param {Box} seen
   */
  frame(seen) {
    const whole = seen.w >= this.width && seen.h >= this.height;
    this.canvas.hidden = whole;
    if (whole) return;
    const pen = contextOf(this.canvas);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.background(), 0, 0);
    pen.strokeStyle = getComputedStyle(this.canvas).color;
    pen.lineWidth = 1.5;
    pen.strokeRect(seen.x * this.scale, seen.y * this.scale, seen.w * this.scale, seen.h * this.scale);
  }
}
