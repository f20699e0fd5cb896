// Marks and lines between two axes, and lines across several upright ones.
import type { Plane, Ruler } from "../data";
import { variable } from "../palette";
import { withUnit } from "../text";
import { sidesOf, type Point } from "./labels";
import { axisOf, belowLegend, chartWidth, frame, legend, rulerOf, tickOf, tooltip, type Option } from "./frame";

type Series = Plane["series"][number];
type Mark = Series["marks"][number];
interface Item {
  seriesIndex: number;
  seriesName: string;
  name: string;
  value: [number, number];
}

// Upright axes by name, at 1, 2, ...
function named(axis: Ruler): Option {
  const base = axisOf(axis);
  return {
    ...base,
    name: "",
    min: axis.low,
    max: axis.high,
    interval: 1,
    splitLine: { lineStyle: { color: variable("--muted") } },
    axisLabel: { ...(base["axisLabel"] as Option), margin: 16, formatter: (value: number) => axis.names[value - 1] ?? "" },
  };
}

/** "12: units=16, P_c=4" -> a line for each. */
const inLines = (label: string): string => label.replace(/^(\d+): /, "design $1\n").replace(/, /g, "\n");

/** Where a value lies on its axis, from 0 to 1. */
function place(ruler: Ruler, value: number): number {
  const at = (one: number): number => (ruler.log ? Math.log(one) : one);
  return (at(value) - at(ruler.low)) / (at(ruler.high) - at(ruler.low));
}

const isDrawn = (chart: Plane, [x, y]: Mark): boolean => (!chart.x.log || x > 0) && (!chart.y.log || y > 0);

/** Of the plot between the axes, about. */
const plotSize = (): { width: number; height: number } => ({ width: Math.max(160, chartWidth() - 120), height: 320 });

/** Points of a line, close together. */
function along(points: Point[]): Point[] {
  return points.slice(1).flatMap((to, i) => {
    const from = points[i]!;
    const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 8) + 1;
    return Array.from({ length: steps }, (_, k) => ({ x: from.x + ((to.x - from.x) * k) / steps, y: from.y + ((to.y - from.y) * k) / steps, text: "" }));
  });
}

function marksOf(chart: Plane, one: Series): Option[] {
  const drawn = one.marks.filter((mark) => isDrawn(chart, mark));
  if (!one.labelled) return drawn.map(([x, y, label]) => ({ value: [x, y], name: label }));
  const { width, height } = plotSize();
  const pointOf = ([x, y, text]: Mark): Point => ({ x: place(chart.x, x) * width, y: (1 - place(chart.y, y)) * height, text });
  const others = chart.series.filter((other) => other !== one && !other.line).flatMap((other) => other.marks);
  const lines = chart.series.filter((other) => other.line).flatMap((other) => along(other.marks.filter((mark) => isDrawn(chart, mark)).map(pointOf)));
  const marks = others.filter((mark) => isDrawn(chart, mark)).map(pointOf);
  const sides = sidesOf(drawn.map(pointOf), { marks, lines, width, height });
  return drawn.map(([x, y, label], i) => ({ value: [x, y], name: label, label: sides[i] ? { show: true, position: sides[i] } : { show: false } }));
}

function words(chart: Plane, item: Item): string {
  const of = chart.series[item.seriesIndex];
  if (chart.x.names.length > 0) return [item.seriesName, ...(of?.marks.map((mark) => mark[2]) ?? [])].join("\n");
  const what = [item.seriesName, inLines(item.name)].filter((part) => part !== "").join("\n");
  return `${what}\n${chart.x.label} ${withUnit(item.value[0], chart.x.unit)}\n${chart.y.label} ${withUnit(item.value[1], chart.y.unit)}`;
}

function seriesOf(chart: Plane, one: Series): Option {
  const parallel = chart.x.names.length > 0;
  return {
    type: one.line ? "line" : "scatter",
    name: one.name,
    data: marksOf(chart, one),
    showSymbol: parallel,
    symbolSize: parallel ? 6 : 9,
    large: one.marks.length > 5000,
    sampling: one.line && !parallel ? "lttb" : undefined,
    silent: one.name === "",
    triggerLineEvent: parallel,
    emphasis: { focus: parallel ? "series" : "none" },
    label: { show: one.labelled, position: "right", formatter: "{b}", color: variable("--text"), fontSize: 11 },
    itemStyle: { color: one.colour, opacity: 0.85 },
    lineStyle: { color: one.colour, width: 2 },
  };
}

/** What values the upright axes have. */
function scales(chart: Plane): Option {
  return {
    type: "scatter",
    silent: true,
    symbolSize: 1,
    tooltip: { show: false },
    itemStyle: { color: "transparent" },
    label: { show: true, position: "right", distance: 8, formatter: "{b}", color: variable("--text"), fontSize: 11, backgroundColor: variable("--card"), padding: 1 },
    z: 5,
    data: chart.scales.map(([x, y, label]) => ({ value: [x, y], name: label })),
  };
}

export function planeOption(chart: Plane): Option {
  const parallel = chart.x.names.length > 0;
  const ticks = 6.8 * Math.max(4, ...chart.y.ticks.map((tick) => tickOf(chart.y, tick).length)); // pixels
  const names = [...new Set(chart.series.map((one) => one.name).filter((name) => name !== ""))];
  const left = parallel ? Math.max(40, 4 * (chart.x.names[0]?.length ?? 0)) : 44 + ticks;
  return {
    ...frame(),
    grid: { left, right: parallel ? 90 : 30, top: belowLegend(names) + 4, bottom: 50 },
    legend: legend(names),
    tooltip: { ...tooltip(), trigger: "item", formatter: (item: Item) => words(chart, item) },
    xAxis: parallel ? named(chart.x) : { ...rulerOf(chart.x), nameGap: 28 },
    yAxis: parallel ? { type: "value", min: 0, max: 1, show: false } : { ...rulerOf(chart.y), nameGap: 18 + ticks },
    dataZoom: parallel ? [] : [{ type: "inside", xAxisIndex: 0, zoomOnMouseWheel: "ctrl" }],
    series: [...chart.series.map((one) => seriesOf(chart, one)), ...(parallel ? [scales(chart)] : [])],
  };
}
