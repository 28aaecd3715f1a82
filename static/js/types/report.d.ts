// The types of a report's data, for tsc. Python writes it: renderer/page_data.py, renderer/findings_page.py and
// renderer/icicle.py.

/** A column as packing.py writes it: `[key, values]`, or `[key, distinct values, index of each record's value]`. */
type PackedColumn = [key: string, values: unknown[], which?: number[]];

interface PackedRecords {
  count: number;
  columns: PackedColumn[];
}

type Severity = "error" | "warning" | "info";

interface Finding {
  id: string;
  code: string;
  name: string;
  severity: Severity;
  title: string;
  /** Code of the finding that explains it; null for a finding. */
  cause: string | null;
  messages: string[];
  /** Layers, savings as text, index of the message. */
  places: [layers: number[], gain: string | null, message: number | null][];
}

/** A place of a finding, at one of its layers. */
interface FoundPlace {
  finding: Finding;
  gain: string | null;
  layers: number[];
  message: string;
}

/** A tensor that a layer reads or writes: its index, extents, format and bytes. */
type TensorUse = [tensor: number, dimensions: number[], format: string, bytes: number | null];

/** What the builder timed for a layer: formats with their outcome, tactics with times in ms, how many were timed. */
interface LayerTactics {
  chosen_ms?: number;
  second_ms?: number;
  margin_percent?: number;
  timed?: number;
  cached?: number;
  /** How long timing took, and its share of the build. */
  took?: string;
  /** How many combinations of formats are not listed. */
  more?: number;
  formats: [text: string, outcome: string, tactics: [name: string, time: number, chosen: boolean][], timed: number][];
}

interface Layer {
  index: number;
  key: string;
  name: string;
  type: string;
  subtype: string;
  precision: string;
  output_precision: string;
  tactic: string;
  origins: string[];
  /** Only with an ONNX model. */
  modules?: string[];
  sources?: string[];
  operations: string[];
  inputs: TensorUse[];
  outputs: TensorUse[];
  findings: FoundPlace[];
  searchText?: string;
  stream?: number;
  origin?: string;
  /** Only of a node of the ONNX model: where its box leads, what it costs, its outline, how it is drawn, further lines of its title. */
  href?: string;
  cost?: string;
  outline?: Color;
  kind?: string;
  remarks?: string[];
  /** Times in milliseconds. */
  avg_ms?: number;
  median_ms?: number;
  spread_ms?: number[];
  /** Percent of the time of all layers. */
  share_percent?: number;
  /** Sizes in bytes. */
  weights_bytes?: number;
  moved_bytes?: number;
  bandwidth_gbs?: number;
  work?: Work;
  macs?: number;
  tflops?: number;
  flops?: number;
  bound?: string;
  roof?: string;
  excess?: string;
  roof_ms?: number;
  peak?: [type: string, tflops: number];
  reached_percent?: number;
  headroom_ms?: number;
  error_percent?: number;
  error_increase_percent?: number;
  cached?: boolean;
}

/** A column of the table of layers or a term of its filter, as renderer/layer_columns.py declares it. */
interface LayerColumn {
  key: keyof Layer;
  heading: string;
  kind: "text" | "list" | "count" | "number" | "bytes";
  /** Pixels; a column without width is a term only. */
  width?: number;
  on?: boolean;
  bar?: boolean;
  /** Cells are shown divided by this. */
  divisor?: number;
  term?: string;
  /** The term compares figures. */
  figure?: boolean;
  /** The term compares whole texts. */
  exact?: boolean;
}

interface Work {
  m: number;
  n: number;
  k: number;
  batch: number;
  hidden_weights_bytes?: number;
  intensity?: number;
}

interface Tensor {
  name: string;
  version?: number;
  dims: number[];
  format?: string;
  type?: string;
  bytes?: number;
  role?: string;
  from: number[];
  to: number[];
  /** Only of the ONNX model: in place of shape and size, and of the color of the data type. */
  title?: string;
  shade?: Color;
  /** Q/DQ nodes are part of its arrow. */
  folded?: boolean;
}

