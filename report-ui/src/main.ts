// The report in the browser: reads the page's values, makes every view that has something to show, and a way to each.
import { contents, follow } from "./contents";
import { readPage } from "./data";
import { el } from "./dom";
import { usePalette } from "./palette";
import { Selection } from "./view";
import { views } from "./views";

function start(): void {
  const page = readPage();
  usePalette(page);
  const run = page.runs[0] ?? null;
  const selection = new Selection(run, run?.layers.find((layer) => layer.costs) ?? run?.layers[0] ?? null);
  const main = el("main", { id: "main" }, document.querySelector("body > header"));
  const sections: HTMLElement[] = [];
  const titles: { id: string; title: string }[] = [];
  for (const view of views) {
    const content = view.make(page, selection);
    if (content === null) continue;
    titles.push(view);
    sections.push(el("section", { id: view.id, "aria-labelledby": `${view.id}-title` }, el("h2", { id: `${view.id}-title` }, view.title), content));
  }
  main.append(...sections);
  const nav = contents(titles);
  document.body.prepend(el("a", { class: "skip", href: "#main" }, "Skip to the content"));
  document.getElementById("app")!.replaceChildren(nav, main);
  follow(nav, sections);
  document.documentElement.dataset["ready"] = "true";
}

start();
