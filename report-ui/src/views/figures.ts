// All pictures of one kind: the figures that the program derived, drawn with ECharts, each with its numbers as a table, and each to
// be saved or copied.
import { chartBox, drawings, optionOf } from "../charts/drawings";
import { cellText, inTable, numbersOf } from "../charts/numbers";
import { saveButtons } from "../charts/saving";
import type { Bars, Chart, Figure, Page } from "../data";
import { el } from "../dom";
import { Table, type Column } from "../table";
import { tsv } from "../tsv";
import type { Selection, View } from "../view";

type Order = "as given" | "largest first" | "by name";

/** Kinds whose pictures are looked at one at a time. */
const kOneAtATime = new Set(["roofline"]);

function sorted(chart: Bars, order: Order): Bars {
  if (order === "as given") return chart;
  const sums = chart.bars.map((_, i) => chart.parts.reduce((sum, part) => sum + part.values[i]!, 0));
  const places = chart.bars.map((_, i) => i);
  if (order === "largest first") places.sort((a, b) => sums[b]! - sums[a]!);
  else places.sort((a, b) => chart.bars[a]!.localeCompare(chart.bars[b]!, "en", { numeric: true }));
  return {
    ...chart,
    bars: places.map((i) => chart.bars[i]!),
    parts: chart.parts.map((part) => ({ ...part, values: places.map((i) => part.values[i]!) })),
  };
}

function chooser(label: string, names: string[], changed: (index: number) => void): HTMLElement {
  const select = el("select");
  names.forEach((name, index) => select.append(el("option", { value: String(index) }, name)));
  select.addEventListener("change", () => changed(Number(select.value)));
  return el("label", {}, label, select);
}

function numbersTable(chart: Chart): HTMLElement {
  const numbers = numbersOf(chart);
  type Row = (string | number)[];
  const columns = numbers.columns.map(({ name, unit }, c): Column<Row> => {
    const text = (row: Row): string => cellText(row[c]!, unit);
    const isNumber = typeof numbers.rows[0]?.[c] === "number";
    return isNumber ? { name, text, value: (row) => row[c] as number } : { name, text };
  });
  return new Table({ caption: numbers.title, columns, rows: numbers.rows }).element;
}

/** A chart with all that can be done with it. */
class Picture {
  readonly element: HTMLElement;
  private chart: Chart;
  private readonly box: HTMLElement;
  private readonly title = el("h3");
  private readonly caption = el("figcaption", { class: "caption" });
  private readonly numbers = el("details", {}, el("summary", {}, "Numbers"));

  constructor(
    private figure: Figure,
    others: Figure[],
    page: Page,
    selection: Selection,
  ) {
    this.chart = figure.chart;
    this.box = chartBox("");
    this.show(figure);
    const run = page.runs.find((one) => one.title === figure.of);
    drawings.add(this.box, () => optionOf(this.chart), (name) => {
      const layer = run?.layers.find((one) => one.name === name);
      if (run && layer) selection.choose(run, layer);
    });
    this.numbers.addEventListener("toggle", () => {
      if (this.numbers.open && this.numbers.childElementCount === 1) this.numbers.append(numbersTable(this.chart));
    });
    const sortable = figure.chart.type === "bars" && run !== undefined && figure.chart.bars.length > 3;
    const choices = [
      others.length > 1 ? chooser("Roof", others.map((one) => one.chart.title.split(":")[0]!.replace("Roofline of ", "")), (i) => this.change(others[i]!)) : null,
      sortable ? this.orders() : null,
    ].filter((one) => one !== null);
    this.element = el(
      "figure",
      { "data-kind": figure.kind, class: "panel" },
      el("div", { class: "ends" }, this.title, this.tools()),
      choices.length > 0 ? el("div", { class: "controls" }, ...choices) : null,
      this.box,
      this.caption,
      this.numbers,
    );
  }

  private show(figure: Figure): void {
    this.figure = figure;
    this.chart = figure.chart;
    this.title.textContent = figure.chart.title;
    this.caption.textContent = figure.caption;
    this.box.setAttribute("aria-label", `${figure.chart.title}. ${figure.caption}`);
  }

  private change(figure: Figure): void {
    this.show(figure);
    this.numbers.open = false;
    this.numbers.replaceChildren(this.numbers.firstElementChild!);
    drawings.change(this.box, () => optionOf(this.chart));
  }

  private orders(): HTMLElement {
    const orders: Order[] = ["as given", "largest first", "by name"];
    return chooser("Order", orders, (i) => {
      this.chart = sorted(this.figure.chart as Bars, orders[i]!);
      drawings.change(this.box, () => optionOf(this.chart));
    });
  }

  private tools(): HTMLElement {
    return saveButtons(
      () => this.figure.chart.title,
      () => optionOf(this.chart),
      () => {
        const numbers = numbersOf(this.chart);
        return tsv(inTable(numbers), numbers.rows);
      },
    );
  }
}

/** Where one is shown at a time, those of a run are one picture. */
function groupsOf(figures: Figure[]): Figure[][] {
  const groups: Figure[][] = [];
  for (const figure of figures) {
    const known = groups.find(([first]) => kOneAtATime.has(figure.kind) && first!.kind === figure.kind && first!.of === figure.of);
    if (known) known.push(figure);
    else groups.push([figure]);
  }
  return groups;
}

function picturesOf(figures: Figure[], page: Page, selection: Selection): HTMLElement | null {
  if (figures.length === 0) return null;
  return el("div", {}, ...groupsOf(figures).map((group) => new Picture(group[0]!, group, page, selection).element));
}

/** The view of the figures of some kinds. */
export function figuresView(id: string, title: string, kinds: string[]): View {
  return { id, title, make: (page, selection) => picturesOf(page.figures.filter((figure) => kinds.includes(figure.kind)), page, selection) };
}

/** Figures of kinds that no other view shows: what documents of later versions bring. */
export function otherFigures(shown: string[]): View {
  const known = new Set(shown);
  return { id: "more", title: "More pictures", make: (page, selection) => picturesOf(page.figures.filter((figure) => !known.has(figure.kind)), page, selection) };
}
