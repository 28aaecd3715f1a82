// The script of a comparison whose graph is drawn in the page.

import { openComparison } from "../comparison/comparison_page.js";
import { InlineGraph } from "../graph/inline_graph.js";

openComparison((data) => new InlineGraph(data));
