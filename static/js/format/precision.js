// The precision of a layer as a text.

/**
 * What a layer computes with and, where that is another one, what it writes; empty if neither is stated.
 * @param {Pick<Layer, "precision" | "output_precision">} layer
 * @returns {string}
 */
export function precisionText({ precision, output_precision: written }) {
  return written && written !== precision ? `${precision || "not stated"} → ${written}` : precision;
}
