// The types of a comparison's data, for tsc. Python writes it: renderer/comparison/page_data.py.

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
