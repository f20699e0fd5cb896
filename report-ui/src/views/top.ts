// The layers that matter most: those with the most energy, each as a bar by memory.
import { bar, legend } from "../bars";
import type { Run } from "../data";
import { el } from "../dom";
import { energy, share } from "../text";
import type { Selection } from "../view";
import { energyOf, energyPieces, memoryColours, type Row } from "./layer_rows";

const kShown = 8;

export function topLayers(run: Run, selection: Selection): HTMLElement | null {
  const rows: Row[] = run.layers.filter((layer) => layer.costs).map((layer) => ({ run, layer }));
  const all = rows.reduce((sum, row) => sum + energyOf(row), 0);
  if (rows.length < 2 || all <= 0) return null;
  const top = rows.sort((a, b) => energyOf(b) - energyOf(a)).slice(0, kShown);
  const list = el("ol", { class: "top" });
  for (const row of top) {
    const link = el("a", { href: "#layer" }, row.layer.name);
    link.addEventListener("click", () => selection.choose(run, row.layer));
    const times = row.layer.repeats > 1 ? ` \u00d7 ${row.layer.repeats}` : "";
    list.append(
      el(
        "li",
        {},
        el("span", { class: "ends" }, el("span", {}, link, times), el("span", {}, `${energy(energyOf(row))}, ${share(energyOf(row) / all)}`)),
        bar(energyPieces(row), energyOf(top[0]!)),
      ),
    );
  }
  return el("div", {}, el("h3", { class: "of" }, "Layers with the most energy"), legend(memoryColours(rows)), list);
}
