// How the lines of a layout run: to the next item, beside their column, across columns, or as two ends; and where they
// run sideways in the gaps between items.

import { LANE_STEP, TRACK_STEP } from "./layout_sizes.js";

/** @import { BlockLayout } from "./block_layout.js" */

const FAR_AWAY = 1e7;

/** With more tensors than this between columns they are drawn as two ends that lead to each other. */
const MAX_ACROSS = 12;

/** @returns {Gap} */
export function newGap() {
  return { uses: [], tracks: 0, y: 0, step: TRACK_STEP };
}

/**
 * Choose how each line runs: to the next item, beside its column, across columns, or as two ends.
 * @param {BlockLayout} layout
 */
export function chooseWays(layout) {
  /** @type {[Bus, BusTarget][]} */
  const far = [];
  for (const bus of layout.buses) {
    for (const target of bus.targets) {
      target.way = wayOf(layout, bus, target);
      if (target.way === "across" && target.item !== bus.item + 1) far.push([bus, target]);
    }
  }
  if (new Set(far.map(([bus]) => bus)).size > MAX_ACROSS) for (const [, target] of far) target.way = "ends";
}

/**
 * @param {BlockLayout} layout
 * @param {Bus} bus
 * @param {BusTarget} target
 * @returns {Way}
 */
function wayOf(layout, bus, target) {
  const [source, goal] = [layout.items[bus.item], layout.items[target.item]];
  if (source.column !== goal.column) return "across";
  if (target.item === bus.item + 1) return "next";
  return target.item > bus.item ? "right" : "left";
}

/**
 * Find which lines run sideways in which gap, and give those that would touch tracks of their own.
 * @param {BlockLayout} layout
 */
export function useGaps(layout) {
  const use = (/** @type {Gap} */ gap, /** @type {number} */ from, /** @type {number} */ to) => {
    const found = { gap, from: Math.min(from, to), to: Math.max(from, to), track: 0 };
    gap.uses.push(found);
    return found;
  };
  for (const bus of layout.buses) {
    const below = gapBelow(layout, bus.item);
    for (const target of bus.targets) {
      if (target.way === "ends") continue;
      const [x, targetX] = [portX(layout, bus, "bottom", target.way), portX(layout, target, "top", target.way)];
      if (target.way === "next") {
        if (Math.abs(x - targetX) >= 1) target.use = use(below, x, targetX);
        continue;
      }
      if (target.way === "left") bus.leftUse ??= use(below, -FAR_AWAY, x);
      else if (target.way === "right") bus.rightUse ??= use(below, x, FAR_AWAY);
      else bus.acrossUse ??= use(below, x, FAR_AWAY);
      const { gap } = layout.items[target.item];
      target.use = target.way === "right" ? use(gap, targetX, FAR_AWAY) : use(gap, -FAR_AWAY, targetX);
    }
  }
  for (const gap of [...layout.items.map((item) => item.gap), ...layout.columns.map((column) => column.tail)]) assignTracks(gap);
}

/**
 * @param {BlockLayout} layout
 * @param {number} index
 * @returns {Gap}
 */
function gapBelow(layout, index) {
  const column = layout.columns[layout.items[index].column];
  return index === column.last ? column.tail : layout.items[index + 1].gap;
}

/**
 * Where a line meets an item, from the axis of its column.
 * @param {BlockLayout} layout
 * @param {LineEnd} end
 * @param {"top" | "bottom"} side
 * @param {Way} way
 * @returns {number}
 */
export function portX(layout, { item: index, port }, side, way) {
  const item = layout.items[index];
  if (port >= 0 && item.part) return item.part.shape[side][port] - item.w / 2;
  // Lines of a closed block meet it on the side from which they come.
  const aside = { next: 0, right: 0.25, left: -0.25, across: side === "top" ? -0.4 : 0.4, ends: side === "top" ? -0.4 : 0.4 }[way];
  return Math.round(item.w * aside);
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
