// The script of a site's index.

import { fromColumns } from "../data/unpack.js";
import { byId } from "../dom/elements.js";
import { NO_CHARTS, openPage } from "../page/page.js";
import { watchKeys } from "../page/shortcuts.js";
import { EngineTable } from "../site/engine_table.js";
import { watchSelectionKeys } from "../site/selection_keys.js";
import { onState, watchAddress } from "../state/state.js";
import { watchToolbar } from "../table/toolbar.js";

/**
 * Complete the data of a site's index.
 * @param {any} data
 * @returns {SiteData & LinkTargets}
 */
function completeSiteData(data) {
  data.rows = fromColumns(data.rows);
  data.rows.forEach((/** @type {SiteEngine} */ row, /** @type {number} */ index) => Object.assign(row, { index, name: row.name ?? "" }));
  const addresses = new Set(data.rows.map((/** @type {SiteEngine} */ row) => row.address));
  // The links that work without this script use positions.
  const rowNamed = (/** @type {string} */ text) => (addresses.has(text) ? text : data.rows[text]?.address);
  Object.assign(data, { layers: [], tensors: [], byKey: new Map(), rowNamed });
  return data;
}

openPage((read) => {
  const data = completeSiteData(read);
  const table = byId("engine-grid") ? new EngineTable(data) : null;
  if (table) {
    byId("static-engines").hidden = true;
    watchToolbar(table);
    table.order();
    onState((now, changed) => {
      if (changed.filter) {
        if (byId("filter").value !== now.filter) byId("filter").value = now.filter;
        table.filter(now.filter);
      }
      if (changed.sort) table.restoreOrder(now.sort);
      if (changed.ticked) table.restoreSelected(now.ticked);
      if (changed.selection) table.reveal();
      if (changed.followed) byId("engines").scrollIntoView();
    });
    watchSelectionKeys(table);
  }
  watchKeys(table, { open: () => byId("filter")?.focus() }, NO_CHARTS);
  watchAddress(data);
});
