// How numbers are written. numbers.py writes the same ones; tests/number_vectors.json holds both to one rule.

export const DASH = "\u2013";
const MINUS = "\u2212";
const UNIT_SPACE = "\u00a0";
const RESOLUTION = 0.001;
const LARGEST = 1e15;
const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/**
 * Write a number with three significant digits, a missing or infinite one as a dash, and one below the resolution as "<0.001".
 * @param {number | null | undefined} value
 * @param {number} [digits]
 * @returns {string}
 */
export function formatNumber(value, digits = 3) {
  if (value == null || !Number.isFinite(value)) return DASH;
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  if (Math.abs(rounded) >= LARGEST) return beyond(value);
  if (Math.abs(rounded) < RESOLUTION) return below(RESOLUTION, value);
  return formatFixed(rounded, Math.max(0, digits - 1 - magnitude(rounded)));
}

/**
 * Write a number with a fixed count of decimals and commas between thousands.
 * @param {number | null | undefined} value
 * @param {number} decimals
 * @returns {string}
 */
export function formatFixed(value, decimals) {
  if (value == null || !Number.isFinite(value)) return DASH;
  if (Math.abs(value) >= LARGEST) return beyond(value);
  const text = group(Math.abs(value).toFixed(decimals));
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/**
 * Write a whole number exactly.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function formatCount(value) {
  return formatFixed(value, 0);
}

/**
 * Write a duration in milliseconds with its unit.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 * @returns {string}
 */
export function formatMs(value, digits = 3) {
  return withUnit(formatNumber(value, digits), "ms");
}

/**
 * Write a size in bytes in binary units, as trtexec does.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function formatBytes(value) {
  if (value == null || !Number.isFinite(value)) return DASH;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return withUnit(unit === 0 ? formatCount(value) : formatNumber(value), BYTE_UNITS[unit]);
}

/**
 * Write a percentage (64.9, not 0.649) with three significant digits, but at most two decimals.
 * @param {number | null | undefined} percent
 * @returns {string}
 */
export function formatPercent(percent) {
  if (percent == null || !Number.isFinite(percent)) return DASH;
  if (percent === 0) return "0%";
  if (Math.abs(percent) < 0.005) return `${below(0.01, percent)}%`;
  const decimals = Math.min(2, Math.max(0, 2 - magnitude(Number(percent.toPrecision(3)))));
  return `${formatFixed(percent, decimals)}%`;
}

/**
 * Write a difference with its sign; `format` writes its magnitude.
 * @param {number | null | undefined} value
 * @param {(magnitude: number) => string} [format]
 * @returns {string}
 */
export function formatSigned(value, format = formatNumber) {
  if (value == null || !Number.isFinite(value)) return DASH;
  const text = format(Math.abs(value));
  if (value === 0 || text.startsWith("≥")) return format(value);
  return `${value > 0 ? "+" : MINUS}${text}`;
}

/**
 * Write a relative difference in percent with its sign: 5 is 5% more.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function formatSignedPercent(value) {
  return formatSigned(value, formatPercent);
}

/**
 * Write the extents of a tensor, an unknown one as "?".
 * @param {number[] | null | undefined} dimensions
 * @returns {string}
 */
export function formatShape(dimensions) {
  return dimensions?.length ? dimensions.map((extent) => (extent < 0 ? "?" : extent)).join("×") : "scalar";
}

/**
 * Write a count with its noun: "1 layer", "3 layers", "2 queries".
 * @param {number} count
 * @param {string} noun
 * @param {string} [plural]
 * @returns {string}
 */
export function counted(count, noun, plural = `${noun}s`) {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/**
 * Put a unit after a written number, but not after the dash of a missing one.
 * @param {string} text
 * @param {string} unit
 * @returns {string}
 */
export function withUnit(text, unit) {
  return text === DASH ? text : `${text}${UNIT_SPACE}${unit}`;
}

/**
 * @param {number} limit
 * @param {number} value
 * @returns {string}
 */
function below(limit, value) {
  return `${value < 0 ? MINUS : ""}<${limit}`;
}

/**
 * @param {number} value
 * @returns {string}
 */
function beyond(value) {
  return value < 0 ? `≤${MINUS}${group(String(LARGEST))}` : `≥${group(String(LARGEST))}`;
}

/**
 * A difference; 0 where it is rounding noise, below a billionth of the largest operand.
 * @param {number} difference
 * @param {number[]} operands
 * @returns {number}
 */
export function withoutNoise(difference, ...operands) {
  const largest = operands.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  return Math.abs(difference) <= 1e-9 * largest ? 0 : difference;
}

/**
 * @param {number} value
 * @returns {number}
 */
function magnitude(value) {
  return Number(value.toExponential().split("e")[1]);
}

/**
 * @param {string} text
 * @returns {string}
 */
function group(text) {
  const [whole, fraction] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction ? `${grouped}.${fraction}` : grouped;
}