/** A node of the ONNX model, as renderer/model_graph.py writes it. */
interface ModelNode {
  index: number;
  name: string;
  type: string;
  module: string;
  class?: string;
  source: string;
  stack?: number;
  function?: string;
  /** Nodes whose outputs it reads. */
  inputs: number[];
  outputs: string[];
  layers: number[];
  evidence?: string;
  /** Why it is in no layer. */
  reason?: string;
  vanished?: boolean;
  alone_ms?: number;
  shared_ms?: number;
  /** Data type, scale, and the axis of several scales or -1. */
  quantized?: [type: string, scale: number | null, axis: number];
  /** Of its layers. */
  precision: string;
  searchText?: string;
}

/** The ONNX model; `nodes` are unpacked when they are needed. */
interface Model {
  nodes: ModelNode[];
  nodesOf: Map<number, number[]>;
  framesOf(node: ModelNode): string[];
  graph(folded: boolean): { data: ReportData; plan: PackedBlocks };
  canFold: boolean;
  folded: Map<number, number>;
  readers: number[][];
}

/** What a report with an ONNX model has besides. */
interface ModelParts {
  data(packed: string, data: ReportData): Model;
  graph(data: ReportData, engine: GraphView): GraphView;
  table(data: ReportData & { model: Model }): (state: State, changed: Changed) => void;
  panel(data: ReportData): { show(): void };
}

/** What renderer/timeline/drawing.py writes; times in milliseconds. */
interface PackedTimeline {
  /** Layers that do not begin where the one before them on their stream ends. */
  starts: [layer: number, start: number][];
  /** Layers of two streams, of which the second waits for the first. */
  waits: [before: number, after: number][];
  total: number;
}

/** A traced query: its rows with boxes of begin, length, layer or -1, and places of name and color; -1 is the layer's. */
interface PackedKernelTimeline {
  total: number;
  names: string[];
  colors: Color[];
  rows: [label: string, boxes: [start: number, took: number, layer: number, name: number, color: number][]][];
}

/** Full name, milliseconds and launches of a query, grid, block, registers, stream. */
type PanelKernel = [name: string, ms: number, launches: string, grid: string, block: string, registers: number | null, stream: number | null];

type Color = string;

/** What a color of the graph means, and the color. */
type Meaning = [text: string, color: Color];

/** What the graph needs of a report or a comparison. */
interface ReportData {
  columns: LayerColumn[];
  layers: Layer[];
  tensors: Tensor[];
  findings: Finding[];
  /** The path of each block, the position of the one around it, and pairs of the layers of those without others. */
  blocks?: [path: string, parent: number, ranges: number[]][];
  /** The blocks of each layer, once a filter asked for them. */
  blocksOf?: Map<number, string[]>;
  typeColors: Record<string, Color>;
  precisionColors: Record<string, Color>;
  streamColors: Record<number, Color>;
  boundColors: Record<string, Color>;
  heat: [minShare: number, color: Color][];
  unknownColor: Color;
  /** Colors by error: meanings, the worst first, and the one of each layer. */
  levels?: Record<string, { meanings: Meaning[]; of: number[] }>;
  plotly: Record<string, any>;
  icicles: Record<string, PackedIcicle>;
  timeline?: PackedTimeline;
  kernelTimeline?: PackedKernelTimeline;
  /** Kernels of layers by their index. */
  kernels?: Record<string, PanelKernel[]>;
  /** Milliseconds of all layers. */
  totalMs: number;
  byKey: Map<string, Layer>;
  /** A line of JSON per layer, once they are loaded. */
  attributes?: string[];
  loading?: Promise<string[]>;
  meanings?: Record<string, (layer: Layer) => Meaning>;
  whatIf?: WhatIf;
  noteOf?: (block: Block) => { text: string; kind: string };
  rows?: ComparedRow[];
  /** The ONNX model, where it is known. */
  model?: Model;
  /** What the items of the graph are, if not layers. */
  noun?: string;
}

/** Groups of layers as renderer/icicle.py writes them: what each is called, the one around it, and that of each layer. */
interface PackedIcicle {
  labels: string[];
  parents: number[];
  layers: number[];
  /** Layers of no part of the model, which come last. */
  apart: number[];
}

/** What is in a group: a group, a layer, or neighbors that are too narrow. */
interface IcicleItem {
  ms: number;
  group?: number;
  layer?: Layer;
  merged?: IcicleItem[];
}

interface IcicleBox extends IcicleItem {
  row: number;
  x: number;
  width: number;
}
