// A loop nest as nested boxes: memories with what they keep and how large its tiles are, loops with their trip counts.
import type { Layer, NestLine } from "../data";
import { el } from "../dom";
import { count } from "../text";

function tiles(layer: Layer, memory: string, tensors: string[]): string {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  const sizes = tensors.map((name) => {
    const tile = costs?.tensors.find((one) => one.tensor === name)?.tile ?? 0;
    return tile > 0 ? `${name} ${count(tile)}` : name;
  });
  return sizes.length > 0 ? sizes.join(", ") : "nothing";
}

function hover(layer: Layer, memory: string): string {
  const costs = layer.costs?.memories.find((one) => one.memory === memory);
  if (!costs) return memory;
  const lines = costs.tensors.map(
    (one) => `${one.tensor}: ${count(one.read)} words read, ${count(one.fill)} filled, ${count(one.update)} updated`,
  );
  return [memory, ...lines].join("\n");
}

function words(line: NestLine): string {
  if (line[0] === "store") return line[1];
  const rest = line[3] === line[2] ? "" : ` (the last: ${count(line[3])})`;
  const kind = line[0] === "temporal" ? "for" : `across ${line[0]},`;
  return `${kind} ${line[1]} in ${count(line[2])}${rest}`;
}

export function nestBoxes(layer: Layer, nest: NestLine[]): HTMLElement {
  const outermost = el("div", { class: "nests" });
  let inside: HTMLElement = outermost;
  for (const line of nest) {
    const box = el("div", { class: `nest ${line[0]}` });
    if (line[0] === "store") {
      box.title = hover(layer, line[1]);
      box.append(el("strong", {}, line[1]), ` keeps (words of a tile): ${tiles(layer, line[1], line[2])}`);
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
    .map((line) => (line[0] === "store" ? `[${line[1]}: ${line[2].join(" ")}]` : `${line[1]}${line[0] === "temporal" ? "" : line[0]}${line[2]}`))
    .join(" ");
}
