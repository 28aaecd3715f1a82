// What the details of everything are made of: a head, sections, pairs of a name and a value, lists of names, links.

import { layerLink } from "../data/links.js";
import { breakable, h } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { formatCount } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { findingMark } from "../page/finding_links.js";
import { termNode } from "../page/glossary.js";
import { NO_SELECTION } from "../state/address.js";
import { setState } from "../state/state.js";

/** At most this many names or findings are listed. */
const MOST_NAMES = 200;
const MOST_FINDINGS = 20;

/**
 * @param {string} name
 * @returns {HTMLElement}
 */
export function panelHead(name) {
  return h(
    "header",
    {},
    h("h2", { class: "name", tabindex: "-1" }, breakable(shorten(visible(name), 2000))),
    h("button", { type: "button", class: "plain", onclick: () => copyText(name, "Name") }, "Copy"),
    h("button", { type: "button", class: "plain", onclick: () => copyText(location.href, "Link") }, "Copy link"),
    h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: () => setState(NO_SELECTION) }, "✕"),
  );
}

/**
 * @param {string} title
 * @param {Node | null} content
 * @returns {Node[]}
 */
export function section(title, content) {
  return content ? [h("h3", {}, title), content] : [];
}

/**
 * @param {[string, any][]} entries
 * @returns {HTMLElement}
 */
export function pairs(entries) {
  const rows = entries
    .filter(([, value]) => value != null && value !== "")
    .map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, termNode(shorten(key, 200))), h("td", {}, key === "Type" ? termNode(String(value), String(value).replace(/ \(.*$/s, "")) : Array.isArray(value) ? value : visible(String(value)))));
  return h("table", { class: "pairs" }, h("tbody", {}, rows));
}

/**
 * @param {string[]} names
 * @returns {HTMLElement}
 */
export function nameList(names) {
  const items = names.slice(0, MOST_NAMES).map((name) => h("li", { class: "name" }, breakable(shorten(visible(name), 1000))));
  if (names.length > MOST_NAMES) items.push(h("li", { class: "muted" }, `and ${formatCount(names.length - MOST_NAMES)} more`));
  return h("ul", {}, items);
}

/**
 * @param {Pick<ReportData, "layers">} data
 * @param {number} index
 * @returns {HTMLElement}
 */
export function linkTo(data, index) {
  const layer = data.layers[index];
  return h("a", { class: "name", href: layerLink(layer) }, breakable(shorten(visible(layer.name), 200)));
}

/**
 * @param {Pick<ReportData, "layers">} data
 * @param {Pick<Layer, "index" | "findings">} layer
 * @returns {HTMLElement | null}
 */
export function findingList(data, layer) {
  const items = layer.findings.slice(0, MOST_FINDINGS).map(({ finding, gain, layers, message }) => {
    const savings = gain == null ? "" : ` Savings: ${visible(gain)}${layers.length > 1 ? ` for ${formatCount(layers.length)} layers together` : ""}.`;
    const cause = finding.cause ? [` Explained by ${shorten(visible(finding.cause), 40)}.`] : [];
    // The message names the first layer of its place, which may be another one than this.
    const first = layers.length && layers[0] !== layer.index ? [" First layer: ", linkTo(data, layers[0]), "."] : [];
    return h("p", { title: shorten(visible(finding.title), 400) }, findingMark(finding), " ", h("span", { class: "name" }, shorten(visible(message), 600)), h("span", { class: "muted" }, savings, ...cause, ...first));
  });
  const rest = layer.findings.length - items.length;
  if (rest) items.push(h("p", { class: "muted" }, `and ${formatCount(rest)} more`));
  return items.length ? h("div", {}, items) : null;
}
