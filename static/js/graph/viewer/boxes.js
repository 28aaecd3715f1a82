// Where the viewer's layers and blocks are: to bring them into view, for the minimap, and for a graph that scrolls with it.

import { expandRanges } from "./ranges.js";

/** @import { BlockLayout } from "./block_layout.js" */
/** @import { BlockTree } from "./block_tree.js" */
/** @import { MapBox } from "./minimap.js" */

/** @typedef {{ box: Box, layers: number[] }} Place */

/** What was found last, as long as a layout stays. @type {WeakMap<object, Place[]>} */
const found = new WeakMap();

/**
 * Where layers are, those of a closed block together.
 * @param {any} viewer
 * @returns {Place[]}
 */
export function placesOf({ layout, tree }) {
  const known = found.get(layout);
  if (known) return known;
  const [w, h] = tree.plan.sizes.layer;
  const places = layout.items.flatMap((/** @type {LayoutItem} */ item) => {
    const { part } = item;
    if (!part) return [{ box: item, layers: item.blocks.flatMap(({ ranges }) => expandRanges(ranges)) }];
    const { at } = part.shape;
    return part.layers.map((layer, index) => ({ box: { x: item.x + at[2 * index], y: item.y + at[2 * index + 1], w, h }, layers: [layer] }));
  });
  found.set(layout, places);
  return places;
}

/**
 * What the minimap shows: closed blocks in their foremost color, layers in theirs.
 * @param {any} viewer
 * @returns {MapBox[]}
 */
export function mapBoxesOf({ layout, tree, drawing, data, paint }) {
  const [w, h] = tree.plan.sizes.layer;
  const { matches } = drawing.marks;
  return layout.items.flatMap((/** @type {LayoutItem} */ item) => {
    if (!item.part) {
      const [[shade] = [data.unknownColor]] = drawing.pen.colors.mixOf(item.blocks[0]);
      return [{ x: item.x, y: item.y, w: item.w, h: item.h, shade, found: Boolean(matches && item.blocks.some((block) => tree.anyIn(block, matches))) }];
    }
    const { at } = item.part.shape;
    return item.part.layers.map((layer, index) => ({ x: item.x + at[2 * index], y: item.y + at[2 * index + 1], w, h, shade: paint.mark(data.layers[layer]), found: Boolean(matches?.has(layer)) }));
  });
}

/**
 * The middle of the upper edge of a block, open or closed; undefined if it is inside of a closed one.
 * @param {Pick<BlockLayout, "frameBoxes" | "items">} layout
 * @param {number} id Of the block.
 * @returns {Box | undefined}
 */
export function headOf({ frameBoxes, items }, id) {
  const box = frameBoxes.find((each) => each.block.id === id && each.first) ?? items.find((each) => each.kind === "block" && each.block.id === id);
  return box && { x: box.x + box.w / 2, y: box.y, w: 0, h: 0 };
}

/**
 * Where a layer or the closed block around it is; of a layer without a node, where its block is.
 * @param {BlockTree} tree
 * @param {Pick<BlockLayout, "frameBoxes" | "items">} layout
 * @param {number} layer
 * @returns {Box | undefined}
 */
export function boxOfLayer(tree, layout, layer) {
  const part = tree.partOf[layer];
  const only = new Set([layer]);
  const item = layout.items.find((each) => (each.part ? each.part.index === part : each.blocks.some((block) => tree.anyIn(block, only))));
  if (!item) return headOf(layout, tree.leafOf[layer]);
  if (!item.part) return item;
  const at = item.part.layers.indexOf(layer);
  const [w, h] = tree.plan.sizes.layer;
  return { x: item.x + item.part.shape.at[2 * at], y: item.y + item.part.shape.at[2 * at + 1], w, h };
}
