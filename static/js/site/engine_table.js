// The table of engines, two of which can be selected for a comparison.

import { byId, findAll, h, targetOf } from "../dom/elements.js";
import { textMeasure } from "../dom/text_width.js";
import { formatCount, formatSignedPercent } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { setState, state } from "../state/state.js";
import { stated } from "../query/stated.js";
import { fitted } from "../table/arrange.js";
import { addFacets } from "../table/facets.js";
import { cutText } from "../table/cells.js";
import { Grid } from "../table/grid.js";
import { changeText, ENGINE_COLUMNS } from "./engine_columns.js";
import { ENGINE_TERMS } from "./engine_terms.js";
import { comparisonLink, pageOf } from "./links.js";
import { sparkline } from "./sparkline.js";

const MAX_SELECTED = 2;

/** Columns of texts that differ at their ends. */
const CUT = new Set(["model", "gpu", "precision"]);

/** Columns no wider than their texts. */
const FITTED = ["name", "model", "gpu", "precision", "change", "tensorrt"];

/** What engines differ in, as chips above the table. @type {Facet<SiteEngine>[]} */
const ENGINE_FACETS = [
  { term: "model", label: "Model", values: ({ model }) => [stated(model)] },
  { term: "gpu", label: "GPU", values: ({ gpu }) => [stated(gpu)] },
  { term: "tensorrt", label: "TensorRT", values: ({ tensorrt }) => [stated(tensorrt)] },
  { term: "precision", label: "Precision", values: ({ precision }) => [stated(precision)] },
];

/**
 * By how many percent an engine's time differs from that of a baseline of the same model, null where that is unknown.
 * Both are latencies, or both are total layer times.
 * @param {SiteEngine} engine
 * @param {SiteEngine | undefined} baseline
 * @returns {number | null}
 */
export function againstBaseline(engine, baseline) {
  if (!baseline || !engine.model || engine.model !== baseline.model) return null;
  for (const key of /** @type {const} */ (["latency", "sum"])) {
    const [time, before] = [engine[key], baseline[key]];
    if (time != null && before) return 100 * (time / before - 1);
  }
  return null;
}

/**
 * What distinguishes an engine from others of its name: the hint that the table has beside it and its date, else its place.
 * @param {SiteEngine} engine
 * @returns {string}
 */
export function distinction(engine) {
  const day = (engine.date ?? "").slice(0, 10);
  return [engine.hint, day].filter(Boolean).join(" ") || engine.place;
}

/** @extends {Grid<SiteEngine>} */
export class EngineTable extends Grid {
  /** @param {SiteData} data */
  constructor(data) {
    // What no capture says needs no column.
    const untimed = data.rows.some((engine) => engine.latency == null && engine.sum != null);
    for (const column of ENGINE_COLUMNS) if (column.key === "sum") column.on = untimed;
    for (const column of ENGINE_COLUMNS) column.on &&= column.key === "tick" || data.rows.some((engine) => column.value(engine));
    /** @type {Column<SiteEngine>} */
    const against = { key: "against", label: "vs. baseline", width: 104, number: true, value: (engine) => againstBaseline(engine, this.ticked?.[0]), show: formatSignedPercent, on: false };
    const at = ENGINE_COLUMNS.findIndex(({ key }) => key === "latency") + 1;
    super(data, data.rows, fitted(ENGINE_COLUMNS.toSpliced(at, 0, against), data.rows, FITTED, textMeasure()), "Engines");
    this.markFacets = addFacets(byId("facets"), data.rows, ENGINE_FACETS);
    this.byAddress = new Map(data.rows.map((engine) => [engine.address, engine]));
    /** @type {SiteEngine[]} */
    this.ticked = [];
  }

  get language() {
    return ENGINE_TERMS;
  }

  /** @param {string} text */
  filter(text) {
    super.filter(text);
    this.markFacets();
  }

  /** @returns {SiteEngine | null} */
  selected() {
    return this.byAddress.get(String(state.row)) ?? null;
  }

  /**
   * @param {SiteEngine} engine
   * @param {string} [kind]
   */
  select(engine, kind) {
    setState({ row: engine.address }, kind);
  }

  /** @param {Column<SiteEngine>} column */
  sortBy(column) {
    super.sortBy(column);
    setState({ sort: this.sort.key === "index" && this.sort.up ? "" : `${this.sort.up ? "" : "-"}${this.sort.key}` }, "sort");
  }

  /**
   * Bring the rows into the order that the address names, such as "-latency"; of one that it does not know, into the usual one.
   * @param {string} text
   */
  restoreOrder(text) {
    const key = text.replace(/^-/, "");
    const isKnown = this.all.some((column) => column.key === key);
    const sort = isKnown ? { key, up: !text.startsWith("-") } : { key: "index", up: true };
    const { sort: current } = this;
    if (sort.key === current.key && sort.up === current.up) return;
    this.sort = sort;
    this.drawHead();
    this.order();
  }

  /**
   * @param {SiteEngine} engine
   * @returns {string | null}
   */
  rowClass(engine) {
    return engine.errors ? "has-error" : null;
  }

