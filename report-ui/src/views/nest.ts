// A loop nest as nested boxes: memories with what they keep and how large its tiles are, loops with their trip counts.
import type { Layer, LoopLine, StoreLine } from "../data";
import { el } from "../dom";
import { count } from "../text";

type NestLine = StoreLine | LoopLine;

/** "x", "y", or "" of a loop in time. */
const across = (line: LoopLine): string => line.kind.replace("temporal", "").replace("spatial_", "");

function tiles(layer: Layer, memory: string, tensors: string[]): string {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  const sizes = tensors.map((name) => {
    const tile = costs?.tensors.find((one) => one.tensor === name)?.tile_words ?? 0;
    return tile > 0 ? `${name} ${count(tile)}` : name;
  });
  return sizes.length > 0 ? sizes.join(", ") : "nothing";
}

function hover(layer: Layer, memory: string): string {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  if (!costs) return memory;
  const lines = costs.tensors.map(
    (one) => `${one.tensor}: ${count(one.read_words)} words read, ${count(one.fill_words)} filled, ${count(one.update_words)} updated`,
  );
  return [memory, ...lines].join("\n");
}

function words(line: LoopLine): string {
  const rest = line.remainder === line.extent ? "" : ` (the last: ${count(line.remainder)})`;
  const kind = across(line) === "" ? "for" : `across ${across(line)},`;
  return `${kind} ${line.loop} in ${count(line.extent)}${rest}`;
}

export function nestBoxes(layer: Layer, nest: NestLine[]): HTMLElement {
  const outermost = el("div", { class: "nests" });
  let inside: HTMLElement = outermost;
  for (const line of nest) {
    const box = el("div", { class: `nest ${"store" in line ? "store" : across(line) || "temporal"}` });
    if ("store" in line) {
      box.title = hover(layer, line.store);
      box.append(el("strong", {}, line.store), ` keeps (words of a tile): ${tiles(layer, line.store, line.tensors)}`);
    } else {
      box.append(words(line));
    }
    inside.append(box);
    inside = box;
  }
  return outermost;
}

/** In one line, for hovers and tables. */
export function nestText(nest: NestLine[]): string {
  return nest
    .map((line) => ("store" in line ? `[${line.store}: ${line.tensors.join(" ")}]` : `${line.loop}${across(line)}${line.extent}`))
    .join(" ");
}
