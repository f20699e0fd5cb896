// Charts in the page with ECharts. Only what is used is imported, so that the bundle stays small. Charts are drawn when they come
// into view, the others one by one while nothing else is to be done (captures and prints have all), and anew when colours change.
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, LegendComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

import type { Chart } from "../data";
import { el } from "../dom";
import { variable } from "../palette";
import { barsOption } from "./bars";
import { blocksOption } from "./blocks";
import type { Option } from "./frame";
import { heatOption } from "./heat";
import { planeOption } from "./plane";

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
  SVGRenderer,
  ScatterChart,
  TooltipComponent,
  VisualMapComponent,
]);

type Pick = (name: string) => void;

export function optionOf(chart: Chart): Option {
  if (chart.type === "bars") return barsOption(chart);
  if (chart.type === "plane") return planeOption(chart);
  if (chart.type === "blocks") return blocksOption(chart);
  return heatOption(chart);
}

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
    if (this.waiting.size === 1) this.later();
  }

  /** One that is below the fold, and the next one when there is time again. */
  private later(): void {
    setTimeout(() => {
      const next = this.waiting.keys().next();
      if (next.done) return;
      this.start(next.value);
      if (this.waiting.size > 0) this.later();
    });
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

const kSaved = { width: 1000, height: 480 };

/** The chart as an SVG file. */
export function svgOf(option: Option): Blob {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...kSaved });
  chart.setOption({ ...option, backgroundColor: variable("--card") });
  const text = chart.renderToSVGString();
  chart.dispose();
  return new Blob([text], { type: "image/svg+xml" });
}

/** The chart as a PNG file, of twice its pixels. */
export function pngOf(option: Option): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = kSaved.width;
  canvas.height = kSaved.height;
  const chart = echarts.init(canvas, null, { renderer: "canvas", devicePixelRatio: 2, ...kSaved });
  chart.setOption({ ...option, backgroundColor: variable("--card") });
  chart.getZr().flush(); // draws now, not with the next frame
  const drawn = chart.getRenderedCanvas({ pixelRatio: 2, backgroundColor: variable("--card") });
  chart.dispose();
  return new Promise((done) => drawn.toBlob(done));
}
