// What all charts have in common.
//
// Tooltips are drawn on the canvas ("richText"): ECharts' HTML tooltips would need inline styles, which the page's content
// security policy forbids, and would make names markup.
import type { Axis, Ruler } from "../data";
import { variable } from "../palette";
import { compact, withUnit } from "../text";

export type Option = Record<string, unknown>;

const isWord = (axis: Axis | Ruler): boolean => axis.unit === "" || axis.unit.length > 2;

export function axisOf(axis: Axis | Ruler): Option {
  const text = variable("--text");
  return {
    type: axis.log ? "log" : "value",
    name: axis.unit.length <= 2 || axis.unit === axis.label ? axis.label : `${axis.label} [${axis.unit}]`,
    nameLocation: "middle",
    nameTextStyle: { color: text },
    axisLabel: { color: text, formatter: (value: number) => (isWord(axis) ? compact(value) : withUnit(value, axis.unit)) },
    splitLine: { lineStyle: { color: variable("--line") } },
    axisLine: { show: true, lineStyle: { color: variable("--muted") } },
  };
}

/** An axis from where its values begin to where they end. */
export function rulerOf(ruler: Ruler): Option {
  const base = axisOf(ruler);
  return {
    ...base,
    min: ruler.low,
    max: ruler.high,
    axisLabel: {
      color: variable("--text"),
      customValues: ruler.ticks,
      formatter: (value: number) => (isWord(ruler) ? compact(value, ruler.digits) : withUnit(value, ruler.unit, ruler.digits)),
    },
    axisTick: { customValues: ruler.ticks },
    minorSplitLine: { show: false },
  };
}

export function frame(): Option {
  const text = variable("--text");
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { color: text, fontFamily: "system-ui, sans-serif" },
    aria: { enabled: true },
    tooltip: tooltip(),
    legend: legend(),
    grid: { left: 80, right: 30, top: 40, bottom: 110 },
  };
}

export function tooltip(): Option {
  return {
    renderMode: "richText",
    confine: true,
    backgroundColor: variable("--card"),
    borderColor: variable("--line"),
    textStyle: { color: variable("--text"), fontSize: 13 },
  };
}

export function legend(): Option {
  return { type: "scroll", top: 0, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, textStyle: { color: variable("--text") } };
}
