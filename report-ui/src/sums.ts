// Sums over a run: all layers, each as often as it runs.
import type { Layer, Run } from "./data";

export interface Sums {
  run: Run;
  layers: number;
  missing: number;
  computes: number;
  cycles: number;
  energy: number;
}

export function sumsOf(run: Run): Sums {
  const sums = { run, layers: 0, missing: 0, computes: 0, cycles: 0, energy: 0 };
  for (const layer of run.layers) {
    sums.layers += layer.repeats;
    if (!layer.costs) sums.missing += layer.repeats;
    sums.computes += (layer.costs?.computes ?? 0) * layer.repeats;
    sums.cycles += (layer.costs?.cycles ?? 0) * layer.repeats;
    sums.energy += (layer.costs?.energy_pj ?? 0) * layer.repeats;
  }
  return sums;
}

export const seconds = (sums: Sums): number => (sums.run.cycle_seconds ?? 0) * sums.cycles;
export const topsPerWatt = (sums: Sums): number => (sums.energy > 0 ? (2 * sums.computes) / sums.energy : 0);
export const watts = (sums: Sums): number => (seconds(sums) > 0 ? (sums.energy * 1e-12) / seconds(sums) : 0);
export const utilization = (sums: Sums): number => (sums.run.units * sums.cycles > 0 ? sums.computes / (sums.run.units * sums.cycles) : 0);

/** Energy of a memory by tensor, its wires included. */
export type ByTensor = Map<string, number>;

const namesOf = (layer: Layer): string => layer.tensors.map((tensor) => tensor.name).join("\n");

/** What a tensor is called beside those of other layers: its name, or its role where layers name them differently. */
export function tensorNames(layers: Layer[]): (layer: Layer, tensor: string) => string {
  const priced = layers.filter((layer) => layer.costs !== null);
  if (priced.every((layer) => namesOf(layer) === namesOf(priced[0]!))) return (_, tensor) => tensor;
  return (layer, name) => {
    const tensor = layer.tensors.find((one) => one.name === name);
    if (!tensor) return name;
    const operands = layer.tensors.filter((one) => !one.written);
    return tensor.written ? "result" : `operand ${operands.indexOf(tensor) + 1}`;
  };
}

export const onVectorUnit = (layer: Layer): boolean => layer.costs?.computed_by === "vector unit";

export interface EnergyOnMachine {
  memories: Map<string, ByTensor>;
  compute: number;
  vector: number;
}

/** Picojoules; `times`: how often a layer counts. */
export function energyOnMachine(layers: Layer[], times: (layer: Layer) => number): EnergyOnMachine {
  const name = tensorNames(layers);
  const sum: EnergyOnMachine = { memories: new Map(), compute: 0, vector: 0 };
  for (const layer of layers) {
    if (!layer.costs) continue;
    sum[onVectorUnit(layer) ? "vector" : "compute"] += layer.costs.compute_energy_pj * times(layer);
    for (const memory of layer.costs.memories) {
      const tensors = sum.memories.get(memory.memory) ?? new Map<string, number>();
      sum.memories.set(memory.memory, tensors);
      const add = (key: string, value: number) => value > 0 && tensors.set(key, (tensors.get(key) ?? 0) + value);
      for (const tensor of memory.tensors)
        add(name(layer, tensor.tensor), (tensor.energy_pj + tensor.link_energy_pj) * times(layer));
      add("leakage", memory.leakage_pj * times(layer));
    }
  }
  return sum;
}

export const memoryEnergy = (layer: Layer, memory: string): number => {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  return costs ? costs.leakage_pj + costs.tensors.reduce((sum, one) => sum + one.energy_pj + one.link_energy_pj, 0) : 0;
};
