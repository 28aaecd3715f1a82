// The layout of a large engine's graph: items below each other in columns, lines straight or in lanes beside them.

import { boundsOf } from "./geometry.js";

/** @import { BlockTree } from "./block_tree.js" */

const BLOCK_SIZE = { width: 288, height: 60, few: 26 };
const ITEM_GAP = 24;
const TRACK_STEP = 6;
export const HEADER_HEIGHT = 26;
const FRAME_PADDING = 10;
const LANE_STEP = 8;
const FAR_AWAY = 1e7;

// The scale at which names can be read well.
export const READABLE = 0.8;

// With more tensors than this between columns they are drawn as two ends that lead to each other.
const MAX_ACROSS = 12;

// How long such an end is: those of two items one above the other must not touch in the gap between them.
const STUB_LENGTH = 7;

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
    this.chooseWays();
    this.useGaps();
    this.placeDown();
    this.placeLanes();
    this.placeAcross();
    this.lines = this.buses.flatMap((bus) => [...this.leavingEnd(bus), ...bus.targets.map((target) => this.line(bus, target))]);
    this.frameBoxes = this.frames.flatMap((frame) => this.boxesOf(frame));
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
   * How high a column may be: two of them side by side must be readable in the window.
   * @param {number} total
   * @param {number} widest
   * @returns {number}
   */
  columnHeight(total, widest) {
    const { w, h } = this.room;
    if (w < 2 * widest * READABLE) return Math.max(4000, Math.sqrt(total * widest));
    const limit = Math.max(h / READABLE, Math.sqrt((total * widest * h) / w));
    // Columns of one height: the last one is not to hold a few blocks only.
    const count = Math.ceil(total / limit);
    return count > 1 ? Math.max(limit * 0.6, (1.06 * total) / count) : limit;
  }

  /** Choose how each line runs: to the next item, beside its column, across columns, or as two ends. */
  chooseWays() {
    /** @type {[Bus, BusTarget][]} */
    const far = [];
    for (const bus of this.buses) {
      for (const target of bus.targets) {
        target.way = this.wayOf(bus, target);
        if (target.way === "across" && target.item !== bus.item + 1) far.push([bus, target]);
      }
    }
    if (new Set(far.map(([bus]) => bus)).size > MAX_ACROSS) for (const [, target] of far) target.way = "ends";
  }

  /** Find which lines run sideways in which gap, and give those that would touch tracks of their own. */
  useGaps() {
    const use = (/** @type {Gap} */ gap, /** @type {number} */ from, /** @type {number} */ to) => {
      const found = { gap, from: Math.min(from, to), to: Math.max(from, to), track: 0 };
      gap.uses.push(found);
      return found;
    };
    for (const bus of this.buses) {
      const below = this.gapBelow(bus.item);
      for (const target of bus.targets) {
        if (target.way === "ends") continue;
        const [x, targetX] = [this.portX(bus, "bottom", target.way), this.portX(target, "top", target.way)];
        if (target.way === "next") {
          if (Math.abs(x - targetX) >= 1) target.use = use(below, x, targetX);
          continue;
        }
        if (target.way === "left") bus.leftUse ??= use(below, -FAR_AWAY, x);
        else if (target.way === "right") bus.rightUse ??= use(below, x, FAR_AWAY);
        else bus.acrossUse ??= use(below, x, FAR_AWAY);
        const { gap } = this.items[target.item];
        target.use = target.way === "right" ? use(gap, targetX, FAR_AWAY) : use(gap, -FAR_AWAY, targetX);
      }
    }
    for (const gap of [...this.items.map((item) => item.gap), ...this.columns.map((column) => column.tail)]) assignTracks(gap);
  }

  /**
   * @param {Bus} bus
   * @param {BusTarget} target
   * @returns {Way}
   */
  wayOf(bus, target) {
    const [source, goal] = [this.items[bus.item], this.items[target.item]];
    if (source.column !== goal.column) return "across";
    if (target.item === bus.item + 1) return "next";
    return target.item > bus.item ? "right" : "left";
  }

  /**
   * @param {number} index
   * @returns {Gap}
   */
  gapBelow(index) {
    const column = this.columns[this.items[index].column];
    return index === column.last ? column.tail : this.items[index + 1].gap;
  }

  /**
   * Where a line meets an item, from the axis of its column.
   * @param {LineEnd} end
   * @param {"top" | "bottom"} side
   * @param {Way} way
   * @returns {number}
   */
  portX({ item: index, port }, side, way) {
    const item = this.items[index];
    if (port >= 0 && item.part) return item.part.shape[side][port] - item.w / 2;
    // Lines of a closed block meet it on the side from which they come.
    const aside = { next: 0, right: 0.25, left: -0.25, across: side === "top" ? -0.4 : 0.4, ends: side === "top" ? -0.4 : 0.4 }[way];
    return Math.round(item.w * aside);
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

  /**
   * @param {Bus} bus
   * @param {number} channel
   * @returns {number}
   */
  channelX(bus, channel) {
    const at = bus.channels?.get(channel) ?? 0;
    return (channel < 0 ? FRAME_PADDING : this.columns[channel].channel) + at * LANE_STEP;
  }

  /**
   * The end at which tensors leave that are not drawn as lines, if there are any.
   * @param {Bus} bus
   * @returns {LayoutLine[]}
   */
  leavingEnd(bus) {
    const far = bus.targets.filter((target) => target.way === "ends");
    if (!far.length) return [];
    const item = this.items[bus.item];
    const [x, y] = [item.axis + this.portX(bus, "bottom", "ends"), item.y + item.h];
    /** @type {Point[]} */
    const points = [[x, y], [x, y + STUB_LENGTH]];
    return [{ tensors: [...new Set(far.flatMap((target) => target.tensors))], source: bus.item, target: bus.item, end: "leaving", leadsTo: far.map((target) => target.item), points, ...boundsOf(points) }];
  }

  /**
   * The corners of a line from a bus's source to one of its targets, or of the end at which it arrives.
   * @param {Bus} bus
   * @param {BusTarget} target
   * @returns {LayoutLine}
   */
  line(bus, target) {
    if (target.way === "ends") {
      const item = this.items[target.item];
      const x = item.axis + this.portX(target, "top", "ends");
      /** @type {Point[]} */
      const points = [[x, item.y - STUB_LENGTH], [x, item.y]];
      return { tensors: target.tensors, source: target.item, target: target.item, ends: target.port < 0, end: "arriving", leadsTo: [bus.item], points, ...boundsOf(points) };
    }
    const [source, goal] = [this.items[bus.item], this.items[target.item]];
    const [x, goalX] = [source.axis + this.portX(bus, "bottom", target.way), goal.axis + this.portX(target, "top", target.way)];
    const [bottom, top] = [source.y + source.h, goal.y];
    const trackY = (/** @type {TrackUse | undefined} */ use) => (use ? trackCenter(use) : 0);
    const trackCenter = (/** @type {TrackUse} */ { gap, track }) => gap.y + ITEM_GAP / 2 + (track + 0.5) * gap.step;
    /** @type {Point[]} */
    const points = [[x, bottom]];
    const leave = { left: bus.leftUse, right: bus.rightUse, across: bus.acrossUse, next: undefined }[target.way];
    if (target.way === "next") {
      if (target.use) points.push([x, trackY(target.use)], [goalX, trackY(target.use)]);
    } else if (target.way === "across") {
      const [from, into] = [source.column, goal.column - 1];
      points.push([x, trackY(leave)], [this.channelX(bus, from), trackY(leave)]);
      if (from !== into) for (const channel of [from, into]) points.push([this.channelX(bus, channel), FRAME_PADDING + (bus.roof ?? 0) * LANE_STEP]);
      points.push([this.channelX(bus, into), trackY(target.use)], [goalX, trackY(target.use)]);
    } else {
      const laneX = source.axis + ((target.way === "right" ? bus.rightX : bus.leftX) ?? 0);
      points.push([x, trackY(leave)], [laneX, trackY(leave)], [laneX, trackY(target.use)], [goalX, trackY(target.use)]);
    }
    points.push([goalX, top]);
    return { tensors: target.tensors, source: bus.item, target: target.item, ends: target.port < 0, points, ...boundsOf(points) };
  }

  /**
   * A frame's boxes, one for each column that it reaches into.
   * @param {Frame} frame
   * @returns {FrameBox[]}
   */
  boxesOf(frame) {
    const found = [];
    for (let column = this.items[frame.first].column; column <= this.items[frame.last].column; column += 1) {
      const first = Math.max(frame.first, this.columns[column].first);
      const last = Math.min(frame.last, this.columns[column].last);
      const inside = this.items.slice(first, last + 1);
      const depth = frame.block.depth;
      const half = inside.reduce((most, item) => Math.max(most, item.w / 2 + FRAME_PADDING * (item.depth - depth + 1)), 0);
      const [top, end] = [inside[0], inside[inside.length - 1]];
      const outer = this.frames.filter((each) => each.first === first && each.block.depth >= depth).length;
      const inner = this.frames.filter((each) => each.last === last && each.block.depth >= depth).length;
      const y = first === frame.first ? top.y - HEADER_HEIGHT * outer : top.y - FRAME_PADDING;
      const bottom = last === frame.last ? end.y + end.h + FRAME_PADDING * inner : end.y + end.h + FRAME_PADDING;
      found.push({ block: frame.block, x: top.axis - half, y, w: 2 * half, h: bottom - y, first: first === frame.first });
    }
    return found;
  }
}

/** @returns {Gap} */
function newGap() {
  return { uses: [], tracks: 0, y: 0, step: TRACK_STEP };
}

/**
 * Give the horizontal lines of a gap tracks such that none touches another on its own.
 * @param {Gap} gap
 */
function assignTracks(gap) {
  const ends = [];
  gap.uses.sort((one, other) => one.from - other.from || one.to - other.to);
  for (const use of gap.uses) {
    const free = ends.findIndex((end) => end + LANE_STEP < use.from);
    use.track = free < 0 ? ends.length : free;
    ends[use.track] = use.to;
  }
  gap.tracks = ends.length;
}
