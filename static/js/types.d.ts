// The types of the pages' data, for tsc. Python writes the data: renderer/page_data.py, renderer/findings_page.py,
// renderer/comparison/page_data.py, renderer/graph/viewer_data.py (docs/graph-data.md) and site/pages.py.

// Values in data

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

// An icicle

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

// A comparison

interface ComparedEngine {
  name: string;
  sum: number;
  layers: Layer[];
  /** By kind of step: the names of the steps, and the position of each layer's. */
  steps?: Record<string, [names: string[], of: number[]]>;
}

interface RowSide {
  members: number[];
  helpers: number[];
  keys: string[];
  changes: string[];
  status?: string;
  ms?: number;
  diff?: number | null;
  ratio?: number | null;
  causes?: Record<string, number>;
}

interface ComparedRow {
  index: number;
  label: string;
  module: string;
  block: string;
  moreLayers?: number;
  cut?: boolean;
  sides: RowSide[];
  /** Of the baseline, and of the selected candidate. */
  base: RowSide;
  side: RowSide;
  searchText?: string;
}

interface ComparisonData extends ReportData {
  baseline: number;
  /** The baseline that the comparison was made with. */
  statedBaseline: number;
  /** The engine whose graph the page shows. */
  focus: number;
  candidate: number;
  engines: ComparedEngine[];
  rows: ComparedRow[];
  /** The row of each layer of the focus, -1 for none. */
  rowOf: Int32Array;
  changeColors: Record<string, Color>;
  structure: string[];
  rowColumns: RowColumn[];
  /** The step of the breakdown whose rows are shown, null for none. */
  step?: Step | null;
}

interface Step {
  by: string;
  name: string;
  /** Whether a layer is of a step of exactly this name. */
  isExact?: boolean;
}

/** A column of aligned rows, as Python declares it. */
interface RowColumn {
  key: string;
  heading: string;
  unit: string;
  kind: string;
  width: number;
  isNumber: boolean;
  on: boolean;
  ofEachEngine: boolean;
  withStep: boolean;
}

// A site

/** Layers and time of a type or precision. */
type LayerGroup = [name: string, layers: number, ms: number | null];

interface SiteEngine {
  index: number;
  address: string;
  place: string;
  name: string;
  hint?: string;
  model?: string;
  gpu?: string;
  tensorrt?: string;
  precision?: string;
  shapes?: string;
  date?: string;
  codes?: string;
  mark?: string;
  synthetic?: boolean;
  latency?: number;
  p99?: number;
  compute?: number;
  throughput?: number;
  sum?: number;
  size?: number;
  weights?: number;
  peak?: number;
  layers?: number;
  reformats?: number;
  reformat?: number;
  errors?: number;
  warnings?: number;
  infos?: number;
  batch?: number;
  change?: number;
  notes?: number;
  contradictions?: number;
  searchText?: string;
  /** Which of the site's trends it is in. */
  trend?: string;
  types?: LayerGroup[];
  precisions?: LayerGroup[];
  conditions?: Record<string, string>;
}

interface SiteData {
  /** The latest runs of each history, with their times in milliseconds. */
  trends?: Record<string, [address: string, ms: number][]>;
  rows: SiteEngine[];
  /** Pairs of rows that have a comparison of their own, the earlier one first. */
  compared: [before: number, after: number][];
}

// State

interface State {
  layer: Layer | null;
  tensor: number | null;
  row: number | string | null;
  node: number | null;
  filter: string;
  view: string;
  graph: string;
  model: string;
  module: string;
  source: string;
  nodes: string;
  gpu: string;
  baseline: string;
  candidate: string;
  sort: string;
  ticked: string;
}

type StateChange = Partial<State>;

/** Which parts of the state changed. */
type Changed = Partial<Record<"selection" | "filter" | "view" | "graph" | "model" | "module" | "source" | "nodes" | "gpu" | "baseline" | "candidate" | "sort" | "ticked" | "followed", boolean>>;

/** What links refer to. */
interface LinkTargets {
  layers: Layer[];
  tensors: Tensor[];
  byKey: Map<string, Layer>;
  rows?: unknown[];
  model?: Model;
  /** Return the name of a row as it is or by its position. */
  rowNamed?: (text: string) => string | undefined;
}

