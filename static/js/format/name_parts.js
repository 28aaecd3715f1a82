// Long names in narrow places: a beginning that may be cut, and an end that says how a name differs.
// renderer/overview.py divides names alike; tests/name_part_vectors.json holds both to one rule.

import { shorten } from "./text.js";

const SHORT_NAME = 14;
const CLEAR_BEGINNING = 18;
const USUAL_END = 8;
const LONG_END = 14;
const LONGEST_END = 18;
const LAST_PART = 8;
/** Characters before what differs, where names often differ from others: the numbers of their blocks. */
const BEFORE = 8;
const LONGEST_BEGINNING = 240;

/**
 * For each name how many of its first characters it shares with the one most like it.
 * @param {string[]} names
 * @returns {Map<string, number>}
 */
export function sharedBeginnings(names) {
  const order = [...new Set(names)].sort();
  /** @type {Map<string, number>} */
  const alike = new Map();
  let before = 0;
  order.forEach((name, at) => {
    const next = order[at + 1] ?? "";
    let shared = 0;
    while (shared < name.length && name[shared] === next[shared]) shared += 1;
    alike.set(name, Math.max(before, shared));
    before = shared;
  });
  return alike;
}

/**
 * The parts of a name: all of a short one, else a beginning and an end that is to stay.
 * @param {string} name
 * @param {number} alike How many of its first characters another name has.
 * @returns {string[]}
 */
export function nameParts(name, alike) {
  if (name.length <= SHORT_NAME) return [name];
  const start = charStart(name, alike <= CLEAR_BEGINNING ? name.length - USUAL_END : Math.min(name.length - LONG_END, Math.max(alike - BEFORE, 1)));
  const beginning = shorten(name.slice(0, start), LONGEST_BEGINNING);
  const end = name.slice(start);
  if (end.length <= LONGEST_END) return [beginning, end];
  const rest = charStart(end, end.length - LAST_PART);
  return [beginning, shorten(end.slice(0, rest), LONGEST_BEGINNING), end.slice(rest)];
}

/**
 * A position that is not within a character of two units.
 * @param {string} text
 * @param {number} at
 * @returns {number}
 */
function charStart(text, at) {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
