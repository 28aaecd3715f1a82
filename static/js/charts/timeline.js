// The timelines of a report: streams over the time, or a traced query, with zoom and the selection of the page.

import { findingsOf } from "../data/report_data.js";
import { findAll, h } from "../dom/elements.js";
import { oncePerFrame } from "../dom/frames.js";
import { formatMs, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { LayerStyle } from "../graph/layer_style.js";
import { select, state } from "../state/state.js";
import { colorChoice, colorsOf } from "./color_choice.js";
import { boundedRange, kernelRows, layerRows, spanAt } from "./timeline_layout.js";
import { TimelinePainter } from "./timeline_painter.js";

/** @import { Row, Span } from "./timeline_layout.js" */
/** @import { SpanLook } from "./timeline_painter.js" */

const MAX_TIMELINE_ROWS = 24;
/** How far from a box the pointer still means it, in pixels. */
const NEAREST = 3;
const COLORED_BY = new Set(["type", "precision", "bound", "findings"]);

/**
 * Draw the timeline of a report in place of the one that needs no script.
 * @param {ReportData} data
 * @returns {{ follow(changed: Changed): void }[]}
 */
export function openTimelines(data) {
  const { timeline, kernelTimeline } = data;
  const streams = timeline ? findAll("figure[data-timeline]").map((figure) => new Timeline(figure, data, { name: "Timeline", total: timeline.total, rowsOf: () => layerRows(data.layers, timeline.starts), waits: timeline.waits })) : [];
  const traced = kernelTimeline ? findAll("figure[data-kernel-timeline]").map((figure) => new Timeline(figure, data, { name: "Timeline of kernels", total: kernelTimeline.total, rowsOf: () => kernelRows(kernelTimeline), waits: [] })) : [];
  return [...streams, ...traced];
}

class Timeline {
  /**
   * @param {HTMLElement} figure
   * @param {ReportData} data
   * @param {{ name: string, total: number, rowsOf: () => Row[], waits: [before: number, after: number][] }} content
   */
  constructor(figure, data, { name, total, rowsOf, waits }) {
    this.data = data;
    this.total = total;
    this.rowsOf = rowsOf;
    this.waits = waits;
    this.style = new LayerStyle(data);
    /** @type {[number, number]} */
    this.range = [0, this.total];
    this.isSeen = false;
    const drawSoon = oncePerFrame(() => this.draw());
    this.request = () => this.isSeen && drawSoon();
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${name}: arrow keys select the next or previous layer, plus and minus zoom, 0 shows all` });
    /** @type {ReturnType<typeof this.contentOf> | null} */
    this.made = null;
    this.note = h("p", { class: "icicle-note muted", role: "status" });
    const choices = colorsOf(data).filter((by) => COLORED_BY.has(by));
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick, /** @type {string} */ label) => h("button", { type: "button", onclick, "aria-label": label }, text);
    this.legend = h("div", { class: "legend" });
    const bar = h("div", { class: "bar" }, button("Fit", () => this.show(0, this.total), "Show the whole timeline"), button("+", () => this.zoom(0.5), "Zoom the timeline in"), button("−", () => this.zoom(2), "Zoom the timeline out"), colorChoice(choices, (by) => this.recolor(by)));
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
      if (this.isSeen && !this.legend.hasChildNodes()) this.showLegend();
      this.request();
    }, { rootMargin: "300px" }).observe(this.live);
    new MutationObserver(() => this.request()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.request());
  }

  /** What is drawn; it is made when it is needed first, as few readers look at it first. */
  get content() {
    return (this.made ??= this.contentOf());
  }

  contentOf() {
    const all = this.rowsOf();
    /** @type {Map<number, Span>} */
    const of = new Map();
    for (const { spans } of all) for (const span of spans) if (span.layer != null && !of.has(span.layer)) of.set(span.layer, span);
    const rows = all.slice(0, MAX_TIMELINE_ROWS);
    return {
      rows,
      /** The first span of each layer. */
      of,
      /** Those in order: layers of several streams follow each other by their index, those of a traced query by their begin. */
      spans: [...of.values()].sort((one, other) => (one.name ? one.start - other.start : (one.layer ?? 0) - (other.layer ?? 0))),
      painter: new TimelinePainter(this.canvas, rows, this.ends(of), (span) => this.lookOf(span)),
    };
  }

  /**
   * Show the selection: in view, and marked.
   * @param {Changed} changed
   */
  follow(changed) {
    if (!changed.selection) return;
    const span = this.selected();
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
    this.showLegend();
    this.request();
  }

  showLegend() {
    const { of } = this.content;
    this.legend.replaceChildren(...this.style.legendItems((layer) => of.has(layer)));
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

  draw() {
    const width = Math.floor(this.live.clientWidth);
    if (width) this.content.painter.draw(width, this.range, this.selected());
  }

  /** @returns {Span | null | undefined} */
  selected() {
    return state.layer && this.content.of.get(state.layer.index);
  }

  /**
   * The spans of layers that wait for each other, as far as both have one.
   * @param {Map<number, Span>} of
   * @returns {[before: Span, after: Span][]}
   */
  ends(of) {
    return this.waits.flatMap(([before, after]) => {
      const [one, other] = [of.get(before), of.get(after)];
      return one && other ? [/** @type {[Span, Span]} */ ([one, other])] : [];
    });
  }

  /**
   * The color and text of a span, and the severity of a layer's findings at its first one.
   * @param {Span} span
   * @returns {SpanLook}
   */
  lookOf(span) {
    const layer = this.layerOf(span);
    const isFirst = layer && this.content.of.get(layer.index) === span;
    return {
      color: span.color ?? (layer ? this.style.mark(layer) : this.data.unknownColor),
      text: span.name ?? layer?.name ?? "",
      severity: isFirst ? findingsOf(layer)[0]?.severity : undefined,
    };
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
    const { time, row } = this.content.painter.placeOf(event);
    return spanAt(this.content.rows[row]?.spans ?? [], time, NEAREST * this.content.painter.msPerPixel);
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
    this.zoom(Math.exp(event.deltaY / 300), this.content.painter.placeOf(event).time);
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
      const by = ((x - now.clientX) * (to - from)) / this.content.painter.room;
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
    const { spans } = this.content;
    const at = spans.findIndex(({ layer }) => layer === state.layer?.index);
    const go = (/** @type {number} */ by) => {
      const span = spans[Math.min(spans.length - 1, Math.max(0, at + by))];
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
