// Sharing parts of a page: links to sections, charts and findings, and charts as files.

import { byId, find, findAll, h, targetOf } from "../dom/elements.js";
import { copyText, toast } from "../dom/messages.js";
import { picturePng, savePicture } from "../graph/picture.js";
import { state } from "../state/state.js";
import { asCsv } from "../table/csv.js";

/**
 * The address of a part of this page.
 * @param {string} id
 * @returns {string}
 */
function addressOf(id) {
  return `${location.href.split("#")[0]}#${id}`;
}

/**
 * The drawing of a figure that is shown; the one without script where a live chart took its place.
 * @param {HTMLElement} figure
 * @returns {SVGSVGElement | null}
 */
function drawingOf(figure) {
  const drawings = /** @type {SVGSVGElement[]} */ (findAll("svg.chart", figure));
  return drawings.find((each) => each.checkVisibility()) ?? drawings[0] ?? null;
}

/**
 * The drawing that names its marks: one for phones has no hover texts.
 * @param {SVGSVGElement} drawing
 * @returns {SVGSVGElement}
 */
function named(drawing) {
  const figure = drawing.closest(".narrow-chart")?.parentElement;
  return /** @type {SVGSVGElement | null | undefined} */ (figure?.querySelector(".static-chart svg")) ?? drawing;
}

/** Colors of texts that the style sheet of a page gives them: in a file those of the light theme, as palette.py has it. */
const INKS = { "chart-text": "#1f2328", "chart-text-muted": "#59616b" };

/**
 * A drawing as the text of a file: its colors are attributes, and the background is white.
 * @param {SVGSVGElement} drawing
 * @returns {{ text: string, width: number, height: number }}
 */
function fileOf(drawing) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  copy.setAttribute("font-family", "system-ui, sans-serif");
  const { x, y, width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  for (const [name, value] of [["width", width], ["height", height]]) copy.setAttribute(String(name), String(value));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x, y, width, height, fill: "#ffffff" })) paper.setAttribute(name, String(value));
  copy.prepend(paper);
  for (const [name, fill] of Object.entries(INKS)) for (const each of copy.querySelectorAll(`.${name}:not([fill])`)) each.setAttribute("fill", fill);
  // Links of a page lead nowhere from a file.
  for (const link of copy.querySelectorAll("a")) link.removeAttribute("href");
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/**
 * What the marks of a drawing state, as rows of a table: the lines of their tooltips.
 * @param {SVGSVGElement} drawing
 * @returns {string[][]}
 */
function marksOf(drawing) {
  return [...drawing.querySelectorAll("title")].slice(1).map((title) => (title.textContent ?? "").split("\n"));
}

/**
 * @param {HTMLElement} figure
 * @returns {HTMLElement}
 */
function menuOf(figure) {
  const title = find(figure, "figcaption").textContent ?? "chart";
  const action = (/** @type {string} */ text, /** @type {(drawing: SVGSVGElement) => unknown} */ share) => {
    const onclick = () => {
      const drawing = drawingOf(figure);
      toggleMenu(menu, false);
      opener.focus();
      if (drawing) share(drawing);
    };
    return h("button", { type: "button", class: "plain", onclick }, text);
  };
  const opener = h("button", { type: "button", class: "plain", "aria-expanded": "false", "aria-label": `Share: ${title}`, onclick: () => toggleMenu(menu, Boolean(find(menu, "div").hidden)) }, "Share");
  const actions = h("div", { hidden: true },
    figure.id ? action("Copy link", () => copyText(addressOf(figure.id), "Link")) : null,
    action("Copy CSV", (drawing) => copyText(marksCsv(marksOf(named(drawing))), "Values")),
    action("Save SVG", (drawing) => savePicture(new Blob([fileOf(drawing).text], { type: "image/svg+xml" }), `${title}.svg`)),
    action("Save PNG", async (drawing) => {
      try {
        savePicture((await picturePng(fileOf(drawing))).blob, `${title}.png`);
      } catch {
        toast("This browser can’t draw the chart as PNG. Save it as SVG.");
      }
    }),
  );
  const menu = h("div", { class: "share" }, opener, actions);
  return menu;
}

/**
 * @param {HTMLElement} menu
 * @param {boolean} open
 */
function toggleMenu(menu, open) {
  find(menu, "div").hidden = !open;
  find(menu, "button").setAttribute("aria-expanded", String(open));
}

/**
 * Rows of texts of different length as CSV.
 * @param {string[][]} rows
 * @returns {string}
 */
export function marksCsv(rows) {
  const most = rows.reduce((longest, row) => Math.max(longest, row.length), 1);
  const columns = Array.from({ length: most }, (_, at) => ({ key: String(at), label: at ? `Value ${at}` : "Name", width: 1, value: (/** @type {string[]} */ row) => row[at] ?? "" }));
  return asCsv(rows, columns);
}

/** Add a menu to each chart, and let the signs beside headings copy their links. */
export function watchSharing() {
  for (const figure of findAll("main figure.chart")) if (figure.querySelector("svg.chart") && figure.querySelector("figcaption")) find(figure, "figcaption").after(menuOf(figure));
  const close = (/** @type {Event} */ event) => findAll(".share:has([aria-expanded=true])").forEach((menu) => menu.contains(targetOf(event)) || toggleMenu(menu, false));
  addEventListener("pointerdown", close);
  addEventListener("focusin", close);
  addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" ? /** @type {HTMLElement | null} */ (targetOf(event).closest?.(".share:has([aria-expanded=true])") ?? null) : null;
    if (!menu) return;
    event.preventDefault();
    toggleMenu(menu, false);
    find(menu, "button").focus();
  }, { capture: true });
  // The parts of a name in a narrow column are boxes: a browser would copy a line for each.
  addEventListener("copy", (event) => {
    const selection = getSelection();
    const name = selection?.anchorNode?.parentElement?.closest(".cut");
    if (!selection || !name?.contains(selection.focusNode)) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", selection.getRangeAt(0).toString());
  });
  addEventListener("click", (event) => {
    const anchor = targetOf(event).closest?.("a.anchor");
    if (anchor) copyText(addressOf((anchor.getAttribute("href") ?? "#").slice(1)), "Link");
    const finding = targetOf(event).closest?.(".copy-link")?.closest("details.finding");
    if (finding) copyText(addressOf(finding.id), "Link");
  });
}

/** Go to the part that the address names: it may be closed, and the script may have moved it. */
export function goToPart() {
  const [entry] = performance.getEntriesByType("navigation");
  // Browsers return to where a reader was.
  if (entry && "type" in entry && entry.type !== "navigate") return;
  if (state.layer || state.tensor != null || state.row != null || state.node != null) {
    const place = byId("rows") ?? (state.filter ? byId("layers") : byId("graph")) ?? byId("layers") ?? byId("engines");
    place?.scrollIntoView({ behavior: "instant" });
    // The selection is in the middle of the drawing, which may begin far below the section's heading.
    place?.querySelector(".graph-scroll")?.scrollIntoView({ block: "nearest", behavior: "instant" });
    return;
  }
  const part = location.hash.includes("=") ? null : document.getElementById(location.hash.slice(1));
  if (!part?.closest("main")) return;
  for (let at = part.closest("details"); at; at = at.parentElement?.closest("details") ?? null) at.open = true;
  part.scrollIntoView({ behavior: "instant" });
}
