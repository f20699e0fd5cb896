"""Whether two programs answer alike, to the byte: what a change of structure has to keep.

    python3 tests/cli/same_outputs.py OLD NEW [WORD...]   # commands that have all the words; all without any

Each command runs in a folder of its own that holds examples/ and what the commands before it of the same group wrote; compared are
its status, what it prints and every file that it leaves. What a clock says is masked: seconds,
rates and dates. SQLite stores are compared by their size, their rows as the CSV that the same command writes; other
binary files byte by byte."""

import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

LITTLE = "--layers conv1,conv3 --seed 3 -t 2"
SMALL = "--arch eyeriss --net alexnet " + LITTLE

# Groups: a command may read what those before it in its group wrote.
GROUPS = [
    ["map --arch eyeriss --net resnet18 --layers conv1,layer1.* -o out --csv out.csv",
     "check out/mapping.yaml --arch eyeriss --net resnet18 --layers conv1,layer1.*",
     "check out/certificate.json --arch eyeriss --net resnet18",
     "evaluate --arch eyeriss --net resnet18 --layers conv1,layer1.* out/mapping.yaml -o again",
     "compare --arch eyeriss --net resnet18 --layers conv1 out/mapping.yaml --account exact,timeloop",
     "plot network out -o picture.svg",
     "report out again -o page.html",
     "convert --arch eyeriss --net resnet18 --layers conv1 out/mapping.yaml --to timeloop -o converted",
     "simulate --arch eyeriss --net resnet18 --layers conv1 out/mapping.yaml -o simulated"],
    [f"map {SMALL} --factors ruby-s --mapper hybrid --evaluations 4000 -o out"],
    [f"map {SMALL} --mapper random --evaluations 3000 -o out"],
    [f"map {SMALL} --mapper anneal --evaluations 3000 --objective energy"],
    [f"map {SMALL} --mapper genetic --evaluations 3000 --objective latency"],
    [f"map {SMALL} --mapper linear-pruned --evaluations 3000"],
    [f"map {SMALL} --mapper timeloop-random-pruned --streams 4 --evaluations 2000"],
    [f"map {SMALL} --mapper loma"],
    [f"map {SMALL} --mapper salsa --evaluations 3000"],
    [f"map {SMALL} --mapper cosa -o out"],
    [f"map {SMALL} --uneven -o out"],
    [f"map {SMALL} --factors padded -o out"],
    [f"map {SMALL} --objective pareto -o out"],
    ["map --arch simba --net bert-base --layers *attention* --objective energy -o out"],
    ["map --arch eyeriss --einsum O[m,n]+=A[m,k]*B[k,n] --extents m=64,n=64,k=256 --rename m=P,n=K,k=C,A=Inputs,B=Weights,O=Outputs"],
    ["map --arch eyeriss --net resnet18 --layers conv1 --set shared_glb.depth=1,shared_glb.width=16"],
    ["evaluate examples/eyeriss_like/arch.yaml examples/eyeriss_like/problem.yaml examples/eyeriss_like/mapping.yaml -o out"],
    ["evaluate examples/eyeriss_like/arch.yaml examples/eyeriss_like/problem.yaml examples/eyeriss_like/mapping.yaml --account timeloop"],
    ["evaluate examples/uneven/hardware.yaml examples/uneven/workload.yaml examples/uneven/mapping.yaml -o out",
     "report out -o page.html"],
    ["evaluate examples/uneven/hardware.yaml examples/uneven/workload.yaml examples/uneven/mapping.yaml --latency stalls"],
    ["map examples/uneven/hardware.yaml examples/uneven/workload.yaml examples/uneven/mapping.yaml --mapper salsa -o out"],
    ["evaluate examples/dataflow/layer.m examples/dataflow/hardware.m"],
    ["evaluate examples/dataflow/layer.m examples/dataflow/hardware.m --account maestro --tool-csv out.csv"],
    ["compare examples/dataflow/layer.m examples/dataflow/hardware.m --account exact,maestro,timeloop"],
    ["convert examples/dataflow/layer.m examples/dataflow/hardware.m --to mapping"],
    ["map examples/dataflow/layer.m examples/dataflow/hardware.m --mapper dataflow --evaluations 2000 -o out"],
    ["evaluate examples/scalesim/machine.cfg examples/scalesim/products.csv -o out"],
    ["schedule --arch arch5 --net alexnet --layers conv3 --tilings 20 -o out --svg out/svg",
     "simulate out -o simulated",
     "plot gantt out -o picture.svg"],
    ["schedule --arch arch1 --net alexnet --layers conv5 --tilings 10 --scheduler both"],
    ["simulate --arch simba-cosa --net resnet50 --layers conv1 --mapper cosa --mesh 4x4 -o out",
     "plot simulated out -o picture.svg"],
    ["explore --arch simba --net alexnet --layers conv2 --set GlobalBuffer.depth=1k,2k,4k -o out --pareto energy,area --csv rows.csv",
     "explore show out/explore.sqlite --pareto energy,area --html page.html"],
    ["explore examples/dataflow/layer.m examples/dataflow/hardware.m --set units=8,16 --csv rows.csv"],
    ["show --arch eyeriss --energies"],
    ["show --arch simba --yaml"],
    ["show --zoo"],
    ["check examples/eyeriss_like/arch.yaml examples/eyeriss_like/problem.yaml examples/eyeriss_like/mapping.yaml"],
    ["compare --arch eyeriss --net alexnet --layers conv1 --mappers random,hybrid,cosa --evaluations 2000 --seed 2"],
    ["calibrate --arch simba"],
    ["map --arch nowhere --net alexnet"],
]
COMMANDS = [command for group in GROUPS for command in group]

