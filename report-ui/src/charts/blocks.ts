// Rectangles over time: rows of spans (a Gantt chart), or ranges of an axis.
import type { Blocks } from "../data";
import { variable } from "../palette";
import { plain } from "../text";
import { axisOf, belowLegend, frame, legend, tooltip, type Option } from "./frame";

interface RenderApi {
  value: (dimension: number) => number;
  coord: (point: [number, number]) => [number, number];
}

// The blocks of one kind are a series: the legend hides them. Rows count from the top.
function shape(inset: number, colour: string) {
  return (_: unknown, api: RenderApi) => {
    const [left, top] = api.coord([api.value(0), api.value(3) - inset]);
    const [right, bottom] = api.coord([api.value(1), api.value(2) + inset]);
    const box = { x: left, y: Math.min(top, bottom), width: Math.max(right - left, 0.5), height: Math.abs(bottom - top) };
    return { type: "rect", shape: box, style: { fill: colour } };
  };
}

function rowAxis(rows: string[]): Option {
  return {
    type: "value",
    min: 0,
    max: rows.length,
    interval: 1,
    inverse: true,
    axisLabel: { color: variable("--text"), formatter: (value: number) => rows[value] ?? "", verticalAlign: "top", padding: [6, 0, 0, 0] },
    splitLine: { lineStyle: { color: variable("--line") } },
  };
}

export function blocksOption(chart: Blocks): Option {
  const inRows = chart.rows.length > 0;
  const longest = Math.max(0, ...chart.rows.map((row) => row.length));
  const names = chart.kinds.filter((_, k) => chart.blocks.some((block) => block[4] === k));
  return {
    ...frame(),
    legend: legend(names),
    grid: { left: Math.max(90, Math.min(260, 20 + 7 * longest)), right: 30, top: belowLegend(names), bottom: 90 },
    tooltip: {
      ...tooltip(),
      trigger: "item",
      formatter: (item: { seriesName: string; name: string; value: number[] }) =>
        `${item.seriesName}\n${item.name === "" ? "several: " : `${item.name}\n`}${chart.x.label} ${plain(item.value[0]!)} to ${plain(item.value[1]!)}`,
    },
    xAxis: { ...axisOf(chart.x), nameGap: 28, min: 0, max: "dataMax" },
    yAxis: inRows ? rowAxis(chart.rows) : { ...axisOf(chart.y), nameGap: 64, min: 0 },
    dataZoom: [
      { type: "slider", bottom: 8, height: 22, filterMode: "none" },
      { type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl" },
    ],
    series: chart.kinds.map((kind, k) => ({
      type: "custom",
      name: kind,
      itemStyle: { color: chart.colours[k] },
      renderItem: shape(inRows ? 0.1 : 0, chart.colours[k]!),
      encode: { x: [0, 1], y: [2, 3] },
      clip: true,
      data: chart.blocks
        .filter((block) => block[4] === k)
        .map(([begin, end, low, high, , label]) => ({ value: [begin, end, low, high], name: label })),
    })),
  };
}
