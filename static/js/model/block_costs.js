// What the nodes of blocks cost: the time of a layer that computes nodes of several blocks is not divided.

import { formatNumber } from "../format/numbers.js";

/**
 * A range of times: from that of the layers that compute nothing else to that of all that compute something of it.
 * @param {number} alone
 * @param {number} shared
 * @returns {string}
 */
export function timeRange(alone, shared) {
  const [low, high] = [formatNumber(alone), formatNumber(alone + shared)];
  return low === high ? `${low} ms` : `${low} to ${high} ms`;
}

/**
 * Return for each block the time of the layers that compute nodes of this block only, and of those that compute others too.
 * @param {PackedBlock[]} blocks Parents first.
 * @param {number[][]} layers The nodes of each layer that take time.
 * @param {(layer: number) => number | undefined} timeOf
 * @param {number} count Number of nodes.
 * @returns {{ alone: number, shared: number }[]}
 */
export function blockCosts(blocks, layers, timeOf, count) {
  const costs = blocks.map(() => ({ alone: 0, shared: 0 }));
  const leafOf = new Int32Array(count);
  // A later block is inside of an earlier one, so the last one that has a node is its leaf.
  blocks.forEach(({ ranges }, id) => {
    for (let at = 0; at < ranges.length; at += 2) leafOf.fill(id, ranges[at], ranges[at + 1] + 1);
  });
  layers.forEach((nodes, layer) => {
    const time = timeOf(layer);
    if (!time || !nodes.length) return;
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const node of nodes) for (let id = leafOf[node]; ; id = blocks[id].parent) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      if (!id) break;
    }
    for (const [id, own] of counts) costs[id][own === nodes.length ? "alone" : "shared"] += time;
  });
  return costs;
}
