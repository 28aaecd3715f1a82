// Keyboard shortcuts of the table of engines.

import { byId } from "../dom/elements.js";
import { isCommand, isShortcut } from "../page/shortcuts.js";
import { pageOf } from "./links.js";

/** @import { EngineTable } from "./engine_table.js" */

const FIELDS_AND_LINKS = "textarea, select, button, a, input:not([type='checkbox'])";

/** @param {EngineTable} table */
export function watchSelectionKeys(table) {
  addEventListener("keydown", (event) => {
    const engine = table.selected();
    if (event.key === "Enter" && engine && isCommand(event, FIELDS_AND_LINKS)) location.assign(pageOf(engine));
    if (!isShortcut(event, FIELDS_AND_LINKS)) return;
    if (event.key === "x" && engine) table.toggle(engine);
    else if (event.key === "c") byId("compare-link")?.click();
  });
}
