// The page of a comparison.

import { byId } from "../dom/elements.js";
import { followState } from "../page/follow_state.js";
import { NO_CHARTS, openPage } from "../page/page.js";
import { watchKeys } from "../page/shortcuts.js";
import { onState, watchAddress } from "../state/state.js";
import { watchToolbar } from "../table/toolbar.js";
import { watchChoices } from "./choices.js";
import { completeComparisonData } from "./comparison_data.js";
import { addGraphChanges, outlineChanges } from "./graph_changes.js";
import { BASELINE_GRAPH, GraphSides } from "./graph_sides.js";
import { RowDetailsPanel } from "./row_details_panel.js";
import { RowTable } from "./row_table.js";

/**
 * Put the parts of a comparison together; `makeGraph` makes the graph of the data and of the packed blocks, if there are any.
 * @param {(data: ComparisonData, blocks: string | null) => GraphView} makeGraph
 * @param {(read: any, options: SecondGraph) => any} makeSecond Makes the graph of the baseline of its data.
 */
export function openComparison(makeGraph, makeSecond) {
  return openPage((read, blocks) => {
    const data = completeComparisonData(read);
    addGraphChanges(data);
    // Without layers there are no rows.
    const table = byId("row-grid") ? new RowTable(data) : null;
    if (table) {
      byId("static-rows").hidden = true;
      watchToolbar(table);
      table.order();
    }
    if (byId(BASELINE_GRAPH)) outlineChanges(data, data, (layer) => data.rows[data.rowOf[layer.index]]);
    const candidate = makeGraph(data, blocks);
    candidate.controls?.colorBy("change");
    const graph = byId(BASELINE_GRAPH) ? new GraphSides(data, candidate, makeSecond) : candidate;
    onState(followState(table, new RowDetailsPanel(data), graph, NO_CHARTS));
    watchKeys(table, { open: () => byId("filter")?.focus() }, NO_CHARTS);
    watchChoices(data, table);
    watchAddress(data);
  });
}
