// Data whose parts are parsed when they are needed: of 20,000 layers, parsing all takes longer than what is shown first.

/**
 * Read JSON, of an object as packed_json() of page.py writes it: every other line is the value of a member, or of a column of records.
 * @param {string} text
 * @returns {any}
 */
export function readLines(text) {
  const lines = text.split("\n");
  const parse = (/** @type {number} */ line) => {
    const value = JSON.parse(lines[line]);
    lines[line] = "";
    return value;
  };
  const data = JSON.parse(lines.map((line, at) => (at % 2 ? at : line)).join(""));
  // A list, as of phases, is in one line.
  if (Array.isArray(data)) return data;
  for (const [key, member] of Object.entries(data)) {
    if (typeof member === "number") onDemand(data, key, () => parse(member));
    else for (const column of member.columns) for (let at = 1; at < column.length; at += 1) lateLine(column, at, parse);
  }
  return data;
}

/**
 * @param {any[]} column
 * @param {number} at
 * @param {(line: number) => unknown} parse
 */
function lateLine(column, at, parse) {
  const line = column[at];
  onDemand(column, at, () => parse(line));
}

/**
 * Let a property be made when it is read first.
 * @param {any} target
 * @param {PropertyKey} key
 * @param {() => unknown} make
 */
export function onDemand(target, key, make) {
  const fix = (/** @type {unknown} */ value) => Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(target, key, {
    get() {
      fix(make());
      return target[key];
    },
    set: fix,
    enumerable: true,
    configurable: true,
  });
}
