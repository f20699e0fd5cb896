"""Every document that the program prints names a schema of schemas/, and is as that says."""

import copy
import functools
import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

EXAMPLES = ROOT / "examples"
PRODUCT = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=8,n=16,k=4"]
CHAIN = ["--einsum", "B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", "--extents", "m=64,e=16,k=32,n=16"]
FUSED = [f"--arch={EXAMPLES}/fusion/machine.yaml", f"--net={EXAMPLES}/fusion/filters.cascade",
         f"--fused-mapping={EXAMPLES}/fusion/filters.fused"]
DATAFLOW = """Network small { Layer one { Type: CONV
  Dimensions { K: 4, C: 6, R: 3, S: 3, Y: 8, X: 8 }
  Dataflow { TemporalMap(1,1) K; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X;
             TemporalMap(Sz(R),Sz(R)) R; TemporalMap(Sz(S),Sz(S)) S; SpatialMap(1,1) C; } } }
"""


def files_of(folder, *names):
    return [str(EXAMPLES / folder / name) for name in names]


# By schema, commands that print such a document. `mapped` is a folder with a mapping of PRODUCT.
DOCUMENTS = {
    "report-2": [["map", "--arch=simba-cosa", *PRODUCT], ["evaluate", *files_of("eyeriss_like", "arch.yaml", "problem.yaml", "mapping.yaml")]],
    "comparison-1": [["compare", *files_of("eyeriss_like", "arch.yaml", "problem.yaml", "mapping.yaml")]],
    "show-1": [["show", "--arch=simba", "--net=alexnet"], ["show", *CHAIN], ["show", "--net=llama3-8b", "--phase=decode"]],
    "check-1": [["check", *files_of("eyeriss_like", "arch.yaml", "problem.yaml")], ["check", "mapped/certificate.json"]],
    "mappers-1": [["compare", "--arch=eyeriss", *PRODUCT, "--mappers=random", "--factors=perfect", "--evaluations=100"]],
    "simulation-1": [["simulate", "--arch=simba-cosa", *PRODUCT, "--mesh=4x4", "mapped/mapping.yaml"]],
    "schedule-report-1": [["schedule", "--arch=arch1", "--net=resnet18", "--layers=fc", "--tilings=1"]],
    "schedule-replay-1": [["simulate", "scheduled/schedule.json"]],
    "exploration-1": [["explore", "--arch=simba-cosa", *PRODUCT, "--set", "GlobalBuffer.depth=8k,16k"]],
    "codesign-1": [["explore", "--arch=simba-cosa", *PRODUCT, "--set", "GlobalBuffer.depth=8k,16k", "--prove", "--best=energy",
                    "--objective=energy", "--worth"],
                   ["explore", f"--package={EXAMPLES}/package/two-cores.yaml", f"--net={EXAMPLES}/package/products.cascade",
                    "--set", "package.mesh=1x1,2x1", "--prove", "--best=energy"]],
    "codesign-front-1": [["explore", "--arch=simba-cosa", *PRODUCT, "--set", "GlobalBuffer.depth=8k,16k", "--prove",
                          "--pareto=energy,area"]],
    "llm-1": [["llm", "--arch=h100", "--net=llama3-8b", "--prompt=16"]],
    "fusion-1": [["map", "--fuse", "--arch=fused-npu", "--set", "buffer.depth=2048", *CHAIN]],
    "fused-1": [["evaluate", *FUSED]],
    "zigzag-1": [["evaluate", *files_of("uneven", "hardware.yaml", "workload.yaml", "mapping.yaml")]],
    "dataflow-1": [["evaluate", "layer.m", "machine.m"]],
    "scalesim-1": [["evaluate", *files_of("scalesim", "machine.cfg", "convolutions.csv")]],
    "accelforge-1": [["evaluate", *files_of("accelforge", "machine.yaml", "workload.yaml", "mapping.yaml")]],
    "package-1": [["map", f"--package={EXAMPLES}/package/two-cores.yaml", f"--net={EXAMPLES}/package/products.cascade"]],
    "tiles-1": [["tiles", "gemmini", "--extents", "M=64,N=64,K=64,ws=1"]],
    "tileflow-1": [["evaluate", f"--arch={EXAMPLES}/tileflow/machine.yaml", f"--fused-mapping={EXAMPLES}/tileflow/products.yaml"]],
}
# Those that `report` and `plot` read again.
DRAWN = ["report-2", "comparison-1", "mappers-1", "simulation-1", "schedule-report-1", "schedule-replay-1", "codesign-1",
         "codesign-front-1", "llm-1", "fusion-1", "package-1", "zigzag-1", "dataflow-1"]
