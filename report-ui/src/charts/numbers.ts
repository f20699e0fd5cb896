// The numbers of a chart as a table: what stands below it, and what is copied.
import type { Chart } from "../data";
import { plain, withUnit } from "../text";

export interface Numbers {
  title: string;
  columns: { name: string; unit: string | null }[];
  rows: (string | number)[][];
}

/** Numbers in words, or text as it is. */
export function cellText(cell: string | number, unit: string | null): string {
  if (typeof cell === "string") return cell;
  return unit === null ? plain(cell) : withUnit(cell, unit);
}

export const inTable = (numbers: Numbers): string[] => numbers.columns.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name));

export function numbersOf(chart: Chart): Numbers {
  const text = (name: string) => ({ name, unit: null });
  if (chart.type === "bars")
    return {
      title: chart.title,
      columns: [text("bar"), ...chart.parts.map((part) => ({ name: part.name, unit: chart.axis.unit }))],
      rows: chart.bars.map((bar, i) => [bar, ...chart.parts.map((part) => part.values[i]!)]),
    };
  if (chart.type === "plane")
    return {
      title: chart.title,
      columns: [text("series"), text("what"), { name: chart.x.label, unit: chart.x.unit }, { name: chart.y.label, unit: chart.y.unit }],
      rows: chart.series.filter((one) => one.name !== "").flatMap((one) => one.marks.map(([x, y, label]) => [one.name, label, x, y])),
    };
  if (chart.type === "blocks")
    return {
      title: chart.title,
      columns: [text("kind"), text(chart.rows.length > 0 ? "row" : chart.y.label), text("what"), text("begin"), text("end")],
      rows: chart.blocks.map(([begin, end, low, , kind, label]) => [chart.kinds[kind]!, chart.rows[low] ?? low, label, begin, end]),
    };
  return {
    title: chart.title,
    columns: [text("row"), ...chart.columns.map((name) => ({ name, unit: chart.value.unit }))],
    rows: chart.rows.map((row, r) => [row, ...chart.cells[r]!]),
  };
}
