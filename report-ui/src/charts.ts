// Charts of page values with ECharts. Only what is used is imported, so that the bundle stays small.
//
// Tooltips are drawn on the canvas ("richText"): ECharts' HTML tooltips would need inline styles, which the page's content
// security policy forbids, and would make names markup.

import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

import type { Axis, Bars, Blocks, Heat, Plane } from "./data";
import { el } from "./dom";
import { plain, withUnit } from "./text";

echarts.use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  CustomChart,
  DataZoomComponent,
  GridComponent,
  HeatmapChart,
  LegendComponent,
  LineChart,
  ScatterChart,
  TooltipComponent,
  VisualMapComponent,
]);

// Okabe and Ito's colours, as in src/report/plot/canvas.cpp.
export const kColours = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c",
  "#7fb8d8", "#f2cf80", "#80cfb9", "#e6bcd3", "#abd9f4", "#eaaf80", "#c6c6c6",
];

type Option = Record<string, unknown>;
type Pick = (name: string) => void;

function colour(k: number): string {
  return kColours[k % kColours.length]!;
}

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axisOf(axis: Axis): Option {
  const text = variable("--text");
  return {
    type: axis.log ? "log" : "value",
    name: axis.unit.length <= 2 || axis.unit === axis.label ? axis.label : `${axis.label} [${axis.unit}]`,
    nameLocation: "middle",
    nameTextStyle: { color: text },
    axisLabel: { color: text, formatter: (value: number) => (axis.unit === "" || axis.unit.length > 2 ? compact(value) : withUnit(value, axis.unit)) },
    splitLine: { lineStyle: { color: variable("--line") } },
    axisLine: { lineStyle: { color: text } },
  };
}

// Counts on axes: "2.5 M".
function compact(value: number): string {
  return value >= 1e4 ? withUnit(value, " ").trim() : plain(value);
}

function frame(): Option {
  const text = variable("--text");
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { color: text },
    color: kColours,
    aria: { enabled: true },
    tooltip: { renderMode: "richText", confine: true, backgroundColor: variable("--back"), textStyle: { color: text } },
    legend: { type: "scroll", top: 0, textStyle: { color: text } },
    grid: { left: 80, right: 30, top: 40, bottom: 110 },
  };
}

function barsOption(chart: Bars): Option {
  const many = chart.bars.length > 60;
  const flat = chart.bars.length <= 5;
  return {
    ...frame(),
    grid: { left: 80, right: 30, top: 40, bottom: flat ? 40 : 110 },
    tooltip: {
      ...(frame()["tooltip"] as Option),
      trigger: "axis",
      axisPointer: { type: "shadow" },
      valueFormatter: (value: number) => withUnit(value, chart.axis.unit),
      order: "seriesDesc",
    },
    xAxis: {
      type: "category",
      data: chart.bars,
      axisLabel: {
        color: variable("--text"),
        rotate: flat ? 0 : 50,
        width: flat ? 180 : 110,
        overflow: "truncate",
        hideOverlap: true,
      },
    },
    yAxis: { ...axisOf(chart.axis), nameGap: 58 },
    dataZoom: many ? [{ type: "slider", bottom: 8, height: 22 }, { type: "inside" }] : [],
    series: chart.parts.map((part) => ({
      type: "bar",
      name: part.name,
      stack: "all",
      data: part.values,
      large: chart.bars.length > 2000,
      emphasis: { focus: "series" },
    })),
  };
}

// Upright axes by name, at 1, 2, ...
function named(axis: Axis): Option | null {
  if (axis.names.length === 0) return null;
  const base = axisOf(axis);
  return {
    ...base,
    name: "",
    min: 1,
    max: Math.max(axis.names.length, 2),
    interval: 1,
    axisLabel: { ...(base["axisLabel"] as Option), formatter: (value: number) => axis.names[value - 1] ?? "" },
  };
}

function planeOption(chart: Plane): Option {
  const marks = (kept: [number, number, string][]) =>
    kept.filter(([x, y]) => (!chart.x.log || x > 0) && (!chart.y.log || y > 0)).map(([x, y, label]) => ({ value: [x, y], name: label }));
  return {
    ...frame(),
    grid: { left: 90, right: chart.x.names.length > 0 ? 80 : 30, top: 50, bottom: 50 },
    legend: { ...(frame()["legend"] as Option), data: chart.series.map((one) => one.name).filter((name) => name !== "") },
    tooltip: {
      ...(frame()["tooltip"] as Option),
      trigger: "item",
      formatter: (item: { seriesName: string; name: string; value: [number, number] }) =>
        `${[item.seriesName, item.name].filter((part) => part !== "").join(": ")}\n${chart.x.label} ${withUnit(item.value[0], chart.x.unit)}\n${chart.y.label} ${withUnit(item.value[1], chart.y.unit)}`,
    },
    xAxis: named(chart.x) ?? { ...axisOf(chart.x), nameGap: 28, min: chart.x.log ? undefined : 0 },
    yAxis: { ...axisOf(chart.y), nameGap: 64, min: chart.y.log ? undefined : 0 },
    dataZoom: chart.x.names.length > 0 ? [] : [{ type: "inside", xAxisIndex: 0 }],
    series: chart.series.map((one, index) => ({
      type: one.line ? "line" : "scatter",
      name: one.name,
      data: marks(one.marks),
      showSymbol: false,
      symbolSize: 9,
      large: one.marks.length > 5000,
      sampling: one.line ? "lttb" : undefined,
      silent: one.name === "",
      itemStyle: { color: colour(one.colour < 0 ? index : one.colour), opacity: 0.8 },
      lineStyle: { color: colour(one.colour < 0 ? index : one.colour), width: 2 },
    })),
  };
}

