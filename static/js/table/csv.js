// Rows and columns as CSV.

/** What a spreadsheet may take for the beginning of a formula: also in full width, and behind what it strips. */
const FORMULA_START = /^(?:[\t\r\n]|[\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠])/;

/**
 * Rows and columns as a text that a spreadsheet takes.
 * @param {any[]} rows
 * @param {Column<any>[]} columns
 * @returns {string}
 */
export function asCsv(rows, columns) {
  const quote = (/** @type {any} */ value) => {
    const text = value == null ? "" : String(value);
    // A leading apostrophe keeps a spreadsheet from running a name as a formula.
    const safe = typeof value === "string" && FORMULA_START.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((layer) => columns.map((column) => quote(column.value(layer))).join(","));
  return [columns.map((column) => quote(column.label)).join(","), ...lines].join("\r\n");
}
