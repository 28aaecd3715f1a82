// The blocks of a large engine as a tree: parents, open blocks, and the block of a layer.

import { addToList } from "./lists.js";
import { expandRanges } from "./ranges.js";

export class BlockTree {
  /**
   * @param {PackedBlocks} plan
   * @param {Pick<ReportData, "layers">} data
   */
  constructor(plan, data) {
    this.plan = plan;
    this.data = data;
    /** @type {Block[]} */
    this.blocks = plan.blocks.map((block, id) => ({ ...block, id, children: [], parts: [], depth: 0 }));
    for (const block of this.blocks.slice(1)) {
      block.depth = this.blocks[block.parent].depth + 1;
      this.blocks[block.parent].children.push(block);
    }
    this.deepest = this.blocks.reduce((most, block) => Math.max(most, block.depth), 0);
    for (const series of plan.series ?? []) for (const member of expandRanges(series.members)) this.blocks[member].series = series;
    this.leafOf = new Int32Array(data.layers.length);
    this.partOf = new Int32Array(data.layers.length).fill(-1);
    this.parts = this.placeLayers();
    this.streams = new Set(data.layers.map((layer) => layer.stream ?? 0)).size;
    /**
     * The layers that a layer waits for, and those that wait for it.
     * @type {Map<number, number[]>}
     */
    this.waitsFor = new Map();
    /** @type {Map<number, number[]>} */
    this.waitedBy = new Map();
    for (const [before, after] of plan.syncs ?? []) {
      addToList(this.waitsFor, after, before);
      addToList(this.waitedBy, before, after);
    }
    this.open = new Set([0]);
  }

  /**
   * Find for each layer the block without children and the part that it is in.
   * @returns {Part[]}
   */
  placeLayers() {
    const hidden = new Uint8Array(this.leafOf.length);
    for (const layer of expandRanges(this.plan.hidden)) hidden[layer] = 1;
    for (const { children, ranges, id } of this.blocks) for (let at = 0; !children.length && at < ranges.length; at += 2) this.leafOf.fill(id, ranges[at], ranges[at + 1] + 1);
    return (this.plan.parts ?? []).map((part, index) => {
      const block = this.blocks[part.block];
      const layers = expandRanges(part.layers ?? block.ranges).filter((layer) => !hidden[layer]);
      for (const layer of layers) this.partOf[layer] = index;
      const found = { ...part, index, block, layers, in: part.in ?? [], out: part.out ?? [], shape: this.plan.shapes[part.shape] };
      block.parts.push(found);
      return found;
    });
  }

  /**
   * Return whether any of some layers is in a block.
   * @param {Block} block
   * @param {Set<number>} layers
   * @returns {boolean}
   */
  anyIn(block, layers) {
    for (let at = 0; at < block.ranges.length; at += 2) for (let layer = block.ranges[at]; layer <= block.ranges[at + 1]; layer += 1) if (layers.has(layer)) return true;
    return false;
  }

  /**
   * @param {Block} block
   * @returns {boolean}
   */
  canOpen(block) {
    return block.children.length > 0 || block.parts.length > 0;
  }

  /**
   * The block and all around it, from the inside outwards, without the engine as a whole.
   * @param {Block} block
   * @returns {Block[]}
   */
  around(block) {
    const found = [];
    for (let at = block; at && at.id; at = this.blocks[at.parent]) found.push(at);
    return found;
  }

  /**
   * The outermost closed block around a layer, or undefined if the layer itself can be seen.
   * @param {number} layer
   * @returns {Block | undefined}
   */
  closedAround(layer) {
    return this.around(this.blocks[this.leafOf[layer]]).findLast((block) => !this.open.has(block.id));
  }

  /** @param {number} layer */
  openAround(layer) {
    for (const block of this.around(this.blocks[this.leafOf[layer]])) this.open.add(block.id);
  }

  /** @param {number} depth */
  openTo(depth) {
    this.open = new Set(this.blocks.filter((block) => block.depth < depth && this.canOpen(block)).map((block) => block.id));
    this.open.add(0);
  }

  /** Begin with as many blocks as can be taken in at a glance. */
  openFirst() {
    this.open = new Set([0]);
    for (let closed = [...(this.blocks[0]?.children ?? [])]; ; ) {
      const most = closed.length < 6 ? 64 : 24;
      const [widest] = closed.filter((block) => block.children.length && closed.length - 1 + block.children.length <= most).sort((left, right) => (right.share ?? 0) - (left.share ?? 0) || left.id - right.id);
      if (!widest) return;
      this.open.add(widest.id);
      closed = closed.flatMap((block) => (block === widest ? block.children : [block]));
    }
  }

