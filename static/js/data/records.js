// Records whose values stay in the columns of the page's data: for 20,000 layers, copying them would take longer than
// all that is shown first.

/** What a record has that its columns do not: for each key, what to take of the record instead. */
/** @typedef {Record<string, (record: any) => unknown>} Defaults */

/**
 * Records that look their values up in columns (see `fromColumns`). A value that is set belongs to its record alone.
 * @template {{ index: number }} Base
 * @param {PackedRecords} packed
 * @param {new (index: number) => Base} Record What each record has of its own.
 * @param {Defaults} defaults
 * @returns {any[]}
 */
export function recordsOf({ count, columns }, Record, defaults) {
  class PackedRecord extends /** @type {new (index: number) => { index: number }} */ (Record) {}
  const values = new Map(columns.map(([key, ...column]) => [key, column]));
  for (const key of new Set([...values.keys(), ...Object.keys(defaults)])) {
    const [found = [], which] = values.get(key) ?? [];
    Object.defineProperty(PackedRecord.prototype, key, {
      get: reader(found, which, defaults[key]),
      /** @param {unknown} value */
      set(value) {
        Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  }
  return Array.from({ length: count }, (_, index) => new PackedRecord(index));
}

/** @returns {undefined} */
function nothing() {
  return undefined;
}

/**
 * @param {unknown[]} values
 * @param {number[] | undefined} which
 * @param {(record: any) => unknown} [otherwise]
 * @returns {(this: { index: number }) => unknown}
 */
function reader(values, which, otherwise = nothing) {
  if (!which) {
    return function direct() {
      return values[this.index] ?? otherwise(this);
    };
  }
  return function coded() {
    return values[which[this.index]] ?? otherwise(this);
  };
}
