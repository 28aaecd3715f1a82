// The panel beside the content: details of the selected layer or tensor.

import { layerLink } from "../data/links.js";
import { attributesOf, loadAttributes } from "../data/report_data.js";
import { byId, focusedElement, h } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { formatBytes, formatCount, formatMs, formatNumber, formatPercent, formatShape, withUnit } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { findingMark } from "../page/finding_links.js";
import { formatNodes, termNode } from "../page/glossary.js";
import { NO_SELECTION } from "../state/address.js";
import { setState, state } from "../state/state.js";
import { panelEdge } from "./panel_edge.js";

/** @type {Record<string, string>} */
const TENSOR_ROLES = { input: "engine input", output: "engine output", constant: "constant" };

// At most this many producers or consumers of a tensor are listed with a layer; its own panel lists more.
const MAX_ENDS = 4;

export class DetailsPanel {
  /** @param {any} data */
  constructor(data) {
    this.data = data;
    this.panel = byId("detail");
    // Read out what is selected; the whole panel would be too much.
    this.announcement = h("p", { class: "skip", role: "status" });
    this.panel.after(this.announcement);
    this.edge = panelEdge();
  }

  show() {
    const held = this.panel.contains(focusedElement());
    const content = this.content();
    if (content && this.panel.hidden) this.opener = focusedElement();
    this.panel.hidden = !content;
    byId("page").classList.toggle("has-detail", Boolean(content));
    this.panel.replaceChildren(...(content ? [this.edge, ...content] : []));
    this.panel.scrollTop = 0;
    this.announcement.textContent = content ? `Selected: ${shorten(visible(this.panel.querySelector("h2")?.textContent ?? ""), 200)}` : "";
    // The link or button that had the focus is gone.
    if (held) (content ? this.panel.querySelector("h2") : this.opener?.isConnected ? this.opener : byId("grid-scroll"))?.focus({ preventScroll: true });
  }

  /**
   * What the panel says of the selection; null if nothing is selected.
   * @returns {(Node | string)[] | null}
   */
  content() {
    return state.layer ? this.layer(state.layer) : state.tensor != null ? this.tensor(state.tensor) : null;
  }

  /**
   * @param {Layer} layer
   * @returns {(Node | string)[]}
   */
  layer(layer) {
    const precision = layer.output_precision && layer.output_precision !== layer.precision ? `${layer.precision} → ${layer.output_precision}` : layer.precision;
    return [
      this.head(layer.name),
      this.pairs([
        ["Type", layer.subtype !== layer.type ? `${layer.type} (${layer.subtype})` : layer.type],
        ["Precision", precision],
        ...this.mainCost(layer),
      ]),
      ...this.section("Inputs", this.uses(layer.inputs, "from", layer.index)),
      ...this.section("Outputs", this.uses(layer.outputs, "to", layer.index)),
      ...this.section("Findings", this.findings(layer)),
      ...this.section("Cost", this.pairs(this.otherCost(layer))),
      ...this.section("Kernels of a query", this.kernels(layer)),
      ...this.section("Tactics", this.tactics(layer)),
      ...this.section("ONNX nodes", this.onnxNodes(layer)),
      ...this.section("Modules", layer.modules ? this.names(layer.modules) : null),
      ...this.section("Source lines", layer.sources ? this.names(layer.sources) : null),
      ...this.section("Kernel", this.pairs([
        ["Tactic", layer.tactic],
        ["Operators", layer.operations.join(", ")],
        ["Position", `${layer.index + 1} of ${this.data.layers.length}`],
        ["Stream", layer.stream],
      ])),
      ...this.section("All attributes", this.raw(layer)),
    ];
  }

  /**
   * @param {Layer} layer
   * @returns {HTMLElement | null}
   */
  onnxNodes(layer) {
    return layer.origins.length ? this.names(layer.origins) : null;
  }

  /**
   * @param {string[]} names
   * @returns {HTMLElement}
   */
  names(names) {
    const items = names.slice(0, 200).map((name) => h("li", { class: "name" }, shorten(visible(name), 1000)));
    if (names.length > 200) items.push(h("li", { class: "muted" }, `and ${formatCount(names.length - 200)} more`));
    return h("ul", {}, items);
  }

