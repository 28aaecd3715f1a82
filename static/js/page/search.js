// One search over layers, tensors, ONNX nodes, tactics, settings and sections.

import { findingLink, layerLink, nodeLink } from "../data/links.js";
import { attributesOf, loadAttributes } from "../data/report_data.js";
import { byId, findAll, h, targetOf } from "../dom/elements.js";
import { oncePerFrame } from "../dom/frames.js";
import { formatCount } from "../format/numbers.js";
import { shorten, visible } from "../format/text.js";
import { layerTerms } from "../query/layer_terms.js";
import { compileQuery, hasTerms, quoted } from "../query/query.js";
import { goTo } from "../state/state.js";
import { rail } from "./sections.js";

const MAX_RESULTS = 60;
const IN_TABLE = new Set(["Name", "LayerType", "ParameterType", "TacticName", "Metadata", "StreamId"]);

/**
 * Attributes that a person may look for: short texts and numbers, without those that the table has.
 * @param {Record<string, any> | null} attributes
 * @returns {[string, any][]}
 */
function plainAttributes(attributes) {
  return Object.entries(attributes ?? {}).filter(([name, value]) => !IN_TABLE.has(name) && ["string", "number"].includes(typeof value) && String(value).length < 200);
}

/**
 * @param {string} text
 * @param {string[]} words
 * @returns {boolean}
 */
function hasAll(text, words) {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}

export class Search {
  /** @param {ReportData} data */
  constructor(data) {
    this.data = data;
    this.dialog = byId("search");
    this.input = byId("search-text");
    this.list = byId("search-results");
    this.chosen = 0;
    /** @type {SearchEntry[]} */
    this.results = [];
    /** @type {SearchEntry[] | null} */
    this.entries = null;
    this.complete = false;
    // With the frame, which lays out the results anyway: now it would be done twice for each key.
    this.reveal = oncePerFrame(() => this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" }));
    this.input.addEventListener("input", () => this.run());
    this.input.addEventListener("keydown", (event) => this.keyed(event));
    this.dialog.addEventListener("click", (event) => targetOf(event) === this.dialog && this.dialog.close());
    byId("open-search").addEventListener("click", () => this.open());
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
    this.input.select();
    this.run();
    if (!this.data.attributes) loadAttributes(this.data).then(() => this.runAgain());
  }

  index() {
    if (!this.entries) this.addPage();
    if (!this.complete && this.data.attributes) this.addAttributes();
    return this.entries ?? [];
  }

  /**
   * @param {string} what
   * @param {string} text
   * @param {string} go
   * @param {Element} [row]
   */
  add(what, text, go, row) {
    if (text) this.entries?.push({ what, text, lowered: text.toLowerCase(), go, row });
  }

  addAttributes() {
    for (const layer of this.data.layers) {
      for (const [name, value] of plainAttributes(attributesOf(this.data, layer))) this.add("Attribute", `${name}: ${value}`, layerLink(layer));
    }
    this.complete = true;
  }

  addPage() {
    this.entries = [];
    rail().forEach((link) => this.add("Section", link.textContent.trim(), link.hash));
    for (const finding of this.data.findings) this.add("Finding", this.textOf(finding), findingLink(finding));
    for (const layer of this.data.layers) this.add("Layer", layer.name, layerLink(layer));
    this.data.tensors.forEach((tensor, index) => this.add("Tensor", tensor.name, `#tensor=${index}`));
    if (this.data.model) for (const node of this.data.model.nodes) this.add("ONNX node", node.name, nodeLink(node.index));
    else for (const layer of this.data.layers) for (const name of layer.origins) this.add("ONNX node", name, layerLink(layer));
    const tactics = new Set(this.data.layers.map((layer) => layer.tactic));
    for (const tactic of tactics) this.add("Tactic", tactic, `#filter=${encodeURIComponent(`tactic:${quoted(tactic)}`)}`);
    const types = new Set(this.data.layers.map((layer) => layer.type));
    for (const type of types) this.add("Type", type, `#filter=${encodeURIComponent(`type:${quoted(type)}`)}`);
    this.addRows("execution", "Executed node");
    this.addRows("build", "Setting");
    this.addRows("notes", "Note");
    this.addRows("provenance", "File");
    findAll("#provenance pre").forEach((line) => this.add("Command", line.textContent, "#provenance", line));
  }

  /**
   * Add the rows of a section's tables.
   * @param {string} section
   * @param {string} what
   */
  addRows(section, what) {
    for (const row of /** @type {HTMLTableRowElement[]} */ (findAll(`#${section} table tbody tr`))) {
      this.add(what, [...row.cells].map((cell) => cell.textContent.trim()).join(": "), `#${section}`, row);
    }
  }

  /** Search again after more entries were added, and keep the chosen result. */
  runAgain() {
    const { chosen } = this;
    this.run();
    this.chosen = Math.max(0, Math.min(chosen, this.results.length - 1));
    this.mark();
  }

  /**
   * What the page says of a finding, but for the table of its places.
   * @param {Finding} finding
   * @returns {string}
   */
  textOf({ id, code, severity, title }) {
    const texts = [...byId(`finding-${id}`).querySelectorAll(":scope > .explained, .headline, dd, .links .name")].map((each) => each.textContent);
    return [code, severity, title, ...new Set(texts)].join(" · ");
  }

  run() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const whole = this.input.value.trim().toLowerCase();
    /** @type {[exact: SearchEntry[], others: SearchEntry[]]} */
    const [exact, others] = [this.filterEntry(), []];
    let count = exact.length;
    for (const entry of this.index()) {
      if (!hasAll(entry.lowered, words)) continue;
      count += 1;
      const into = entry.lowered === whole ? exact : others;
      if (into.length < MAX_RESULTS) into.push(entry);
    }
    // What has exactly this name comes before all that mentions it.
    const found = [...exact, ...others].slice(0, MAX_RESULTS);
    this.results = found;
    this.chosen = 0;
    byId("search-count").textContent =
      count === 0 ? "No results" : count > found.length ? `${formatCount(found.length)} of ${formatCount(count)} found` : `${formatCount(count)} found`;
    this.list.replaceChildren(
      ...found.map((entry, at) =>
        h(
          "li",
          { role: "option", id: `result-${at}`, "aria-selected": String(at === 0), onclick: () => this.go(entry) },
          h("span", { class: "what" }, entry.what),
          h("span", { class: "hit name", title: shorten(visible(entry.text), 1000) }, ...this.marked(entry, words[0])),
        ),
      ),
    );
    this.mark();
  }

