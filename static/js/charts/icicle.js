// The icicles of a report: boxes of modules or source lines and of layers, each as wide as its time.

import { findAll, h } from "../dom/elements.js";
import { svg } from "../dom/svg.js";
import { TabStop } from "../dom/tab_stop.js";
import { shorten, visible } from "../format/text.js";
import { LayerStyle } from "../graph/layer_style.js";
import { saveDrawing } from "../graph/picture.js";
import { select, setState, state } from "../state/state.js";
import { colorChoice, colorsOf } from "./color_choice.js";
import { IcicleBoxes, ROW } from "./icicle_boxes.js";
import { IcicleTree, neighborOf } from "./icicle_layout.js";
import { IcicleWords } from "./icicle_words.js";

const MAX_ROWS = 14;
const MAX_CRUMBS = 12;

/**
 * Draw the icicles of a report in place of those that need no script.
 * @param {ReportData} data
 * @returns {Icicle[]}
 */
export function openIcicles(data) {
  return findAll("figure[data-icicle]").map((figure) => new Icicle(figure, data));
}

class Icicle {
  /**
   * @param {HTMLElement} figure
   * @param {ReportData} data
   */
  constructor(figure, data) {
    this.key = /** @type {"module" | "source"} */ (figure.dataset.icicle);
    this.data = data;
    this.style = new LayerStyle(data);
    /** @type {{ tree: IcicleTree, words: IcicleWords, pen: IcicleBoxes } | null} */
    this.made = null;
    this.root = 0;
    /** @type {IcicleBox[]} */
    this.boxes = [];
    /** @type {SVGGElement[]} */
    this.nodes = [];
    this.stop = new TabStop();
    /** @type {SVGRectElement | null} */
    this.outline = null;
    /** @type {SVGRectElement | null} */
    this.ring = null;
    const title = figure.querySelector("figcaption")?.textContent ?? "";
    this.trail = h("nav", { class: "icicle-trail", "aria-label": `Enlarged part: ${title}` });
    this.legend = h("div", { class: "legend" });
    this.drawing = svg("svg", { id: `icicle-${this.key}-boxes`, class: "chart chart-icicle", role: "group", "aria-label": title });
    this.note = h("p", { class: "icicle-note muted" });
    const live = h("div", { class: "live-icicle" }, h("div", { class: "bar" }, this.trail, colorChoice(colorsOf(data), (by) => this.recolor(by)), ...this.savers(figure)), this.legend, this.drawing, this.note);
    figure.append(live);
    figure.classList.add("is-live");
    this.drawing.addEventListener("click", (event) => this.at(event, (box) => this.activate(box)));
    this.drawing.addEventListener("pointerover", (event) => this.at(event, (box) => this.describe(box)));
    this.drawing.addEventListener("focusin", (event) => this.at(event, (box) => this.focused(box)));
    this.drawing.addEventListener("focusout", () => this.ring?.remove());
    this.drawing.addEventListener("keydown", (event) => this.onKey(event));
    this.width = 0;
    new ResizeObserver(() => this.draw()).observe(live);
  }

  /** The groups, made when they are drawn first. */
  get content() {
    if (!this.made) {
      const tree = new IcicleTree(this.data.icicles[this.key], this.data.layers);
      const words = new IcicleWords(tree, this.style);
      this.made = { tree, words, pen: new IcicleBoxes(tree, this.style, words) };
    }
    return this.made;
  }

  get tree() {
    return this.content.tree;
  }

  /**
   * Buttons that save what is shown.
   * @param {HTMLElement} figure
   * @returns {HTMLElement[]}
   */
  savers(figure) {
    const name = figure.querySelector("figcaption")?.textContent ?? "";
    const drawn = { place: figure, paint: this.style, picture: () => this.drawing.cloneNode(true), draws: () => true };
    return /** @type {const} */ (["svg", "png"]).map((kind) => h("button", { type: "button", "aria-label": `Save ${name} as ${kind.toUpperCase()}`, onclick: () => saveDrawing(drawn, kind, name) }, kind.toUpperCase()));
  }

  /**
   * Show the state: what is enlarged, and which layer is selected.
   * @param {State} now
   * @param {Changed} changed
   */
  follow(now, changed) {
    if (changed[this.key]) {
      this.root = this.tree.byPath.get(now[this.key]) ?? 0;
      this.draw(true);
    } else if (changed.selection) {
      this.mark();
    }
  }

  /** @param {string} by */
  recolor(by) {
    this.style.by = by;
    this.draw(true);
  }

