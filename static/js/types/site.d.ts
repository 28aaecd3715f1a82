// The types of a site's data, for tsc. Python writes it: site/pages.py.

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
