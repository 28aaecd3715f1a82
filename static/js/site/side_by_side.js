// Two engines of a site side by side; the address names them.

import { byId, focusedElement, h } from "../dom/elements.js";
import { shorten, visible } from "../format/text.js";
import { conditionsTable, figuresTable, groupsTable } from "./figures.js";
import { labelCards } from "../page/cards.js";

/**
 * @param {SiteData} data
 * @returns {(SiteEngine | null)[]}
 */
function chosenEngines(data) {
  const named = Object.fromEntries(location.hash.slice(1).split("&").map((part) => part.split("=")));
  return ["a", "b"].map((side) => data.rows.find((row) => row.address === named[side]) ?? null);
}

/**
 * @param {string} letter
 * @param {SiteEngine} engine
 * @returns {HTMLElement}
 */
function engineHeading(letter, engine) {
  const facts = [engine.model, engine.gpu, engine.tensorrt ? `TensorRT ${engine.tensorrt}` : "", engine.precision, engine.contradictions ? "contradictory files" : "", engine.synthetic ? "synthetic, not measured on a GPU" : "", (engine.date ?? "").replace("T", " "), engine.place];
  return h("p", {}, h("b", {}, `${letter} `), h("a", { class: "name", href: `engines/${engine.address}.html` }, shorten(visible(engine.name), 120)), h("br"), h("span", { class: "muted name" }, shorten(visible(facts.filter(Boolean).join(" · ")), 400)));
}

/**
 * Name what the engines should have in common for a comparison.
 * @param {SiteEngine} a
 * @param {SiteEngine} b
 * @returns {HTMLElement | null}
 */
function differentConditions(a, b) {
  const differing = /** @type {[string, "model" | "gpu" | "shapes"][]} */ ([["model", "model"], ["GPU", "gpu"], ["input shapes", "shapes"]]).filter(([, key]) => a[key] && b[key] && a[key] !== b[key]).map(([name]) => name);
  return differing.length ? h("p", { class: "notice" }, `Different test conditions: ${differing.join(", ")}.`) : null;
}

/** @param {SiteData} data */
export function show(data) {
  const [a, b] = chosenEngines(data);
  for (const id of ["figures", "types", "precisions", "conditions"]) {
    byId(id).hidden = !(a && b);
    const entry = document.querySelector(`.rail a[href="#${id}"]`)?.parentElement;
    if (entry) entry.hidden = !(a && b);
  }
  byId("sides").replaceChildren();
  if (!(a && b)) {
    if (location.hash) byId("sides").append(h("p", { class: "notice" }, "An engine of this link is not in the site."));
    return;
  }
  const made = data.compared.some(([first, second]) => data.rows[first] === a && data.rows[second] === b);
  byId("sides-lead").textContent = "Figures of the captures. To test whether a difference is significant, run trexreport compare.";
  byId("sides").append(
    engineHeading("A", a),
    engineHeading("B", b),
    differentConditions(a, b) ?? "",
    h("p", {}, h("button", { type: "button", id: "swap", onclick: () => swap(a, b) }, "Swap A and B"), made ? h("a", { href: `compare/${a.address}--${b.address}.html` }, " Full comparison with a verdict") : ""),
  );
  const [rulesOfA, rulesOfB] = [a, b].map((engine) => (engine.codes ?? "").split(" ").filter(Boolean));
  const [onlyA, onlyB] = [rulesOfA.filter((code) => !rulesOfB.includes(code)), rulesOfB.filter((code) => !rulesOfA.includes(code))];
  const findings = h("p", {}, `Rules with findings in A only: ${onlyA.join(", ") || "none"}; in B only: ${onlyB.join(", ") || "none"}.`);
  byId("figures-table").replaceChildren(figuresTable(a, b), findings);
  byId("types-table").replaceChildren(groupsTable(a.types, b.types, "Type"));
  byId("precisions-table").replaceChildren(groupsTable(a.precisions, b.precisions, "Precision"));
  byId("conditions-table").replaceChildren(conditionsTable(a.conditions, b.conditions));
  labelCards();
  // The list of sections follows the length of the page.
  dispatchEvent(new Event("resize"));
}

/**
 * @param {SiteEngine} a
 * @param {SiteEngine} b
 */
function swap(a, b) {
  history.replaceState(null, "", `${location.href.split("#")[0]}#a=${b.address}&b=${a.address}`);
  const hadFocus = focusedElement() === byId("swap");
  dispatchEvent(new Event("hashchange"));
  // The button was replaced.
  if (hadFocus) byId("swap")?.focus();
}
