// The elements of blocks: frames and heads of open ones, boxes of closed ones.

import { fitText, svg } from "../../dom/svg.js";
import { formatCount, formatNumber, formatPercent } from "../../format/numbers.js";
import { HEADER_HEIGHT } from "./layout_sizes.js";
import { expandRanges } from "./ranges.js";

/** @import { GraphPen } from "./graph_pen.js" */

/**
 * What a box is called: the texts in it, without the sign that it can be opened or closed.
 * @param {...string} texts
 * @returns {string}
 */
function ariaLabel(...texts) {
  return texts.filter(Boolean).join(", ").replace(/^[▸▾] /, "");
}

/**
 * @param {GraphPen} pen
 * @param {FrameBox} frame
 * @returns {Element}
 */
export function openFrame(pen, { block, x, y, w, h }) {
  const { selected } = pen.marks;
  const around = selected != null && pen.tree.partOf[selected] < 0 && pen.tree.leafOf[selected] === block.id;
  return svg("g", { class: `plan-frame${around ? " is-selected" : ""}`, "data-block": block.id }, svg("rect", { class: "frame-box", x, y, width: w, height: h, rx: 6 }));
}

/**
 * The header of an open block, which collapses it. It is drawn above the lines that cross it.
 * @param {GraphPen} pen
 * @param {FrameBox} frame
 * @returns {Element}
 */
export function openHead(pen, { block, x, y, w }) {
  const room = w - 24;
  const [name, cost] = [fitText(`▾ ${block.label}`, room * 0.6, 12, "600"), fitText(pen.words.costOf(block, room * 0.4), room * 0.4, 11)];
  return svg(
    "g",
    { class: "plan-head block-toggle", "data-block": block.id, tabindex: "-1", role: "button", "aria-expanded": "true", "aria-label": ariaLabel(name, cost) },
    svg("title", {}, pen.words.titleOf(block)),
    svg("rect", { class: "frame-head", x, y, width: w, height: HEADER_HEIGHT - 4, rx: 6 }),
    svg("text", { class: "node-name", x: x + 10, y: y + 15, "font-weight": "600" }, name),
    svg("text", { class: "node-kind", x: x + w - 10, y: y + 15, "font-size": "11", "text-anchor": "end" }, cost),
  );
}

/**
 * @param {GraphPen} pen
 * @param {LayoutItem} item
 * @param {number} index
 * @returns {Element}
 */
export function closedBlock(pen, { block, x, y, w, h }, index) {
  const bars = pen.colors.bars(block, w - 20);
  const odd = Boolean(block.differs?.length) || pen.tree.membersIn(block).some((member) => member.differs?.length);
  const cost = block.cost ?? (block.ms != null ? `${formatNumber(block.ms)} ms` : "");
  const name = fitText(`${pen.tree.canOpen(block) ? "▸ " : ""}${block.label}`, w - 30 - (block.cost ? 120 : cost ? 70 : 0), 12, "600");
  const about = fitText(pen.words.about(block), w - 80, 11);
  const note = pen.data.noteOf?.(block) ?? { text: block.share != null ? formatPercent(block.share) : "", kind: "" };
  return svg(
    "g",
    { class: `plan-block block-toggle${odd ? " is-odd" : ""}${pen.classesOfBlocks([block])}`, "data-block": block.id, "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "button", "aria-expanded": "false", "aria-label": ariaLabel(name, cost, about, note.text) },
    svg("title", {}, pen.words.titleOf(block)),
    svg("rect", { class: "block-under", x: 4, y: 4, width: w, height: h, rx: 5 }),
    svg("rect", { class: "node-box", width: w, height: h, rx: 5 }),
    ...pen.colors.fills(block, w, h),
    svg("rect", { class: `block-heat ${note.kind}`.trim(), y: h - 4, width: Math.max(0, (w * (block.share ?? 0)) / 100), height: 4, rx: 2 }),
    svg("text", { class: "node-name", x: 10, y: 19, "font-weight": "600" }, name),
    svg("text", { class: "node-cost", x: w - 10, y: 19, "text-anchor": "end" }, cost),
    svg("text", { class: "node-kind", x: 10, y: 36, "font-size": "11" }, about),
    svg("text", { class: "node-kind", x: w - 10, y: 36, "font-size": "11", "text-anchor": "end" }, note.text),
    bars,
    foundIn(pen, [block], w),
  );
}

/**
 * @param {GraphPen} pen
 * @param {LayoutItem} item
 * @param {number} index
 * @returns {Element}
 */
export function fewBlocks(pen, { blocks, x, y, w, h }, index) {
  const share = blocks.reduce((sum, block) => sum + (block.share ?? 0), 0);
  const text = `${formatCount(blocks.length)} ${blocks.length === 1 ? "block" : "blocks"} of little time, ${formatPercent(share)} together`;
  return svg(
    "g",
    { class: `plan-few${pen.classesOfBlocks(blocks)}`, "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "img", "aria-label": text },
    svg("rect", { class: "port-box", width: w, height: h, rx: 5 }),
    svg("text", { class: "node-kind", x: w / 2, y: 17, "font-size": "11", "text-anchor": "middle" }, text),
    foundIn(pen, blocks, w),
  );
}

/**
 * How many layers of closed blocks fit the filter.
 * @param {GraphPen} pen
 * @param {Block[]} blocks
 * @param {number} w
 * @returns {Element | null}
 */
function foundIn(pen, blocks, w) {
  if (!pen.marks.matches) return null;
  const { matches } = pen.marks;
  const count = blocks.flatMap((block) => expandRanges(block.ranges)).filter((layer) => matches.has(layer)).length;
  return count ? svg("text", { class: "match-count", x: w - 10, y: -4, "font-size": "11", "text-anchor": "end" }, `${formatCount(count)} found`) : null;
}
