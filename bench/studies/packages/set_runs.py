"""Recorded runs of SET (ISCA 2023) and plans of ours for the same networks, batches and machines, by both accounts.

A folder of runs has net_NAME.jsonl and, in a folder for each run, run.json and printed trees (docs/packages-of-cores.md).
SET's best tree is SET.scheme.txt. Ours is the plan with the least energy times cycles of those that a search of energy
and one of cycles find (`map --package run.json`) and those that trees become with all images at once (`--plan TREE`)."""

import json
import pathlib
import re
import subprocess
import tempfile

HOP_PJ, DRAM_PJ = 5.6, 60.0
TREES = ("SET", "LS", "LP", "init")


class Run:
    """A recorded run: its files, and the program's answers about it."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.machine = json.loads((self.folder / "run.json").read_text())
        self.given = ["--package", str(self.folder / "run.json"),
                      "--net", str(self.folder.parent / f"net_{self.machine['network']}.jsonl")]

    def tree(self, name):
        return self.folder / f"{name}.scheme.txt"

    def answer(self, verb, *arguments):
        """(standard output, "") or (None, the reason)."""
        done = subprocess.run([self.program, verb, *self.given, *map(str, arguments)], text=True, capture_output=True, check=False)
        return (done.stdout, "") if done.returncode == 0 else (None, done.stderr.strip().split("\n")[0])

    def exact(self, verb, *arguments):
        text, why = self.answer(verb, *arguments, "--json", *(["--quiet"] if verb == "map" else []))
        return (json.loads(text) if text else None), why

    def by_set(self, plan, *switches):
        """A row of figures by SET's account, of the whole tree."""
        text, why = self.answer("evaluate", "--account", "set", "--plan", plan, *switches)
        if text is None:
            raise RuntimeError(why)
        root = next(line for line in text.splitlines() if re.match(r"\s+[TS] \d", line))
        hops, dram, _, cycles = (int(word.replace(",", "")) for word in root.split()[2:])
        return figures(hops, dram, cycles)


def figures(hops, dram, cycles):
    return {"energy": HOP_PJ * hops + DRAM_PJ * dram, "cycles": cycles, "dram": dram, "hops": hops}


def figures_of(report):
    counts = report["counts"]
    return figures(report["energy_pj"]["links"] / HOP_PJ, counts["dram_reads"] + counts["dram_writes"], report["cycles"])


def weights_of(report):
    """DRAM words of weights."""
    return sum(one["dram_words"] for one in report["tensors"] if one["tensor"].endswith(".weights"))


def deciders_of(report):
    """Shares of cycles that cores, links and DRAMs decide."""
    cycles = {"core": 0, "link": 0, "dram": 0}
    for run in report["runs"]:
        for slot in run["slots"]:
            if slot["cycles"]:
                sort = slot["bound_by"].split()[0]
                cycles[sort if sort in cycles else "link"] += slot["cycles"] * run["repeats"]
    return ", ".join(f"{name} {100 * part / report['cycles']:.0f} %" for name, part in cycles.items() if part)


def overlapped_of(report):
    """Cycles where a run's words come while it computes, as SET has its segments."""
    sums = ([sum(slot[key] for slot in run["slots"]) * run["repeats"] for key in ("compute_cycles", "moving_cycles")] for run in report["runs"])
    return sum(map(max, sums))


def our_plan(run, limit):
    """The best plan's report and where it is from."""
    candidates = {}
    for objective in ("energy", "latency"):
        report, _ = run.exact("map", "--objective", objective, "--time-limit", limit)
        candidates[f"search of {objective}"] = report
    for name in TREES:
        if run.tree(name).exists():
            candidates[f"tree {name}, all images at once"], _ = run.exact("map", "--objective", "edp", "--plan", run.tree(name))
    found = {name: report for name, report in candidates.items() if report}
    product = {name: figures_of(report)["energy"] * report["cycles"] for name, report in found.items()}
    best = min(product, key=product.get)
    return found[best], best


def compare(program, folder, limit):
    """By label the figures of one run, sentences on their differences; (None, [the reason]) where it is not planned."""
    run = Run(program, folder)
    tree = run.tree("SET")
    theirs, why = run.exact("evaluate", "--plan", tree)
    if theirs is None:
        return None, [why]
    ours, origin = our_plan(run, limit)
    with tempfile.TemporaryDirectory() as scratch:
        plan = pathlib.Path(scratch) / "ours.plan"
        plan.write_text(ours["plan"])
        cells = {"SET's tree, SET's account as published": run.by_set(tree, "--published"),
                 "SET's tree, SET's account mended": run.by_set(tree),
                 "SET's tree as a plan, exactly": figures_of(theirs),
                 "our plan as a tree, SET's account mended": run.by_set(plan),
                 "our plan, exactly": figures_of(ours)}
    published, mended, exact, _, best = cells.values()
    reasons = [difference("faults of SET's account", published, mended),
               difference("the plan instead of the tree", mended, exact,
                          [f"{overlapped_of(theirs):,} cycles if words of a run could come while it computes", *theirs["notes"]]),
               difference(f"our plan ({origin}; {len(ours['runs'])} runs, {len(theirs['runs'])} of SET's)", exact, best,
                          [f"weights {weights_of(theirs):,} and {weights_of(ours):,} DRAM words",
                           f"{overlapped_of(theirs):,} and {overlapped_of(ours):,} cycles if words of a run could come while it computes",
                           f"cycles decided by {deciders_of(theirs)}; by {deciders_of(ours)}"])]
    return cells, reasons


def difference(what, before, after, notes=()):
    """Energy by its terms, and cycles."""
    dram, hops = after["dram"] - before["dram"], after["hops"] - before["hops"]
    text = (f"{what}: {dram:+,.0f} DRAM words ({DRAM_PJ * dram:+.3g} pJ), {hops:+,.0f} hops ({HOP_PJ * hops:+.3g} pJ): "
            f"{100 * (after['energy'] / before['energy'] - 1):+.1f} % energy, {100 * (after['cycles'] / before['cycles'] - 1):+.1f} % cycles")
    return "; ".join([text, *notes])


def study(program, folder, limit, names=()):
    """Prints both tables."""
    runs = sorted(path.parent for path in pathlib.Path(folder).glob("*/run.json") if not names or path.parent.name in names)
    print("| run | plan and account | energy, pJ | cycles | DRAM words | hops |")
    print("|---|---|---|---|---|---|")
    sentences = []
    for path in runs:
        cells, reasons = compare(program, path, limit)
        sentences += [f"* {path.name}: {reason}" for reason in reasons]
        for label, cell in (cells or {}).items():
            print(f"| {path.name} | {label} | {cell['energy']:.4g} | {cell['cycles']:,} | {cell['dram']:,} | {cell['hops']:,.0f} |", flush=True)
    print("\n" + "\n".join(sentences))
