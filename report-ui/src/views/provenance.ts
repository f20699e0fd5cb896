// All that decides the numbers: inputs with the hashes of their bytes, options, seed, version; and the machine.
import type { Page } from "../data";
import { el, facts } from "../dom";
import { Table } from "../table";
import { count, plain } from "../text";
import type { View } from "../view";

export const provenance: View = {
  id: "provenance",
  title: "Machine and provenance",
  make(page: Page) {
    if (page.runs.length === 0) return null;
    const box = el("div");
    for (const run of page.runs) {
      const bandwidth = (value: number | null) => (value === null ? "" : plain(value));
      box.append(
        el("h3", {}, run.title),
        facts([
          ["document", run.file],
          ["tilewright", run.tool_version],
          ["verb", run.command],
          ["accounting", run.accounting],
          ...Object.entries(run.options),
          ...run.inputs.map((input): [string, string] => [`input ${input.name}`, input.xxh3_128]),
          ["technology", run.technology],
          ["compute units", count(run.units)],
          ["area", run.area_um2 ? `${plain(run.area_um2 * 1e-6)} mm2` : ""],
        ]),
        new Table({
          caption: "Memories, outermost first; words and words per cycle of one instance.",
          rows: run.memories,
          columns: [
            { name: "memory", text: (memory) => memory.name },
            { name: "instances", text: (memory) => count(memory.instances), value: (memory) => memory.instances },
            { name: "capacity", text: (memory) => (memory.capacity_words === null ? "" : count(memory.capacity_words)), value: (memory) => memory.capacity_words ?? 0 },
            { name: "reads", text: (memory) => bandwidth(memory.read_words_per_cycle), value: (memory) => memory.read_words_per_cycle ?? 0 },
            { name: "writes", text: (memory) => bandwidth(memory.write_words_per_cycle), value: (memory) => memory.write_words_per_cycle ?? 0 },
            { name: "both", text: (memory) => bandwidth(memory.shared_words_per_cycle), value: (memory) => memory.shared_words_per_cycle ?? 0 },
          ],
        }).element,
      );
    }
    return box;
  },
};
