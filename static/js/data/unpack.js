// Data in the page, packed by packing.py.

import { byId } from "../dom/elements.js";

/**
 * Return the text that a script element holds as base64 of gzip.
 * @param {string} id
 * @returns {Promise<string>}
 */
export async function unpack(id) {
  const stream = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (new Response(bytesOf(byId(id).textContent)).body);
  const reader = stream.pipeThrough(new DecompressionStream("gzip")).getReader();
  // By hand: a Blob as the source and a Response as the end send all to other processes and back, and take twice as long.
  const [decoder, parts] = [new TextDecoder(), /** @type {string[]} */ ([])];
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(decoder.decode(part.value, { stream: true }));
  return parts.join("");
}

/**
 * The bytes that base64 means, by the browser's own way where it has one.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf(text) {
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  return bytes;
}

/**
 * Turn columns into records. A column is `[key, values]`, or `[key, distinct values, index of each record's value]`.
 * @param {PackedRecords} packed
 * @returns {any[]}
 */
export function fromColumns({ count, columns }) {
  const records = Array.from({ length: count }, () => /** @type {Record<string, unknown>} */ ({}));
  for (const [key, values, which] of columns) {
    for (let at = 0; at < count; at += 1) {
      const value = values[which ? which[at] : at];
      if (value != null) records[at][key] = value;
    }
  }
  return records;
}
