// A table of which only the rows in view are in the page, so that 20,000 stay smooth.

import { byId, focusedElement, h, targetOf } from "../dom/elements.js";
import { DASH, formatCount } from "../format/numbers.js";
import { nameParts, sharedBeginnings } from "../format/name_parts.js";
import { shorten, visible } from "../format/text.js";
import { panelTop } from "../panel/covered.js";
import { compileQuery } from "../query/query.js";
import { arrange, isNarrow } from "./arrange.js";
import { sortedBy } from "./sorting.js";

// At the usual text size of 16 pixels.
const ROW_HEIGHT = 28;
const OVERSCAN = 12;

/**
 * @param {Column<any>} column
 * @param {number | null} left
 * @returns {string | null}
 */
function cellClass(column, left) {
  const names = [column.number && "number", left != null && "frozen"].filter(Boolean);
  return names.length ? names.join(" ") : null;
}

/**
 * Items as rows: sorted by any column, filtered by the query language, one of them selected.
 * A subclass says what an item is.
 * @template {{ index: number }} Item
 */
export class Grid {
  /**
   * @param {any} data
   * @param {Item[]} items
   * @param {Column<Item>[]} columns
   * @param {string} label
   * @param {string} [prefix] Of the ids of its elements, where a page has another one.
   */
  constructor(data, items, columns, label, prefix = "") {
    this.prefix = prefix;
    this.data = data;
    this.items = items;
    this.all = columns;
    /** The items in order, and those of them that fit the filter. */
    this.sorted = items;
    this.rows = items;
    /** Why the filter can't be used; empty if it can. */
    this.problem = "";
    /** The first row that is in the page, and the one after the last. */
    this.first = 0;
    this.last = 0;
    this.pending = false;
    /** @type {HTMLElement | null} */
    this.above = null;
    /** @type {HTMLElement | null} */
    this.below = null;
    // Rows and columns grow with the reader's text size.
    this.textScale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.rowHeight = ROW_HEIGHT * this.textScale;
    /** @type {(item: Item) => boolean} */
    this.fits = () => true;
    /** @type {{ key: string, up: boolean }} */
    this.sort = { key: "index", up: true };
    this.columns = columns.filter((column) => column.on);
    this.scroller = byId(`${prefix}grid-scroll`);
    this.body = h("tbody");
    this.head = h("thead");
    this.table = h("table", { "aria-label": label }, this.head, this.body);
    this.scroller.append(this.table);
    this.scroller.addEventListener("scroll", () => this.requestDraw(), { passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.scroller.addEventListener("keydown", (event) => this.keyed(event));
    /** @type {PlacedColumn<Item>[]} */
    this.placed = [];
    /** @type {Map<string, number> | null} */
    this.alike = null;
    this.width = 0;
    new ResizeObserver(() => this.resized()).observe(this.scroller);
    this.drawHead();
    this.fillMenu();
  }

  /**
   * What the query language knows of an item.
   * @returns {Terms<Item>}
   */
  get language() {
    throw new Error("not implemented");
  }

  /**
   * The selected item.
   * @returns {Item | null}
   */
  selected() {
    return null;
  }

  /**
   * @param {Item} _item
   * @param {string} [_kind] Of the change, for the history.
   */
  select(_item, _kind) {}

  /**
   * Return the class of an item's row.
   * @param {Item} _item
   * @returns {string | null}
   */
  rowClass(_item) {
    return null;
  }

  /**
   * Write how many rows are shown.
   * @param {number} shown
   * @param {number} of
   * @returns {string}
   */
  counted(shown, of) {
    return shown === of ? formatCount(of) : `${formatCount(shown)} of ${formatCount(of)}`;
  }

  /**
   * Fill a cell that is more than text, and return whether it did.
   * @param {HTMLElement} _cell
   * @param {Item} _item
   * @param {Column<Item>} _column
   * @param {any} _value
   * @param {string} _text
   * @returns {boolean}
   */
  fill(_cell, _item, _column, _value, _text) {
    return false;
  }

  /** @param {string} text */
  filter(text) {
    const input = byId(`${this.prefix}filter`);
    let fits;
    try {
      fits = compileQuery(text, this.data, this.language);
      this.problem = "";
      input.removeAttribute("aria-invalid");
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
      input.setAttribute("aria-invalid", "true");
      this.count();
      return;
    }
    this.scroller.scrollTop = 0;
    this.fits = fits;
    this.choose();
  }

  /** Show the rows that fit, in the order that they are in. */
  choose() {
    this.rows = this.sorted.filter(this.fits);
    this.count();
    this.draw();
  }

  /** Bring all items into the order of a column; which of them are shown changes more often. */
  order() {
    const column = this.all.find((each) => each.key === this.sort.key) ?? this.all[0];
    this.sorted = sortedBy(this.items, column, this.sort.up);
    this.choose();
  }

  /** Say how many rows are shown, or why the filter can't be used. */
  count() {
    const text = this.problem || this.counted(this.rows.length, this.items.length);
    const place = byId(`${this.prefix}row-count`);
    if (place.textContent !== text) place.textContent = text;
  }

  /** Place the columns again when the table got another width. */
  resized() {
    if (Math.abs(this.scroller.clientWidth - this.width) < 1) {
      this.requestDraw();
      return;
    }
    const before = this.placed.map(({ column, left }) => `${column.key} ${left}`).join();
    this.drawHead();
    if (before !== this.placed.map(({ column, left }) => `${column.key} ${left}`).join()) this.draw();
    else this.requestDraw();
  }

  drawHead() {
    this.width = this.scroller.clientWidth;
    this.placed = arrange(this.columns, this.width, this.textScale);
    this.table.classList.toggle("is-narrow", isNarrow(this.width, this.textScale));
    const cells = this.placed.map(({ column, label, width, left }) => {
      const sorted = this.sort.key === column.key;
      const arrow = sorted ? h("span", { class: "arrow" }, this.sort.up ? " ↑" : " ↓") : null;
      const button = h("button", { type: "button", title: column.label, onclick: () => this.sortBy(column) }, h("span", {}, label), arrow);
      const cell = h("th", { scope: "col", class: cellClass(column, left) }, button);
      if (sorted) cell.setAttribute("aria-sort", this.sort.up ? "ascending" : "descending");
      cell.style.width = `${width}px`;
      if (left != null) cell.style.left = `${left}px`;
      return cell;
    });
    this.head.replaceChildren(h("tr", {}, cells));
    this.table.style.width = `${this.placed.reduce((sum, { width }) => sum + width, 0)}px`;
  }

  /** @param {Column<Item>} column */
  sortBy(column) {
    const same = this.sort.key === column.key;
    this.sort = { key: column.key, up: same ? !this.sort.up : !column.number || column.key === "index" };
    this.drawHead();
    this.order();
    this.head.querySelectorAll("button")[this.placed.findIndex((each) => each.column === column)].focus({ preventScroll: true });
  }

  /**
   * @param {string} key
   * @param {boolean} up
   */
  sortAs(key, up) {
    this.sort = { key, up };
    this.drawHead();
    this.order();
  }

  requestDraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      const [first, last] = this.inView();
      if (first !== this.first || last !== this.last) this.slide(first, last);
    });
  }

  /**
   * The rows in view and some beyond; the last one is not among them.
   * @returns {[first: number, end: number]}
   */
  inView() {
    const first = Math.max(0, Math.min(this.rows.length, Math.floor(this.scroller.scrollTop / this.rowHeight)) - OVERSCAN);
    const seen = Math.ceil((this.scroller.clientHeight || 600) / this.rowHeight) + 2 * OVERSCAN;
    return [first, Math.min(this.rows.length, first + seen)];
  }

  draw() {
    const [first, last] = ([this.first, this.last] = this.inView());
    const focused = this.body.contains(focusedElement());
    this.above = this.spacer(first);
    this.below = this.spacer(this.rows.length - last);
    this.body.replaceChildren(this.above, ...this.made(first, last), this.below);
    // The rows are new ones: who was on a link in one of them goes on with the arrow keys.
    if (focused) this.scroller.focus({ preventScroll: true });
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  /**
   * @param {number} first
   * @param {number} last
   * @returns {HTMLElement[]}
   */
  made(first, last) {
    return this.rows.slice(first, last).map((item, at) => this.row(item, first + at));
  }

  /**
   * Show other rows, keeping those that stay: making all of them again takes longer than a frame.
   * @param {number} first
   * @param {number} last
   */
  slide(first, last) {
    if (!this.above || !this.below || first >= this.last || last <= this.first) {
      this.draw();
      return;
    }
    const focused = this.body.contains(focusedElement());
    for (; this.first < first; this.first += 1) this.above.nextSibling?.remove();
    for (; this.last > last; this.last -= 1) this.below.previousSibling?.remove();
    this.above.after(...this.made(first, this.first));
    this.below.before(...this.made(this.last, last));
    [this.first, this.last] = [first, last];
    this.space(this.above, first);
    this.space(this.below, this.rows.length - last);
    if (focused && !this.body.contains(focusedElement())) this.scroller.focus({ preventScroll: true });
  }

  /**
   * @param {number} count
   * @returns {HTMLElement}
   */
  spacer(count) {
    const cell = h("td", { colspan: String(this.columns.length) });
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

  /**
   * @param {Item} item
   * @param {number} position
   * @returns {HTMLElement}
   */
  row(item, position) {
    const cells = this.placed.map(({ column, left }) => this.cell(item, column, left));
    const attributes = { class: this.rowClass(item), "data-item": String(item.index), "aria-rowindex": String(position + 2), "aria-selected": String(this.selected() === item) };
    return h("tr", attributes, cells);
  }

  /**
   * @param {Item} item
   * @param {Column<Item>} column
   * @param {number | null} left
   * @returns {HTMLElement}
   */
  cell(item, column, left) {
    const value = column.value(item);
    const text = column.show ? column.show(value) : visible(value || DASH);
    const cell = h("td", { class: cellClass(column, left) });
    if (left != null) cell.style.left = `${left}px`;
    if (!this.fill(cell, item, column, value, text)) cell.append(shorten(text, 300));
    if (!column.number && column.key !== "name" && text.length > 12) cell.title = shorten(text, 1000);
    return cell;
  }

  /**
   * A name as a link that keeps what differs from other names, however narrow its column is.
   * @param {string} text
   * @param {Record<string, any>} attributes
   * @returns {HTMLElement}
   */
  nameLink(text, attributes) {
    const name = this.all.find(({ key }) => key === "name");
    this.alike ??= sharedBeginnings(this.items.map((item) => visible(name?.value(item) || DASH)));
    const parts = nameParts(text, this.alike.get(text) ?? 0);
    return h("a", { class: "name cut", title: shorten(text, 1000), tabindex: "-1", ...attributes }, parts.map((part) => h("span", {}, part)));
  }

  /**
   * A bar as long as its value is against the largest.
   * @param {number | null | undefined} value
   * @param {number} largest
   * @param {string} [kind]
   * @returns {HTMLElement}
   */
  bar(value, largest, kind = "") {
    const bar = h("span", { class: `cell-bar ${kind}`.trim(), "aria-hidden": "true" });
    bar.style.width = `${value && largest ? (56 * Math.abs(value)) / largest : 0}px`;
    return bar;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = /** @type {HTMLElement | null} */ (targetOf(event).closest("tr[data-item]"));
    if (!row || targetOf(event).closest("a") || getSelection()?.toString()) return;
    this.select(this.items[Number(row.dataset.item)]);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, End: Infinity, Home: -Infinity }[event.key];
    if (!step || targetOf(event).closest("thead") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.step(step);
  }

  /**
   * Select the next or previous item in the order shown.
   * @param {number} by
   */
  step(by) {
    const at = this.positionOfSelected();
    const next = this.rows[at < 0 && Number.isFinite(by) ? 0 : Math.min(this.rows.length - 1, Math.max(0, at + by))];
    if (next) this.select(next, "step");
  }

  /** The position of the selected item among the rows shown, -1 if it is not one of them. */
  positionOfSelected() {
    const selected = this.selected();
    return selected ? this.rows.indexOf(selected) : -1;
  }

  /** Bring the selected row into view inside the table, without moving the page. */
  reveal() {
    const at = this.positionOfSelected();
    if (at >= 0) {
      const top = at * this.rowHeight;
      const { top: edge, height: whole } = this.scroller.getBoundingClientRect();
      const free = panelTop() - edge;
      const height = (free > 100 ? Math.min(whole, free) : whole) - 40;
      if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - this.rowHeight) {
        this.scroller.scrollTop = Math.max(0, top - height / 2);
      }
    }
    this.count();
    this.draw();
  }

  fillMenu() {
    const boxes = this.all.map((column) => {
      const box = h("input", { type: "checkbox" });
      box.checked = this.columns.includes(column);
      box.addEventListener("change", () => {
        column.on = box.checked;
        this.columns = this.all.filter((each) => each.on);
        this.drawHead();
        this.draw();
      });
      return h("label", {}, box, ` ${column.label}`);
    });
    byId(`${this.prefix}columns`)?.replaceChildren(...boxes);
  }
}
