// What the table of engines knows: its columns, and the terms of its query language.

/** The date as a number such as 20240501, so that it can be compared. */
function dayOf(engine) {
  const day = (engine.date ?? "").slice(0, 10).replaceAll("-", "");
  return day ? Number(day) : null;
}

/** What a run is against those before it: 5 for 5 % slower. */
function signedPercent(value) {
  if (value == null) return DASH;
  const text = formatPercent(Math.abs(value));
  return !value || text.startsWith("<") ? text : `${value > 0 ? "+" : "\u2212"}${text}`;
}

const ENGINE_COLUMNS = [
  { key: "tick", label: "Tick", width: 48, value: () => "", on: true },
  { key: "index", label: "#", width: 64, number: true, value: (engine) => engine.index, show: formatCount },
  { key: "name", label: "Engine", width: 192, value: (engine) => engine.name, on: true },
  { key: "model", label: "Model", width: 128, value: (engine) => engine.model, on: true },
  { key: "gpu", label: "GPU", width: 176, value: (engine) => engine.gpu, on: true },
  { key: "precision", label: "Precision", width: 88, value: (engine) => engine.precision, on: true },
  { key: "latency", label: "Latency, ms", width: 96, number: true, value: (engine) => engine.latency, show: formatNumber, on: true },
  { key: "p99", label: "99%, ms", width: 80, number: true, value: (engine) => engine.p99, show: formatNumber, on: true },
  { key: "change", label: "Change", width: 136, number: true, value: (engine) => engine.change, show: signedPercent, on: true },
  { key: "date", label: "Date", width: 104, value: (engine) => (engine.date ?? "").slice(0, 10), on: true },
  { key: "tensorrt", label: "TensorRT", width: 88, value: (engine) => engine.tensorrt, on: true },
  { key: "throughput", label: "Queries/s", width: 96, number: true, value: (engine) => engine.throughput, show: formatNumber },
  { key: "size", label: "Size", width: 96, number: true, value: (engine) => engine.size, show: formatBytes, on: true },
  { key: "errors", label: "Errors", width: 72, number: true, value: (engine) => engine.errors, show: formatCount, on: true },
  { key: "warnings", label: "Warnings", width: 88, number: true, value: (engine) => engine.warnings, show: formatCount, on: true },
  { key: "infos", label: "Infos", width: 72, number: true, value: (engine) => engine.infos, show: formatCount },
  { key: "compute", label: "GPU compute, ms", width: 128, number: true, value: (engine) => engine.compute, show: formatNumber },
  { key: "sum", label: "Sum of layers, ms", width: 128, number: true, value: (engine) => engine.sum, show: formatNumber },
  { key: "layers", label: "Layers", width: 80, number: true, value: (engine) => engine.layers, show: formatCount },
  { key: "reformats", label: "Reformats", width: 88, number: true, value: (engine) => engine.reformats, show: formatCount },
  { key: "weights", label: "Weights", width: 96, number: true, value: (engine) => engine.weights, show: formatBytes },
  { key: "batch", label: "Batch", width: 72, number: true, value: (engine) => engine.batch, show: formatCount },
  { key: "shapes", label: "Inputs", width: 240, value: (engine) => engine.shapes },
  { key: "notes", label: "Unusable parts", width: 112, number: true, value: (engine) => engine.notes, show: formatCount },
  { key: "codes", label: "Rules", width: 240, value: (engine) => engine.codes },
  { key: "place", label: "Found at", width: 320, value: (engine) => engine.place },
];

const ENGINE_TERMS = {
  share: (engine) => engine.change,
  plain: (data, engine) => (engine.haystack ??= [engine.name, engine.model, engine.gpu, engine.place].filter(Boolean).join("\n").toLowerCase()),
  title: (engine) => engine.name,
  exact: new Set(),
  texts: {
    name: (engine) => [engine.name],
    model: (engine) => [stated(engine.model)],
    gpu: (engine) => [stated(engine.gpu)],
    tensorrt: (engine) => [stated(engine.tensorrt)],
    precision: (engine) => [stated(engine.precision)],
    shapes: (engine) => [stated(engine.shapes)],
    place: (engine) => [engine.place],
    date: (engine) => [stated(engine.date)],
    mark: (engine) => [engine.mark ?? ""],
    finding: (engine) => [...(engine.codes ?? "").split(" "), ...SEVERITIES.filter((severity) => engine[`${severity}s`])],
  },
  figures: Object.fromEntries(
    ["latency", "p99", "compute", "throughput", "size", "weights", "layers", "reformats", "batch", "errors", "warnings", "infos", "change", "sum", "notes", "index"].map((name) => [name, (engine) => engine[name]]),
  ),
};
ENGINE_TERMS.figures.date = dayOf;

function stated(value) {
  return value || "not stated";
}
