// The table of layers: only the rows in view are in the page, so that 20,000 stay smooth.

const ROW_HEIGHT = 28;
const OVERSCAN = 12;

const COLUMNS = [
  { key: "index", label: "#", width: 56, number: true, value: (layer) => layer.index, show: formatCount, on: true },
  { key: "name", label: "Name", width: 340, value: (layer) => layer.name, on: true },
  { key: "type", label: "Type", width: 128, value: (layer) => layer.type, on: true },
  { key: "precision", label: "Precision", width: 88, value: (layer) => layer.precision, on: true },
  { key: "out", label: "Output", width: 80, value: (layer) => layer.out },
  { key: "ms", label: "Time, ms", width: 92, number: true, value: (layer) => layer.ms, show: formatNumber, on: true },
  { key: "share", label: "Share, %", width: 128, number: true, bar: true, value: (layer) => layer.share, show: formatNumber, on: true },
  { key: "median", label: "Median, ms", width: 96, number: true, value: (layer) => layer.median, show: formatNumber },
  { key: "moved", label: "Moved", width: 96, number: true, value: (layer) => layer.moved, show: formatBytes, on: true },
  { key: "weights", label: "Weights", width: 96, number: true, value: (layer) => layer.weights, show: formatBytes },
  { key: "gbs", label: "GB/s", width: 80, number: true, value: (layer) => layer.gbs, show: formatNumber },
  { key: "gmac", label: "GMAC", width: 80, number: true, value: (layer) => (layer.work ? layer.work.macs / 1e9 : null), show: formatNumber },
  { key: "tflops", label: "TFLOP/s", width: 84, number: true, value: (layer) => layer.work?.tflops, show: formatNumber },
  { key: "stream", label: "Stream", width: 72, number: true, value: (layer) => layer.stream, show: formatCount },
  { key: "tactic", label: "Tactic", width: 320, value: (layer) => layer.tactic, on: true },
  { key: "onnx", label: "Made from", width: 320, value: (layer) => layer.onnx.join(", ") },
];

class LayerTable {
  constructor(data) {
    this.data = data;
    this.rows = data.layers;
    this.sort = { key: "index", up: true };
    this.columns = COLUMNS.filter((column) => column.on);
    this.largestShare = Math.max(0, ...data.layers.map((layer) => layer.share ?? 0).slice(0, 100000));
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
      input.removeAttribute("aria-invalid");
    } catch (error) {
      input.setAttribute("aria-invalid", "true");
      byId("layer-count").textContent = error.message;
      return;
    }
    this.rows = this.data.layers.filter(fits);
    this.order();
  }

  order() {
    const column = COLUMNS.find((each) => each.key === this.sort.key);
    const direction = this.sort.up ? 1 : -1;
    const keyed = this.rows.map((layer) => [column.value(layer), layer]);
    keyed.sort(([left, first], [right, second]) => {
      const missing = (left == null || left === "") - (right == null || right === "");
      if (missing) return missing;
      if (left === right || (left == null && right == null)) return first.index - second.index;
      return (column.number ? left - right : left < right ? -1 : 1) * direction || first.index - second.index;
    });
    this.rows = keyed.map(([, layer]) => layer);
    this.count();
    this.draw();
  }

  count() {
    const time = this.rows.reduce((sum, layer) => sum + (layer.share ?? 0), 0);
    const all = this.rows.length === this.data.layers.length;
    const share = !all && this.largestShare ? `, ${formatPercent(time)} of the time` : "";
    byId("layer-count").textContent = all
      ? `${formatCount(this.rows.length)} layers`
      : `${formatCount(this.rows.length)} of ${formatCount(this.data.layers.length)} layers${share}`;
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
    this.head.querySelectorAll("button")[this.columns.indexOf(column)].focus();
  }

  requestDraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - OVERSCAN);
    const seen = Math.ceil((this.scroller.clientHeight || 600) / ROW_HEIGHT) + 2 * OVERSCAN;
    const last = Math.min(this.rows.length, first + seen);
    const rows = this.rows.slice(first, last).map((layer, position) => this.row(layer, first + position));
    this.body.replaceChildren(this.spacer(first), ...rows, this.spacer(this.rows.length - last));
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  spacer(count) {
    const cell = h("td", { colspan: String(this.columns.length) });
    const row = h("tr", { class: "spacer", "aria-hidden": "true" }, cell);
    row.hidden = count === 0;
    cell.style.height = `${count * ROW_HEIGHT}px`;
    return row;
  }

  row(layer, position) {
    const cells = this.columns.map((column) => this.cell(layer, column));
    return h(
      "tr",
      { "data-layer": String(layer.index), "aria-rowindex": String(position + 2), "aria-selected": String(state.layer === layer) },
      cells,
    );
  }

  cell(layer, column) {
    const value = column.value(layer);
    const text = column.show ? column.show(value) : visible(value || DASH);
    const cell = h("td", { class: column.number ? "number" : null });
    if (column.key === "name") cell.append(h("a", { class: "name", href: layerLink(layer), title: shorten(text, 1000) }, shorten(text, 300)));
    else if (column.bar) cell.append(this.bar(value), text);
    else cell.append(shorten(text, 300));
    if (!column.number && column.key !== "name" && text.length > 30) cell.title = shorten(text, 1000);
    return cell;
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
    if (event.target !== this.scroller || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    this.step(event.key === "ArrowDown" ? 1 : -1);
  }

  /** Select the next or previous layer in the order shown. */
  step(by) {
    const at = this.rows.indexOf(state.layer);
    const next = this.rows[at < 0 ? 0 : Math.min(this.rows.length - 1, Math.max(0, at + by))];
    if (next) select(next);
  }

  /** Bring a layer's row into view inside the table, without moving the page. */
  reveal(layer) {
    const at = this.rows.indexOf(layer);
    if (at >= 0) {
      const top = at * ROW_HEIGHT;
      const height = this.scroller.clientHeight - 40;
      if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + height - ROW_HEIGHT) {
        this.scroller.scrollTop = Math.max(0, top - height / 2);
      }
    }
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

  /** The rows and columns shown, as texts that a spreadsheet or a document takes. */
  asCsv() {
    const quote = (value) => {
      const text = value == null ? "" : String(value);
      // A leading apostrophe keeps a spreadsheet from running a name as a formula.
      const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    const lines = this.rows.map((layer) => this.columns.map((column) => quote(column.value(layer))).join(","));
    return [this.columns.map((column) => quote(column.label)).join(","), ...lines].join("\r\n");
  }

  asMarkdown() {
    const cell = (text) => visible(text).replace(/[\\`*_{}[\]<>|~]/g, "\\$&").replace(/\r?\n/g, " ");
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rule = line(this.columns.map((column) => (column.number ? "--:" : "---")));
    const rows = this.rows.map((layer) =>
      line(
        this.columns.map((column) => {
          const value = column.value(layer);
          return cell(column.show ? column.show(value) : value || DASH);
        }),
      ),
    );
    return [line(this.columns.map((column) => column.label)), rule, ...rows].join("\n");
  }
}
