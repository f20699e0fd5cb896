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

/** What stands at a tick. */
export function tickOf(ruler: Ruler, value: number): string {
  return isWord(ruler) ? compact(value, ruler.digits) : withUnit(value, ruler.unit, ruler.digits);
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
      formatter: (value: number) => tickOf(ruler, value),
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

const kLetter = 6.8; // pixels, of the font of legends
const kRow = 22;
const kMostRows = 4; // of a legend; longer ones turn pages

/** About how wide a chart is. */
export const chartWidth = (): number => Math.max(260, Math.min(1180, window.innerWidth - (window.innerWidth < 1000 ? 60 : 290)));

/** How many rows these names take. */
function rowsOf(names: string[]): number {
  const width = chartWidth();
  let rows = 1;
  let x = 0;
  for (const name of names) {
    const own = 30 + kLetter * name.length;
    if (x > 0 && x + own > width) {
      rows += 1;
      x = 0;
    }
    x += own;
  }
  return rows;
}

/** Names in as many rows as they need. */
export function legend(names: string[]): Option {
  const type = rowsOf(names) > kMostRows ? "scroll" : "plain";
  const colour = variable("--text");
  const paging = { pageTextStyle: { color: colour }, pageIconColor: colour, pageIconInactiveColor: variable("--line") };
  return { type, data: names, top: 0, left: 0, icon: "roundRect", itemWidth: 12, itemHeight: 12, textStyle: { color: colour }, ...paging };
}

/** Where a chart begins below its legend. */
export function belowLegend(names: string[]): number {
  const rows = rowsOf(names);
  return 20 + kRow * (rows > kMostRows ? 1 : rows);
}
