// What documents say before their pictures: figures one quotes, tables, notes. Of runs, what zeros save.
import type { Headline, Page, TextTable } from "../data";
import { el } from "../dom";
import { Table, type Column } from "../table";
import type { View } from "../view";
import { cardList } from "./cards";
import { noteList } from "./notes";

/** "1,234" -> 1234; null where the text is no number. */
function numberIn(text: string): number | null {
  const value = Number(text.replaceAll(",", ""));
  return text === "" || Number.isNaN(value) ? null : value;
}

function columnsOf(table: TextTable): Column<string[]>[] {
  return table.columns.map((name, c) => {
    const text = (row: string[]): string => row[c] ?? "";
    const plain = table.alignment[c] === "r" && table.rows.every((row) => numberIn(text(row)) !== null);
    return plain ? { name, text, value: (row) => numberIn(text(row))! } : { name, text };
  });
}

// Beside runs there are views of each layer: long tables are folded.
function content(headline: Headline, several: boolean, fold?: number): HTMLElement {
  return el(
    "div",
    {},
    several ? el("h3", { class: "of" }, headline.title) : null,
    cardList(headline.cards),
    ...headline.tables.map((table) => new Table({ caption: table.title, columns: columnsOf(table), rows: table.rows, fold }).element),
    noteList(headline.notes),
  );
}

export const headlines: View = {
  id: "summary",
  title: "Summary",
  make(page: Page) {
    const several = page.runs.length + page.headlines.length > 1;
    if (page.headlines.length === 0) return null;
    return el("div", {}, ...page.headlines.map((headline) => content(headline, several, page.runs.length > 0 ? 12 : undefined)));
  },
};
