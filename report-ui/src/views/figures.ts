// All pictures of one kind: the figures that the program derived, drawn with ECharts, each with its numbers as a table.
import { chartBox, drawings, optionOf } from "../charts";
import type { Bars, Figure, Page } from "../data";
import { el } from "../dom";
import { Table, type Column } from "../table";
import { plain, withUnit } from "../text";
import type { Selection, View } from "../view";

type Order = "as given" | "largest first" | "by name";

function sorted(chart: Bars, order: Order): Bars {
  if (order === "as given") return chart;
  const sums = chart.bars.map((_, i) => chart.parts.reduce((sum, part) => sum + part.values[i]!, 0));
  const places = chart.bars.map((_, i) => i);
  if (order === "largest first") places.sort((a, b) => sums[b]! - sums[a]!);
  else places.sort((a, b) => chart.bars[a]!.localeCompare(chart.bars[b]!, "en", { numeric: true }));
  return {
    ...chart,
    bars: places.map((i) => chart.bars[i]!),
    parts: chart.parts.map((part) => ({ name: part.name, values: places.map((i) => part.values[i]!) })),
  };
}

function orderBox(changed: (order: Order) => void): HTMLElement {
  const select = el("select");
  for (const order of ["as given", "largest first", "by name"]) select.append(el("option", { value: order }, order));
  select.addEventListener("change", () => changed(select.value as Order));
  return el("div", { class: "controls" }, el("label", {}, "Order", select));
}

function numbersOf(chart: Figure["chart"]): () => HTMLElement {
  if (chart.type === "bars") {
    type Row = { bar: string; values: number[] };
    const columns: Column<Row>[] = [{ name: "", text: (row) => row.bar }];
    chart.parts.forEach((part, p) =>
      columns.push({ name: part.name, text: (row) => withUnit(row.values[p]!, chart.axis.unit), value: (row) => row.values[p]! }),
    );
    const rows = () => chart.bars.map((bar, i) => ({ bar, values: chart.parts.map((part) => part.values[i]!) }));
    return () => new Table({ caption: chart.title, columns, rows: rows() }).element;
  }
  type Point = [string, string, number, number];
  if (chart.type === "plane") {
    const columns: Column<Point>[] = [
      { name: "series", text: (point) => point[0] },
      { name: "what", text: (point) => point[1] },
      { name: chart.x.label, text: (point) => withUnit(point[2], chart.x.unit), value: (point) => point[2] },
      { name: chart.y.label, text: (point) => withUnit(point[3], chart.y.unit), value: (point) => point[3] },
    ];
    const rows = () => chart.series.filter((one) => one.name !== "").flatMap((one) => one.marks.map(([x, y, label]): Point => [one.name, label, x, y]));
    return () => new Table({ caption: chart.title, columns, rows: rows() }).element;
  }
  if (chart.type === "blocks") {
    type Span = { kind: string; row: string; label: string; begin: number; end: number };
    const columns: Column<Span>[] = [
      { name: "kind", text: (span) => span.kind },
      { name: chart.rows.length > 0 ? "row" : chart.y.label, text: (span) => span.row },
      { name: "what", text: (span) => span.label },
      { name: "begin", text: (span) => plain(span.begin), value: (span) => span.begin },
      { name: "end", text: (span) => plain(span.end), value: (span) => span.end },
    ];
    const rows = () =>
      chart.blocks.map(([begin, end, low, , kind, label]): Span => ({ kind: chart.kinds[kind]!, row: chart.rows[low] ?? plain(low), label, begin, end }));
    return () => new Table({ caption: chart.title, columns, rows: rows() }).element;
  }
  type Line = [string, number[]];
  const columns: Column<Line>[] = [{ name: "", text: (line) => line[0] }];
  chart.columns.forEach((name, c) =>
    columns.push({ name, text: (line) => withUnit(line[1][c]!, chart.value.unit), value: (line) => line[1][c]! }),
  );
  return () => new Table({ caption: chart.title, columns, rows: chart.rows.map((row, r): Line => [row, chart.cells[r]!]) }).element;
}

function figureElement(figure: Figure, page: Page, selection: Selection): HTMLElement {
  const chart = figure.chart;
  const box = chartBox(`${chart.title}. ${figure.caption}`);
  const run = page.runs.find((one) => one.title === figure.of);
  drawings.add(box, () => optionOf(chart), (name) => {
    const layer = run?.layers.find((one) => one.name === name);
    if (run && layer) selection.choose(run, layer);
  });
  const sortable = chart.type === "bars" && run !== undefined && chart.bars.length > 3;
  const numbers = el("details", {}, el("summary", {}, "Numbers"));
  numbers.addEventListener("toggle", () => {
    if (numbers.open && numbers.childElementCount === 1) numbers.append(numbersOf(chart)());
  });
  return el(
    "figure",
    { "data-kind": figure.kind },
    el("h3", {}, chart.title),
    sortable ? orderBox((order) => drawings.change(box, () => optionOf(sorted(chart as Bars, order)))) : null,
    box,
    el("figcaption", { class: "caption" }, figure.caption),
    numbers,
  );
}

/** The view of the figures of some kinds. */
export function figuresView(id: string, title: string, kinds: string[]): View {
  return {
    id,
    title,
    make(page, selection) {
      const figures = page.figures.filter((figure) => kinds.includes(figure.kind));
      if (figures.length === 0) return null;
      return el("div", {}, ...figures.map((figure) => figureElement(figure, page, selection)));
    },
  };
}

const kShown = new Set<string>();

/** Figures of kinds that no other view shows: what documents of later versions bring. */
export function otherFigures(shown: string[]): View {
  for (const kind of shown) kShown.add(kind);
  return {
    id: "more",
    title: "More pictures",
    make(page, selection) {
      const figures = page.figures.filter((figure) => !kShown.has(figure.kind));
      if (figures.length === 0) return null;
      return el("div", {}, ...figures.map((figure) => figureElement(figure, page, selection)));
    },
  };
}
