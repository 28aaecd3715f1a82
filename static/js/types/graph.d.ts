// The types of the graph of a large engine, for tsc. Python writes its data: renderer/graph/viewer_data.py
// (docs/graph-data.md).

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
  shapes: Record<string, [across: number, down: number][]>;
}

/** Where everything is in a drawing of a graph; see renderer/graph/drawing.py. */
interface Arrangement {
  w: number;
  h: number;
  at: Point;
  boxes: number[];
  lines: string[];
  texts: [x: number, y: number, text: string][];
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