  /**
   * @param {number} shown
   * @param {number} of
   * @returns {string}
   */
  counted(shown, of) {
    const noun = of === 1 ? "engine" : "engines";
    return shown === of ? `${formatCount(of)} ${noun}` : `${formatCount(shown)} of ${formatCount(of)} ${noun}`;
  }

  /**
   * @param {HTMLElement} cell
   * @param {SiteEngine} engine
   * @param {Column<SiteEngine>} column
   * @param {any} value
   * @param {string} text
   * @returns {boolean}
   */
  fill(cell, engine, column, value, text) {
    if (column.key === "tick") cell.append(this.box(engine));
    else if (column.key === "name") cell.append(this.named(engine, text));
    else if (CUT.has(column.key) && value) cell.append(cutText(column.key === "gpu" ? text.replace(/^NVIDIA (GeForce )?/, "") : text));
    else if (column.key === "trend" && value) cell.append(sparkline(this.data.trends?.[String(value)] ?? [], engine.address));
    else if (column.key === "change" && engine.contradictions) cell.append(h("span", { class: "change change-contradictory" }, changeText(engine)));
    else if (column.key === "change" && engine.mark) cell.append(h("span", { class: `change change-${engine.mark.includes("slower") ? "slower" : "faster"}` }, changeText(engine)));
    else if (column.key === "errors" && value) cell.append(h("span", { class: "mark-count-error" }, text));
    else return false;
    return true;
  }

  /**
   * The name of an engine, and a hint that distinguishes it from others of that name; both are always visible in part.
   * @param {SiteEngine} engine
   * @param {string} text
   * @returns {HTMLElement}
   */
  named(engine, text) {
    const link = this.nameLink(shorten(text, 300), { href: pageOf(engine), title: shorten(`${text}\n${visible(engine.place)}`, 1000) });
    if (!engine.hint) return link;
    const hint = visible(engine.hint);
    return h("span", { class: "named" }, link, cutText(shorten(hint, 60), hint.length > 12 ? "muted" : "muted is-short"));
  }

  /**
   * @param {SiteEngine} engine
   * @returns {HTMLElement}
   */
  box(engine) {
    const box = h("input", { type: "checkbox", tabindex: "-1", "aria-label": `Compare ${shorten(visible(engine.name), 80)}` });
    box.checked = this.ticked.includes(engine);
    return box;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (!targetOf(event).matches("input")) {
      super.clicked(event);
      return;
    }
    this.toggle(this.items[Number(/** @type {HTMLElement} */ (targetOf(event).closest("tr")).dataset.item)]);
  }

  /**
   * Select or deselect an engine for comparison; a third one replaces the first.
   * @param {SiteEngine} engine
   */
  toggle(engine) {
    const others = this.ticked.filter((each) => each !== engine);
    const ticked = others.length < this.ticked.length ? others : [...others, engine].slice(-MAX_SELECTED);
    setState({ ticked: ticked.map((each) => each.address).join("~") }, "tick");
  }

  /**
   * Select the engines that the address names.
   * @param {string} text
   */
  restoreSelected(text) {
    this.ticked = text.split("~").flatMap((address) => this.byAddress.get(address) ?? []).slice(-MAX_SELECTED);
    const against = this.all.find(({ key }) => key === "against");
    if (against && (against.on || this.ticked.length)) {
      against.on = this.ticked.length > 0;
      this.chooseColumns();
      this.fillMenu();
      if (this.sort.key === "against") this.order();
      else this.draw();
    }
    for (const row of findAll("tr[data-item]", this.body)) {
      const box = row.querySelector("input");
      if (box) box.checked = this.ticked.includes(this.items[Number(row.dataset.item)]);
    }
    this.showSelected();
  }

  /** Show below the table which engines are selected, with a link to their comparison. */
  showSelected() {
    const names = this.ticked.map((engine) => h("span", { class: "name" }, shorten(visible(engine.name), 60), " ", h("span", { class: "muted" }, shorten(visible(distinction(engine)), 60))));
    if (!names.length) byId("ticked").replaceChildren();
    else if (names.length < MAX_SELECTED) byId("ticked").replaceChildren("Baseline: ", names[0], h("span", { class: "muted" }, "Select another engine to compare."));
    else {
      const swap = h("button", { type: "button", class: "plain", id: "swap-selected", onclick: () => this.swap() }, "Swap");
      const clear = h("button", { type: "button", class: "plain", onclick: () => this.clear() }, "Clear");
      byId("ticked").replaceChildren("Baseline: ", names[0], " Candidate: ", names[1], h("a", { href: comparisonLink(this.data, this.ticked), id: "compare-link" }, "Compare"), swap, clear);
    }
  }

  /** Make the candidate the baseline. */
  swap() {
    setState({ ticked: this.ticked.map((each) => each.address).reverse().join("~") }, "tick");
    byId("swap-selected")?.focus({ preventScroll: true });
  }

  clear() {
    setState({ ticked: "" });
    this.scroller.focus({ preventScroll: true });
  }
}
