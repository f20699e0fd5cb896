// A loop nest on the rows of the machine: what each memory keeps and how large its tiles are, beside the loops over it. On narrow
// screens the same rows are an indented list (page.css).
import type { Layer, LoopLine, Run, StoreLine } from "../data";
import { el } from "../dom";
import { colourOf } from "../palette";
import { count, storage } from "../text";

type NestLine = StoreLine | LoopLine;

/** A memory with the loops between it and the next; no memory where loops stand outside all. */
interface NestRow {
  store: StoreLine | null;
  loops: LoopLine[];
}

function rowsOf(nest: NestLine[]): NestRow[] {
  const rows: NestRow[] = [];
  for (const line of nest) {
    if ("store" in line) rows.push({ store: line, loops: [] });
    else if (rows.length === 0) rows.push({ store: null, loops: [line] });
    else rows.at(-1)!.loops.push(line);
  }
  return rows;
}

/** "x", "y", or "" of a loop in time. */
const across = (line: LoopLine): string => line.kind.replace("temporal", "").replace("spatial_", "");

function hover(layer: Layer, memory: string): string {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  if (!costs) return memory;
  const lines = costs.tensors.map(
    (one) => `${one.tensor}: ${count(one.read_words)} words read, ${count(one.fill_words)} filled, ${count(one.update_words)} updated`,
  );
  return [memory, ...lines].join("\n");
}

function tile(run: Run, layer: Layer, store: string, tensor: string): HTMLElement {
  const words = layer.costs?.memories.find((one) => one.memory === store)?.tensors.find((one) => one.tensor === tensor)?.tile_words ?? 0;
  const bits = layer.tensors.find((one) => one.name === tensor)?.bits || (run.memories.find((one) => one.name === store)?.word_bits ?? 0);
  const mark = el("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = colourOf(tensor);
  return el("span", { class: "tile" }, mark, words > 0 ? `${tensor} ${storage(words, bits)}` : tensor);
}

function loop(line: LoopLine): HTMLElement {
  const rest = line.remainder === line.extent ? "" : `, the last ${count(line.remainder)}`;
  const axis = across(line);
  const words = axis === "" ? `for ${line.loop} in ${count(line.extent)}${rest}` : `across ${axis}: ${line.loop} in ${count(line.extent)}${rest}`;
  return el(
    "li",
    { class: axis === "" ? "loop temporal" : `loop spatial ${axis}`, title: words },
    el("span", { "aria-hidden": "true" }, axis === "" ? "" : `\u21c9 ${axis} `),
    el("span", { class: "hidden" }, axis === "" ? "for " : `across ${axis}, `),
    line.loop,
    " ",
    el("strong", {}, count(line.extent)),
    rest,
  );
}

/** A name that may go on in the next line after an underscore or a dot, and nowhere else. */
function breakable(name: string): (string | HTMLElement)[] {
  return name.split(/(?<=[_.])/).flatMap((part, i) => (i === 0 ? [part] : [el("wbr"), part]));
}

function rowElement(run: Run, layer: Layer, row: NestRow, depth: number): HTMLElement {
  const spreads = run.memories.find((one) => one.name === row.store?.store)?.spreads_only ?? false;
  const store = row.store;
  const loops = el("ol", { class: "loops" }, ...row.loops.map(loop));
  const tiles = store?.tensors.map((tensor) => tile(run, layer, store.store, tensor)) ?? [];
  const box = el(
    "li",
    { class: spreads ? "nest spreads" : "nest store" },
    el("span", { class: "place" }, ...breakable(store?.store ?? "")),
    el("span", { class: "tiles" }, ...(tiles.length > 0 || spreads || !store ? tiles : ["keeps nothing"])),
    row.loops.length > 0 ? loops : el("span", {}),
  );
  if (store) box.title = hover(layer, store.store);
  box.style.setProperty("--depth", String(depth));
  return box;
}

export function nestRows(run: Run, layer: Layer, nest: NestLine[]): HTMLElement {
  const list = el("ol", { class: "nests" });
  rowsOf(nest).forEach((row, depth) => list.append(rowElement(run, layer, row, depth)));
  return list;
}

/** In one line, for hovers and tables. */
export function nestText(nest: NestLine[]): string {
  return nest
    .map((line) => ("store" in line ? `[${line.store}: ${line.tensors.join(" ")}]` : `${line.loop}${across(line)}${line.extent}`))
    .join(" ");
}
