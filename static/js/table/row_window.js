// The rows of a table that are in the page: those in view and some beyond, so that 20,000 stay smooth.

import { focusedElement, h } from "../dom/elements.js";
import { oncePerFrame } from "../dom/frames.js";
import { panelTop } from "../panel/covered.js";

const OVERSCAN = 12;
/** In pixels, of a table that is not shown yet. */
const USUAL_HEIGHT = 600;
/** The least height, in pixels, that the panel must leave free to count as covering a part only. */
const LEAST_FREE = 100;
/** In pixels, of the heads with some space. */
const HEAD_HEIGHT = 40;

/**
 * The rows in view and some beyond.
 * @param {number} top How far the table is scrolled, in pixels.
 * @param {number} height Of the view, in pixels; 0 if it is not shown.
 * @param {number} rowHeight In pixels.
 * @param {number} count Of all rows.
 * @returns {[first: number, end: number]} The last row is the one before the end.
 */
export function rowsInView(top, height, rowHeight, count) {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - OVERSCAN);
  const seen = Math.ceil((height || USUAL_HEIGHT) / rowHeight) + 2 * OVERSCAN;
  return [first, Math.min(count, first + seen)];
}

/** @template Item */
export class RowWindow {
  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} body
   * @param {number} rowHeight In pixels.
   * @param {(item: Item, position: number) => HTMLElement} makeRow
   */
  constructor(scroller, body, rowHeight, makeRow) {
    this.scroller = scroller;
    this.body = body;
    this.rowHeight = rowHeight;
    this.makeRow = makeRow;
    /** @type {Item[]} */
    this.rows = [];
    /** The first row that is in the page, and the one after the last. */
    this.first = 0;
    this.last = 0;
    /** Show in the next frame what was scrolled into view. */
    this.follow = oncePerFrame(() => {
      // Both are asked before rows change: afterward the answer would cost a layout.
      const [isAside, [first, last]] = [scroller.scrollLeft > 0, this.inView()];
      if (first !== this.first || last !== this.last) this.slide(first, last);
      // What stays in view then covers other columns, and has an edge.
      scroller.classList.toggle("is-aside", isAside);
    });
    /** @type {HTMLElement | null} */
    this.above = null;
    /** @type {HTMLElement | null} */
    this.below = null;
    scroller.addEventListener("scroll", this.follow, { passive: true });
  }

  /** @returns {[first: number, end: number]} */
  inView() {
    return rowsInView(this.scroller.scrollTop, this.scroller.clientHeight, this.rowHeight, this.rows.length);
  }

  /**
   * Show other rows, or the same ones made again.
   * @param {Item[]} rows
   * @param {number} columns
   */
  show(rows, columns) {
    this.rows = rows;
    const [first, last] = ([this.first, this.last] = this.inView());
    const focused = this.body.contains(focusedElement());
    this.above = this.spacer(first, columns);
    this.below = this.spacer(rows.length - last, columns);
    this.body.replaceChildren(this.above, ...this.made(first, last), this.below);
    // The rows are new ones: who was on a link in one of them goes on with the arrow keys.
    if (focused) this.scroller.focus({ preventScroll: true });
  }

  /**
   * @param {number} first
   * @param {number} last
   * @returns {HTMLElement[]}
   */
  made(first, last) {
    return this.rows.slice(first, last).map((item, at) => this.makeRow(item, first + at));
  }

  /**
   * Show other rows, keeping those that stay: making all of them again takes longer than a frame.
   * @param {number} first
   * @param {number} last
   */
  slide(first, last) {
    if (!this.above || !this.below) return;
    const focused = this.body.contains(focusedElement());
    if (first >= this.last || last <= this.first) {
      while (this.above.nextSibling !== this.below) this.above.nextSibling?.remove();
      this.above.after(...this.made(first, last));
    } else {
      for (; this.first < first; this.first += 1) this.above.nextSibling?.remove();
      for (; this.last > last; this.last -= 1) this.below.previousSibling?.remove();
      this.above.after(...this.made(first, this.first));
      this.below.before(...this.made(this.last, last));
    }
    [this.first, this.last] = [first, last];
    this.space(this.above, first);
    this.space(this.below, this.rows.length - last);
    if (focused && !this.body.contains(focusedElement())) this.scroller.focus({ preventScroll: true });
  }

  /**
   * Scroll to a row, past the panel that may cover a part of the table, without moving the page.
   * @param {number} position
   */
  reveal(position) {
    const { top: edge, height: whole } = this.scroller.getBoundingClientRect();
    const free = panelTop() - edge;
    const head = Math.max(HEAD_HEIGHT, this.body.parentElement?.querySelector("thead")?.offsetHeight ?? 0);
    const height = (free > LEAST_FREE ? Math.min(whole, free) : whole) - head;
    const top = position * this.rowHeight;
    const { scrollTop } = this.scroller;
    if (top < scrollTop || top > scrollTop + height - this.rowHeight) this.scroller.scrollTop = Math.max(0, top - height / 2);
  }

  /**
   * What takes the room of the rows that are not in the page.
   * @param {number} count
   * @param {number} columns
   * @returns {HTMLElement}
   */
  spacer(count, columns) {
    const cell = h("td", { colspan: String(columns) });
    return this.space(h("tr", { class: "spacer", "aria-hidden": "true" }, cell), count);
  }

  /**
   * @param {HTMLElement} spacer
   * @param {number} count
   * @returns {HTMLElement}
   */
  space(spacer, count) {
    spacer.hidden = count === 0;
    /** @type {HTMLElement} */ (spacer.firstChild).style.height = `${count * this.rowHeight}px`;
    return spacer;
  }
}