  /**
   * @param {Pick<Layer, "index" | "findings">} layer
   * @returns {HTMLElement | null}
   */
  findings(layer) {
    const items = layer.findings.slice(0, 20).map(({ finding, gain, layers, message }) => {
      const savings = gain == null ? "" : ` Savings: ${visible(gain)}${layers.length > 1 ? ` for ${formatCount(layers.length)} layers together` : ""}.`;
      const cause = finding.cause ? [` Explained by ${shorten(visible(finding.cause), 40)}.`] : [];
      // The message names the first layer of its place, which may be another one than this.
      const first = layers.length && layers[0] !== layer.index ? [" First layer: ", this.layerLink(layers[0]), "."] : [];
      return h("p", { title: shorten(visible(finding.title), 400) }, findingMark(finding), " ", h("span", { class: "name" }, shorten(visible(message), 600)), h("span", { class: "muted" }, savings, ...cause, ...first));
    });
    const rest = layer.findings.length - items.length;
    if (rest) items.push(h("p", { class: "muted" }, `and ${formatCount(rest)} more`));
    return items.length ? h("div", {}, items) : null;
  }

  /**
   * @param {Layer} layer
   * @returns {HTMLElement}
   */
  cost(layer) {
    return this.pairs([...this.mainCost(layer), ...this.otherCost(layer)]);
  }

  /**
   * What a layer costs, in a few words.
   * @param {Layer} layer
   * @returns {[string, any][]}
   */
  mainCost(layer) {
    return [
      ["Avg. time", layer.avg_ms == null ? "not measured" : `${formatMs(layer.avg_ms)}, ${formatPercent(layer.share_percent)}`],
      ["Bound by", layer.bound ?? null],
      ["% of roofline", layer.reached_percent == null ? null : `${formatPercent(layer.reached_percent)}${layer.cached ? "; fits in the L2 cache" : ""}`],
      ["Error", this.error(layer, "error", layer.error_percent)],
      ["Error increase", this.error(layer, "increase", layer.error_increase_percent)],
    ];
  }

  /**
   * The error of a layer in percent, else what its color in the graph means; null where nothing is known.
   * @param {Layer} layer
   * @param {"error" | "increase"} by
   * @param {number | null | undefined} percent
   * @returns {string | null}
   */
  error(layer, by, percent) {
    if (percent != null) return formatPercent(percent);
    const levels = this.data.levels?.[by];
    const level = levels?.of[layer.index];
    return levels && level !== levels.meanings.length - 1 ? levels.meanings[/** @type {number} */ (level)][0] : null;
  }

  /**
   * @param {Layer} layer
   * @returns {[string, any][]}
   */
  otherCost(layer) {
    const work = layer.work;
    return [
      ["Median", layer.median_ms == null ? null : formatMs(layer.median_ms)],
      ["p10, p90, p99", layer.spread_ms ? withUnit(layer.spread_ms.filter((_, at) => at !== 1).map((each) => formatNumber(each)).join(", "), "ms") : null],
      ["Bytes moved", layer.moved_bytes == null ? "unknown" : formatBytes(layer.moved_bytes)],
      ["Weights", layer.weights_bytes ? formatBytes(layer.weights_bytes) : null],
      ["Bandwidth", layer.bandwidth_gbs == null ? null : `${formatNumber(layer.bandwidth_gbs)} GB/s`],
      ["Operations", layer.macs != null ? `${formatNumber(layer.macs / 1e9)} GMAC` : null],
      ["Operations", layer.flops && !work ? `${formatNumber(layer.flops / 1e9)} GFLOP` : null],
      ["M × N × K", work ? [work.m, work.n, work.k].map(formatCount).join(" × ") : null],
      ["Batch", work && work.batch > 1 ? formatCount(work.batch) : null],
      ["Weights inside the kernel", work?.hidden_weights_bytes ? `${formatBytes(work.hidden_weights_bytes)}, estimated` : null],
      ["Performance", layer.tflops == null ? null : `${formatNumber(layer.tflops)} ${rateUnit(layer.precision)}`],
      ["Arithmetic intensity", work?.intensity == null ? null : `${formatNumber(work.intensity)} FLOP/byte`],
      ["Roofline time", layer.roof_ms == null ? null : `${formatMs(layer.roof_ms)} (${layer.roof})`],
      ["Exceeds the roofline", layer.excess ?? null],
      ["Headroom", layer.headroom_ms == null ? null : formatMs(layer.headroom_ms)],
      ["Peak", layer.peak ? `${formatNumber(layer.peak[1])} ${rateUnit(layer.peak[0])} of ${layer.peak[0]}` : null],
    ];
  }

