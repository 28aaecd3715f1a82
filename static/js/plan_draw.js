// Drawing a large plan: only what is in view is in the page, and from afar only its outlines.

const NEAR = 0.4;
const MOST_NEAR = 600;
// Below this scale lines are finer than a pixel, and only boxes are drawn.
const BOXES_ONLY = 0.14;

function touches(box, view) {
  return box.x <= view.x + view.w && box.x + box.w >= view.x && box.y <= view.y + view.h && box.y + box.h >= view.y;
}

function within(box, other) {
  return box.x >= other.x && box.x + box.w <= other.x + other.w && box.y >= other.y && box.y + box.h <= other.y + other.h;
}

/** Put a text into the list that a map has under a key. */
function add(map, key, text) {
  if (!map.has(key)) map.set(key, []);
  map.get(key).push(text);
}

function straight(points) {
  return `M${points.map((point) => point.join(" ")).join("L")}`;
}

/** The steps from each point of a flat list of coordinates to the next. */
function relative(flat) {
  let text = "";
  for (let at = 2; at < flat.length; at += 2) text += `l${flat[at] - flat[at - 2]} ${flat[at + 1] - flat[at - 1]}`;
  return text;
}

class PlanDrawing {
  constructor(tree, data, paint) {
    this.tree = tree;
    this.data = data;
    this.paint = paint;
    this.sizes = tree.plan.sizes;
    this.layers = { frames: s("g", {}), lines: s("g", { fill: "none", "stroke-width": "1.5" }), items: s("g", {}) };
    this.svg = s("svg", { class: "graph-svg plan-svg", "font-family": "system-ui, sans-serif", "font-size": "12", role: "group", "aria-label": "Blocks and layers" });
    this.svg.append(this.layers.frames, this.layers.lines, this.layers.items);
    this.shown = new Map();
    this.marks = { selected: null, layers: new Set(), tensors: new Set(), matches: null };
  }

  /** Take over a new stack; everything is drawn anew. */
  use(stack) {
    this.stack = stack;
    this.svg.setAttribute("viewBox", `0 0 ${stack.width} ${stack.height}`);
    this.forget();
  }

  forget() {
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.region = null;
  }

  /** Draw what is within the region around the view, if the view has left what was drawn before. */
  draw(view, scale) {
    const near = scale >= NEAR && this.boxesIn(view) <= MOST_NEAR;
    const bare = scale < BOXES_ONLY;
    if (near !== this.near || bare !== this.bare) this.forget();
    Object.assign(this, { near, bare });
    if (this.region && within(view, this.region)) return;
    const margin = near ? 0.5 : 1;
    this.region = { x: view.x - margin * view.w, y: view.y - margin * view.h, w: (1 + 2 * margin) * view.w, h: (1 + 2 * margin) * view.h };
    if (near) this.drawNear();
    else this.drawFar();
  }

  drawNear() {
    const wanted = new Set();
    const show = (key, box, group, make) => {
      if (!touches(box, this.region)) return;
      wanted.add(key);
      if (this.shown.has(key)) return;
      const element = make();
      this.shown.set(key, element);
      group.append(element);
    };
    this.stack.frameBoxes.forEach((frame, index) => show(`f${index}`, frame, this.layers.frames, () => this.frame(frame)));
    this.stack.lines.forEach((line, index) => show(`l${index}`, line, this.layers.lines, () => this.line(line)));
    this.stack.items.forEach((item, index) => show(`i${index}`, item, this.layers.items, () => this.item(item, index)));
    for (const [key, element] of this.shown) {
      if (wanted.has(key) || element.contains(document.activeElement)) continue;
      element.remove();
      this.shown.delete(key);
    }
  }

