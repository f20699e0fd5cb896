#!/usr/bin/env python3
"""Design spaces: those of MAESTRO's case study (its Table 3 and Fig. 13), and a thousand Eyeriss- and Simba-like machines.

    bench/studies/explore/study.py [--out out/explore-study] [--figures table3,fig13,machines]

prints tables as Markdown and draws pictures. Every exploration keeps its rows in a file of its own, so an interrupted
study goes on where it was.
"""

import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command

EXAMPLES = command.ROOT / "examples" / "explore"
LIMITS = "area<16,power<450"
# Explored and valid designs, and minutes, of the paper's Table 3.
PAPER = {"nvdla_c2": (3_936_256, 175_861, 12.2), "nvdla_c11": (251_920_384, 260_028, 18.3),
         "rs_c2": (3_555_328, 319_268, 23.7), "rs_c11": (227_540_992, 115_209, 8.2)}
TILES = {"nvdla_c2": "1..64", "nvdla_c11": "1..512", "rs_c2": "1..64", "rs_c11": "1..512"}
MACHINES = {
    "simba": ["--set", "PE.meshX=1..16*2", "--set", "GlobalBuffer.depth=1k..64k*2", "--set", "PEInputBuffer.depth=2k..64k*2",
              "--set", "PEWeightBuffer.depth=1k..16k*2"],
    "eyeriss": ["--reestimate", "--set", "PE_column.meshX=8..32+4", "--set", "PE.meshY=6..16+2",
                "--set", "shared_glb.depth=4k..64k*2", "--set", "weights_spad.depth=48,96,192,384,768"],
}


class Explorations:
    """Runs explorations, each with its store and its pictures in the study's folder."""

    def __init__(self, options):
        self.program, self.threads = options.program, options.threads
        self.folder = pathlib.Path(options.out)
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, name, arguments):
        """Explores; returns the store's rows as a connection."""
        store = self.folder / f"{name}.sqlite"
        words = [self.program, "explore", *map(str, arguments), "--store", str(store), "--quiet",
                 "--svg", str(self.folder / name), "--threads", str(self.threads)]
        print(" ".join(words), file=sys.stderr, flush=True)
        subprocess.run(words, check=True)
        return sqlite3.connect(store)

    def draw(self, name, objectives, color):
        """Another picture of what was explored."""
        folder = self.folder / name / objectives.replace(",", "_over_")
        subprocess.run([self.program, "explore", "show", str(self.folder / f"{name}.sqlite"), "--quiet", "--pareto", objectives,
                        "--color", color, "--svg", str(folder)], check=True)


def dataflow_designs(runs, name):
    units = "16..256+8" if name.startswith("nvdla") else "40..256+8"
    return runs.run(name, [EXAMPLES / f"{name}.m", "--set", f"units={units}", "--set", f"P_c={TILES[name]}", "--set",
                           f"P_k={TILES[name]}", "--set", "noc=8..68+2", "--limit", LIMITS, "--pareto", "throughput,energy"])


def counts(rows):
    explored = rows.execute("SELECT sum(hi - lo) FROM chunk WHERE state = 2").fetchone()[0]
    skipped = rows.execute("SELECT sum(skipped) FROM chunk").fetchone()[0]
    valid = rows.execute("SELECT count(*) FROM result WHERE status = 0").fetchone()[0]
    return explored, explored - skipped, valid


def table3(runs):
    table, values = [], {}
    for name, (explored_there, valid_there, _) in PAPER.items():
        explored, evaluated, valid = counts(dataflow_designs(runs, name))
        table.append([name, f"{explored_there:,}", f"{explored:,}", f"{valid_there:,}", f"{valid:,}", f"{evaluated:,}"])
        values[name] = {"explored": explored, "evaluated": evaluated, "valid": valid}
    header = ["space", "explored: paper", "here", "valid: paper", "here", "evaluated here"]
    return "MAESTRO, Table 3", [(header, table)], values


def fig13(runs):
    table, values = [], {}
    for name in PAPER:
        rows = dataflow_designs(runs, name)
        for beside in ("area", "l1_bytes", "l2_bytes", "energy"):
            runs.draw(name, f"throughput,{beside}", "units")
        for metric, order in (("macs_per_cycle", "DESC"), ("energy_macs", "ASC")):
            best = rows.execute(f"SELECT units, P_c, P_k, noc, macs_per_cycle, energy_macs, area_mm2, power_mw FROM points "
                                f"WHERE status = 'valid' ORDER BY {metric} {order}, energy_macs, point LIMIT 1").fetchone()
            table.append([name, metric, *best[:4], f"{best[4]:.1f}", f"{best[5]:.3e}", f"{best[6]:.2f}", f"{best[7]:.0f}"])
            values[f"{name} {metric}"] = best
    header = ["space", "best", "units", "P_c", "P_k", "noc", "macs/cycle", "energy", "mm2", "mW"]
    return "MAESTRO, Fig. 13 (NAME/throughput_over_*/explored.svg)", [(header, table)], values


def machines(runs, quick):
    table, values = [], {}
    for name, knobs in MACHINES.items():
        net = "alexnet" if quick else "resnet50"
        rows = runs.run(f"{name}-like", ["--arch", name, "--net", net, *knobs, "--pareto", "edp,area", "--discard"])
        explored, evaluated, _ = counts(rows)
        front = rows.execute("SELECT edp_pj_cycles, area_mm2, proven_layers FROM pareto ORDER BY edp_pj_cycles").fetchall()
        proven = rows.execute("SELECT min(proven_layers), max(proven_layers) FROM result WHERE status = 0").fetchone()
        table.append([name, net, explored, evaluated, explored - evaluated, len(front), f"{proven[0]:.0f} to {proven[1]:.0f}",
                      f"{front[0][0]:.3e} at {front[0][1]:.1f}", f"{front[-1][0]:.3e} at {front[-1][1]:.1f}"])
        values[name] = {"machines": explored, "mapped": evaluated, "front": front}
    header = ["like", "network", "machines", "mapped", "proven to be worse", "front", "layers proven", "least EDP, mm2",
              "least area's EDP, mm2"]
    return "A thousand machines each (NAME-like/explored.svg)", [(header, table)], values


def main():
    options = command.parser(__doc__, "out/explore-study", "table3, fig13, machines").parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    runs = Explorations(options)
    command.run(runs, {"table3": lambda: table3(runs), "fig13": lambda: fig13(runs),
                       "machines": lambda: machines(runs, options.quick)}, options.figures)


if __name__ == "__main__":
    main()
