(async () => {
  // The page's script is packed; its text is allowed by its hash, as this one is.
  const packed = atob(document.getElementById("trexreport-script")?.textContent ?? "");
  const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
  const script = document.createElement("script");
  script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  document.body.append(script);
})().catch((error) => {
  // All that the page came with can be read without a script; say what does not work.
  const note = document.createElement("p");
  note.className = "notice";
  note.textContent = `This browser can’t run the interactive parts of the report (${error.message}).`;
  document.getElementById("overview")?.prepend(note);
});
