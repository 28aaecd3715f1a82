// The graph of the ONNX model: the viewer of an engine's graph, with nodes in place of layers.

import { byId, targetOf } from "../dom/elements.js";
import { neighborsOf } from "../graph/neighbors.js";
import { boundsOf } from "../graph/viewer/geometry.js";
import { GraphViewer } from "../graph/viewer/graph_viewer.js";
import { compileQuery } from "../query/query.js";
import { nodeTerms } from "../query/node_terms.js";
import { setState, state } from "../state/state.js";
import { ModelStyle } from "./model_style.js";

// With at most this many nodes all blocks are open at first.
const MAX_OPEN = 300;

// At most this many nodes of a layer are brought into view together.
const MAX_REVEALED = 20;

export class ModelViewer extends GraphViewer {
  /** @param {ReportData} report */
  constructor(report) {
    const model = /** @type {Model} */ (report.model);
    const { data, plan } = model.graph(true);
    super(data, plan, {
      prefix: "model-",
      key: "model",
      paint: new ModelStyle(data),
      picker: { picked: () => state.node, pick: (node) => setState({ node }, "find") },
    });
    this.report = report;
    this.model = model;
    this.folded = true;
    /** @type {FilterTable | null} */
    this.table = null;
    /** @type {Lit | null} */
    this.clickedArrow = null;
    if (model.nodes.length <= MAX_OPEN) {
      this.open.beginWithAll();
      this.stack();
      this.begin();
    }
    byId("model-graph-find").addEventListener("input", () => this.find());
    byId("model-folding")?.addEventListener("change", (event) => this.fold(targetOf(event).value !== "nodes"));
  }

  /** Begin at the inputs: beside the engine's graph as much as possible is in view. */
  begin() {
    this.pane.fit(this.layout.items[0]?.axis);
    this.draw();
  }

  /**
   * Draw Q/DQ nodes as part of arrows, or as boxes.
   * @param {boolean} folded
   */
  fold(folded) {
    this.folded = folded;
    const { data, plan } = this.model.graph(folded);
    this.use(data, plan);
    this.find();
    this.show();
  }

  show() {
    this.drawing.svg.classList.toggle("by-selected-layer", state.layer != null);
    super.show();
  }

  /**
   * Nodes of the selected layer, or the selected node with its neighbors.
   * @returns {Lit}
   */
  lit() {
    if (this.clickedArrow) return this.clickedArrow;
    if (state.node != null) return this.litByNode(state.node);
    /** @type {Lit} */
    const lit = { selected: null, layers: new Set(), tensors: new Set(), goal: null };
    if (state.tensor != null) {
      this.data.tensors.forEach((/** @type {any} */ tensor, index) => {
        if (tensor.inEngine !== state.tensor) return;
        lit.tensors.add(index);
        for (const node of [...tensor.from, ...tensor.to]) lit.layers.add(node);
      });
    }
    for (const node of (state.layer && this.model.nodesOf.get(state.layer.index)) ?? []) {
      if (this.draws(node)) lit.layers.add(node);
      else lit.tensors.add(this.lastOf(node));
    }
    lit.goal = [...lit.layers][0] ?? null;
    return lit;
  }

  /**
   * Bring a node into view, with the others of the selected layer as far as there is room.
   * @param {number} node
   * @param {boolean} open
   */
  revealLayer(node, open) {
    const others = state.layer ? [...this.drawing.marks.layers].filter((each) => each !== node).slice(0, MAX_REVEALED) : [];
    const closed = open ? others.filter((each) => this.tree.closedAround(each)) : [];
    for (const each of closed) this.tree.openAround(each);
    if (closed.length) this.stack();
    super.revealLayer(node, open);
    const boxes = [node, ...others].flatMap((each) => this.boxOf(each) ?? []);
    const around = boundsOf(boxes.flatMap(({ x, y, w, h }) => [[x, y], [x + w, y + h]]));
    const { scale } = this.pane;
    if (others.length && around.w * scale < this.view.clientWidth && around.h * scale < this.view.clientHeight) this.revealItem(around);
  }

  /**
   * @param {number} node
   * @returns {Lit}
   */
  litByNode(node) {
    if (this.draws(node)) return { selected: node, ...neighborsOf(this.data, node, this.steps), goal: node };
    // A node that is part of an arrow: the arrow from where it begins, to what reads it.
    const { from, to } = this.data.tensors[this.lastOf(node)];
    return { selected: null, layers: new Set([...from, ...to]), tensors: new Set([this.lastOf(node)]), goal: to[0] ?? from[0] ?? null };
  }

  /**
   * The DequantizeLinear whose arrow shows a node.
   * @param {number} node
   * @returns {number}
   */
  lastOf(node) {
    const seen = new Set([node]);
    for (const at of seen) {
      if (this.data.tensors[at].to.length) return at;
      for (const reader of this.model.readers[at]) if (this.model.folded.has(reader)) seen.add(reader);
    }
    return node;
  }

  /**
   * Light an arrow and its ends; the details are those of the node that writes it.
   * @param {number} tensor
   */
  showTensor(tensor) {
    const { from, to } = this.data.tensors[tensor];
    this.clickedArrow = { selected: null, layers: new Set([...from, ...to]), tensors: new Set([tensor]), goal: null };
    this.clickedTensor = true;
    if (state.node === tensor) this.show();
    else setState({ node: tensor });
    this.clickedTensor = false;
    this.clickedArrow = null;
  }

  /** Mark what the search field finds; without a search the nodes of the layers that the filter of the table finds. */
  find() {
    const text = byId("model-graph-find").value;
    /** @type {{ problem: string, layers(): number[] }} */
    let found = { problem: "", layers: () => (this.table?.layers() ?? []).flatMap((layer) => this.model.nodesOf.get(layer) ?? []) };
    if (text.trim()) {
      try {
        const fits = compileQuery(text, this.report, nodeTerms(this.report));
        found = { problem: "", layers: () => this.model.nodes.filter(fits).map(({ index }) => index) };
      } catch (error) {
        found = { problem: /** @type {Error} */ (error).message, layers: () => [] };
      }
    }
    super.filter(text.trim() || state.filter, /** @type {any} */ (found));
  }

  /**
   * @param {string} _
   * @param {FilterTable} table
   */
  filter(_, table) {
    this.table = table;
    this.find();
  }
}
