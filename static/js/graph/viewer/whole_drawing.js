// All of a large engine's graph as one drawing: for paper and for files.

import { ViewRenderer } from "./view_renderer.js";

/** @import { GraphViewer } from "./graph_viewer.js" */
/** @import { BlockLayout } from "./block_layout.js" */

/**
 * @param {BlockLayout} layout
 * @returns {Box}
 */
function wholeOf({ width, height }) {
  return { x: 0, y: 0, w: width, h: height };
}

/**
 * Draw all of the graph when the page is printed, and what is in view again afterward.
 * @param {GraphViewer} viewer
 */
export function watchPaper(viewer) {
  addEventListener("beforeprint", () => {
    viewer.pane.settle();
    viewer.drawing.draw(wholeOf(viewer.layout), 1);
    // The size of the paper is not that of the window: what follows it waits.
    viewer.onPaper = true;
  });
  addEventListener("afterprint", () => {
    viewer.onPaper = false;
    viewer.draw();
  });
}

/**
 * A new drawing of all that is expanded: in outlines where that is very large.
 * @param {GraphViewer} viewer
 * @returns {SVGSVGElement}
 */
export function wholePicture({ tree, data, paint, layout, drawing }) {
  const whole = new ViewRenderer(tree, data, paint);
  whole.marks.matches = drawing.marks.matches;
  whole.svg.classList.toggle("is-filtered", drawing.marks.matches != null);
  whole.use(layout);
  whole.draw(wholeOf(layout), 1);
  return whole.svg;
}
