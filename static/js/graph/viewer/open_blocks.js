// Which blocks of a large engine's graph are open: buttons, clicks, and what the address holds of it.

import { byId, targetOf } from "../../dom/elements.js";
import { setState } from "../../state/state.js";
import { headOf } from "./boxes.js";

/** @import { GraphViewer } from "./graph_viewer.js" */

/**
 * How the address holds what is open, and from which share on blocks are shown; empty for what is open at first.
 * @param {string} open
 * @param {number} least Percent of the time.
 * @param {string} first What is open at first.
 * @returns {string}
 */
export function openAddress(open, least, first) {
  return open === first && !least ? "" : [open, least].filter(Boolean).join("_");
}

export class OpenBlocks {
  /**
   * @param {GraphViewer} viewer
   * @param {"graph" | "model" | null} key The part of the state that holds it; null for a graph that the state does not hold.
   */
  constructor(viewer, key) {
    this.viewer = viewer;
    this.key = key;
    /** Blocks of a smaller share of the time, in percent, are taken together. */
    this.least = 0;
    viewer.tree.openFirst();
    this.first = viewer.tree.openText();
    /** The field for the share, on pages that have one. */
    this.field = byId(`${viewer.prefix}plan-least`);
  }

  watch() {
    const press = (/** @type {string} */ id, /** @type {() => void} */ action) => byId(this.viewer.prefix + id)?.addEventListener("click", action);
    press("plan-open-all", () => this.openTo(this.viewer.tree.deepest + 1));
    press("plan-close-all", () => this.openTo(1));
    press("plan-deeper", () => this.openTo(this.depth() + 1));
    this.field?.addEventListener("change", (event) => this.showFrom(Number(targetOf(event).value)));
  }

  /** Open all blocks at first, as of a small model. */
  beginWithAll() {
    const { tree } = this.viewer;
    tree.openTo(tree.deepest + 1);
    this.first = tree.openText();
  }

  /** @returns {number} */
  depth() {
    const { open, blocks } = this.viewer.tree;
    return Math.max(...[...open].map((id) => blocks[id].depth)) + 1;
  }

  /** @param {number} depth */
  openTo(depth) {
    this.change(() => this.viewer.tree.openTo(depth));
    this.viewer.begin();
  }

  /** @param {number} least */
  showFrom(least) {
    this.change(() => (this.least = least));
  }

  /** @param {number} id */
  toggle(id) {
    const { open } = this.viewer.tree;
    this.change(() => {
      if (!open.delete(id)) open.add(id);
    }, id);
  }

  /**
   * Change the layout, and keep a block where it was in the view, or else the top of the view.
   * @param {() => void} action
   * @param {number} [block]
   */
  change(action, block) {
    const { viewer } = this;
    const place = () => (block == null ? null : headOf(viewer.layout, block));
    const before = place();
    const restoreFocus = viewer.keys.focusHolder();
    action();
    viewer.stack();
    const after = place();
    if (before && after) {
      viewer.view.scrollLeft += (after.x - before.x) * viewer.pane.scale;
      viewer.view.scrollTop += (after.y - before.y) * viewer.pane.scale;
    }
    viewer.draw();
    restoreFocus();
    if (this.key) setState({ [this.key]: openAddress(viewer.tree.openText(), this.least, this.first) }, this.key);
  }

  /**
   * Show what the address says is open.
   * @param {string} text
   */
  restore(text) {
    const { tree } = this.viewer;
    const [open, wanted] = (text || this.first).split("_");
    // Only what can be chosen: anything else could not be undone by choosing.
    const least = [...(this.field?.options ?? [])].some((option) => option.value === wanted) ? Number(wanted) : 0;
    if (open === tree.openText() && least === this.least) return;
    if (!tree.openFrom(open)) return;
    this.least = least;
    if (this.field) this.field.value = String(least);
    this.viewer.stack();
    this.viewer.draw();
  }
}
