// Energy by level of the machine and tensor as bars that lie: what the machine's picture is saved as.
import type { Piece } from "../bars";
import { variable } from "../palette";
import { axisOf, belowLegend, frame, legend, type Option } from "./frame";

export interface Level {
  name: string;
  about: string;
  /** Picojoules. */
  pieces: Piece[];
}

const kJoules = 1e-12;

export function levelsOption(levels: Level[]): Option {
  const names = [...new Map(levels.flatMap((level) => level.pieces.map((piece) => [piece.name, piece.colour])))];
  const value = (level: Level, name: string): number => (level.pieces.find((piece) => piece.name === name)?.value ?? 0) * kJoules;
  return {
    ...frame(),
    legend: legend(names.map(([name]) => name)),
    grid: { left: 190, right: 30, top: belowLegend(names.map(([name]) => name)), bottom: 50 },
    xAxis: { ...axisOf({ label: "energy", unit: "J", log: false, names: [] }), nameGap: 28 },
    yAxis: {
      type: "category",
      inverse: true,
      data: levels.map((level) => `${level.name}\n${level.about}`),
      axisLabel: { color: variable("--text") },
      axisTick: { show: false },
    },
    series: names.map(([name, colour]) => ({
      type: "bar",
      stack: "all",
      name,
      itemStyle: { color: colour },
      data: levels.map((level) => value(level, name)),
    })),
  };
}
