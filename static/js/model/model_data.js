// The ONNX model of a report, and its graph in the form in which the viewer draws that of an engine: nodes as layers.

import { nodeLink } from "../data/links.js";
import { fromColumns } from "../data/unpack.js";
import { formatNumber } from "../format/numbers.js";
import { blockCosts, timeRange } from "./block_costs.js";
import { groupColors, neighboringGroups } from "./group_colors.js";

/**
 * What a DequantizeLinear and the QuantizeLinear before it do, as a text.
 * @param {ModelNode} node
 * @returns {string}
 */
export function quantizationText({ quantized }) {
  if (!quantized) return "";
  const [type, scale, axis] = quantized;
  const scales = axis >= 0 ? `a scale for each index of axis ${axis}` : scale == null ? "" : `scale ${formatNumber(scale)}`;
  return [type || "data type not stated", scales].filter(Boolean).join(", ");
}

export class ModelData {
  /**
   * @param {string} packed
   * @param {ReportData} report
   */
  constructor(packed, report) {
    this.report = report;
    this.packed = packed;
    /** @type {any} */
    this.unpacked = null;
  }

  /** Reading a large model takes a moment, so it is done when something needs it. */
  get read() {
    this.unpacked ??= completeModel(JSON.parse(this.packed), this.report);
    this.packed = "";
    return this.unpacked;
  }

  /** @returns {ModelNode[]} */
  get nodes() {
    return this.read.nodes;
  }

  /** @returns {Map<number, number[]>} */
  get nodesOf() {
    return this.read.nodesOf;
  }

  /** @returns {Map<number, number>} */
  get folded() {
    return this.read.folded;
  }

  /** @returns {number[][]} */
  get readers() {
    return this.read.readers;
  }

  /** @returns {boolean} */
  get canFold() {
    return this.read.plans.length > 1;
  }

  /**
   * The stack trace of a node, innermost frame first.
   * @param {ModelNode} node
   * @returns {string[]}
   */
  framesOf(node) {
    const { stacks, frames } = this.read;
    return stacks[node.stack ?? 0].map((/** @type {number} */ each) => frames[each]).reverse();
  }

  /**
   * @param {boolean} folded Whether Q/DQ nodes are part of the arrows.
   * @returns {{ data: ReportData, plan: PackedBlocks }}
   */
  graph(folded) {
    const isFolded = folded && this.canFold;
    return { data: graphData(this.read, this.report, isFolded), plan: this.read.plans[isFolded ? 0 : this.read.plans.length - 1] };
  }
}

/**
 * Fill in what the data leaves out, and what follows from the layers.
 * @param {any} model
 * @param {ReportData} report
 */
function completeModel(model, report) {
  /** @type {ModelNode[]} */
  const nodes = fromColumns(model.nodes);
  model.nodes = nodes;
  model.nodesOf = new Map();
  model.folded = new Map(model.folded);
  model.readers = nodes.map(() => []);
  nodes.forEach((node, index) => {
    node.index = index;
    for (const name of /** @type {("name" | "type" | "module" | "source")[]} */ (["name", "type", "module", "source"])) node[name] ??= "";
    for (const name of /** @type {("inputs" | "outputs" | "layers")[]} */ (["inputs", "outputs", "layers"])) node[name] ??= /** @type {any} */ ([]);
    node.precision = [...new Set(node.layers.map((layer) => report.layers[layer].precision).filter(Boolean))].join(" + ");
    for (const layer of node.layers) {
      const own = model.nodesOf.get(layer);
      if (own) own.push(index);
      else model.nodesOf.set(layer, [index]);
    }
    for (const input of node.inputs) model.readers[input]?.push(index);
  });
  const { groups, groupOf } = groupsOf(nodes);
  const shades = groupColors(groups.length, neighboringGroups(nodes, groupOf), model.groupColors.length);
  model.groupOf = groupOf;
  model.groupSizes = groups;
  model.shades = shades.map((each) => model.groupColors[each]);
  for (const plan of model.plans) addCosts(plan.blocks, model, report);
  return model;
}

/**
 * Nodes that the same layers compute are a group.
 * @param {ModelNode[]} nodes
 * @returns {{ groups: number[], groupOf: Int32Array }} The size of each group, and the group of each node, -1 for none.
 */
export function groupsOf(nodes) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {number[]} */
  const groups = [];
  const groupOf = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ layers }, index) => {
    if (!layers.length) return;
    const key = layers.join();
    if (!numbers.has(key)) numbers.set(key, groups.push(0) - 1);
    groupOf[index] = numbers.get(key) ?? -1;
    groups[groupOf[index]] += 1;
  });
  return { groups, groupOf };
}

/**
 * @param {PackedBlock[]} blocks
 * @param {any} model
 * @param {ReportData} report
 */
