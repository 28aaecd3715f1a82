// The script of a comparison whose graphs are drawn in the page.

import { openComparison } from "../comparison/comparison_page.js";
import { inlineGraph, secondGraph } from "../graph/inline_graph.js";

openComparison(inlineGraph, (read, options) => secondGraph(read.data, read.svg, options));
