"""convert: machines and networks in the formats of other tools and our own; reading back is the oracle."""

import json
import re
import subprocess
import unittest

import program

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

ZOO = ["eyeriss", "h200", "h200-256", "k80", "nvdla-like", "shidiannao-like", "simba", "simba-cosa", "simba-cosa-large",
       "simba15", "simple-output-stationary", "simple-weight-stationary", "tpu-like"]
EYERISS_PORTS = ["--set", "DRAM.shared_bandwidth=16"]


class Convert(program.Case):
    def converted(self, *arguments):
        result = self.run_program("convert", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def numbers(self, *arguments):
        result = self.run_program(*arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def totals(self, *arguments):
        evaluation = self.numbers(*arguments)["layers"][0]["evaluation"]
        return evaluation["energy_pj"], evaluation["cycles"]

    def test_a_machine_and_its_mapping_cost_the_same_in_every_form(self):
        """The mapping is found on the zoo's machine; both versions of its file evaluate it to the same numbers, and the
        proven optimum under their constraints is the same."""
        for arch in ["eyeriss", "simba", "tpu-like", "simple-output-stationary"]:
            layer = ["--net", "resnet18", "--layers", "layer1.0.conv1"]
            self.assertEqual(self.run_program("map", "--arch", arch, *layer, "-o", "out", "-q").returncode, 0)
            expected = self.totals("evaluate", "--arch", arch, *layer, "out/mapping.yaml")
            for version in ["timeloop", "timeloop-0.3"]:
                with self.subTest(arch=arch, version=version):
                    self.write("machine.yaml", self.converted("--arch", arch, "--to", version).stdout)
                    self.assertEqual(self.totals("evaluate", "--arch", "machine.yaml", *layer, "out/mapping.yaml"), expected)
                    found = self.totals("map", "--arch", "machine.yaml", *layer)
                    self.assertAlmostEqual(found[0] * found[1], expected[0] * expected[1], delta=1e-9 * expected[0] * expected[1])

    def test_every_machine_of_the_zoo(self):
        for arch in ZOO:
            with self.subTest(arch=arch):
                self.write("machine.yaml", self.converted("--arch", arch, "--to", "timeloop").stdout)
                ours = self.numbers("show", "--arch", arch)
                written = self.numbers("show", "--arch", "machine.yaml")
                self.assertEqual(self.without_sources(written["architecture"]), self.without_sources(ours["architecture"]))
                again = self.converted("--arch", "machine.yaml", "--to", "timeloop").stdout
                self.assertEqual(again, (self.folder / "machine.yaml").read_text())

    def without_sources(self, node):
        if isinstance(node, dict):
            return {key: self.without_sources(value) for key, value in node.items() if not key.endswith("source")}
        return [self.without_sources(item) for item in node] if isinstance(node, list) else node

    def test_estimates_as_given_numbers(self):
        text = self.converted("--arch", "simba", "--to", "timeloop-0.3", "--estimates").stdout
        self.assertIn("vector_access_energy: ", text)
        self.write("given.yaml", text)
        layer = ["--net", "alexnet", "--layers", "conv2"]
        self.assertEqual(self.run_program("map", "--arch", "simba", *layer, "-o", "out", "-q").returncode, 0)
        self.assertEqual(self.totals("evaluate", "--arch", "given.yaml", *layer, "out/mapping.yaml"),
                         self.totals("evaluate", "--arch", "simba", *layer, "out/mapping.yaml"))
        self.assertNotIn("estimated", self.run_program("show", "--arch", "given.yaml", "--energies").stdout)

    def test_a_folder_for_timeloop(self):
        self.converted(*self.examples(), "--to", "timeloop", "-o", "out")
        self.assertEqual([name for name in self.files() if name.startswith("out/")],
                         ["out/eyeriss_like.arch.yaml", "out/problem.mapping.yaml", "out/problem.problem.yaml"])
        self.assertEqual(self.totals("evaluate", *[name for name in self.files() if name.startswith("out/")]),
                         self.totals("evaluate", "arch.yaml", "problem.yaml", "mapping.yaml"))

    def test_what_timeloop_cannot_say_is_named(self):
        self.assert_fails(self.run_program("convert", "--arch", "h200", "--to", "timeloop-0.3"), 2,
                          "error: 'inter_block_spatial': version 0.3 has no word for the constraint 'must_iterate_over_dataspaces'")
        hardware = program.ROOT / "examples/uneven/hardware.yaml"
        self.assert_fails(self.run_program("convert", "--arch", hardware, "--to", "timeloop"), 2,
                          "tilewright convert: error: Timeloop's memories have no ports and operands of their own")

    def test_networks_as_one_file(self):
        for net in ["resnet18", "mobilenetv2", "bert-base"]:
            with self.subTest(net=net):
                self.write("net.yaml", self.converted("--net", net, "--to", "network").stdout)
                self.assertEqual(self.numbers("show", "--net", "net.yaml")["network"], self.numbers("show", "--net", net)["network"])
        few = ["--net", "resnet18", "--layers", "conv1,fc"]
        self.write("few.yaml", self.converted(*few, "--to", "network").stdout)
        by_name = self.numbers("map", "--arch", "eyeriss", *few)["totals"]
        self.assertEqual(self.numbers("map", "--arch", "eyeriss", "--net", "few.yaml")["totals"], by_name)
        self.assertEqual(self.numbers("map", "--arch", "eyeriss", "few.yaml")["totals"], by_name)
        model = program.ROOT / "data/onnx/resnet50.onnx"
        self.write("onnx.yaml", self.converted("--net", model, "--to", "network").stdout)
        self.assertEqual(self.numbers("show", "--net", "onnx.yaml")["network"]["layers"],
                         self.numbers("show", "--net", model)["network"]["layers"])

    def test_networks_are_as_their_schema_says(self):
        try:
            import jsonschema
            import yaml
        except ImportError:
            self.skipTest("no python3-jsonschema or python3-yaml")
        validator = jsonschema.Draft202012Validator(json.loads((program.ROOT / "schemas/network-1.schema.json").read_text()))
        jsonschema.Draft202012Validator.check_schema(validator.schema)
        for net in [["mobilenetv2"], ["bert-base", "--bits", "Weights=4"], [program.ROOT / "data/onnx/resnet50.onnx"],
                    [program.ROOT / "tests/data/onnx/recurrent.onnx"]]:
            with self.subTest(net=net):
                validator.validate(yaml.safe_load(self.converted("--net", *net, "--to", "network").stdout))
        # What the schema refuses the program refuses, too.
        layer = {"name": "a", "einsum": "O[m] += A[m,k] * B[k]", "extents": {"m": 2, "k": 3}}
        for good in [{}, {"repeats": 2}, {"bits": {"A": 4}}, {"feeds_from": [0]}, {"tensors": ["O", "A", "B"]}]:
            self.assertTrue(self.fits(validator, {"layers": [{**layer, **good}]}), good)
        for bad in [{"repeat": 2}, {"repeats": 0}, {"bits": {"A": 4097}}, {"bits": {"A": 0}}, {"extents": {"m": 0, "k": 3}},
                    {"extents": {}}, {"feeds_from": 0}, {"einsum": 3}]:
            self.assertFalse(self.fits(validator, {"layers": [{**layer, **bad}]}), bad)
        self.assertTrue(self.fits(validator, {"layers": [{**layer, "name": True, "op": 5}]}), "names in YAML need no quotes")
        self.assertFalse(self.fits(validator, {"layers": None}))
        self.assertFalse(self.fits(validator, {"version": 2, "layers": [layer]}))
        self.assertFalse(self.fits(validator, {"layers": [layer], "streamed": [{"name": "s", "op": "Add", "reads": -1, "writes": 1}]}))
        self.assertFalse(self.fits(validator, {"layers": [layer], "not_mapped": [{"name": "r", "op": "Relu"}]}))

    def fits(self, validator, network):
        """Whether the schema takes it; the program has to agree."""
        self.write("net.yaml", json.dumps({"network": network}))
        status = self.run_program("show", "--net", "net.yaml", "--json").returncode
        self.assertEqual(status == 0, validator.is_valid({"network": network}), network)
        return status == 0

    def test_workloads_for_zigzag(self):
        workload = self.converted("--net", "mobilenetv2", "--to", "zigzag").stdout
        self.write("workload.yaml", workload)
        ours = self.numbers("show", "--net", "mobilenetv2")["network"]["layers"]
        theirs = self.numbers("show", "--net", "workload.yaml")["network"]["layers"]
        self.assertEqual([layer["name"] for layer in theirs], [layer["name"] for layer in ours])
        self.assertEqual([layer["computes"] for layer in theirs], [layer["computes"] for layer in ours])

    def test_widths_in_workloads_for_zigzag(self):
        layer = ["--net", "resnet18", "--layers", "conv1", "--to", "zigzag"]
        self.assertIn("{O: 16, O_final: 8, W: 8, I: 8}", self.converted(*layer).stdout)
        self.assertIn("{O: 16, O_final: 8, W: 4, I: 8}", self.converted(*layer, "--bits", "Weights=4").stdout)
        self.assertIn("{O: 32, O_final: 32, W: 4, I: 8}",
                      self.converted(*layer, "--bits", "Weights=4,Outputs=32").stdout)

    def test_repeats_become_layers_of_a_workload(self):
        self.write("net.yaml", 'network: {layers: [{name: a, einsum: "O[m] += A[m,k] * B[k]", extents: {m: 2, k: 3}, repeats: 2}]}')
        self.assertEqual(self.converted("--net", "net.yaml", "--to", "zigzag").stdout.count("  name: "), 2)
        self.assertIn("note: 'a' runs 2 times, which a problem file cannot say",
                      self.converted("--net", "net.yaml", "--to", "problem").stderr)

    def test_zigzag_counts_the_same_on_the_files_as_in_the_account(self):
        layer = ["--net", "resnet18", "--layers", "layer1.0.conv1"]
        machine = ["--arch", "eyeriss", *EYERISS_PORTS]
        self.assertEqual(self.run_program("map", *machine, *layer, "-o", "out", "-q").returncode, 0)
        expected = self.totals("evaluate", *machine, *layer, "out/mapping.yaml", "--account", "zigzag")
        self.converted(*machine, *layer, "out/mapping.yaml", "--to", "zigzag", "-o", "zz")
        folder = "zz/layer1.0.conv1/"
        theirs = self.numbers("evaluate", folder + "hardware.yaml", folder + "workload.yaml", folder + "mapping.yaml")
        result = theirs["layers"][0]["evaluation"]
        self.assertAlmostEqual(result["energy_pj"], expected[0], delta=1e-9 * expected[0])
        self.assertEqual(round(result["latency"]["total_cycles"]), expected[1])

    def test_leakage_is_left_out_with_a_note(self):
        result = self.converted("--arch", "shidiannao-like", "--set", "accumulator.shared_bandwidth=2", "--to", "zigzag")
        self.assertIn("note: hardware.yaml has no word for leakage: that of 'input_buffer', 'weight_buffer'", result.stderr)

    def test_hardware_for_zigzag(self):
        self.assert_fails(self.run_program("convert", "--arch", "eyeriss", "--to", "zigzag"), 2,
                          "error: ZigZag's hardware cannot say this machine: 'DRAM' has no bandwidth, which its ports need; "
                          "give it with --set DRAM.shared_bandwidth=WORDS")
        result = self.converted("--arch", "eyeriss", *EYERISS_PORTS, "--to", "zigzag")
        self.assertIn("note: hardware.yaml does not say the constraints on loops of 'inter_PE_column_spatial', ", result.stderr)
        self.write("hardware.yaml", result.stdout)
        shown = self.run_program("show", "--arch", "hardware.yaml")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for name in ["shared_glb", "ifmap_spad", "weights_spad", "psum_spad", "DRAM"]:
            self.assertIn(name, shown.stdout)
        again = self.converted("--arch", "hardware.yaml", "--to", "zigzag")
        self.assertEqual(again.stdout, result.stdout)
        self.assert_fails(self.run_program("convert", "--arch", "simba", "--to", "zigzag"), 2,
                          "error: ZigZag's hardware cannot say this machine: 'PEWeightRegs': several instances share one access")

    def explored(self, *arguments):
        result = self.run_program("explore", *arguments, "--top", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return re.search(r"\n  (rows [0-9a-f]{32})\n", result.stdout)[1]

    def test_explorations(self):
        rows = self.explored("--arch", "simba", "--net", "alexnet", "--layers", "conv2", "--set", "GlobalBuffer.depth=1k,2k",
                             "--set", "technology=45nm,65nm", "--limit", "area<16", "--seed", "3", "--store", "e.sqlite")
        points = self.converted("e.sqlite", "--to", "csv").stdout
        self.assertEqual(points, self.run_program("explore", "show", "e.sqlite", "--csv", "-").stdout)
        lines = [json.loads(line) for line in self.converted("e.sqlite", "--to", "jsonl").stdout.splitlines()]
        self.assertEqual(len(lines), 4)
        space = self.converted("e.sqlite", "--to", "space")
        self.assertIn("note: a space file has no word for --seed=3: give it beside it", space.stderr)
        self.write("space.yaml", space.stdout)
        self.assertEqual(self.explored("--space", "space.yaml", "--seed", "3"), rows)
        self.explored("--space", "space.yaml", "--seed", "3", "--store", "again.sqlite")
        again = self.converted("again.sqlite", "--to", "space").stdout
        self.assertEqual(again.splitlines()[1:], space.stdout.splitlines()[1:])
        self.assert_fails(self.run_program("convert", "e.sqlite", "--to", "timeloop"), 2,
                          "tilewright convert: error: a store of explore becomes --to csv, jsonl or space")
        self.assert_fails(self.run_program("convert", "--arch", "simba", "--to", "csv"), 2,
                          "tilewright convert: error: --to csv takes one store of explore (FILE.sqlite) and nothing else")


class Order(program.Case):
    def test_what_was_printed_first_stands_first(self):
        """Where both outputs lead to one place: a note used to stand in the middle of a line."""
        layers = [{"name": f"layer{i}", "op": "x", "einsum": "O[m,n] += A[m,k] * B[k,n]", "extents": {"m": 4, "n": 4, "k": 4}}
                  for i in range(200)]
        left = [{"name": "s", "op": "Softmax", "reason": "works row by row"}]
        self.write("n.yaml", json.dumps({"network": {"version": 1, "name": "n", "layers": layers, "not_mapped": left}}))
        done = subprocess.run([program.PROGRAM, "convert", "--net", "n.yaml", "--to", "einsum"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=True)
        lines = done.stdout.splitlines()
        self.assertGreater(len(done.stdout), 8192, "more than a buffer")
        self.assertEqual([line.split(":")[0] for line in lines], [f"layer{i}" for i in range(200)] + ["note"])


class Axes(program.Case):
    MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: npu, attributes: {technology: "16nm", global_cycle_seconds: 1e-9}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, datawidth: 16}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 16384, width: 128, datawidth: 16}}
  - !Container {name: pe, spatial: {meshX: 4, meshY: 4}}
  - !Component {name: registers, class: regfile, attributes: {depth: 64, width: 16, datawidth: 16}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 16, adder_width: 32}}
