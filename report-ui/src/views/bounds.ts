// What is proven of every layer's mapping, and how far the others are from their bounds.
import type { Layer, Page, Run } from "../data";
import { el } from "../dom";
import { Table } from "../table";
import { count, energy, plain } from "../text";
import type { View } from "../view";

/** A value of the objective, which is in pJ, cycles or a product of them. */
function valueOf(objective: string | undefined, value: number): string {
  if (objective === "energy") return energy(value);
  if (objective === "latency") return `${count(Math.round(value))} cycles`;
  if (objective === "edp") return `${plain(value * 1e-12)} J·cycles`;
  return plain(value);
}

export const bounds: View = {
  id: "bounds",
  title: "What is proven",
  make(page: Page) {
    const rows = page.runs.flatMap((run) => run.layers.filter((one) => one.search).map((layer) => ({ run, layer })));
    if (rows.length === 0) return null;
    const search = (row: { run: Run; layer: Layer }) => row.layer.search!;
    const proven = rows.filter((row) => search(row).proven).length;
    return el(
      "div",
      {},
      el("p", {}, `${proven} of ${rows.length} layer shapes proven.`),
      new Table({
        caption: "Claims as the program derived them; tilewright check proves a certificate.json again.",
        rows,
        fold: 12,
        columns: [
          ...(page.runs.length > 1 ? [{ name: "run", text: (row: { run: Run }) => row.run.title }] : []),
          { name: "layer", text: (row) => row.layer.name },
          { name: "proven", text: (row) => (search(row).proven ? "yes" : "no"), mark: (row) => (search(row).proven ? "good" : "") },
          { name: "claim", text: (row) => search(row).claim ?? "" },
          {
            name: "bound",
            text: (row) => (search(row).lower_bound === undefined ? "" : valueOf(row.run.options["objective"], search(row).lower_bound!)),
            value: (row) => search(row).lower_bound ?? 0,
          },
          { name: "evaluations", text: (row) => count(search(row).evaluations), value: (row) => search(row).evaluations },
          { name: "stopped by", text: (row) => search(row).stopped_by },
        ],
      }).element,
    );
  },
};
