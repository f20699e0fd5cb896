#!/usr/bin/env python3
"""Design spaces: those of MAESTRO's case study (its Table 3 and Fig. 13), and a thousand Eyeriss- and Simba-like machines.

    bench/studies/explore/study.py [--out out/explore-study] [--figures table3,rules,optimum,buffers,fig13,machines]

prints tables as Markdown and draws pictures. Every exploration keeps its rows in a file of its own, so an interrupted
study goes on where it was.
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command
import first_public

EXAMPLES = command.ROOT / "examples" / "explore"
LIMITS = "area<16,power<450"
# Explored and valid designs, and minutes, of the paper's Table 3.
PAPER = {"nvdla_c2": (3_936_256, 175_861, 12.2), "nvdla_c11": (251_920_384, 260_028, 18.3),
         "rs_c2": (3_555_328, 319_268, 23.7), "rs_c11": (227_540_992, 115_209, 8.2)}
TILES = {"nvdla_c2": "1..64", "nvdla_c11": "1..512", "rs_c2": "1..64", "rs_c11": "1..512"}
UNITS = {"nvdla": range(16, 257, 8), "rs": range(40, 257, 8)}
BANDWIDTHS = list(range(8, 69, 2))
# From MAESTRO's rules of 2019 to the exact analysis, one switched off after the other.
STEPS = [("as its sources have them", {}),
         ("larger tiles after the first one over a limit are looked at", {"breaks": False}),
         ("every fold counts", {"drops_folds": False}),
         ("tiles that do not divide their dimension count", {"truncates": False}),
         ("NVDLA's window is that of the filter", {"one_element": False}),
         ("an output tile is one output", {"windows": False}),
         ("RS: the units of a cluster share the rows of the filter", {"whole_filter": False})]
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
        self.spaces = options.spaces.split(",")
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

    def rows(self, name, arguments):
        """Of a small exploration that is not kept: dictionaries."""
        words = [self.program, "explore", *map(str, arguments), "--keep-all", "--quiet", "--jsonl", "-"]
        answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return [json.loads(line) for line in answer.splitlines()]

    def draw(self, name, objectives, color):
        """Another picture of what was explored."""
        folder = self.folder / name / objectives.replace(",", "_over_")
        subprocess.run([self.program, "explore", "show", str(self.folder / f"{name}.sqlite"), "--quiet", "--pareto", objectives,
                        "--color", color, "--svg", str(folder)], check=True)


def knobs(name):
    units = UNITS[name.split("_", maxsplit=1)[0]]
    return ["--set", f"units={units[0]}..{units[-1]}+{units.step}", "--set", f"P_c={TILES[name]}", "--set",
            f"P_k={TILES[name]}", "--set", f"noc={BANDWIDTHS[0]}..{BANDWIDTHS[-1]}+2", "--limit", LIMITS]


def dataflow_designs(runs, name, cost=None):
    more = ["--cost", cost] if cost else []
    return runs.run(f"{name}_{cost.stem}" if cost else name,
                    [EXAMPLES / f"{name}.m", *knobs(name), "--pareto", "throughput,energy", *more])


def rules_after(steps):
    return first_public.Rules(**{key: value for _, change in STEPS[:steps + 1] for key, value in change.items()})


def best_of(rows, metric, then):
    """The first row by a metric, ties by another ("throughput DESC")."""
    names = ["units", "P_c", "P_k", "noc", "macs_per_cycle", "energy_macs", "area_mm2", "power_mw", "l1_bytes", "l2_bytes"]
    row = rows.execute(f"SELECT {', '.join(names)} FROM points WHERE status = 'valid' ORDER BY {metric}, {then}, point LIMIT 1")
    return dict(zip(names, row.fetchone()))


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


def rules(runs):
    """Why the numbers of valid designs differ: MAESTRO's own rules, and ours, one by one."""
    table, values = [], {}
    spaces = [name.split("_") for name in PAPER]
    for step, (what, _) in enumerate(STEPS):
        found = [sum(first_public.valid_counts(flow, layer, UNITS[flow], BANDWIDTHS, rules_after(step)).values())
                 for flow, layer in spaces]
        table.append([what] + [f"{count:,}" for count in found])
        values[what] = found
    found = [counts(dataflow_designs(runs, name))[2] for name in PAPER]
    table.append(["exact analysis"] + [f"{count:,}" for count in found])
    table.append(["the paper"] + [f"{valid:,}" for _, valid, _ in PAPER.values()])
    values["exact"] = found
    return "MAESTRO, Table 3: valid designs by rule", [(["rules", *PAPER], table)], values


def buffers_of(design):
    return design["units"] * design["l1_bytes"] + design["l2_bytes"]


