// The script of a comparison whose graph is drawn in the page.

import { openComparison } from "../comparison/comparison_page.js";
import { inlineGraph } from "../graph/inline_graph.js";

openComparison(inlineGraph);
