// The script of a comparison whose graph opens as blocks.

import { openComparison } from "../comparison/comparison_page.js";
import { GraphViewer } from "../graph/viewer/graph_viewer.js";

openComparison((data, blocks) => new GraphViewer(data, JSON.parse(blocks ?? "{}")));
