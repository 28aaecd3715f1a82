// The colors of closed blocks: those of the layers in them.

import { svg } from "../../dom/svg.js";
import { expandRanges } from "./ranges.js";

/** @import { LayerStyle } from "../layer_style.js" */

/** How strong the color of a box is: texts on it keep their contrast in both themes. */
export const FILL = 0.22;

export class BlockColors {
  /**
   * @param {ReportData} data
   * @param {LayerStyle} paint
   */
  constructor(data, paint) {
    this.data = data;
    this.paint = paint;
    /**
     * Colors and their shares by block, of what colors show now.
     * @type {Map<number, [Color, number][]>}
     */
    this.mixes = new Map();
    this.by = paint.by;
  }

  /**
   * @param {Block} block
   * @returns {[Color, number][]}
   */
  mixOf(block) {
    if (this.by !== this.paint.by) {
      this.mixes.clear();
      this.by = this.paint.by;
    }
    const known = this.mixes.get(block.id);
    if (known) return known;
    const mix = this.paint.mix(expandRanges(block.ranges), block.share);
    this.mixes.set(block.id, mix);
    return mix;
  }

  /**
   * The fill of a closed block: each color as wide as its share of the time.
   * @param {Block} block
   * @param {number} w
   * @param {number} h
   * @returns {Element[]}
   */
  fills(block, w, h) {
    let x = 0;
    return this.mixOf(block).map(([shade, part]) => {
      const fill = svg("rect", { class: "node-fill", x, width: w * part, height: h, fill: shade, "fill-opacity": FILL });
      x += w * part;
      return fill;
    });
  }

  /**
   * Its precisions, by time.
   * @param {Block} block
   * @param {number} width
   * @returns {Element[]}
   */
  bars(block, width) {
    const mix = Object.entries(block.precisions ?? {});
    const total = mix.reduce((sum, [, part]) => sum + part, 0);
    let x = 10;
    return mix.map(([precision, part]) => {
      const w = total ? (width * part) / total : 0;
      const bar = svg("rect", { x, y: 46, width: w, height: 5, fill: this.data.precisionColors[precision] ?? "currentColor" });
      x += w;
      return bar;
    });
  }
}