  /**
   * The kernels that a trace shows of a layer; null without one.
   * @param {Layer} layer
   * @returns {HTMLElement | null}
   */
  kernels(layer) {
    const found = /** @type {PanelKernel[] | undefined} */ (this.data.kernels?.[layer.index]);
    if (!found) return null;
    const rows = found.map(([name, ms, launches, grid, block, registers, stream]) => {
      const launch = [launches === "1" ? "" : `${launches} launches`, `grid ${grid}`, `block ${block}`, registers == null ? "" : `${formatCount(registers)} registers`, stream == null ? "" : `stream ${stream}`];
      return h("p", {}, h("span", { class: "name" }, `${formatMs(ms)} ${shorten(visible(name), 300)}`), h("br"), h("span", { class: "muted" }, launch.filter(Boolean).join(" · ")));
    });
    return h("div", {}, ...rows, found.length >= 20 ? h("p", { class: "muted" }, "The section Kernels may list more.") : null);
  }

  /**
   * What the builder timed for a layer; null without a verbose log of the build.
   * @param {Layer} layer
   * @returns {HTMLElement | null}
   */
  tactics(layer) {
    const found = /** @type {LayerTactics | undefined} */ (this.data.tactics?.[layer.index]);
    if (!found) return null;
    const formats = found.formats.map(([text, outcome, tactics, timed]) =>
      h(
        "p",
        {},
        visible(text),
        h("br"),
        h("span", { class: "muted" }, `${outcome} · ${formatCount(timed)} timed`),
        ...tactics.flatMap(([name, time, chosen]) => [h("br"), h("span", { class: "name" }, h(chosen ? "strong" : "span", {}, `${formatMs(time)} ${shorten(visible(name), 400)}`))]),
      ),
    );
    return h(
      "div",
      {},
      this.pairs([
        ["Chosen, in the build", found.chosen_ms == null ? "not known" : formatMs(found.chosen_ms)],
        ["Second fastest", found.second_ms == null ? null : `${formatMs(found.second_ms)}${found.margin_percent == null ? "" : `, ${found.margin_percent < 0 ? "−" : "+"}${formatPercent(Math.abs(found.margin_percent))}`}`],
        ["Timed", `${formatCount(found.timed ?? 0)}${found.cached ? `, ${formatCount(found.cached)} from the timing cache` : ""}`],
        ["Timing took", found.took ?? null],
      ]),
      ...formats,
      found.more ? h("p", { class: "muted" }, `and ${formatCount(found.more)} more`) : null,
    );
  }

  /**
   * Tensors that a layer reads or writes, with links to the layers at their other ends.
   * @param {TensorUse[]} uses
   * @param {"from" | "to"} ends
   * @param {number} layer
   * @returns {HTMLElement}
   */
  uses(uses, ends, layer) {
    if (!uses.length) return h("p", { class: "muted" }, "none");
    const items = uses.map(([index, dimensions, format, size]) => {
      const tensor = this.data.tensors[index];
      const version = tensor.version ? ` (value ${tensor.version})` : "";
      return h(
        "p",
        {},
        h("a", { class: "name", href: `#tensor=${index}` }, shorten(visible(tensor.name), 400) + version),
        h("br"),
        h("span", { class: "muted" }, `${formatShape(dimensions)} · `, ...formatNodes(format), ` · ${formatBytes(size)}`),
        this.ends(index, ends, layer),
      );
    });
    return h("div", {}, items);
  }

