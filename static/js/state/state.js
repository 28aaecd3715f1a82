// What is selected and filtered: one value that every part of the page listens to.
// Each entry of the browser's history holds it too, so that Back restores it, also from the address of a section.

import { targetOf } from "../dom/elements.js";
import { toast } from "../dom/messages.js";
import { shorten, visible } from "../format/text.js";
import { openFinding } from "../page/finding_links.js";
import { changedState, EMPTY_TEXTS, hashOf, isStateLink, NO_SELECTION, readHash, TEXTS } from "./address.js";

/** @type {State} */
export const state = { ...NO_SELECTION, ...EMPTY_TEXTS };

/** @type {((state: State, changed: Changed) => void)[]} */
const listeners = [];

/**
 * Call a listener with the state and with what changed, after each change.
 * @param {(state: State, changed: Changed) => void} listener
 */
export function onState(listener) {
  listeners.push(listener);
}

/**
 * Call all listeners as if something had changed.
 * @param {Changed} changed
 */
export function announce(changed) {
  for (const listener of listeners) listener(state, changed);
}

/**
 * Change the state. Consecutive changes of one kind, such as letters typed, share one entry of the history.
 * @param {StateChange} change
 * @param {string} [kind]
 */
export function setState(change, kind = "") {
  const next = changedState(state, change);
  if (hashOf(next) === hashOf(state)) return;
  const again = kind && history.state?.kind === kind;
  remember(next, kind, hashOf(next), again ? "replaceState" : "pushState");
  apply(next);
}

/**
 * @param {Layer} layer
 * @param {string} [kind]
 */
export function select(layer, kind) {
  setState({ ...NO_SELECTION, layer }, kind);
}

/**
 * The address by position of the selected layer, node or row, as links have it; null if there is none.
 * @returns {string | null}
 */
export function selectedLink() {
  if (state.layer) return `#L${state.layer.index}`;
  if (state.node != null) return `#node=${state.node}`;
  return state.row != null ? `#R${state.row}` : null;
}

/**
 * @param {State} next
 * @param {string} kind
 * @param {string} hash
 * @param {"pushState" | "replaceState"} how
 */
function remember(next, kind, hash, how) {
  try {
    // The whole address: inside a notebook's frame a relative one would refer to the notebook.
    history[how]({ kind, of: hashOf(next) }, "", location.href.split("#")[0] + hash);
  } catch {
    // Browsers limit how often the address may change; the page works without.
  }
}

/**
 * @param {State} next
 * @param {boolean} [followed]
 */
function apply(next, followed = false) {
  const changed = {
    selection: next.layer !== state.layer || next.tensor !== state.tensor || next.row !== state.row || next.node !== state.node,
    ...Object.fromEntries(TEXTS.map((name) => [name, next[name] !== state[name]])),
    followed,
  };
  Object.assign(state, next);
  announce(changed);
}

/** @param {string} what */
function reportMissing(what) {
  toast(`This report has ${shorten(visible(what), 80)}`);
}

/**
 * Go where a link leads.
 * @type {(hash: string) => void}
 */
export let goTo = () => {};

/**
 * Follow the address and the links whenever they change: a link was clicked, an address edited, or Back pressed.
 * @param {LinkTargets} data
 */
export function watchAddress(data) {
  /** @type {(hash: string, how: "pushState" | "replaceState") => void} */
  const follow = (hash, how) => {
    const found = readHash(data, hash, reportMissing);
    const next = found ? changedState(state, found) : { ...state };
    // A link names a part of the state; the address then holds all of it, unless the link leads nowhere.
    const known = found && Object.values(found).every((value) => value !== undefined);
    const again = how === "pushState" && hashOf(next) === hashOf(state);
    if (!again) remember(next, "", known ? hashOf(next) : hash, how);
    apply(next, found?.filter !== undefined);
  };
  // Not left to the browser, which would move the focus and, in a notebook's frame, leave the report.
  goTo = (hash) => {
    if (isStateLink(hash)) follow(hash, "pushState");
    else {
      openFinding(hash);
      location.hash = hash;
    }
  };
  addEventListener("click", (event) => {
    const hash = targetOf(event).closest?.("a[href^='#']")?.getAttribute("href");
    if (!hash || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!isStateLink(hash) && location.protocol !== "about:") return;
    event.preventDefault();
    goTo(hash);
  });
  addEventListener("hashchange", () => {
    if (history.state?.of === undefined) follow(location.hash, "replaceState");
  });
  addEventListener("popstate", (event) => {
    if (event.state?.of !== undefined) apply({ ...NO_SELECTION, ...EMPTY_TEXTS, ...readHash(data, event.state.of, reportMissing) });
  });
  follow(location.hash, "replaceState");
}
