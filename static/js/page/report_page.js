// The page of a report.

import { Charts } from "../charts/charts.js";
import { openIcicles } from "../charts/icicle.js";
import { openTimelines } from "../charts/timeline.js";
import { openWhatIf } from "../charts/what_if.js";
import { completeReportData } from "../data/report_data.js";
import { byId } from "../dom/elements.js";
import { DetailsPanel } from "../panel/details_panel.js";
import { onState, watchAddress } from "../state/state.js";
import { LayerTable } from "../table/layer_table.js";
import { openSortableTables } from "../table/sortable.js";
import { watchToolbar } from "../table/toolbar.js";
import { watchIssueButtons } from "./copy_issue.js";
import { watchFindings } from "./findings.js";
import { followState } from "./follow_state.js";
import { openPage } from "./page.js";
import { Search } from "./search.js";
import { watchKeys } from "./shortcuts.js";
import { openRowFilters } from "./row_filter.js";

/**
 * Put the parts of a report together; `makeGraph` makes the graph of the data and of the packed blocks, if there are any.
 * @param {(data: ReportData, blocks: string | null) => GraphView} makeGraph
 * @param {ModelParts} [ofModel] What a report with an ONNX model has besides.
 */
export function openReport(makeGraph, ofModel) {
  return openPage((read, blocks, model) => {
    const data = completeReportData(read);
    if (ofModel && model) data.model = ofModel.data(model, data);
    const table = byId("layer-grid") ? new LayerTable(data) : null;
    if (table) {
      byId("static-layers").hidden = true;
      watchToolbar(table);
      table.order();
    }
    const search = new Search(data);
    const charts = new Charts(data);
    const engine = makeGraph(data, blocks);
    const graph = ofModel ? ofModel.graph(data, engine) : engine;
    onState(followState(table, ofModel ? ofModel.panel(data) : new DetailsPanel(data), graph, charts));
    const icicles = openIcicles(data);
    openWhatIf(data);
    const timelines = openTimelines(data);
    onState((_, changed) => timelines.forEach((each) => each.follow(changed)));
    onState((now, changed) => icicles.forEach((each) => each.follow(now, changed)));
    if (ofModel && data.model) onState(ofModel.table(/** @type {ReportData & { model: Model }} */ (data)));
    watchKeys(table, search, charts);
    watchAddress(data);
    watchFindings(graph);
    watchIssueButtons(data);
    openRowFilters();
    openSortableTables();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.repaint());
    return charts;
  });
}
