// Bytes from base64, with and without the browser's own way.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf } from "../../../static/js/data/unpack.js";

test("all bytes come back, by either way", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  const text = Buffer.from(bytes).toString("base64");
  const own = Object.getOwnPropertyDescriptor(Uint8Array, "fromBase64");
  try {
    delete Uint8Array.fromBase64;
    assert.deepEqual(bytesOf(text), bytes);
    Uint8Array.fromBase64 = (given) => new Uint8Array(Buffer.from(given, "base64"));
    assert.deepEqual(bytesOf(text), bytes);
  } finally {
    delete Uint8Array.fromBase64;
    if (own) Object.defineProperty(Uint8Array, "fromBase64", own);
  }
});
