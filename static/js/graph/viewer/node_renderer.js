// The elements of a large engine's graph: open and closed blocks, layers, lines and their stubs, ports.

import { fitText, svg } from "../../dom/svg.js";
import { counted, formatBytes, formatCount, formatNumber, formatPercent, formatShape } from "../../format/numbers.js";
import { shorten, visible } from "../../format/text.js";
import { arrowHead, pointsOf, roundedPath } from "../paths.js";
import { BlockColors, FILL } from "./block_colors.js";
import { HEADER_HEIGHT } from "./block_layout.js";
import { foldedMark } from "./folded_mark.js";
import { touches } from "./geometry.js";
import { expandRanges } from "./ranges.js";

/** @import { BlockTree } from "./block_tree.js" */
/** @import { LayerStyle } from "../layer_style.js" */

// How the names of small boxes' rows begin: inputs and outputs of the engine, tensors that go on elsewhere, constants.
/** @type {Record<string, string>} */
const PORT_KINDS = { I: "input", O: "output", S: "stub", C: "constant" };

// How long the end of a wait for another stream is.
const WAIT_LENGTH = 14;

/**
 * What a box is called: the texts in it, without the sign that it can be opened or closed.
 * @param {...string} texts
 * @returns {string}
 */
function ariaLabel(...texts) {
  return texts.filter(Boolean).join(", ").replace(/^[▸▾] /, "");
}

export class NodeRenderer {
  /**
   * @param {BlockTree} tree
   * @param {ReportData} data
   * @param {LayerStyle} paint
   */
  constructor(tree, data, paint) {
    this.tree = tree;
    this.data = data;
    this.paint = paint;
    this.sizes = tree.plan.sizes;
    /** @type {Marks} */
    this.marks = { selected: null, layers: new Set(), tensors: new Set(), matches: null };
    /** @type {LayoutItem[]} */
    this.items = [];
    this.colors = new BlockColors(data, paint);
    /** Whether layers are drawn, and whether the texts at lines are. */
    this.near = false;
    this.close = false;
  }

  /**
   * @param {FrameBox} frame
   * @returns {Element}
   */
  frame({ block, x, y, w, h }) {
    const { selected } = this.marks;
    const around = selected != null && this.tree.partOf[selected] < 0 && this.tree.leafOf[selected] === block.id;
    return svg("g", { class: `plan-frame${around ? " is-selected" : ""}`, "data-block": block.id }, svg("rect", { class: "frame-box", x, y, width: w, height: h, rx: 6 }));
  }

  /**
   * The header of an open block, which collapses it. It is drawn above the lines that cross it.
   * @param {FrameBox} frame
   * @returns {Element}
   */
  head({ block, x, y, w }) {
    const room = w - 24;
    const [name, cost] = [fitText(`▾ ${block.label}`, room * 0.6, 12, "600"), fitText(this.costOf(block, room * 0.4), room * 0.4, 11)];
    return svg(
      "g",
      { class: "plan-head block-toggle", "data-block": block.id, tabindex: "-1", role: "button", "aria-expanded": "true", "aria-label": ariaLabel(name, cost) },
      svg("title", {}, this.titleOf(block)),
      svg("rect", { class: "frame-head", x, y, width: w, height: HEADER_HEIGHT - 4, rx: 6 }),
      svg("text", { class: "node-name", x: x + 10, y: y + 15, "font-weight": "600" }, name),
      svg("text", { class: "node-kind", x: x + w - 10, y: y + 15, "font-size": "11", "text-anchor": "end" }, cost),
    );
  }

  /**
   * @param {LayoutItem} item
   * @param {number} index
   * @returns {Element}
   */
  item(item, index) {
    if (item.part) return this.part(/** @type {PartItem} */ (item));
    return item.kind === "few" ? this.few(item, index) : this.block(item, index);
  }

