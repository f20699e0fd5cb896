"""What the command line refuses, the module refuses, with the same words: the cases of tests/bad_input, run through both."""

import inspect
import os
import pathlib
import re
import sys
import tempfile
import unittest

import tilewright
from program import EXAMPLE, ROOT

sys.path.insert(0, str(ROOT / "tests" / "bad_input"))
import cases as bad_input  # noqa: E402

LEAST_TRANSLATED = 390
UNEVEN = ROOT / "examples" / "uneven"

# Options and what they are called here; "+": a list that grows, "?": a switch.
OPTIONS = {"--arch": "source", "--net": "net", "--set": "set+", "--dim": "dims+", "--layers": "layers+", "--einsum": "einsum",
           "--extents": "extents+", "--bits": "bits+", "--objective": "objective", "--mapper": "mapper", "--factors": "factors",
           "--seed": "seed", "--time-limit": "time_limit", "--evaluations": "evaluations", "--victory": "victory",
           "--threads": "threads", "--uneven": "uneven?", "--account": "account", "--core": "core", "--streams": "streams",
           "--timeout": "timeout", "--phase": "phase"}
SEARCH = ("objective", "mapper", "factors", "seed", "time_limit", "evaluations", "victory", "threads", "uneven", "streams", "timeout")
NUMBERS = {"seed": int, "time_limit": float, "evaluations": int, "victory": int, "threads": int, "streams": int, "timeout": int}
PROBLEMS = ("problem.yaml", "q.yaml")
MAPPINGS = ("mapping.yaml", "m.yaml")
# ZigZag's workloads and mappings, certificates, schedules; verbs of explore.
NO_COUNTERPART = ("workload.yaml", "two.yaml", "c.json", "schedule.json", "more.yaml", "space.yaml", "show", "worker", "stop")


class NoCounterpart(Exception):
    """The module has no way to ask for this."""


def number(kind, text):
    if not text:
        raise NoCounterpart("nothing is no number")
    try:
        return kind(text)
    except ValueError:
        return text  # as a careless script would hand it over


def assigned(words):
    """{"batch": 4} of ["batch=4"]."""
    made = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name in made:
            raise NoCounterpart("a dictionary has a value for each name, and one only")
        made[name] = number(int, value)
    return made


def parsed(words):
    given, files = {}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            files.append(word)
            continue
        word, equals, value = word.partition("=")
        name = OPTIONS.get(word)
        if name is None or equals and name.endswith("?"):
            raise NoCounterpart(word)
        if name.endswith("?"):
            given[name[:-1]] = True
            continue
        value = value if equals else words.pop(0)
        if name.endswith("+"):
            given.setdefault(name[:-1], []).extend(value.split(",") if word != "--set" else [value])
        elif name in given:
            raise NoCounterpart("an argument is given once")
        else:
            given[name] = number(NUMBERS[name], value) if name in NUMBERS else value
    return given, files


ZIGZAG = re.compile(r"^(cores:|type: aie|operational_array:)", re.MULTILINE)


def is_layer(file):
    """A model, or a file that speaks of a problem and of no machine."""
    if file.endswith((".onnx", ".cascade")) or file in PROBLEMS:
        return True
    text = pathlib.Path(file).read_bytes() if os.path.isfile(file) else b""
    return text.lstrip(b"{\"' ").startswith(b"problem") and b"architecture" not in text


def network(given, files):
    if "einsum" in given:
        if "dims" in given or "net" in given:
            raise NoCounterpart("an einsum takes its extents with it")
        return tilewright.Network.from_einsum(given["einsum"], assigned(given.get("extents", [])))
    if "extents" in given:
        raise NoCounterpart("extents without an einsum")
    of_files = [file for file in files if is_layer(file)]
    if "bits" in given and not of_files and "net" not in given or "layers" in given and not of_files and "net" not in given:
        raise NoCounterpart("they are arguments of a network")
    if len(of_files) + ("net" in given) > 1:
        raise NoCounterpart("one network")
    dims = assigned(given["dims"]) if "dims" in given else None
    made = tilewright.Network((of_files + [given.get("net", str(EXAMPLE / "problem.yaml"))])[0], dims=dims,
                              layers=given.get("layers"), phase=given.get("phase"))
    for word in given.get("bits", []):
        name, equals, width = word.rpartition("=")
        layers, colon, tensor = name.rpartition(":")
        made = made.with_bits(assigned([tensor + equals + width]), layers=layers if colon else "*")
    return made


