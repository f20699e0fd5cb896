#!/usr/bin/env python3
"""Times schedules on a GPU: the searched one of every layer beside random ones of the same template, and PyTorch (cuDNN, cuBLAS).

    bench/studies/gpu/compare.py --arch h200 --net resnet50 --layers 'layer3.1.*' -o out/gpu_study
    bench/studies/gpu/compare.py --arch k80 --model                        # the model's cycles, without a GPU
    bench/studies/gpu/compare.py --table out/gpu_study/results.json        # the table again, without a GPU

Three steps: tilewright schedules and writes kernels, nvcc compiles them, measure.cpp times them and compares every result with a
plain loop. What a step needs and does not find is named, and the study stops there; `--prepare` stops before the GPU on purpose.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys

import einsum

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SCHEMA = "tilewright-gpu-study/1"
HYBRID = "hybrid"  # beside it with --model


class Missing(Exception):
    """Something that a step needs is not on this machine."""


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="h200", help="a GPU of the zoo or a machine file (default h200)")
    parser.add_argument("--net", default="resnet50", help="as for tilewright map (default resnet50)")
    parser.add_argument("--layers", help="as for tilewright map: names or patterns, between commas")
    parser.add_argument("--mapper", default="cosa", help="who makes the schedule that is compared (default cosa, as in the paper)")
    parser.add_argument("--objective", default="latency", help="what it looks for (default latency)")
    parser.add_argument("--random", type=whole_number, default=50, metavar="N", help="random schedules per layer (default 50)")
    parser.add_argument("--seed", type=whole_number, default=1, help="of the searched schedule; random ones take the numbers that follow")
    parser.add_argument("--runs", type=whole_number, default=20, help="timed runs of each kernel; their median counts (default 20)")
    parser.add_argument("--tilewright", default=str(ROOT / "build/release/bin/tilewright"), help="the program")
    parser.add_argument("--compiler", default="nvcc -O3 -arch=native -x cu", help="compiles .cu files and measure.cpp")
    parser.add_argument("--prepare", action="store_true", help="only schedule and write kernels")
    parser.add_argument("--model", action="store_true", help="no kernels and no GPU: the cycles of the model")
    parser.add_argument("--table", metavar="FILE", help="print the table of results measured earlier")
    parser.add_argument("-o", "--output", default="out/gpu_study", metavar="DIR", help="schedules, kernels, results (default out/gpu_study)")
    return parser.parse_args(words)


def whole_number(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, found {text}")
    return number


# Schedules and kernels

def selection(options):
    words = ["--arch", options.arch, "--net", options.net]
    return words + (["--layers", options.layers] if options.layers else [])


def run(words, **keywords):
    result = subprocess.run(words, capture_output=True, text=True, **keywords)
    if result.returncode != 0:
        raise Missing(f"this failed:\n  {shlex.join(map(str, words))}\n{result.stderr.strip()}")
    return result.stdout


def schedule(options, name, search):
    """Maps the layers and writes their kernels below DIR/name; gives the report's layers."""
    folder = pathlib.Path(options.output) / name
    run([options.tilewright, "map", *selection(options), *search, "-q", "-o", str(folder)])
    if options.model:
        return json.loads((folder / "report.json").read_text())["layers"]
    run([options.tilewright, "convert", *selection(options), str(folder / "mapping.yaml"), "--to", "cuda", "-o", str(folder)])
    return json.loads((folder / "report.json").read_text())["layers"]


def schedules(options):
    """By layer: its einsum, and for every schedule the kernel and the cycles of the model."""
    if not pathlib.Path(options.tilewright).exists():
        raise Missing(f"no program {options.tilewright}: build it (scripts/build release tilewright) or say --tilewright")
    searches = {"best": ["--mapper", options.mapper, "--objective", options.objective, "--seed", str(options.seed)]}
    for i in range(1, options.random + 1):
        searches[f"random{i}"] = ["--mapper", "random", "--evaluations", "1", "--seed", str(options.seed + i)]
    if options.model:
        searches[HYBRID] = ["--mapper", HYBRID, "--objective", options.objective, "--seed", str(options.seed)]
    layers = {}
    for name, search in searches.items():
        for layer in schedule(options, name, search):
            entry = layers.setdefault(layer["name"], {"name": layer["name"], "einsum": layer["einsum"],
                                                      "repeats": layer["repeats"], "schedules": {}})
            made = entry["schedules"][name] = {"cycles": layer["evaluation"]["cycles"]}
            if options.model:
                continue
            kernel = pathlib.Path(options.output) / name / kernel_file(layer["name"])
            made.update(kernel=str(kernel), function=function_of(kernel))
    return list(layers.values())