  /**
   * @param {LayoutItem} item
   * @param {number} index
   * @returns {Element}
   */
  block({ block, x, y, w, h }, index) {
    const bars = this.colors.bars(block, w - 20);
    const odd = Boolean(block.differs?.length) || this.tree.membersIn(block).some((member) => member.differs?.length);
    const cost = block.cost ?? (block.ms != null ? `${formatNumber(block.ms)} ms` : "");
    const name = fitText(`${this.tree.canOpen(block) ? "▸ " : ""}${block.label}`, w - 30 - (block.cost ? 120 : cost ? 70 : 0), 12, "600");
    const about = fitText(this.about(block), w - 80, 11);
    const note = this.data.noteOf?.(block) ?? { text: block.share != null ? formatPercent(block.share) : "", kind: "" };
    return svg(
      "g",
      { class: `plan-block block-toggle${odd ? " is-odd" : ""}${this.lit([block])}`, "data-block": block.id, "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "button", "aria-expanded": "false", "aria-label": ariaLabel(name, cost, about, note.text) },
      svg("title", {}, this.titleOf(block)),
      svg("rect", { class: "block-under", x: 4, y: 4, width: w, height: h, rx: 5 }),
      svg("rect", { class: "node-box", width: w, height: h, rx: 5 }),
      ...this.colors.fills(block, w, h),
      svg("rect", { class: `block-heat ${note.kind}`.trim(), y: h - 4, width: Math.max(0, (w * (block.share ?? 0)) / 100), height: 4, rx: 2 }),
      svg("text", { class: "node-name", x: 10, y: 19, "font-weight": "600" }, name),
      svg("text", { class: "node-cost", x: w - 10, y: 19, "text-anchor": "end" }, cost),
      svg("text", { class: "node-kind", x: 10, y: 36, "font-size": "11" }, about),
      svg("text", { class: "node-kind", x: w - 10, y: 36, "font-size": "11", "text-anchor": "end" }, note.text),
      bars,
      this.found([block], w),
    );
  }

  /**
   * What is marked inside of closed blocks, as classes.
   * @param {Block[]} blocks
   * @returns {string}
   */
  lit(blocks) {
    const holds = (/** @type {Set<number>} */ layers) => blocks.some((block) => this.tree.anyIn(block, layers));
    const lit = this.marks.layers.size && holds(this.marks.layers) ? " is-lit" : "";
    const selected = this.marks.selected != null && holds(new Set([this.marks.selected])) ? " is-selected" : "";
    return lit + selected + (this.marks.matches && holds(this.marks.matches) ? " is-match" : "");
  }

  /**
   * How many layers of closed blocks fit the filter.
   * @param {Block[]} blocks
   * @param {number} w
   * @returns {Element | null}
   */
  found(blocks, w) {
    if (!this.marks.matches) return null;
    const { matches } = this.marks;
    const count = blocks.flatMap((block) => expandRanges(block.ranges)).filter((layer) => matches.has(layer)).length;
    return count ? svg("text", { class: "match-count", x: w - 10, y: -4, "font-size": "11", "text-anchor": "end" }, `${formatCount(count)} found`) : null;
  }

  /**
   * @param {LayoutItem} item
   * @param {number} index
   * @returns {Element}
   */
  few({ blocks, x, y, w, h }, index) {
    const share = blocks.reduce((sum, block) => sum + (block.share ?? 0), 0);
    const text = `${formatCount(blocks.length)} ${blocks.length === 1 ? "block" : "blocks"} of little time, ${formatPercent(share)} together`;
    return svg(
      "g",
      { class: `plan-few${this.lit(blocks)}`, "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "img", "aria-label": text },
      svg("rect", { class: "port-box", width: w, height: h, rx: 5 }),
      svg("text", { class: "node-kind", x: w / 2, y: 17, "font-size": "11", "text-anchor": "middle" }, text),
      this.found(blocks, w),
    );
  }

  /**
   * A block's second line: how many layers it has, what repeats in it, and what is odd about it.
   * @param {Block} block
   * @returns {string}
   */
  about(block) {
    const count = counted(block.count, this.data.noun ?? "layer");
    if (block.differs?.length) return `${count} · ${block.differs[0]}`;
    const members = this.tree.membersIn(block);
    const series = members[0]?.series;
    if (!series) return block.series ? `${count} · one of ${block.series.label}` : count;
    const odd = members.filter((member) => member.differs?.length).map((member) => member.label);
    const each = block.series?.ms ?? series.ms;
    const parts = [`${members.length} × ${series.label}`, each != null ? `${formatNumber(each)} ms each` : "", odd.length > 1 ? `${odd.length} differ` : odd.length ? `${odd[0]} differs` : ""];
    return parts.filter(Boolean).join(" · ");
  }

  /**
   * What a block costs; in little room the share alone.
   * @param {Block} block
   * @param {number} [room]
   * @returns {string}
   */
  costOf(block, room = Infinity) {
    const parts = [counted(block.count, this.data.noun ?? "layer")];
    if (block.cost) parts.push((room < 180 && block.most) || block.cost);
    if (block.ms != null) parts.push(`${formatNumber(block.ms)} ms`, formatPercent(block.share));
    return room < 130 && parts.length > 1 ? parts[parts.length - 1] : parts.join(" · ");
  }

  /**
   * @param {Block} block
   * @returns {string}
   */
  titleOf(block) {
    const mix = Object.entries(block.precisions ?? {}).map(([name, part]) => `${name || "precision not stated"} ${block.ms != null ? `${formatNumber(part)} ms` : part}`);
    const series = block.series ? [`one of ${block.series.label}, ${formatNumber(block.series.ms)} ms each`] : [];
    const lines = [block.path ?? block.label, this.costOf(block), mix.join(", "), ...series, ...(block.differs ?? []).map((each) => `differs: ${each}`)];
    return visible(lines.filter(Boolean).join("\n"));
  }

  /**
   * @param {LayoutLine} line
   * @returns {Element}
   */
  line(line) {
    const { tensors, ends, source, target, end, leadsTo = [] } = line;
    const shade = this.shadeOf(tensors[0]);
    const [x, y] = line.points[line.points.length - 1];
    /** @type {Point[]} */
    const path = ends ? [...line.points.slice(0, -1), [x, y - 4]] : line.points;
    const many = tensors.length > 1;
    const ring = end && line.points.at(end === "leaving" ? -1 : 0);
    return svg(
      "g",
      {
        class: `edge${end ? " is-end" : ""}${tensors.some((each) => this.marks.tensors.has(each)) ? " is-lit" : ""}`,
        "data-tensor": tensors[0],
        "data-tensors": many ? tensors.join(" ") : null,
        "data-source": source,
        "data-target": target,
        "data-jump": end ? `item ${leadsTo[0]} ${tensors[0]}` : null,
        stroke: shade,
      },
      svg("title", {}, visible(this.titleOfLine(line))),
      svg("path", { class: "edge-hit", d: roundedPath(path) }),
      svg("path", { d: roundedPath(path) }),
      ends ? svg("path", { d: arrowHead(line.points), fill: shade, stroke: "none" }) : null,
      ring ? svg("circle", { class: "end-ring", cx: ring[0], cy: ring[1], r: 4 }) : null,
      ends && this.data.tensors[tensors[0]]?.folded ? foldedMark(line.points) : null,
      many && this.near && !end ? svg("text", { class: "edge-text", stroke: "none", x: x + 6, y: y - 8, "font-size": "11" }, String(tensors.length)) : null,
    );
  }

  /**
   * @param {LayoutLine} line
   * @returns {string}
   */
  titleOfLine({ tensors, end, leadsTo = [] }) {
    const parts = tensors.slice(0, 8).map((each) => this.tensorTitle(each));
    if (tensors.length > 8) parts.push(`and ${tensors.length - 8} more`);
    if (end) {
      const names = leadsTo.slice(0, 6).map((index) => this.nameOf(this.items[index]));
      parts.unshift(`${end === "leaving" ? "Leads to" : "Comes from"} ${names.join(", ")}${leadsTo.length > 6 ? ` and ${leadsTo.length - 6} more` : ""}. Click to go there.`);
    }
    return parts.join("\n\n");
  }

  /**
   * @param {LayoutItem} item
   * @returns {string}
   */
  nameOf(item) {
    const block = item.block ?? item.blocks[0];
    const around = this.tree.blocks[block.parent];
    return around?.id ? `${around.label}/${block.label}` : block.label;
  }

  /**
   * @param {number} tensor
   * @returns {Color}
   */
  shadeOf(tensor) {
    const facts = this.data.tensors[tensor];
    return facts?.shade ?? this.data.precisionColors[facts?.type ?? ""] ?? "currentColor";
  }

  /**
   * A name, and which value it is where memory of that name is written again.
   * @param {Tensor} tensor
   * @returns {string}
   */
  tensorName({ name, version }) {
    return version && version > 1 ? `${name} (value ${version})` : name;
  }

  /**
   * @param {number} index
   * @returns {string}
   */
  tensorTitle(index) {
    const tensor = this.data.tensors[index];
    if (tensor.title != null) return tensor.title;
    return `${shorten(this.tensorName(tensor), 300)}\n${formatShape(tensor.dims)} · ${tensor.format ?? ""}\n${formatBytes(tensor.bytes)}`;
  }

  /**
   * @param {PartItem} item
   * @returns {Element}
   */
  part({ part, x, y }) {
    const { shape } = part;
    const group = svg("g", { class: "plan-part", transform: `translate(${x} ${y})` });
    /** @type {[Point[], number][]} */
    const texts = [];
    (shape.edges ?? []).forEach(([from, to, ...flat], index) => {
      const tensor = from < 0 ? part.in[-1 - from] : to < 0 ? part.out[-1 - to] : part.tensors[index];
      const points = pointsOf(flat);
      group.append(this.edge(to, points, tensor));
      texts.push([points, tensor]);
    });
    part.layers.forEach((layer, index) => {
      const [left, top] = [shape.at[2 * index], shape.at[2 * index + 1]];
      group.append(...this.waits(layer, left, top), this.layer(this.data.layers[layer], left, top));
    });
    group.append(...this.smallBoxes(part));
    if (this.close) group.append(...this.edgeTexts(part, texts));
    return group;
  }

  /**
   * The rows of the small boxes of a part.
   * @param {Part} part
   * @returns {Element[]}
   */
  smallBoxes(part) {
    const { shape } = part;
    const found = [];
    for (const [index, rows] of (part.small ?? shape.small ?? []).entries()) {
      const at = 2 * (part.layers.length + index);
      for (const [row, kind] of [...rows].entries()) {
        const top = shape.at[at + 1] + this.sizes.pad / 2 + row * this.sizes.row[1];
        found.push(this.row(part, kind, part.rows[found.length], shape.at[at], top));
      }
    }
    return found;
  }

  /**
   * Shape and format beside the lines of a part, as far as there is room.
   * @param {Part} part
   * @param {[Point[], number][]} lines
   * @returns {Element[]}
   */
  edgeTexts(part, lines) {
    const [w, h] = this.sizes.layer;
    const taken = part.layers.map((_, index) => ({ x: part.shape.at[2 * index], y: part.shape.at[2 * index + 1], w, h }));
    const found = [];
    for (const [points, tensor] of lines) {
      const facts = this.data.tensors[tensor];
      const text = facts && facts.title == null ? `${formatShape(facts.dims)} ${facts.format ?? ""}` : "";
      const upright = points.slice(1).map((to, at) => [points[at], to]).filter(([from, to]) => Math.abs(to[1] - from[1]) > 14);
      const [from, to] = upright.sort((one, other) => Math.abs(other[1][1] - other[0][1]) - Math.abs(one[1][1] - one[0][1]))[0] ?? [];
      if (!from || !text.trim()) continue;
      const box = { x: (from[0] + to[0]) / 2 + 4, y: (from[1] + to[1]) / 2 - 6, w: text.length * 5.2, h: 12 };
      if (taken.some((other) => touches(box, other))) continue;
      taken.push(box);
      found.push(svg("text", { class: "edge-text", x: box.x, y: box.y + 9, "font-size": "9.5" }, visible(text)));
    }
    return found;
  }

  /**
   * @param {number} to
   * @param {Point[]} points
   * @param {number} tensor
   * @returns {Element}
   */
  edge(to, points, tensor) {
    const facts = this.data.tensors[tensor];
    const shade = this.shadeOf(tensor);
    return svg(
      "g",
      { class: `edge${this.marks.tensors.has(tensor) ? " is-lit" : ""}`, "data-tensor": tensor, stroke: shade, fill: "none", "stroke-width": "1.5" },
      facts ? svg("title", {}, visible(this.tensorTitle(tensor))) : null,
      svg("path", { class: "edge-hit", d: roundedPath(points) }),
      svg("path", { d: roundedPath(points) }),
      to >= 0 ? svg("path", { d: arrowHead(points), fill: shade, stroke: "none" }) : null,
      facts?.folded && to >= 0 ? foldedMark(points) : null,
    );
  }

  /**
   * @param {Layer} layer
   * @param {number} x
   * @param {number} y
   * @returns {Element}
   */
  layer(layer, x, y) {
    const [w, h] = this.sizes.layer;
    const cost = layer.cost ?? (layer.avg_ms != null ? `${formatNumber(layer.avg_ms)} ms · ${formatPercent(layer.share_percent)}` : "");
    const turns = layer.precision && layer.output_precision && layer.output_precision !== layer.precision;
    const precisions = turns ? `${layer.precision} → ${layer.output_precision}` : layer.precision;
    const stream = this.tree.streams > 1 && layer.stream ? `stream ${layer.stream}` : "";
    const words = [shorten(layer.name, 600), [layer.type, precisions].filter(Boolean).join(" · "), cost, layer.origin ? `inserted for ${layer.origin}` : "", stream, ...(layer.remarks ?? [])];
    const [inset, radius] = layer.type === "Reformat" ? [8, 14] : [0, 4];
    const mark = { y: inset, width: 6, height: h - 2 * inset, rx: 2 };
    const node = svg(
      "a",
      { class: `node${layer.kind ? ` is-${layer.kind}` : ""}${this.classesOf(layer.index)}`, href: layer.href ?? `#L${layer.index}`, "data-layer": layer.index, transform: `translate(${x} ${y})`, tabindex: "-1" },
      svg("title", {}, visible(words.filter(Boolean).join("\n"))),
      layer.outline ? svg("rect", { class: "node-outline", x: -4, y: -4, width: w + 8, height: h + 8, rx: 7, fill: "none", stroke: layer.outline, "stroke-width": 3 }) : null,
      svg("rect", { class: "node-box", width: w, height: h, rx: radius }),
      svg("rect", { class: "node-fill", width: w, height: h, rx: radius, fill: this.paint.mark(layer), "fill-opacity": FILL }),
      svg("rect", { class: "node-mark", ...mark, fill: this.paint.mark(layer) }),
      turns ? svg("rect", { class: "node-turn", ...mark, x: w - 4, fill: this.data.precisionColors[layer.output_precision] }) : null,
      svg("text", { class: "node-name", x: 14, y: 18 }, fitText(this.paint.text(layer), w - 22 - (stream ? 56 : 0))),
      stream ? svg("text", { class: "node-stream", x: w - 8, y: 18, "font-size": "11", "text-anchor": "end" }, stream) : null,
      svg("text", { class: "node-kind", x: 14, y: 34, "font-size": "11" }, fitText(layer.origin || layer.type || "layer", cost ? w - 120 : w - 22, 11)),
      svg("text", { class: "node-cost", x: w - 8, y: 34, "font-size": "11", "text-anchor": "end" }, cost),
    );
    this.paint.flag(node, layer, w);
    return node;
  }

  /**
   * Where a layer waits for another stream or lets another one wait: ends that lead to each other.
   * @param {number} layer
   * @param {number} x
   * @param {number} y
   * @returns {Element[]}
   */
  waits(layer, x, y) {
    const [, h] = this.sizes.layer;
    /** @type {[layers: number[] | undefined, from: number, by: number, words: string][]} */
    const ends = [[this.tree.waitsFor.get(layer), y, -WAIT_LENGTH, "Waits for"], [this.tree.waitedBy.get(layer), y + h, WAIT_LENGTH, "Awaited by"]];
    return ends.flatMap(([others, from, by, words]) => {
      if (!others) return [];
      const names = others.slice(0, 6).map((other) => `${shorten(this.data.layers[other].name, 200)} on stream ${this.data.layers[other].stream ?? 0}`);
      return svg(
        "g",
        { class: "sync is-end", "data-jump": `layer ${others[0]}` },
        svg("title", {}, visible(`${words}\n${names.join("\n")}\nClick to go there.`)),
        svg("path", { class: "edge-hit", d: `M${x + 14} ${from}v${by}` }),
        svg("path", { d: `M${x + 14} ${from}v${by}`, "stroke-dasharray": "1.5 3" }),
        svg("circle", { class: "end-ring", cx: x + 14, cy: from + by, r: 4 }),
      );
    });
  }

  /**
   * @param {number} layer
   * @returns {string}
   */
  classesOf(layer) {
    const { selected, layers, matches } = this.marks;
    return (selected === layer ? " is-selected" : "") + (layers.has(layer) ? " is-lit" : "") + (matches?.has(layer) ? " is-match" : "");
  }

  /**
   * @param {Part} part
   * @param {string} kind
   * @param {number} tensor
   * @param {number} x
   * @param {number} y
   * @returns {Element}
   */
  row(part, kind, tensor, x, y) {
    const [w, h] = this.sizes.row;
    const facts = this.data.tensors[tensor];
    const goal = kind === "S" ? this.goalOf(part, facts) : null;
    const leads = goal == null ? "" : `\n\n${part.layers.includes(facts.from[0]) ? "Leads to" : "Comes from"} ${shorten(this.data.layers[goal].name, 200)}. Click to go there.`;
    return svg(
      "g",
      { class: `port port-${PORT_KINDS[kind]}${this.marks.tensors.has(tensor) ? " is-lit" : ""}`, "data-tensor": tensor, "data-jump": goal == null ? null : `layer ${goal} ${tensor}`, transform: `translate(${x} ${y})` },
      svg("title", {}, visible(`${this.tensorTitle(tensor)}${leads}`)),
      svg("rect", { class: "port-box", y: 1, width: w, height: h - 2, rx: 9, "stroke-dasharray": { S: "4 2", C: "1 2" }[kind] }),
      svg("text", { class: "port-name", x: w / 2, y: 14, "font-size": "11", "text-anchor": "middle" }, fitText(this.tensorName(facts), w - 16, 11)),
    );
  }

  /**
   * Where a stub leads: to who writes its tensor, else to the first who reads it outside of the part.
   * @param {Part} part
   * @param {Tensor} tensor
   * @returns {number | undefined}
   */
  goalOf(part, { from, to }) {
    const inside = new Set(part.layers);
    return [...from, ...to].find((layer) => !inside.has(layer));
  }
}
