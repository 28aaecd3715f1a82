// The timelines of a report: streams over the time, or a traced query, with zoom and the selection of the page.

import { SEVERITIES } from "../data/severities.js";
import { findingsOf } from "../data/report_data.js";
import { findAll, h } from "../dom/elements.js";
import { fitText } from "../dom/svg.js";
import { formatFixed, formatMs, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { LayerStyle } from "../graph/layer_style.js";
import { resolved } from "../graph/picture.js";
import { select, state } from "../state/state.js";
import { boundedRange, firstAfter, kernelRows, layerRows, spanAt } from "./timeline_layout.js";

/** @import { Row, Span } from "./timeline_layout.js" */

const STREAM_HEIGHT = 28;
const BOX_HEIGHT = 18;
const BOX_TOP = 8;
const LABELS = 104;
const RULER = 22;
const MAX_TIMELINE_ROWS = 24;
const TIMELINE_COLORS = { type: "type", precision: "precision", bound: "bound by", findings: "findings" };

/**
 * Draw the timeline of a report in place of the one that needs no script.
 * @param {ReportData} data
 * @returns {{ follow(changed: Changed): void }[]}
 */
export function openTimelines(data) {
  const { timeline, kernelTimeline } = data;
  const streams = timeline ? findAll("figure[data-timeline]").map((figure) => new Timeline(figure, data, { name: "Timeline", total: timeline.total, rows: layerRows(data.layers, timeline.starts), waits: timeline.waits })) : [];
  const traced = kernelTimeline ? findAll("figure[data-kernel-timeline]").map((figure) => new Timeline(figure, data, { name: "Timeline of kernels", total: kernelTimeline.total, rows: kernelRows(kernelTimeline), waits: [] })) : [];
  return [...streams, ...traced];
}

class Timeline {
  /**
   * @param {HTMLElement} figure
   * @param {ReportData} data
   * @param {{ name: string, total: number, rows: Row[], waits: [before: number, after: number][] }} content
   */
  constructor(figure, data, { name, total, rows, waits }) {
    this.data = data;
    this.total = total;
    this.rows = rows.slice(0, MAX_TIMELINE_ROWS);
    /** @type {Map<number, Span>} The first span of each layer. */
    this.of = new Map();
    for (const span of rows.flatMap(({ spans }) => spans)) if (span.layer != null && !this.of.has(span.layer)) this.of.set(span.layer, span);
    // Layers of several streams follow each other by their index, those of a traced query by their begin.
    this.spans = [...this.of.values()].sort((one, other) => (one.name ? one.start - other.start : (one.layer ?? 0) - (other.layer ?? 0)));
    this.waits = waits.flatMap(([before, after]) => {
      const ends = [this.of.get(before), this.of.get(after)];
      return ends[0] && ends[1] ? [/** @type {[Span, Span]} */ (ends)] : [];
    });
    this.style = new LayerStyle(data);
    /** @type {[number, number]} */
    this.range = [0, this.total];
    this.width = 0;
    this.pending = false;
    this.isSeen = false;
    /**
     * Colors without references to variables, of the drawing that is made.
     * @type {Map<Color, string>}
     */
    this.shades = new Map();
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${name}: arrow keys select the next or previous layer, plus and minus zoom, 0 shows all` });
    this.note = h("p", { class: "icicle-note muted", role: "status" });
    const isStated = { type: true, precision: true, bound: data.layers.some(({ bound }) => bound), findings: data.findings.length > 0 };
    const choices = Object.entries(TIMELINE_COLORS).filter(([by]) => isStated[/** @type {keyof typeof TIMELINE_COLORS} */ (by)]);
    const color = h("select", { onchange: () => this.recolor(color.value) }, choices.map(([value, text]) => h("option", { value }, text)));
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, /** @type {string} */ label) => h("button", { type: "button", onclick, "aria-label": label }, text);
    this.legend = h("div", { class: "legend" });
    const bar = h("div", { class: "bar" }, button("Fit", () => this.show(0, this.total), "Show the whole timeline"), button("+", () => this.zoom(0.5), "Zoom the timeline in"), button("−", () => this.zoom(2), "Zoom the timeline out"), h("label", {}, "Color ", color));
    this.live = h("div", { class: "live-icicle live-timeline" }, bar, this.legend, this.canvas, this.note);
    figure.append(this.live);
    figure.classList.add("is-live");
    this.canvas.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => this.grabbed(event));
    this.canvas.addEventListener("pointermove", (event) => event.buttons || this.hovered(event));
    this.canvas.addEventListener("keydown", (event) => this.keyed(event));
    new ResizeObserver(() => this.request()).observe(this.live);
    // Out of view nothing is drawn: a key must not wait for it.
    new IntersectionObserver((changes) => {
      this.isSeen = changes.some((change) => change.isIntersecting);
      this.request();
    }).observe(this.live);
    new MutationObserver(() => this.request()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.request());
    this.recolor("type");
  }

  /**
   * Show the selection: in view, and marked.
   * @param {Changed} changed
   */
  follow(changed) {
    if (!changed.selection) return;
    const span = state.layer && this.of.get(state.layer.index);
    if (span) {
      const [from, to] = this.range;
      const width = to - from;
      if (span.end < from || span.start > to) this.show(span.start - width / 2, span.start + width / 2);
      this.describe(span);
    }
    this.request();
  }

  /** @param {string} by */
  recolor(by) {
    this.style.by = by;
    this.legend.replaceChildren(...this.style.legendItems((layer) => this.of.has(layer)));
    this.request();
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  show(from, to) {
    this.range = boundedRange(from, to, this.total);
    this.request();
  }

  /**
   * Show more or less of the time around a point.
   * @param {number} factor
   * @param {number} [around] In milliseconds.
   */
  zoom(factor, around = (this.range[0] + this.range[1]) / 2) {
    const [from, to] = this.range;
    this.show(around - (around - from) * factor, around + (to - around) * factor);
  }

  request() {
    if (this.pending || !this.isSeen) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
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

  /**
   * @param {number} time
   * @returns {number}
   */
  x(time) {
    const [from, to] = this.range;
    return LABELS + ((time - from) / (to - from)) * (this.width - LABELS);
  }

  /**
   * @param {PointerEvent | WheelEvent} event
   * @returns {{ time: number, stream: number }}
   */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const [from, to] = this.range;
    const time = from + ((event.clientX - box.left - LABELS) / (this.width - LABELS)) * (to - from);
    return { time, stream: Math.floor((event.clientY - box.top - RULER) / STREAM_HEIGHT) };
  }

  draw() {
    const width = Math.floor(this.live.clientWidth);
    if (!width) return;
    const height = RULER + STREAM_HEIGHT * this.rows.length;
    const sharp = devicePixelRatio || 1;
    this.width = width;
    this.shades.clear();
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.scale(sharp, sharp);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const style = getComputedStyle(this.canvas);
    const [text, muted, grid] = [style.color, this.shade("var(--muted)"), this.shade("var(--grid)")];
    this.drawRuler(pen, muted, grid, height);
    this.rows.forEach(({ label, spans }, row) => {
      const top = RULER + row * STREAM_HEIGHT;
      pen.fillStyle = text;
      pen.fillText(fitText(label, LABELS - 6), 0, top + BOX_TOP + BOX_HEIGHT / 2);
      this.drawSpans(pen, spans, top + BOX_TOP, text);
    });
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, 0, width - LABELS, height);
    pen.clip();
    this.drawWaits(pen, muted);
    this.drawSelected(pen, text);
    pen.restore();
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {string} muted
   * @param {string} grid
   * @param {number} height
   */
  drawRuler(pen, muted, grid, height) {
    const [from, to] = this.range;
    const rough = ((to - from) * 110) / Math.max(110, this.width - LABELS);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power * 10;
    const digits = Math.max(0, -Math.floor(Math.log10(step)));
    pen.fillStyle = muted;
    pen.strokeStyle = grid;
    for (let at = Math.ceil(from / step); at * step <= to; at += 1) {
      const x = Math.round(this.x(at * step)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, RULER - 6);
      pen.lineTo(x, height);
      pen.stroke();
      const label = `${formatFixed(at * step, Math.min(digits, 9))} ms`;
      if (x + 4 + pen.measureText(label).width < this.width) pen.fillText(label, x + 3, RULER / 2);
    }
  }

  /**
   * Draw the spans of a stream that are in view: those that are narrower than a pixel only where none was drawn.
   * @param {CanvasRenderingContext2D} pen
   * @param {Span[]} spans
   * @param {number} top
   * @param {string} text
   */
  drawSpans(pen, spans, top, text) {
    let drawn = -1;
    const worst = SEVERITIES.slice(0, 2);
    for (let at = firstAfter(spans, this.range[0]); at < spans.length && spans[at].start <= this.range[1]; at += 1) {
      const left = Math.max(LABELS, this.x(spans[at].start));
      const right = Math.min(this.width, this.x(spans[at].end));
      if (right < drawn + 0.5) continue;
      const layer = this.layerOf(spans[at]);
      pen.fillStyle = this.shade(spans[at].color ?? (layer ? this.style.mark(layer) : this.data.unknownColor));
      pen.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 1 : 0), 0.5), BOX_HEIGHT);
      drawn = right;
      const severity = layer && this.of.get(layer.index) === spans[at] ? findingsOf(layer)[0]?.severity : undefined;
      if (severity && worst.includes(severity) && right - left > 2) this.drawMark(pen, (left + right) / 2, top, this.shade(`var(--${severity})`));
      if (right - left < 60) continue;
      pen.fillStyle = this.shade("var(--page)");
      pen.fillRect(left + 3, top + 3, Math.min(right - left - 7, 240), BOX_HEIGHT - 6);
      pen.fillStyle = text;
      pen.fillText(fitText(visible(spans[at].name ?? layer?.name ?? ""), Math.min(right - left - 13, 230)), left + 6, top + BOX_HEIGHT / 2 + 0.5);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} x
   * @param {number} y
   * @param {string} shade
   */
  drawMark(pen, x, y, shade) {
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

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {string} muted
   */
  drawWaits(pen, muted) {
    pen.strokeStyle = muted;
    pen.setLineDash([2, 3]);
    for (const [before, after] of this.waits) {
      pen.beginPath();
      pen.moveTo(this.x(before.end), this.top(before) + BOX_HEIGHT / 2);
      pen.lineTo(this.x(after.start), this.top(after) + BOX_HEIGHT / 2);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {string} text
   */
  drawSelected(pen, text) {
    const span = state.layer && this.of.get(state.layer.index);
    if (!span) return;
    pen.strokeStyle = text;
    pen.lineWidth = 2.5;
    pen.strokeRect(this.x(span.start) - 1, this.top(span) - 1, Math.max(this.x(span.end) - this.x(span.start), 2) + 2, BOX_HEIGHT + 2);
    pen.lineWidth = 1;
  }

  /**
   * @param {Span} span
   * @returns {Layer | undefined}
   */
  layerOf(span) {
    return span.layer == null ? undefined : this.data.layers[span.layer];
  }

  /** @param {Span} span */
  describe(span) {
    const { name, start, end } = span;
    const layer = this.layerOf(span);
    const times = `${formatMs(start)} to ${formatMs(end)}`;
    if (name != null) {
      const known = layer && layer.name !== name ? [`layer ${shorten(visible(layer.name), 200)}`] : [];
      this.note.textContent = [shorten(visible(name), 200), formatMs(end - start), times, ...known].join(" · ");
      return;
    }
    if (!layer) return;
    const codes = [...new Set(findingsOf(layer).map(({ code }) => visible(code)))].slice(0, 6).join(", ");
    this.note.textContent = [shorten(visible(layer.name), 200), layer.type, `${formatMs(layer.avg_ms)}, ${formatPercent(layer.share_percent)}`, times, codes].filter(Boolean).join(" · ");
  }

  /**
   * @param {PointerEvent} event
   * @returns {Span | undefined}
   */
  spanOf(event) {
    const { time, stream } = this.place(event);
    const [from, to] = this.range;
    return spanAt(this.rows[stream]?.spans ?? [], time, (3 * (to - from)) / Math.max(1, this.width - LABELS));
  }

  /** @param {PointerEvent} event */
  hovered(event) {
    const span = this.spanOf(event);
    this.canvas.style.cursor = span ? "pointer" : "grab";
    if (span) this.describe(span);
  }

  /** @param {WheelEvent} event */
  turned(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY / 300), this.place(event).time);
  }

  /**
   * Move by dragging; a click selects.
   * @param {PointerEvent} event
   */
  grabbed(event) {
    if (event.button !== 0) return;
    const [x, [from, to]] = [event.clientX, this.range];
    const end = new AbortController();
    let moved = false;
    const move = (/** @type {PointerEvent} */ now) => {
      moved ||= Math.abs(now.clientX - x) > 3;
      const by = ((x - now.clientX) / Math.max(1, this.width - LABELS)) * (to - from);
      if (moved) this.show(from + by, to + by);
    };
    addEventListener("pointermove", move, { signal: end.signal });
    addEventListener("pointercancel", () => end.abort(), { signal: end.signal });
    addEventListener("pointerup", (/** @type {PointerEvent} */ now) => {
      end.abort();
      const span = moved ? undefined : this.spanOf(now);
      const layer = span && this.layerOf(span);
      if (layer) select(layer);
    }, { signal: end.signal });
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.spans.findIndex(({ layer }) => layer === state.layer?.index);
    const go = (/** @type {number} */ by) => {
      const span = this.spans[Math.min(this.spans.length - 1, Math.max(0, at + by))];
      const layer = span && this.layerOf(span);
      if (layer) select(layer, "timeline");
    };
    const act = { ArrowRight: () => go(1), ArrowLeft: () => go(-1), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(0, this.total) }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
