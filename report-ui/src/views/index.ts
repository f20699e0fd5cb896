// The views, in the order of the page. A new one is a file and a line here; pictures that the program derives from a
// document (a Figure) need nothing: those of kinds that no view names are shown under "More pictures".
import type { View } from "../view";
import { bounds } from "./bounds";
import { figuresView, otherFigures } from "./figures";
import { headlines } from "./headlines";
import { layer } from "./layer";
import { layers } from "./layers";
import { overview } from "./overview";
import { provenance } from "./provenance";
import { totals } from "./totals";
import { unmapped } from "./unmapped";

const pictures: [string, string, string[]][] = [
  ["compare", "Side by side", ["compare"]],
  ["network", "Network", ["network"]],
  ["energy", "Energy", ["energy"]],
  ["latency", "Latency", ["latency"]],
  ["traffic", "Traffic", ["traffic"]],
  ["zeros", "Zeros", ["zeros"]],
  ["roofline", "Rooflines", ["roofline"]],
  ["pareto", "Pareto fronts", ["pareto"]],
  ["explored", "Designs", ["explored"]],
  ["parallel", "The front across knobs and metrics", ["parallel"]],
  ["convergence", "Convergence of mappers", ["convergence"]],
  ["serving", "Serving", ["llm"]],
  ["fused", "Fused and not", ["fusion"]],
  ["package", "Cores, links and room", ["package"]],
  ["machines", "Machines that no other beats", ["machines"]],
  ["worth", "What each knob is worth", ["worth"]],
  ["proof", "How it is proven", ["proof"]],
  ["scheduled", "Schedules and their bounds", ["scheduled"]],
  ["tilings", "Every tiling", ["tilings"]],
  ["operands", "Bytes moved and shared", ["operands", "sharing"]],
  ["gantt", "Cores, channels and scratchpad", ["gantt", "scratchpad"]],
  ["simulated", "Simulated cycles", ["simulated"]],
  ["links", "Load of the links", ["links"]],
];

export const views: View[] = [
  totals,
  overview,
  headlines,
  layers,
  layer,
  ...pictures.map(([id, title, kinds]) => figuresView(id, title, kinds)),
  otherFigures(pictures.flatMap(([, , kinds]) => kinds)),
  bounds,
  unmapped,
  provenance,
];
