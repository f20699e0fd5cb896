// A map of cells by row and column.
import type { Heat } from "../data";
import { variable } from "../palette";
import { withUnit } from "../text";
import { frame, tooltip, type Option } from "./frame";

// Names of links are long; at about seven pixels a letter they are whole.
export function heatOption(chart: Heat): Option {
  const cells = chart.cells.flatMap((row, r) => row.map((value, c) => [c, r, value]));
  const longest = Math.max(0, ...chart.rows.map((row) => row.length));
  const text = variable("--text");
  return {
    ...frame(),
    legend: undefined,
    grid: { left: Math.min(400, 30 + 7 * longest), right: 30, top: 20, bottom: 120 },
    tooltip: {
      ...tooltip(),
      formatter: (item: { value: [number, number, number] }) =>
        `${chart.rows[item.value[1]]}, ${chart.columns[item.value[0]]}: ${withUnit(item.value[2], chart.value.unit)}`,
    },
    xAxis: { type: "category", data: chart.columns, axisLabel: { color: text, rotate: 50 } },
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
