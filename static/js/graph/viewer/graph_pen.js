// What all elements of a large engine's graph are drawn with: the data, what is marked, how near the view is.

import { BlockColors } from "./block_colors.js";
import { GraphWords } from "./graph_words.js";

/** @import { BlockTree } from "./block_tree.js" */
/** @import { LayerStyle } from "../layer_style.js" */

export class GraphPen {
  /**
   * @param {BlockTree} tree
   * @param {ReportData} data
   * @param {LayerStyle} paint
   */
  constructor(tree, data, paint) {
    this.tree = tree;
    this.data = data;
    this.paint = paint;
    this.sizes = tree.plan.sizes;
    this.words = new GraphWords(tree, data);
    this.colors = new BlockColors(data, paint);
    /** @type {Marks} */
    this.marks = { selected: null, layers: new Set(), tensors: new Set(), matches: null };
    /** @type {LayoutItem[]} */
    this.items = [];
    /** Whether layers are drawn, and whether the texts at lines are. */
    this.near = false;
    this.close = false;
  }

  /**
   * @param {number} tensor
   * @returns {Color}
   */
  shadeOf(tensor) {
    const facts = this.data.tensors[tensor];
    return facts?.shade ?? this.data.precisionColors[facts?.type ?? ""] ?? "currentColor";
  }

  /**
   * The class of what is lit with any of some tensors; empty for others.
   * @param {number[]} tensors
   * @returns {string}
   */
  litBy(tensors) {
    return tensors.some((each) => this.marks.tensors.has(each)) ? " is-lit" : "";
  }

  /**
   * The classes of a layer by what is marked.
   * @param {number} layer
   * @returns {string}
   */
  classesOf(layer) {
    const { selected, layers, matches } = this.marks;
    return (selected === layer ? " is-selected" : "") + (layers.has(layer) ? " is-lit" : "") + (matches?.has(layer) ? " is-match" : "");
  }

  /**
   * What is marked inside of closed blocks, as classes.
   * @param {Block[]} blocks
   * @returns {string}
   */
  classesOfBlocks(blocks) {
    const holds = (/** @type {Set<number>} */ layers) => blocks.some((block) => this.tree.anyIn(block, layers));
    const lit = this.marks.layers.size && holds(this.marks.layers) ? " is-lit" : "";
    const selected = this.marks.selected != null && holds(new Set([this.marks.selected])) ? " is-selected" : "";
    return lit + selected + (this.marks.matches && holds(this.marks.matches) ? " is-match" : "");
  }
}
