// Lists in a map.

/**
 * Add a value to the list that a map has under a key.
 * @param {Map<any, any[]>} map
 * @param {any} key
 * @param {any} value
 */
export function addToList(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
