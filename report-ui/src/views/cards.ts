// The run in a few figures.
import type { Card, Run } from "../data";
import { el } from "../dom";
import { seconds, sumsOf, topsPerWatt, utilization, watts } from "../sums";
import { count, energy, plain, share, withUnit } from "../text";

/** 8.2e-4 J*s -> "818.7 uJ*s" */
function energyDelay(run: Run): Card | null {
  const sums = sumsOf(run);
  if (sums.energy <= 0) return null;
  const about = run.options["objective"] === "edp" ? "the objective: energy times latency" : "energy times latency";
  const time = seconds(sums);
  const value = time > 0 ? `${withUnit(sums.energy * 1e-12 * time, "J")}\u00b7s` : `${plain(sums.energy * 1e-12 * sums.cycles)} J\u00b7cycles`;
  return { name: "EDP", value, about };
}

function latency(run: Run): Card {
  const sums = sumsOf(run);
  const time = seconds(sums);
  const cycles = `${count(sums.cycles)} cycles`;
  if (time <= 0) return { name: "Latency", value: cycles, about: "one layer after another" };
  return { name: "Latency", value: withUnit(time, "s"), about: `${cycles} at ${withUnit(1 / run.cycle_seconds!, "Hz")}` };
}

function bound(run: Run): Card | null {
  const [first, ...others] = run.overview.limits;
  if (!first) return null;
  const rest = others.map((one) => `${one.what} ${share(one.cycles_share)}`).join(", ");
  return { name: "Bound by", value: first.what, about: `${share(first.cycles_share)} of the cycles${rest ? `; ${rest}` : ""}` };
}

function proof(run: Run): Card | null {
  const { proven, chosen, proof: words } = run.overview;
  if (words === "") return null;
  return { name: "Proof", value: `${count(proven)} of ${count(chosen)}`, about: `shapes proven optimal${proven < chosen ? "" : ", each in its space"}` };
}

function cardsOf(run: Run): Card[] {
  const sums = sumsOf(run);
  if (sums.cycles <= 0) return [];
  const all: (Card | null)[] = [
    { name: "Energy", value: energy(sums.energy), about: sums.layers === 1 ? "of the layer" : "all layers with their repeats" },
    latency(run),
    sums.energy > 0 ? { name: "Efficiency", value: `${plain(topsPerWatt(sums))} TOPS/W`, about: "2 operations a multiply-accumulate" } : null,
    energyDelay(run),
    watts(sums) > 0 ? { name: "Power", value: withUnit(watts(sums), "W"), about: "energy over latency" } : null,
    utilization(sums) > 0 ? { name: "Utilization", value: share(utilization(sums)), about: `of ${count(run.units)} compute units` } : null,
    bound(run),
    proof(run),
  ];
  return all.filter((card) => card !== null);
}

export function cards(run: Run): HTMLElement {
  return cardList(cardsOf(run));
}

export function cardList(all: Card[]): HTMLElement {
  const list = el("dl", { class: "cards" });
  for (const card of all)
    list.append(el("div", { class: "card" }, el("dt", {}, card.name), el("dd", { class: "value" }, card.value), el("dd", { class: "about" }, card.about)));
  return list;
}
