// How the nodes of the ONNX model look: by default those of one layer have one color.

import { LayerStyle } from "../graph/layer_style.js";

export class ModelStyle extends LayerStyle {
  /** @param {ReportData} data */
  constructor(data) {
    super(data);
    this.by = "layer";
  }

  /**
   * @param {any} node
   * @returns {Meaning}
   */
  meaning(node) {
    if (this.by === "layer") return [node.kind ? "in no layer" : "one color and outline: nodes of one layer", node.shade];
    if (node.kind) return ["in no layer", this.data.unknownColor];
    if (this.by === "precision" && node.precision.includes(" + ")) return ["layers of several precisions", this.data.unknownColor];
    return super.meaning(node);
  }

  /**
   * @param {Layer} node
   * @returns {string}
   */
  text(node) {
    if (this.label === "source") return node.origins[0] ?? node.name;
    return this.label === "full" ? node.name : super.text(node);
  }
}
