// What a report with an ONNX model has besides: its data, its graph, its table, and the panel of a node.

import { NodePanel } from "../panel/node_panel.js";
import { openNodeTable } from "../table/node_table.js";
import { GraphPair } from "./graph_pair.js";
import { ModelData } from "./model_data.js";

/** @type {ModelParts} */
export const MODEL_PARTS = {
  data: (packed, data) => new ModelData(packed, data),
  graph: (data, engine) => new GraphPair(data, engine),
  table: (data) => openNodeTable(data),
  panel: (data) => new NodePanel(data),
};
