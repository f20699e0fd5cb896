"""MAESTRO's Fig. 9: runtimes against those of chips, with the exact analysis and the public tool's numbers.

study.py prints these tables (eyeriss, maeri). Eyeriss: AlexNet, a batch of 4, 168 units, 14 words per cycle; the measured processing
latencies are those of Eyeriss (JSSC 2017, Table V) at 200 MHz. MAERI: VGG-16 on 64 multipliers.
"""

import json
import pathlib
import subprocess
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
# MAERI's virtual neurons: nine multipliers for the nine weights of an input and an output channel.
NEURONS = """
Dataflow {{
    TemporalMap(1,1) C; SpatialMap(1,1) K; TemporalMap(1,1) Y'; TemporalMap(1,1) X'; {whole}
    Cluster(Sz(R),P); SpatialMap(1,1) Y; SpatialMap(1,1) R; Cluster(Sz(S),P); SpatialMap(1,1) X; SpatialMap(1,1) S;
}}"""
WHOLE_FILTER = "TemporalMap(Sz(R),Sz(R)) R; TemporalMap(Sz(S),Sz(S)) S;"  # the public tool wants it said
# VGG-16 without padding, as in the public tool's MAERI file, and its cycles for that file on 64 units.
MAERI = [
    ("CONV1", 64, 3, 224, 1478520), ("CONV2", 64, 64, 224, 31541760), ("CONV3", 128, 64, 112, 14713600),
    ("CONV4", 128, 128, 112, 29427200), ("CONV5", 256, 128, 56, 13810176), ("CONV6", 256, 256, 56, 27620352),
    ("CONV8", 512, 256, 28, 12806144), ("CONV9", 512, 512, 28, 25612288), ("CONV11", 512, 512, 14, 5455872),
]


def run(tilewright, verb, layer, hardware, *more):
    """The report of one layer. `layer`: Stride and Dimensions in the notation; `hardware`: units, bandwidth, latency."""
    units, bandwidth, latency = hardware
    with tempfile.TemporaryDirectory() as folder:
        network = pathlib.Path(folder, "layer.m")
        network.write_text(f"Network study {{ Layer study {{ Type: CONV {layer} }} }}\n")
        machine = pathlib.Path(folder, "hardware.m")
        machine.write_text(f"num_pes: {units}\nNoC_NumHops: {latency}\nnoc_bw_cstr: {bandwidth}\n")
        command = [tilewright, verb, network, machine, "--json", *more]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["layers"][0]


def percent(cycles, measured):
    return 100 * (cycles / measured - 1)


def eyeriss(tilewright):
    table, errors = [], []
    for name, dimensions, stride, rows, channels, measured, tool in EYERISS:
        layer = f"Stride {{ X: {stride}, Y: {stride} }} Dimensions {{ {dimensions} }}"
        rs = run(tilewright, "evaluate", layer + SETS.format(rows=rows, channels=channels), (168, 14, 1))
        assert not rs["findings"] and rs["operations"] == rs["operations_needed"], rs
        rs = rs["runtime_cycles"]
        best = run(tilewright, "map", layer, (168, 14, 1), "--mapper", "dataflow", "--objective", "latency")["runtime_cycles"]
        errors.append([percent(cycles, measured) for cycles in (tool, rs, best)])
        cells = [cell for cycles, error in zip((tool, rs, best), errors[-1]) for cell in (f"{cycles:,}", f"{error:+.1f} %")]
        table.append([name, f"{measured:,}", *cells])
    means = [sum(abs(row[i]) for row in errors) / len(errors) for i in range(3)]
    table.append(["mean", ""] + [cell for mean in means for cell in ("", f"{mean:.1f} %")])
    header = ["layer", "measured", "public tool, its own file", "error", "row-stationary sets, exact", "error",
              "best dataflow found", "error"]
    return "Fig. 9: Eyeriss", [(header, table)], errors


def maeri(tilewright):
    table, values = [], {}
    for name, k, c, side, tool in MAERI:
        layer = f"Dimensions {{ K: {k}, C: {c}, R: 3, S: 3, Y: {side}, X: {side} }}"
        as_tool = run(tilewright, "evaluate", layer + NEURONS.format(whole=WHOLE_FILTER), (64, 1000000000, 0), "--account", "maestro")
        neurons = run(tilewright, "evaluate", layer + NEURONS.format(whole=""), (64, 1000000000, 0))
        assert not neurons["findings"] and neurons["operations"] == neurons["operations_needed"], neurons
        best = run(tilewright, "map", layer, (64, 1000000000, 0), "--mapper", "dataflow", "--objective", "latency")
        # A virtual neuron makes a multiply-accumulate of nine weights each cycle; seven work side by side.
        by_hand = c * -(-k // 7) * (side - 2) ** 2
        peak = -(-k * c * 9 * (side - 2) ** 2 // 64)
        cycles = [peak, by_hand, tool, as_tool["runtime_cycles"], neurons["runtime_cycles"], best["runtime_cycles"]]
        table.append([name] + [f"{one:,}" for one in cycles])
        values[name] = cycles
    header = ["layer", "one operation per unit and cycle", "virtual neurons by hand", "public tool, recorded", "as it counts, here",
              "virtual neurons, exact", "best dataflow found, exact"]
    return "Fig. 9: MAERI, cycles on 64 multipliers", [(header, table)], values
