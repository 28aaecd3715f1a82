// The order of the rows of a table.

/**
 * Return items in the order of a column; missing values come last, and equal ones keep the order of their positions.
 * @template {{ index: number }} Item
 * @param {Item[]} items
 * @param {Column<Item>} column
 * @param {boolean} up Whether the smallest value comes first.
 * @returns {Item[]}
 */
export function sortedBy(items, column, up) {
  if (column.key === "index" && up) return [...items].sort((one, other) => one.index - other.index);
  const direction = up ? 1 : -1;
  const isMissing = (/** @type {any} */ value) => value == null || value === "";
  const keyed = items.map((item) => ({ value: column.value(item), item }));
  keyed.sort((one, other) => {
    const byPosition = one.item.index - other.item.index;
    const missing = Number(isMissing(one.value)) - Number(isMissing(other.value));
    if (missing) return missing;
    if (one.value === other.value || isMissing(one.value)) return byPosition;
    const order = column.number ? one.value - other.value : one.value < other.value ? -1 : 1;
    return order * direction || byPosition;
  });
  return keyed.map(({ item }) => item);
}
