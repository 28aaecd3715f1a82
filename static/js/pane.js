// A drawing in a pane that scrolls: zoom with Ctrl and the wheel, move by dragging, bring something into view.

class Pane {
  /** Take the pane over; `rescaled` is called after each change of the scale. */
  constructor(view, rescaled = () => {}) {
    this.view = view;
    this.rescaled = rescaled;
    this.scale = 1;
    this.smallest = 0.03;
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.grab(event));
    view.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** Say what is drawn and how large it is at scale 1. */
  hold(svg, width, height) {
    Object.assign(this, { svg, width, height });
    this.scaleTo(this.scale);
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
    this.rescaled();
  }

  scaleTo(scale) {
    this.scale = Math.min(3, Math.max(this.smallest, scale));
    this.svg.style.width = `${this.width * this.scale}px`;
    this.svg.style.height = `${this.height * this.scale}px`;
    this.rescaled();
  }

  /** What of the drawing can be seen, in its own coordinates. */
  seen() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.view;
    // A drawing that is narrower than the view stands in its middle.
    const aside = Math.max(0, (clientWidth - this.width * this.scale) / 2);
    return {
      x: (scrollLeft - aside) / this.scale,
      y: scrollTop / this.scale,
      w: clientWidth / this.scale,
      h: clientHeight / this.scale,
    };
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

  /** Scroll until something that is drawn can be seen, past the panel that may cover a part of the view. */
  reveal(element, behavior = calm() ? "auto" : "smooth") {
    this.revealBox(element.getBoundingClientRect(), behavior);
  }

  revealBox(box, behavior = "auto") {
    const view = this.view.getBoundingClientRect();
    const covered = coveredFrom();
    // Where the panel leaves nothing of the view, as if it were not there.
    const bottom = covered > view.top + box.height ? Math.min(view.bottom, covered) : view.bottom;
    const inside = box.top >= view.top && box.bottom <= bottom && box.left >= view.left && box.right <= view.right;
    if (inside) return;
    this.view.scrollBy({
      left: box.left - view.left - (view.width - box.width) / 2,
      top: box.top - view.top - (bottom - view.top - box.height) / 2,
      behavior,
    });
  }
}
