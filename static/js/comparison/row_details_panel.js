// The panel of a comparison: the layers of the selected row in each engine, and how they were matched.

import { breakable, h } from "../dom/elements.js";
import { formatCount, formatMs, formatNumber, formatSigned } from "../format/numbers.js";
import { precisionText } from "../format/precision.js";
import { shorten, visible } from "../format/text.js";
import { DetailsPanel } from "../panel/details_panel.js";
import { mainCost, otherCost } from "../panel/layer_cost.js";
import { nameList, pairs, panelHead, section } from "../panel/parts.js";
import { tensorUses } from "../panel/tensors.js";
import { state } from "../state/state.js";
import { layersOf, selectedRow } from "./comparison_data.js";

export class RowDetailsPanel extends DetailsPanel {
  /** @returns {(Node | string)[] | null} */
  content() {
    const row = selectedRow(this.data);
    return row ? this.row(row) : super.content();
  }

  /**
   * @param {ComparedRow} row
   * @returns {(Node | string)[]}
   */
  row(row) {
    const { side } = row;
    return [
      panelHead(row.moreLayers ? `${row.label} and ${row.moreLayers} more` : row.label),
      pairs([
        ["Module", row.module],
        ["Difference", side.diff == null ? null : `${formatSigned(side.diff, formatMs)}${side.ratio ? `, ${formatNumber(side.ratio)} × the time` : ""}`],
        ["Status", side.status],
        ["What changed", side.changes.join(", ")],
        ["Causes", this.causes(side)],
        ["Matched by", side.keys.join(", ")],
        ["Note", row.cut ? "Names link these layers to others; they were separated, as the group would have been too large." : null],
      ]),
      ...this.data.engines.flatMap((/** @type {ComparedEngine} */ engine, /** @type {number} */ index) => section(index === this.data.baseline ? `${engine.name} (baseline)` : engine.name, this.side(engine, row.sides[index]))),
      ...(state.layer ? this.inGraph(state.layer) : []),
    ];
  }

  /**
   * @param {RowSide} side
   * @returns {string | null}
   */
  causes(side) {
    const causes = Object.entries(side.causes ?? {}).filter(([, part]) => part);
    return causes.length > 1 ? causes.map(([name, part]) => `${name} ${formatSigned(part, formatMs)}`).join(", ") : null;
  }

  /**
   * @param {ComparedEngine} engine
   * @param {RowSide} side
   * @returns {HTMLElement}
   */
  side(engine, side) {
    const all = layersOf(side);
    if (!all.length) return h("p", { class: "muted" }, "No layers");
    const items = all.slice(0, 50).map((at, position) => this.member(engine.layers[at], position >= side.members.length));
    const rest = all.length > 50 ? h("p", { class: "muted" }, `and ${formatCount(all.length - 50)} more`) : null;
    const sum = all.length > 1 && side.ms != null ? h("p", {}, `Total ${formatMs(side.ms)}`) : null;
    return h("div", {}, items, rest, sum);
  }

  /**
   * @param {Layer} layer
   * @param {boolean} helps
   * @returns {HTMLElement}
   */
  member(layer, helps) {
    const facts = [layer.avg_ms == null ? "not measured" : formatMs(layer.avg_ms), layer.type, precisionText(layer), layer.tactic, helps ? "serves the other layers" : ""];
    return h("p", {}, h("span", { class: "name" }, breakable(shorten(visible(layer.name), 400))), h("br"), h("span", { class: "muted name" }, breakable(shorten(visible(facts.filter(Boolean).join(" · ")), 400))));
  }

  /**
   * What else is known of the layer that is selected in the graph.
   * @param {Layer} layer
   * @returns {Node[]}
   */
  inGraph(layer) {
    return [
      ...section("Selected in the graph", h("p", { class: "name" }, breakable(shorten(visible(layer.name), 400)))),
      pairs([...mainCost(layer, this.data.levels), ...otherCost(layer)]),
      ...section("ONNX nodes", layer.origins.length ? nameList(layer.origins) : null),
      ...section("Inputs", tensorUses(this.data, layer.inputs, "from", layer.index)),
      ...section("Outputs", tensorUses(this.data, layer.outputs, "to", layer.index)),
    ];
  }
}