  /** Draw outlines: one path for all boxes of one colour, one for all lines of one colour. */
  drawFar() {
    const [frames, boxes, lines, marked] = [[], new Map(), new Map(), []];
    const rect = ({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;
    const near = (each) => touches(each, this.region);
    for (const frame of this.stack.frameBoxes.filter(near)) frames.push(rect(frame));
    for (const { tensors, points } of this.bare ? [] : this.stack.lines.filter(near)) add(lines, this.data.precisionColours[this.data.tensors[tensors[0]].type], straight(points));
    const closed = this.stack.items.filter((item) => near(item) && !item.part);
    const few = closed.length <= MOST_NEAR / 2;
    for (const item of few ? [] : closed) add(boxes, "var(--raised)", rect(item));
    for (const item of this.stack.items.filter((each) => each.part && near(each))) this.outline(item, boxes, lines, marked);
    this.forget();
    const keep = (key, element, group) => {
      this.shown.set(key, element);
      group.append(element);
    };
    keep("frames", s("path", { class: "frame-box", d: frames.join("") }), this.layers.frames);
    for (const [shade, parts] of lines) {
      for (let first = 0; first < parts.length; first += 200) {
        keep(`l${shade}${first}`, s("path", { class: "far-lines", d: parts.slice(first, first + 200).join(""), stroke: shade ?? "currentColor" }), this.layers.lines);
      }
    }
    for (const [shade, parts] of boxes) {
      // Not in one piece: what lies outside of the view is cheap only as a path of its own.
      for (let first = 0; first < parts.length; first += 200) {
        const d = parts.slice(first, first + 200).join("");
        keep(`b${shade}${first}`, s("path", { class: this.bare ? "far-boxes is-bare" : "far-boxes", d, fill: shade }), this.layers.items);
      }
    }
    if (marked.length) keep("marked", s("path", { class: "far-marks", d: marked.join("") }), this.layers.items);
    if (few) for (const item of closed) keep(`i${item.index}`, this.item(item, item.index), this.layers.items);
  }

  /** Add the outlines of a part's boxes and edges. */
  outline({ part, x, y }, boxes, lines, marked) {
    const [w, h] = this.sizes.layer;
    const { at, edges = [] } = part.shape;
    const { selected, layers, matches } = this.marks;
    part.layers.forEach((layer, index) => {
      const text = `M${x + at[2 * index]} ${y + at[2 * index + 1]}h${w}v${h}h${-w}z`;
      const shade = matches && !matches.has(layer) ? "var(--page)" : this.paint.mark(this.data.layers[layer]);
      add(boxes, shade, text);
      if (selected === layer || layers.has(layer)) marked.push(text);
    });
    if (this.bare) return;
    part.shape.relative ??= edges.map(([, , ...flat]) => relative(flat));
    edges.forEach(([, , left, top], index) => add(lines, "var(--axis)", `M${x + left} ${y + top}${part.shape.relative[index]}`));
  }

  boxesIn(view) {
    return this.stack.items.reduce((sum, item) => sum + (touches(item, view) ? item.part?.layers.length ?? 1 : 0), 0);
  }

  frame({ block, x, y, w, h, first }) {
    const { selected } = this.marks;
    const around = selected != null && this.tree.partOf[selected] < 0 && this.tree.leafOf[selected] === block.id;
    const frame = s("g", { class: `plan-frame${around ? " is-selected" : ""}`, "data-block": block.id }, s("rect", { class: "frame-box", x, y, width: w, height: h, rx: 6 }));
    if (first) {
      const label = `▾ ${block.label}`;
      const cost = this.costOf(block);
      const room = w - 24;
      frame.append(
        s(
          "g",
          { class: "block-toggle", "data-block": block.id, tabindex: "-1", role: "button", "aria-expanded": "true", "aria-label": `Close ${block.label}` },
          s("title", {}, this.titleOf(block)),
          s("rect", { class: "frame-head", x, y, width: w, height: HEAD - 4, rx: 6 }),
          s("text", { class: "node-name", x: x + 10, y: y + 15, "font-weight": "600" }, fitted(label, room * 0.6, 12, "600")),
          s("text", { class: "node-kind", x: x + w - 10, y: y + 15, "font-size": "11", "text-anchor": "end" }, fitted(cost, room * 0.4, 11)),
        ),
      );
    }
    return frame;
  }

  item(item, index) {
    if (item.kind === "part") return this.part(item);
    return item.kind === "few" ? this.few(item, index) : this.block(item, index);
  }

  block({ block, x, y, w, h }, index) {
    const bars = this.precisionBars(block, w - 20);
    const head = `${this.tree.canOpen(block) ? "▸ " : ""}${block.label}`;
    const odd = Boolean(block.differs?.length) || this.tree.membersIn(block).some((member) => member.differs?.length);
    const cost = block.ms != null ? `${formatNumber(block.ms)} ms` : "";
    const count = `${formatCount(block.count)} ${block.count === 1 ? "layer" : "layers"}`;
    return s(
      "g",
      { class: `plan-block block-toggle${odd ? " is-odd" : ""}${this.lit(block)}`, "data-block": block.id, "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "button", "aria-expanded": "false", "aria-label": `Open ${block.label}: ${count}, ${cost}` },
      s("title", {}, this.titleOf(block)),
      s("rect", { class: "block-under", x: 4, y: 4, width: w, height: h, rx: 5 }),
      s("rect", { class: "node-box", width: w, height: h, rx: 5 }),
      s("rect", { class: "block-heat", width: Math.max(0, (w * (block.share ?? 0)) / 100), height: h, rx: 5 }),
      s("text", { class: "node-name", x: 10, y: 19, "font-weight": "600" }, fitted(head, w - 30 - (cost ? 70 : 0), 12, "600")),
      s("text", { class: "node-cost", x: w - 10, y: 19, "text-anchor": "end" }, cost),
      s("text", { class: "node-kind", x: 10, y: 36, "font-size": "11" }, fitted(this.about(block), w - 80, 11)),
      s("text", { class: "node-kind", x: w - 10, y: 36, "font-size": "11", "text-anchor": "end" }, block.share != null ? formatPercent(block.share) : ""),
      bars,
      this.found(block, w),
    );
  }

  /** What is marked inside of a closed block, as classes. */
  lit(block) {
    const holds = (layers) => this.anyIn(block, layers);
    const lit = this.marks.layers.size && holds(this.marks.layers) ? " is-lit" : "";
    const selected = this.marks.selected != null && holds(new Set([this.marks.selected])) ? " is-selected" : "";
    return lit + selected + (this.marks.matches && holds(this.marks.matches) ? " is-match" : "");
  }

  anyIn(block, layers) {
    for (let at = 0; at < block.ranges.length; at += 2) for (let layer = block.ranges[at]; layer <= block.ranges[at + 1]; layer += 1) if (layers.has(layer)) return true;
    return false;
  }

  /** How many layers of a closed block fit the filter. */
  found(block, w) {
    if (!this.marks.matches) return null;
    const count = spans(block.ranges).filter((layer) => this.marks.matches.has(layer)).length;
    return count ? s("text", { class: "match-count", x: w - 10, y: -4, "font-size": "11", "text-anchor": "end" }, `${formatCount(count)} found`) : null;
  }

  few({ blocks, x, y, w, h }, index) {
    const share = blocks.reduce((sum, block) => sum + (block.share ?? 0), 0);
    const text = `${formatCount(blocks.length)} ${blocks.length === 1 ? "block" : "blocks"} that cost little, ${formatPercent(share)} together`;
    return s(
      "g",
      { class: "plan-few", "data-item": index, transform: `translate(${x} ${y})`, tabindex: "-1", role: "img", "aria-label": text },
      s("rect", { class: "port-box", width: w, height: h, rx: 5 }),
      s("text", { class: "node-kind", x: w / 2, y: 17, "font-size": "11", "text-anchor": "middle" }, text),
    );
  }

  /** A block's second line: how many layers it has, what repeats in it, and what is odd about it. */
  about(block) {
    const count = `${formatCount(block.count)} ${block.count === 1 ? "layer" : "layers"}`;
    if (block.differs?.length) return `${count} · ${block.differs[0]}`;
    const members = this.tree.membersIn(block);
    if (!members.length) return block.series ? `${count} · one of ${block.series.label}` : count;
    const odd = members.filter((member) => member.differs?.length).map((member) => member.label);
    const each = block.series?.ms ?? members[0].series.ms;
    const parts = [`${members.length} × ${members[0].series.label}`, each != null ? `${formatNumber(each)} ms each` : "", odd.length > 1 ? `${odd.length} differ` : odd.length ? `${odd[0]} differs` : ""];
    return parts.filter(Boolean).join(" · ");
  }

  precisionBars(block, width) {
    const mix = Object.entries(block.precisions ?? {});
    const total = mix.reduce((sum, [, part]) => sum + part, 0);
    let x = 10;
    return mix.map(([precision, part]) => {
      const w = total ? (width * part) / total : 0;
      const bar = s("rect", { x, y: 46, width: w, height: 5, fill: this.data.precisionColours[precision] ?? "currentColor" });
      x += w;
      return bar;
    });
  }

  costOf(block) {
    const parts = [`${formatCount(block.count)} layers`];
    if (block.ms != null) parts.push(`${formatNumber(block.ms)} ms`, formatPercent(block.share));
    return parts.join(" · ");
  }

  titleOf(block) {
    const mix = Object.entries(block.precisions ?? {}).map(([name, part]) => `${name || "precision not stated"} ${block.ms != null ? `${formatNumber(part)} ms` : part}`);
    const series = block.series ? [`one of ${block.series.label}, ${formatNumber(block.series.ms)} ms each`] : [];
    const lines = [block.path ?? block.label, this.costOf(block), mix.join(", "), ...series, ...(block.differs ?? []).map((each) => `differs: ${each}`)];
    return visible(lines.filter(Boolean).join("\n"));
  }

  line({ tensors, points, ends, source, target }) {
    const tensor = this.data.tensors[tensors[0]];
    const shade = this.data.precisionColours[tensor.type] ?? "currentColor";
    const path = ends ? [...points.slice(0, -1), [points.at(-1)[0], points.at(-1)[1] - 4]] : points;
    const many = tensors.length > 1;
    const [x, y] = points.at(-1);
    return s(
      "g",
      { class: `edge${tensors.some((each) => this.marks.tensors.has(each)) ? " is-lit" : ""}`, "data-tensor": tensors[0], "data-tensors": many ? tensors.join(" ") : null, "data-source": source, "data-target": target, stroke: shade },
      s("title", {}, visible(tensors.slice(0, 8).map((each) => this.tensorTitle(each)).join("\n\n") + (tensors.length > 8 ? `\n\nand ${tensors.length - 8} more` : ""))),
      s("path", { class: "edge-hit", d: routed(path) }),
      s("path", { d: routed(path) }),
      ends ? s("path", { d: arrowHead(points), fill: shade, stroke: "none" }) : null,
      many && this.near ? s("text", { class: "edge-text", stroke: "none", x: x + 6, y: y - 8, "font-size": "11" }, String(tensors.length)) : null,
    );
  }

  tensorTitle(index) {
    const tensor = this.data.tensors[index];
    const name = tensor.version > 1 ? `${tensor.name} (value ${tensor.version})` : tensor.name;
    return `${shorten(name, 300)}\n${formatShape(tensor.dims)} · ${tensor.format ?? ""}\n${formatBytes(tensor.bytes)}`;
  }

  part({ part, x, y }) {
    const { shape } = part;
    const group = s("g", { class: "plan-part", transform: `translate(${x} ${y})` });
    const drawn = part.layers.length;
    (shape.edges ?? []).forEach(([from, to, ...flat], index) => {
      const tensor = from < 0 ? part.in[-1 - from] : to < 0 ? part.out[-1 - to] : part.tensors[index];
      group.append(this.edge(to, pointsOf(flat), tensor));
    });
    part.layers.forEach((layer, index) => group.append(this.layer(this.data.layers[layer], shape.at[2 * index], shape.at[2 * index + 1])));
    let at = 0;
    for (const [index, rows] of (part.small ?? shape.small ?? []).entries()) {
      const [left, top] = shape.at.slice(2 * (drawn + index), 2 * (drawn + index) + 2);
      for (const [row, kind] of [...rows].entries()) group.append(this.row(kind, part.rows[at++], left, top + this.sizes.pad / 2 + row * this.sizes.row[1]));
    }
    return group;
  }

  edge(to, points, tensor) {
    const facts = this.data.tensors[tensor];
    const shade = this.data.precisionColours[facts?.type] ?? "currentColor";
    return s(
      "g",
      { class: `edge${this.marks.tensors.has(tensor) ? " is-lit" : ""}`, "data-tensor": tensor, stroke: shade, fill: "none", "stroke-width": "1.5" },
      facts ? s("title", {}, visible(this.tensorTitle(tensor))) : null,
      s("path", { class: "edge-hit", d: routed(points) }),
      s("path", { d: routed(points) }),
      to >= 0 ? s("path", { d: arrowHead(points), fill: shade, stroke: "none" }) : null,
    );
  }

  layer(layer, x, y) {
    const [w, h] = this.sizes.layer;
    const cost = layer.ms != null ? `${formatNumber(layer.ms)} ms · ${formatPercent(layer.share)}` : "";
    const node = s(
      "a",
      { class: `node${this.classesOf(layer.index)}`, href: `#L${layer.index}`, "data-layer": layer.index, transform: `translate(${x} ${y})`, tabindex: "-1" },
      s("title", {}, visible([shorten(layer.name, 600), [layer.type, layer.precision].filter(Boolean).join(" · "), cost].filter(Boolean).join("\n"))),
      s("rect", { class: "node-box", width: w, height: h, rx: 4 }),
      s("rect", { class: "node-mark", width: 6, height: h, rx: 2, fill: this.paint.mark(layer) }),
      s("text", { class: "node-name", x: 14, y: 18 }, fitted(this.paint.text(layer), w - 22)),
      s("text", { class: "node-kind", x: 14, y: 34, "font-size": "11" }, fitted(layer.type || "layer", cost ? w - 120 : w - 22, 11)),
      s("text", { class: "node-cost", x: w - 8, y: 34, "font-size": "11", "text-anchor": "end" }, cost),
    );
    this.paint.flag(node, layer, w);
    return node;
  }

  classesOf(layer) {
    const { selected, layers, matches } = this.marks;
    return (selected === layer ? " is-selected" : "") + (layers.has(layer) ? " is-lit" : "") + (matches?.has(layer) ? " is-match" : "");
  }

  row(kind, tensor, x, y) {
    const [w, h] = this.sizes.row;
    const facts = this.data.tensors[tensor];
    return s(
      "g",
      { class: `port port-${{ I: "input", O: "output", S: "stub" }[kind]}${this.marks.tensors.has(tensor) ? " is-lit" : ""}`, "data-tensor": tensor, transform: `translate(${x} ${y})` },
      s("title", {}, visible(this.tensorTitle(tensor))),
      s("rect", { class: "port-box", y: 1, width: w, height: h - 2, rx: 9, "stroke-dasharray": kind === "S" ? "4 2" : null }),
      s("text", { class: "port-name", x: w / 2, y: 14, "font-size": "11", "text-anchor": "middle" }, fitted(facts.name, w - 16, 11)),
    );
  }
}