"""
    NEST = """\
mapping:
  - {store: DRAM, tensors: [A, B, O]}
  - {store: buffer, tensors: [A, B, O]}
  - {store: inter_pe_spatial, tensors: []}
  - {loop: m, extent: 4, across: Y}
  - {loop: m, extent: 4, across: X}
  - {store: registers, tensors: [A, B, O]}
  - {loop: k, extent: 8}
"""

    def test_a_dimension_along_both_axes_is_no_mapping_of_timeloops(self):
        self.write("npu.yaml", self.MACHINE)
        self.write("mine.yaml", self.NEST)
        words = ["--arch", "npu.yaml", "--einsum", "O[m] += A[m,k] * B[k]", "--extents", "m=16,k=8", "mine.yaml"]
        refused = self.run_program("convert", *words, "--to", "timeloop", "-o", "files")
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("no mapping of Timeloop's: it cannot say 'm' is spread twice over one fan-out, as along X and along Y",
                      refused.stderr)
        self.assertEqual([name for name in self.files() if "mapping" in name], [])
        self.assertEqual(self.run_program("convert", *words, "--to", "mapping", "-o", "ours").returncode, 0)
        self.write("mine.yaml", self.NEST.replace("m, extent: 4, across: Y", "k, extent: 4, across: Y").replace("k, extent: 8}", "k, extent: 2}")
                   + "  - {loop: m, extent: 4}\n")
        said = self.run_program("convert", *words, "--to", "timeloop", "-o", "files")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(len([name for name in self.files() if name.startswith("files") and "mapping" in name]), 1)

    # 64 outputs on 4 x 4 units: half of the mappings that are found have one dimension along both axes.
    LAYER = ["--arch", "npu.yaml", "--einsum", "O[m] += A[m,k] * B[k]", "--extents", "m=16,k=8"]

    def test_a_search_keeps_to_what_timeloop_can_say(self):
        self.write("npu.yaml", self.MACHINE)
        for words, status in (([], 1), (["--expressible", "timeloop"], 0)):
            mapped = self.run_program("map", *self.LAYER, "--objective", "latency", *words, "-o", "out", "--json")
            layer = json.loads(mapped.stdout)["layers"][0]
            self.assertTrue(layer["search"]["proven"])
            self.assertEqual("that Timeloop's directives can express" in layer["search"]["claim"], bool(words))
            self.assertEqual(self.run_program("convert", *self.LAYER, "out/mapping.yaml", "--to", "timeloop", "-o", "files").returncode,
                             status)
        confirmed = self.run_program("check", "out/certificate.json", *self.LAYER, "--expressible", "timeloop")
        self.assertEqual((confirmed.returncode, confirmed.stderr), (0, ""))
        wider = self.run_program("check", "out/certificate.json", *self.LAYER)
        self.assertEqual(wider.returncode, 1)
        self.assertIn("these are not the given constraints", wider.stdout + wider.stderr)
        for words in (["--uneven"], ["--mapper", "cosa"], ["--mapper", "gamma"]):
            self.assertEqual(self.run_program("map", *self.LAYER, "--expressible", "timeloop", *words).returncode, 2, words)

    def test_there_is_one_form_of_mappings(self):
        schema = json.loads((program.ROOT / "schemas" / "mapping-1.schema.json").read_text())
        self.write("npu.yaml", self.MACHINE)
        for words, several in ((self.LAYER, False), (["--arch", "eyeriss", "--net", "alexnet", "--layers", "conv1,conv2"], True)):
            self.run_program("map", *words, "-o", "out", "-q")
            text = (self.folder / "out" / "mapping.yaml").read_text()
            self.assertNotIn("target:", text)
            self.assertEqual("layers:" in text, several)
            if yaml:
                jsonschema.validate(yaml.safe_load(text), schema)
            self.assertEqual(self.run_program("evaluate", *words, "out/mapping.yaml").returncode, 0)
            self.write("mine.yaml", text.replace("mapping/1", "mapping/2"))
            refused = self.run_program("evaluate", *words, "mine.yaml")
            self.assertEqual(refused.returncode, 2)
            self.assertRegex(refused.stderr, r"^mine.yaml:\d:9: error: expected 'tilewright-mapping/1', found 'tilewright-mapping/2'")


if __name__ == "__main__":
    unittest.main()
