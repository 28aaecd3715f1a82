// Lists in a map.

/**
 * Add a value to the list that a map has under a key.
 * @param {Map<any, any[]>} map
 * @param {any} key
 * @param {any} value
 */
export function addToList(map, key, value) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(value);
}
