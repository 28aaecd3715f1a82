// The script of a report with an ONNX model whose graph opens as blocks.

import { GraphViewer } from "../graph/viewer/graph_viewer.js";
import { MODEL_PARTS } from "../model/model_parts.js";
import { openReport } from "../page/report_page.js";

openReport((data, blocks) => new GraphViewer(data, JSON.parse(blocks ?? "{}")), MODEL_PARTS);
