// A map of cells by row and column.
import type { Heat } from "../data";
import { variable } from "../palette";
import { withUnit } from "../text";
import { chartWidth, frame, tooltip, type Option } from "./frame";

// Names of links are long; at about seven pixels a letter they are whole.
export function heatOption(chart: Heat): Option {
  const cells = chart.cells.flatMap((row, r) => row.map((value, c) => [c, r, value]));
  const longest = Math.max(0, ...chart.rows.map((row) => row.length));
  const text = variable("--text");
  const left = Math.min(400, chartWidth() / 2, 30 + 7 * longest);
  const widest = 7 * Math.max(0, ...chart.columns.map((column) => column.length));
  const turned = chart.columns.length * (widest + 10) > chartWidth() - left - 30;
  return {
    ...frame(),
    grid: { left, right: 30, top: 20, bottom: 70 + (turned ? 10 + 0.77 * widest : 20) },
    tooltip: {
      ...tooltip(),
      formatter: (item: { value: [number, number, number] }) =>
        `${chart.rows[item.value[1]]}, ${chart.columns[item.value[0]]}: ${withUnit(item.value[2], chart.value.unit)}`,
    },
    xAxis: { type: "category", data: chart.columns, axisLabel: { color: text, rotate: turned ? 50 : 0 } },
    yAxis: { type: "category", data: chart.rows, axisLabel: { color: text }, inverse: true },
    visualMap: {
      min: 0,
      max: Math.max(...cells.map((cell) => cell[2]!), 1e-300),
      orient: "horizontal",
      left: "center",
      bottom: 0,
      calculable: true,
      textStyle: { color: text },
      formatter: (value: number) => withUnit(value, chart.value.unit),
      inRange: { color: ["#f3f7fb", "#004586"] },
    },
    series: [{ type: "heatmap", data: cells }],
  };
}
