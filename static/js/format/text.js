// How texts from files are shown.

/**
 * Show control characters as their pictures, and lone surrogates and bidirectional controls as unknown characters, as visible.py does.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069\p{Surrogate}\ufffe\uffff]/gu, "\ufffd");
}

/**
 * Shorten a text to `width` characters by leaving out its middle: names differ at their ends.
 * @param {string} text
 * @param {number} width
 * @returns {string}
 */
export function shorten(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor(width / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (width - 1 - head))}`;
}

// Shorter names fit in any column.
const MIN_BREAKABLE = 24;

/**
 * Divide a name where a line may end: after a slash, else after an underscore or a period, as line_breaks.py does.
 * @param {string} name
 * @returns {string[]}
 */
export function breakParts(name) {
  if (name.length < MIN_BREAKABLE) return [name];
  const parts = name.includes("/") ? /[^]*?[^/\s]\/(?=[^/\s])|[^]+$/g : /[^]*?[^_.\s][_.](?=[^_.\s])|[^]+$/g;
  return name.match(parts) ?? [name];
}
