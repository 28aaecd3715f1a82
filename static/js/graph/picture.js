// A drawing of the page as a file: colors and sizes as attributes, so that it needs no style sheet.

import { find, findAll, h } from "../dom/elements.js";
import { toast } from "../dom/messages.js";
import { svg } from "../dom/svg.js";
import { shorten, visible } from "../format/text.js";
import { byShade } from "./layer_style.js";

/** What a style sheet may say of a shape or a text, and what needs no attribute. */
const STYLES = /** @type {const} */ ([
  ["fill", ""],
  ["fill-opacity", "1"],
  ["stroke", "none"],
  ["stroke-width", "1px"],
  ["stroke-dasharray", "none"],
  ["stroke-linejoin", "miter"],
  ["opacity", "1"],
  ["paint-order", "normal"],
  ["font-weight", "400"],
]);
const SHAPES = "rect, path, circle, text, g, a";
const KEPT = new Set(["xmlns", "viewBox", "width", "height", "x", "y", "cx", "cy", "r", "rx", "d", "transform", "text-anchor", "font-size", "font-family", "role", "aria-label"]);

// Browsers draw no larger pictures than about this.
const MAX_SIDE = 16_000;
const MAX_AREA = 40e6;
const LEGEND_LINE = 20;
const MARGIN = 16;

/**
 * @typedef {{ text: string, width: number, height: number }} PictureText
 */

/**
 * Return a graph as it is shown, with its legend, as the text of an SVG file.
 * @param {any} graph With `picture()`, which returns a new drawing of all that is expanded; `place` is what gives it its styles.
 * @returns {PictureText}
 */
function pictureText(graph) {
  const drawing = /** @type {SVGSVGElement} */ (graph.picture());
  // Only what is in the page has styles.
  const room = h("div", { class: "picture-room", "aria-hidden": "true" });
  room.append(drawing);
  (graph.place ?? find(document, "#graphs")).append(room);
  const { width: own, height: deep } = drawing.viewBox.baseVal;
  for (const each of findAll(".edge-hit", drawing)) each.remove();
  for (const each of findAll(SHAPES, drawing)) setStyles(each);
  const meanings = /** @type {Meaning[]} */ (byShade(graph.paint.legend((/** @type {number} */ layer) => graph.draws(layer)))).slice(0, 14);
  const width = Math.max(own, 480) + 2 * MARGIN;
  const legend = legendOf(meanings, width - 2 * MARGIN);
  const height = deep + legend.height + 2 * MARGIN;
  const style = getComputedStyle(document.body);
  const content = svg("g", { transform: `translate(${(width - own) / 2} ${legend.height + MARGIN})` });
  const inner = drawing.getAttribute("class") ?? "";
  content.append(...drawing.childNodes);
  const whole = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 12, class: inner }, svg("rect", { width, height, fill: style.backgroundColor }), legend.group, content);
  room.replaceChildren(whole);
  for (const each of findAll("text", legend.group)) each.setAttribute("fill", style.color);
  for (const each of [whole, ...findAll("*", whole)]) for (const { name } of [...each.attributes]) if (!KEPT.has(name) && !STYLES.some(([kept]) => kept === name)) each.removeAttribute(name);
  const text = new XMLSerializer().serializeToString(whole);
  room.remove();
  return { text: `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, width, height };
}

/** @param {HTMLElement} element */
function setStyles(element) {
  const style = getComputedStyle(element);
  if (style.display === "none") {
    element.remove();
    return;
  }
  const group = element.matches("g, a");
  for (const [name, plain] of STYLES) {
    const value = style.getPropertyValue(name);
    // Groups only fade what is in them: each shape has the rest itself.
    if (group ? name === "opacity" && value !== plain : value !== plain) element.setAttribute(name, value);
    else if (!group || name === "opacity") element.removeAttribute(name);
  }
}

/**
 * @param {Meaning[]} meanings
 * @param {number} room
 * @returns {{ group: SVGGElement, height: number }}
 */
function legendOf(meanings, room) {
  const group = svg("g", { transform: `translate(${MARGIN} ${MARGIN})` });
  let [x, y] = [0, 0];
  for (const [text, shade] of meanings) {
    const shown = shorten(visible(text), 60);
    const wide = 34 + 6.8 * shown.length;
    if (x && x + wide > room) [x, y] = [0, y + LEGEND_LINE];
    group.append(svg("rect", { x, y, width: 10, height: 10, fill: resolved(shade) }), svg("text", { x: x + 15, y: y + 9.5, "font-size": 11 }, shown));
    x += wide;
  }
  return { group, height: meanings.length ? y + LEGEND_LINE + MARGIN / 2 : 0 };
}

/**
 * Return a color without a reference to the page's variables.
 * @param {Color} shade
 * @returns {string}
 */
export function resolved(shade) {
  const name = /^var\((--[a-z-]+)\)$/.exec(shade ?? "");
  return name ? getComputedStyle(document.documentElement).getPropertyValue(name[1]).trim() : shade ?? "currentColor";
}

/**
 * Return a picture as PNG, and its scale: as sharp as screens are, within what browsers can draw.
 * @param {PictureText} picture
 * @returns {Promise<{ blob: Blob, scale: number }>}
 */
export async function picturePng({ text, width, height }) {
  const scale = Math.min(2, MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_AREA / (width * height)));
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((/** @type {(found: Blob | null) => void} */ done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("too large");
    return { blob, scale };
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Offer a drawing as SVG or PNG.
 * @param {any} graph As `pictureText` takes it.
 * @param {"svg" | "png"} kind
 * @param {string} name
 */
export async function saveDrawing(graph, kind, name) {
  const drawn = pictureText(graph);
  if (kind === "svg") {
    savePicture(new Blob([drawn.text], { type: "image/svg+xml" }), `${name}.svg`);
    return;
  }
  try {
    const { blob, scale } = await picturePng(drawn);
    savePicture(blob, `${name}.png`);
    if (scale < 1) toast(`The PNG is drawn at ${Math.round(100 * scale)}% of its size.`);
  } catch {
    toast("This browser can’t draw it as PNG. Save it as SVG.");
  }
}

/**
 * Offer a file to save.
 * @param {Blob} blob
 * @param {string} name Characters that file systems refuse are replaced.
 */
export function savePicture(blob, name) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: fileName(name) }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * @param {string} name
 * @returns {string}
 */
export function fileName(name) {
  const [, stem, ending] = /^(.*?)(\.[a-z]+)?$/s.exec(name) ?? ["", name, ""];
  return `${stem.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "graph"}${ending ?? ""}`;
}
