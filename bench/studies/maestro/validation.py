"""MAESTRO's Fig. 9: runtimes against those of chips, with the exact analysis and the public tool's numbers.

    bench/studies/maestro/validation.py build/release/bin/tilewright

Prints the tables of README.md. Eyeriss: AlexNet, a batch of 4, 168 units, 14 words per cycle; the measured processing
latencies are those of Eyeriss (JSSC 2017, Table V) at 200 MHz. MAERI: VGG-16 on 64 multipliers.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# Dimensions, stride, output rows of a set of units and channels that a unit works on (so that as many units are active as
# the chip's paper says, and with its passes of 16 filters), measured cycles; the public tool's with its own validation file (head of its repository).
EYERISS = [
    ("CONV1", "N: 4, K: 96, C: 3, R: 11, S: 11, Y: 227, X: 227", 4, 7, 1, 3300000, 3297188),
    ("CONV2", "N: 4, K: 256, C: 48, R: 5, S: 5, Y: 31, X: 31", 1, 27, 2, 7840000, 7921306),
    ("CONV3", "N: 4, K: 384, C: 256, R: 3, S: 3, Y: 15, X: 15", 1, 13, 4, 4360000, 4142630),
    ("CONV4", "N: 4, K: 384, C: 192, R: 3, S: 3, Y: 15, X: 15", 1, 13, 3, 3200000, 3598206),
    ("CONV5", "N: 4, K: 256, C: 192, R: 3, S: 3, Y: 15, X: 15", 1, 13, 3, 2000000, 2054398),
]
# Row-stationary sets as in Eyeriss: a row of the filter per unit, a row of outputs per cluster of units, sets of clusters
# for different output channels; a unit slides the rows of 16 filters along all columns before it takes the next ones.
SETS = """Dataflow {{
    TemporalMap(1,1) N; SpatialMap(16,16) K; TemporalMap({rows},{rows}) Y'; TemporalMap({channels},{channels}) C;
    Cluster({rows},P); SpatialMap(1,1) Y'; Cluster(Sz(R),P); SpatialMap(1,1) Y; SpatialMap(1,1) R;
}}"""
# VGG-16 without padding, as in the public tool's MAERI file, and its cycles for that file on 64 units.
MAERI = [
    ("CONV1", 64, 3, 224, 1478520), ("CONV2", 64, 64, 224, 31541760), ("CONV3", 128, 64, 112, 14713600),
    ("CONV4", 128, 128, 112, 29427200), ("CONV5", 256, 128, 56, 13810176), ("CONV6", 256, 256, 56, 27620352),
    ("CONV8", 512, 256, 28, 12806144), ("CONV9", 512, 512, 28, 25612288), ("CONV11", 512, 512, 14, 5455872),
]


def run(tilewright, verb, layer, units, bandwidth, *more):
    """The report of one layer. `layer`: Stride and Dimensions in the notation."""
    with tempfile.TemporaryDirectory() as folder:
        network = pathlib.Path(folder, "layer.m")
        network.write_text(f"Network study {{ Layer study {{ Type: CONV {layer} }} }}\n")
        hardware = pathlib.Path(folder, "hardware.m")
        hardware.write_text(f"num_pes: {units}\nNoC_NumHops: 1\nnoc_bw_cstr: {bandwidth}\n")
        command = [tilewright, verb, network, hardware, "--json", *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["layers"][0]


def percent(cycles, measured):
    return 100 * (cycles / measured - 1)


def eyeriss(tilewright):
    print("| layer | measured | public tool, its own file | error | row-stationary sets, exact | error | best dataflow found | error |")
    print("|---|---|---|---|---|---|---|---|")
    errors = []
    for name, dimensions, stride, rows, channels, measured, tool in EYERISS:
        layer = f"Stride {{ X: {stride}, Y: {stride} }} Dimensions {{ {dimensions} }}"
        rs = run(tilewright, "evaluate", layer + SETS.format(rows=rows, channels=channels), 168, 14)
        assert not rs["findings"] and rs["operations"] == rs["operations_needed"], rs
        rs = rs["runtime_cycles"]
        best = run(tilewright, "map", layer, 168, 14, "--mapper", "dataflow", "--objective",
                   "latency")["runtime_cycles"]
        errors.append([percent(cycles, measured) for cycles in (tool, rs, best)])
        cells = [f"{cycles:,} | {error:+.1f} %" for cycles, error in zip((tool, rs, best), errors[-1])]
        print(f"| {name} | {measured:,} | " + " | ".join(cells) + " |")
    means = [sum(abs(row[i]) for row in errors) / len(errors) for i in range(3)]
    print("| mean | | | " + " | | ".join(f"{mean:.1f} %" for mean in means) + " |")


def maeri(tilewright):
    print("| layer | one operation per unit and cycle | public tool, its own file | best dataflow found, exact |")
    print("|---|---|---|---|")
    for name, k, c, side, tool in MAERI:
        layer = f"Dimensions {{ K: {k}, C: {c}, R: 3, S: 3, Y: {side}, X: {side} }}"
        best = run(tilewright, "map", layer, 64, 1000000000, "--mapper", "dataflow", "--objective", "latency")
        peak = -(-k * c * 9 * (side - 2) ** 2 // 64)
        print(f"| {name} | {peak:,} | {tool:,} | {best['runtime_cycles']:,} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    eyeriss(sys.argv[1])
    print()
    maeri(sys.argv[1])
