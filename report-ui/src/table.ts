// Tables that stay usable with ten thousand rows: sorted by a click, filtered by text, only the rows in sight in the page. Cells may
// hold bars. On narrow screens a row becomes a card (page.css), so every cell knows the name of its column.

import { copyButton } from "./buttons";
import { el } from "./dom";
import { tsv } from "./tsv";

export interface Column<Row> {
  name: string;
  /** What is shown. */
  text: (row: Row) => string;
  /** What is sorted by, for numbers. */
  value?: (row: Row) => number;
  /** Drawn before the text. */
  bar?: (row: Row) => HTMLElement | null;
  /** A style of the cell's text, such as "low". */
  mark?: (row: Row) => string;
}

export interface TableOptions<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  pick?: (row: Row) => void;
  /** The column that is sorted by at first, falling. */
  sortedBy?: string;
  /** So many rows are shown until all are asked for. */
  fold?: number;
}

const kRowHeight = 29;
const kAllAtOnce = 200;
const kFiltered = 8; // shorter tables need no filter

export class Table<Row> {
  readonly element: HTMLElement;
  private readonly body = el("tbody");
  private readonly scroller: HTMLElement;
  private readonly more = el("button", { type: "button", class: "tool more" });
  private shown: Row[];
  private sortedBy = -1;
  private falling = true;
  private folded: boolean;
  private filtered = false;
  private chosen: Row | null = null;

  constructor(private readonly options: TableOptions<Row>) {
    this.shown = [...options.rows];
    this.folded = options.fold !== undefined && options.rows.length > options.fold && options.rows.length <= kAllAtOnce;
    const table = el(
      "table",
      { "aria-rowcount": String(options.rows.length + 1) },
      el("caption", {}, options.caption),
      el("thead", {}, this.head()),
      this.body,
    );
    const many = options.rows.length > kAllAtOnce;
    this.scroller = el("div", { class: many ? "virtual many" : "virtual", tabindex: "0", role: "region", "aria-label": options.caption }, table);
    this.scroller.addEventListener("scroll", () => this.draw());
    window.addEventListener("beforeprint", () => this.draw(true));
    window.addEventListener("afterprint", () => this.draw());
    this.more.addEventListener("click", () => this.unfold());
    this.element = el("div", { class: "table" }, this.controls(), this.scroller, this.folded ? this.more : null);
    this.sort(options.columns.findIndex((column) => column.name === options.sortedBy));
  }

  choose(row: Row | null): void {
    this.chosen = row;
    this.draw();
  }

  private head(): HTMLElement {
    const head = el("tr");
    this.options.columns.forEach((column, index) => {
      const button = el("button", { type: "button" }, column.name);
      button.addEventListener("click", () => this.sort(index));
      head.append(el("th", { scope: "col", "aria-sort": "none", ...(column.value ? { class: "number" } : {}) }, button));
    });
    return head;
  }

  private controls(): HTMLElement | null {
    const { rows, columns, caption } = this.options;
    if (rows.length <= kFiltered) return null;
    const copy = copyButton(caption, () =>
      tsv(
        columns.map((column) => column.name),
        this.shown.map((row) => columns.map((column) => (column.value ? column.value(row) : column.text(row)))),
      ),
    );
    return el("div", { class: "controls" }, ...this.filterBox(), this.sortBox(), copy);
  }

  private filterBox(): HTMLElement[] {
    const input = el("input", { type: "search", placeholder: "part of a name" });
    const status = el("output", {}, `${this.shown.length} rows`);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      this.filtered = wanted !== "";
      this.shown = this.options.rows.filter((row) => this.options.columns.some((column) => column.text(row).toLowerCase().includes(wanted)));
      this.order();
      status.textContent = `${this.shown.length} rows`;
    });
    return [el("label", {}, "Filter", input), status];
  }

  /** For narrow screens, where the heads of columns are not there to click. */
  private sortBox(): HTMLElement {
    const select = el("select");
    this.options.columns.forEach((column, index) => select.append(el("option", { value: String(index) }, column.name)));
    const first = this.options.columns.findIndex((column) => column.name === this.options.sortedBy);
    select.value = String(Math.max(0, first));
    select.addEventListener("change", () => this.sort(Number(select.value)));
    return el("label", { class: "narrow" }, "Sort by", select);
  }

  private unfold(): void {
    this.folded = false;
    this.more.remove();
    this.draw();
  }

  private sort(index: number): void {
    this.falling = this.sortedBy === index ? !this.falling : this.options.columns[index]?.value !== undefined;
    this.sortedBy = index;
    this.element.querySelectorAll("th").forEach((head, i) =>
      head.setAttribute("aria-sort", i !== index ? "none" : this.falling ? "descending" : "ascending"),
    );
    this.order();
  }

  private order(): void {
    const column = this.options.columns[this.sortedBy];
    if (column) {
      const sign = this.falling ? -1 : 1;
      const compare = column.value
        ? (a: Row, b: Row) => column.value!(a) - column.value!(b)
        : (a: Row, b: Row) => column.text(a).localeCompare(column.text(b), "en", { numeric: true });
      this.shown.sort((a, b) => sign * compare(a, b));
    }
    this.draw();
  }

  private draw(all = false): void {
    const folded = this.folded && !this.filtered && !all;
    const end = folded ? this.options.fold! : this.shown.length;
    const whole = all || end <= kAllAtOnce;
    const first = whole ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / kRowHeight) - 10);
    const last = whole ? end : Math.min(end, first + 60);
    const rows = [spacer(first)];
    for (let i = first; i < last; ++i) rows.push(this.row(this.shown[i]!, i));
    rows.push(spacer(end - last));
    this.body.replaceChildren(...rows.filter((row) => row !== null));
    this.more.textContent = `Show all ${this.shown.length}`;
    this.more.hidden = !folded;
  }

  private row(row: Row, index: number): HTMLElement {
    const line = el("tr", { "aria-rowindex": String(index + 2) });
    for (const column of this.options.columns) line.append(cell(column, row));
    if (this.options.pick) this.makePickable(line, row, this.options.pick);
    return line;
  }

  private makePickable(line: HTMLElement, row: Row, pick: (row: Row) => void): void {
    line.classList.add("pick");
    line.classList.toggle("chosen", row === this.chosen);
    line.tabIndex = 0;
    line.addEventListener("click", () => pick(row));
    line.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick(row);
    });
  }
}

function cell<Row>(column: Column<Row>, row: Row): HTMLElement {
  const drawn = column.bar?.(row) ?? null;
  const classes = [column.value && "number", drawn && "barred", column.mark?.(row)].filter(Boolean).join(" ");
  const attributes = { ...(classes ? { class: classes } : {}), "data-column": column.name };
  return el("td", attributes, drawn, drawn ? el("span", { class: "amount" }, column.text(row)) : column.text(row));
}

function spacer(rows: number): HTMLElement | null {
  if (rows <= 0) return null;
  const line = el("tr", { "aria-hidden": "true" });
  line.style.height = `${rows * kRowHeight}px`;
  return line;
}
