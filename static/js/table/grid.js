// A table: its columns, order, filter, and selected row.

import { byId, h, targetOf } from "../dom/elements.js";
import { DASH, formatCount } from "../format/numbers.js";
import { sharedBeginnings } from "../format/name_parts.js";
import { shorten, visible } from "../format/text.js";
import { compileQuery, unknownTerms } from "../query/query.js";
import { arrange, cardOf, isNarrow } from "./arrange.js";
import { columnCell, cutLink, headRow } from "./cells.js";
import { fillColumnMenu } from "./column_menu.js";
import { rowStep, stepped } from "./row_keys.js";
import { RowWindow } from "./row_window.js";
import { sortedBy } from "./sorting.js";

// At the usual text size of 16 pixels.
const ROW_HEIGHT = 28;

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
    // Rows and columns grow with the reader's text size.
    this.textScale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.rowHeight = ROW_HEIGHT * this.textScale;
    /** @type {(item: Item) => boolean} */
    this.fits = () => true;
    /** @type {{ key: string, up: boolean }} */
    this.sort = { key: "index", up: true };
    this.columns = columns.filter((column) => column.on);
    this.scroller = byId(`${prefix}grid-scroll`);
    // What they are is stated: where rows are cards, some browsers would not see it.
    this.body = h("tbody", { role: "rowgroup" });
    this.head = h("thead", { role: "rowgroup" });
    this.table = h("table", { "aria-label": label, role: "table" }, this.head, this.body);
    this.scroller.append(this.table);
    /** @type {RowWindow<Item>} */
    this.window = new RowWindow(this.scroller, this.body, this.rowHeight, (item, position) => this.row(item, position));
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
    this.problem = "";
    try {
      this.fits = compileQuery(text, this.data, this.language);
      input.removeAttribute("aria-invalid");
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
      input.setAttribute("aria-invalid", "true");
      this.count();
      return;
    }
    this.scroller.scrollTop = 0;
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
    const unknown = this.rows.length ? "" : unknownTerms(byId(`${this.prefix}filter`).value, this.language);
    const text = this.problem || [this.counted(this.rows.length, this.items.length), unknown].filter(Boolean).join("; ");
    const place = byId(`${this.prefix}row-count`);
    if (place.textContent !== text) place.textContent = text;
  }

  /** Place the columns again when the table got another width. */
  resized() {
    if (Math.abs(this.scroller.clientWidth - this.width) < 1) {
      this.window.follow();
      return;
    }
    const before = this.placed.map(({ column, left }) => `${column.key} ${left}`).join();
    this.drawHead();
    if (before !== this.placed.map(({ column, left }) => `${column.key} ${left}`).join()) this.draw();
    else this.window.follow();
  }

  drawHead() {
    this.width = this.scroller.clientWidth;
    this.placed = arrange(this.columns, this.width, this.textScale);
    this.head.replaceChildren(headRow(this.placed, this.sort, (column) => this.sortBy(column)));
    const isCards = isNarrow(this.width, this.textScale);
    this.table.classList.toggle("is-narrow", isCards);
    const card = cardOf(this.width, this.placed.map(({ column }) => column), this.textScale);
    const width = this.placed.reduce((sum, each) => sum + each.width, 0);
    this.table.style.cssText = isCards ? `--beside:${card.beside};--span:${card.span};--card:${card.height}px` : `width:${width}px`;
    this.rowHeight = isCards ? card.height : ROW_HEIGHT * this.textScale;
    this.window.rowHeight = this.rowHeight;
  }

  /** @param {Column<Item>} column */
  sortBy(column) {
    const same = this.sort.key === column.key;
    this.sortAs(column.key, same ? !this.sort.up : !column.number || column.key === "index");
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

  draw() {
    this.window.show(this.rows, this.columns.length);
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  /**
   * @param {Item} item
   * @param {number} position
   * @returns {HTMLElement}
   */
  row(item, position) {
    const cells = this.placed.map((placed) => this.cell(item, placed));
    const attributes = { class: this.rowClass(item), role: "row", "data-item": String(item.index), "aria-rowindex": String(position + 2), "aria-selected": String(this.selected() === item) };
    return h("tr", attributes, cells);
  }

  /**
   * @param {Item} item
   * @param {PlacedColumn<Item>} placed
   * @returns {HTMLElement}
   */
  cell(item, placed) {
    const { column } = placed;
    const value = column.value(item);
    const text = column.show ? column.show(value) : visible(value || DASH);
    const cell = columnCell("td", placed);
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
    return cutLink(text, this.alike.get(text) ?? 0, attributes);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = /** @type {HTMLElement | null} */ (targetOf(event).closest("tr[data-item]"));
    if (!row || targetOf(event).closest("a") || getSelection()?.toString()) return;
    this.select(this.items[Number(row.dataset.item)]);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const step = rowStep(event.key, this.scroller.clientHeight / this.rowHeight);
    if (!step || targetOf(event).closest("thead") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.step(step);
  }

  /**
   * Select the next or previous item in the order shown.
   * @param {number} by
   */
  step(by) {
    const next = this.rows[stepped(this.positionOfSelected(), by, this.rows.length)];
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
    if (at >= 0) this.window.reveal(at);
    this.count();
    this.draw();
  }

  fillMenu() {
    const menu = byId(`${this.prefix}columns`);
    if (!menu) return;
    fillColumnMenu(menu, this.all, () => {
      this.chooseColumns();
      this.draw();
    });
  }

  /** Show the columns that are on, from the next drawing of the rows on. */
  chooseColumns() {
    this.columns = this.all.filter((column) => column.on);
    this.drawHead();
  }
}
