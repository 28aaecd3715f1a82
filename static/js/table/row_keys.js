// The keys that go from row to row.

/**
 * How many rows a key goes down; negative is up, infinite is to the end. Undefined for any other key.
 * @param {string} key As events name it.
 * @param {number} inView How many rows the view has room for.
 * @returns {number | undefined}
 */
export function rowStep(key, inView) {
  // Two rows of what was seen stay in view.
  const page = Math.max(1, Math.floor(inView) - 2);
  return { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, End: Infinity, Home: -Infinity }[key];
}

/**
 * The position that a step leads to, within the rows.
 * @param {number} at -1 for no row.
 * @param {number} step
 * @param {number} count Of the rows.
 * @returns {number} Of no row, if there is none.
 */
export function stepped(at, step, count) {
  return at < 0 && Number.isFinite(step) ? 0 : Math.min(count - 1, Math.max(0, at + step));
}