  /**
   * Terms of the filter lead to the layers that they match, the slowest first.
   * @returns {SearchEntry[]}
   */
  filterEntry() {
    const query = this.input.value.trim();
    const terms = layerTerms(this.data.columns);
    if (!byId("layer-grid") || !hasTerms(query, terms)) return [];
    try {
      const count = this.data.layers.filter(compileQuery(query, this.data, terms)).length;
      return [{ what: "Filter", text: `${query} (${formatCount(count)} ${count === 1 ? "layer" : "layers"})`, lowered: query.toLowerCase(), go: `#filter=${encodeURIComponent(query)}` }];
    } catch {
      return [];
    }
  }

  /**
   * The text around the first hit, with the hit marked.
   * @param {SearchEntry} entry
   * @param {string | undefined} word
   * @returns {(Node | string)[]}
   */
  marked(entry, word) {
    const at = word ? entry.lowered.indexOf(word) : -1;
    if (at < 0) return [shorten(visible(entry.text), 140)];
    const start = Math.max(0, at - 50);
    const end = at + (word ?? "").length;
    return [
      (start ? "…" : "") + visible(entry.text.slice(start, at)),
      h("mark", {}, visible(entry.text.slice(at, end))),
      visible(entry.text.slice(end, end + 90)),
    ];
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    if (event.key === "Escape") {
      // Left to the browser, the first press would only empty the field.
      event.preventDefault();
      this.dialog.close();
    } else if (event.key === "Enter" && this.results[this.chosen]) {
      event.preventDefault();
      this.go(this.results[this.chosen]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.chosen = Math.min(this.results.length - 1, Math.max(0, this.chosen + step));
      this.mark();
    }
  }

  mark() {
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === this.chosen)));
    const item = this.list.children[this.chosen];
    this.reveal();
    if (item) this.input.setAttribute("aria-activedescendant", item.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {SearchEntry} entry */
  go(entry) {
    this.dialog.close();
    goTo(entry.go);
    const { row } = entry;
    if (!row) return;
    // A setting may be folded away.
    const fold = row.closest("details");
    if (fold) fold.open = true;
    requestAnimationFrame(() => row.scrollIntoView({ block: "center", behavior: "instant" }));
  }
}
