// The precision of a layer as a text.

/**
 * What a layer computes with and, where that is another one, what it writes; empty if neither is stated.
 * @param {Pick<Layer, "precision" | "output_precision">} layer
 * @returns {string}
 */
export function precisionText({ precision, output_precision: written }) {
  return written && written !== precision ? `${precision || "not stated"} → ${written}` : precision;
}

/**
 * From which precisions to which a row changes: of inputs and outputs, or one phrase where both change alike.
 * @param {string[][]} inputs Those of the baseline and of the candidate.
 * @param {string[][]} outputs
 * @returns {string} Empty where what is stated of them does not differ.
 */
export function precisionChange(inputs, outputs) {
  const [read, written] = [fromTo(inputs), fromTo(outputs)];
  if (read === written) return read;
  return [read && `inputs ${read}`, written && `outputs ${written}`].filter(Boolean).join(", ");
}

/**
 * @param {string[][]} sides
 * @returns {string} Empty if one of them is not stated, or both are the same in any order.
 */
function fromTo([before, after]) {
  if (!before.length || !after.length || String([...before].sort()) === String([...after].sort())) return "";
  return `${before.join("+")} → ${after.join("+")}`;
}
