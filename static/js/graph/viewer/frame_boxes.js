// The boxes of open blocks around their items.

import { FRAME_PADDING, HEADER_HEIGHT } from "./layout_sizes.js";

/** @import { BlockLayout } from "./block_layout.js" */

/**
 * A frame's boxes, one for each column that it reaches into.
 * @param {BlockLayout} layout
 * @param {Frame} frame
 * @returns {FrameBox[]}
 */
export function frameBoxesOf(layout, frame) {
  const found = [];
  for (let column = layout.items[frame.first].column; column <= layout.items[frame.last].column; column += 1) {
    const first = Math.max(frame.first, layout.columns[column].first);
    const last = Math.min(frame.last, layout.columns[column].last);
    const inside = layout.items.slice(first, last + 1);
    const depth = frame.block.depth;
    const half = inside.reduce((most, item) => Math.max(most, item.w / 2 + FRAME_PADDING * (item.depth - depth + 1)), 0);
    const [top, end] = [inside[0], inside[inside.length - 1]];
    const outer = layout.frames.filter((each) => each.first === first && each.block.depth >= depth).length;
    const inner = layout.frames.filter((each) => each.last === last && each.block.depth >= depth).length;
    const y = first === frame.first ? top.y - HEADER_HEIGHT * outer : top.y - FRAME_PADDING;
    const bottom = last === frame.last ? end.y + end.h + FRAME_PADDING * inner : end.y + end.h + FRAME_PADDING;
    found.push({ block: frame.block, x: top.axis - half, y, w: 2 * half, h: bottom - y, first: first === frame.first });
  }
  return found;
}
