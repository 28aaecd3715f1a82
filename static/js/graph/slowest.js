// What is read first of a drawing too large to be read as a whole.

/**
 * The item that takes the most time; undefined if none takes any.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => number | null | undefined} timeOf
 * @returns {Item | undefined}
 */
export function slowest(items, timeOf) {
  let [found, most] = [/** @type {Item | undefined} */ (undefined), 0];
  for (const item of items) {
    const time = timeOf(item) ?? 0;
    if (time > most) [found, most] = [item, time];
  }
  return found;
}
