// The layers around a layer, along the tensors, and those that belong to what is selected.

import { state } from "../state/state.js";

/**
 * Return the layers and tensors within a number of steps of a layer, the layer included.
 * @param {ReportData} data
 * @param {number} layer
 * @param {number} steps
 * @returns {{ layers: Set<number>, tensors: Set<number> }}
 */
export function neighborsOf(data, layer, steps) {
  const found = { layers: new Set([layer]), tensors: new Set() };
  for (const [uses, ends] of /** @type {["inputs" | "outputs", "from" | "to"][]} */ ([["inputs", "from"], ["outputs", "to"]])) {
    const seen = new Set([layer]);
    let edge = [layer];
    for (let step = 0; step < steps && edge.length; step += 1) {
      const next = [];
      for (const at of edge) {
        for (const [tensor] of data.layers[at][uses]) {
          found.tensors.add(tensor);
          for (const other of data.tensors[tensor][ends]) {
            if (seen.has(other)) continue;
            seen.add(other);
            next.push(other);
          }
        }
      }
      edge = next;
    }
    for (const each of seen) found.layers.add(each);
  }
  return found;
}

/**
 * What the graph of an engine marks of the selection: the layer, tensor or node of the ONNX model that is selected,
 * and what it belongs to; `goal` is the layer to show.
 * @param {ReportData} data
 * @param {number} steps
 * @returns {Lit}
 */
export function litBySelection(data, steps) {
  const layer = state.layer?.index;
  if (layer != null) return { selected: layer, ...neighborsOf(data, layer, steps), goal: layer };
  const tensor = state.tensor;
  const ends = tensor == null ? null : data.tensors[tensor];
  const layers = ends ? [...ends.from, ...ends.to] : state.node == null ? [] : data.model?.nodes[state.node].layers ?? [];
  return { selected: null, layers: new Set(layers), tensors: new Set(tensor == null ? [] : [tensor]), goal: layers[0] ?? null };
}

/**
 * The nearest layer along the tensors that `fits`, past those that do not.
 * @param {ReportData} data
 * @param {number} index
 * @param {"inputs" | "outputs"} uses
 * @param {"from" | "to"} ends
 * @param {(layer: number) => boolean} fits
 * @returns {number | undefined}
 */
export function nearestLayer(data, index, uses, ends, fits) {
  const seen = new Set([index]);
  for (const at of seen) {
    if (at !== index && fits(at)) return at;
    for (const [tensor] of data.layers[at][uses]) for (const next of data.tensors[tensor][ends]) seen.add(next);
  }
  return undefined;
}
