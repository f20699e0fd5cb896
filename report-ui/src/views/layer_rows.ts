// Layer shapes with all their repeats, as tables and lists show them.
import type { Piece } from "../bars";
import type { Layer, Run } from "../data";
import { colourOf, kCompute, kVector } from "../palette";
import { memoryEnergy, onVectorUnit } from "../sums";
import { energy } from "../text";

export interface Row {
  run: Run;
  layer: Layer;
}

export const all = (row: Row, of: (layer: Layer) => number): number => (row.layer.costs ? of(row.layer) * row.layer.repeats : 0);
export const energyOf = (row: Row): number => all(row, (layer) => layer.costs!.energy_pj);
export const cyclesOf = (row: Row): number => all(row, (layer) => layer.costs!.cycles);

export function energyPieces({ layer }: Row): Piece[] {
  const piece = (name: string, value: number, colour: string): Piece => ({ name, value, colour, text: energy(value) });
  return [
    ...layer.costs!.memories.map((one) => piece(one.memory, memoryEnergy(layer, one.memory) * layer.repeats, colourOf(one.memory))),
    piece(layer.costs!.computed_by, layer.costs!.compute_energy_pj * layer.repeats, onVectorUnit(layer) ? kVector : kCompute),
  ];
}

export function memoryColours(rows: Row[]): [string, string][] {
  const names = new Set(rows.flatMap((row) => row.layer.costs?.memories.map((one) => one.memory) ?? []));
  const drawn = [...names].filter((name) => rows.some((row) => memoryEnergy(row.layer, name) > 0));
  return [...drawn.map((name): [string, string] => [name, colourOf(name)]), ["compute units", kCompute], ...(rows.some((row) => onVectorUnit(row.layer)) ? [["vector unit", kVector] as [string, string]] : [])];
}
