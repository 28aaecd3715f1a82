// What a comparison's page knows: the engines, and rows of layers that do the same part of the model.

/** Fill in what the data leaves out to be small. */
function completedComparison(data) {
  completed(data);
  for (const engine of data.engines) {
    engine.layers = engine.layers ? fromColumns(engine.layers) : data.layers;
    for (const layer of engine.layers) for (const name of ["name", "type", "precision", "out", "tactic"]) layer[name] ??= "";
  }
  const sides = data.sides.map(fromColumns);
  for (const side of sides.flat()) for (const name of ["members", "helpers", "keys", "changes"]) side[name] ??= [];
  data.rows = fromColumns(data.rows);
  data.rowOf = new Int32Array(data.layers.length).fill(-1);
  data.rows.forEach((row, index) => {
    Object.assign(row, { index, label: row.label ?? "", module: row.module ?? "", sides: sides.map((side) => side[index]) });
    row.base = row.sides[data.baseline];
    for (const layer of layersOf(row.sides[data.focus])) data.rowOf[layer] = index;
  });
  holdAgainst(data, data.focus);
  watchChanges(data);
  return data;
}

/** Say which engine stands against the baseline in what a row says. */
function holdAgainst(data, candidate) {
  data.candidate = candidate;
  for (const row of data.rows) row.side = row.sides[candidate];
}

/** The positions of all layers of a side, those that compute first. */
function layersOf(side) {
  return [...side.members, ...side.helpers];
}

/** The selected row, null if there is none. */
function selectedRow(data) {
  if (state.layer) return data.rows[data.rowOf[state.layer.index]] ?? null;
  return state.row == null ? null : data.rows[state.row];
}

/** Select a row by its first layer in the graph, else by itself. */
function selectRow(data, row, kind) {
  const [layer] = layersOf(row.sides[data.focus]);
  setState(layer == null ? { row: row.index } : { layer: data.layers[layer] }, kind);
}

/** All texts of a row in which a plain word is looked for, in lower case. */
function rowHaystack(data, row) {
  if (row.haystack === undefined) {
    const texts = [row.label, row.module];
    row.sides.forEach((side, engine) => {
      for (const at of layersOf(side)) {
        const layer = data.engines[engine].layers[at];
        texts.push(layer.name, layer.type, layer.tactic, ...(layer.onnx ?? []));
      }
    });
    row.haystack = texts.join("\n").toLowerCase();
  }
  return row.haystack;
}

/** The different values of the computing layers of a side, in their order. */
function valuesOf(data, engine, side, value) {
  return [...new Set(side.members.map((at) => value(data.engines[engine].layers[at])).filter(Boolean))];
}

function precisionsOf(data, engine, side) {
  return valuesOf(data, engine, side, (layer) => (layer.out && layer.out !== layer.precision ? `${layer.precision} → ${layer.out}` : layer.precision));
}

/** Write a difference with its sign. */
function signed(value, write = formatNumber) {
  if (value == null) return DASH;
  return `${value > 0 ? "+" : value < 0 ? "\u2212" : ""}${write(Math.abs(value))}`;
}

/** What the colors and blocks of the graph say of the change. */
function watchChanges(data) {
  const rowOf = (layer) => data.rows[data.rowOf[layer.index]];
  const colorOf = (name) => data.changeColors[name] ?? data.unknownColor;
  const deltas = new Float64Array(data.layers.length);
  for (const row of data.rows) {
    const [first] = layersOf(row.sides[data.focus]);
    // The whole difference of a row stands at one of its layers, so that sums over blocks are right.
    if (first != null) deltas[first] = row.sides[data.focus].diff ?? 0;
  }
  data.meanings = {
    change: (layer) => {
      const mark = rowOf(layer)?.sides[data.focus].mark ?? "unknown";
      return [mark, colorOf(mark)];
    },
    structure: (layer) => {
      const changes = rowOf(layer)?.sides[data.focus].changes ?? [];
      const found = data.structure.find((each) => changes.includes(each));
      return found ? [found, colorOf(found)] : ["built alike", data.unknownColor];
    },
  };
  data.noteOf = (block) => {
    const sum = spans(block.ranges).reduce((total, layer) => total + deltas[layer], 0);
    const kind = Math.abs(sum) < 0.02 * (block.ms ?? 0) ? "" : sum < 0 ? "is-faster" : "is-slower";
    return { text: block.ms == null ? "" : `${signed(sum)} ms`, kind };
  };
}
