"""Words of several widths: --bits, and `bits` in problem files."""

import json
import unittest

from program import EXAMPLE, ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

SHARED = ROOT.parent / "shared" / "examples" / "zigzag"
CONV = ["--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1"]
W4A16 = ["--bits", "Weights=4,Inputs=16,Outputs=16"]


class Bits(Case):
    def layer(self, *words):
        result = self.run_program(*words, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return json.loads(result.stdout)["layers"][0]

    def energy(self, *words):
        return self.layer(*words)["evaluation"]["energy_pj"]

    def test_the_widths_of_the_machine_change_nothing(self):
        told = self.layer("map", *CONV, "--bits", "Weights=16,Inputs=16,Outputs=16")
        self.assertEqual(told["evaluation"], self.layer("map", *CONV)["evaluation"])
        self.assertEqual([tensor["bits"] for tensor in told["einsum"]["tensors"]], [16, 16, 16])

    def test_narrow_words_cost_less_and_wide_ones_more(self):
        plain = self.energy("map", *CONV, "--objective", "energy")
        self.assertLess(self.energy("map", *CONV, "--objective", "energy", *W4A16), plain)
        self.assertGreater(self.energy("map", *CONV, "--objective", "energy", "--bits", "Outputs=32"), plain)

    def test_an_answer_is_proven_confirmed_and_evaluated_again(self):
        self.run_program("map", *CONV, *W4A16, "-o", "out")
        report = json.loads((self.folder / "out" / "report.json").read_text())
        self.assertTrue(report["layers"][0]["search"]["proven"])
        checked = self.run_program("check", "out/certificate.json", *CONV, *W4A16)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertIn("confirmed", checked.stdout)
        other = self.run_program("check", "out/certificate.json", *CONV)
        self.assertNotEqual(other.returncode, 0, "a certificate of other widths says nothing of these")
        again = self.layer("evaluate", *CONV, *W4A16, "out/mapping.yaml")
        self.assertEqual(again["evaluation"]["energy_pj"], report["layers"][0]["evaluation"]["energy_pj"])

    def test_problem_files_say_them(self):
        problem = (EXAMPLE / "problem.yaml").read_text()
        told = self.write("told.yaml", problem.replace("- name: Weights\n", "- name: Weights\n      bits: 4\n"))
        files = (EXAMPLE / "arch.yaml", EXAMPLE / "mapping.yaml")
        evaluated = self.layer("evaluate", *files, told)["evaluation"]
        self.assertEqual(evaluated, self.layer("evaluate", *files, EXAMPLE / "problem.yaml", "--bits", "Weights=4")["evaluation"])
        self.assertLess(evaluated["energy_pj"], self.energy("evaluate", *files, EXAMPLE / "problem.yaml"))

    def test_some_layers_only(self):
        result = self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3,conv4", "--bits",
                                  "Weights=4,conv3:Weights=8", "--json")
        widths = {layer["name"]: layer["einsum"]["tensors"][0]["bits"] for layer in json.loads(result.stdout)["layers"]}
        self.assertEqual(widths, {"conv3": 8, "conv4": 4})

    def test_simulated_words_are_as_wide(self):
        layer = ["--arch", "simba", "--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=64,n=64,k=64"]
        self.run_program("map", *layer, "-o", "out")
        simulated = ["simulate", *layer, "out/mapping.yaml", "--dram", "ddr3-1600", "--json"]
        reads = {}
        for bits in (8, 4):  # the machine's own width, and half of it
            result = self.run_program(*simulated, "--bits", f"A={bits},B={bits}")
            reads[bits] = json.loads(result.stdout)["layers"][0]["dram"]["reads"]
        self.assertEqual(reads[8], 2 * 64 * 64 // 64, "bytes in bursts of 64")
        self.assertEqual(reads[4], reads[8] // 2)

    def test_partial_sums_have_a_width_of_their_own(self):
        """Between both widths; the mapping that was found costs the same when it is evaluated."""
        layer = ["--arch", "simba", "--net", "resnet18", "--layers", "layer2.0.conv1"]
        self.run_program("map", *layer, "--bits", "Outputs=8/32", "-o", "out")
        report = json.loads((self.folder / "out" / "report.json").read_text())["layers"][0]
        energy = report["evaluation"]["energy_pj"]
        files = [*layer, "out/mapping.yaml"]
        self.assertEqual(self.energy("evaluate", *files, "--bits", "Outputs=8/32"), energy)
        self.assertGreater(energy, self.energy("evaluate", *files, "--bits", "Outputs=8"))
        self.assertLess(energy, self.energy("evaluate", *files, "--bits", "Outputs=32"))
        self.assertEqual(report["partial_bits"], {"Outputs": 32})
        self.assertEqual(report["einsum"]["tensors"][2]["bits"], 8)
        self.assertTrue(report["search"]["proven"])
        self.assertFalse((self.folder / "out" / "certificate.json").exists())

    def test_partial_sums_have_a_width(self):
        refused = self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--bits", "Outputs=8/0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("or FINAL/PARTIAL bits of results; found 'Outputs=8/0' [usage]", refused.stderr)

    def test_partial_sums_are_refused_where_one_width_is_known(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        two = ["--bits", "Outputs=8/32"]
        for account, peer in (("timeloop", "Timeloop"), ("zigzag", "This translation to ZigZag")):
            refused = self.run_program("evaluate", *files, *two, "--account", account)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"{peer} cannot express it: words of 32 bits in partial sums of 'Outputs' [unsupported]", refused.stderr)
        refused = self.run_program("simulate", *files, *two)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("tilewright simulate: error: --bits with FINAL/PARTIAL bits is for the exact model", refused.stderr)
        conv = ["map", *CONV, *two]
        self.assert_fails(self.run_program(*conv, "--mapper", "loma"), 2, "...its cost model has dense words of one width")
        self.assert_fails(self.run_program(*conv[:-2], "--bits", "Weights=4/8"), 2,
                          "...'Weights' of layer 'conv1' is an operand and has no partial sums")
        for text in ("Outputs=8/", "Outputs=/32", "Outputs=8/0", "Outputs=8/32/64", "Outputs=8/9999"):
            self.assert_fails(self.run_program("map", *CONV, "--bits", text), 2,
                              "tilewright map: error: --bits takes TENSOR=BITS or LAYERS:TENSOR=BITS")

    BLOCKS = ["--bits", "Weights=4/32:8"]

    def test_blocks_cost_between_their_words_and_words_with_a_scale_each(self):
        energy = {bits: self.energy("map", *CONV, "--objective", "energy", "--bits", f"Weights={bits}")
                  for bits in ("4", "4/32:8", "4/1:8", "12")}
        self.assertLess(energy["4"], energy["4/32:8"])
        self.assertLess(energy["4/32:8"], energy["12"])
        self.assertEqual(energy["4/1:8"], energy["12"])

    def test_blocks_are_proven_confirmed_and_evaluated_again(self):
        layers = ["--arch", "eyeriss", "--net", "resnet18", "--layers", "layer1.0.conv1,fc"]
        done = self.run_program("map", *layers, *self.BLOCKS, "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads((self.folder / "out" / "report.json").read_text())
        for layer in report["layers"]:
            self.assertTrue(layer["search"]["proven"], layer["name"])
        said = "words of 'Weights' have 4 bits, and a scale of 8 for every 32 along their innermost axis (2 layers)"
        self.assertIn(said, report["notes"])
        again = self.run_program("evaluate", *layers, *self.BLOCKS, "out/mapping.yaml", "--json")
        self.assertIn(said, json.loads(again.stdout)["notes"])
        for first, second in zip(report["layers"], json.loads(again.stdout)["layers"]):
            self.assertEqual(first["evaluation"]["energy_pj"], second["evaluation"]["energy_pj"])
            self.assertEqual(first["evaluation"]["cycles"], second["evaluation"]["cycles"])
        checked = self.run_program("check", "out/certificate.json", "out/mapping.yaml", *layers, *self.BLOCKS)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertIn("confirmed", checked.stdout)
        for other in ([], ["--bits", "Weights=4"], ["--bits", "Weights=4/16:8"]):
            refused = self.run_program("check", "out/certificate.json", *layers, *other)
            self.assertNotEqual(refused.returncode, 0, f"a certificate of other words says nothing of {other}")

    # A register holds one word: no scale has room beside it.
    ARRAY = """architecture:
  version: 0.4
  nodes:
  - !Container {name: array, attributes: {technology: 16nm, global_cycle_seconds: 1e-9}}
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 8192, width: 128, datawidth: 8}}
  - !Container {name: PE, spatial: {meshX: 4, meshY: 4}}
  - !Component
    name: register
    class: regfile
    attributes: {depth: 1, width: 8, datawidth: 8}
    constraints: {dataspace: {keep: [W], bypass: [A, O]}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8, adder_width: 32}}
"""

    def test_scales_pass_by_a_register_of_one_word(self):
        self.write("array.yaml", self.ARRAY)
        layer = ["--arch", "array.yaml", "--einsum", "O[m,n] += A[m,k] * W[n,k]", "--extents", "m=16,n=32,k=64"]
        mx = [*layer, "--bits", "W=8/32:8"]
        self.assertEqual(self.run_program("map", *mx).returncode, 1, "a scale lies beside the word")
        by = [*mx, "--set", "register.holds_scales=false"]
        done = self.run_program("map", *by, "-o", "out", "--json")
        found = json.loads(done.stdout)["layers"][0]
        self.assertTrue(found["search"]["proven"], done.stderr)
        register = found["evaluation"]["memories"][-1]
        self.assertEqual(register["used_words"], 1)
        checked = self.run_program("check", "out/certificate.json", *by)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertEqual(self.run_program("check", "out/certificate.json", *mx).returncode, 1, "another machine")
        again = self.layer("evaluate", *by, "out/mapping.yaml")
        self.assertEqual(again["evaluation"]["energy_pj"], found["evaluation"]["energy_pj"])
        # Each read of the register is of a word alone; the buffer's rows hold words and scales.
        plain = self.layer("evaluate", *layer, "--bits", "W=8", "out/mapping.yaml")["evaluation"]
        energies = [{memory["name"]: memory["energy_pj"] for memory in one["memories"]} for one in (plain, again["evaluation"])]
        self.assertEqual(energies[0]["register"], energies[1]["register"])
        self.assertLess(energies[0]["DRAM"], energies[1]["DRAM"])

    def test_scales_take_room(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        fits = self.run_program("evaluate", *files, "--bits", "Weights=4/32:8")
        self.assertEqual(fits.returncode, 0, fits.stderr)
        large = self.run_program("evaluate", *files, "--bits", "Weights=16/1:4096")
        self.assertEqual(large.returncode, 1)
        self.assertIn("(words of 16 bits), with blocks of 1 words with scales of 4096 bits in 'Weights' [capacity]", large.stderr)

    def test_blocks_are_refused_where_nobody_counts_them(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        for account, peer in (("timeloop", "Timeloop"), ("zigzag", "This translation to ZigZag")):
            refused = self.run_program("evaluate", *files, *self.BLOCKS, "--account", account)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"{peer} cannot express it: blocks of 32 words with scales of 8 bits in 'Weights' [unsupported]", refused.stderr)
        refused = self.run_program("simulate", *files, *self.BLOCKS)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("tilewright simulate: error: --bits with blocks of words that share a scale is for the exact model",
                      refused.stderr)
        self.assert_fails(self.run_program("map", *CONV, *self.BLOCKS, "--factors", "padded"), 2, "...padding would lengthen the rows")

    def test_peers_of_one_width_refuse(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        for account, peer in (("timeloop", "Timeloop"), ("zigzag", "This translation to ZigZag")):
            refused = self.run_program("evaluate", *files, "--bits", "Weights=4", "--account", account)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"{peer} cannot express it: words of 4 bits in 'Weights' [unsupported]", refused.stdout + refused.stderr)
        compared = self.run_program("compare", *files, "--bits", "Weights=4")
        self.assertEqual(compared.returncode, 0)
        self.assertIn("no line for timeloop", compared.stdout + compared.stderr)

    def test_schedules_move_words_of_their_widths(self):
        layer = ["--arch", "arch5", "--net", "alexnet", "--layers", "conv3", "--tilings", "5", "--no-cache"]
        def moved(*bits):
            done = self.run_program("schedule", *layer, *bits, "-o", "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            checked = self.run_program("check", "out/schedule.json")
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            self.text = done.stdout
            written = json.loads((self.folder / "out/schedule.json").read_text())
            return written["layers"][0], json.loads((self.folder / "out/report.json").read_text())["totals"]["traffic_bytes"]
        plain, usual = moved()
        self.assertNotIn("bits", plain["layer"])
        said, same = moved("--bits", "Weights=8,Inputs=8,Outputs=8/32")
        self.assertEqual((said["transfers"], said["executions"], same), (plain["transfers"], plain["executions"], usual))
        half, fewer = moved("--bits", "conv3:Weights=4,Outputs=8/16")
        self.assertEqual(half["layer"]["bits"], {"input": 8, "weight": 4, "output": 8, "partial_sum": 16})
        self.assertLess(fewer, 0.7 * usual)
        self.assertIn("words of 8 bits in inputs, 4 in weights, 8 in outputs and 16 in partial sums (1 layer)", self.text)
        # What is judged is the words' width, not what the file moves.
        file = self.folder / "out/schedule.json"
        file.write_text(file.read_text().replace('"weight":4', '"weight":5'))
        self.assert_fails(self.run_program("check", file), 1, "...wrong-bytes")
        for bits, message in (("Outputs=8/4", "a partial sum must not be smaller than an output"),
                              ("Inputs=4/8", "is an operand and has no partial sums"),
                              ("Weights=4/16:8", "schedules move words without scales")):
            refused = self.run_program("schedule", *layer, "--bits", bits)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(message, refused.stderr)

    @unittest.skipUnless(SHARED.is_dir(), "shared/examples is absent")
    def test_networks_on_zigzag_hardware(self):
        hardware = SHARED / "hardware" / "tpu_like.yaml"
        layer = [hardware, SHARED / "mapping" / "tpu_like.yaml", "--net", "resnet18", "--layers", "conv1", "--mapper", "loma", "--json"]
        def energy(*bits):
            return json.loads(self.run_program("map", *layer, *bits).stdout)["layers"][0]["evaluation"]["energy_pj"]
        usual = energy()
        self.assertEqual(energy("--bits", "Weights=8,Inputs=8"), usual)
        self.assertLess(energy("--bits", "Weights=4"), usual)
        workload = SHARED / "workload" / "resnet18.yaml"
        refused = self.run_program("map", hardware, SHARED / "mapping" / "tpu_like.yaml", workload, "--bits", "W=4")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--bits: ZigZag's workloads say it themselves (operand_precision)", refused.stderr)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_reports_and_certificates_fit_their_schemas(self):
        self.run_program("map", *CONV, *W4A16, "-o", "out")
        for schema, name in (("report-2", "report"), ("certificate-2", "certificate")):
            jsonschema.validate(json.loads((self.folder / "out" / f"{name}.json").read_text()),
                                json.loads((ROOT / "schemas" / f"{schema}.schema.json").read_text()), jsonschema.Draft7Validator)


if __name__ == "__main__":
    unittest.main()