// Tables and queries

interface Column<Item> {
  key: string;
  label: string;
  /** Pixels at the usual text size. */
  width: number;
  number?: boolean;
  bar?: boolean;
  on?: boolean;
  /** It stays in view when the table is scrolled sideways. */
  frozen?: boolean;
  /** It comes last on a phone. */
  minor?: boolean;
  /** Its width on a phone and beside an open panel, if that is another one. */
  narrowWidth?: number;
  /** Its width on a phone alone, where it has no bar. */
  phoneWidth?: number;
  /** Its heading on a phone. */
  shortLabel?: string;
  value: (item: Item) => any;
  show?: (value: any) => string;
}

/** A column with its width, and its left edge if it stays in view. */
interface PlacedColumn<Item> {
  column: Column<Item>;
  label: string;
  width: number;
  left: number | null;
}

/** What a page says of a finding, for an issue. */
interface IssueParts {
  headline: string;
  savings: string;
  facts: string[];
  texts: string[][];
  address: string;
}

/** A property that chips above a table filter by. */
interface Facet<Item> {
  term: string;
  label: string;
  values: (item: Item) => Iterable<string>;
  /** What a value is called. */
  name?: (value: string) => string;
  /** The number of values from which on there are chips; 2 if not given. */
  fewest?: number;
}

/** What the query language knows of an item. */
interface Terms<Item> {
  /** The percentage that "time>1%" means. */
  share: (item: Item) => number | null | undefined;
  /** All texts of an item, in lower case. */
  plain: (data: any, item: Item) => string;
  /** What a regular expression is matched with. */
  title: (item: Item) => string;
  /** The names of texts that are compared as a whole. */
  exact: Set<string>;
  texts: Record<string, (item: Item, data: any) => string[]>;
  figures: Record<string, (item: Item) => number | null | undefined>;
}

// The graph of a large engine

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

type Point = [x: number, y: number];

/** A block as Python writes it. */
interface PackedBlock {
  kind: string;
  label: string;
  path?: string;
  parent: number;
  /** Pairs of first and last layer. */
  ranges: number[];
  count: number;
  ms?: number;
  /** What the nodes of a block of the ONNX model cost, as a text. */
  cost?: string;
  most?: string;
  share?: number;
  precisions?: Record<string, number>;
  differs?: string[];
}

interface Series {
  label: string;
  members: number[];
  ms?: number;
}

interface Block extends PackedBlock {
  id: number;
  children: Block[];
  parts: Part[];
  depth: number;
  series?: Series;
}

interface Shape {
  w: number;
  h: number;
  /** Corners of the layers and ports: x, y, x, y, … */
  at: number[];
  top: number[];
  bottom: number[];
  /** From, to, and the points of a line: x, y, x, y, … */
  edges?: number[][];
  small?: string[];
  relative?: string[];
}

interface PackedPart {
  block: number;
  shape: number;
  layers?: number[];
  rows: number[];
  tensors: number[];
  in?: number[];
  out?: number[];
  small?: string[];
}

interface Part extends Omit<PackedPart, "block" | "shape"> {
  index: number;
  block: Block;
  shape: Shape;
  layers: number[];
  in: number[];
  out: number[];
}

interface PackedBlocks {
  sizes: { layer: [number, number]; row: [number, number]; pad: number };
  blocks: PackedBlock[];
  series?: Series[];
  hidden?: number[];
  shapes: Shape[];
  parts?: PackedPart[];
  flows?: [tensor: number, from: number, ...to: number[]][];
  syncs?: [before: number, after: number][];
}

/** Lines that run sideways between two items. */
interface Gap {
  uses: TrackUse[];
  tracks: number;
  y: number;
  step: number;
}

interface TrackUse {
  gap: Gap;
  from: number;
  to: number;
  track: number;
}

/** A closed block, blocks of little time taken together, or a part of an open block. */
interface LayoutItem extends Box {
  kind: "block" | "few" | "part";
  block: Block;
  /** The closed blocks; empty for a part. */
  blocks: Block[];
  part?: Part;
  index: number;
  above: number;
  below: number;
  depth: number;
  column: number;
  gap: Gap;
  axis: number;
}

