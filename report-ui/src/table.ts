// Tables that stay usable with ten thousand rows: sorted by a click, filtered by text, only the rows in sight in the page.

import { el } from "./dom";

export interface Column<Row> {
  name: string;
  /** What is shown. */
  text: (row: Row) => string;
  /** What is sorted by, for numbers. */
  value?: (row: Row) => number;
}

export interface TableOptions<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  pick?: (row: Row) => void;
}

const kRowHeight = 29;
const kAllAtOnce = 200;

export class Table<Row> {
  readonly element: HTMLElement;
  private readonly body = el("tbody");
  private readonly scroller: HTMLElement;
  private shown: Row[];
  private sortedBy = -1;
  private falling = true;
  private chosen: Row | null = null;

  constructor(private readonly options: TableOptions<Row>) {
    this.shown = [...options.rows];
    const head = el("tr");
    options.columns.forEach((column, index) => {
      const button = el("button", { type: "button" }, column.name);
      button.addEventListener("click", () => this.sort(index));
      head.append(el("th", { scope: "col", "aria-sort": "none", ...(column.value ? { class: "number" } : {}) }, button));
    });
    const table = el(
      "table",
      { "aria-rowcount": String(options.rows.length + 1) },
      el("caption", {}, options.caption),
      el("thead", {}, head),
      this.body,
    );
    const many = options.rows.length > kAllAtOnce;
    this.scroller = el("div", { class: many ? "virtual many" : "virtual", tabindex: "0", role: "region", "aria-label": options.caption }, table);
    this.scroller.addEventListener("scroll", () => this.draw());
    window.addEventListener("beforeprint", () => this.draw(true));
    window.addEventListener("afterprint", () => this.draw());
    this.element = el("div", {}, options.rows.length > 8 ? this.filterBox() : null, this.scroller);
    this.draw();
  }

  choose(row: Row | null): void {
    this.chosen = row;
    this.draw();
  }

  private filterBox(): HTMLElement {
    const input = el("input", { type: "search", placeholder: "part of a name" });
    const status = el("output", {}, `${this.shown.length} rows`);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      this.shown = this.options.rows.filter((row) => this.options.columns.some((column) => column.text(row).toLowerCase().includes(wanted)));
      this.order();
      status.textContent = `${this.shown.length} rows`;
    });
    return el("div", { class: "controls" }, el("label", {}, "Filter", input), status);
  }

  private sort(index: number): void {
    this.falling = this.sortedBy === index ? !this.falling : this.options.columns[index]!.value !== undefined;
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
    const whole = all || this.shown.length <= kAllAtOnce;
    const first = whole ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / kRowHeight) - 10);
    const last = whole ? this.shown.length : Math.min(this.shown.length, first + 60);
    const rows = [spacer(first)];
    for (let i = first; i < last; ++i) rows.push(this.row(this.shown[i]!, i));
    rows.push(spacer(this.shown.length - last));
    this.body.replaceChildren(...rows.filter((row) => row !== null));
  }

  private row(row: Row, index: number): HTMLElement {
    const line = el("tr", { "aria-rowindex": String(index + 2) });
    for (const column of this.options.columns)
      line.append(el("td", column.value ? { class: "number" } : {}, column.text(row)));
    const pick = this.options.pick;
    if (pick) {
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
    return line;
  }
}

function spacer(rows: number): HTMLElement | null {
  if (rows <= 0) return null;
  const line = el("tr", { "aria-hidden": "true" });
  line.style.height = `${rows * kRowHeight}px`;
  return line;
}
