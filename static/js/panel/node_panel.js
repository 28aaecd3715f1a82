// The panel of a report with an ONNX model: details of a selected node, and the nodes of a selected layer.

import { nodeLink } from "../data/links.js";
import { breakable, h } from "../dom/elements.js";
import { formatCount, formatMs, formatNumber, formatPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { quantizationText } from "../model/model_data.js";
import { state } from "../state/state.js";
import { DetailsPanel } from "./details_panel.js";
import { findingList, linkTo, nameList, pairs, panelHead, section } from "./parts.js";

const MOST = 100;

export class NodePanel extends DetailsPanel {
  content() {
    return state.node == null ? super.content() : this.node(this.data.model.nodes[state.node]);
  }

  /**
   * @param {Layer} layer
   * @returns {HTMLElement | null}
   */
  onnxNodes(layer) {
    return this.nodeLinks(this.data.model.nodesOf.get(layer.index) ?? []) ?? super.onnxNodes(layer);
  }

  /**
   * @param {ModelNode} node
   * @returns {(Node | string)[]}
   */
  node(node) {
    const { model, layers } = this.data;
    const own = node.layers.map((each) => /** @type {Layer} */ (layers[each]));
    const findings = [...new Set(own.flatMap((layer) => layer.findings))];
    const others = [...new Set(node.layers.flatMap((each) => /** @type {number[]} */ (model.nodesOf.get(each) ?? [])))].filter((each) => each !== node.index);
    const frames = model.framesOf(node);
    return [
      panelHead(node.name),
      pairs([
        ["Type", node.type],
        ["Module", node.module],
        ["Class", node.class],
        ["Function", node.function],
        ["Source", node.source],
        ["Precision", node.precision],
        ["Q/DQ", quantizationText(node)],
        ["In no layer", node.layers.length ? null : node.reason],
        ["Evidence", node.evidence],
      ]),
      ...section("Findings", findingList(this.data, { index: -1, findings })),
      ...section("Cost", this.nodeCost(node)),
      ...section(own.length === 1 ? "Layer" : "Layers", own.length ? this.list(own, (layer) => [linkTo(this.data, layer.index), ` ${layer.avg_ms == null ? "" : `${formatMs(layer.avg_ms)}, ${formatPercent(layer.share_percent)}`}`]) : null),
      ...section(`In the same ${own.length > 1 ? "layers" : "layer"}`, this.nodeLinks(others)),
      ...section("Reads", this.nodeLinks(node.inputs)),
      ...section("Read by", this.nodeLinks(model.readers[node.index])),
      ...section("Outputs", node.outputs.length ? nameList(node.outputs) : null),
      ...section("Stack trace", frames.length ? nameList(frames) : null),
    ];
  }

  /**
   * @param {ModelNode} node
   * @returns {HTMLElement | null}
   */
  nodeCost({ layers, alone_ms, shared_ms }) {
    if (!layers.length || alone_ms == null) return null;
    const most = alone_ms + (shared_ms ?? 0);
    const [low, high] = [alone_ms, most].map((each) => formatNumber((100 * each) / this.data.totalMs));
    return pairs([
      ["Alone", formatMs(alone_ms)],
      ["Shared", formatMs(shared_ms ?? 0)],
      ["Time (%)", this.data.totalMs ? (low === high ? low : `${low}–${high}`) : null],
    ]);
  }

  /**
   * @param {number[]} nodes
   * @returns {HTMLElement | null}
   */
  nodeLinks(nodes) {
    if (!nodes.length) return null;
    return this.list(nodes, (index) => {
      const node = /** @type {ModelNode} */ (this.data.model.nodes[index]);
      return [h("a", { class: "name", href: nodeLink(index) }, breakable(shorten(visible(node.name), 200))), h("span", { class: "muted" }, ` ${shorten(visible(node.type), 60)}`)];
    });
  }

  /**
   * @template Item
   * @param {Item[]} items
   * @param {(item: Item) => (Node | string)[]} content
   * @returns {HTMLElement}
   */
  list(items, content) {
    const rest = items.length - MOST;
    return h("div", {}, items.slice(0, MOST).map((each) => h("p", {}, content(each))), rest > 0 ? h("p", { class: "muted" }, `and ${formatCount(rest)} more`) : null);
  }
}
