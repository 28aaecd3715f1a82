// What the graph of a large engine says of its blocks, layers and tensors.

import { counted, formatBytes, formatNumber, formatPercent, formatShape } from "../../format/numbers.js";
import { precisionText } from "../../format/precision.js";
import { shorten, visible } from "../../format/text.js";

/** @import { BlockTree } from "./block_tree.js" */

/** A title lists at most this many tensors, and names of items or layers. */
const MOST_TENSORS = 8;
const MOST_NAMED = 6;

export class GraphWords {
  /**
   * @param {BlockTree} tree
   * @param {ReportData} data
   */
  constructor(tree, data) {
    this.tree = tree;
    this.data = data;
  }

  /**
   * A block's second line: how many layers it has, what repeats in it, and what is odd about it.
   * @param {Block} block
   * @returns {string}
   */
  about(block) {
    const count = counted(block.count, this.data.noun ?? "layer");
    if (block.differs?.length) return `${count} · ${block.differs[0]}`;
    const members = this.tree.membersIn(block);
    const series = members[0]?.series;
    if (!series) return block.series ? `${count} · one of ${block.series.label}` : count;
    const odd = members.filter((member) => member.differs?.length).map((member) => member.label);
    const each = block.series?.ms ?? series.ms;
    const parts = [`${members.length} × ${series.label}`, each != null ? `${formatNumber(each)} ms each` : "", odd.length > 1 ? `${odd.length} differ` : odd.length ? `${odd[0]} differs` : ""];
    return parts.filter(Boolean).join(" · ");
  }

  /**
   * What a block costs; in little room the share alone.
   * @param {Block} block
   * @param {number} [room]
   * @returns {string}
   */
  costOf(block, room = Infinity) {
    const parts = [counted(block.count, this.data.noun ?? "layer")];
    if (block.cost) parts.push((room < 180 && block.most) || block.cost);
    if (block.ms != null) parts.push(`${formatNumber(block.ms)} ms`, formatPercent(block.share));
    return room < 130 && parts.length > 1 ? parts[parts.length - 1] : parts.join(" · ");
  }

  /**
   * @param {Block} block
   * @returns {string}
   */
  titleOf(block) {
    const mix = Object.entries(block.precisions ?? {}).map(([name, part]) => `${name || "precision not stated"} ${block.ms != null ? `${formatNumber(part)} ms` : part}`);
    const series = block.series ? [`one of ${block.series.label}${block.series.ms == null ? "" : `, ${formatNumber(block.series.ms)} ms each`}`] : [];
    const lines = [block.path ?? block.label, this.costOf(block), mix.join(", "), ...series, ...(block.differs ?? []).map((each) => `differs: ${each}`)];
    return visible(lines.filter(Boolean).join("\n"));
  }

  /**
   * @param {LayoutItem} item
   * @returns {string}
   */
  nameOf(item) {
    const block = item.block ?? item.blocks[0];
    const around = this.tree.blocks[block.parent];
    return around?.id ? `${around.label}/${block.label}` : block.label;
  }

  /**
   * A name, and which value it is where memory of that name is written again.
   * @param {Tensor} tensor
   * @returns {string}
   */
  tensorName({ name, version }) {
    return version && version > 1 ? `${name} (value ${version})` : name;
  }

  /**
   * @param {number} index
   * @returns {string}
   */
  tensorTitle(index) {
    const tensor = this.data.tensors[index];
    if (tensor.title != null) return tensor.title;
    return `${shorten(this.tensorName(tensor), 300)}\n${formatShape(tensor.dims)} · ${tensor.format ?? ""}\n${formatBytes(tensor.bytes)}`;
  }

  /**
   * What a line carries and, where it is drawn as two ends, where this one leads.
   * @param {LayoutLine} line
   * @param {LayoutItem[]} items Of the layout.
   * @returns {string}
   */
  titleOfLine({ tensors, end, leadsTo = [] }, items) {
    const parts = tensors.slice(0, MOST_TENSORS).map((each) => this.tensorTitle(each));
    if (tensors.length > MOST_TENSORS) parts.push(`and ${tensors.length - MOST_TENSORS} more`);
    if (end) {
      const names = leadsTo.slice(0, MOST_NAMED).map((index) => this.nameOf(items[index]));
      parts.unshift(`${end === "leaving" ? "Leads to" : "Comes from"} ${names.join(", ")}${leadsTo.length > MOST_NAMED ? ` and ${leadsTo.length - MOST_NAMED} more` : ""}. Click to go there.`);
    }
    return visible(parts.join("\n\n"));
  }

  /**
   * @param {Layer} layer
   * @returns {string}
   */
  titleOfLayer(layer) {
    const words = [shorten(layer.name, 600), [layer.type, precisionText(layer)].filter(Boolean).join(" · "), this.costOfLayer(layer), layer.origin ? `inserted for ${layer.origin}` : "", this.streamOf(layer), ...(layer.remarks ?? [])];
    return visible(words.filter(Boolean).join("\n"));
  }

  /**
   * @param {Layer} layer
   * @returns {string} Empty if it has no time.
   */
  costOfLayer(layer) {
    return layer.cost ?? (layer.avg_ms != null ? `${formatNumber(layer.avg_ms)} ms · ${formatPercent(layer.share_percent)}` : "");
  }

  /**
   * @param {Layer} layer
   * @returns {string} Empty on the first stream, and if there is only one.
   */
  streamOf(layer) {
    return this.tree.streams > 1 && layer.stream ? `stream ${layer.stream}` : "";
  }

  /**
   * @param {string} begin
   * @param {number[]} others Layers.
   * @returns {string}
   */
  titleOfWait(begin, others) {
    const names = others.slice(0, MOST_NAMED).map((other) => `${shorten(this.data.layers[other].name, 200)} on stream ${this.data.layers[other].stream ?? 0}`);
    return visible(`${begin}\n${names.join("\n")}\nClick to go there.`);
  }

  /**
   * @param {number} tensor
   * @param {Part} part
   * @param {number | null | undefined} goal The layer where it goes on outside of the part.
   * @returns {string}
   */
  titleOfPort(tensor, part, goal) {
    const isWritten = part.layers.includes(this.data.tensors[tensor].from[0]);
    const leads = goal == null ? "" : `\n\n${isWritten ? "Leads to" : "Comes from"} ${shorten(this.data.layers[goal].name, 200)}. Click to go there.`;
    return visible(`${this.tensorTitle(tensor)}${leads}`);
  }

  /**
   * Shape and format of a tensor, as a line has them beside it; empty for a tensor with a title of its own.
   * @param {number} tensor
   * @returns {string}
   */
  textOfTensor(tensor) {
    const facts = this.data.tensors[tensor];
    return visible(facts && facts.title == null ? `${formatShape(facts.dims)} ${facts.format ?? ""}`.trim() : "");
  }
}
