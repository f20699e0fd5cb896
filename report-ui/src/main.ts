// The report in the browser: reads the page's values, makes every view that has something to show, and a way to each.
import { readPage } from "./data";
import { el } from "./dom";
import { Selection } from "./view";
import { views } from "./views";

function start(): void {
  const page = readPage();
  const run = page.runs[0] ?? null;
  const selection = new Selection(run, run?.layers.find((layer) => layer.costs) ?? run?.layers[0] ?? null);
  const links = el("ul");
  const main = el("main", { id: "main" });
  for (const view of views) {
    const content = view.make(page, selection);
    if (content === null) continue;
    links.append(el("li", {}, el("a", { href: `#${view.id}` }, view.title)));
    main.append(el("section", { id: view.id, "aria-labelledby": `${view.id}-title` }, el("h2", { id: `${view.id}-title` }, view.title), content));
  }
  document.body.prepend(el("a", { class: "skip", href: "#main" }, "Skip to the content"));
  document.getElementById("app")!.replaceChildren(el("nav", { "aria-label": "Views" }, links), main);
  document.documentElement.dataset["ready"] = "true";
}

start();
