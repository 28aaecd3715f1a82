// The script of a comparison with a graph that opens as blocks.

import { openComparison } from "../comparison/comparison_page.js";
import { inlineGraph, secondGraph } from "../graph/inline_graph.js";
import { GraphViewer } from "../graph/viewer/graph_viewer.js";

openComparison(
  (data, blocks) => {
    const plan = JSON.parse(blocks ?? "{}");
    // The other engine may be the large one: then this is a drawing, or nothing.
    return plan.blocks ? new GraphViewer(data, plan) : inlineGraph(data, blocks);
  },
  (read, options) => (read.plan ? new GraphViewer(read.data, read.plan, options) : secondGraph(read.data, read.svg, options)),
);
