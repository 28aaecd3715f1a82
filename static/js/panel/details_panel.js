// The panel beside the content: details of the selected layer or tensor.

import { byId, focusedElement, h } from "../dom/elements.js";
import { precisionText } from "../format/precision.js";
import { shorten, visible } from "../format/text.js";
import { state } from "../state/state.js";
import { attributeList } from "./attributes.js";
import { mainCost, otherCost } from "./layer_cost.js";
import { kernelList, tacticList } from "./measured.js";
import { panelEdge } from "./panel_edge.js";
import { findingList, nameList, pairs, panelHead, section } from "./parts.js";
import { tensorDetails, tensorUses } from "./tensors.js";

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
    return state.layer ? this.layer(state.layer) : state.tensor != null ? tensorDetails(this.data, state.tensor) : null;
  }

  /**
   * @param {Layer} layer
   * @returns {(Node | string)[]}
   */
  layer(layer) {
    const { data } = this;
    return [
      panelHead(layer.name),
      pairs([
        ["Type", layer.subtype !== layer.type ? `${layer.type} (${layer.subtype})` : layer.type],
        ["Precision", precisionText(layer)],
        ...mainCost(layer, data.levels),
      ]),
      ...section("Inputs", tensorUses(data, layer.inputs, "from", layer.index)),
      ...section("Outputs", tensorUses(data, layer.outputs, "to", layer.index)),
      ...section("Findings", findingList(data, layer)),
      ...section("Cost", pairs(otherCost(layer))),
      ...section("Kernels of a query", kernelList(data.kernels?.[layer.index])),
      ...section("Tactics", tacticList(data.tactics?.[layer.index])),
      ...section("ONNX nodes", this.onnxNodes(layer)),
      ...section("Modules", layer.modules ? nameList(layer.modules) : null),
      ...section("Source lines", layer.sources ? nameList(layer.sources) : null),
      ...section("Kernel", pairs([
        ["Tactic", layer.tactic],
        ["Operators", layer.operations.join(", ")],
        ["Position", `${layer.index + 1} of ${data.layers.length}`],
        ["Stream", layer.stream],
      ])),
      ...section("All attributes", attributeList(data, layer)),
    ];
  }

  /**
   * @param {Layer} layer
   * @returns {HTMLElement | null}
   */
  onnxNodes(layer) {
    return layer.origins.length ? nameList(layer.origins) : null;
  }
}
