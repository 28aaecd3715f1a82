// Terms that are explained where they occur.

import { byId, find, findAll, h } from "../dom/elements.js";
import { visible } from "../format/text.js";

/** @type {Map<string, HTMLElement> | null} */
let entries = null;

/**
 * The entry of a term; null where the glossary has none.
 * @param {string} term
 * @returns {HTMLElement | null}
 */
function entryOf(term) {
  entries ??= new Map(
    findAll("#glossary dt").flatMap((entry) => {
      const spellings = [entry.textContent ?? "", ...(entry.dataset.spellings ?? "").split("|")];
      return spellings.filter(Boolean).map((spelling) => /** @type {[string, HTMLElement]} */ ([spelling.toLowerCase(), entry]));
    }),
  );
  return entries.get(term.toLowerCase()) ?? null;
}

/**
 * A text, as a button that opens the glossary where it has the term.
 * @param {string} text
 * @param {string} [term] If the text is not the term itself.
 * @returns {Node | string}
 */
export function termNode(text, term = text) {
  if (!byId("glossary") || !entryOf(term)) return visible(text);
  return h("button", { type: "button", class: "term", title: "Explain", onclick: () => openGlossary(term) }, visible(text));
}

// Layouts with packs of channels, or with channels last: as this report writes them, and as TensorRT names them.
const PACKED_LAYOUT = /^k?(n?c\/\d+(hw\d+)?|n?d?hwc\d*|n?cd?hw\d+)$/i;

/**
 * The entry that explains a memory layout, whatever its number of channels is.
 * @param {string} layout
 * @returns {string}
 */
export function layoutTerm(layout) {
  return PACKED_LAYOUT.test(layout) ? "NC/32HW32" : layout;
}

/**
 * A data type and a memory layout, of which the layout opens the glossary.
 * @param {string | null | undefined} format Such as "INT8 NC/32HW32".
 * @returns {(Node | string)[]}
 */
export function formatNodes(format) {
  const [, type, layout] = /^(\S* )?(.*)$/s.exec(format ?? "") ?? ["", "", ""];
  return [visible(type ?? ""), termNode(layout, layoutTerm(layout))];
}

/**
 * Open the glossary, at a term if one is given.
 * @param {string} [term]
 */
export function openGlossary(term = "") {
  const dialog = byId("glossary");
  if (!dialog) return;
  const entry = entryOf(term);
  for (const each of findAll(".is-current", dialog)) each.classList.remove("is-current");
  dialog.showModal();
  entry?.classList.add("is-current");
  entry?.scrollIntoView({ block: "center", behavior: "instant" });
  (entry ?? find(dialog, "h2")).focus({ preventScroll: true });
}

/** Open the glossary by its button. */
export function watchGlossary() {
  const dialog = byId("glossary");
  if (!dialog) return;
  byId("open-glossary")?.addEventListener("click", () => openGlossary());
  byId("close-glossary").addEventListener("click", () => dialog.close());
}
