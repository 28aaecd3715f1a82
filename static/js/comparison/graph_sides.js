// The graphs of the candidate and of the baseline side by side: linked by the rows that layers are aligned in.

import { completeReportData } from "../data/report_data.js";
import { unpack } from "../data/unpack.js";
import { byId, closestTo, targetOf } from "../dom/elements.js";
import { toast } from "../dom/messages.js";
import { ScrollLink } from "../graph/scroll_link.js";
import { setState, state } from "../state/state.js";
import { layersOf, selectedRow, selectRow } from "./comparison_data.js";
import { changeMeanings, outlineChanges } from "./graph_changes.js";

/** The data of the page that has the second graph; without it there is one graph. */
export const BASELINE_GRAPH = "trexreport-baseline-graph";

export class GraphSides {
  /**
   * @param {ComparisonData} data
   * @param {any} candidate The graph that the page opens with.
   * @param {(read: any, options: any) => any} makeGraph Makes the second one of its data.
   */
  constructor(data, candidate, makeGraph) {
    this.data = data;
    this.candidate = candidate;
    this.makeGraph = makeGraph;
    this.controls = candidate.controls;
    /** Made when it is shown first. @type {any} */
    this.baseline = null;
    this.loading = false;
    /** @type {ScrollLink | null} */
    this.link = null;
    /** @type {Int32Array} */
    this.rowOf = new Int32Array(0);
    /** @type {[text: string, table: any] | null} */
    this.filtered = null;
    this.engine = data.statedBaseline;
    this.isWide = matchMedia("(min-width: 1000px)");
    this.isWide.addEventListener("change", () => this.arrange(state));
    byId("view-both").addEventListener("click", () => setState({ view: state.view === "both" ? "" : "both" }));
    byId("graph-color").addEventListener("change", (event) => this.colorBy(targetOf(event).value));
    this.arrange(state);
  }

  /** @param {State} now */
  arrange(now) {
    const isBoth = now.view === "both" && this.isWide.matches;
    byId("view-both").hidden = !this.isWide.matches;
    byId("view-both").setAttribute("aria-pressed", String(isBoth));
    if (isBoth && !this.baseline) this.load();
    else this.place(isBoth);
  }

  /** @param {boolean} isBoth */
  place(isBoth) {
    byId("graphs").classList.toggle("is-both", isBoth);
    byId("baseline-graph").hidden = !isBoth;
    const { link } = this;
    if (!link || link.on === isBoth) return;
    link.on = false;
    for (const graph of [this.candidate, this.baseline]) graph.setTall(isBoth);
    link.on = isBoth;
    if (!isBoth) return;
    link.zoomed(link.both[0]);
    this.show();
  }

  async load() {
    if (this.loading) return;
    this.loading = true;
    try {
      const read = JSON.parse(await unpack(BASELINE_GRAPH));
      this.rowOf = Int32Array.from(read.rowOf, (row) => row ?? -1);
      this.prepare(read);
    } catch (error) {
      toast(`The baseline’s graph can’t be shown: ${/** @type {Error} */ (error).message}`);
      setState({ view: "" });
      return;
    }
    this.arrange(state);
  }

  /** @param {any} read */
  prepare(read) {
    const data = completeReportData(read.data);
    data.meanings = changeMeanings(this.data, (layer) => this.data.rows[this.rowOf[layer.index]]);
    outlineChanges(this.data, data, (layer) => this.data.rows[this.rowOf[layer.index]]);
    byId("graphs").classList.add("is-both");
    byId("baseline-graph").hidden = false;
    this.baseline = this.makeGraph({ ...read, data }, { prefix: "baseline-", lit: () => this.lit() });
    const rowOf = (/** @type {number} */ layer) => this.data.rowOf[layer];
    this.link = new ScrollLink([{ graph: this.candidate, partOf: rowOf }, { graph: this.baseline, partOf: (/** @type {number} */ layer) => this.rowOf[layer] }], () => selectedRow(this.data)?.index ?? -1);
    // A layer here has another number than in the address.
    this.baseline.view.addEventListener("click", (/** @type {MouseEvent} */ event) => this.clicked(event), { capture: true });
    this.colorBy(byId("graph-color").value);
    if (this.filtered) this.filter(...this.filtered);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const node = closestTo(event, "[data-layer]");
    if (!node && !targetOf(event).closest(".edge, .port, .sync")) return;
    event.preventDefault();
    event.stopPropagation();
    const row = this.data.rows[this.rowOf[Number(node?.dataset.layer ?? NaN)]];
    if (row && !this.baseline.pane.dragged) selectRow(this.data, row);
  }

  /** Whether the selected row is found in the baseline alone: then the candidate follows it. */
  get leads() {
    const row = selectedRow(this.data);
    return row != null && !layersOf(row.sides[this.data.focus]).length;
  }

  /**
   * The layers of the selected row in the baseline.
   * @returns {Lit}
   */
  lit() {
    const row = selectedRow(this.data);
    const layers = row ? layersOf(row.sides[this.engine]) : [];
    return { selected: layers[0] ?? null, layers: new Set(layers), tensors: new Set(), goal: this.leads ? layers[0] ?? null : null };
  }

  /** @param {string} by */
  colorBy(by) {
    if (!this.baseline) return;
    this.baseline.paint.by = by;
    this.baseline.repaint();
  }

  /**
   * @param {string} text
   * @param {any} table
   */
  filter(text, table) {
    this.filtered = [text, table];
    this.candidate.filter(text, table);
    const rows = () => table.rows.flatMap((/** @type {ComparedRow} */ row) => layersOf(row.sides[this.engine]));
    this.baseline?.filter(text, { problem: table.problem, layers: rows });
  }

  show() {
    this.candidate.show();
    if (!this.link?.on) return;
    this.baseline.show();
    this.link.follow(this.link.both[this.leads ? 1 : 0]);
  }

  /** @param {string} text */
  restore(text) {
    this.candidate.restore?.(text);
  }
}
