#!/usr/bin/env python3
"""Predictions beside measured machines: Gemmini's RTL, DOSA's Timeloop runs, language models on GPUs and a TPU, the Eyeriss chip.

    bench/studies/silicon/study.py                                   # everything, from the shared files
    bench/studies/silicon/study.py --figures gemmini,dosa
    bench/studies/silicon/study.py --rows rows.csv                   # other rows of one of these forms; the header says which

Writes OUT/results.md (the tables), OUT/results.json (every summary) and OUT/*.svg (measured against predicted). Needs Python 3
and the programs silicon_gemmini, silicon_dosa, silicon_kernels and tilewright, built into one folder."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import command  # noqa: E402
import errors  # noqa: E402
import eyeriss  # noqa: E402
import gemmini  # noqa: E402
import kernels  # noqa: E402
import measured  # noqa: E402
import serving  # noqa: E402
from scatter import scatter  # noqa: E402

FIGURES = ["gemmini", "dosa", "kernels", "eyeriss", "serving"]


class Silicon:
    def __init__(self, options):
        self.programs = pathlib.Path(options.programs)
        self.shared = pathlib.Path(options.shared)
        self.out = pathlib.Path(options.out)
        self.threads = options.threads
        self.out.mkdir(parents=True, exist_ok=True)
        self.text, self.results = "", {}

    def program(self, name):
        return str(self.programs / name)

    def say(self, title, tables, notes=()):
        section = command.markdown(title, tables) + "".join(f"\n{note}\n" for note in notes)
        print(section, flush=True)
        self.text += section + "\n"

    def picture(self, name, title, axis, groups):
        (self.out / f"{name}.svg").write_text(scatter(title, axis, groups))

    def finish(self):
        (self.out / "results.md").write_text(self.text)
        (self.out / "results.json").write_text(json.dumps(self.results, indent=1) + "\n")

    def unpacked(self, path, folder):
        """A csv of a csv.gz."""
        plain = pathlib.Path(folder) / "rows.csv"
        plain.write_text(measured.text_of(path))
        return str(plain)

    def gemmini(self, path):
        answer = subprocess.run([self.program("silicon_gemmini"), str(path)], capture_output=True, text=True, check=True)
        rows = json.loads(answer.stdout)
        self.say(f"Gemmini, RTL cycles: {len(rows)} rows, {len({row['shape'] for row in rows})} shapes",
                 [gemmini.table(rows), gemmini.kinds(rows), gemmini.worst(rows), gemmini.own(rows)])
        groups = {"predicted": gemmini.pairs(rows, "predicted"), "cross-validated": gemmini.pairs(rows, "cross_validated")}
        if "timeloop" in rows[0]:
            groups["Timeloop"] = gemmini.pairs(rows, "timeloop")
        self.picture("gemmini", "Gemmini, RTL", "cycles", groups)
        self.results["gemmini"] = {name: errors.summary(some) for name, some in groups.items()}

    def dosa(self, path):
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            answer = subprocess.run([self.program("silicon_dosa"), str(self.shared / "golden/dosa/arch.yaml"), self.unpacked(path, folder),
                                     "--threads", str(self.threads)], capture_output=True, text=True, check=True)
        seconds = time.monotonic() - start
        found = json.loads(answer.stdout)
        different = [[row["line"], row["recorded"], row["counted"], row["refusal"], row["mapping"]] for row in found["different"][:20]]
        tables = [(["rows", "cycles equal", "different"], [[found["rows"], found["equal"], found["rows"] - found["equal"]]])]
        if different:
            tables.append((["line", "recorded", "counted", "refusal", "mapping"], different))
        self.say("DOSA's Timeloop runs", tables)
        print(f"{seconds:.1f} s with {self.threads} threads", file=sys.stderr)
        self.results["dosa"] = {"rows": found["rows"], "equal": found["equal"], "different": found["different"]}

    def kernels(self, paths):
        by = {}
        for path in paths:
            by.setdefault((measured.machine_of(path), "70b" if measured.model_of(path)["h"] == 8192 else "8b"), []).extend(measured.rows_of(path))
        for (machine, model), rows in sorted(by.items()):
            rows, values = kernels.predicted(self.program("silicon_kernels"), machine, rows)
            self.one_machine(f"{machine}, {model}" if measured.ABOUT["machines"][machine]["software"] else machine, machine, rows, values)
            self.by_nearest(machine, model, rows)

    def one_machine(self, title, machine, rows, values):
        notes = [kernels.calibration_line(machine, values), *filter(None, [kernels.worth(rows)])]
        self.say(f"{title}: {len(rows)} rows", [kernels.tables(rows)], notes)
        groups = {kind: kernels.pairs(some, "calibrated") for kind, some in kernels.grouped(rows, lambda row: row["kind"]).items()}
        self.picture(title.replace(", ", "-"), title, "us", groups)
        matmul = kernels.products(rows)
        self.results[title] = {"calibration": values, "products": {model: errors.summary(kernels.pairs(matmul, model))
                                                                  for model in kernels.MODELS} if matmul else {}}

    def by_nearest(self, machine, model, rows):
        """With the numbers of the nearest machine that was given, for one that was not."""
        near = measured.ABOUT["machines"][machine]["nearest"]
        if not near:
            return
        plain = [{key: row[key] for key in row if key not in (*kernels.MODELS, "mapping")} for row in rows]
        program = self.program("silicon_kernels")
        again, _ = kernels.predicted(program, machine, plain, kernels.of_the_zoo(program, near))
        self.say(f"{machine}, {model}, with the numbers of {near}", [kernels.tables(again)])

    def eyeriss(self, path):
        self.say("Eyeriss, the chip", eyeriss.tables(self.program("tilewright"), json.loads(pathlib.Path(path).read_text()), self.out))

    def serving(self, folder):
        found = [row for machine in serving.FILES for row in serving.rows(self.programs, machine, folder)]
        self.say("Serving Llama-3-8B: tokens a second", [serving.table(found)])
        self.results["serving"] = found

    def rows(self, path):
        """By the header of the file."""
        first = measured.text_of(path).split("\n", 1)[0].split(",")
        if "target.gemmini_cycle" in first:
            self.gemmini(path)
        elif "target.cycle" in first:
            self.dosa(path)
        else:
            self.kernels([path])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=str(ROOT / "build/release/bin"), help="the folder of the programs")
    parser.add_argument("--shared", default=str(ROOT.parent / "shared"), help="the shared reference data")
    parser.add_argument("--out", default="out/silicon_study")
    parser.add_argument("--figures", default=",".join(FIGURES), help="separated by commas (default all)")
    parser.add_argument("--rows", action="append", default=[], help="other rows in the place of the figures; may be given more than once")
    parser.add_argument("--threads", type=int, default=2, help="does not change the results")
    options = parser.parse_args(arguments)
    study = Silicon(options)
    if options.rows:
        for path in options.rows:
            study.rows(path)
        return study.finish()
    golden = study.shared / "golden" / "silicon"
    given = {"gemmini": lambda: study.gemmini(golden / "gemmini" / "rtl.csv"),
             "dosa": lambda: study.dosa(study.shared / "golden/dosa/timeloop.csv.gz"),
             "kernels": lambda: study.kernels(sorted([*golden.glob("llm/*.csv.gz"), *(path for path in golden.glob("gpu/*.csv")
                                                                                      if not path.name.startswith("transformer"))])),
             "eyeriss": lambda: study.eyeriss(golden / "eyeriss.json"),
             "serving": lambda: study.serving(golden / "llm")}
    for name in options.figures.split(","):
        if name not in given:
            sys.exit(f"there is no figure '{name}'; there are {', '.join(given)}")
        given[name]()
    return study.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
