// The table of the nodes of the ONNX model.

import { layerLink, nodeLink } from "../data/links.js";
import { SEVERITIES } from "../data/severities.js";
import { byId, h, targetOf } from "../dom/elements.js";
import { counted, formatCount, formatNumber } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { findingMark, findingName } from "../page/finding_links.js";
import { nodeTerms } from "../query/node_terms.js";
import { NO_SELECTION } from "../state/address.js";
import { setState, state } from "../state/state.js";
import { cutLink, valueBar } from "./cells.js";
import { Grid } from "./grid.js";

/**
 * The most that a node can cost; null where no time is known.
 * @param {ModelNode} node
 * @returns {number | null}
 */
function mostMs({ layers, alone_ms, shared_ms }) {
  return layers.length && alone_ms != null ? alone_ms + (shared_ms ?? 0) : null;
}

/**
 * The distinct findings of the layers of a node, the most severe first.
 * @param {ModelNode} node
 * @param {Layer[]} layers
 * @returns {Finding[]}
 */
export function nodeFindings(node, layers) {
  const found = [...new Set(node.layers.flatMap((each) => layers[each].findings.map(({ finding }) => finding)))];
  return found.sort((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
}

/**
 * The columns of the table; those that say nothing of any node are off.
 * @param {ReportData} data
 * @param {ModelNode[]} nodes
 * @returns {Column<ModelNode>[]}
 */
export function nodeColumns(data, nodes) {
  const share = (/** @type {ModelNode} */ node) => (data.totalMs && mostMs(node) != null ? (100 * Number(mostMs(node))) / data.totalMs : null);
  const ms = (/** @type {"alone_ms" | "shared_ms"} */ key) => (/** @type {ModelNode} */ node) => (node.layers.length ? node[key] ?? (node.alone_ms == null ? null : 0) : null);
  const timed = nodes.some((node) => mostMs(node) != null);
  return [
    { key: "name", label: "Node", width: 280, on: true, frozen: true, value: (node) => node.name },
    { key: "share", label: "Max. time (%)", width: 136, number: true, on: timed, bar: true, frozen: true, value: share, show: formatNumber },
    { key: "type", label: "Type", width: 120, on: true, value: (node) => node.type },
    { key: "alone", label: "Alone (ms)", width: 100, number: true, on: timed, value: ms("alone_ms"), show: formatNumber },
    { key: "shared", label: "Shared (ms)", width: 104, number: true, on: timed, value: ms("shared_ms"), show: formatNumber },
    { key: "layers", label: "Layers", width: 200, roomyWidth: 360, on: true, value: (node) => node.layers.map((each) => data.layers[each].name).join(", ") },
    { key: "source", label: "Source line", width: 176, on: nodes.some((node) => node.source), value: (node) => node.source },
    { key: "precision", label: "Precision", width: 96, on: true, value: (node) => node.precision },
    { key: "findings", label: "Findings", width: 160, on: data.findings.length > 0, value: (node) => nodeFindings(node, data.layers).map(({ code }) => code).join(", ") },
    { key: "module", label: "Module", width: 200, on: true, value: (node) => node.module },
    { key: "state", label: "Evidence or reason", width: 220, on: true, value: (node) => node.evidence ?? node.reason ?? "" },
  ];
}

/** @extends {Grid<ModelNode>} */
class NodeTable extends Grid {
  /** @param {ReportData & { model: Model }} data */
  constructor(data) {
    const { nodes } = data.model;
    super(data, nodes, nodeColumns(data, nodes), "Nodes", "node-");
    this.nodes = nodes;
    this.terms = nodeTerms(data);
    this.largest = this.items.reduce((most, node) => Math.max(most, mostMs(node) ?? 0), 0);
    // Without times, nodes are in the order of the model.
    if (this.largest) this.sort = { key: "share", up: false };
    this.drawHead();
  }

  get language() {
    return this.terms;
  }

  selected() {
    return state.node == null ? null : this.nodes[state.node];
  }

  /**
   * @param {ModelNode} node
   * @param {string} [kind]
   */
  select(node, kind) {
    setState({ ...NO_SELECTION, node: node.index }, kind);
  }

  /**
   * @param {number} shown
   * @param {number} of
   * @returns {string}
   */
  counted(shown, of) {
    return shown === of ? counted(of, "node") : `${formatCount(shown)} of ${counted(of, "node")}`;
  }

  /**
   * Fill a cell that is more than text, and return whether it did.
   * @param {HTMLElement} cell
   * @param {ModelNode} node
   * @param {Column<ModelNode>} column
   * @param {any} value
   * @param {string} text
   * @returns {boolean}
   */
  fill(cell, node, column, value, text) {
    if (column.key === "name") cell.append(this.nameLink(text, { href: nodeLink(node.index) }));
    else if (column.key === "layers" && value) cell.append(...this.layerLinks(node));
    else if (column.key === "findings" && value) cell.append(...nodeFindings(node, this.data.layers).slice(0, 8).flatMap((finding) => [findingMark(finding, { tabindex: "-1", title: shorten(visible(`${finding.code} ${finding.title}`), 400) }, findingName(finding)), " "]));
    else if (column.bar) cell.append(valueBar(mostMs(node), this.largest), text);
    else return false;
    return true;
  }

  /**
   * @param {ModelNode} node
   * @returns {(Node | string)[]}
   */
  layerLinks(node) {
    const only = node.layers.length === 1 ? this.data.layers[node.layers[0]] : null;
    // Names of fused layers begin alike, so that an end is to stay.
    if (only) return [cutLink(visible(only.name), 0, { href: layerLink(only) })];
    const shown = node.layers.slice(0, 3).map((each) => this.data.layers[each]);
    const links = shown.flatMap((/** @type {Layer} */ layer) => [h("a", { class: "name", href: layerLink(layer), tabindex: "-1" }, shorten(visible(layer.name), 60)), " "]);
    return node.layers.length > 3 ? [...links, `and ${formatCount(node.layers.length - 3)} more`] : links;
  }
}

/**
 * Put the table of nodes in place of the one that needs no script; it is made when it comes into view.
 * @param {ReportData & { model: Model }} data
 * @returns {(state: State, changed: Changed) => void} A listener to the state.
 */
export function openNodeTable(data) {
  const place = byId("node-grid");
  if (!place) return () => {};
  /** @type {NodeTable | null} */
  let table = null;
  place.hidden = false;
  byId("static-nodes").hidden = true;
  const input = byId("node-filter");
  const filter = () => {
    if (input.value !== state.nodes) input.value = state.nodes;
    table?.filter(state.nodes);
  };
  input.addEventListener("input", (event) => setState({ nodes: targetOf(event).value }, "nodes"));
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      table = new NodeTable(data);
      if (table.largest) table.order();
      filter();
      table.reveal();
    },
    { rootMargin: "400px" },
  );
  observer.observe(place);
  return (_, changed) => {
    if (changed.nodes) filter();
    if (changed.selection) table?.reveal();
  };
}
