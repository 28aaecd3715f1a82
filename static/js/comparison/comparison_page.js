// The page of a comparison.

import { byId, targetOf } from "../dom/elements.js";
import { followState } from "../page/follow_state.js";
import { NO_CHARTS, openPage } from "../page/page.js";
import { watchKeys } from "../page/shortcuts.js";
import { announce, onState, watchAddress } from "../state/state.js";
import { watchToolbar } from "../table/toolbar.js";
import { baselineList, showRanking } from "./baseline.js";
import { completeComparisonData, setBaseline } from "./comparison_data.js";
import { addGraphChanges } from "./graph_changes.js";
import { RowDetailsPanel } from "./row_details_panel.js";
import { RowTable } from "./row_table.js";

/**
 * Put the parts of a comparison together; `makeGraph` makes the graph of the data and of the packed blocks, if there are any.
 * @param {(data: ComparisonData, blocks: string | null) => GraphView} makeGraph
 */
export function openComparison(makeGraph) {
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
    const graph = makeGraph(data, blocks);
    graph.controls?.colorBy("change");
    onState(followState(table, new RowDetailsPanel(data), graph, NO_CHARTS));
    watchKeys(table, { open: () => byId("filter")?.focus() }, NO_CHARTS);
    byId("candidate")?.addEventListener("change", (event) => {
      table?.setCandidate(Number(targetOf(event).value));
      announce({ selection: true });
    });
    baselineList()?.addEventListener("change", (event) => {
      const baseline = Number(targetOf(event).value);
      if (table) table.setBaseline(baseline);
      else setBaseline(data, baseline);
      for (const option of byId("candidate")?.querySelectorAll("option") ?? []) option.disabled = Number(option.value) === baseline;
      if (byId("candidate")) byId("candidate").value = String(data.candidate);
      showRanking(baseline);
      announce({ selection: true });
    });
    watchAddress(data);
  });
}
