"""Runs the lines of a manifest of real input files: `python3 real_files.py MANIFEST [PATTERN...]`.

A line says how tilewright is called in the manifest's folder and what is to come out: `works`, `refused: why`, or
`either: why` where both are an answer; a pattern in brackets at the end has to match the message of a refusal. Where
the line has a tolerance, energy and cycles have to be those of the source. The patterns (of the shell) pick lines by
their name. A search gets a limit, for what is tested is that the files are read and mapped: --seconds is for each
layer. One word, "skipped", says that the folder is not there.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
from typing import NamedTuple

COLUMNS = 8
LONGEST = 120  # seconds, for a search that found nothing in the usual time

# The conventions of the versions of Timeloop that made the reference numbers, by line.
SWITCHES = {
    "baseline-eyeriss-like-evaluate": ["--no-reuse-after-pause", "--first-fills"],
    "baseline-simple-output-stationary-evaluate": ["--no-reuse-after-pause", "--first-fills", "--dearest-action"],
    "ispass-06-eyeriss-evaluate": ["--no-reuse-after-pause"],
    "ispass-timeloop-accelergy-ref-intmac": ["--no-reuse-after-pause"],
    "ispass-timeloop-accelergy-ref-fpmac": ["--no-reuse-after-pause"],
    "simple-pim-evaluate": ["--first-fills"],
    "hfp-default-evaluate": ["--no-reuse-after-pause"],
    "hfp-output-evaluate": ["--no-reuse-after-pause"],
    "hfp-trash2-evaluate": ["--no-reuse-after-pause"],
}

# Lines that are not as the manifest expects, on purpose, and the page that says why; anything else they do is a failure.
MEANT_TO_DIFFER = {
    "scalesim-cfg": ("works", "docs/coming-from-scalesim.md: the file is read, not only named"),
    **{name: ("works", "docs/coming-from-accelforge.md: AccelForge's files are read")
       for name in ["af-simba", "af-at_glb", "af-workload"]},
    "sparse-dot-product": ("works", "docs/sparsity.md: sparse machines are counted, exactly"),
    "pad-3slice_only": ("refused", "docs/networks.md: by ONNX's rules its channels become 4, and the weights read 3"),
    "pad-4transpose_only": ("refused", "docs/networks.md: by ONNX's rules its channels become 5, and the weights read 3"),
    "cimloop-wang-vlsi-2022": ("refused", "docs/timeloop-inputs.md: its layer says HStride, which the shape calls Hstride"),
}


class Line(NamedTuple):
    """One line of the manifest."""

    name: str
    about: str
    command: str
    expected: str
    energy_pj: str
    cycles: str
    tolerance: str
    source: str

    def pattern(self):
        """What a refusal's message has to match; "" when nothing is said."""
        found = re.search(r"\[(.*)\]$", self.expected)
        return found.group(1) if found else ""


class Outcome(NamedTuple):
    failure: str  # "" when it is as expected
    seconds: float
    message: str  # what the program said on standard error


def lines_of(manifest):
    """The lines that are not comments. A line with another number of columns is an error: nothing is left out."""
    for number, text in enumerate(manifest.read_text().splitlines(), 1):
        if not text or text.startswith("#"):
            continue
        fields = text.split("\t")
        if len(fields) != COLUMNS:
            sys.exit(f"{manifest}:{number}: expected {COLUMNS} columns, found {len(fields)}")
        yield Line(*fields)


def command_of(line, seconds):
    words = shlex.split(line.command)
    if words[0] == "map":
        words += ["--time-limit", str(seconds), "--quiet", "--json"]
    if words[0] == "evaluate":
        words += ["--json", *SWITCHES.get(line.name, [])]
    return words


def number_problem(line, text):
    """What is wrong with the numbers of a report, "" when they are within the tolerance."""
    totals = json.loads(text)["totals"]
    for what, want in (("energy_pj", line.energy_pj), ("cycles", line.cycles)):
        if want == "-":
            continue
        have = totals[what]
        if abs(have - float(want)) > float(line.tolerance) * float(want):
            return f"{what} is {have:.10g}, the source says {float(want):.10g}"
    return ""


def judge(line, status, output, message):
    """What differs from the expectation, "" when nothing does."""
    worked = status == 0
    if line.name in MEANT_TO_DIFFER:
        wanted, why = MEANT_TO_DIFFER[line.name]
        return "" if worked == (wanted == "works") else f"expected here: {wanted} ({why})"
    if worked and line.expected.startswith("refused"):
        return "it works, but was to be refused"
    if worked:
        return number_problem(line, output) if line.tolerance != "-" else ""
    if line.expected == "works":
        return f"exit status {status}"
    return "" if re.search(line.pattern(), message, re.IGNORECASE) else f"the message does not match '{line.pattern()}'"


def run(program, folder, line, seconds):
    begin = time.monotonic()
    environment = {**os.environ, "TILEWRIGHT_CACHE": ""}
    result = subprocess.run([program, *command_of(line, seconds)], cwd=folder, capture_output=True, text=True,
                            env=environment, stdin=subprocess.DEVNULL, check=False)
    if result.returncode != 0 and "the time is up" in result.stderr and seconds < LONGEST:
        return run(program, folder, line, LONGEST)  # a busy machine found nothing so soon
    failure = judge(line, result.returncode, result.stdout, result.stderr)
    return Outcome(failure, time.monotonic() - begin, result.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--program", default=os.environ.get("TILEWRIGHT", "tilewright"))
    parser.add_argument("--seconds", type=float, default=2, help="limit of each search")
    options = parser.parse_args()
    if not options.manifest.is_file():
        print(f"skipped: there is no file {options.manifest}")
        return 0
    lines = [line for line in lines_of(options.manifest)
             if any(fnmatch.fnmatch(line.name, pattern) for pattern in options.patterns)]
    failed = differing = 0
    for line in lines:
        outcome = run(options.program, options.manifest.parent, line, options.seconds)
        failed += bool(outcome.failure)
        differing += line.name in MEANT_TO_DIFFER
        print(f"{'FAILED' if outcome.failure else 'ok':6} {line.name}  {outcome.seconds:.1f} s")
        if outcome.failure:
            print(f"       {outcome.failure}\n       {outcome.message.strip()[:600]}", flush=True)
    meant = f", {differing} of them differ from the manifest on purpose" if differing else ""
    print(f"{len(lines) - failed} of {len(lines)} lines as expected{meant}")
    return 1 if failed or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