// Names of links are long; at about seven pixels a letter they are whole.
function heatOption(chart: Heat): Option {
  const cells = chart.cells.flatMap((row, r) => row.map((value, c) => [c, r, value]));
  const longest = Math.max(0, ...chart.rows.map((row) => row.length));
  const text = variable("--text");
  return {
    ...frame(),
    legend: undefined,
    grid: { left: Math.min(400, 30 + 7 * longest), right: 30, top: 20, bottom: 120 },
    tooltip: {
      ...(frame()["tooltip"] as Option),
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
      textStyle: { color: text },
      formatter: (value: number) => withUnit(value, chart.value.unit),
      inRange: { color: ["#f3f7fb", "#004586"] },
    },
    series: [{ type: "heatmap", data: cells }],
  };
}

interface RenderApi {
  value: (dimension: number) => number;
  coord: (point: [number, number]) => [number, number];
}

// The blocks of one kind are a series: the legend hides them. Rows count from the top.
function blocksOption(chart: Blocks): Option {
  const text = variable("--text");
  const inRows = chart.rows.length > 0;
  const inset = inRows ? 0.1 : 0;
  const shape = (colour: string) => (_: unknown, api: RenderApi) => {
    const [left, top] = api.coord([api.value(0), api.value(3) - inset]);
    const [right, bottom] = api.coord([api.value(1), api.value(2) + inset]);
    const shape = { x: left, y: Math.min(top, bottom), width: Math.max(right - left, 0.5), height: Math.abs(bottom - top) };
    return { type: "rect", shape, style: { fill: colour } };
  };
  return {
    ...frame(),
    grid: { left: 90, right: 30, top: 40, bottom: 90 },
    tooltip: {
      ...(frame()["tooltip"] as Option),
      trigger: "item",
      formatter: (item: { seriesName: string; name: string; value: number[] }) =>
        `${item.seriesName}\n${item.name === "" ? "several: " : `${item.name}\n`}${chart.x.label} ${plain(item.value[0]!)} to ${plain(item.value[1]!)}`,
    },
    xAxis: { ...axisOf(chart.x), nameGap: 28, min: 0, max: "dataMax" },
    yAxis: inRows
      ? {
          type: "value",
          min: 0,
          max: chart.rows.length,
          interval: 1,
          inverse: true,
          axisLabel: { color: text, formatter: (value: number) => chart.rows[value] ?? "", verticalAlign: "top", padding: [6, 0, 0, 0] },
          splitLine: { lineStyle: { color: variable("--line") } },
        }
      : { ...axisOf(chart.y), nameGap: 64, min: 0 },
    dataZoom: [{ type: "slider", bottom: 8, height: 22, filterMode: "none" }, { type: "inside", filterMode: "none" }],
    series: chart.kinds.map((kind, k) => ({
      type: "custom",
      name: kind,
      itemStyle: { color: colour(k) },
      renderItem: shape(colour(k)),
      encode: { x: [0, 1], y: [2, 3] },
      clip: true,
      data: chart.blocks
        .filter((block) => block[4] === k)
        .map(([begin, end, low, high, , label]) => ({ value: [begin, end, low, high], name: label })),
    })),
  };
}

export function optionOf(chart: Bars | Plane | Heat | Blocks): Option {
  if (chart.type === "bars") return barsOption(chart);
  if (chart.type === "plane") return planeOption(chart);
  if (chart.type === "blocks") return blocksOption(chart);
  return heatOption(chart);
}

/** Makes options anew when colours change, and draws only what has come into view (all of it before printing). */
class Drawings {
  private readonly waiting = new Map<Element, () => void>();
  private readonly drawn = new Map<HTMLElement, { chart: echarts.ECharts; option: () => Option }>();
  private readonly observer = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => this.start(entry.target)),
    { rootMargin: "300px" },
  );

  constructor() {
    window.addEventListener("resize", () => this.drawn.forEach(({ chart }) => chart.resize()));
    window.addEventListener("beforeprint", () => this.all());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
      this.drawn.forEach(({ chart, option }) => chart.setOption(option(), { notMerge: true })),
    );
  }

  all(): void {
    for (const element of [...this.waiting.keys()]) this.start(element);
    this.drawn.forEach(({ chart }) => chart.resize());
  }

  add(box: HTMLElement, option: () => Option, picked?: Pick): void {
    this.waiting.set(box, () => {
      const chart = echarts.init(box, null, { renderer: "canvas" });
      chart.setOption(option());
      if (picked) chart.on("click", (event) => picked(event.name));
      this.drawn.set(box, { chart, option });
    });
    this.observer.observe(box);
  }

  change(box: HTMLElement, option: () => Option): void {
    const known = this.drawn.get(box);
    if (!known) return;
    this.drawn.set(box, { chart: known.chart, option });
    known.chart.setOption(option(), { notMerge: true });
  }

  private start(element: Element): void {
    const begin = this.waiting.get(element);
    this.waiting.delete(element);
    this.observer.unobserve(element);
    begin?.();
  }
}

export const drawings = new Drawings();

/** A box for a chart; `label` is what a screen reader says. */
export function chartBox(label: string): HTMLElement {
  return el("div", { class: "chart", role: "img", "aria-label": label });
}
