#!/usr/bin/env python3
"""SALSA's Fig. 5, left: the range of SALSA's energy over LOMA 7's over what the paper leaves open: sizes of the scratchpads and of the
global buffer, the energy of DRAM, and what runs in parallel.

    bench/studies/salsa/sensitivity.py build/release/bin/salsa_study            # 60 machines, 20 s
    bench/studies/salsa/sensitivity.py build/release/bin/salsa_study --quick    # four of them

Each is the study's machine (machine.yaml) with its sizes and energies multiplied, under one unrolling; seed 1."""

import argparse
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MEMORIES = ("spad_I", "spad_W", "spad_O")  # multiplied together
SCRATCHPADS, BUFFER, DRAM = (0.5, 1, 2), (0.125, 1), (1, 2)
UNROLLED = ["as in the study", "unrolled-c-k", "unrolled-most", "unrolled-ox-oy", "unrolled-oy-k"]


def machine(scratchpads, buffer, dram):
    """The text of the study's machine with these factors."""
    text = (HERE / "machine.yaml").read_text()

    def times(text, memory, key, factor):
        found = re.search(rf"(?ms)^  {memory}:\n.*?^    {key}: ([\d.]+)$", text)
        value = float(found[1]) * factor
        return text[:found.start(1)] + (str(int(value)) if key == "size" else str(value)) + text[found.end(1):]

    for memory in MEMORIES:
        text = times(text, memory, "size", scratchpads)
    text = times(text, "glb", "size", buffer)
    return times(times(text, "dram", "r_cost", dram), "dram", "w_cost", dram)


def changes(program, text, unrolled):
    """Percent by network."""
    with tempfile.TemporaryDirectory() as folder:
        for path in HERE.glob("*.yaml"):
            shutil.copy(path, folder)
        (pathlib.Path(folder) / "machine.yaml").write_text(text)
        if unrolled != UNROLLED[0]:
            for path in pathlib.Path(folder).glob("*-mapping.yaml"):
                shutil.copy(HERE / f"{unrolled}.yaml", path)
        words = [program, folder, "--figure", "5", "--summary"]
        line = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in re.findall(r"(\w+) ([-+]?[\d.]+) %", line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="salsa_study")
    parser.add_argument("--quick", action="store_true", help="four machines")
    options = parser.parse_args()
    knobs = [SCRATCHPADS, BUFFER, DRAM, UNROLLED]
    points = list(itertools.product(*knobs))
    if options.quick:
        points = [(1, 1, 1, UNROLLED[0]), (2, 1, 1, UNROLLED[0]), (1, 0.125, 1, UNROLLED[0]), (1, 1, 1, "unrolled-c-k")]
    found = {point: changes(options.program, machine(*point[:3]), point[3]) for point in points}
    means = {point: sum(one.values()) / len(one) for point, one in found.items()}
    least, most = min(means, key=means.get), max(means, key=means.get)
    def told(point):
        return f"scratchpads x {point[0]}, buffer x {point[1]}, DRAM x {point[2]}, {point[3]}"
    print(f"SALSA Fig. 5: mean of the networks over {len(points)} machines: from {means[least]:+.1f} % ({told(least)}) to "
          f"{means[most]:+.1f} % ({told(most)})")
    for unrolled in UNROLLED:
        here = [value for point, value in means.items() if point[3] == unrolled]
        if here:
            print(f"{unrolled}: {min(here):+.1f} to {max(here):+.1f} %")
    print("; ".join(f"{name} {min(one[name] for one in found.values()):+.1f} to {max(one[name] for one in found.values()):+.1f} %"
                    for name in next(iter(found.values()))))


if __name__ == "__main__":
    main()
