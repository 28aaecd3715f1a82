// Two graphs that scroll and zoom together: what is in the middle of one comes into the middle of the other.

/**
 * @typedef {Object} Linked A graph as it is linked.
 * @property {any} graph With `pane`, and `places()`, which returns boxes and the layers in them.
 * @property {(layer: number) => number} partOf What a layer is a part of in both graphs, -1 for nothing.
 */

/** @typedef {{ x: number, y: number, parts: number[] }} Anchor */

export class ScrollLink {
  /**
   * @param {[Linked, Linked]} both
   * @param {() => number} preferred What is looked at, as `partOf` numbers it, -1 for nothing in particular.
   */
  constructor(both, preferred) {
    this.both = both;
    this.preferred = preferred;
    this.on = false;
    /** The graph that is moved by the other one. @type {Linked | null} */
    this.led = null;
    for (const each of both) {
      const { pane } = each.graph;
      pane.view.addEventListener("scroll", () => this.scrolled(each), { passive: true });
      const rescaled = pane.rescaled;
      pane.rescaled = () => {
        rescaled();
        this.zoomed(each);
      };
    }
  }

  /** @param {Linked} one */
  otherOf(one) {
    return this.both[one === this.both[0] ? 1 : 0];
  }

  /** @param {Linked} one */
  zoomed(one) {
    const other = this.otherOf(one).graph.pane;
    if (!this.on || Math.abs(other.scale - one.graph.pane.scale) < 1e-6) return;
    // The other one may have to be smaller than it would become by itself.
    other.smallest = Math.min(other.smallest, one.graph.pane.scale);
    other.scaleTo(one.graph.pane.scale);
  }

  /** @param {Linked} one */
  scrolled(one) {
    if (!this.on) return;
    if (this.led === one) this.led = null;
    else this.follow(one);
  }

  /**
   * Bring the other graph to where this one is.
   * @param {Linked} one
   */
  follow(one) {
    const other = this.otherOf(one);
    const { view } = other.graph.pane;
    const seen = one.graph.pane.seen();
    const goal = followed(anchorsOf(one), anchorsOf(other), { x: seen.x + seen.w / 2, y: seen.y + seen.h / 2, w: seen.w, h: seen.h }, this.preferred());
    if (!goal) return;
    const { scale } = other.graph.pane;
    // At the same height of the window, though what is above the graphs differs.
    const [here, there] = [one.graph.pane.view, view].map((each) => each.getBoundingClientRect().top + each.clientHeight / 2);
    const [left, top] = [goal.x * scale - view.clientWidth / 2, goal.y * scale - view.clientHeight / 2 - here + there];
    const before = [view.scrollLeft, view.scrollTop];
    view.scrollTo({ left, top, behavior: "instant" });
    // Without a move there will be no event.
    if (before[0] !== view.scrollLeft || before[1] !== view.scrollTop) this.led = other;
  }
}

/**
 * The middles of the boxes of a graph, and what is in each.
 * @param {Linked} linked
 * @returns {Anchor[]}
 */
function anchorsOf({ graph, partOf }) {
  return graph.places().map((/** @type {{ box: Box, layers: number[] }} */ { box, layers }) => ({ x: box.x + box.w / 2, y: box.y + box.h / 2, parts: [...new Set(layers.map(partOf))].filter((part) => part >= 0) }));
}

/**
 * Where the middle of the other graph has to be: what both have nearest to the middle of this one, or what is looked
 * at as far as it is in view, is at the same place in both.
 * @param {Anchor[]} here
 * @param {Anchor[]} there
 * @param {Box} view Its middle and its size.
 * @param {number} preferred
 * @returns {{ x: number, y: number } | null}
 */
export function followed(here, there, view, preferred) {
  /** @type {Map<number, Anchor>} */
  const placeOf = new Map();
  for (const anchor of there) for (const part of anchor.parts) if (!placeOf.has(part)) placeOf.set(part, anchor);
  let nearest = null;
  let least = Infinity;
  for (const anchor of here) {
    const part = anchor.parts.includes(preferred) && placeOf.has(preferred) ? preferred : anchor.parts.find((each) => placeOf.has(each));
    const place = placeOf.get(part ?? NaN);
    if (!place) continue;
    const [dx, dy] = [anchor.x - view.x, anchor.y - view.y];
    const isLookedAt = part === preferred && Math.abs(dx) < view.w / 2 && Math.abs(dy) < view.h / 2;
    const distance = isLookedAt ? -1 : Math.hypot(dx, dy);
    if (distance >= least) continue;
    least = distance;
    nearest = { x: place.x - dx, y: place.y - dy };
  }
  return nearest;
}
