// Records whose values stay in the columns of the page's data: for 20,000 layers, copying them would take longer than
// all that is shown first.

/** The columns of records, as long as no record has a value of its own in them. @type {WeakMap<any[], Map<string, any[]>>} */
const columnsOf = new WeakMap();

/** What a record has that its columns do not: for each key, what to take of the record instead. */
/** @typedef {Record<string, (record: any) => unknown>} Defaults */

/**
 * Records that look their values up in columns (see `fromColumns`). A value that is set belongs to its record alone.
 * @template {{ index: number }} Base
 * @param {PackedRecords} packed
 * @param {new (index: number) => Base} Record What each record has of its own.
 * @param {Defaults} defaults
 * @param {{ [key: string]: (values: any[]) => any[] }} [completed] What to make of a column when it is read first.
 * @returns {any[]}
 */
export function recordsOf({ count, columns }, Record, defaults, completed = {}) {
  class PackedRecord extends /** @type {new (index: number) => { index: number }} */ (Record) {}
  const { prototype } = PackedRecord;
  const found = new Map(columns.map((column) => [column[0], column]));
  for (const key of new Set([...found.keys(), ...Object.keys(defaults)])) {
    const column = found.get(key) ?? [key, []];
    const read = (/** @type {() => unknown} */ get) =>
      Object.defineProperty(prototype, key, {
        get,
        /** @param {unknown} value */
        set(value) {
          found.delete(key);
          Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
        },
        configurable: true,
      });
    // A column may be parsed only now.
    read(
      /** @this {any} */ function first() {
        read(reader(completed[key]?.(column[1]) ?? column[1], column[2], defaults[key]));
        return this[key];
      },
    );
  }
  const records = Array.from({ length: count }, (_, index) => new PackedRecord(index));
  columnsOf.set(records, found);
  return records;
}

/**
 * One of each group of items that have the same value, with how many they are; where values have no codes each item by itself.
 * @template Item
 * @param {Item[]} items
 * @param {string | undefined} key Of the value.
 * @returns {[item: Item, count: number][]}
 */
export function alikeBy(items, key) {
  const [, values, which] = columnsOf.get(items)?.get(key ?? "") ?? [];
  if (!which) return items.map((item) => [item, 1]);
  const [counts, firsts] = [new Int32Array(values.length), new Int32Array(values.length).fill(-1)];
  for (let at = which.length - 1; at >= 0; at -= 1) {
    counts[which[at]] += 1;
    firsts[which[at]] = at;
  }
  return [...firsts].sort((one, other) => one - other).filter((first) => first >= 0).map((first) => [items[first], counts[which[first]]]);
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
