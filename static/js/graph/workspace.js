// The graph as a workspace: full screen, menus of its tools, saving what is drawn, and going to it.

import { byId, find, findAll, h, targetOf } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { NARROW, isWindow } from "../dom/windows.js";
import { state } from "../state/state.js";
import { saveDrawing } from "./picture.js";

const FULL = "is-full";

/** Bring the graph into the window, as far as it is not there. */
export function goToGraph() {
  if (!isFull()) byId("graphs")?.scrollIntoView({ block: "nearest" });
}

/** @returns {boolean} */
function isFull() {
  return document.documentElement.classList.contains(FULL);
}

/**
 * Let the graph fill the window, and the screen where the browser permits it; or put it back into the page.
 * @param {boolean} full
 */
function setFull(full) {
  if (full === isFull()) return;
  document.documentElement.classList.toggle(FULL, full);
  for (const button of findAll("[id$='graph-full']")) {
    button.setAttribute("aria-pressed", String(full));
    button.setAttribute("aria-label", full ? "Exit full screen" : "Full screen");
    button.replaceChildren(full ? "Exit full screen" : "Full ", full ? "" : h("span", { class: "in-full" }, "screen"));
  }
  // A frame, a setting or a test may not permit it: the window is what counts.
  if (full) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  if (!full) goToGraph();
}

/** Leave the full screen when the browser does, and with Escape once nothing is selected, typed or open. */
function watchFullscreen() {
  addEventListener("fullscreenchange", () => document.fullscreenElement || setFull(false));
  addEventListener("keydown", (event) => {
    const isFree = !state.layer && state.tensor == null && state.node == null && state.row == null;
    if (event.key !== "Escape" || event.defaultPrevented || !isFull() || !isFree) return;
    if (targetOf(event).closest?.("input, select") || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    setFull(false);
  });
}

/** Close the menu that is open when something else is pressed or the focus leaves it; Escape goes back to its button. */
function watchMenus() {
  const close = (/** @type {EventTarget | null} */ kept) => findAll(".tool-menu[open]").forEach((menu) => menu.contains(/** @type {Node | null} */ (kept)) || menu.removeAttribute("open"));
  addEventListener("pointerdown", (event) => close(event.target));
  addEventListener("focusin", (event) => close(event.target));
  for (const menu of findAll(".tool-menu")) {
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.hasAttribute("open")) return;
      event.preventDefault();
      event.stopPropagation();
      menu.removeAttribute("open");
      find(menu, "summary").focus();
    });
  }
}

let isWatching = false;

/**
 * Make the tools of a graph work: full screen, saving, copying a link.
 * @param {any} graph
 * @param {string} prefix What the ids of its elements begin with.
 */
export function watchTools(graph, prefix) {
  if (!isWatching) {
    isWatching = true;
    watchFullscreen();
    watchMenus();
  }
  const press = (/** @type {string} */ id, /** @type {() => unknown} */ action) => byId(prefix + id)?.addEventListener("click", action);
  press("graph-full", () => setFull(!isFull()));
  press("graph-copy-link", () => copyText(location.href, "Link"));
  const name = `${document.title.replace(/ – .*/s, "")}${prefix ? " model" : ""} graph`;
  press("graph-save-svg", () => saveDrawing(graph, "svg", name));
  press("graph-save-png", () => saveDrawing(graph, "png", name));
  const key = byId(`${prefix}graph-key`);
  // In a narrow window it would cover what it explains.
  if (key && isWindow(NARROW)) key.removeAttribute("open");
}
