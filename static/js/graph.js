// The graph: zoom, drag, colours, and what is selected or matches the filter.

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
    this.view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.view.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("click", (event) => this.clicked(event));
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
    if (event.button !== 0 || event.pointerType === "touch") return;
    const start = { x: event.clientX, y: event.clientY, left: this.view.scrollLeft, top: this.view.scrollTop };
    this.dragged = false;
    const move = (to) => {
      const [dx, dy] = [to.clientX - start.x, to.clientY - start.y];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      this.dragged = true;
      this.view.classList.add("is-dragging");
      this.view.scrollLeft = start.left - dx;
      this.view.scrollTop = start.top - dy;
    };
    const drop = () => {
      removeEventListener("pointermove", move);
      this.view.classList.remove("is-dragging");
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop, { once: true });
    event.target.closest("a") && event.target.closest("a").setAttribute("draggable", "false");
  }

  clicked(event) {
    if (this.dragged) {
      event.preventDefault();
      this.dragged = false;
      return;
    }
    const tensor = event.target.closest(".edge, .port");
    if (tensor) setState({ layer: null, tensor: Number(tensor.dataset.tensor) });
  }

  colourBy(what) {
    byId("graph-by-type").setAttribute("aria-pressed", String(what === "type"));
    byId("graph-by-precision").setAttribute("aria-pressed", String(what === "precision"));
    for (const [index, node] of this.nodes) {
      const layer = this.data.layers[index];
      const shade = what === "type" ? this.data.typeColours[layer.type] : this.data.precisionColours[layer.precision];
      node.querySelector(".node-mark").setAttribute("fill", shade);
    }
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
        this.reveal(node);
      }
      const tensors = [...state.layer.inputs, ...state.layer.outputs].map(([index]) => index);
      this.light(tensors);
    } else if (state.tensor != null) {
      this.light([state.tensor]);
    }
  }

  light(tensors) {
    for (const tensor of tensors) {
      this.svg.querySelectorAll(`[data-tensor="${tensor}"]`).forEach((each) => each.classList.add("is-lit"));
    }
  }

  reveal(node) {
    const box = node.getBoundingClientRect();
    const view = this.view.getBoundingClientRect();
    const inside = box.top >= view.top && box.bottom <= view.bottom && box.left >= view.left && box.right <= view.right;
    if (inside) return;
    this.view.scrollBy({
      left: box.left - view.left - (view.width - box.width) / 2,
      top: box.top - view.top - (view.height - box.height) / 2,
      behavior: calm() ? "auto" : "smooth",
    });
  }
}