def machine(given, files):
    of_files = [file for file in files if not is_layer(file) and file not in MAPPINGS]
    if of_files and "source" in given:
        raise NoCounterpart("one machine")
    if any(ZIGZAG.search(pathlib.Path(file).read_text(errors="replace")) for file in of_files if os.path.isfile(file)):
        if len(files) > 1 or set(given) - {"core"}:
            raise NoCounterpart("a machine of ZigZag's is read by itself")
        return tilewright.ZigzagMachine(of_files[0], **given)
    if "core" in given:
        raise NoCounterpart("of a machine of ZigZag's")
    made = tilewright.Architecture(of_files or given.get("source", "eyeriss"))
    settings = {}
    for word in given.get("set", []):
        name, equals, value = word.partition("=")
        if not equals or name in settings or re.search(r"[,*]|\.\.|\dk", value):
            raise NoCounterpart("one value for each name, written out")
        settings[name] = value
    return made.with_settings(settings) if settings else made


def explored(given, files):
    knobs = {}
    for word in given.get("set", []):
        name, equals, values = word.partition("=")
        if "source" not in given or not equals or name in knobs or name == "net" or name.startswith("dim.") or re.search(r"\*|\.\.|\dk.*\d\d\d", values):
            raise NoCounterpart("a dictionary of values")
        knobs[name] = values.split(",")
    if not knobs:
        raise NoCounterpart("nothing varies")
    options = {name: given[name] for name in SEARCH if name in given}
    return tilewright.explore(network(given, files), tilewright.Architecture(given.get("source", "eyeriss")), knobs, **options)


def in_python(command):
    """Does in Python what the command line is asked for."""
    verb = command[0]
    given, files = parsed(command[1:])
    if any(file in NO_COUNTERPART for file in files) or verb not in ("check", "show", "map", "evaluate", "explore"):
        raise NoCounterpart(verb)
    if verb == "explore":
        return explored(given, files)
    if any(os.path.isfile(file) and b"template" in pathlib.Path(file).read_bytes() for file in files):
        raise NoCounterpart("a template says how `tilewright map` searches")
    if any(os.path.isfile(file) and re.search(rb"^(arch|workload):", pathlib.Path(file).read_bytes(), re.M) for file in files):
        raise NoCounterpart("the module does not read AccelForge's files")
    mappings = [file for file in files if file in MAPPINGS]
    has_layer = "net" in given or "einsum" in given or any(map(is_layer, files))
    if not has_layer and not files and "source" not in given or verb in ("map", "evaluate") and not (
            has_layer and ("source" in given or any(not is_layer(file) and file not in MAPPINGS for file in files))):
        raise NoCounterpart("arguments that have to be there")
    if verb in ("check", "show") and has_layer and not mappings and all(map(is_layer, files)) and "source" not in given:
        return network(given, files)
    options = {name: given[name] for name in SEARCH if name in given}
    if verb == "evaluate" or mappings:
        return tilewright.evaluate(network(given, files), machine(given, files), mappings[0] if mappings else None,
                                   account=given.get("account", "exact"))
    if verb == "check":
        options["time_limit"] = 0
    return tilewright.map(network(given, files), machine(given, files), **options)


def expected(case):
    """The command line's words with the names that arguments have here."""
    text = re.sub(r"^tilewright \w+: ", "", case.answer.removesuffix("..."))
    text = re.sub(r"^--set ", "", text)
    text = re.sub(r" \(layer '\w+'\); --unnamed ignore voids the constraints on it", "", text)  # no such option here
    text = re.sub(r", ([\w-]+), gamma or dataflow,", r" or \1,", text)  # these two search dataflows
    for option, name in OPTIONS.items():
        text = re.sub(rf"(?<![\w-]){option}(?![\w-])", name.rstrip("+?"), text)
    return text


def refusal(command):
    """The first line of what the module says, or None where it does what it is asked for."""
    try:
        in_python(command)
    except TypeError as error:
        return f"error: {error} [usage]"
    except OverflowError as error:
        return f"error: {error} [overflow]"
    except tilewright.InputError as error:
        return str(error).split("\n")[0]
    return None