def kernel_file(layer):
    """The file that `convert` makes of a layer's name."""
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-.") else "_" for c in layer).lstrip("._")
    return (name or "layer") + ".cu"


def function_of(kernel):
    """The function that starts the kernel: the one with C linkage."""
    for line in kernel.read_text().splitlines():
        if line.startswith('extern "C" cudaError_t '):
            return line.split("cudaError_t ", 1)[1].split("(", 1)[0]
    raise Missing(f"{kernel} starts no kernel")


# Compilation and measurement

def compile_all(options, layers):
    """Every kernel as a library beside its source, and the program that times them."""
    compiler = shlex.split(options.compiler)
    if shutil.which(compiler[0]) is None:
        raise Missing(f"no {compiler[0]}: kernels are in {options.output}, but nothing compiles them (CUDA's nvcc, or --compiler)")
    shared = ["-shared", "-Xcompiler", "-fPIC"] if "nvcc" in compiler[0] else ["-shared", "-fPIC"]
    measure = pathlib.Path(options.output) / "measure"
    jobs = [[*compiler, str(HERE / "measure.cpp"), "-o", str(measure), "-ldl"]]
    for layer in layers:
        for made in layer["schedules"].values():
            made["library"] = str(pathlib.Path(made["kernel"]).with_suffix(".so").resolve())
            jobs.append([*compiler, *shared, made["kernel"], "-o", made["library"]])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, jobs))
    return measure


def measure_layer(options, measure, layer):
    """Adds `milliseconds` and `difference` to every schedule, and gives the device's name."""
    shape = einsum.read(layer["einsum"])
    made = list(layer["schedules"].values())
    words = [options.runs, *shape.measure_words()]
    for one in made:
        words += [one["library"], one["function"]]
    try:
        lines = run([str(measure.resolve()), *map(str, words)]).splitlines()
    except Missing as reason:
        raise Missing(f"no measurements (is there a GPU?): {reason}") from reason
    device = lines[0].split(" ", 1)[1]
    for one, line in zip(made, lines[1:], strict=True):
        figures = line.split()
        if figures[1] != "refused":
            one["milliseconds"], one["difference"] = float(figures[1]), float(figures[2])
    return device


