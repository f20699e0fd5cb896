// All layer shapes in one table; a click shows the layer in full below.
import type { Layer, Page, Run } from "../data";
import { el } from "../dom";
import { Table, type Column } from "../table";
import { count, energy, share } from "../text";
import type { View } from "../view";

interface Row {
  run: Run;
  layer: Layer;
}

const number = (name: string, value: (layer: Layer) => number, text: (value: number) => string): Column<Row> => ({
  name,
  text: (row) => (row.layer.costs ? text(value(row.layer)) : ""),
  value: (row) => (row.layer.costs ? value(row.layer) : 0),
});

export const layers: View = {
  id: "layers",
  title: "Layers",
  make(page: Page, selection) {
    const rows = page.runs.flatMap((run) => run.layers.map((layer): Row => ({ run, layer })));
    if (rows.length === 0) return null;
    const columns: Column<Row>[] = [
      { name: "layer", text: (row) => row.layer.name },
      { name: "operator", text: (row) => row.layer.operator },
      { name: "repeats", text: (row) => count(row.layer.repeats), value: (row) => row.layer.repeats },
      number("MACs", (layer) => layer.costs!.computes, count),
      number("cycles", (layer) => layer.costs!.cycles, count),
      number("energy", (layer) => layer.costs!.energy_pj, energy),
      number("utilization", (layer) => layer.costs!.utilization, share),
      { name: "bound", text: (row) => (row.layer.costs ? row.layer.costs.bound : `no mapping: ${row.layer.failures.join("; ")}`) },
    ];
    if (page.runs.length > 1) columns.unshift({ name: "run", text: (row) => row.run.title });
    const table = new Table({
      caption: "Layer shapes, one run of each. Choose one to see its loop nest and counts.",
      columns,
      rows,
      pick: (row) => {
        selection.choose(row.run, row.layer);
        document.getElementById("layer")?.scrollIntoView({ block: "start" });
      },
    });
    selection.onChange((run, layer) => table.choose(rows.find((row) => row.run === run && row.layer === layer) ?? null));
    return el("div", {}, table.element);
  },
};
