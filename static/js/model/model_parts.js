// What a report with an ONNX model has besides: its data, its graph, and the panel of a node.

import { NodePanel } from "../panel/node_panel.js";
import { GraphPair } from "./graph_pair.js";
import { ModelData } from "./model_data.js";

/** @type {ModelParts} */
export const MODEL_PARTS = {
  data: (packed, data) => new ModelData(packed, data),
  graph: (data, engine) => new GraphPair(data, engine),
  panel: (data) => new NodePanel(data),
};
