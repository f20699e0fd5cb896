"""Bad inputs as data: what is given, and the one line that answers it.

A file of cases is a list of blocks, separated by blank lines:

    == a depth without a value                the name of the case
    -- arch.yaml: depth: 16384 => depth:      a change of an example's file (once; \\n, \\t, \\xNN and \\\\ are read)
    ++ more.yaml: variables: {a: 1}           a file of one line or more, with the same escapes
    ++ zeros.yaml * 1000: x: 1\\n              the text so many times
    $ check arch.yaml problem.yaml            the command line, as a shell splits it
    2 arch.yaml:17:19: error: ...             the exit status and the first line on standard error

Every case runs in a folder of its own with the examples that its command line names, and under a limit of memory. An
answer that ends in "..." is compared up to there. To see what the program answers now: python3 cases.py FILE...
"""

import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
EXAMPLES = {"banked.yaml": ROOT / "examples" / "questions" / "banked.yaml",
            **{name: ROOT / "examples" / "eyeriss_like" / name for name in ["arch.yaml", "problem.yaml", "mapping.yaml"]},
            **{name: ROOT / "examples" / "uneven" / name for name in ["hardware.yaml", "workload.yaml"]},
            **{f"sparse_{name}": ROOT / "examples" / "sparse" / name for name in ["arch.yaml", "problem.yaml", "mapping.yaml"]},
            "uneven.yaml": ROOT / "examples" / "uneven" / "mapping.yaml"}
MEMORY_KIB = os.environ.get("MEMORY_KIB", "4000000")  # as `ulimit -v` takes it
SECONDS = 1800  # a watchdog, not a judge: machines may be slow


@dataclass
class Case:
    place: str
    name: str
    changes: list = field(default_factory=list)  # (file, old, new)
    files: list = field(default_factory=list)    # (file, bytes)
    command: list = field(default_factory=list)
    status: int = 2
    answer: str = ""


def unescaped(text):
    """Python's \\n, \\t, \\xNN and \\\\; bytes, because some inputs are no text."""
    return re.sub(rb"\\(n|t|\\|x[0-9a-f]{2})", lambda m: {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}.get(
        m[1]) or bytes([int(m[1][1:], 16)]), text.encode())


def read(path):
    cases = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("== "):
            cases.append(Case(place, line[3:]))
        elif line.startswith("-- "):
            name, change = line[3:].split(": ", 1)
            old, new = change.split(" =>", 1)
            cases[-1].changes.append((name, unescaped(old), unescaped(new[1:])))
        elif line.startswith("++ "):
            name, text = line[3:].split(":", 1)
            name, _, times = name.partition(" * ")
            cases[-1].files.append((name, unescaped(text[1:]) * int(times or 1)))
        elif line.startswith("$ "):
            cases[-1].command = shlex.split(line[2:])
        else:
            status, _, answer = line.partition(" ")
            cases[-1].status, cases[-1].answer = int(status), answer
    return cases


def prepare(case, folder):
    for name, source in EXAMPLES.items():
        if name in case.command:
            (folder / name).write_bytes(source.read_bytes())
    for name, old, new in case.changes:
        text = (folder / name).read_bytes()
        if text.count(old) != 1:
            raise ValueError(f"{case.place}: {old!r} is {text.count(old)} times in {name}, not once")
        (folder / name).write_bytes(text.replace(old, new))
    for name, text in case.files:
        (folder / name).write_bytes(text)


def limit_memory():
    if MEMORY_KIB != "unlimited":
        resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY_KIB) * 1024, int(MEMORY_KIB) * 1024))


def run(case):
    """Status, standard output, standard error as bytes, and the files that were written."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(case, folder)
        before = set(folder.rglob("*"))
        result = subprocess.run([PROGRAM, *case.command], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                                timeout=SECONDS, preexec_fn=limit_memory, env={**os.environ, "TILEWRIGHT_CACHE": ""})
        return result.returncode, result.stdout, result.stderr, set(folder.rglob("*")) - before


def first_line(stderr):
    return stderr.decode(errors="backslashreplace").partition("\n")[0]


if __name__ == "__main__":
    for path in sys.argv[1:]:
        for one in read(pathlib.Path(path)):
            status, out, err, written = run(one)
            answered = one.answer.endswith("...") and first_line(err).startswith(one.answer[:-3])
            if status == one.status and (answered or first_line(err) == one.answer):
                continue
            print(f"{one.place} {one.name}\n{status} {first_line(err) or out[:300]}\n")
