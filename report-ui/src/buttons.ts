// Small buttons that do one thing and say how it went.
import { el } from "./dom";
import { copyText } from "./tsv";

export function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const one = el("button", { type: "button", class: "tool", "aria-label": label }, text);
  one.addEventListener("click", act);
  return one;
}

/** Where the clipboard is closed to us, the text is saved instead. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const one: HTMLButtonElement = button("TSV", `Copy as TSV: ${what}`, () => {
    void copyText(text()).then((done) => {
      if (!done) save(`${fileName(what)}.tsv`, new Blob([text()], { type: "text/tab-separated-values" }));
      one.textContent = done ? "copied" : "saved";
      setTimeout(() => (one.textContent = "TSV"), 1500);
    });
  });
  return one;
}

export const fileName = (title: string): string => title.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 80);

export function save(name: string, content: Blob): void {
  const link = el("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
