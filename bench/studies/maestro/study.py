"""MAESTRO's case study I with the exact analysis: Figs. 10 to 12 over VGG-16 CONV1 and CONV11.

    bench/studies/maestro/study.py build/release/bin/tilewright

Prints the tables of README.md. The dataflows are those of Table 2 as docs/maestro.md reads them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LAYERS = {
    "CONV1": "K: 64, C: 3, R: 3, S: 3, Y: 226, X: 226",
    "CONV11": "K: 512, C: 512, R: 3, S: 3, Y: 16, X: 16",
}
DATAFLOWS = ["nlr", "ws", "shidiannao", "rs", "nvdla"]
UNITS = [16, 32, 64, 128, 256]


def evaluate(tilewright, layer, dataflow, units):
    with tempfile.TemporaryDirectory() as folder:
        network = pathlib.Path(folder, "layer.m")
        network.write_text(f"Network vgg16 {{ Layer {layer} {{ Type: CONV Dimensions {{ {LAYERS[layer]} }} }} }}\n")
        hardware = pathlib.Path(folder, "hardware.m")
        hardware.write_text(f"num_pes: {units}\nNoC_NumHops: 1\n")
        command = [tilewright, "evaluate", network, hardware, "--dataflow", dataflow, "--json",
                   "--size", f"P_cluster_size={min(64, units)}"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["layers"][0]


def roofline(tilewright):
    """Fig. 10: what 64 units need and reach when nothing holds them up. One byte per word, 1 GHz."""
    print("| layer | dataflow | MACs/cycle | network, Gbit/s | L1 of all units, KB | energy per MAC | of it L1, L2 |")
    print("|---|---|---|---|---|---|---|")
    for layer in LAYERS:
        for dataflow in DATAFLOWS:
            cost = evaluate(tilewright, layer, dataflow, 64)
            macs = cost["operations"]
            top, inner = cost["levels"][0], cost["levels"][-1]
            l1 = 1.68 * (4 * macs + inner["input"]["unicast_words"] + inner["filter"]["unicast_words"])
            l2 = cost["energy_operations"] - macs - l1
            print(f"| {layer} | {dataflow} | {macs / cost['runtime_cycles']:.1f} | {8 * top['bytes_per_cycle']} | "
                  f"{64 * cost['l1_bytes'] / 1024:.1f} | {cost['energy_operations'] / macs:.2f} | "
                  f"{l1 / macs:.2f}, {l2 / macs:.2f} |")


def scaling(tilewright):
    """Fig. 12: energy in units of the layer's multiply-accumulates."""
    print("| layer | dataflow | " + " | ".join(f"{units} units" for units in UNITS) + " |")
    print("|---|---|" + "---|" * len(UNITS))
    for layer in LAYERS:
        for dataflow in DATAFLOWS:
            costs = [evaluate(tilewright, layer, dataflow, units) for units in UNITS]
            cells = [f"{cost['energy_operations'] / cost['operations']:.2f}" for cost in costs]
            print(f"| {layer} | {dataflow} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    roofline(sys.argv[1])
    print()
    scaling(sys.argv[1])