  /** @param {boolean} [again] */
  draw(again = false) {
    const width = Math.floor(this.note.parentElement?.clientWidth ?? 0);
    if (!width || (width === this.width && !again)) return;
    this.width = width;
    const focused = this.nodes.findIndex((node) => node === document.activeElement);
    this.boxes = this.tree.boxes(this.root, width, MAX_ROWS);
    const rows = this.boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1;
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${rows * ROW}`, width, height: rows * ROW })) this.drawing.setAttribute(name, String(value));
    this.nodes = this.boxes.map((box, at) => this.content.pen.node(box, at));
    this.drawing.replaceChildren(...this.nodes);
    this.stop.moveTo(this.nodes[0]);
    if (focused >= 0) this.nodes[0].focus({ preventScroll: true });
    this.showTrail();
    this.showLegend();
    this.describe(this.boxes[0]);
    this.mark();
  }

  /** Mark the box of the selected layer, or the innermost one that has it. */
  mark() {
    this.outline?.remove();
    const layer = state.layer;
    if (!layer?.avg_ms) return;
    const around = new Set(this.tree.chain(this.tree.groupOf[layer.index]));
    const has = (/** @type {IcicleItem} */ item) => item.layer === layer || (item.group != null && around.has(item.group));
    // A layer comes before what it is in; of groups, the innermost comes last.
    const box = this.boxes.find((each) => each.layer === layer) ?? this.boxes.findLast((each) => (each.merged ? each.merged.some(has) : has(each)));
    if (!box) return;
    this.outline = svg("rect", { class: "icicle-chosen", x: box.x, y: box.row * ROW, width: Math.max(box.width - 1, 2), height: ROW - 1 });
    this.drawing.append(this.outline);
  }

  /** @param {IcicleBox} box */
  activate(box) {
    if (box.layer) select(box.layer);
    else if (box.group != null) this.enlarge(box.row ? box.group : this.tree.parents[box.group]);
    else this.enlarge(this.parentOf(box));
  }

  /** @param {number} group */
  enlarge(group) {
    if (group >= 0) setState({ [this.key]: this.tree.path(group) });
  }

  /**
   * The group around a box.
   * @param {IcicleBox} box
   * @returns {number}
   */
  parentOf(box) {
    const item = box.merged?.[0] ?? box;
    return item.layer ? this.tree.groupOf[item.layer.index] : this.tree.parents[item.group ?? 0];
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = this.nodes.findIndex((node) => node === document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.boxes[at];
    if (event.key === "Enter" || event.key === " ") this.activate(box);
    else if (event.key === "Backspace") this.enlarge(this.tree.parents[this.root]);
    else if (event.key.startsWith("Arrow")) this.focus(neighborOf(this.boxes, box, event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} at */
  focus(at) {
    if (at < 0) return;
    this.stop.moveTo(this.nodes[at]);
    this.nodes[at].focus({ preventScroll: true });
    this.nodes[at].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /**
   * @param {Event} event
   * @param {(box: IcicleBox) => void} then
   */
  at(event, then) {
    const node = /** @type {Element} */ (event.target).closest("[data-box]");
    if (node) then(this.boxes[Number(/** @type {SVGGElement} */ (node).dataset.box)]);
  }

  /**
   * Draw the ring of the focus above the neighbors of its box.
   * @param {IcicleBox} box
   */
  focused(box) {
    this.describe(box);
    this.ring?.remove();
    if (!document.activeElement?.matches(":focus-visible")) return;
    this.ring = svg("rect", { class: "icicle-focus", x: box.x + 1.5, y: box.row * ROW + 1.5, width: Math.max(box.width - 4, 1), height: ROW - 4 });
    this.drawing.append(this.ring);
  }

  /** @param {IcicleBox} box */
  describe(box) {
    this.note.textContent = this.content.words.facts(box).join(" · ");
  }

  /** The groups around what is enlarged, each a button that shows it. */
  showTrail() {
    const chain = this.tree.chain(this.root).filter((_, at, { length }) => at < MAX_CRUMBS / 2 || at >= length - MAX_CRUMBS / 2);
    this.trail.replaceChildren(
      ...chain.map((group, at) => {
        const name = shorten(visible(this.tree.labels[group]), 40);
        return at === chain.length - 1 ? h("span", { "aria-current": "true" }, name) : h("button", { type: "button", class: "plain", onclick: () => this.enlarge(group) }, name);
      }),
    );
  }

  showLegend() {
    const shown = new Set(this.tree.layersIn(this.root).map(({ index }) => index));
    this.legend.replaceChildren(...this.style.legendItems((index) => shown.has(index)));
  }
}