CLOCKS = [
    (re.compile(r'("(?:seconds|wall_seconds|[a-z_]*_seconds)": ?)[0-9.e+-]+'), r"\1T"),
    (re.compile(r"\b[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)? (?:s|ms|min|us)\b"), "T"),
    (re.compile(r"[0-9.,k]+( evaluations per second|/s\b)"), r"R\1"),
    (re.compile(r'"(?:started|finished|date|time)": ?"[^"]*"'), '"T"'),
]


def masked(text):
    for pattern, instead in CLOCKS:
        text = pattern.sub(instead, text)
    return text


def answers(program, group, folder):
    """Of each command: {"status": ..., "stdout": ..., "stderr": ..., "file NAME": ...}, masked; of SQLite stores the size."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    before = {}
    found = []
    for command in group:
        done = subprocess.run([program, *command.split()], cwd=folder, capture_output=True, text=True, timeout=900)
        answer = {"status": str(done.returncode), "stdout": masked(done.stdout), "stderr": masked(done.stderr)}
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.is_relative_to(folder / "examples"):
                continue
            content = path.read_bytes()
            if before.get(path) != content:
                before[path] = content
                try:
                    answer[f"file {path.relative_to(folder)}"] = masked(content.decode())
                except UnicodeDecodeError:
                    answer[f"file {path.relative_to(folder)}"] = f"{len(content)} bytes" if path.suffix == ".sqlite" else content.hex()
        found.append(answer)
    return found


def differences(old, new, group):
    """Lines that tell where the answers of two programs differ: none if they are alike."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one, other = answers(old, group, pathlib.Path(first)), answers(new, group, pathlib.Path(second))
    lines = []
    for command, a, b in zip(group, one, other):
        for what in sorted(a.keys() | b.keys()):
            if a.get(what) != b.get(what):
                lines.append(f"{command}: {what} differs")
                lines += list(difflib.unified_diff(a.get(what, "").splitlines(), b.get(what, "").splitlines(), lineterm="", n=0))[2:12]
    return lines


def main(old, new, *words):
    compared, lines = 0, []
    for group in GROUPS:
        if all(word in " ".join(group) for word in words):
            compared += len(group)
            lines += differences(old, new, group)
    print("\n".join([*lines, f"{compared} commands compared, {sum(line.endswith(' differs') for line in lines)} answers differ"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*(str(pathlib.Path(program).resolve()) for program in sys.argv[1:3]), *sys.argv[3:]))
