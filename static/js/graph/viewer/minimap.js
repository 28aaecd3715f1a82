// An overview of a graph in its colors: the visible part, and the matches of a filter.

import { resolved } from "../picture.js";

/** @typedef {{ x: number, y: number, w: number, h: number, shade: Color, found: boolean }} MapBox */

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
   * @param {{ view: HTMLElement, pane: { scale: number } }} graph
   * @param {() => Iterable<MapBox>} boxes What the map shows, in the coordinates of the drawing.
   */
  constructor(canvas, graph, boxes) {
    this.canvas = canvas;
    this.graph = graph;
    this.boxes = boxes;
    this.scale = 1;
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
    const { pane, view } = this.graph;
    view.scrollLeft = x * pane.scale - view.clientWidth / 2;
    view.scrollTop = y * pane.scale - view.clientHeight / 2;
  }

  /**
   * Show another drawing.
   * @param {{ width: number, height: number }} drawing
   */
  use({ width, height }) {
    this.width = width;
    this.height = height;
    this.scale = Math.min(180 / width, 150 / height);
    this.canvas.width = Math.max(8, Math.round(width * this.scale));
    this.canvas.height = Math.max(8, Math.round(height * this.scale));
    this.back = null;
  }

  /** Paint again, in other colors or with other matches, when the view is drawn next. */
  repaint() {
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
    const found = getComputedStyle(this.canvas).color;
    const shades = new Map();
    for (const { x, y, w, h, shade, found: isFound } of this.boxes()) {
      if (!shades.has(shade)) shades.set(shade, resolved(shade));
      pen.fillStyle = shades.get(shade);
      pen.fillRect(x * this.scale, y * this.scale, Math.max(1, w * this.scale), Math.max(1, h * this.scale));
      if (!isFound) continue;
      pen.fillStyle = found;
      pen.fillRect(x * this.scale, y * this.scale, 3, Math.max(2, h * this.scale));
    }
    this.back = back;
    return back;
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
