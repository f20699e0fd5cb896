// All layer shapes in one table, the most energy first; a click shows the layer in full.
import { bar, legend, type Piece } from "../bars";
import type { Page } from "../data";
import { el } from "../dom";
import { Table, type Column } from "../table";
import { compact, count, energy, share } from "../text";
import type { View } from "../view";
import { all, cyclesOf, energyOf, energyPieces, memoryColours, type Row } from "./layer_rows";
import { onVectorUnit } from "../sums";

const kFold = 12; // rows before all are asked for
const kLow = 0.7; // of the compute units at work

const cyclePieces = ({ layer }: Row): Piece[] => [
  { name: "cycles", value: layer.costs!.cycles * layer.repeats, colour: "var(--bar)", text: count(layer.costs!.cycles * layer.repeats) },
];

const proofOf = ({ layer }: Row): string => (layer.search ? (layer.search.proven ? "proven" : "not proven") : onVectorUnit(layer) ? "no choice" : "");

function boundOf({ layer }: Row): string {
  if (!layer.costs) return `no mapping: ${layer.failures.join("; ")}`;
  return layer.costs.bound_memory || (layer.costs.bound ? layer.costs.computed_by.replace("compute units", "compute") : "");
}

function columnsOf(rows: Row[], several: boolean): Column<Row>[] {
  const most = (of: (row: Row) => number): number => Math.max(...rows.map(of));
  const [mostEnergy, mostCycles] = [most(energyOf), most(cyclesOf)];
  const number = (name: string, value: (row: Row) => number, text: (value: number) => string): Column<Row> => ({
    name,
    text: (row) => (row.layer.costs ? text(value(row)) : ""),
    value: (row) => (row.layer.costs ? value(row) : 0),
  });
  const barred = (column: Column<Row>, pieces: (row: Row) => Piece[], full: number): Column<Row> => ({
    ...column,
    bar: (row) => (row.layer.costs ? bar(pieces(row), full) : null),
  });
  const columns: Column<Row>[] = [
    { name: "layer", text: (row) => row.layer.name },
    { name: "operator", text: (row) => row.layer.operator },
    { name: "times", text: (row) => count(row.layer.repeats), value: (row) => row.layer.repeats },
    number("MACs", (row) => all(row, (layer) => layer.costs!.computes), compact),
    barred(number("energy", energyOf, energy), energyPieces, mostEnergy),
    barred(number("cycles", cyclesOf, count), cyclePieces, mostCycles),
    { ...number("units at work", (row) => row.layer.costs!.utilization, share), mark: (row) => ((row.layer.costs?.utilization ?? 1) < kLow ? "low" : "") },
    { name: "bound by", text: boundOf },
    { name: "proof", text: proofOf, mark: (row) => (row.layer.search?.proven ? "good" : "") },
  ];
  if (several) columns.unshift({ name: "run", text: (row) => row.run.title });
  return columns.filter((column) => !["operator", "proof"].includes(column.name) || rows.some((row) => column.text(row) !== ""));
}

export const layers: View = {
  id: "layers",
  title: "Layers",
  make(page: Page, selection) {
    const rows = page.runs.flatMap((run) => run.layers.map((layer): Row => ({ run, layer })));
    if (rows.length === 0) return null;
    const table = new Table({
      caption: "Layer shapes with all their repeats. Choose one to see its loop nest and counts.",
      columns: columnsOf(rows, page.runs.length > 1),
      rows,
      sortedBy: "energy",
      fold: kFold,
      pick: (row) => {
        selection.choose(row.run, row.layer);
        document.getElementById("layer")?.scrollIntoView({ block: "start" });
      },
    });
    selection.onChange((run, layer) => table.choose(rows.find((row) => row.run === run && row.layer === layer) ?? null));
    return el("div", { class: "panel" }, legend(memoryColours(rows)), table.element);
  },
};
