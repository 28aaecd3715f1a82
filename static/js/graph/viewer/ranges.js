// Ranges of layers.

/**
 * Every number of a list of pairs of first and last.
 * @param {number[]} [pairs]
 * @returns {number[]}
 */
export function expandRanges(pairs = []) {
  const found = [];
  for (let at = 0; at < pairs.length; at += 2) for (let each = pairs[at]; each <= pairs[at + 1]; each += 1) found.push(each);
  return found;
}
