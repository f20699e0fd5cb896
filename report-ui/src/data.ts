// The values of a page, as src/report/page/data.cpp writes them. Counts are those of one run of a layer; energies are pJ.

export interface Memory {
  name: string;
  instances: number;
  read: number | null;
  write: number | null;
  shared: number | null;
  capacity: number | null;
}

export interface TensorCosts {
  tensor: string;
  tile: number;
  read: number;
  fill: number;
  update: number;
  energy: number;
  linkWords: number;
  linkEnergy: number;
}

export interface MemoryCosts {
  memory: string;
  used: number;
  leakage: number;
  tensors: TensorCosts[];
}

export interface Costs {
  computes: number;
  cycles: number;
  energy: number;
  computeEnergy: number;
  utilization: number;
  bound: string;
  memories: MemoryCosts[];
  cycleParts: [string, number][];
}

export type NestLine = ["store", string, string[]] | ["temporal" | "x" | "y", string, number, number];

export interface Search {
  evaluations: number;
  valid: number;
  stoppedBy: string;
  lowerBound: number | null;
  proven: boolean | null;
  claim: string;
  fromCache: boolean;
}

export interface Layer {
  name: string;
  operator: string;
  repeats: number;
  einsum: string;
  sameShape: string[];
  extents: [string, number][];
  tensors: [string, number, boolean][];
  failures: string[];
  costs: Costs | null;
  nest: NestLine[];
  /** Energy, cycles, nest, and which of the front's mappings it is, from 1. */
  front: [number, number, NestLine[], number][];
  /** How many the front has; those that lie close to others are left out. */
  frontOf: number;
  search: Search | null;
}

export interface Run {
  title: string;
  file: string;
  network: string;
  architecture: string;
  technology: string;
  version: string;
  command: string;
  accounting: string;
  interrupted: boolean;
  inputs: [string, string][];
  options: [string, string][];
  notes: string[];
  units: number;
  cycleSeconds: number | null;
  area: number | null;
  memories: Memory[];
  layers: Layer[];
  unmapped: [string, string, string][];
}

export interface Axis {
  label: string;
  unit: string;
  log: boolean;
  /** What stands at 1, 2, ... in place of the numbers. */
  names: string[];
}

export interface Bars {
  type: "bars";
  title: string;
  bars: string[];
  axis: Axis;
  parts: { name: string; values: number[] }[];
}

export interface Plane {
  type: "plane";
  title: string;
  x: Axis;
  y: Axis;
  series: { name: string; line: boolean; colour: number; marks: [number, number, string][] }[];
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
  /** Begin, end, low, high, kind, label. */
  blocks: [number, number, number, number, number, string][];
}

export interface Figure {
  kind: string;
  caption: string;
  of: string;
  chart: Bars | Plane | Heat | Blocks;
}

export interface Page {
  runs: Run[];
  figures: Figure[];
}

export function readPage(): Page {
  return JSON.parse(document.getElementById("data")!.textContent!) as Page;
}
