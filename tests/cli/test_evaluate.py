"""evaluate, compare, show, check and convert on sound input."""

import json
import re
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None


def report_schema():
    return json.loads((ROOT / "schemas" / "report-2.schema.json").read_text())


class Evaluate(Case):
    def test_text_says_what_it_costs_and_what_bounds_it(self):
        result = self.run_program("evaluate", *self.examples())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("latency      688,128 cycles", result.stdout)
        self.assertIn("latency is bound by the compute units", result.stdout)
        self.assertIn("weights_spad  Weights         192        168  115,605,504", result.stdout)

    def test_json_is_one_valid_document_and_nothing_else(self):
        result = self.run_program("evaluate", *self.examples(), "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(report["schema"], "tilewright-report/2")
        evaluation = report["layers"][0]["evaluation"]
        self.assertEqual(evaluation["computes"], 3 * 3 * 56 * 56 * 64 * 64)
        self.assertEqual(evaluation["cycles"], evaluation["computes"] // 168)
        parts = sum(memory["energy_pj"] + memory["link_energy_pj"] for memory in evaluation["memories"])
        self.assertAlmostEqual(parts + evaluation["compute_energy_pj"] + evaluation["compute_leakage_pj"],
                               evaluation["energy_pj"], delta=1e-6 * evaluation["energy_pj"])

    def test_what_rests_on_an_assumed_energy_is_said(self):
        arch, *others = self.examples()
        machine = self.write("lp5.yaml", (self.folder / arch).read_text().replace("LPDDR4", "LPDDR5"))
        report = json.loads(self.run_program("evaluate", machine, *others, "--json").stdout)
        evaluation = report["layers"][0]["evaluation"]
        dram = evaluation["memories"][0]["energy_pj"]
        note = next(note for note in report["notes"] if "rests on an assumption" in note)
        self.assertTrue(note.startswith(f"{100 * dram / evaluation['energy_pj']:.1f} % of the energy rests on an assumption, 7 pJ/bit of "),
                        note)
        most = (evaluation["energy_pj"] + dram * (20 / 7 - 1)) * 1e-6
        self.assertIn(f"at 20 {most:.4g} uJ", note)
        mapped = self.run_program("map", machine, others[0])
        self.assertIn("rests on an assumption, 7 pJ/bit", mapped.stdout)
        self.assertNotIn("assumption", self.run_program("evaluate", *self.examples()).stdout)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_json_fits_the_published_schema(self):
        jsonschema.Draft7Validator.check_schema(report_schema())
        files = self.examples()
        illegal = self.write("illegal.yaml", (self.folder / "mapping.yaml").read_text().replace("[Q=14]", "[Q=28]")
                             .replace("[Q=4, P=8, C=4]", "[Q=2, P=8, C=4]"))
        for arguments in [files, files + ["--account", "timeloop"], files[:2] + [illegal]]:
            result = self.run_program("evaluate", *arguments, "--json")
            jsonschema.validate(json.loads(result.stdout), report_schema(), jsonschema.Draft7Validator)

    def test_numbers_round_trip(self):
        """Python prints the shortest text that reads back as the same double: so must we."""
        text = self.run_program("evaluate", *self.examples(), "--json").stdout
        self.assertEqual(json.dumps(json.loads(text), indent=2) + "\n", text)

    def test_inputs_are_named_with_their_hashes(self):
        files = self.examples()
        before = json.loads(self.run_program("evaluate", *files, "--json").stdout)["provenance"]["inputs"]
        self.assertEqual([entry["name"] for entry in before], files)
        (self.folder / "mapping.yaml").write_text((self.folder / "mapping.yaml").read_text() + "# touched\n")
        after = json.loads(self.run_program("evaluate", *files, "--json").stdout)["provenance"]["inputs"]
        self.assertEqual(before[:2], after[:2])
        self.assertNotEqual(before[2], after[2])

    def test_included_files_are_inputs_too(self):
        files = self.examples()
        layer = (self.folder / "problem.yaml").read_text()
        (self.folder / "layers").mkdir()
        self.write("layers/conv.yaml", layer)
        self.write("problem.yaml", "{{include_text('layers/conv.yaml')}}\n")
        result = self.run_program("evaluate", *files, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        names = [entry["name"] for entry in json.loads(result.stdout)["provenance"]["inputs"]]
        self.assertEqual(names, files + ["layers/conv.yaml"])

    def test_nothing_is_left_of_what_could_not_be_read(self):
        files = self.examples()
        self.write("mapping.yaml", "mapping: [{target: nowhere}]\n")
        self.write("bad.m", "Network n { Layer l { Type: WHAT } }\n")
        for words in (files, ["bad.m"]):
            self.assertEqual(self.run_program("evaluate", *words, "-o", "out").returncode, 2)
            self.assertFalse((self.folder / "out").exists())

    def test_output_directory(self):
        (self.folder / "out").mkdir()
        self.write("out/other.txt", "mine")
        result = self.run_program("evaluate", *self.examples(), "-q", "-o", "out")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual([name for name in self.files() if name.startswith("out/")],
                         ["out/mapping.yaml", "out/other.txt", "out/report.html", "out/report.json", "out/report.txt"])
        again = self.run_program("evaluate", "arch.yaml", "problem.yaml", "out/mapping.yaml", "--json")
        self.assertEqual(json.loads(again.stdout)["layers"], json.loads((self.folder / "out/report.json").read_text())["layers"])

    def test_exact_and_timeloop_side_by_side(self):
        result = self.run_program("compare", *self.examples(), "--account", "exact,timeloop")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"cycles +688,128 +688,128 +same")
        comparison = json.loads(self.run_program("compare", *self.examples(), "--account", "all", "--json").stdout)
        self.assertEqual(comparison["schema"], "tilewright-comparison/1")
        self.assertEqual(list(comparison["evaluations"]), ["exact", "timeloop", "zigzag"])


# Two pads with two units each: M 4 below one pad is as many units as there are, but twice as many as that pad has.
PADS = """
architecture:
  version: 0.4
  subtree:
  - name: s
    local: [{name: DRAM, class: DRAM, attributes: {word_bits: 16}}]
    subtree:
    - name: pe[0..1]
      local:
      - {name: pad, class: regfile, attributes: {word_bits: 16, meshX: 2, entries: 64}}
      - {name: "mac[0..1]", class: intmac, attributes: {datawidth: 16, meshX: 4}}
"""
PRODUCT = """
problem:
  shape:
    name: p
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: C, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 4, N: 2, K: 2}
"""
BELOW_ONE_PAD = """
mapping:
- {target: pad, type: temporal, factors: N=2 K=2}
- {target: pad, type: spatial, factors: M=4}
"""


class Neighbours(Case):
    """What each instance has below it is what counts, not what the machine has in all."""

    def setUp(self):
        super().setUp()
        self.files = [self.write("arch.yaml", PADS), self.write("problem.yaml", PRODUCT),
                      self.write("mapping.yaml", BELOW_ONE_PAD)]

    def test_too_many_below_one_instance_are_refused(self):
        for verb in ["evaluate", "check", "simulate"]:
            result = self.run_program(verb, *self.files)
            self.assertEqual(result.returncode, 1, verb)
            self.assertIn("spreads over 4 instances of mac along X below one pad, which has 2 there (M 4)", result.stderr)

    def test_timeloop_looks_at_the_whole_mesh(self):
        result = self.run_program("evaluate", *self.files, "--account", "timeloop")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("4 of 4 compute units in use", result.stdout)


# A processor in memory whose converters' networks have an energy for each tensor; all else is free.
CONVERTERS = """
architecture:
  version: 0.3
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {vector_access_energy: 0}}
    - {name: glb, class: SRAM, attributes: {vector_access_energy: 0, entries: 65536, network_read: to_analog, network_update: to_digital}}
    - {name: dummy, class: dummy_storage, attributes: {depth: 0, width: 16, network_fill: to_analog, network_drain: to_digital}}
    - {name: to_analog, class: SimpleMulticast, attributes: &network
        {action_name: transfer, per_datatype_ERT: True, multicast_factor_argument: num_destinations}}
    - {name: to_digital, class: SimpleMulticast, attributes: *network}
    subtree:
    - name: PE[0..16383]
      local:
      - {name: cell, class: regfile, attributes: {vector_access_energy: 0, width: 16, depth: 1, meshX: 128, meshY: 128}}
      - {name: mac, class: intmac, attributes: {energy: 0, meshX: 128, meshY: 128}}
ERT:
  version: 0.3
  tables:
  - {name: system.to_analog, actions: [
      {name: transfer_Inputs, arguments: {num_destinations: 1}, energy: 0.384},
      {name: transfer_Inputs, arguments: {num_destinations: 2}, energy: 0.384}]}
  - {name: system.to_digital, actions: [{name: transfer_Outputs, arguments: {num_destinations: 1}, energy: 223.232}]}
"""
VGG8_1 = """
problem:
  shape:
    name: conv
    dimensions: [C, M, R, S, P, Q]
    data_spaces:
    - {name: Weights, projection: [[[C]], [[M]], [[R]], [[S]]]}
    - {name: Inputs, projection: [[[C]], [[R], [P]], [[S], [Q]]]}
    - {name: Outputs, projection: [[[M]], [[Q]], [[P]]], read_write: true}
  instance: {C: 3, M: 64, R: 3, S: 3, P: 224, Q: 224}
"""
IN_CELLS = """
mapping:
- {target: DRAM, type: bypass, keep: [Inputs, Outputs], bypass: [Weights]}
- {target: glb, type: bypass, keep: [Inputs, Outputs], bypass: [Weights]}
- {target: dummy, type: bypass, keep: [], bypass: [Inputs, Outputs, Weights]}
- {target: cell, type: bypass, keep: [Weights], bypass: [Inputs, Outputs]}
- {target: DRAM, type: temporal, factors: P=112, permutation: RSCPQM}
- {target: glb, type: temporal, factors: Q=4, permutation: RSCPQM}
- {target: dummy, type: temporal, factors: Q=7, permutation: RSCPQM}
- {target: dummy, type: spatial, factors: R=3 S=3 C=3 M=64, permutation: RSCMPQ, split: 3}
- {target: cell, type: temporal, factors: Q=8 P=2, permutation: PQRSCM}
"""


class Networks(Case):
    def test_energy_by_tensor_is_what_timeloop_recorded(self):
        """Timeloop printed 716,856,885.25 pJ for the results' network and 520,224.77 for the operands'."""
        files = [self.write("arch.yaml", CONVERTERS), self.write("problem.yaml", VGG8_1), self.write("map.yaml", IN_CELLS)]
        for account in ["timeloop", "exact"]:
            result = self.run_program("evaluate", *files, "--account", account, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            self.assertAlmostEqual(report["totals"]["energy_pj"], 716856885.25 + 520224.77, delta=0.01, msg=account)
            self.assertFalse([note for note in report["notes"] if "transfer" in note or "per_datatype" in note])


class Show(Case):
    def test_every_energy_names_its_source(self):
        result = self.run_program("show", self.example("arch.yaml"), "--energies")
        self.assertEqual(result.returncode, 0)
        for line in ["buffer", "weights_spad", "mac", "DRAM"]:
            self.assertIn(line, result.stdout)
        self.assertNotIn("not given: free", result.stdout)

    def test_zoo_names_can_all_be_shown(self):
        for option in ["arch", "net"]:
            names = self.run_program("show", "--names", option).stdout.split()
            self.assertGreater(len(names), 5)
            for name in names:
                result = self.run_program("show", f"--{option}", name, "--json")
                others = [line for line in result.stderr.splitlines() if not line.startswith("note: array ")]
                self.assertEqual((result.returncode, others), (0, []), name)
                self.assertEqual(json.loads(result.stdout)["schema"], "tilewright-show/1")

    def test_a_mapping_as_a_loop_nest(self):
        result = self.run_program("show", *self.examples())
        self.assertIn("for Q in [0:14) (Spatial-X)", result.stdout)

    def test_layers_can_be_chosen(self):
        result = self.run_program("show", "--net", "resnet50", "--layers", "conv1,layer2*conv1")
        self.assertIn("conv1", result.stdout)
        self.assertNotIn("layer3", result.stdout)
        self.assertIn("3 shapes", result.stdout)


class Check(Case):
    def test_sound_input(self):
        result = self.run_program("check", *self.examples())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "architecture eyeriss_like: 5 memories and 2 fan-outs, 168 compute units\n"
                                        "network problem: 1 layers, 0 operators not mapped\n"
                                        "mapping of problem: legal\n")

    def test_every_problem_is_reported(self):
        files = [self.example("arch.yaml", ("depth: 16384", "dept: 16384")), self.example("problem.yaml", ("P: 56", "P: 0"))]
        result = self.run_program("check", *files)
        self.assertEqual(result.returncode, 2)
        self.assertIn("arch.yaml:17:19: error: unknown attribute 'dept'", result.stderr)
        self.assertIn("problem.yaml:15:30: error: expected a whole number of at least 1", result.stderr)
        document = json.loads(self.run_program("check", *files, "--json").stdout)
        self.assertEqual([(p["file"], p["line"], p["code"]) for p in document["problems"]],
                         [("arch.yaml", 17, "unknown-key"), ("problem.yaml", 15, "bad-value")])

    def test_goes_on_after_a_mistake_in_the_same_file(self):
        """What can be left out is, so that the next mistake shows; what follows from it is not said."""
        arch = self.example("arch.yaml", ("depth: 16384", "dept: 16384"),
                            ("width: 64, datawidth: 16, n_banks", "width: sixty, datawidth: 16, n_banks"),
                            ("multiplier_width: 16", "multiplier_with: 16"))
        problem = self.example("problem.yaml", ("P: 56", "P: 0"))
        result = self.run_program("check", arch, problem)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count(": error: "), 4, result.stderr)
        for message in ["unknown attribute 'dept'; did you mean 'depth'?", "'sixty'",
                        "unknown attribute 'multiplier_with'; did you mean 'multiplier_width'?",
                        "problem.yaml:15:30: error: expected a whole number of at least 1"]:
            self.assertIn(message, result.stderr)

    def test_swapped_letters_are_a_slip(self):
        arch = self.example("arch.yaml", ("width: 64, datawidth: 16, n_banks", "widht: 64, datawidth: 16, n_banks"))
        result = self.run_program("check", arch)
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown attribute 'widht'; did you mean 'width'?", result.stderr)

    def test_types_of_dram_are_known_ones(self):
        result = self.run_program("check", self.example("arch.yaml", ("LPDDR4", "LPDDR9")))
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no type of DRAM 'LPDDR9'; did you mean 'LPDDR4'?", result.stderr)

    def test_files_that_do_not_parse_are_all_named(self):
        self.write("a.yaml", "problem: [\n")
        self.write("b.yaml", "x: 1\nx: 2\n")
        result = self.run_program("check", "a.yaml", "b.yaml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a.yaml:", result.stderr)
        self.assertIn("b.yaml:2:1: error: duplicate key", result.stderr)


class Convert(Case):
    def test_layers_of_a_network_become_problems_that_read_back(self):
        self.assertEqual(self.run_program("convert", "--net", "resnet50", "--to", "problem", "-o", "layers").returncode, 0)
        before = json.loads(self.run_program("show", "--net", "resnet50", "--json").stdout)["network"]["layers"]
        self.assertEqual(len(self.files()), len(before))
        for name in ["conv1", "layer4.0.downsample", "fc"]:
            after = self.run_program("show", "--net", f"layers/{name}.problem.yaml", "--json")
            einsum = [layer["einsum"] for layer in before if layer["name"] == name]
            self.assertEqual([layer["einsum"] for layer in json.loads(after.stdout)["network"]["layers"]], einsum)

    def test_einsum_text(self):
        result = self.run_program("convert", "--to", "einsum", "--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=4,n=5,k=6")
        self.assertEqual(result.stdout, "einsum: O[m, n] += A[m, k] * B[k, n]  m=4 n=5 k=6\n")

    def test_mappings_are_written_with_their_remainders(self):
        """Timeloop's mapper writes Q=4 for a loop that runs 4 times and at last 2: 14 * 4 = 56 > 54."""
        files = [self.example("arch.yaml"), self.example("problem.yaml", ("Q: 56", "Q: 54")), self.example("mapping.yaml")]
        self.assert_fails(self.run_program("convert", *files, "--to", "mapping"), 2, "...[factor-product]")
        result = self.run_program("convert", *files, "--to", "mapping", "--restore-remainders")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("{loop: Q, extent: 14, remainder: 12, across: X}", result.stdout)
        self.write("whole.yaml", result.stdout)
        self.assertEqual(self.run_program("check", files[0], files[1], "whole.yaml").returncode, 0)

    def gpu_mapping(self):
        self.assertEqual(self.run_program("map", "--arch", "k80", "--net", "resnet50", "--layers", "conv1,fc", "--objective",
                                          "latency", "--mapper", "hybrid", "--evaluations", "200", "-q", "-o", "out").returncode, 0)
        return ["--arch", "k80", "--net", "resnet50", "--layers", "conv1,fc", "out/mapping.yaml"]

    def test_schedules_of_a_gpu_become_kernels(self):
        result = self.run_program("convert", *self.gpu_mapping(), "--to", "cuda", "-o", "kernels")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        for name in ["conv1", "fc"]:
            source = (self.folder / "kernels" / f"{name}.cu").read_text()
            self.assertIn(f'extern "C" cudaError_t {name}(const float* weights, const float* inputs, float* outputs, ', source)
            grid = re.search(r"const dim3 grid(\(.*\));", source).group(1)
            block = re.search(r"const dim3 block(\(.*\));", source).group(1)
            self.assertIn(f"// Grid {grid}, block {block}, ", source)

    def test_kernels_need_a_gpu(self):
        result = self.run_program("convert", *self.examples(), "--to", "cuda")
        self.assert_fails(result, 2, "...no CUDA kernel: 'eyeriss_like' has 5 memories")

    def test_illegal_schedules_become_no_kernel(self):
        self.write("mapping.yaml", "mapping:\n- {target: registers, type: temporal, factors: [m=8, n=8, k=4]}\n")
        result = self.run_program("convert", "--arch", "h200", "--einsum", "Outputs[m,n] += Weights[m,k] * Inputs[k,n]",
                                  "--extents", "m=8,n=8,k=4", "mapping.yaml", "--to", "cuda")
        self.assert_fails(result, 1, "error: einsum: mapping.yaml:2:4: registers holds 128 words, 88 more than its 40")

    def test_against_what_timeloop_printed(self):
        """What differs is shown, and the switches that fit best are named; what is no output of Timeloop is refused."""
        files = self.examples()
        old = self.run_program("evaluate", *files, "--account", "timeloop", "--dearest-action", "--json")
        totals = json.loads(old.stdout)["totals"]
        summary = f"Summary Stats\n-------------\nCycles: {totals['cycles']}\nEnergy: {totals['energy_pj'] * 1e-6:.2f} uJ\n"
        self.write("stats.txt", f"=== macs ===\n    STATS\n    Cycles : {totals['cycles']}\n{summary}")
        result = self.run_program("evaluate", *files, "--against", "stats.txt")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("with no switches: 1 of 2 figures are equal", result.stdout)
        self.assertIn("the convention that fits best: --dearest-action: 2 of 2 figures are equal", result.stdout)
        given = self.run_program("evaluate", *files, "--against", "stats.txt", "--dearest-action")
        self.assertIn("with --dearest-action: 2 of 2 figures are equal", given.stdout)
        self.assertNotIn("fits best", given.stdout)
        compared = self.run_program("compare", *files, "--account", "exact,timeloop", "--against", "stats.txt")
        self.assertEqual((compared.returncode, compared.stderr), (0, ""))
        self.assertIn("the convention that fits best: --dearest-action: 2 of 2 figures are equal", compared.stdout)
        for extra in (["--account", "exact"], ["--json"], ["--csv", "-"], ["--mappers", "hybrid"]):
            self.assert_fails(self.run_program("compare", *files, "--against", "stats.txt", *extra), 2,
                              "...--against compares what --account timeloop counts")
        self.write("none.txt", "architecture: {}\n")
        self.assert_fails(self.run_program("evaluate", *files, "--against", "none.txt"), 2,
                          "none.txt: error: this is no output of Timeloop")
        for extra in (["--account", "exact"], ["--json"]):
            self.assert_fails(self.run_program("evaluate", *files, "--against", "stats.txt", *extra), 2,
                              "...--against compares what --account timeloop counts")

    def test_against_published_outputs(self):
        """The outputs of Timeloop's older versions are told by their conventions."""
        folder = ROOT.parent / "shared" / "examples" / "real"
        if not folder.is_dir():
            self.skipTest(f"there is no folder {folder}")
        for design, machine, layer, switches in [
                ("baseline-eyeriss-like", "arch/eyeriss_like.yaml", "AlexNet_layer1.yaml", "--first-fills"),
                ("baseline-simple-output-stationary", "arch/simple_output_stationary.yaml", "AlexNet_layer1.yaml",
                 "--first-fills --dearest-action"),
                ("ispass-06-eyeriss", "ref/parsed-processed-input.yaml", None, "--no-reuse-after-pause")]:
            names = [machine, layer, "ref/map.yaml", "ref/ERT.yaml", "ref/ART.yaml"]
            files = [folder / design / name for name in names if name]
            result = self.run_program("evaluate", *files, "--against", folder / design / "ref" / "stats.txt", "-q")
            self.assertRegex(result.stdout, rf"fits best: {switches}: (\d+) of \1 figures are equal", design)
            result = self.run_program("compare", *files, "--account", "exact,timeloop",
                                      "--against", folder / design / "ref" / "stats.txt")
            self.assertRegex(result.stdout, rf"fits best: {switches}: (\d+) of \1 figures are equal", design)


if __name__ == "__main__":
    unittest.main()
