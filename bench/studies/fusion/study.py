#!/usr/bin/env python3
"""Fused attention: DRAM words by size of the buffer, and beside FuseMax's traffic.

    bench/studies/fusion/study.py                        # all of it
    bench/studies/fusion/study.py --figures attention    # one figure

Figures:

    attention   exact attention of 4,096 rows of 64 words: the fewest DRAM words, proven, for buffers of 4 Ki to 256 Ki words,
                and the slope of what streams through the buffer
    fusemax     the traffic that FuseMax's artifact records (--fusemax: attn-binding.csv), models x lengths up to --longest, beside
                the fewest words that a mapping of the space moves on a buffer of 16 MiB
    defines     the 108 schedules of FSRCNN of DeFiNES's first case study, three ways to keep times 36 sizes of tiles, each with the best
                leaves, beside the best of all mappings (within --limit seconds for each objective) and layer by layer

Attention is three einsums here, scores, exponentials and the mix of values: the statistics of softmax, which are corrected as
rows go on, move nothing. For them the second figure leaves 4 words a row of the longest tile of the buffer free.

Writes OUT/results.md, OUT/results.json and, of the first figure, OUT/attention.svg and OUT/attention.csv."""

import csv
import json
import math
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import command  # noqa: E402

ATTENTION = "S[m,l] += Q[m,e] * K[l,e]; P[m,l] = exp(S[m,l]); O[m,f] += P[m,l] * V[l,f]"
FUSEMAX = command.ROOT.parent / "shared/golden/fusion/fusemax/outputs/pregenerated/results/attn-binding.csv"
# Heads and words of a row of one head; the artifact runs 64 inputs at once, of words of two bytes.
MODELS = {"BERT": (12, 64), "TrXL": (16, 64), "T5": (8, 64), "XLM": (16, 128)}
BATCH, BYTES = 64, 2
LENGTHS = {"1K": 2**10, "4K": 2**12, "16K": 2**14, "64K": 2**16, "256K": 2**18, "1M": 2**20}
# 16 MiB, less 4 words for each of 65,536 rows.
FUSEMAX_BUFFER = 2**23 - 4 * 2**16


