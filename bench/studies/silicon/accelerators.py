#!/usr/bin/env python3
"""Errors of predicted kernels and servers of accelerators: docs/evidence/accelerators.md, from the shared rows.

    bench/studies/silicon/accelerators.py --shared ../shared > docs/evidence/accelerators.md
    bench/studies/silicon/accelerators.py --shared ../shared --every 50     # a sample

Needs Python 3 and the programs silicon_accelerators and silicon_servers."""

import argparse
import gzip
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUNS = [("Calibrated", [], "Each machine with its own numbers and its generation's form."),
        ("Blind", ["--blind"], "Each machine with the numbers of another: the H100 takes those of the A100, all others the H100's."),
        ("Without a form", ["--without-form", "--kind", "products"],
         "bfloat16 products by the general form of kernels, with the machine's own numbers."),
        ("Without a form, blind", ["--without-form", "--blind", "--kind", "products"],
         "The same with the numbers of another machine.")]


def unpack(rows, folder):
    """The csv.gz files of kernels, as csv."""
    names = []
    for path in sorted(rows.glob("*.csv.gz")):
        name = path.name.removesuffix(".gz")
        if name.startswith("serv"):
            continue
        (folder / name).write_bytes(gzip.decompress(path.read_bytes()))
        names.append(name)
    return names


def table(program, folder, options):
    return subprocess.run([program, str(folder), *options], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", default=str(ROOT.parent / "shared"))
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/silicon_accelerators"))
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpack(pathlib.Path(given.shared) / "golden/silicon2", folder)
        print("# Evidence: kernels of accelerators\n\n    bench/studies/silicon/accelerators.py --shared ../shared\n")
        print("Errors are |predicted / measured - 1| in percent, over the rows of ai-dynamo/aiconfigurator 095f58a\n"
              "(Apache-2.0) that the study holds; a power row's are of watts.")
        for title, options, words in RUNS:
            print(f"\n## {title}\n{words}\n\n{table(given.program, folder, [*options, '--every', str(given.every)])}", end="")
        servers = folder / "servers" / "servers.csv"
        servers.parent.mkdir()
        servers.write_bytes(gzip.decompress((pathlib.Path(given.shared) / "golden/silicon2/servers.csv.gz").read_bytes()))
        program = pathlib.Path(given.program).with_name("silicon_servers")
        print("\n## Servers\nWhole servers under load, with calibrated machines; `apart`: groups that only prefill beside those that decode.\n\n"
              f"{table(program, servers, ['--every', str(given.every)])}", end="")


if __name__ == "__main__":
    sys.exit(main())
