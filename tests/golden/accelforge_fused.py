"""AccelForge's stored optima with one fused loop, and what `map --fuse` finds on the same machines.

    python3 accelforge_fused.py FOLDER      (TILEWRIGHT: the program; FOLDER: golden/fusion/accelforge)

Two comparisons, of energy times delay. By our rules: the search, where it takes seconds, is not above what is stored.
By AccelForge's own: mappings that the search found, written as its files in accelforge_fused/, cost what the table here
says, which is below what is stored, or as much. One word, "skipped", says that the folder is not there.
"""

import json
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).parent
DECODE = ("BATCH_SIZE=1", "DECODE=True", "N_CACHED_TOKENS=2047", "N_NEW_TOKENS=1")
PREFILL = ("BATCH_SIZE=1", "DECODE=False", "N_NEW_TOKENS=2048")
CYCLE_S = {"simple": 1.0, "eyeriss": 5e-9, "simba": 4e-10, "tpu_v4i": 1.0 / 1.05e9}
ROUNDING = 1.0001  # cycles are whole here


class Optimum(NamedTuple):
    """What AccelForge stores (J, s), and how the search is held to it."""

    machine: str
    workload: str
    variables: tuple
    energy_j: float
    latency_s: float
    is_searched: bool = True
    mapping: str = ""  # ours, by AccelForge's rules:
    own_energy_j: float = 0.0
    own_latency_s: float = 0.0

    def key(self):
        name = pathlib.Path(self.workload).stem
        return f"{self.machine}|{name}|{','.join(sorted(self.variables))}|fused"

    def files(self, folder):
        machine = folder / "examples" / "arches" / f"{self.machine}.yaml"
        workload = folder / "examples" / "workloads" / self.workload
        return [str(machine), str(workload), str(folder / "components.json")]

    def jinja(self):
        return [word for one in self.variables for word in ("--jinja", one)]


MATMULS = "basic/matmuls.yaml"
TWO = ("KN=64", "M=64", "N_EINSUMS=2")
THREE = "basic/three_matmuls_annotated.yaml"
SMALL_GPT = "transformers/gpt/gpt3_6.7B.yaml"

OPTIMA = [
    Optimum("simple", MATMULS, TWO, 17235968.0, 524288.0),
    Optimum("simple", THREE, (), 207224832.0, 6291456.0),
    Optimum("simple", "transformers/gpt/gpt3_175B.yaml", PREFILL, 2.47908331e14, 3.81433361e12, False),
    Optimum("eyeriss", THREE, (), 2.9310284e-05, 4.9151998e-4, True, "eyeriss_three_matmuls.yaml", 2.53809e-05, 0.00049152),
    Optimum("eyeriss", SMALL_GPT, PREFILL, 3.90671953, 36.176609, False, "eyeriss_prefill.yaml", 3.29774, 34.9805),
    Optimum("eyeriss", SMALL_GPT, DECODE, 0.031553365, 1.05458546, True, "eyeriss_decode.yaml", 0.03115, 1.04206),
    Optimum("simba", MATMULS, TWO, 1.26802919e-06, 3.90624991e-05, True, "simba_matmuls.yaml", 1.26667e-06, 3.90625e-05),
    Optimum("simba", THREE, (), 7.2726e-06, 1.9531e-4, True, "simba_three_matmuls.yaml", 7.27264e-06, 0.000195313),
    Optimum("simba", SMALL_GPT, PREFILL, 1.18318929, 35.0, False, "simba_prefill.yaml", 0.597, 14.84),
    Optimum("tpu_v4i", MATMULS, TWO, 1.82294939e-06, 3.04761905e-08),
    Optimum("tpu_v4i", THREE, (), 1.0558374e-05, 1.46736156e-07),
    Optimum("tpu_v4i", "transformers/gpt/gpt3_175B.yaml", PREFILL, 1.17513003, 0.0563305914, False),
]


def run(arguments):
    done = subprocess.run(
        [os.environ["TILEWRIGHT"], *arguments], capture_output=True, text=True, check=False, timeout=900
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def is_close(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))


def check_search(one, folder):
    found = run(["map", "--fuse", *one.files(folder), *one.jinja(), "--objective", "edp", "--json"])
    best = next(way for way in found["ways"] if way["way"] == "fused")
    product = best["energy_pj"] * 1e-12 * best["cycles"] * CYCLE_S[one.machine]
    stored = one.energy_j * one.latency_s
    print(f"{one.key()}: stored {stored:.6g} J*s, found {product:.6g}")
    return [] if product <= stored * ROUNDING else [f"{one.key()}: above what is stored"]


def check_mapping(one, folder):
    file = HERE / "accelforge_fused" / one.mapping
    totals = run(["evaluate", *one.files(folder), str(file), *one.jinja(), "--json"])["totals"]
    wrong = []
    if not is_close(totals["energy_j"], one.own_energy_j) or not is_close(totals["latency_s"], one.own_latency_s):
        wrong.append(f"{one.mapping} costs {totals}")
    if totals["energy_j"] * totals["latency_s"] > one.energy_j * one.latency_s * ROUNDING:
        wrong.append(f"{one.mapping}: above what is stored")
    return wrong


def check_stored(one, reference):
    stored = reference.get(one.key())
    if stored is None or (is_close(stored["energy"], one.energy_j) and is_close(stored["latency"], one.latency_s)):
        return []
    return [f"{one.key()}: {stored['energy']} J, {stored['latency']} s are stored"]


def main():
    folder = pathlib.Path(sys.argv[1])
    if not folder.exists():
        print(f"skipped: there is no folder {folder}")
        return
    reference = json.loads((folder / "reference.json").read_text())
    wrong = []
    for one in OPTIMA:
        wrong += check_stored(one, reference)
        wrong += check_search(one, folder) if one.is_searched else []
        wrong += check_mapping(one, folder) if one.mapping else []
    if sum(one.key() in reference for one in OPTIMA) < 7:
        wrong.append("fewer than 7 of these optima are stored")
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
