// Notes, folded.
import { el } from "../dom";

export function noteList(notes: string[]): HTMLElement | null {
  if (notes.length === 0) return null;
  const list = el("ul");
  for (const note of notes) list.append(el("li", {}, note));
  return el("details", { class: "notes" }, el("summary", {}, `${notes.length} ${notes.length === 1 ? "note" : "notes"}`), list);
}
