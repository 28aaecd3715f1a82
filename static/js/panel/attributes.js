// All attributes of a layer, as its file has them.

import { attributesOf, loadAttributes } from "../data/report_data.js";
import { h } from "../dom/elements.js";
import { shorten } from "../format/text.js";
import { pairs } from "./parts.js";

/**
 * What appears once the attributes are unpacked.
 * @param {ReportData} data
 * @param {Layer} layer
 * @returns {HTMLElement}
 */
export function attributeList(data, layer) {
  const room = h("div", {}, h("p", { class: "muted" }, "Loading …"));
  const fill = () => room.replaceChildren(...entriesOf(attributesOf(data, layer)));
  if (data.attributes) fill();
  else loadAttributes(data).then(fill).catch((/** @type {Error} */ error) => room.replaceChildren(h("p", { class: "muted" }, `The attributes can’t be read (${error.message}).`)));
  return room;
}

/**
 * @param {Record<string, any> | null} found
 * @returns {(Node | string)[]}
 */
function entriesOf(found) {
  if (!found) return [h("p", { class: "muted" }, "This report does not contain the attributes, which keeps it small.")];
  const text = JSON.stringify(found, null, 2);
  const entries = Object.entries(found).filter(([, value]) => typeof value !== "object");
  const table = pairs(entries.map(([key, value]) => [key, typeof value === "string" ? shorten(value, 4000) : String(value)]));
  return [table, h("details", {}, h("summary", {}, "As in the file"), h("pre", {}, shorten(text, 200000)))];
}