class BadInput(unittest.TestCase):
    maxDiff = None

    def run_in_its_folder(self, case):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            bad_input.prepare(case, pathlib.Path(folder))
            os.chdir(folder)
            try:
                return refusal(case.command)
            finally:
                os.chdir(before)

    def test_the_same_words(self):
        translated = 0
        for path in sorted(bad_input.ROOT.glob("tests/bad_input/cases/*.txt")):
            for case in bad_input.read(path):
                try:
                    found = self.run_in_its_folder(case)
                except NoCounterpart:
                    continue
                translated += 1
                with self.subTest(f"{case.place} {case.name}"):
                    words = expected(case)
                    self.assertIsNotNone(found, "the module takes it")
                    self.assertEqual(found[:len(words)] if case.answer.endswith("...") else found, words)
        self.assertGreaterEqual(translated, LEAST_TRANSLATED)


NONSENSE = (object(), "x", 2.5, -1, 2**70, float("nan"), b"x", [], {}, (), [None], {1: 2}, {"a": "b"}, None)


class Nonsense(unittest.TestCase):
    """Whatever stands in for an argument, the answer is a sentence about that argument, never a signature of C++."""

    def callables(self):
        small = tilewright.Network.from_einsum("Outputs[N,K] += Weights[K,C] * Inputs[N,C]", {"N": 4, "K": 8, "C": 8})
        alexnet = tilewright.Network("alexnet", layers="fc8")
        simba = tilewright.Architecture("simba-cosa")
        found = tilewright.map(small, simba)
        scheduled = tilewright.schedule(alexnet, "arch1", time_limit=0.1)
        few = {"evaluations": 10, "mapper": "random"}
        return ((tilewright.Architecture, ("eyeriss",), {}), (simba.with_settings, ({},), {}),
                (tilewright.Network, ("alexnet",), {}), (tilewright.Network.from_problem, (EXAMPLE / "problem.yaml",), {}),
                (tilewright.Network.from_onnx, (ROOT / "tests" / "data" / "onnx" / "convolutions.onnx",), {}),
                (tilewright.Network.from_einsum, ("O[m] += A[m]", {"m": 4}), {}), (alexnet.select, ("fc8",), {}),
                (alexnet.with_bits, ({},), {}), (tilewright.map, (small, simba), few),
                (tilewright.evaluate, (small, simba, found), {}), (tilewright.compare, (small, simba, found), {}),
                (tilewright.schedule, (alexnet, "arch1"), {"time_limit": 0.1}), (tilewright.simulate, (found,), {}),
                (lambda **fields: tilewright.simulate(found, machine=tilewright.SimulatedMachine(**fields)), (),
                 {name: None for name in ("network", "dram", "dram_channels", "row_policy", "mesh", "flit_bits", "packet_flits",
                                          "virtual_channels", "buffer_flits")} | {"double_buffered": False}),
                (tilewright.ZigzagMachine, (UNEVEN / "hardware.yaml",), {}),
                (tilewright.map_zigzag, (UNEVEN / "workload.yaml", UNEVEN / "hardware.yaml", UNEVEN / "mapping.yaml"), {}),
                (scheduled.simulate, (), {}), (tilewright.explore, (small, simba, {"seed": [1]}), few))

    def test_no_signatures(self):
        tried = 0
        for function, positional, keywords in self.callables():
            names = list(inspect.signature(function).parameters)
            names = [*names, *keywords] if "fields" not in names else list(keywords)
            for name in dict.fromkeys(one for one in names if one != "options"):
                for value in NONSENSE:
                    places = list(inspect.signature(function).parameters)
                    arguments = {**dict(zip(places, positional)), **keywords, name: value}
                    if name in ("evaluations", "victory", "time_limit", "largest_space") and value is None:
                        continue  # no limit at all is a wish
                    tried += 1
                    with self.subTest(function=getattr(function, "__qualname__", function), argument=name, value=value):
                        try:
                            function(**arguments)
                        except (ValueError, TypeError, OverflowError) as error:
                            for word in ("incompatible", "supported", "(self", "arg0", "std::", "tilewright._core", "Unable to"):
                                self.assertNotIn(word, str(error))
        self.assertGreater(tried, 800)


if __name__ == "__main__":
    unittest.main()
