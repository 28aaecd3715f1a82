// The script of a report whose graph is drawn in the page.

import { inlineGraph } from "../graph/inline_graph.js";
import { openReport } from "../page/report_page.js";

openReport(inlineGraph);
