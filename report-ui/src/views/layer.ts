// One layer in full: its nest, its counts by memory and tensor, where its cycles go, and the mappings of its front.
import { bar, legend } from "../bars";
import type { Layer, MemoryCosts, Page, Run, TensorCosts } from "../data";
import { el, facts } from "../dom";
import { colourOf, kCompute, kVector } from "../palette";
import { Table, type Column } from "../table";
import { onVectorUnit } from "../sums";
import { count, energy, share } from "../text";
import type { View } from "../view";
import { layerOnMachine } from "./machine";
import { nestRows, nestText } from "./nest";

interface Line {
  memory: MemoryCosts;
  tensor: TensorCosts;
}

function counts(layer: Layer): HTMLElement | null {
  if (!layer.costs) return null;
  const rows = layer.costs.memories.flatMap((memory) => memory.tensors.map((tensor): Line => ({ memory, tensor })));
  const number = (name: string, value: (line: Line) => number, text = count): Column<Line> => ({
    name,
    text: (line) => text(value(line)),
    value,
  });
  return new Table({
    caption: "Words of one run of the layer, over all instances of a memory.",
    rows,
    columns: [
      { name: "memory", text: (line) => line.memory.memory },
      { name: "tensor", text: (line) => line.tensor.tensor },
      number("tile", (line) => line.tensor.tile_words),
      number("read", (line) => line.tensor.read_words),
      number("filled", (line) => line.tensor.fill_words),
      number("updated", (line) => line.tensor.update_words),
      number("energy", (line) => line.tensor.energy_pj, energy),
      number("sent below", (line) => line.tensor.link_words),
      number("wires' energy", (line) => line.tensor.link_energy_pj, energy),
    ],
  }).element;
}

/** Of the causes that no memory stands for. */
const kCauses: Record<string, string> = { "vector unit at work": kVector, "idle units": "#c3c8d0", "latency of the wires": "#8a6d3b", waiting: "#b5533c" };

function colourOfCause(name: string): string {
  const memory = /^waiting for (.*?)( \(|$)/.exec(name)?.[1];
  return memory ? colourOf(memory) : (kCauses[name] ?? kCompute);
}

function cycles(layer: Layer): HTMLElement | null {
  const costs = layer.costs;
  if (!costs || costs.cycles <= 0) return null;
  const parts = costs.cycle_parts
    .filter(([, value]) => value > 0)
    .map(([name, value]) => ({ name, value, colour: colourOfCause(name), text: `${count(value)} (${share(value / costs.cycles)})` }));
  return el(
    "div",
    { class: "panel" },
    el("h3", {}, "Where the cycles go"),
    bar(parts, costs.cycles),
    legend(parts.map((part): [string, string] => [`${part.name} ${part.text}`, part.colour])),
  );
}

function front(layer: Layer): HTMLElement | null {
  if (layer.front.length === 0) return null;
  const all = layer.front.length === layer.front_of;
  const shown = all ? "" : ` ${count(layer.front.length)} of ${count(layer.front_of)} are listed: those between them are close to one that is.`;
  return el(
    "div",
    { class: "panel" },
    el("h3", {}, "Pareto front"),
    new Table({
      caption: `Mappings of which none is better in both energy and latency.${shown}`,
      rows: layer.front.map((point, i) => ({ ...point, number: layer.front_numbers[i]! })),
      columns: [
        { name: "mapping", text: (point) => count(point.number), value: (point) => point.number },
        { name: "energy", text: (point) => energy(point.energy_pj), value: (point) => point.energy_pj },
        { name: "cycles", text: (point) => count(point.cycles), value: (point) => point.cycles },
        { name: "nest, outermost first", text: (point) => nestText(point.mapping) },
      ],
    }).element,
  );
}

function summary(run: Run, layer: Layer): HTMLElement {
  return facts([
    ["computes", layer.einsum],
    ["extents", layer.dimensions.map((one) => `${one.name}=${count(one.extent)}`).join(", ")],
    ["same shape", layer.same_shape.join(", ")],
    ["energy", layer.costs ? energy(layer.costs.energy_pj) : ""],
    ["latency", layer.costs ? `${count(layer.costs.cycles)} cycles; ${layer.costs.bound}` : ""],
    ["compute units", layer.costs && !onVectorUnit(layer) ? `${share(layer.costs.utilization)} of ${count(run.units)} at work` : ""],
    ["proven", layer.search?.claim ?? ""],
  ]);
}

function nest(run: Run, layer: Layer): HTMLElement | null {
  if (layer.mapping.length === 0) return null;
  return el(
    "div",
    { class: "panel" },
    el("h3", {}, "Loop nest on the machine, outermost first"),
    el("p", { class: "caption" }, "Left what a memory keeps (the largest tile of one instance), right the loops; \u21c9 runs across instances."),
    nestRows(run, layer, layer.mapping),
  );
}

function detail(run: Run, layer: Layer): HTMLElement {
  const box = el("div", {}, el("h3", { class: "of" }, `${layer.name} (${run.title})`), summary(run, layer));
  for (const failure of layer.failures) box.append(el("p", { class: "note warn" }, failure));
  const parts = [
    layer.costs && run.memories.length > 0
      ? el("div", { class: "pair" }, layerOnMachine(run, layer), el("div", { class: "stack" }, nest(run, layer), cycles(layer)))
      : nest(run, layer),
    layer.costs ? el("div", { class: "panel" }, el("h3", {}, "Counts"), counts(layer)) : null,
    front(layer),
  ];
  for (const part of parts) if (part) box.append(part);
  return box;
}

export const layer: View = {
  id: "layer",
  title: "One layer",
  make(page: Page, selection) {
    const all = page.runs.flatMap((run) => run.layers.map((one) => ({ run, layer: one })));
    if (all.length === 0) return null;
    const select = el("select");
    all.forEach(({ run, layer: one }, i) =>
      select.append(el("option", { value: String(i) }, page.runs.length > 1 ? `${one.name} (${run.title})` : one.name)),
    );
    const place = el("div", { "aria-live": "polite" });
    const show = (run: Run, one: Layer) => {
      select.value = String(all.findIndex((entry) => entry.run === run && entry.layer === one));
      place.replaceChildren(detail(run, one));
    };
    select.addEventListener("change", () => {
      const entry = all[Number(select.value)]!;
      selection.choose(entry.run, entry.layer);
    });
    selection.onChange(show);
    show(selection.run ?? all[0]!.run, selection.layer ?? all[0]!.layer);
    return el("div", {}, el("div", { class: "controls" }, el("label", {}, "Layer", select)), place);
  },
};
