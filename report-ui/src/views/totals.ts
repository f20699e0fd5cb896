// Several runs in numbers: what differs from the first comes first.
import type { Page } from "../data";
import { el } from "../dom";
import { seconds, sumsOf, topsPerWatt, utilization, watts, type Sums } from "../sums";
import { count, energy, plain, share, withUnit } from "../text";
import { Table, type Column } from "../table";
import type { View } from "../view";

function columnsOf(first: Sums): Column<Sums>[] {
  const ratio = (name: string, value: (sums: Sums) => number): Column<Sums> => ({
    name: `${name} / first`,
    text: (sums) => (value(first) > 0 ? `${plain(value(sums) / value(first))} x` : ""),
    value: (sums) => (value(first) > 0 ? value(sums) / value(first) : 0),
  });
  const positive = (value: number, text: (value: number) => string): string => (value > 0 ? text(value) : "");
  return [
    { name: "run", text: (sums) => sums.run.title },
    { name: "accounting", text: (sums) => sums.run.accounting },
    ratio("energy", (sums) => sums.energy),
    ratio("cycles", (sums) => sums.cycles),
    { name: "energy", text: (sums) => energy(sums.energy), value: (sums) => sums.energy },
    { name: "cycles", text: (sums) => count(sums.cycles), value: (sums) => sums.cycles },
    { name: "time", text: (sums) => positive(seconds(sums), (value) => withUnit(value, "s")), value: seconds },
    { name: "power", text: (sums) => positive(watts(sums), (value) => withUnit(value, "W")), value: watts },
    { name: "TOPS/W", text: (sums) => positive(topsPerWatt(sums), plain), value: topsPerWatt },
    { name: "MACs", text: (sums) => count(sums.computes), value: (sums) => sums.computes },
    { name: "utilization", text: (sums) => positive(utilization(sums), share), value: utilization },
    { name: "layers", text: (sums) => count(sums.layers), value: (sums) => sums.layers },
    { name: "without mapping", text: (sums) => count(sums.missing), value: (sums) => sums.missing },
  ];
}

export const totals: View = {
  id: "totals",
  title: "Totals",
  make(page: Page) {
    if (page.runs.length < 2) return null;
    const rows = page.runs.map(sumsOf);
    const box = el("div");
    for (const run of page.runs)
      if (run.interrupted) box.append(el("p", { class: "note warn" }, `${run.title}: interrupted; every result is the best so far`));
    const caption = "All layers, each as often as it runs, one after another; a multiply-accumulate is two operations.";
    box.append(new Table({ caption, columns: columnsOf(rows[0]!), rows }).element);
    return box;
  },
};
