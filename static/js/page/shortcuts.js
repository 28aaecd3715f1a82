// Keyboard shortcuts.

import { byId, focusedElement, targetOf } from "../dom/elements.js";
import { copyText } from "../dom/messages.js";
import { NO_SELECTION } from "../state/address.js";
import { loadPreference, savePreference } from "../state/preferences.js";
import { selectedLink, setState, state } from "../state/state.js";
import { toggleColumns } from "../table/toolbar.js";
import { openGlossary } from "./glossary.js";
import { goToSection } from "./sections.js";
import { nextTheme } from "./theme.js";

const SHORTCUT_PREFERENCE = "trexreport-letter-keys";
// A dialog that closes keeps the focus until its event comes, but no key is typed into it any more.
const FIELDS = ":is(textarea, select, input:not([type='checkbox'])):not(dialog:not([open]) *)";

// Speech input and unsteady hands press single characters by accident, so the help can turn these shortcuts off.
let singleKeysOn = true;

/** @param {boolean} on */
function setSingleKeys(on) {
  singleKeysOn = on;
  byId("letter-keys").checked = on;
}

/**
 * Whether a pressed key is a command, and single characters may be commands.
 * @param {KeyboardEvent} event
 * @param {string} [fields]
 * @returns {boolean}
 */
export function isShortcut(event, fields = FIELDS) {
  return singleKeysOn && isCommand(event, fields);
}

/**
 * Whether a pressed key is a command: without modifiers, outside of fields and dialogs.
 * @param {KeyboardEvent} event
 * @param {string} [fields]
 * @returns {boolean}
 */
export function isCommand(event, fields = FIELDS) {
  return !isModified(event) && !event.defaultPrevented && !targetOf(event).closest?.(fields) && !document.querySelector("dialog[open]");
}

/**
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isModified(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** @type {HTMLElement | null} */
let focusBefore = null;

/** Move the focus into the details panel, or back to where it was. */
function togglePanelFocus() {
  const panel = byId("detail");
  if (!panel || panel.hidden) return;
  if (panel.contains(focusedElement())) {
    (focusBefore?.isConnected ? focusBefore : byId("grid-scroll"))?.focus({ preventScroll: true });
  } else {
    focusBefore = focusedElement();
    panel.querySelector("h2")?.focus();
  }
}

/**
 * Whether a key is pressed on what is selected already: its row, its node, its mark in a chart.
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isOnSelection(event) {
  const target = targetOf(event);
  if (target.id === "grid-scroll") return true;
  const link = target.closest?.("main a[href]")?.getAttribute("href");
  return link != null && link === selectedLink();
}

/**
 * Listen to the keys of every page; `table` is null on a page without one.
 * @param {PageTable | null} table
 * @param {SearchBox} search
 * @param {Charts} charts
 */
export function watchKeys(table, search, charts) {
  // A browser may leave the focus in a dialog that it closes, where keys would be taken for typing.
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("close", () => dialog.contains(focusedElement()) && focusedElement()?.blur());
  }
  setSingleKeys(loadPreference(SHORTCUT_PREFERENCE, ["on", "off"]) !== "off");
  byId("letter-keys").addEventListener("change", (event) => {
    setSingleKeys(targetOf(event).checked);
    savePreference(SHORTCUT_PREFERENCE, singleKeysOn ? "on" : "off");
  });
  addEventListener("keydown", (event) => {
    const typing = /** @type {PageElement | null} */ (targetOf(event).closest?.(FIELDS) ?? null);
    const alone = !isModified(event);
    const inDialog = document.querySelector("dialog[open]");
    if ((event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && alone && singleKeysOn && !typing)) {
      event.preventDefault();
      byId("help").close();
      search.open();
    } else if (!inDialog && !event.defaultPrevented) {
      if (event.key === "Escape") {
        dismissOne(event, typing);
      } else if (event.key === "Enter" && alone && !byId("detail").hidden && isOnSelection(event)) {
        event.preventDefault();
        togglePanelFocus();
      } else if (isShortcut(event)) {
        runShortcut(event, table, charts);
      }
    }
  });
}

/**
 * @param {KeyboardEvent} event
 * @param {PageTable | null} table
 * @param {Charts} charts
 */
function runShortcut(event, table, charts) {
  if (event.key === "?") byId("help").showModal();
  else if (event.key === "j") table?.step(1);
  else if (event.key === "k") table?.step(-1);
  else if (event.key === "p") togglePanelFocus();
  else if (event.key === "g") openGlossary();
  else if (event.key === "y") copyText(location.href, "Link");
  else if (event.key === "s") saveGraph();
  else if (/^[1-9]$/.test(event.key)) goToSection(Number(event.key));
  else if (event.key === "t") nextTheme(charts);
  else if (event.key === "f" && table) {
    event.preventDefault();
    byId("filter").focus();
  }
}

/** Save the graph that is shown as SVG. */
function saveGraph() {
  const prefix = byId("engine-graph")?.hidden ? "model-" : "";
  byId(`${prefix}graph-save-svg`)?.click();
}

/**
 * Undo one thing: an open menu, what is being typed, the selection, then the filter.
 * @param {KeyboardEvent} event
 * @param {PageElement | null} typing
 */
function dismissOne(event, typing) {
  const columns = byId("columns");
  if (columns && !columns.hidden) {
    toggleColumns(false);
    byId("columns-button").focus();
  } else if (typing) {
    event.preventDefault();
    if (typing.value) {
      typing.value = "";
      typing.dispatchEvent(new Event("input"));
    } else {
      typing.blur();
    }
  } else if (state.layer || state.tensor != null || state.row != null || state.node != null) {
    setState(NO_SELECTION);
  } else if (state.filter) {
    setState({ filter: "" });
  }
}
