// Causes of a difference that offset each other, as in Python.

import { formatMs, formatSigned } from "./numbers.js";

/** Part of the baseline's time from which on a cause is named although the sum of all is within noise. */
const MIN_SHARE = 0.05;
/** In ms: below it none is named. */
const MIN_MS = 0.001;

/**
 * The causes that change a time much, up and down; empty if they do so in one direction.
 * @param {Record<string, number>} causes
 * @param {number} baselineMs
 * @returns {string}
 */
export function offsetCauses(causes, baselineMs) {
  const much = Object.entries(causes).filter(([, ms]) => Math.abs(ms) >= Math.max(MIN_SHARE * baselineMs, MIN_MS));
  const [less, more] = [-1, 1].map((sign) =>
    much
      .filter(([, ms]) => sign * ms > 0)
      .map(([name, ms]) => `${name} ${formatSigned(ms, formatMs)}`)
      .join(" and "),
  );
  return less && more ? `${less} offset by ${more}` : "";
}
