(async () => {
  // The page's script is packed; its text is allowed by its hash, as this one is.
  const packed = document.getElementById("trexreport-script")?.textContent ?? "";
  /** @type {Uint8Array<ArrayBuffer>} */
  const bytes = /** @type {any} */ (Uint8Array).fromBase64?.(packed) ?? Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const script = document.createElement("script");
  // Not by way of a Blob, which would send the bytes to another process and back.
  script.textContent = await new Response(/** @type {ReadableStream} */ (new Response(bytes).body).pipeThrough(new DecompressionStream("gzip"))).text();
  document.body.append(script);
})().catch((error) => {
  // All that the page came with can be read without a script; say what does not work.
  const note = document.createElement("p");
  note.className = "notice";
  note.textContent = `This browser can’t run the interactive parts of the report (${error.message}).`;
  document.getElementById("overview")?.prepend(note);
});
