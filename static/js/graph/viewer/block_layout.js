// The layout of a large engine's graph: items below each other in columns, lines straight or in lanes beside them.

import { frameBoxesOf } from "./frame_boxes.js";
import { BLOCK_SIZE, FRAME_PADDING, HEADER_HEIGHT, ITEM_GAP, LANE_STEP, READABLE, TRACK_STEP } from "./layout_sizes.js";
import { linesOf } from "./line_corners.js";
import { chooseWays, newGap, useGaps } from "./line_ways.js";

/** @import { BlockTree } from "./block_tree.js" */

export class BlockLayout {
  /**
   * @param {BlockTree} tree
   * @param {number} [least]
   * @param {{ w: number, h: number }} [room] The window, in pixels: columns are about as high, and all together about as wide for their height.
   */
  constructor(tree, least = 0, room = { w: 0, h: 0 }) {
    const { items, frames } = tree.items(least);
    this.items = /** @type {LayoutItem[]} */ (items);
    this.frames = frames;
    /** @type {LayoutColumn[]} */
    this.columns = [];
    this.room = room;
    this.width = 0;
    this.height = 0;
    this.buses = tree.buses(items);
    this.measure();
    this.cutIntoColumns();
    chooseWays(this);
    useGaps(this);
    this.placeDown();
    this.placeLanes();
    this.placeAcross();
    this.lines = linesOf(this);
    this.frameBoxes = this.frames.flatMap((frame) => frameBoxesOf(this, frame));
  }

  measure() {
    for (const [index, item] of this.items.entries()) {
      const { shape } = item.part ?? {};
      Object.assign(item, { index, w: shape?.w ?? BLOCK_SIZE.width, h: shape?.h ?? (item.kind === "few" ? BLOCK_SIZE.few : BLOCK_SIZE.height), above: 0, below: 0, depth: 0, gap: newGap() });
    }
    for (const frame of this.frames) {
      this.items[frame.first].above += HEADER_HEIGHT;
      this.items[frame.last].below += FRAME_PADDING;
      for (let at = frame.first; at <= frame.last; at += 1) this.items[at].depth += 1;
    }
  }

  /** Go on in a next column where one would be much taller than the whole is wide. */
  cutIntoColumns() {
    const heights = this.items.map((item) => item.h + item.above + item.below + 2 * ITEM_GAP);
    const total = heights.reduce((sum, height) => sum + height, 0);
    const widest = this.items.reduce((most, item) => Math.max(most, item.w), 0) + 80;
    const limit = this.columnHeight(total, widest);
    let filled = Infinity;
    this.items.forEach((item, index) => {
      if (filled + heights[index] > limit) {
        this.columns.push({ first: index, last: index, tail: newGap(), height: 0, left: 0, right: 0, axis: 0, channel: 0 });
        filled = 0;
      }
      filled += heights[index];
      item.column = this.columns.length - 1;
      this.columns[item.column].last = index;
    });
  }

  /**
   * How high a column may be: two of them side by side must be readable in the window, and no more than are.
   * @param {number} total
   * @param {number} widest
   * @returns {number}
   */
  columnHeight(total, widest) {
    const { w, h } = this.room;
    if (w < 2 * widest * READABLE) return Math.max(4000, Math.sqrt(total * widest));
    const limit = Math.max(h / READABLE, Math.sqrt((total * widest * h) / w));
    // Columns of one height: the last one is not to hold a few blocks only.
    const count = Math.min(Math.ceil(total / limit), Math.floor(w / (widest * READABLE)));
    return count > 1 ? Math.max(limit * 0.6, (1.06 * total) / count) : limit;
  }

  placeDown() {
    for (const column of this.columns) {
      let y = 0;
      for (let index = column.first; index <= column.last; index += 1) {
        const item = this.items[index];
        y = this.placeGap(item.gap, y) + item.above;
        item.y = y;
        y += item.h + item.below;
      }
      column.height = this.placeGap(column.tail, y);
    }
  }

  /**
   * @param {Gap} gap
   * @param {number} y
   * @returns {number}
   */
  placeGap(gap, y) {
    gap.y = y;
    gap.step = gap.tracks > 24 ? (24 * TRACK_STEP) / gap.tracks : TRACK_STEP;
    return y + ITEM_GAP + gap.tracks * gap.step;
  }

  /** Short lines run close to the stack, longer ones outside of them. */
  placeLanes() {
    const right = this.items.map((item) => item.w / 2 + FRAME_PADDING * item.depth);
    const left = right.map((edge) => -edge);
    /** @type {{ bus: Bus, side: "leftX" | "rightX", first: number, last: number }[]} */
    const lanes = [];
    for (const bus of this.buses) {
      const after = bus.targets.filter((target) => target.way === "right").map((target) => target.item);
      const before = bus.targets.filter((target) => target.way === "left").map((target) => target.item);
      if (after.length) lanes.push({ bus, side: "rightX", first: bus.item + 1, last: Math.max(...after) - 1 });
      if (before.length) lanes.push({ bus, side: "leftX", first: Math.min(...before), last: bus.item });
    }
    lanes.sort((one, other) => one.last - one.first - (other.last - other.first) || one.first - other.first);
    for (const { bus, side, first, last } of lanes) {
      const [edges, away] = side === "rightX" ? [right, 1] : [left, -1];
      let x = edges[first];
      for (let at = first; at <= last; at += 1) x = away > 0 ? Math.max(x, edges[at]) : Math.min(x, edges[at]);
      x += away * LANE_STEP;
      bus[side] = x;
      // The gaps at its ends are passed too.
      for (let at = Math.max(0, first - 1); at <= Math.min(this.items.length - 1, last + 1); at += 1) edges[at] = away > 0 ? Math.max(edges[at], x) : Math.min(edges[at], x);
    }
    for (const column of this.columns) {
      column.right = right.slice(column.first, column.last + 1).reduce((most, edge) => Math.max(most, edge), 0);
      column.left = left.slice(column.first, column.last + 1).reduce((most, edge) => Math.min(most, edge), 0);
    }
  }

  /** Give lines between columns their lanes in the channels between them and above all, and the columns their places. */
  placeAcross() {
    const channels = this.columns.map(() => 0);
    let [entry, roof] = [0, 0];
    const lane = (/** @type {Bus} */ bus, /** @type {number} */ channel) => {
      bus.channels ??= new Map();
      if (!bus.channels.has(channel)) bus.channels.set(channel, channel < 0 ? entry++ : channels[channel]++);
    };
    for (const bus of this.buses) {
      const from = this.items[bus.item].column;
      for (const target of bus.targets.filter((each) => each.way === "across")) {
        const into = this.items[target.item].column - 1;
        lane(bus, from);
        lane(bus, into);
        if (into !== from) bus.roof ??= roof++;
      }
    }
    const top = FRAME_PADDING + roof * LANE_STEP;
    let x = FRAME_PADDING + entry * LANE_STEP;
    this.columns.forEach((column, index) => {
      column.axis = x - column.left + 2 * FRAME_PADDING;
      x = column.axis + column.right + 2 * FRAME_PADDING;
      column.channel = x;
      x += channels[index] * LANE_STEP;
    });
    this.width = x + FRAME_PADDING;
    this.height = top + this.columns.reduce((most, column) => Math.max(most, column.height), 0);
    for (const item of this.items) {
      item.axis = this.columns[item.column].axis;
      item.x = item.axis - item.w / 2;
      item.y += top;
    }
    for (const gap of [...this.items.map((item) => item.gap), ...this.columns.map((column) => column.tail)]) gap.y += top;
  }
}