  /**
   * The members of a series that a block holds itself, such as the decoder layers of a group of them.
   * @param {Block} block
   * @returns {Block[]}
   */
  membersIn(block) {
    const [first] = block.children;
    const members = block.children.filter((child) => child.series && child.series === first.series);
    return members.length > 1 ? members : [];
  }

  /**
   * What is open, as a short text: how deep all is open, and the blocks that are not as deep as that.
   * @returns {string}
   */
  openText() {
    let best = "";
    for (let depth = 1; depth <= this.deepest + 1; depth += 1) {
      const odd = this.blocks.filter((block) => this.canOpen(block) && block.depth < depth !== this.open.has(block.id)).map((block) => block.id.toString(36));
      const text = [depth, ...odd].join(".");
      if (!best || text.length < best.length) best = text;
    }
    return best;
  }

  /**
   * Open what such a text says; false if it says nothing of this plan.
   * @param {string} text
   * @returns {boolean}
   */
  openFrom(text) {
    if (!/^[0-9]+(\.[0-9a-z]+)*$/.test(text)) return false;
    const [depth, ...odd] = text.split(".");
    this.openTo(Number(depth));
    for (const each of odd) {
      const block = this.blocks[parseInt(each, 36)];
      if (!block || !block.id || !this.canOpen(block)) continue;
      if (!this.open.delete(block.id)) this.open.add(block.id);
    }
    return true;
  }

  /**
   * The items of the layout in order: closed blocks, neighboring blocks that take less than `least` percent of the
   * time taken together, and the parts of open blocks; and the frames of the open blocks around them.
   * @param {number} [least]
   * @returns {{ items: TreeItem[], frames: Frame[] }}
   */
  items(least = 0) {
    /** @type {TreeItem[]} */
    const items = [];
    /** @type {Frame[]} */
    const frames = [];
    const visit = (/** @type {Block} */ block) => {
      if (!this.open.has(block.id) || !this.canOpen(block)) {
        items.push({ kind: "block", block, blocks: [block] });
        return;
      }
      const frame = { block, first: items.length, last: items.length };
      if (block.id) frames.push(frame);
      for (const part of block.parts) items.push({ kind: "part", part, block, blocks: [] });
      for (const child of block.children) {
        const last = items.at(-1);
        if ((child.share ?? 0) >= least || !least) visit(child);
        else if (last?.kind === "few" && items.length > frame.first) last.blocks.push(child);
        else items.push({ kind: "few", block, blocks: [child] });
      }
      frame.last = items.length - 1;
    };
    if (this.blocks.length) visit(this.blocks[0]);
    return { items, frames };
  }

  /**
   * The tensors between items as buses: one end where they are made, and the ends where they are read.
   * @param {TreeItem[]} items
   * @returns {Bus[]}
   */
  buses(items) {
    const itemOf = new Map();
    items.forEach((item, index) => item.blocks.forEach((block) => itemOf.set(block.id, index)));
    const partItems = new Map(items.map((item, index) => [item.part?.index, index]));
    /** @type {(leaf: number, tensor: number, side: "in" | "out") => LineEnd | undefined} */
    const end = (leaf, tensor, side) => {
      const block = this.blocks[leaf];
      for (let at = block; at; at = this.blocks[at.parent]) if (itemOf.has(at.id)) return { item: itemOf.get(at.id), port: -1 };
      const part = block.parts.find((each) => each[side].includes(tensor));
      return part && { item: partItems.get(part.index) ?? -1, port: part[side].indexOf(tensor) };
    };
    const buses = new Map();
    for (const [tensor, from, ...to] of this.plan.flows ?? []) {
      const source = end(from, tensor, "out");
      for (const leaf of to) {
        const target = source && end(leaf, tensor, "in");
        if (!source || !target || target.item === source.item) continue;
        const key = `${source.item}.${source.port}`;
        if (!buses.has(key)) buses.set(key, { ...source, targets: new Map() });
        const targets = buses.get(key).targets;
        const name = `${target.item}.${target.port}`;
        if (!targets.has(name)) targets.set(name, { ...target, tensors: [] });
        targets.get(name).tensors.push(tensor);
      }
    }
    return [...buses.values()].map((bus) => ({ ...bus, targets: [...bus.targets.values()] }));
  }
}
