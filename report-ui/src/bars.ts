// Bars within text: in cells of tables, and on the machine. Lengths are set by script: the page's policy forbids styles in markup.
import { el } from "./dom";

export interface Piece {
  name: string;
  value: number;
  colour: string;
  /** What the pointer sees. */
  text: string;
}

/** Pieces side by side; `full`: what the whole width is worth. */
export function bar(pieces: Piece[], full: number): HTMLElement {
  const drawn = pieces.filter((piece) => piece.value > 0);
  const box = el("span", { class: "bar", "aria-hidden": "true" });
  for (const piece of drawn) {
    const part = el("span", { title: `${piece.name}: ${piece.text}` });
    part.style.width = `${full > 0 ? (100 * piece.value) / full : 0}%`;
    part.style.background = piece.colour;
    box.append(part);
  }
  return box;
}

export function legend(entries: [name: string, colour: string][]): HTMLElement {
  const list = el("ul", { class: "legend" });
  for (const [name, colour] of entries) {
    const mark = el("span", { class: "swatch", "aria-hidden": "true" });
    mark.style.background = colour;
    list.append(el("li", {}, mark, name));
  }
  return list;
}