def curve(program, length, width, sizes, folder=None):
    """What `--buffers` found: by size of the buffer, the fewest DRAM words. The machine's own buffer holds nearly all, so that its
    own search is over at once."""
    with tempfile.TemporaryDirectory() as out:
        call = [program, "map", "--fuse", "--arch", "fused-npu", "--set", f"buffer.depth={2**40}", "--objective", "latency", "--einsum",
                ATTENTION, "--extents", f"m={length},l={length},e={width},f={width}", "--buffers", ",".join(map(str, sizes)), "-o", out,
                "--quiet"]
        result = subprocess.run(call, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{' '.join(call)}\n{result.stderr}")
        if folder is not None:
            for ending in ("svg", "csv"):
                shutil.copy(pathlib.Path(out) / f"buffers.{ending}", pathlib.Path(folder) / f"attention.{ending}")
        return json.loads((pathlib.Path(out) / "report.json").read_text())["buffers"]


def slope(points):
    """Of the least squares line through the logarithms."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def attention(options):
    length, width = (1024, 32) if options.quick else (4096, 64)
    sizes = [2**k for k in (range(11, 16) if options.quick else range(12, 19))]
    found = curve(options.program, length, width, sizes, options.out)
    once = 2 * length * width  # queries and results, which every mapping moves
    law = [(point["buffer_words"], point["fused_words"] - once) for point in found
           if point["buffer_words"] >= 2 * width**2 and point["fused_words"] > 2 * once]
    rows = [[f"{point['buffer_words']:,}", f"{point['fused_words']:,.0f}", "yes" if point["proven"] else "no",
             f"{point['unfused_words']:,.0f}", f"{(point['fused_words'] - once) * point['buffer_words'] / (length * width) ** 2:.2f}"]
            for point in found]
    value = {"curve": found, "slope": slope(law), "points": len(law)}
    title = (f"Exact attention, {length:,} rows of {width} words: beyond queries and results once, words fall with the buffer to "
             f"the power of {value['slope']:.3f}")
    return title, [(["buffer words M", "fewest DRAM words", "proven", "without fusion", "(words - 2 N d) M / (N d)^2"], rows)], value


def fusemax(options):
    rows, value = [], []
    with open(options.fusemax, encoding="utf-8") as file:
        recorded = list(csv.DictReader(file))
    known = {}
    for row in recorded:
        heads, width = MODELS[row["model"]]
        length = LENGTHS[row["seq_len"]]
        if length > options.longest:
            continue
        if (length, width) not in known:
            known[length, width] = curve(options.program, length, width, [FUSEMAX_BUFFER])[0]
        point = known[length, width]
        ours = point["fused_words"] * heads * BATCH * BYTES
        theirs = float(row["traffic"])
        value.append({"model": row["model"], "length": length, "fusemax_bytes": theirs, "ours_bytes": ours, "proven": point["proven"]})
        rows.append([row["model"], row["seq_len"], f"{theirs:,.0f}", f"{ours:,.0f}", f"{ours / theirs:.4f}",
                     "yes" if point["proven"] else "no"])
    header = ["model", "length", "FuseMax, bytes", "fewest here, bytes", "ratio", "proven"]
    return "DRAM traffic of attention beside FuseMax's", [(header, rows)], value


# Tile sizes of the last layer's result that DeFiNES's first case study tries, and the layers of FSRCNN.
COLUMNS, ROWS = (1, 4, 16, 60, 240, 960), (1, 4, 18, 72, 270, 540)
LAYERS = ("feature", "shrink", "map1", "map2", "map3", "map4", "expand", "upscale")
MODES = {"recompute": "fully recompute: nothing is kept", "tile": "overlap kept along rows, made again along columns",
         "lines": "fully cached: whole lines are kept"}
FUSION = command.ROOT / "examples/fusion"


def tree(mode, columns, rows):
    """A schedule of DeFiNES as a fused mapping whose leaves are left open: weights in both their memories, tiles of what lies between
    the layers in the shared buffer. Where nothing is kept the image is the first layer's own matter; between the first two layers
    there is no overlap, so that no lines of x1 are kept."""
    weights = ", ".join(f"w{i}" for i in range(1, 9))
    between = ", ".join(f"x{i}" for i in range(1, 8))
    lines = [f"store DRAM: x0, x8, {weights}", f"store buffer: {weights}", f"store weights: {weights}", f"for p8 by {rows}"]
    lines += {"recompute": [f"for q8 by {columns}", f"fresh store buffer: {between}"],
              "tile": [f"for q8 by {columns}", f"store buffer: x0, {between}"],
              "lines": [f"store buffer: {between.replace('x1', 'x0')}", f"for q8 by {columns}", "store buffer: x1"]}[mode]
    lines = ["  " * depth + line for depth, line in enumerate([*lines, "split"])]
    return "\n".join(lines + ["  " * len(lines) + f"leaf {layer}" for layer in LAYERS]) + "\n"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuse(options, objective, *more):
    """`map --fuse` of FSRCNN; returns what it said and how long it worked."""
    before = processor_seconds()
    call = [options.program, "map", "--fuse", "--arch", str(FUSION / "meta-prototype.yaml"), "--net", str(FUSION / "fsrcnn.cascade"),
            "--objective", objective, *more]
    result = subprocess.run(call, capture_output=True, text=True)
    if result.returncode not in (0, 1):  # 1: some tree does not fit
        sys.exit(f"{' '.join(call)}\n{result.stderr}")
    return result, processor_seconds() - before


def defines(options):
    columns, rows = (COLUMNS[2:], ROWS[2:]) if options.quick else (COLUMNS, ROWS)
    value, tables = {}, []
    for objective, key, unit, scale in (("energy", "energy_pj", "mJ", 1e9), ("latency", "cycles", "Mcycles", 1e6)):
        with tempfile.TemporaryDirectory() as out:
            out = pathlib.Path(out)
            files = {(mode, x, y): out / f"{mode}-{x}-{y}.fused" for mode in MODES for x in columns for y in rows}
            for schedule, file in files.items():
                file.write_text(tree(*schedule))
            _, took = fuse(options, objective, "--fused-mapping", ",".join(map(str, files.values())), "-o", str(out / "found"), "--quiet")
            found = {schedule: out / "found" / file.stem / "report.json" for schedule, file in files.items()}
            found = {schedule: json.loads(file.read_text()) for schedule, file in found.items() if file.exists()}
        search, searched = fuse(options, objective, "--time-limit", str(options.limit), "--json")
        best = json.loads(search.stdout)
        ways = {way["way"]: way for way in best["ways"]}
        value[objective] = {
            "schedules": [{"mode": mode, "columns": x, "rows": y, "value": document["totals"][key], "proven": document["filled"]["proven"]}
                          for (mode, x, y), document in found.items()],
            "processor_seconds": took, "optimum": best["value"], "bound": best["bound"], "proven": best["proven"],
            "processor_seconds_of_search": searched, "unfused": ways["unfused"][key]}
        for mode, what in MODES.items():
            table = [[str(y), *(f"{found[mode, x, y]['totals'][key] / scale:.3f}" if (mode, x, y) in found else "does not fit"
                                for x in columns)] for y in rows]
            tables.append(([f"{unit}, {what}; rows, columns", *map(str, columns)], table))
        least = min(value[objective]["schedules"], key=lambda one: one["value"])
        found_all = all(one["proven"] for one in value[objective]["schedules"])
        tables.append((["least " + objective, unit, "at least", "processor seconds"],
                       [[f"of schedules: {least['mode']}, {least['columns']} x {least['rows']}", f"{least['value'] / scale:.3f}",
                         "all are proven" if found_all else "not all are proven", f"{took:.1f}"],
                        ["of all mappings", f"{best['value'] / scale:.3f}", "proven" if best["proven"] else f"{best['bound'] / scale:.3f}",
                         f"{searched:.1f}"],
                        ["layer by layer", f"{ways['unfused'][key] / scale:.3f}", "", ""]]))
    count = len(columns) * len(rows) * len(MODES)
    return f"DeFiNES's {count} schedules of FSRCNN, each with its best leaves", tables, value


FIGURES = {"attention": attention, "fusemax": fusemax, "defines": defines}


def main():
    parser = command.parser(__doc__, "out-fusion", ", ".join(FIGURES))
    parser.add_argument("--fusemax", default=str(FUSEMAX), help="FuseMax's attn-binding.csv")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that the best of all mappings may take (default 300)")
    parser.add_argument("--longest", type=int, default=2**20, help="rows of the longest inputs (default 1,048,576)")
    options = parser.parse_args()
    study = command.open_study(options)
    command.run(study, {name: lambda make=make: make(options) for name, make in FIGURES.items()}, options.figures)


if __name__ == "__main__":
    main()
