// The machine as a picture: memories in their order with capacity, instances and energy by tensor; what an array holds stands
// indented under its fan-out.
import { bar, legend, type Piece } from "../bars";
import { saveButtons } from "../charts/saving";
import { levelsOption, type Level as Bars } from "../charts/levels";
import type { Layer, Memory, Run } from "../data";
import { el } from "../dom";
import { colourOf, kCompute, kVector } from "../palette";
import { energyOnMachine, type ByTensor, type EnergyOnMachine } from "../sums";
import { count, energy, share, storage } from "../text";
import { tsv } from "../tsv";

interface Level extends Bars {
  /** How far inside fan-outs it stands. */
  depth: number;
  /** "14 x 12 of each": the fan-out just above; "" for none. */
  fanout: string;
}

interface Place {
  instances: number;
  x: number;
  y: number;
}

function fanout(outer: Place, inner: Place): string {
  const times = inner.instances / outer.instances;
  if (!(times > 1)) return "";
  const x = inner.x / outer.x;
  const y = inner.y / outer.y;
  const mesh = Number.isInteger(x) && Number.isInteger(y) && x * y === times && x > 1 && y > 1;
  return mesh ? `${count(x)} \u00d7 ${count(y)}, each with` : `${count(times)}, each with`;
}

const piecesOf = (tensors: ByTensor): Piece[] =>
  [...tensors].map(([name, value]) => ({ name, value, colour: colourOf(name), text: energy(value) }));

const times = (instances: number): string => (instances > 1 ? ` \u00d7 ${count(instances)}` : "");

function sizeOf(memory: Memory): string {
  if (memory.spreads_only) return "wires";
  return memory.capacity_words === null ? "unlimited" : storage(memory.capacity_words, memory.word_bits);
}

function levelsOf(run: Run, sums: EnergyOnMachine): Level[] {
  const levels: Level[] = [];
  let outer: Place = { instances: 1, x: 1, y: 1 };
  let depth = 0;
  const enter = (place: Place): string => {
    const words = fanout(outer, place);
    if (words !== "") ++depth;
    outer = place;
    return words;
  };
  for (const memory of run.memories) {
    const pieces = piecesOf(sums.memories.get(memory.name) ?? new Map());
    if (memory.spreads_only && pieces.length === 0) continue;
    const between = enter({ instances: memory.instances, x: memory.mesh_x, y: memory.mesh_y });
    levels.push({ name: memory.name, about: sizeOf(memory) + times(memory.instances), pieces, depth, fanout: between });
  }
  const between = enter({ instances: run.units, x: run.compute.mesh_x, y: run.compute.mesh_y });
  const pieces = [{ name: "compute units", value: sums.compute, colour: kCompute, text: energy(sums.compute) }];
  levels.push({ name: run.compute.name || "compute units", about: `${count(run.units)} ${run.units === 1 ? "unit" : "units"}`, pieces, depth, fanout: between });
  const vector = [{ name: "vector unit", value: sums.vector, colour: kVector, text: energy(sums.vector) }];
  if (sums.vector > 0) levels.push({ name: "vector unit", about: "beside the array", pieces: vector, depth: 0, fanout: "" });
  return levels;
}

const sumOf = (level: Level): number => level.pieces.reduce((sum, piece) => sum + piece.value, 0);

function levelElement(level: Level, most: number, all: number): HTMLElement {
  const sum = sumOf(level);
  const box = el(
    "li",
    { class: "level" },
    level.fanout === "" ? null : el("p", { class: "fanout" }, level.fanout),
    el(
      "div",
      { class: "memory" },
      el("p", { class: "ends" }, el("strong", {}, level.name), el("span", {}, level.about)),
      bar(level.pieces, most),
      el("p", { class: "ends quiet" }, el("span", {}, energy(sum)), el("span", {}, all > 0 ? share(sum / all) : "")),
      el("span", { class: "hidden" }, level.pieces.map((piece) => `${piece.name} ${piece.text}`).join(", ")),
    ),
  );
  box.style.setProperty("--depth", String(level.depth));
  return box;
}

function numbers(levels: Level[]): string {
  return tsv(
    ["level", "size", "tensor", "energy [pJ]"],
    levels.flatMap((level) => level.pieces.map((piece) => [level.name, level.about, piece.name, piece.value])),
  );
}

function picture(run: Run, title: string, sums: EnergyOnMachine): HTMLElement {
  const levels = levelsOf(run, sums);
  const all = levels.reduce((sum, level) => sum + sumOf(level), 0);
  const most = Math.max(...levels.map(sumOf));
  const colours = new Map(levels.flatMap((level) => level.pieces.filter((piece) => piece.value > 0).map((piece) => [piece.name, piece.colour])));
  const list = el("ol", { class: "machine" });
  for (const level of levels) list.append(levelElement(level, most, all));
  return el(
    "div",
    { class: "panel" },
    el("div", { class: "ends" }, el("h3", {}, title), saveButtons(() => `${title}: ${run.title}`, () => levelsOption(levels), () => numbers(levels))),
    legend([...colours]),
    list,
  );
}

/** Of a whole run. */
export const machine = (run: Run): HTMLElement => picture(run, "Where the energy goes", energyOnMachine(run.layers, (layer) => layer.repeats));

/** Of one run of a layer. */
export const layerOnMachine = (run: Run, layer: Layer): HTMLElement => picture(run, "Where its energy goes", energyOnMachine([layer], () => 1));
