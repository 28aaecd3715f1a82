// What a click in the graph of a large engine does.

import { closestTo, targetOf } from "../../dom/elements.js";
import { READABLE } from "./layout_sizes.js";

/** @import { GraphViewer } from "./graph_viewer.js" */

/**
 * Open or close a block, come nearer to outlines, follow an end of a line, or light a tensor. Layers are links.
 * @param {GraphViewer} viewer
 * @param {MouseEvent} event
 */
export function followClick(viewer, event) {
  const { pane, view } = viewer;
  if (pane.dragged) {
    event.preventDefault();
    return;
  }
  const block = closestTo(event, ".block-toggle");
  if (block) {
    viewer.toggle(Number(block.dataset.block));
    return;
  }
  if (!viewer.drawing.near && targetOf(event).closest(".far-boxes")) {
    const box = view.getBoundingClientRect();
    pane.zoom(READABLE / pane.scale, event.clientX - box.left, event.clientY - box.top);
    return;
  }
  const jump = closestTo(event, "[data-jump]");
  if (jump) {
    followJump(viewer, jump.dataset.jump ?? "");
    return;
  }
  const tensor = closestTo(event, ".edge, .port");
  if (tensor) viewer.showTensor(Number(tensor.dataset.tensor));
}

/**
 * Go where a tensor, or a wait for another stream, goes on.
 * @param {GraphViewer} viewer
 * @param {string} jump "item" or "layer", its index, and the tensor that leads there, if one does.
 */
function followJump(viewer, jump) {
  const [kind, goal, tensor] = jump.split(" ");
  if (tensor) viewer.showTensor(Number(tensor));
  if (kind === "item") viewer.revealItem(viewer.layout.items[Number(goal)]);
  else viewer.revealLayer(Number(goal), true);
}
