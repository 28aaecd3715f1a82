// The types of the state and of the parts of a page, for tsc.

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
