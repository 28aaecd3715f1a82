// The keys of the graph of a large engine: one stop of the Tab key, and arrow keys from node to node.

import { closestTo, focusedElement, find } from "../../dom/elements.js";
import { TabStop } from "../../dom/tab_stop.js";
import { nearestLayer } from "../neighbors.js";
import { headOf } from "./boxes.js";

/** @import { GraphViewer } from "./graph_viewer.js" */

export class ViewerKeys {
  /** @param {GraphViewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.stop = new TabStop();
    viewer.view.addEventListener("keydown", (event) => this.keyed(event));
    viewer.view.addEventListener("focusin", (event) => this.stop.moveTo(closestTo(event, ".plan-svg [tabindex]")));
  }

  /** Make the first element the stop of the Tab key if the last one is gone. */
  ensureStop() {
    if (!this.stop.element?.isConnected) this.stop.moveTo(this.viewer.drawing.svg.querySelector("[tabindex]"));
  }

  /**
   * Return a function that moves the focus back to where it is now, after the graph was drawn again.
   * @returns {() => void}
   */
  focusHolder() {
    const place = /** @type {HTMLElement | null} */ (focusedElement()?.closest(".plan-svg [tabindex]"));
    const { layer, block } = (this.viewer.view.contains(place) && place?.dataset) || {};
    if (layer) return () => this.focusOn(`.node[data-layer="${layer}"]`);
    return block ? () => this.focusOn(`.block-toggle[data-block="${block}"]`) : () => {};
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const place = closestTo(event, ".plan-svg [tabindex]");
    if (!place || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = place.dataset.layer ? this.keysOfLayer(Number(place.dataset.layer)) : this.keysOfBlock(place);
    const action = act[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /**
   * @param {HTMLElement} place
   * @returns {Record<string, () => unknown>}
   */
  keysOfBlock(place) {
    const id = Number(place.dataset.block);
    const open = this.viewer.tree.open.has(id);
    const at = open ? this.viewer.layout.frames.find((frame) => frame.block.id === id)?.first ?? 0 : Number(place.dataset.item);
    const around = this.viewer.tree.blocks[id]?.parent;
    return {
      Enter: () => place.dataset.block && this.viewer.toggle(id),
      " ": () => place.dataset.block && this.viewer.toggle(id),
      ArrowRight: () => !open && place.dataset.block && this.viewer.toggle(id),
      ArrowLeft: () => (open ? this.viewer.toggle(id) : around && this.closeAround(around)),
      ArrowDown: () => this.focusItem(open ? at : at + 1),
      ArrowUp: () => this.focusItem(at - 1),
    };
  }

  /** @param {number} id */
  closeAround(id) {
    this.viewer.toggle(id);
    this.viewer.revealItem(headOf(this.viewer.layout, id));
    this.focusOn(`.block-toggle[data-block="${id}"]`);
  }

  /**
   * @param {number} index
   * @returns {Record<string, () => unknown>}
   */
  keysOfLayer(index) {
    const { block } = this.viewer.tree.parts[this.viewer.tree.partOf[index]];
    const stacked = new Set(this.viewer.layout.items.map((item) => item.part?.index));
    const drawn = (/** @type {number} */ layer) => stacked.has(this.viewer.tree.partOf[layer]);
    /** @type {(uses: "inputs" | "outputs", ends: "from" | "to") => number | undefined} */
    const along = (uses, ends) => nearestLayer(this.viewer.data, index, uses, ends, drawn);
    const beside = (/** @type {number} */ by) => {
      let at = index + by;
      while (at >= 0 && at < this.viewer.data.layers.length && !drawn(at)) at += by;
      return this.viewer.data.layers[at] ? at : undefined;
    };
    const here = this.viewer.layout.items.findIndex((item) => item.part?.index === this.viewer.tree.partOf[index]);
    // Where no open block is left in that direction, on to the closed one beside this.
    const go = (/** @type {number | undefined} */ layer, /** @type {number} */ by) => (layer == null ? this.focusItem(here + by) : this.focusLayer(layer));
    return {
      ArrowDown: () => go(along("outputs", "to"), 1),
      ArrowUp: () => go(along("inputs", "from"), -1),
      ArrowRight: () => go(beside(1), 1),
      ArrowLeft: () => go(beside(-1), -1),
      Backspace: () => this.closeAround(block.id),
    };
  }

  /** @param {number} layer */
  focusLayer(layer) {
    if (layer == null) return;
    this.viewer.revealLayer(layer, false);
    this.focusOn(`.node[data-layer="${layer}"]`);
  }

  /** @param {number} index */
  focusItem(index) {
    const item = this.viewer.layout.items[index];
    if (!item) return;
    if (item.part) {
      this.focusLayer(item.part.layers[0]);
      return;
    }
    this.viewer.revealItem(item);
    this.focusOn(`[data-item="${index}"]`);
  }

  /** @param {string} selector */
  focusOn(selector) {
    find(this.viewer.drawing.svg, selector)?.focus({ preventScroll: true });
  }
}
