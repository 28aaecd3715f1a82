// What the colour of a layer in the graph shows, and which of its texts stands in its box.

const HEAT = ["#9aa7b5", "#8da6c6", "#c2a35c", "#d8893c", "#d4602c", "#bd3526"];
const LEVELS = [0.02, 0.05, 0.12, 0.3, 0.6];

class Paint {
  constructor(data) {
    this.data = data;
    this.by = "type";
    this.label = "name";
    this.most = data.layers.reduce((most, layer) => Math.max(most, layer.ms ?? 0), 0);
  }

  /** The colour of a layer's mark. */
  mark(layer) {
    if (this.by === "precision") return this.data.precisionColours[layer.precision] ?? HEAT[0];
    if (this.by === "time") return HEAT[this.heat(layer)];
    return this.data.typeColours[layer.type] ?? HEAT[0];
  }

  /** From 0 to 5: how near a layer's time comes to the slowest one's. */
  heat(layer) {
    const part = this.most ? (layer.ms ?? 0) / this.most : 0;
    return LEVELS.filter((level) => part >= level).length;
  }

  text(layer) {
    if (this.label === "tactic") return layer.tactic || "no tactic";
    if (this.label === "onnx") return layer.onnx[0] ?? layer.name;
    return layer.ops.length ? layer.ops.join(" ") : layer.name;
  }
}