  /**
   * The producers or consumers of a tensor, and in which format they write or read it where that is another one.
   * @param {number} index
   * @param {"from" | "to"} ends
   * @param {number} layer The one that uses it, which is left out.
   * @returns {HTMLElement | null}
   */
  ends(index, ends, layer) {
    const tensor = this.data.tensors[index];
    const others = /** @type {number[]} */ (tensor[ends]).filter((each) => each !== layer);
    const words = ends === "from" ? "Producer" : "Consumer";
    if (!others.length) return tensor.role ? h("span", { class: "muted panel-end" }, TENSOR_ROLES[tensor.role]) : null;
    const items = others.slice(0, MAX_ENDS).flatMap((each) => {
      const use = /** @type {TensorUse[]} */ (this.data.layers[each][ends === "from" ? "outputs" : "inputs"]).find(([used]) => used === index);
      const own = use && use[2] !== tensor.format ? h("span", { class: "muted" }, ` as ${use[2]}`) : null;
      return [h("span", { class: "panel-end" }, h("span", { class: "muted" }, `${words}: `), this.layerLink(each), own)];
    });
    if (others.length > MAX_ENDS) items.push(h("span", { class: "muted panel-end" }, `and ${formatCount(others.length - MAX_ENDS)} more`));
    return h("span", {}, items);
  }

  /**
   * @param {Layer} layer
   * @returns {HTMLElement}
   */
  raw(layer) {
    const room = h("div", {}, h("p", { class: "muted" }, "Loading …"));
    const fill = () => room.replaceChildren(...this.attributes(attributesOf(this.data, layer)));
    if (this.data.attributes) fill();
    else loadAttributes(this.data).then(fill);
    return room;
  }

  /**
   * @param {Record<string, any> | null} found
   * @returns {(Node | string)[]}
   */
  attributes(found) {
    if (!found) return [h("p", { class: "muted" }, "This report does not contain the attributes, which keeps it small.")];
    const text = JSON.stringify(found, null, 2);
    const entries = Object.entries(found).filter(([, value]) => typeof value !== "object");
    const table = this.pairs(entries.map(([key, value]) => [key, typeof value === "string" ? shorten(value, 4000) : String(value)]));
    return [table, h("details", {}, h("summary", {}, "As in the file"), h("pre", {}, shorten(text, 200000)))];
  }

  /**
   * @param {number} index
   * @returns {(Node | string)[]}
   */
  tensor(index) {
    const tensor = this.data.tensors[index];
    const links = (/** @type {number[]} */ layers) => {
      if (!layers.length) return h("p", { class: "muted" }, "none");
      const rest = layers.length > 100 ? h("p", { class: "muted" }, `and ${formatCount(layers.length - 100)} more`) : null;
      return h("div", {}, layers.slice(0, 100).map((each) => h("p", {}, this.layerLink(each))), rest);
    };
    return [
      this.head(tensor.name),
      this.pairs([
        ["Kind", TENSOR_ROLES[tensor.role ?? ""] ?? "intermediate"],
        ["Shape", formatShape(tensor.dims)],
        ["Format", tensor.format ? formatNodes(tensor.format) : null],
        ["Size", tensor.bytes == null ? "unknown" : formatBytes(tensor.bytes)],
        ["Value", tensor.version ? `number ${tensor.version} of this name` : null],
      ]),
      ...this.section("Producers", links(tensor.from)),
      ...this.section("Consumers", links(tensor.to)),
    ];
  }

  /**
   * @param {number} index
   * @returns {HTMLElement}
   */
  layerLink(index) {
    const layer = this.data.layers[index];
    return h("a", { class: "name", href: layerLink(layer) }, shorten(visible(layer.name), 200));
  }

  /**
   * @param {string} name
   * @returns {HTMLElement}
   */
  head(name) {
    return h(
      "header",
      {},
      h("h2", { class: "name", tabindex: "-1" }, shorten(visible(name), 2000)),
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
  section(title, content) {
    return content ? [h("h3", {}, title), content] : [];
  }

  /**
   * @param {[string, any][]} entries
   * @returns {HTMLElement}
   */
  pairs(entries) {
    const rows = entries
      .filter(([, value]) => value != null && value !== "")
      .map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, termNode(shorten(key, 200))), h("td", {}, key === "Type" ? termNode(String(value), String(value).replace(/ \(.*$/s, "")) : Array.isArray(value) ? value : visible(String(value)))));
    return h("table", { class: "pairs" }, h("tbody", {}, rows));
  }
}

/**
 * Integers have operations, not floating-point operations.
 * @param {string} precision
 */
function rateUnit(precision) {
  return precision.startsWith("INT") ? "TOP/s" : "TFLOP/s";
}