# Of inputs, and of files that are written beside a report; other tests hold them to what is read.
OTHERS = {"certificate-2", "fused-certificate-1", "fused-mapping-1", "package-certificate-1", "schedule-1", "cost-1", "explore-1", "figures-1", "network-1", "mapping-1"}


@unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
class Schemas(Case):
    def schema(self, name):
        schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        return validator(schema)

    def prepare(self):
        self.write("layer.m", DATAFLOW)
        self.write("machine.m", "num_pes: 16\nnoc_bw_cstr: 16\nNoC_NumHops: 1\n")
        for command in (["map", "--arch=simba-cosa", *PRODUCT, "-o", "mapped"],
                        ["schedule", "--arch=arch1", "--net=resnet18", "--layers=fc", "--tilings=1", "-o", "scheduled"]):
            self.assertEqual(self.run_program(*command, "-q").returncode, 0)

    def test_every_document_is_as_its_schema_says(self):
        self.prepare()
        for name, commands in DOCUMENTS.items():
            schema = self.schema(name)
            for command in commands:
                with self.subTest(command=" ".join(command)):
                    result = self.run_program(*command, "--json")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    document = json.loads(result.stdout)
                    self.assertEqual(document["schema"], "tilewright-" + "/".join(name.rsplit("-", 1)))
                    schema.validate(document)
                    with self.assertRaises(jsonschema.ValidationError):
                        schema.validate({**document, "unknown": 1})

    def wrong_documents(self, document, schema):
        """The document with another value at every third of its places in turn, where the schema refuses it: one place of each
        list."""
        def places(value, path):
            yield path
            if isinstance(value, dict):
                for key, inner in value.items():
                    yield from places(inner, [*path, key])
            if isinstance(value, list) and value:
                yield from places(value[0], [*path, 0])
        for number, path in enumerate(list(places(document, []))[1::3]):
            changed = copy.deepcopy(document)
            holder = functools.reduce(lambda value, key: value[key], path[:-1], changed)
            holder[path[-1]] = ("x", [], 5, "5", True, {})[number % 6]
            if not schema.is_valid(changed):
                yield "/".join(map(str, path)), holder[path[-1]], changed

    def test_documents_that_their_schema_refuses_are_refused(self):
        self.prepare()
        tried = 0
        for name in DRAWN:
            schema = self.schema(name)
            document = json.loads(self.run_program(*DOCUMENTS[name][0], "--json").stdout)
            for path, value, changed in self.wrong_documents(document, schema):
                self.write("wrong.json", json.dumps(changed))
                result = self.run_program("report", "wrong.json", "-o", "wrong.html")
                tried += 1
                with self.subTest(document=name, path=path, value=value):
                    self.assertEqual(result.returncode, 2)
                    self.assertRegex(result.stderr, r"^wrong.json:\d+:\d+: error: ")
        self.assertGreater(tried, 300)

    def test_every_schema_is_looked_at(self):
        names = {path.name.removesuffix(".schema.json") for path in (ROOT / "schemas").glob("*.schema.json")}
        self.assertEqual(names, set(DOCUMENTS) | OTHERS)


if __name__ == "__main__":
    unittest.main()
