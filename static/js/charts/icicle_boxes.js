// The boxes of an icicle as elements.

import { fitText, svg } from "../dom/svg.js";
import { inkOn } from "./ink.js";

/** @import { LayerStyle } from "../graph/layer_style.js" */
/** @import { IcicleTree } from "./icicle_layout.js" */
/** @import { IcicleWords } from "./icicle_words.js" */

/** The height of a row, and of what a group consists of at the bottom of its box, in pixels. */
export const ROW = 26;
const STRIP = 4;
/** A narrower box has no text, in pixels. */
const MIN_LABEL = 28;
/** A name cut to fewer characters says nothing. */
const SHORTEST_NAME = 6;
const PADDING = 5;

export class IcicleBoxes {
  /**
   * @param {IcicleTree} tree
   * @param {LayerStyle} style
   * @param {IcicleWords} words
   */
  constructor(tree, style, words) {
    this.tree = tree;
    this.style = style;
    this.words = words;
  }

  /**
   * @param {IcicleBox} box
   * @param {number} at Its position among the boxes that are drawn.
   * @returns {SVGGElement}
   */
  node(box, at) {
    const [x, y, width, height] = [box.x, box.row * ROW, Math.max(box.width - 1, 0.5), ROW - 1];
    const node = svg("g", { class: kindOf(box), role: "button", tabindex: at ? -1 : 0, "data-box": at, "aria-label": this.words.facts(box).join(", ") });
    const fill = box.layer ? this.style.mark(box.layer) : null;
    node.append(svg("rect", { x, y, width, height, fill }));
    if (box.group != null) node.append(...this.strip(box.group, x, y + height - STRIP, width));
    const text = box.width < MIN_LABEL || box.merged ? "" : this.label(box, width - 2 * PADDING);
    if (text) node.append(svg("text", { x: x + PADDING, y: y + (box.layer ? 17 : 15), "font-size": 12, fill: fill && inkOn(fill) }, text));
    return node;
  }

  /**
   * The name of a box, with the share of a group if there is room; empty if too little of it would be left.
   * @param {IcicleBox} box
   * @param {number} room In pixels.
   * @returns {string}
   */
  label(box, room) {
    const name = this.words.name(box);
    const whole = `${name} ${this.words.share(box.ms)}`;
    const text = !box.layer && fitText(whole, room) === whole ? whole : fitText(name, room);
    return text === name || text === whole || text.length >= SHORTEST_NAME ? text : "";
  }

  /**
   * What a group consists of, by the chosen color, slowest first.
   * @param {number} group
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @returns {SVGElement[]}
   */
  strip(group, x, y, width) {
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const layer of this.tree.layersIn(group)) {
      const shade = this.style.mark(layer);
      times.set(shade, (times.get(shade) ?? 0) + (layer.avg_ms ?? 0));
    }
    const parts = [];
    for (const [shade, ms] of [...times].sort(([, left], [, right]) => right - left)) {
      const part = (width * ms) / this.tree.totals[group];
      if (part >= 1) parts.push(svg("rect", { x, y, width: part, height: STRIP, fill: shade }));
      x += part;
    }
    return parts;
  }
}

/**
 * @param {IcicleBox} box
 * @returns {string}
 */
function kindOf(box) {
  return box.layer ? "icicle-layer" : box.merged ? "icicle-merged" : "icicle-group";
}
