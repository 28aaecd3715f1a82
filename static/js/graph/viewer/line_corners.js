// The corners of the lines of a layout, once its items have their places.

import { boundsOf } from "./geometry.js";
import { FRAME_PADDING, ITEM_GAP, LANE_STEP } from "./layout_sizes.js";
import { portX } from "./line_ways.js";

/** @import { BlockLayout } from "./block_layout.js" */

/** How long the end of a line is that leads to another one: those of two items one above the other must not touch in the gap between them. */
const STUB_LENGTH = 7;

/**
 * All lines: those of each bus to its targets, and the ends of those that are drawn as two ends.
 * @param {BlockLayout} layout
 * @returns {LayoutLine[]}
 */
export function linesOf(layout) {
  return layout.buses.flatMap((bus) => [...leavingEnd(layout, bus), ...bus.targets.map((target) => lineTo(layout, bus, target))]);
}

/**
 * @param {BlockLayout} layout
 * @param {Bus} bus
 * @param {number} channel
 * @returns {number}
 */
function channelX(layout, bus, channel) {
  const at = bus.channels?.get(channel) ?? 0;
  return (channel < 0 ? FRAME_PADDING : layout.columns[channel].channel) + at * LANE_STEP;
}

/**
 * The end at which tensors leave that are not drawn as lines, if there are any.
 * @param {BlockLayout} layout
 * @param {Bus} bus
 * @returns {LayoutLine[]}
 */
function leavingEnd(layout, bus) {
  const far = bus.targets.filter((target) => target.way === "ends");
  if (!far.length) return [];
  const item = layout.items[bus.item];
  const [x, y] = [item.axis + portX(layout, bus, "bottom", "ends"), item.y + item.h];
  /** @type {Point[]} */
  const points = [[x, y], [x, y + STUB_LENGTH]];
  return [{ tensors: [...new Set(far.flatMap((target) => target.tensors))], source: bus.item, target: bus.item, end: "leaving", leadsTo: far.map((target) => target.item), points, ...boundsOf(points) }];
}

/**
 * The corners of a line from a bus's source to one of its targets, or of the end at which it arrives.
 * @param {BlockLayout} layout
 * @param {Bus} bus
 * @param {BusTarget} target
 * @returns {LayoutLine}
 */
function lineTo(layout, bus, target) {
  if (target.way === "ends") {
    const item = layout.items[target.item];
    const x = item.axis + portX(layout, target, "top", "ends");
    /** @type {Point[]} */
    const points = [[x, item.y - STUB_LENGTH], [x, item.y]];
    return { tensors: target.tensors, source: target.item, target: target.item, ends: target.port < 0, end: "arriving", leadsTo: [bus.item], points, ...boundsOf(points) };
  }
  const [source, goal] = [layout.items[bus.item], layout.items[target.item]];
  const [x, goalX] = [source.axis + portX(layout, bus, "bottom", target.way), goal.axis + portX(layout, target, "top", target.way)];
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
    points.push([x, trackY(leave)], [channelX(layout, bus, from), trackY(leave)]);
    if (from !== into) for (const channel of [from, into]) points.push([channelX(layout, bus, channel), FRAME_PADDING + (bus.roof ?? 0) * LANE_STEP]);
    points.push([channelX(layout, bus, into), trackY(target.use)], [goalX, trackY(target.use)]);
  } else {
    const laneX = source.axis + ((target.way === "right" ? bus.rightX : bus.leftX) ?? 0);
    points.push([x, trackY(leave)], [laneX, trackY(leave)], [laneX, trackY(target.use)], [goalX, trackY(target.use)]);
  }
  points.push([goalX, top]);
  return { tensors: target.tensors, source: bus.item, target: target.item, ends: target.port < 0, points, ...boundsOf(points) };
}
