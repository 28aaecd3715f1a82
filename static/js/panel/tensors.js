// Tensors in the panel: those of a layer, and the details of one.

import { breakable, h } from "../dom/elements.js";
import { formatBytes, formatCount, formatShape } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { formatNodes } from "../page/glossary.js";
import { linkTo, pairs, panelHead, section } from "./parts.js";

/** @type {Record<string, string>} */
const TENSOR_ROLES = { input: "engine input", output: "engine output", constant: "constant" };

// At most this many producers or consumers of a tensor are listed with a layer; its own panel lists more.
const MAX_ENDS = 4;
const MOST_LINKS = 100;

/**
 * Tensors that a layer reads or writes, with links to the layers at their other ends.
 * @param {ReportData} data
 * @param {TensorUse[]} uses
 * @param {"from" | "to"} ends
 * @param {number} layer
 * @returns {HTMLElement}
 */
export function tensorUses(data, uses, ends, layer) {
  if (!uses.length) return h("p", { class: "muted" }, "none");
  const items = uses.slice(0, MOST_LINKS).map(([index, dimensions, format, size]) => {
    const tensor = data.tensors[index];
    const version = tensor.version ? ` (value ${tensor.version})` : "";
    return h(
      "p",
      {},
      h("a", { class: "name", href: `#tensor=${index}` }, breakable(shorten(visible(tensor.name), 400) + version)),
      h("br"),
      h("span", { class: "muted" }, `${formatShape(dimensions)} · `, ...formatNodes(format), ` · ${formatBytes(size)}`),
      tensorEnds(data, index, ends, layer),
    );
  });
  return h("div", {}, items, moreThan(uses.length));
}

/**
 * How many of a long list are left out; null if none is.
 * @param {number} count
 * @returns {HTMLElement | null}
 */
function moreThan(count) {
  return count > MOST_LINKS ? h("p", { class: "muted" }, `and ${formatCount(count - MOST_LINKS)} more`) : null;
}

/**
 * The producers or consumers of a tensor, and in which format they write or read it where that is another one.
 * @param {ReportData} data
 * @param {number} index
 * @param {"from" | "to"} ends
 * @param {number} layer The one that uses it, which is left out.
 * @returns {HTMLElement | null}
 */
function tensorEnds(data, index, ends, layer) {
  const tensor = data.tensors[index];
  const others = /** @type {number[]} */ (tensor[ends]).filter((each) => each !== layer);
  const words = ends === "from" ? "Producer" : "Consumer";
  if (!others.length) return tensor.role ? h("span", { class: "muted panel-end" }, TENSOR_ROLES[tensor.role]) : null;
  const items = others.slice(0, MAX_ENDS).flatMap((each) => {
    const use = /** @type {TensorUse[]} */ (data.layers[each][ends === "from" ? "outputs" : "inputs"]).find(([used]) => used === index);
    const own = use && use[2] !== tensor.format ? h("span", { class: "muted" }, ` as ${use[2]}`) : null;
    return [h("span", { class: "panel-end" }, h("span", { class: "muted" }, `${words}: `), linkTo(data, each), own)];
  });
  if (others.length > MAX_ENDS) items.push(h("span", { class: "muted panel-end" }, `and ${formatCount(others.length - MAX_ENDS)} more`));
  return h("span", {}, items);
}

/**
 * The details of a tensor.
 * @param {ReportData} data
 * @param {number} index
 * @returns {(Node | string)[]}
 */
export function tensorDetails(data, index) {
  const tensor = data.tensors[index];
  const links = (/** @type {number[]} */ layers) => {
    if (!layers.length) return h("p", { class: "muted" }, "none");
    return h("div", {}, layers.slice(0, MOST_LINKS).map((each) => h("p", {}, linkTo(data, each))), moreThan(layers.length));
  };
  return [
    panelHead(tensor.name),
    pairs([
      ["Kind", TENSOR_ROLES[tensor.role ?? ""] ?? "intermediate"],
      ["Shape", formatShape(tensor.dims)],
      ["Format", tensor.format ? formatNodes(tensor.format) : null],
      ["Size", tensor.bytes == null ? "unknown" : formatBytes(tensor.bytes)],
      ["Value", tensor.version ? `number ${tensor.version} of this name` : null],
    ]),
    ...section("Producers", links(tensor.from)),
    ...section("Consumers", links(tensor.to)),
  ];
}
