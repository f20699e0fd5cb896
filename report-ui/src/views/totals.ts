// Whole runs in numbers; with several, what differs from the first comes first.
import type { Page, Run } from "../data";
import { el } from "../dom";
import { count, energy, plain, share, withUnit } from "../text";
import { Table, type Column } from "../table";
import type { View } from "../view";

interface Sums {
  run: Run;
  layers: number;
  missing: number;
  computes: number;
  cycles: number;
  energy: number;
}

function sumsOf(run: Run): Sums {
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

const seconds = (sums: Sums): number => (sums.run.cycle_seconds ?? 0) * sums.cycles;

function columnsOf(first: Sums, several: boolean): Column<Sums>[] {
  const ratio = (name: string, value: (sums: Sums) => number): Column<Sums> => ({
    name: `${name} / first`,
    text: (sums) => (value(first) > 0 ? `${plain(value(sums) / value(first))} x` : ""),
    value: (sums) => (value(first) > 0 ? value(sums) / value(first) : 0),
  });
  const all: Column<Sums>[] = [
    { name: "run", text: (sums) => sums.run.title },
    { name: "accounting", text: (sums) => sums.run.accounting },
    { name: "energy", text: (sums) => energy(sums.energy), value: (sums) => sums.energy },
    { name: "cycles", text: (sums) => count(sums.cycles), value: (sums) => sums.cycles },
    { name: "time", text: (sums) => (seconds(sums) > 0 ? withUnit(seconds(sums), "s") : ""), value: seconds },
    {
      name: "power",
      text: (sums) => (seconds(sums) > 0 ? withUnit((sums.energy * 1e-12) / seconds(sums), "W") : ""),
      value: (sums) => (seconds(sums) > 0 ? sums.energy / seconds(sums) : 0),
    },
    {
      name: "TOPS/W",
      text: (sums) => (sums.energy > 0 ? plain((2 * sums.computes) / sums.energy) : ""),
      value: (sums) => (sums.energy > 0 ? (2 * sums.computes) / sums.energy : 0),
    },
    { name: "MACs", text: (sums) => count(sums.computes), value: (sums) => sums.computes },
    {
      name: "utilization",
      text: (sums) => (sums.run.units * sums.cycles > 0 ? share(sums.computes / (sums.run.units * sums.cycles)) : ""),
      value: (sums) => (sums.run.units * sums.cycles > 0 ? sums.computes / (sums.run.units * sums.cycles) : 0),
    },
    { name: "layers", text: (sums) => count(sums.layers), value: (sums) => sums.layers },
    { name: "without mapping", text: (sums) => count(sums.missing), value: (sums) => sums.missing },
  ];
  if (several) all.splice(2, 0, ratio("energy", (sums) => sums.energy), ratio("cycles", (sums) => sums.cycles));
  return all;
}

export const totals: View = {
  id: "totals",
  title: "Totals",
  make(page: Page) {
    if (page.runs.length === 0) return null;
    const rows = page.runs.map(sumsOf);
    const box = el("div");
    for (const run of page.runs) {
      if (run.interrupted) box.append(el("p", { class: "note warn" }, `${run.title}: interrupted; every result is the best so far`));
      for (const note of run.notes) box.append(el("p", { class: "note" }, `${run.title}: ${note}`));
    }
    const several = rows.length > 1;
    const caption = `All layers, each as often as it runs, one after another; a multiply-accumulate is two operations.`;
    box.append(new Table({ caption, columns: columnsOf(rows[0]!, several), rows }).element);
    return box;
  },
};
