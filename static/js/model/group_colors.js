// Colors of groups of nodes, such that groups beside each other differ.

// Through more nodes that are in no group, groups do not count as neighbors.
const MAX_NEAR = 8;

/**
 * Return which groups come directly before which: pairs of group numbers, each once.
 * @param {{ inputs: number[] }[]} nodes In an order in which nodes mostly come after those that they read.
 * @param {Int32Array} groupOf The group of each node, -1 for none: what it reads is then beside what reads it.
 * @returns {Map<number, Set<number>>} The neighbors of each group.
 */
export function neighboringGroups(nodes, groupOf) {
  /** @type {Map<number, Set<number>>} */
  const found = new Map();
  /** @type {number[][]} */
  const near = [];
  const add = (/** @type {number} */ one, /** @type {number} */ other) => {
    if (!found.has(one)) found.set(one, new Set());
    found.get(one)?.add(other);
  };
  nodes.forEach(({ inputs }, index) => {
    const before = new Set(inputs.flatMap((each) => near[each] ?? []));
    const own = groupOf[index];
    near.push(own >= 0 ? [own] : [...before].slice(0, MAX_NEAR));
    if (own < 0) return;
    for (const other of before) {
      if (other === own) continue;
      add(own, other);
      add(other, own);
    }
  });
  return found;
}

/**
 * Return the number of a color for each group: not that of a neighbor, as far as there are enough colors.
 * @param {number} groups
 * @param {Map<number, Set<number>>} neighbors
 * @param {number} colors
 * @returns {number[]}
 */
export function groupColors(groups, neighbors, colors) {
  /** @type {number[]} */
  const found = [];
  for (let group = 0; group < groups; group += 1) {
    const uses = new Array(colors).fill(0);
    for (const other of neighbors.get(group) ?? []) if (other < group) uses[found[other]] += 1;
    // All colors take turns, so that groups which are near but not neighbors differ too.
    const turn = Array.from({ length: colors }, (_, at) => (group + at) % colors);
    found.push(turn.reduce((best, each) => (uses[each] < uses[best] ? each : best)));
  }
  return found;
}