def torch_milliseconds(shape, runs):
    """The time of PyTorch for the same layer in 32-bit floats, or why there is none."""
    try:
        import torch
    except ImportError:
        return None, "PyTorch is not installed"
    if not torch.cuda.is_available():
        return None, "PyTorch sees no GPU"
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    work = shape.torch_work(torch)
    if work is None:
        return None, "PyTorch has no such layer"
    times = []
    for i in range(runs + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        if i >= 3:
            times.append(begin.elapsed_time(end))
    return statistics.median(times), None


def measure_all(options, layers):
    measure = compile_all(options, layers)
    results = {"schema": SCHEMA, "arch": options.arch, "net": options.net, "mapper": options.mapper,
               "objective": options.objective, "seed": options.seed, "runs": options.runs, "layers": layers}
    for layer in layers:
        results["device"] = measure_layer(options, measure, layer)
        layer["torch_milliseconds"], reason = torch_milliseconds(einsum.read(layer["einsum"]), options.runs)
        if reason:
            layer["no_torch"] = reason
    return results


# Tables

def model_row(layer):
    """Cycles of the model: the schedule's, its place among all, those of the fastest and of the median random one, and of HYBRID."""
    cycles = {name: one["cycles"] for name, one in layer["schedules"].items()}
    best, hybrid = cycles.pop("best"), cycles.pop(HYBRID, None)
    others = list(cycles.values())
    return {"layer": layer["name"], "best": best, "place": f"{1 + sum(one < best for one in others)} of {len(others) + 1}",
            "fastest": min(others), "median": statistics.median(others), "hybrid": hybrid}


def model_table(options, layers):
    rows = [model_row(layer) for layer in layers]
    cells = [[row["layer"], f"{row['best']:,}", row["place"], f"{row['fastest']:,}", f"{row['median']:,.0f}",
              "-" if row["hybrid"] is None else f"{row['hybrid']:,}"] for row in rows]
    lines = [f"{options.net}, schedules by {options.mapper} for {options.arch}: cycles of the model, NOT MEASURED", "",
             *grid([["layer", "schedule", "place", "random: fastest", "median", HYBRID], *cells]), ""]
    for what, key in [("the fastest random schedule", "fastest"), ("the median random schedule", "median"), (f"--mapper {HYBRID}", "hybrid")]:
        ratio = geometric_mean([row[key] / row["best"] for row in rows if row[key]])
        if ratio:
            lines.append(f"Geometric mean against {what}: {ratio:.2f}x as fast in the model")
    return "\n".join(lines) + "\n"


def row_of(layer):
    """What the table says of one layer; None where there is no figure."""
    times = {name: one.get("milliseconds") for name, one in layer["schedules"].items()}
    best = times.pop("best", None)
    others = [time for time in times.values() if time is not None]
    row = {"layer": layer["name"], "best": best, "torch": layer.get("torch_milliseconds"),
           "fastest": min(others, default=None), "median": statistics.median(others) if others else None}
    row["rank"] = None if best is None else 1 + sum(time < best for time in others)
    row["of"] = len(others) + 1
    row["gflops"] = None if best is None else 2 * einsum.read(layer["einsum"]).operations() / best / 1e6
    cycles = {name: one["cycles"] for name, one in layer["schedules"].items() if one.get("milliseconds") is not None}
    row["modelled"] = None if best is None else 1 + sum(one < cycles["best"] for one in cycles.values())
    row["agreement"] = rank_agreement([(one["cycles"], one["milliseconds"]) for one in layer["schedules"].values()
                                       if one.get("milliseconds") is not None])
    row["wrong"] = sum(1 for one in layer["schedules"].values() if one.get("difference", 0) != 0)
    row["refused"] = sum(1 for one in layer["schedules"].values() if "milliseconds" not in one)
    return row


def ranks(values):
    """1 for the least; equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def rank_agreement(pairs):
    """Spearman's rank correlation of the model's cycles with the times; None when one of them never changes."""
    if len(pairs) < 3:
        return None
    xs, ys = (ranks(column) for column in zip(*pairs))
    mean = (len(pairs) + 1) / 2
    spread = math.sqrt(sum((x - mean) ** 2 for x in xs) * sum((y - mean) ** 2 for y in ys))
    return sum((x - mean) * (y - mean) for x, y in zip(xs, ys)) / spread if spread else None


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def table(results):
    rows = [row_of(layer) for layer in results["layers"]]
    heads = ["layer", "schedule", "GFLOP/s", "place", "in the model", "random: fastest", "median", "model agrees", "PyTorch"]
    cells = [[row["layer"], time_text(row["best"]), "-" if row["gflops"] is None else f"{row['gflops']:.0f}",
              "-" if row["rank"] is None else f"{row['rank']} of {row['of']}",
              "-" if row["modelled"] is None else f"{row['modelled']} of {row['of']}", time_text(row["fastest"]), time_text(row["median"]),
              "-" if row["agreement"] is None else f"{row['agreement']:+.2f}", time_text(row["torch"])] for row in rows]
    lines = [f"{results['net']}, schedules by {results['mapper']} for {results['arch']}, measured on {results['device']} "
             f"(medians of {results['runs']} runs)", "", *grid([heads, *cells]), ""]
    for what, key in [("the fastest random schedule", "fastest"), ("the median random schedule", "median"), ("PyTorch", "torch")]:
        ratio = geometric_mean([row[key] / row["best"] for row in rows if row["best"] and row[key]])
        if ratio:
            lines.append(f"Geometric mean against {what}: {ratio:.2f}x as fast")
    lines += remarks(results, rows)
    return "\n".join(lines) + "\n"


def remarks(results, rows):
    lines = []
    if wrong := sum(row["wrong"] for row in rows):
        lines.append(f"WRONG RESULTS: {wrong} kernels differ from the plain loop")
    if refused := sum(row["refused"] for row in rows):
        lines.append(f"{refused} kernels were refused by the GPU")
    reasons = sorted({layer["no_torch"] for layer in results["layers"] if layer.get("no_torch")})
    return lines + [f"No PyTorch figure: {reason}" for reason in reasons]


def time_text(milliseconds):
    return "-" if milliseconds is None else f"{milliseconds:.4f} ms"


def grid(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def main(words):
    options = arguments_of(words)
    try:
        if options.table:
            results = json.loads(pathlib.Path(options.table).read_text())
            if results.get("schema") != SCHEMA:
                raise Missing(f"{options.table} is no result of this study")
        else:
            layers = schedules(options)
            if options.model:
                print(model_table(options, layers), end="")
                return 0
            if options.prepare:
                print(f"{sum(len(layer['schedules']) for layer in layers)} kernels of {len(layers)} layers are in {options.output}")
                return 0
            results = measure_all(options, layers)
            (pathlib.Path(options.output) / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        print(table(results), end="")
    except (Missing, OSError, ValueError) as reason:
        print(f"compare.py: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
