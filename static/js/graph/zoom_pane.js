// A drawing in a scrolling pane: zoom with Ctrl and the wheel or two fingers, move by dragging, scroll to an element.

import { prefersReducedMotion } from "../dom/motion.js";
import { svg } from "../dom/svg.js";
import { NARROW, isWindow } from "../dom/windows.js";
import { panelTop } from "../panel/covered.js";
import { watchTwoFingers } from "./two_fingers.js";

// From this scale on texts at lines can be read.
export const CLOSE = 1.2;
const SMALLEST_WHOLE = 0.8;
const BEGIN = 0.95;
/** In a view narrower than this many pixels a drawing begins with texts that can be read on a phone. */
const PHONE_VIEW = 480;
const BEGIN_ON_PHONE = 1.1;
/** On a tablet names in boxes are not smaller than elsewhere, though less of the drawing is seen. */
const LEAST_ON_TABLET = 0.9;

/** @param {{ factor: number, x: number, y: number }} stretched */
function stretchedBy({ factor, x, y }) {
  return `translate(${x}px,${y}px) scale(${factor})`;
}

export class ZoomPane {
  /**
   * Take the pane over; `rescaled` is called after each change of the scale.
   * @param {HTMLElement} view
   * @param {() => void} [rescaled]
   */
  constructor(view, rescaled = () => {}) {
    this.view = view;
    this.rescaled = rescaled;
    this.scale = 1;
    this.smallest = 0.03;
    /** @type {SVGSVGElement} */
    this.svg = svg("svg", {});
    this.width = 1;
    this.height = 1;
    this.dragged = false;
    /** @type {{ factor: number, x: number, y: number } | null} */
    this.stretched = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.resting = undefined;
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.grab(event));
    view.addEventListener("dragstart", (event) => event.preventDefault());
    watchTwoFingers(view, {
      zoomed: (factor, x, y) => this.stretch(factor, x, y),
      moved: (dx, dy) => this.carry(dx, dy),
      ended: () => this.settle(),
    });
  }

  /**
   * Say what is drawn and how large it is at scale 1.
   * @param {SVGSVGElement} drawing
   * @param {number} width
   * @param {number} height
   */
  hold(drawing, width, height) {
    this.svg = drawing;
    this.width = width;
    this.height = height;
    this.scaleTo(this.scale);
  }

  /**
   * Begin with the whole width if that can be read, at the top and in the middle or where the caller says; else with a box.
   * @param {number} [middle]
   * @param {() => Box | null | undefined} [first] Returns what is read first, as the slowest box; without it, the top is, in smaller letters.
   */
  fit(middle = this.width / 2, first) {
    const { clientWidth, clientHeight } = this.view;
    const whole = (clientWidth - 8) / this.width;
    const isWhole = !first || whole >= this.leastWhole();
    if (this.isOnPhone()) this.scaleTo(BEGIN_ON_PHONE);
    else this.scaleTo(isWhole ? Math.min(1, Math.max(isWindow(NARROW) ? LEAST_ON_TABLET : 0.6, whole)) : BEGIN);
    const box = clientWidth && !isWhole ? first() : null;
    this.view.scrollTop = box ? (box.y + box.h / 2) * this.scale - clientHeight / 2 : 0;
    this.view.scrollLeft = (box ? box.x + box.w / 2 : middle) * this.scale - clientWidth / 2;
  }

  isOnPhone() {
    return this.view.clientWidth > 0 && this.view.clientWidth < PHONE_VIEW;
  }

  /** The smallest scale at which a drawing begins as a whole; one that needs a smaller one begins with the next. */
  leastWhole() {
    return this.isOnPhone() ? 1 : SMALLEST_WHOLE;
  }

  fitAll() {
    const scale = Math.min(1, (this.view.clientWidth - 8) / this.width, (this.view.clientHeight - 8) / this.height);
    // However large the drawing is: all of it is what was asked for.
    this.smallest = Math.min(this.smallest, Math.max(0.001, scale));
    this.scaleTo(scale);
  }

  /**
   * Zoom around a point of the view.
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y]
   */
  zoom(factor, x = this.view.clientWidth / 2, y = this.view.clientHeight / 2) {
    this.settle();
    const before = this.scale;
    const left = (this.view.scrollLeft + x) / before;
    const top = (this.view.scrollTop + y) / before;
    this.scaleTo(before * factor);
    this.view.scrollLeft = left * this.scale - x;
    this.view.scrollTop = top * this.scale - y;
    this.rescaled();
  }

  /** @param {number} scale */
  scaleTo(scale) {
    this.scale = Math.min(3, Math.max(this.smallest, scale));
    // There is room to read shapes at the lines.
    this.svg.classList.toggle("is-near", this.scale >= CLOSE);
    this.svg.style.width = `${this.width * this.scale}px`;
    this.svg.style.height = `${this.height * this.scale}px`;
    this.rescaled();
  }

  /**
   * What of the drawing can be seen, in its own coordinates.
   * @returns {Box}
   */
  seen() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.view;
    // A drawing that is narrower than the view is centered in it.
    const aside = Math.max(0, (clientWidth - this.width * this.scale) / 2);
    return {
      x: (scrollLeft - aside) / this.scale,
      y: scrollTop / this.scale,
      w: clientWidth / this.scale,
      h: clientHeight / this.scale,
    };
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) {
      this.settle();
      return;
    }
    event.preventDefault();
    const box = this.view.getBoundingClientRect();
    this.stretch(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }

  // While the wheel turns, what is painted already is stretched, which costs next to nothing; once it rests, or has
  // turned far, the drawing gets its new size and is painted again.
  /**
   * @param {number} factor
   * @param {number} x
   * @param {number} y
   */
  stretch(factor, x, y) {
    this.stretched ??= { factor: 1, x: 0, y: 0 };
    const { stretched } = this;
    const by = Math.min(3, Math.max(this.smallest, this.scale * stretched.factor * factor)) / (this.scale * stretched.factor);
    Object.assign(stretched, { factor: stretched.factor * by, x: x - by * (x - stretched.x), y: y - by * (y - stretched.y) });
    const seen = this.seen();
    const { style } = this.svg;
    style.willChange = "transform";
    style.transformOrigin = `${seen.x * this.scale}px ${seen.y * this.scale}px`;
    style.transform = stretchedBy(stretched);
    clearTimeout(this.resting);
    if (stretched.factor > 2 || stretched.factor < 0.5) this.settle();
    else this.resting = setTimeout(() => this.settle(), 120);
  }

  /**
   * Move what is stretched, until it gets its new size.
   * @param {number} dx In pixels.
   * @param {number} dy
   */
  carry(dx, dy) {
    if (!this.stretched) {
      this.view.scrollBy(-dx, -dy);
      return;
    }
    this.stretched.x += dx;
    this.stretched.y += dy;
    this.svg.style.transform = stretchedBy(this.stretched);
  }

  settle() {
    if (!this.stretched) return;
    const { factor, x, y } = this.stretched;
    const { style } = this.svg;
    Object.assign(style, { willChange: "", transformOrigin: "", transform: "" });
    clearTimeout(this.resting);
    this.stretched = null;
    const seen = this.seen();
    const [left, top] = [seen.x - x / factor / this.scale, seen.y - y / factor / this.scale];
    this.scaleTo(this.scale * factor);
    this.view.scrollLeft = left * this.scale;
    this.view.scrollTop = top * this.scale;
    this.rescaled();
  }

  /** @param {PointerEvent} event */
  grab(event) {
    this.settle();
    this.dragged = false;
    const box = this.view.getBoundingClientRect();
    const onScrollbar = event.clientX - box.left >= this.view.clientWidth || event.clientY - box.top > this.view.clientHeight + this.view.clientTop;
    if (event.button !== 0 || event.pointerType === "touch" || onScrollbar) return;
    const start = { x: event.clientX, y: event.clientY, left: this.view.scrollLeft, top: this.view.scrollTop };
    const end = new AbortController();
    const move = (/** @type {PointerEvent} */ to) => {
      const [dx, dy] = [to.clientX - start.x, to.clientY - start.y];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      this.dragged = true;
      this.view.classList.add("is-dragging");
      this.view.scrollLeft = start.left - dx;
      this.view.scrollTop = start.top - dy;
    };
    const drop = () => {
      end.abort();
      this.view.classList.remove("is-dragging");
      // The click that may end a drag comes before this; a later one is meant.
      setTimeout(() => (this.dragged = false));
    };
    addEventListener("pointermove", move, { signal: end.signal });
    for (const name of ["pointerup", "pointercancel", "blur"]) addEventListener(name, drop, { signal: end.signal });
  }

  /**
   * Scroll until something that is drawn can be seen, past the panel that may cover a part of the view.
   * @param {Element} element
   * @param {ScrollBehavior} [behavior]
   */
  reveal(element, behavior = prefersReducedMotion() ? "auto" : "smooth") {
    this.settle();
    this.revealBox(element.getBoundingClientRect(), behavior);
  }

  /**
   * @param {DOMRect} box
   * @param {ScrollBehavior} [behavior]
   */
  revealBox(box, behavior = "auto") {
    const view = this.view.getBoundingClientRect();
    const covered = panelTop();
    // Where the panel leaves nothing of the view, as if it were not there.
    const open = covered > view.top + box.height ? Math.min(view.bottom, covered) : view.bottom;
    // What is outside of the window can't be seen either, unless all of the view is.
    const [first, last] = [Math.max(view.top, 0), Math.min(open, innerHeight)];
    const [top, bottom] = last - first > box.height ? [first, last] : [view.top, open];
    const inside = box.top >= top && box.bottom <= bottom && box.left >= view.left && box.right <= view.right;
    if (inside) return;
    this.view.scrollBy({
      left: box.left - view.left - (view.width - box.width) / 2,
      top: box.top - top - (bottom - top - box.height) / 2,
      behavior,
    });
  }
}
