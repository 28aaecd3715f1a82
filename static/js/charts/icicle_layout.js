// Where the boxes of an icicle are. Widths are times; no time is divided.

/** Neighbors that are narrower than this many pixels are one box. */
const MIN_WIDTH = 2;

/** Groups with their layers, in the order of execution; what is of no part of the model comes last. */
export class IcicleTree {
  /**
   * @param {PackedIcicle} packed
   * @param {Layer[]} layers
   */
  constructor({ labels, parents, layers: groupOf, apart }, layers) {
    this.labels = labels;
    this.parents = parents;
    this.groupOf = groupOf;
    this.layers = layers;
    /** @type {{ item: IcicleItem, order: number }[][]} */
    const inside = labels.map(() => []);
    const [first, totals, counts] = [labels.map(() => layers.length), labels.map(() => 0), labels.map(() => 0)];
    for (const layer of layers) {
      if (!layer.avg_ms) continue;
      const group = groupOf[layer.index];
      inside[group].push({ item: { ms: layer.avg_ms, layer }, order: layer.index });
      totals[group] += layer.avg_ms;
      counts[group] += 1;
      first[group] = Math.min(first[group], layer.index);
    }
    const last = new Set(apart);
    for (let group = labels.length - 1; group > 0; group -= 1) {
      if (!totals[group]) continue;
      const parent = parents[group];
      totals[parent] += totals[group];
      counts[parent] += counts[group];
      first[parent] = Math.min(first[parent], first[group]);
      inside[parent].push({ item: { ms: totals[group], group }, order: first[group] + (parent === 0 && last.has(group) ? layers.length : 0) });
    }
    this.totals = totals;
    this.counts = counts;
    this.inside = inside.map((items) => items.sort((left, right) => left.order - right.order).map(({ item }) => item));
    /** @type {Map<string, number>} */
    this.byPath = new Map([["", 0]]);
    this.paths = this.numberedPaths();
  }

  /**
   * The groups around a group and itself, outermost first.
   * @param {number} group
   * @returns {number[]}
   */
  chain(group) {
    const found = [];
    for (let at = group; at >= 0; at = this.parents[at]) found.push(at);
    return found.reverse();
  }

  /**
   * What the address says of each group; empty for the root. Of groups with one path, the second ends in " (2)".
   * @returns {string[]}
   */
  numberedPaths() {
    const paths = [""];
    /** @type {Map<string, number>} */
    const uses = new Map();
    for (let group = 1; group < this.labels.length; group += 1) {
      const parent = this.parents[group];
      const plain = parent ? `${paths[parent]}/${this.labels[group]}` : this.labels[group];
      let path = plain;
      for (let number = uses.get(plain) ?? 2; this.byPath.has(path); number += 1) {
        path = `${plain} (${number})`;
        uses.set(plain, number + 1);
      }
      this.byPath.set(path, group);
      paths.push(path);
    }
    return paths;
  }

  /**
   * @param {number} group
   * @returns {string}
   */
  path(group) {
    return this.paths[group];
  }

  /**
   * All layers in a group that have a time.
   * @param {number} group
   * @returns {Layer[]}
   */
  layersIn(group) {
    return this.inside[group].flatMap((item) => (item.layer ? [item.layer] : this.layersIn(/** @type {number} */ (item.group))));
  }

  /**
   * The boxes of a group that is as wide as all the room, and of what is in it.
   * @param {number} root
   * @param {number} width
   * @param {number} rows
   * @returns {IcicleBox[]}
   */
  boxes(root, width, rows) {
    /** @type {IcicleBox[]} */
    const boxes = [];
    const place = (/** @type {IcicleItem} */ item, /** @type {number} */ row, /** @type {number} */ x, /** @type {number} */ room) => {
      boxes.push({ ...item, row, x, width: room });
      if (item.group == null || row + 1 >= rows) return;
      const scale = room / item.ms;
      for (const each of joined(this.inside[item.group], scale)) {
        place(each, row + 1, x, each.ms * scale);
        x += each.ms * scale;
      }
    };
    place({ ms: this.totals[root], group: root }, 0, 0, width);
    return boxes;
  }
}

/**
 * Items with neighbors that are too narrow joined into one.
 * @param {IcicleItem[]} items
 * @param {number} scale
 * @returns {IcicleItem[]}
 */
function joined(items, scale) {
  const found = [];
  /** @type {IcicleItem[]} */
  let narrow = [];
  const flush = () => {
    if (narrow.length === 1) found.push(narrow[0]);
    else if (narrow.length) found.push({ ms: narrow.reduce((total, { ms }) => total + ms, 0), merged: narrow });
    narrow = [];
  };
  for (const item of items) {
    if (item.ms * scale < MIN_WIDTH) narrow.push(item);
    else {
      flush();
      found.push(item);
    }
  }
  flush();
  return found;
}

/**
 * The box beside, above or below another one.
 * @param {IcicleBox[]} boxes
 * @param {IcicleBox} box One of them.
 * @param {string} key An arrow key, as events name it.
 * @returns {number} Its position among the boxes, -1 if there is none.
 */
export function neighborOf(boxes, box, key) {
  const middle = box.x + box.width / 2;
  if (key === "ArrowUp") return boxes.findIndex(({ row, x, width }) => row === box.row - 1 && middle >= x && middle <= x + width);
  if (key === "ArrowDown") return boxes.findIndex(({ row, x }) => row === box.row + 1 && x >= box.x - 0.01 && x < box.x + box.width);
  const beside = boxes.filter(({ row }) => row === box.row);
  const next = beside[beside.indexOf(box) + (key === "ArrowRight" ? 1 : -1)];
  return next ? boxes.indexOf(next) : -1;
}
