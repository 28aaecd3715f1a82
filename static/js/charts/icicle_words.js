// What an icicle says of its boxes.

import { counted, formatMs, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { COLORS } from "./color_choice.js";

/** @import { LayerStyle } from "../graph/layer_style.js" */
/** @import { IcicleTree } from "./icicle_layout.js" */

// Colors of data that few reports have.
const LEVELS = new Set(["error", "increase"]);

export class IcicleWords {
  /**
   * @param {IcicleTree} tree
   * @param {LayerStyle} style
   */
  constructor(tree, style) {
    this.tree = tree;
    this.style = style;
    const { levels } = style.data;
    this.stated = Object.keys(COLORS).filter((by) => !LEVELS.has(by) || levels?.[by]);
  }

  /**
   * What a box is, its time, and what else is known.
   * @param {IcicleBox} box
   * @returns {string[]}
   */
  facts({ merged, layer, group = 0, ms }) {
    const amount = [formatMs(ms), this.share(ms)];
    if (merged) return [`${counted(merged.length, "box", "boxes")} too narrow to show`, ...amount];
    if (layer) return [shorten(visible(layer.name), 200), ...amount, ...this.stated.map((by) => this.style.meaning(layer, by)[0])];
    const names = this.tree.chain(group).slice(group ? 1 : 0).map((each) => visible(this.tree.labels[each]));
    return [shorten(names.join(" › "), 300), ...amount, counted(this.tree.counts[group], "timed layer")];
  }

  /**
   * @param {IcicleBox} box
   * @returns {string}
   */
  name({ layer, group = 0 }) {
    return visible(layer ? layer.name : this.tree.labels[group]);
  }

  /**
   * @param {number} ms
   * @returns {string}
   */
  share(ms) {
    return formatPercent((100 * ms) / this.tree.totals[0]);
  }
}