type PartItem = LayoutItem & { part: Part };

/** What a tree of blocks gives for a layout. */
type TreeItem = Pick<LayoutItem, "kind" | "block" | "blocks" | "part">;

/** An open block: its first and last item. */
interface Frame {
  block: Block;
  first: number;
  last: number;
}

interface FrameBox extends Box {
  block: Block;
  first: boolean;
}

type Way = "next" | "left" | "right" | "across" | "ends";

/** Where a line meets an item; port -1 is the block as a whole. */
interface LineEnd {
  item: number;
  port: number;
}

interface BusTarget extends LineEnd {
  tensors: number[];
  way: Way;
  use?: TrackUse;
}

/** The lines from one end to all that read what leaves there. */
interface Bus extends LineEnd {
  targets: BusTarget[];
  leftUse?: TrackUse;
  rightUse?: TrackUse;
  acrossUse?: TrackUse;
  leftX?: number;
  rightX?: number;
  channels?: Map<number, number>;
  roof?: number;
}

interface LayoutColumn {
  first: number;
  last: number;
  tail: Gap;
  height: number;
  left: number;
  right: number;
  axis: number;
  channel: number;
}

interface LayoutLine extends Box {
  tensors: number[];
  source: number;
  target: number;
  points: Point[];
  ends?: boolean;
  /** Of a stub, which leads to other items. */
  end?: "leaving" | "arriving";
  leadsTo?: number[];
}

/** What is marked in the graph. */
interface Marks {
  selected: number | null;
  layers: Set<number>;
  tensors: Set<number>;
  matches: Set<number> | null;
}

/** What is marked because of the selection, and the layer to show. */
interface Lit {
  selected: number | null;
  layers: Set<number>;
  tensors: Set<number>;
  goal: number | null;
}

/** How a graph selects: its selected layer, and how to select one that was found. */
interface Picker {
  picked(): number | null | undefined;
  pick(layer: number): void;
}

/** The roofline of other GPUs; see renderer/what_if.py. */
interface WhatIf {
  gpus: PackedRecords;
  here: PackedRecords;
  kinds: (string[] | null)[];
  points: [layers: number[], intensities: number[], kinds: number[]];
}

/** A second graph that follows the first one: what the ids of its elements begin with, and what it marks. */
interface SecondGraph {
  prefix: string;
  lit: () => Lit;
}

interface ViewerOptions {
  lit?: () => Lit;
  prefix?: string;
  key?: "graph" | "model";
  paint?: any;
  picker?: Picker;
}

// Parts of a page

/** What an element may hold; null and undefined are left out. */
type Child = Node | string | null | undefined;

/** An element found by its id: what the ids of the pages' fields, buttons and dialogs are used for. */
interface PageElement extends HTMLElement {
  value: string;
  checked: boolean;
  disabled: boolean;
  open: boolean;
  options: HTMLOptionsCollection;
  select(): void;
  showModal(): void;
  close(): void;
}

interface Charts {
  show(): void;
  repaint(): void;
}

interface SearchEntry {
  /** The kind of what is found, such as "Layer". */
  what: string;
  text: string;
  lowered: string;
  /** Where it leads, and what to show there. */
  go: string;
  row?: Element;
}

interface SearchBox {
  open(): void;
}

interface PageTable {
  rows: unknown[];
  columns: Column<any>[];
  step(by: number): void;
}

/** A table whose filter the graph shows. */
interface FilterTable extends PageTable {
  problem: string;
  scroller: HTMLElement;
  filter(text: string): void;
  /** Choose an order when a link leads to some rows. */
  sortForLink?(): void;
  reveal(): void;
  layers(): number[];
}

interface GraphView {
  controls?: { colorBy(by: string): void };
  filter(text: string, table: FilterTable): void;
  show(): void;
  restore?(text: string): void;
  /** Follow the state: which graph is shown, and what is open in that of the model. */
  arrange?(state: State): void;
}

interface Window {
  Plotly: any;
}
