// The script of the page that shows two engines of a site side by side.

import { fromColumns } from "../data/unpack.js";
import { byId } from "../dom/elements.js";
import { NO_CHARTS, openPage } from "../page/page.js";
import { isShortcut, watchKeys } from "../page/shortcuts.js";
import { show } from "../site/side_by_side.js";

openPage((data) => {
  data.rows = fromColumns(data.rows);
  for (const row of data.rows) row.name ??= "";
  show(data);
  addEventListener("hashchange", () => show(data));
  watchKeys(null, { open() {} }, NO_CHARTS);
  addEventListener("keydown", (event) => {
    if (event.key === "s" && isShortcut(event)) byId("swap")?.click();
  });
});
