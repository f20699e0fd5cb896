// Stacked bars.
import type { Bars } from "../data";
import { variable } from "../palette";
import { withUnit } from "../text";
import { axisOf, belowLegend, chartWidth, frame, legend, tooltip, type Option } from "./frame";

const kLetter = 7; // pixels
const kWindow = 60; // more bars than these get a window that slides

export function barsOption(chart: Bars): Option {
  const many = chart.bars.length > kWindow;
  const longest = kLetter * Math.max(0, ...chart.bars.map((bar) => bar.length));
  const flat = chart.bars.length * (longest + 12) < chartWidth() - 100;
  const below = flat ? 40 : Math.min(120, 30 + 0.77 * longest) + (many ? 30 : 0);
  const names = chart.parts.filter((part) => part.values.some((value) => value > 0)).map((part) => part.name);
  return {
    ...frame(),
    legend: legend(names),
    grid: { left: 80, right: 20, top: belowLegend(names), bottom: below },
    tooltip: {
      ...tooltip(),
      trigger: "axis",
      axisPointer: { type: "shadow" },
      valueFormatter: (value: number) => withUnit(value, chart.axis.unit),
      order: "seriesDesc",
    },
    xAxis: {
      type: "category",
      data: chart.bars,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: variable("--muted") } },
      axisLabel: { color: variable("--text"), rotate: flat ? 0 : 50, width: flat ? 180 : 140, overflow: "truncate", hideOverlap: true },
    },
    yAxis: { ...axisOf(chart.axis), nameGap: 58 },
    dataZoom: many ? [{ type: "slider", bottom: 8, height: 22 }, { type: "inside", zoomOnMouseWheel: "ctrl" }] : [],
    series: chart.parts.map((part) => ({
      type: "bar",
      name: part.name,
      stack: "all",
      barMaxWidth: 110,
      data: part.values,
      itemStyle: { color: part.colour },
      large: chart.bars.length > 2000,
      emphasis: { focus: "series" },
    })),
  };
}
