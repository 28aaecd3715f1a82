// The table of layers: only the rows in view are in the page, so that 20,000 stay smooth.

const ROW_HEIGHT = 28;
const OVERSCAN = 12;

class LayerTable {
  constructor(data) {
    this.data = data;
    this.fits = () => true;
    this.sort = { key: "index", up: true };
    COLUMNS.find((column) => column.key === "findings").on = data.layers.some((layer) => layer.findings.length);
    this.columns = COLUMNS.filter((column) => column.on);
    this.largestShare = data.layers.reduce((most, layer) => Math.max(most, layer.share ?? 0), 0);
    this.scroller = byId("grid-scroll");
    this.body = h("tbody");
    this.head = h("thead");
    this.table = h("table", { "aria-label": "Layers" }, this.head, this.body);
    this.scroller.append(this.table);
    this.scroller.addEventListener("scroll", () => this.requestDraw(), { passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.scroller.addEventListener("keydown", (event) => this.keyed(event));
    new ResizeObserver(() => this.requestDraw()).observe(this.scroller);
    this.drawHead();
    this.fillMenu();
  }

  filter(text) {
    const input = byId("filter");
    let fits;
    try {
      fits = compileQuery(text, this.data);
      this.problem = "";
      input.removeAttribute("aria-invalid");
    } catch (error) {
      this.problem = error.message;
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

  /** Bring all layers into the order of a column; which of them are shown changes more often. */
  order() {
    const column = COLUMNS.find((each) => each.key === this.sort.key);
    const direction = this.sort.up ? 1 : -1;
    const keyed = this.data.layers.map((layer) => [column.value(layer), layer]);
    keyed.sort(([left, first], [right, second]) => {
      const missing = (left == null || left === "") - (right == null || right === "");
      if (missing) return missing;
      if (left === right || (left == null && right == null)) return first.index - second.index;
      return (column.number ? left - right : left < right ? -1 : 1) * direction || first.index - second.index;
    });
    this.sorted = keyed.map(([, layer]) => layer);
    this.choose();
  }

  /** Say how many rows are shown, or why the filter can't be used. */
  count() {
    const [shown, of] = [this.rows.length, this.data.layers.length];
    const parts = [shown === of ? formatCount(of) : `${formatCount(shown)} of ${formatCount(of)}`, of === 1 ? " layer" : " layers"];
    if (shown < of && this.largestShare) parts.push(`, ${formatPercent(this.rows.reduce((sum, layer) => sum + (layer.share ?? 0), 0))} of the time`);
    if (state.layer && shown < of && !this.rows.includes(state.layer)) parts.push("; the selected layer is not among them");
    const text = this.problem || parts.join("");
    if (byId("layer-count").textContent !== text) byId("layer-count").textContent = text;
  }

  drawHead() {
    const cells = this.columns.map((column) => {
      const sorted = this.sort.key === column.key;
      const arrow = sorted ? (this.sort.up ? " ↑" : " ↓") : "";
      const button = h("button", { type: "button", onclick: () => this.sortBy(column) }, column.label + arrow);
      const cell = h("th", { scope: "col", class: column.number ? "number" : null }, button);
      if (sorted) cell.setAttribute("aria-sort", this.sort.up ? "ascending" : "descending");
      cell.style.width = `${column.width}px`;
      return cell;
    });
    this.head.replaceChildren(h("tr", {}, cells));
    this.table.style.minWidth = `${this.columns.reduce((sum, column) => sum + column.width, 0)}px`;
  }

  sortBy(column) {
    const same = this.sort.key === column.key;
    this.sort = { key: column.key, up: same ? !this.sort.up : !column.number || column.key === "index" };
    this.drawHead();
    this.order();
    this.head.querySelectorAll("button")[this.columns.indexOf(column)].focus({ preventScroll: true });
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

  /** The rows in view and some beyond; the last one is not among them. */
  inView() {
    const first = Math.max(0, Math.min(this.rows.length, Math.floor(this.scroller.scrollTop / ROW_HEIGHT)) - OVERSCAN);
    const seen = Math.ceil((this.scroller.clientHeight || 600) / ROW_HEIGHT) + 2 * OVERSCAN;
    return [first, Math.min(this.rows.length, first + seen)];
  }

  draw() {
    const [first, last] = ([this.first, this.last] = this.inView());
    const focused = this.body.contains(document.activeElement);
    this.above = this.spacer(first);
    this.below = this.spacer(this.rows.length - last);
    this.body.replaceChildren(this.above, ...this.made(first, last), this.below);
    // The rows are new ones: who was on a link in one of them goes on with the arrow keys.
    if (focused) this.scroller.focus({ preventScroll: true });
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  made(first, last) {
    return this.rows.slice(first, last).map((layer, at) => this.row(layer, first + at));
  }

  /** Show other rows, keeping those that stay: making all of them anew takes longer than a frame. */
  slide(first, last) {
    if (!this.above || first >= this.last || last <= this.first) {
      this.draw();
      return;
    }
    const focused = this.body.contains(document.activeElement);
    for (; this.first < first; this.first += 1) this.above.nextSibling.remove();
    for (; this.last > last; this.last -= 1) this.below.previousSibling.remove();
    this.above.after(...this.made(first, this.first));
    this.below.before(...this.made(this.last, last));
    [this.first, this.last] = [first, last];
    this.space(this.above, first);
    this.space(this.below, this.rows.length - last);
    if (focused && !this.body.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
  }

  spacer(count) {
    const cell = h("td", { colspan: String(this.columns.length) });
    return this.space(h("tr", { class: "spacer", "aria-hidden": "true" }, cell), count);
  }

  space(spacer, count) {
    spacer.hidden = count === 0;
    spacer.firstChild.style.height = `${count * ROW_HEIGHT}px`;
    return spacer;
  }

  row(layer, position) {
    const cells = this.columns.map((column) => this.cell(layer, column));
    return h(
      "tr",
      { class: layer.findings.length ? `has-${findingsOf(layer)[0].severity}` : null, "data-layer": String(layer.index), "aria-rowindex": String(position + 2), "aria-selected": String(state.layer === layer) },
      cells,
    );
  }

  cell(layer, column) {
    const value = column.value(layer);
    const text = column.show ? column.show(value) : visible(value || DASH);
    const cell = h("td", { class: column.number ? "number" : null });
    // A link of its own for each row would be as many stops of the Tab key: the arrow keys do it.
    if (column.key === "name") cell.append(h("a", { class: "name", href: layerLink(layer), title: shorten(text, 1000), tabindex: "-1" }, shorten(text, 300)));
    else if (column.key === "findings" && value) cell.append(...this.codes(layer));
    else if (column.bar) cell.append(this.bar(value), text);
    else cell.append(shorten(text, 300));
    if (!column.number && column.key !== "name" && text.length > 30) cell.title = shorten(text, 1000);
    return cell;
  }

  codes(layer) {
    return findingsOf(layer).slice(0, 8).flatMap((finding) => [findingMark(finding, { tabindex: "-1", title: shorten(visible(finding.title), 400) }), " "]);
  }

  bar(share) {
    const bar = h("span", { class: "cell-bar", "aria-hidden": "true" });
    bar.style.width = `${share && this.largestShare ? (56 * share) / this.largestShare : 0}px`;
    return bar;
  }

  clicked(event) {
    const row = event.target.closest("tr[data-layer]");
    if (!row || event.target.closest("a") || getSelection().toString()) return;
    select(this.data.layers[Number(row.dataset.layer)]);
  }

  keyed(event) {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, End: Infinity, Home: -Infinity }[event.key];
    if (!step || event.target.closest("thead") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.step(step);
  }

  /** Select the next or previous layer in the order shown. */
  step(by) {
    const at = this.rows.indexOf(state.layer);
    const next = this.rows[at < 0 && Number.isFinite(by) ? 0 : Math.min(this.rows.length - 1, Math.max(0, at + by))];
    if (next) select(next, "step");
  }

  /** Bring the selected layer's row into view inside the table, without moving the page. */
  reveal() {
    const at = this.rows.indexOf(state.layer);
    if (at >= 0) {
      const top = at * ROW_HEIGHT;
      const { top: edge, height: whole } = this.scroller.getBoundingClientRect();
      const free = coveredFrom() - edge;
      const height = (free > 100 ? Math.min(whole, free) : whole) - 40;
      if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - ROW_HEIGHT) {
        this.scroller.scrollTop = Math.max(0, top - height / 2);
      }
    }
    this.count();
    this.draw();
  }

  fillMenu() {
    const boxes = COLUMNS.map((column) => {
      const box = h("input", { type: "checkbox" });
      box.checked = this.columns.includes(column);
      box.addEventListener("change", () => {
        column.on = box.checked;
        this.columns = COLUMNS.filter((each) => each.on);
        this.drawHead();
        this.draw();
      });
      return h("label", {}, box, ` ${column.label}`);
    });
    byId("columns").replaceChildren(...boxes);
  }
}
