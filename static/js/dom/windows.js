// Kinds of windows, as the style sheets know them.

/** A phone: rows of tables are cards. */
export const PHONE = "(max-width: 40rem)";
/** A phone or a tablet: wide charts have other drawings. */
export const NARROW = "(max-width: 60rem)";
/** What is pointed with first is a finger. */
export const TOUCH = "(pointer: coarse)";

/**
 * Whether the window is of a kind now.
 * @param {string} kind
 * @returns {boolean}
 */
export function isWindow(kind) {
  return matchMedia(kind).matches;
}
