// The graph: zoom, drag, colours, and what is selected or matches the filter.

// A square, a triangle and a disc, as wide as a layer's name is high.
const FLAGS = { error: "M-6-6H6V6H-6Z", warning: "M0-8L8 6H-8Z", info: "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0Z" };

class Graph {
  constructor(data) {
    this.data = data;
    this.view = byId("graph-view");
    this.svg = this.view?.querySelector(".graph-svg");
    if (!this.svg) return;
    this.width = this.svg.viewBox.baseVal.width;
    this.height = this.svg.viewBox.baseVal.height;
    this.nodes = new Map([...this.svg.querySelectorAll(".node")].map((node) => [Number(node.dataset.layer), node]));
    this.svg.classList.add("is-zoomed");
    this.fit();
    byId("graph-fit").addEventListener("click", () => this.fitAll());
    byId("graph-in").addEventListener("click", () => this.zoom(1.25));
    byId("graph-out").addEventListener("click", () => this.zoom(0.8));
    byId("graph-by-type").addEventListener("click", () => this.colourBy("type"));
    byId("graph-by-precision").addEventListener("click", () => this.colourBy("precision"));
    byId("graph-by-findings")?.addEventListener("click", () => this.colourBy("findings"));
    for (const [index, node] of this.nodes) this.flag(node, findingsOf(data.layers[index]));
    this.view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.view.addEventListener("pointerdown", (event) => this.grab(event));
    this.view.addEventListener("dragstart", (event) => event.preventDefault());
    this.view.addEventListener("click", (event) => this.clicked(event));
    // Not on the drawing: listeners to the focus would make it a stop of the Tab key itself.
    this.view.addEventListener("keydown", (event) => this.keyed(event));
    this.view.addEventListener("focusin", (event) => this.rove(event.target.closest(".node")));
    // One stop of the Tab key for the whole graph; the arrow keys go from layer to layer.
    for (const node of this.nodes.values()) node.setAttribute("tabindex", "-1");
    this.rove(this.nodes.values().next().value);
  }

  /** Begin with the whole width if that can be read, at the top and in the middle. */
  fit() {
    this.scaleTo(Math.min(1, Math.max(0.6, (this.view.clientWidth - 8) / this.width)));
    this.view.scrollLeft = (this.view.scrollWidth - this.view.clientWidth) / 2;
  }

  fitAll() {
    this.scaleTo(Math.min(1, (this.view.clientWidth - 8) / this.width, (this.view.clientHeight - 8) / this.height));
  }

  zoom(factor, x = this.view.clientWidth / 2, y = this.view.clientHeight / 2) {
    const before = this.scale;
    const left = (this.view.scrollLeft + x) / before;
    const top = (this.view.scrollTop + y) / before;
    this.scaleTo(before * factor);
    this.view.scrollLeft = left * this.scale - x;
    this.view.scrollTop = top * this.scale - y;
  }

  scaleTo(scale) {
    this.scale = Math.min(3, Math.max(0.03, scale));
    this.svg.style.width = `${this.width * this.scale}px`;
    this.svg.style.height = `${this.height * this.scale}px`;
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = this.view.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }

  grab(event) {
    this.dragged = false;
    const box = this.view.getBoundingClientRect();
    const onScrollbar = event.clientX - box.left >= this.view.clientWidth || event.clientY - box.top > this.view.clientHeight + this.view.clientTop;
    if (event.button !== 0 || event.pointerType === "touch" || onScrollbar) return;
    const start = { x: event.clientX, y: event.clientY, left: this.view.scrollLeft, top: this.view.scrollTop };
    const end = new AbortController();
    const move = (to) => {
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

  clicked(event) {
    if (this.dragged) {
      event.preventDefault();
      return;
    }
    const tensor = event.target.closest(".edge, .port");
    if (!tensor) return;
    // What was clicked is in view.
    this.clickedTensor = true;
    setState({ layer: null, tensor: Number(tensor.dataset.tensor) });
    this.clickedTensor = false;
  }

  /** Down to the first layer that reads, up to the first that writes, sideways in the order of execution. */
  keyed(event) {
    const index = Number(event.target.closest(".node")?.dataset.layer ?? NaN);
    if (Number.isNaN(index) || event.altKey || event.ctrlKey || event.metaKey) return;
    const drawn = [...this.nodes.keys()].sort((left, right) => left - right);
    const beside = (by) => drawn[drawn.indexOf(index) + by];
    const go = {
      ArrowDown: () => this.along(index, "outputs", "to"),
      ArrowUp: () => this.along(index, "inputs", "from"),
      ArrowRight: () => beside(1),
      ArrowLeft: () => beside(-1),
    }[event.key];
    if (!go) return;
    event.preventDefault();
    const node = this.nodes.get(go());
    if (!node) return;
    node.focus({ preventScroll: true });
    this.reveal(node);
  }

  /** The nearest drawn layer along the tensors, past what is folded into the arrows. */
  along(index, uses, ends) {
    const seen = new Set([index]);
    for (const at of seen) {
      if (at !== index && this.nodes.has(at)) return at;
      for (const [tensor] of this.data.layers[at][uses]) for (const next of this.data.tensors[tensor][ends]) seen.add(next);
    }
    return undefined;
  }

  rove(node) {
    if (!node) return;
    this.stop?.setAttribute("tabindex", "-1");
    this.stop = node;
    node.setAttribute("tabindex", "0");
  }

  /** Mark a layer that has findings with the sign of the gravest, on its box's corner. */
  flag(node, findings) {
    if (!findings.length) return;
    const { severity } = findings[0];
    const sign = document.createElementNS(this.svg.namespaceURI, "path");
    sign.setAttribute("class", `flag flag-${severity}`);
    sign.setAttribute("d", FLAGS[severity]);
    sign.setAttribute("transform", `translate(${node.querySelector(".node-box").getAttribute("width")})`);
    node.classList.add(`has-${severity}`);
    node.append(sign);
    const titles = findings.slice(0, 8).map(({ code, severity, title }) => `\n${severity} ${visible(code)}: ${shorten(visible(title), 200)}`);
    node.querySelector("title").append(...titles);
  }

  colourBy(what) {
    for (const each of ["type", "precision", "findings"]) byId(`graph-by-${each}`)?.setAttribute("aria-pressed", String(what === each));
    this.svg.classList.toggle("by-findings", what === "findings");
    for (const [index, node] of this.nodes) {
      const layer = this.data.layers[index];
      const shade = what === "precision" ? this.data.precisionColours[layer.precision] : this.data.typeColours[layer.type];
      node.querySelector(".node-mark").setAttribute("fill", shade);
    }
    byId("legend-type").hidden = what !== "type";
    if (byId("legend-findings")) byId("legend-findings").hidden = what !== "findings";
  }

  filter(text, table) {
    if (!this.svg) return;
    const filtered = Boolean(text.trim());
    this.svg.classList.toggle("is-filtered", filtered);
    const matches = new Set(filtered ? table.rows.map((layer) => layer.index) : []);
    for (const [index, node] of this.nodes) node.classList.toggle("is-match", matches.has(index));
  }

  show() {
    if (!this.svg) return;
    this.svg.querySelectorAll(".is-selected, .is-lit").forEach((each) => each.classList.remove("is-selected", "is-lit"));
    if (state.layer) {
      const node = this.nodes.get(state.layer.index);
      if (node) {
        node.classList.add("is-selected");
        this.rove(node);
        this.reveal(node);
      }
      const tensors = [...state.layer.inputs, ...state.layer.outputs].map(([index]) => index);
      this.light(tensors);
    } else if (state.tensor != null) {
      const { from, to } = this.data.tensors[state.tensor];
      const ends = [...from, ...to].map((layer) => this.nodes.get(layer)).filter(Boolean);
      ends.forEach((node) => node.classList.add("is-lit"));
      this.light([state.tensor]);
      const place = this.svg.querySelector(".port.is-lit") ?? ends[0];
      if (place && !this.clickedTensor) this.reveal(place);
    }
  }

  light(tensors) {
    const lit = new Set(tensors.map(String));
    for (const each of this.svg.querySelectorAll("[data-tensor]")) if (lit.has(each.dataset.tensor)) each.classList.add("is-lit");
  }

  reveal(node) {
    const box = node.getBoundingClientRect();
    const view = this.view.getBoundingClientRect();
    const covered = coveredFrom();
    // Where the panel leaves nothing of the view, as if it were not there.
    const bottom = covered > view.top + box.height ? Math.min(view.bottom, covered) : view.bottom;
    const inside = box.top >= view.top && box.bottom <= bottom && box.left >= view.left && box.right <= view.right;
    if (inside) return;
    this.view.scrollBy({
      left: box.left - view.left - (view.width - box.width) / 2,
      top: box.top - view.top - (bottom - view.top - box.height) / 2,
      behavior: calm() ? "auto" : "smooth",
    });
  }
}
