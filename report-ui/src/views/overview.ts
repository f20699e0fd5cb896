// The first view: what the run comes to, what is proven, what is not in the figures, where the energy goes, and what limits it.
import type { Page, Run } from "../data";
import { el } from "../dom";
import { compact, count } from "../text";
import { sumsOf } from "../sums";
import type { Selection, View } from "../view";
import { cards } from "./cards";
import { machine } from "./machine";
import { noteList } from "./notes";
import { topLayers } from "./top";

function subtitle(run: Run): HTMLElement {
  const sums = sumsOf(run);
  const objective = run.options["objective"];
  const said = [
    `${count(sums.layers)} ${sums.layers === 1 ? "layer" : "layers"}`,
    `${compact(sums.computes)} multiply-accumulates`,
    run.technology,
    objective ? `objective ${objective}` : "",
    run.accounting ? `accounting ${run.accounting}` : "",
  ];
  return el("p", { class: "sub" }, said.filter((one) => one !== "").join(", "));
}

/** What the figures do not say, in plain sight. */
function missing(run: Run): HTMLElement | null {
  const operators = new Map<string, number>();
  for (const one of run.unmapped_operators) operators.set(one.operator, (operators.get(one.operator) ?? 0) + 1);
  const layers = sumsOf(run).missing;
  if (operators.size === 0 && layers === 0) return null;
  const parts = [...operators].map(([name, times]) => `${count(times)} ${name}`);
  if (layers > 0) parts.push(`${count(layers)} layers without a mapping`);
  return el("p", { class: "note warn" }, `Not in these figures: ${parts.join(", ")}. `, el("a", { href: "#unmapped" }, "Why"));
}

function findings(run: Run, selection: Selection): HTMLElement {
  const list = el("ul", { class: "findings" });
  for (const finding of run.overview.findings) list.append(el("li", {}, finding));
  return el("div", { class: "panel" }, el("h3", {}, "What limits it"), list, topLayers(run, selection));
}

function content(run: Run, several: boolean, selection: Selection): HTMLElement {
  return el(
    "div",
    {},
    several ? el("h3", { class: "of" }, run.title) : null,
    subtitle(run),
    run.interrupted ? el("p", { class: "note warn" }, "Interrupted: every result is the best so far.") : null,
    missing(run),
    cards(run),
    ...run.slow_accesses.map((note) => el("p", { class: "note warn" }, `Latency: ${note}`)),
    el("div", { class: "pair" }, machine(run), findings(run, selection)),
    noteList(run.notes),
  );
}

export const overview: View = {
  id: "overview",
  title: "Overview",
  make(page: Page, selection) {
    const first = page.runs[0];
    if (!first) return null;
    const several = page.runs.length > 1;
    const place = el("div", { "aria-live": "polite" }, content(first, several, selection));
    let shown = first;
    selection.onChange((run) => {
      if (run !== shown) place.replaceChildren(content((shown = run), several, selection));
    });
    if (!several) return place;
    const select = el("select");
    page.runs.forEach((run, i) => select.append(el("option", { value: String(i) }, run.title)));
    select.addEventListener("change", () => {
      const run = page.runs[Number(select.value)]!;
      const layer = run.layers.find((one) => one.costs) ?? run.layers[0];
      if (layer) selection.choose(run, layer);
    });
    selection.onChange((run) => (select.value = String(page.runs.indexOf(run))));
    return el("div", {}, el("div", { class: "controls" }, el("label", {}, "Run", select)), place);
  },
};
