// The script of a report whose graph opens as blocks.

import { GraphViewer } from "../graph/viewer/graph_viewer.js";
import { openReport } from "../page/report_page.js";

openReport((data, blocks) => new GraphViewer(data, JSON.parse(blocks ?? "{}")));
