// Operators that are not mapped, in plain sight: they count in no sum.
import type { Page } from "../data";
import { el } from "../dom";
import { Table } from "../table";
import type { View } from "../view";

export const unmapped: View = {
  id: "unmapped",
  title: "Not mapped",
  make(page: Page) {
    const rows = page.runs.flatMap((run) => run.unmapped_operators.map((one) => ({ run, one })));
    const failed = page.runs.flatMap((run) => run.layers.filter((one) => !one.costs).map((one) => ({ run, one })));
    if (rows.length + failed.length === 0) return null;
    const box = el("div", {}, el("p", { class: "note warn" }, `${rows.length} operators are not mapped and ${failed.length} layer shapes have no mapping; they count in no sum.`));
    if (rows.length > 0)
      box.append(
        new Table({
          caption: "Operators that are not mapped.",
          rows,
          fold: 12,
          columns: [
            { name: "run", text: (row) => row.run.title },
            { name: "name", text: (row) => row.one.name },
            { name: "operator", text: (row) => row.one.operator },
            { name: "why", text: (row) => row.one.reason },
          ],
        }).element,
      );
    for (const { run, one } of failed)
      box.append(el("p", { class: "note warn" }, `${one.name} (${run.title}): ${one.failures.join("; ")}`));
    return box;
  },
};