function addCosts(blocks, model, report) {
  if (!report.totalMs) return;
  // Nodes that compute from constants only take no time beside others.
  const layers = report.layers.map(({ index }) => {
    const own = /** @type {number[]} */ (model.nodesOf.get(index) ?? []);
    const timed = own.filter((node) => (model.nodes[node].alone_ms ?? 0) + (model.nodes[node].shared_ms ?? 0) > 0);
    return timed.length ? timed : own;
  });
  const costs = blockCosts(blocks, layers, (layer) => report.layers[layer].avg_ms, model.nodes.length);
  costs.forEach(({ alone, shared }, id) => {
    blocks[id].cost = timeRange(alone, shared);
    blocks[id].most = `${shared ? "≤" : ""}${formatNumber(alone + shared)} ms`;
    blocks[id].share = (100 * (alone + shared)) / report.totalMs;
  });
}

/**
 * @param {any} model
 * @param {ReportData} report
 * @param {boolean} isFolded
 * @returns {ReportData}
 */
function graphData(model, report, isFolded) {
  /** @type {ModelNode[]} */
  const nodes = model.nodes;
  /** @type {Map<number, number>} */
  const folded = isFolded ? model.folded : new Map();
  /** @type {Map<string, number>} */
  const tensorNamed = new Map(report.tensors.map(({ name }, index) => [name, index]));
  const tensors = nodes.map((node) => {
    const to = folded.has(node.index) && !model.readers[node.index].some((/** @type {number} */ each) => !folded.has(each)) ? [] : model.readers[node.index].filter((/** @type {number} */ each) => !folded.has(each));
    const source = folded.get(node.index) ?? node.index;
    const quantized = folded.has(node.index) ? quantizationText(node) : "";
    const before = folded.has(node.index) ? node.inputs.map((each) => nodes[each]).find((each) => each.quantized) : null;
    // Of Q/DQ nodes, the engine may have either output.
    const inEngine = [...node.outputs, ...(before?.outputs ?? [])].map((name) => tensorNamed.get(name)).find((each) => each != null);
    const facts = inEngine == null ? null : report.tensors[inEngine];
    const title = [
      node.outputs.join(", "),
      quantized ? `Q/DQ: ${quantized}` : "",
      before ? `${before.name}\n${node.name}` : "",
      facts ? `In the engine: ${[facts.format, facts.dims.length ? facts.dims.join("×") : ""].filter(Boolean).join(" · ")}` : "Not a tensor of the engine",
    ];
    return {
      name: node.outputs.join(", "),
      dims: [],
      type: facts?.type,
      from: source >= 0 && to.length ? [source] : folded.has(node.index) ? [] : [node.index],
      to,
      title: title.filter(Boolean).join("\n"),
      shade: facts ? undefined : "var(--axis)",
      folded: Boolean(quantized),
      inEngine,
    };
  });
  /** @type {number[][]} */
  const writes = nodes.map(() => []);
  tensors.forEach(({ from }, index) => from.forEach((each) => writes[each].push(index)));
  /** @type {(tensor: number) => TensorUse} */
  const use = (tensor) => [tensor, [], "", null];
  const layers = nodes.map((node) => {
    const group = model.groupOf[node.index];
    const time = node.alone_ms == null ? null : node.alone_ms + (node.shared_ms ?? 0);
    const names = node.layers.slice(0, 3).map((each) => report.layers[each].name);
    const more = node.layers.length > 3 ? [`and ${node.layers.length - 3} more layers`] : [];
    return {
      index: node.index,
      key: node.name,
      name: node.name,
      type: node.type,
      subtype: node.type,
      precision: node.precision,
      output_precision: "",
      tactic: "",
      origins: node.source ? [node.source] : [],
      operations: [node.name.split("/").slice(-2).join("/")],
      inputs: folded.has(node.index) ? [] : node.inputs.map(use),
      outputs: folded.has(node.index) ? [] : writes[node.index].map(use),
      findings: node.layers.flatMap((each) => report.layers[each].findings),
      share_percent: node.layers.length && time != null && report.totalMs ? (100 * time) / report.totalMs : undefined,
      href: nodeLink(node.index),
      cost: node.layers.length && time != null ? timeRange(node.alone_ms ?? 0, node.shared_ms ?? 0) : "",
      outline: group >= 0 && model.groupSizes[group] > 1 ? model.shades[group] : undefined,
      kind: node.layers.length ? "" : node.vanished ? "vanished" : "unmatched",
      remarks: node.layers.length ? [`${node.layers.length > 1 ? "layers" : "layer"}: ${[...names, ...more].join("\n")}`] : [`in no layer: ${node.reason}`],
      shade: group >= 0 ? model.shades[group] : report.unknownColor,
    };
  });
  return /** @type {any} */ ({ ...report, model: undefined, layers, tensors, typeColors: model.typeColors, noun: "node" });
}
