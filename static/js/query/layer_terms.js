// The terms of the query language for layers.

import { searchText } from "../data/report_data.js";
import { stated } from "./stated.js";

/** @type {Terms<Layer>} */
export const LAYER_TERMS = {
  share: (layer) => layer.share,
  plain: (data, layer) => searchText(data, layer),
  title: (layer) => layer.name,
  exact: new Set(["precision", "out", "stream"]),
  texts: {
    name: (layer) => [layer.name],
    type: (layer) => [stated(layer.type), layer.subtype],
    precision: (layer) => [stated(layer.precision)],
    out: (layer) => [stated(layer.out)],
    tactic: (layer) => [stated(layer.tactic)],
    onnx: (layer) => layer.onnx,
    op: (layer) => layer.ops,
    bound: (layer) => [layer.bound ?? ""],
    stream: (layer) => [layer.stream == null ? "" : String(layer.stream)],
    finding: (layer) => layer.findings.flatMap(({ finding }) => [finding.id, finding.severity, finding.name]),
    tensor: (layer, data) => [...layer.inputs, ...layer.outputs].map(([index]) => data.tensors[index].name),
  },
  figures: {
    time: (layer) => layer.ms,
    share: (layer) => layer.share,
    moved: (layer) => layer.moved,
    weights: (layer) => layer.weights,
    macs: (layer) => layer.work?.macs,
    tflops: (layer) => layer.work?.tflops,
    gbs: (layer) => layer.gbs,
    flops: (layer) => layer.flops,
    reached: (layer) => layer.reached,
    headroom: (layer) => layer.headroom,
    index: (layer) => layer.index,
  },
};