def six(energy, throughput):
    """What the paper says of the design with the least energy against the one with the most throughput."""
    ratio = {key: energy[key] / throughput[key] for key in ("units", "power_mw", "macs_per_cycle", "energy_macs")}
    return [f"{ratio['power_mw']:.2f}", f"{buffers_of(energy) / buffers_of(throughput):.2f}", f"{ratio['units']:.2f}",
            f"{100 * (ratio['macs_per_cycle'] - 1):+.1f} %", f"{100 * (ratio['macs_per_cycle'] / ratio['energy_macs'] - 1):+.1f} %",
            f"{ratio['energy_macs']:.3f}"]


def as_ours(design):
    return {"units": design["units"], "P_c": design["c"], "P_k": design["k"], "noc": design["noc"],
            "macs_per_cycle": design["throughput"], "energy_macs": design["energy"] / first_public.MAC_ENERGY,
            "power_mw": design["power"], "l1_bytes": design["l1"], "l2_bytes": design["l2"]}


def described(design):
    return f"{design['units']} units, {design['P_c']} x {design['P_k']}, {design['noc']}"


def optimum(runs):
    """The paper's comparison of NVDLA-C11's two best designs."""
    table, values = [["the paper", "2.16", "10.6", "0.8", "-61.7 %", "+1148.6 %", "(0.031)", "", "", ""]], {}
    designs = {}
    for step in (0, 2, 3, 4, 5):
        best = first_public.best_designs("nvdla", "c11", UNITS["nvdla"], BANDWIDTHS, rules_after(step))
        designs[step] = {key: as_ours(row) for key, row in best.items()}
        table.append([STEPS[step][0], *six(designs[step]["energy"], designs[step]["throughput"]),
                      described(designs[step]["energy"]), described(designs[step]["throughput"]),
                      f"{100 * best['energy']['share']:.1f} %, {100 * best['throughput']['share']:.1f} %"])
        values[STEPS[step][0]] = best
    space = ["--set", "units=72,88", "--set", "P_c=9,3", "--set", "P_k=7,3", "--set", "noc=60,68"]
    exact = {(row["units"], row["P_c"], row["P_k"], row["noc"]): row for row in
             runs.rows("two", [EXAMPLES / "nvdla_c11.m", *space])}
    same = [exact[tuple(designs[0][key][name] for name in ("units", "P_c", "P_k", "noc"))] for key in ("energy", "throughput")]
    table.append(["its two designs, exact", *six(*same), described(same[0]), described(same[1]), ""])
    rows = dataflow_designs(runs, "nvdla_c11")
    energy = best_of(rows, "energy_macs", "macs_per_cycle DESC")
    throughput = best_of(rows, "macs_per_cycle DESC", "energy_macs")
    table.append(["exact analysis", *six(energy, throughput), described(energy), described(throughput), ""])
    values["its two, exact"], values["exact"] = same, [energy, throughput]
    header = ["rules", "power", "buffers", "PEs", "throughput", "throughput per energy", "energy", "least energy",
              "most throughput", "tiles that its energies count"]
    return "MAESTRO, section 1: NVDLA-C11, least energy over most throughput", [(header, table)], values


def buffers(runs):
    """Energies of an access that follow the size of the buffer."""
    table, values = [], {}
    for name in runs.spaces:
        for cost in (None, EXAMPLES / "cost_28nm_sized.yaml"):
            rows = dataflow_designs(runs, name, cost)
            energy = best_of(rows, "energy_macs", "macs_per_cycle DESC")
            table.append([name, "by size" if cost else "one for all", described(energy), f"{energy['macs_per_cycle']:.1f}",
                          f"{energy['energy_macs']:.3e}", f"{energy['l1_bytes']:,.0f}", f"{energy['l2_bytes']:,.0f}",
                          f"{energy['power_mw']:.0f}"])
            values[f"{name} {bool(cost)}"] = energy
    header = ["space", "energy of an access", "least energy", "macs/cycle", "energy", "L1 bytes", "L2 bytes", "mW"]
    return "Buffers whose energies follow their sizes", [(header, table)], values


def fig13(runs):
    table, values = [], {}
    for name in runs.spaces:
        rows = dataflow_designs(runs, name)
        for beside in ("area", "l1_bytes", "l2_bytes", "energy"):
            runs.draw(name, f"throughput,{beside}", "units")
        for metric, order, then in (("macs_per_cycle", "DESC", "energy_macs"), ("energy_macs", "ASC", "macs_per_cycle DESC")):
            best = list(best_of(rows, f"{metric} {order}", then).values())
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
    parser = command.parser(__doc__, "out/explore-study", "table3, rules, optimum, buffers, fig13, machines")
    parser.add_argument("--spaces", default=",".join(PAPER), help=f"only these in fig13 and buffers: of {', '.join(PAPER)}")
    options = parser.parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    runs = Explorations(options)
    command.run(runs, {"table3": lambda: table3(runs), "rules": lambda: rules(runs),
                       "optimum": lambda: optimum(runs), "buffers": lambda: buffers(runs), "fig13": lambda: fig13(runs),
                       "machines": lambda: machines(runs, options.quick)}, options.figures)


if __name__ == "__main__":
    main()
