// What several tests need.

/** Return records as packing.py writes them. */
export function packed(records) {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return { count: records.length, columns: keys.map((key) => [key, records.map((record) => record[key] ?? null)]) };
}
