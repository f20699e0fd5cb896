"""One point of the study: one call of tilewright, kept in a file so that an interrupted study goes on where it was."""

import hashlib
import json
import os
import pathlib
import resource
import subprocess


class Study:
    def __init__(self, program, folder, threads, say):
        self.program = pathlib.Path(program).resolve()
        self.folder = pathlib.Path(folder)
        self.threads = threads
        self.say = say
        self.done = 0
        (self.folder / "points").mkdir(parents=True, exist_ok=True)
        (self.folder / "inputs").mkdir(exist_ok=True)

    def input(self, name, text):
        """Writes an input file; returns its path."""
        path = self.folder / "inputs" / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return str(path)

    def point(self, name, arguments, keep, unkeyed=()):
        """What `keep` makes of the JSON that tilewright prints for these arguments. A point that was computed before
        with the same arguments and input files is not computed again; remove its file to do that. `unkeyed`: more
        arguments, which do not change the result."""
        threads = [] if arguments[0] == "evaluate" else ["--threads", str(self.threads)]
        uncached = ["--no-cache"] if arguments[0] == "map" else []  # or timings and reports would depend on earlier runs
        return self.kept(name, self.program, arguments, [*threads, *uncached, *unkeyed, "--json"], keep)

    def beside(self, name, program, arguments, keep):
        """The same of another program that was built beside tilewright and prints JSON."""
        return self.kept(name, self.program.parent / program, arguments, [], keep)

    def kept(self, name, program, arguments, more, keep):
        key = self.key(arguments)
        path = self.folder / "points" / f"{name}.json"
        if path.exists():
            stored = json.loads(path.read_text())
            if stored["key"] == key:
                return stored["result"]
        self.say(f"{name}: {program.name} {' '.join(arguments)}")
        before = processor_seconds()
        command = [str(program), *arguments, *more]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{name}: {' '.join(command)}\n{run.stderr}")
        result = keep(json.loads(run.stdout))
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps({"key": key, "arguments": arguments, "seconds": round(processor_seconds() - before, 4),
                                      "result": result}, indent=1))
        os.replace(beside, path)
        self.done += 1
        return result

    def seconds(self, name):
        """Processor seconds that a point took when it was computed, the start of the program included."""
        return json.loads((self.folder / "points" / f"{name}.json").read_text())["seconds"]

    @staticmethod
    def key(arguments):
        digest = hashlib.sha256()
        for argument in arguments:
            path = pathlib.Path(argument)
            digest.update(path.read_bytes() if path.suffix == ".yaml" and path.exists() else argument.encode())
            digest.update(b"\0")
        return digest.hexdigest()


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def layers_of(report):
    """Of a report: what the study needs of each layer."""
    layers = []
    for layer in report["layers"]:
        if layer["status"] != "evaluated":
            raise RuntimeError(f"{layer['name']}: {layer['failures']}")
        evaluation, search = layer["evaluation"], layer.get("search", {})
        layers.append({"name": layer["name"], "repeats": layer["repeats"], "energy_pj": evaluation["energy_pj"],
                       "cycles": evaluation["cycles"], "utilization": evaluation["utilization"],
                       "area_um2": evaluation["area_um2"], "proven": search.get("proven", False),
                       "lower_bound": search.get("lower_bound"), "stopped_by": search.get("stopped_by", ""),
                       "evaluations": search.get("evaluations"), "memories": memories_of(evaluation)})
    return layers


def memories_of(evaluation):
    """By memory: words that go in and out, and what they take."""
    return {memory["name"]: {"energy_pj": memory["energy_pj"],
                             "accesses": round(sum(tensor["read_words"] + tensor["fill_words"] + tensor["update_words"]
                                                   for tensor in memory["tensors"]))}
            for memory in evaluation["memories"]}


def edp(layer):
    return layer["energy_pj"] * layer["cycles"]


def network(layers):
    """Energy and cycles of all layers, one after another."""
    return {what: sum(layer["repeats"] * layer[what] for layer in layers) for what in ("energy_pj", "cycles")}
