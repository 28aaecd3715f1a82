// The drawing of a timeline on a canvas: its ruler, the boxes of its rows, waits between streams, the selection.

import { SEVERITIES } from "../data/severities.js";
import { fitText } from "../dom/svg.js";
import { visible } from "../format/text.js";
import { resolved } from "../graph/picture.js";
import { inkOn } from "./ink.js";
import { firstAfter, rulerTicks } from "./timeline_layout.js";

/** @import { Row, Span } from "./timeline_layout.js" */

const STREAM_HEIGHT = 28;
const BOX_HEIGHT = 18;
const BOX_TOP = 8;
const LABELS = 104;
const RULER = 22;
/** The least room between two lines of the ruler, in pixels. */
const TICK_ROOM = 110;
/** A narrower box has no text, in pixels. */
const LEAST_NAMED = 60;

/**
 * How a span looks.
 * @typedef {{ color: Color, text: string, severity?: Severity }} SpanLook
 */

export class TimelinePainter {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Row[]} rows
   * @param {[before: Span, after: Span][]} waits
   * @param {(span: Span) => SpanLook} lookOf
   */
  constructor(canvas, rows, waits, lookOf) {
    this.canvas = canvas;
    this.rows = rows;
    this.waits = waits;
    this.lookOf = lookOf;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.width = 0;
    /** What is in view, in milliseconds. @type {[from: number, to: number]} */
    this.range = [0, 1];
    /**
     * Colors without references to variables, of the drawing that is made.
     * @type {Map<Color, string>}
     */
    this.shades = new Map();
    /** The colors of texts. */
    this.ink = "";
    this.muted = "";
  }

  /**
   * @param {Color} shade
   * @returns {string}
   */
  shade(shade) {
    let found = this.shades.get(shade);
    if (found == null) this.shades.set(shade, (found = resolved(shade)));
    return found;
  }

  /** The width of what shows the time, in pixels; at least 1. */
  get room() {
    return Math.max(1, this.width - LABELS);
  }

  /** @returns {number} In milliseconds. */
  get msPerPixel() {
    return (this.range[1] - this.range[0]) / this.room;
  }

  /**
   * @param {number} time
   * @returns {number}
   */
  x(time) {
    return LABELS + (time - this.range[0]) / this.msPerPixel;
  }

  /**
   * The time and the row at a place in the window.
   * @param {{ clientX: number, clientY: number }} event
   * @returns {{ time: number, row: number }}
   */
  placeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const time = this.range[0] + (event.clientX - box.left - LABELS) * this.msPerPixel;
    return { time, row: Math.floor((event.clientY - box.top - RULER) / STREAM_HEIGHT) };
  }

  /**
   * @param {number} width In pixels.
   * @param {[from: number, to: number]} range
   * @param {Span | null | undefined} selected
   */
  draw(width, range, selected) {
    const height = RULER + STREAM_HEIGHT * this.rows.length;
    this.width = width;
    this.range = range;
    this.shades.clear();
    this.resize(width, height);
    const { pen } = this;
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    this.ink = getComputedStyle(this.canvas).color;
    this.muted = this.shade("var(--muted)");
    this.drawRuler(height);
    this.rows.forEach(({ label, spans }, row) => {
      const top = RULER + row * STREAM_HEIGHT + BOX_TOP;
      pen.fillStyle = this.ink;
      pen.fillText(fitText(label, LABELS - 6), 0, top + BOX_HEIGHT / 2);
      this.drawSpans(spans, top);
    });
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, 0, width - LABELS, height);
    pen.clip();
    this.drawWaits();
    if (selected) this.drawSelected(selected);
    pen.restore();
  }

  /**
   * Empty the canvas, as sharp as the screen is.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    const { canvas } = this;
    const sharp = devicePixelRatio || 1;
    canvas.width = Math.round(width * sharp);
    canvas.height = Math.round(height * sharp);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.pen.scale(sharp, sharp);
  }

  /** @param {number} height */
  drawRuler(height) {
    const { pen } = this;
    pen.fillStyle = this.muted;
    pen.strokeStyle = this.shade("var(--grid)");
    for (const { at, label } of rulerTicks(this.range, this.room / TICK_ROOM)) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, RULER - 6);
      pen.lineTo(x, height);
      pen.stroke();
      if (x + 4 + pen.measureText(label).width < this.width) pen.fillText(label, x + 3, RULER / 2);
    }
  }

  /**
   * Draw the spans of a row that are in view: those that are narrower than a pixel only where none was drawn.
   * @param {Span[]} spans
   * @param {number} top
   */
  drawSpans(spans, top) {
    const { pen } = this;
    let drawn = -1;
    const worst = SEVERITIES.slice(0, 2);
    for (let at = firstAfter(spans, this.range[0]); at < spans.length && spans[at].start <= this.range[1]; at += 1) {
      const left = Math.max(LABELS, this.x(spans[at].start));
      const right = Math.min(this.width, this.x(spans[at].end));
      if (right < drawn + 0.5) continue;
      const { color, text, severity } = this.lookOf(spans[at]);
      const fill = this.shade(color);
      pen.fillStyle = fill;
      pen.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5), BOX_HEIGHT);
      drawn = right;
      if (severity && worst.includes(severity) && right - left > 2) this.drawMark((left + right) / 2, top, this.shade(`var(--${severity})`));
      if (right - left < LEAST_NAMED) continue;
      pen.fillStyle = inkOn(fill) ?? this.ink;
      pen.fillText(fitText(visible(text), right - left - 9), left + 5, top + BOX_HEIGHT / 2 + 0.5);
    }
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {string} shade
   */
  drawMark(x, y, shade) {
    const { pen } = this;
    pen.fillStyle = shade;
    pen.beginPath();
    pen.moveTo(x - 4, y - 7);
    pen.lineTo(x + 4, y - 7);
    pen.lineTo(x, y - 1);
    pen.fill();
  }

  /**
   * @param {Span} span
   * @returns {number}
   */
  top(span) {
    return RULER + span.row * STREAM_HEIGHT + BOX_TOP;
  }

  drawWaits() {
    const { pen } = this;
    pen.strokeStyle = this.muted;
    pen.setLineDash([2, 3]);
    for (const [before, after] of this.waits) {
      pen.beginPath();
      pen.moveTo(this.x(before.end), this.top(before) + BOX_HEIGHT / 2);
      pen.lineTo(this.x(after.start), this.top(after) + BOX_HEIGHT / 2);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /** @param {Span} span */
  drawSelected(span) {
    const { pen } = this;
    pen.strokeStyle = this.ink;
    pen.lineWidth = 2.5;
    pen.strokeRect(this.x(span.start) - 1, this.top(span) - 1, Math.max(this.x(span.end) - this.x(span.start), 2) + 2, BOX_HEIGHT + 2);
    pen.lineWidth = 1;
  }
}
