// Links to findings.

import { findingLink } from "../data/links.js";
import { byId, h } from "../dom/elements.js";
import { shorten, visible } from "../format/text.js";

/**
 * A finding's code with the sign of its severity, as a link to it.
 * @param {Finding} finding
 * @param {Record<string, any>} [attributes]
 * @param {string} [text] In place of the code.
 * @returns {HTMLElement}
 */
export function findingMark(finding, attributes, text = finding.code) {
  return h("a", { class: `mark mark-${finding.severity}`, href: findingLink(finding), ...attributes }, shorten(visible(text), 40));
}

/**
 * What a finding is called where there is no room for its message: "mixed residual add".
 * @param {Finding} finding
 * @returns {string}
 */
export function findingName(finding) {
  const [name] = finding.name.split(".").slice(-1);
  return name.replaceAll("-", " ") || finding.code;
}

/**
 * Expand the finding that an address names; of a consequence also the finding that explains it.
 * @param {string} hash
 * @returns {PageElement | null}
 */
export function openFinding(hash) {
  const finding = hash.startsWith("#finding-") ? byId(hash.slice(1)) : null;
  for (let at = finding?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  return finding;
}
