// Written by build/release/bin/schemas: the form of a page's values.

export interface Input {
  /** file, or "zoo:NAME" */
  name: string;
  /** hash of its bytes */
  xxh3_128: string;
}

export interface Limit {
  /** "compute units", "vector unit", or a memory */
  what: string;
  /** whose latency it bounds */
  shapes: number;
  /** of all cycles, those of these layers */
  cycles_share: number;
}

export interface Overview {
  /** with costs */
  shapes: number;
  /** of these: mapped, not run on a vector unit, which leaves no choice */
  chosen: number;
  /** of those: no mapping of their spaces is better */
  proven: number;
  /** "": nothing was searched */
  proof: string;
  /** the most cycles first */
  limits: Limit[];
  /** sentences */
  findings: string[];
}

export interface ComputeUnits {
  name: string;
  /** 0: not known */
  mesh_x: number;
  mesh_y: number;
  word_bits: number;
}

export interface Memory {
  name: string;
  instances: number;
  read_words_per_cycle: number | null;
  write_words_per_cycle: number | null;
  shared_words_per_cycle: number | null;
  capacity_words: number | null;
  /** a fan-out without storage */
  spreads_only: boolean;
  /** 0: not known */
  mesh_x: number;
  mesh_y: number;
  word_bits: number;
}

export interface Extent {
  name: string;
  extent: number;
}

export interface Tensor {
  name: string;
  /** of the whole tensor */
  words: number;
  /** a result; otherwise an operand */
  written: boolean;
  /** of a word; absent: those of each memory's words */
  bits?: number;
}

export interface TensorCosts {
  tensor: string;
  tile_words: number;
  read_words: number;
  fill_words: number;
  update_words: number;
  energy_pj: number;
  link_words: number;
  link_energy_pj: number;
}

export interface MemoryCosts {
  memory: string;
  used_words: number;
  leakage_pj: number;
  tensors: TensorCosts[];
}

export interface Costs {
  computes: number;
  cycles: number;
  energy_pj: number;
  compute_energy_pj: number;
  utilization: number;
  bound: string;
  /** "": what computes, or not known */
  bound_memory: string;
  /** "compute units", or "vector unit" */
  computed_by: string;
  memories: MemoryCosts[];
  cycle_parts: [string, number][];
}

export interface StoreLine {
  /** memory that holds tiles from here inwards */
  store: string;
  tensors: string[];
}

export interface LoopLine {
  /** dimension */
  loop: string;
  extent: number;
  /** trip count when all enclosing loops of the dimension are at their last iteration */
  remainder: number;
  kind: "temporal" | "spatial_x" | "spatial_y";
}

/** of a padded layer: extents before and after, and the share of the operations that compute nothing; einsum, mapping and evaluation include it */
export interface Padding {
  dimensions: Record<string, { from: number; to: number; }>;
  share: number;
}

export interface FrontPoint {
  energy_pj: number;
  cycles: number;
  mapping: (StoreLine | LoopLine)[];
  padding?: Padding;
}

export interface Search {
  /** mappings costed */
  evaluations: number;
  /** of those, the legal ones */
  valid: number;
  /** mappings proposed, legal or not */
  sampled: number;
  /** mappings there are, where the search counted them */
  space?: number;
  stopped_by: string;
  /** no mapping of the space has a smaller value of the objective (pJ, cycles, and their products) */
  lower_bound?: number;
  /** no mapping of the space is better */
  proven: boolean;
  /** what is proven, and of which mappings; or how far the best is from the bound */
  claim?: string;
}

export interface Layer {
  name: string;
  operator: string;
  repeats: number;
  einsum: string;
  same_shape: string[];
  dimensions: Extent[];
  tensors: Tensor[];
  failures: string[];
  costs: Costs | null;
  mapping: (StoreLine | LoopLine)[];
  front: FrontPoint[];
  /** which of the front's mappings they are, from 1 */
  front_numbers: number[];
  /** how many there are; those that lie close to others are left out */
  front_of: number;
  search: Search | null;
}

export interface UnmappedOperator {
  name: string;
  operator: string;
  reason: string;
}

export interface Run {
  title: string;
  file: string;
  network: string;
  architecture: string;
  technology: string;
  tool_version: string;
  command: string;
  accounting: string;
  interrupted: boolean;
  inputs: Input[];
  options: Record<string, string>;
  notes: string[];
  /** notes that no latency is right without */
  slow_accesses: string[];
  overview: Overview;
  units: number;
  compute: ComputeUnits;
  cycle_seconds: number | null;
  area_um2: number | null;
  memories: Memory[];
  layers: Layer[];
  unmapped_operators: UnmappedOperator[];
}

export interface Card {
  name: string;
  value: string;
  about: string;
}

/** A table of texts. */
export interface TextTable {
  title: string;
  columns: string[];
  /** a letter for each column: l or r */
  alignment: string;
  rows: string[][];
}

/** What a document says before its pictures. */
export interface Headline {
  title: string;
  cards: Card[];
  tables: TextTable[];
  notes: string[];
}

export interface Axis {
  label: string;
  unit: string;
  log: boolean;
  /** what stands at 1, 2, ... in place of the numbers */
  names: string[];
}

export interface Bars {
  type: "bars";
  title: string;
  bars: string[];
  axis: Axis;
  parts: { name: string; colour: string; values: number[]; }[];
}

/** An axis that fits its values. */
export interface Ruler {
  label: string;
  unit: string;
  log: boolean;
  /** what stands at 1, 2, ... in place of the numbers */
  names: string[];
  low: number;
  high: number;
  ticks: number[];
  /** significant ones that tell neighbouring ticks apart */
  digits: number;
}

export interface Plane {
  type: "plane";
  title: string;
  x: Ruler;
  y: Ruler;
  series: { name: string; line: boolean; labelled: boolean; colour: string; marks: [number, number, string][]; }[];
  /** texts at their places: the values of upright axes */
  scales: [number, number, string][];
}

export interface Heat {
  type: "heat";
  title: string;
  rows: string[];
  columns: string[];
  value: Axis;
  cells: number[][];
}

/** Rectangles: rows of spans (a Gantt chart), or ranges of an axis over time. */
export interface Blocks {
  type: "blocks";
  title: string;
  x: Axis;
  rows: string[];
  y: Axis;
  kinds: string[];
  /** of the kinds */
  colours: string[];
  /** begin, end, low, high, kind, label */
  blocks: [number, number, number, number, number, string][];
}

export interface Figure {
  kind: string;
  caption: string;
  of: string;
  chart: Bars | Plane | Heat | Blocks;
}

/** Counts are those of one run of a layer; energies are pJ. */
export interface Page {
  runs: Run[];
  /** of documents that are no runs */
  headlines: Headline[];
  /** of memories and tensors, in every view */
  colours: Record<string, string>;
  figures: Figure[];
}
