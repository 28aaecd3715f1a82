// The script of a report with an ONNX model whose graph is drawn in the page.

import { inlineGraph } from "../graph/inline_graph.js";
import { MODEL_PARTS } from "../model/model_parts.js";
import { openReport } from "../page/report_page.js";

openReport(inlineGraph, MODEL_PARTS);
