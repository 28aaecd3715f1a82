// Where the viewer's layers and blocks are: for the minimap, and for a graph that scrolls with it.

import { expandRanges } from "./ranges.js";

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
