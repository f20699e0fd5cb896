"""map on ZigZag's own files: searches over loop orders."""

import json
import unittest

from program import ROOT, Case

STUDY = ROOT / "bench" / "studies" / "salsa"
RESNET34 = [STUDY / "machine.yaml", STUDY / "resnet34.yaml", STUDY / "resnet34-mapping.yaml"]


class MapZigzag(Case):
    def energies(self, *arguments):
        result = self.run_program("map", *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return {layer["name"]: layer["evaluation"]["energy_pj"] for layer in json.loads(result.stdout)["layers"]}

    def test_a_network(self):
        result = self.run_program("map", *RESNET34, "--mapper", "salsa", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Network resnet34 on eyeriss_paper", result.stdout)
        self.assertEqual(self.files(), ["out/mapping.yaml", "out/report.html", "out/report.json", "out/report.txt"])

    def test_a_network_without_a_layer(self):
        """Exit status 1 and the reason, whatever is asked about it; so where ZigZag has no words for any layer."""
        model = ROOT / "tests" / "data" / "onnx" / "no_layer.onnx"
        for verb in ("map", "evaluate", "show", "check"):
            result = self.run_program(verb, RESNET34[0], RESNET34[2], "--net", model)
            self.assert_fails(result, 1, "error: network 'no_layer' has no layer to map among 2 operators "
                              "(Add: works element by element; Relu: works element by element)")
        result = self.run_program("map", RESNET34[0], RESNET34[2], "--einsum", "O[i] += A[i] * B[i] * C[i]",
                                  "--extents", "i=4")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("has no layer to map", result.stderr)

    def test_the_least_energy_that_zigzag_found(self):
        found = self.energies(*RESNET34, "--layers", "l4_conv,l2_0_down", "--mapper", "exhaustive")
        self.assertEqual(found, {"l4_conv": 941646434.0, "l2_0_down": 64467567.5})
        for mapper in ([], ["--mapper", "optimal"], ["--mapper", "anneal"]):
            self.assertEqual(self.energies(*RESNET34, "--layers", "l4_conv,l2_0_down", *mapper), found)

    def test_the_default_proves_energies_without_costing_all_orders(self):
        result = self.run_program("map", *RESNET34, "--json")
        for layer in json.loads(result.stdout)["layers"]:
            self.assertEqual(layer["search"]["stopped_by"], "a proof: no order costs less")
            self.assertLess(layer["search"]["evaluations"], 100)

    def test_an_order_that_is_given_in_part_is_kept(self):
        """The loops that the mapping file names stay inside, and the claim says of which orders it speaks."""
        text = (STUDY / "resnet34-mapping.yaml").read_text()
        mapping = self.write("mapping.yaml", text.replace("  memory_operand_links",
                                                          "  temporal_ordering: [[C, '*'], [K, '*']]\n"
                                                          "  memory_operand_links"))
        result = self.run_program("map", *RESNET34[:2], mapping, "--layers", "l4_conv", "--json")
        report = json.loads(result.stdout)
        search = report["layers"][0]["search"]
        self.assertEqual(search["stopped_by"], "a proof: no order costs less, of the orders that the mapping file allows")
        self.assertTrue(any("orders some of the loops" in note for note in report["notes"]), report["notes"])
        self.assertGreater(report["layers"][0]["evaluation"]["energy_pj"], 941646434.0)

    def test_loma_is_limited_salsa_is_not(self):
        loma = [self.energies(*RESNET34, "--layers", "l4_conv", "--mapper", "loma", *limit)["l4_conv"]
                for limit in ([], ["--lpf-limit", "7"])]
        self.assertEqual(loma[0], 988432610.0)
        self.assertLess(loma[1], loma[0])

    def test_only_a_search_of_all_orders_is_a_proof(self):
        proven = {}
        for mapper in ["optimal", "exhaustive", "loma", "salsa", "anneal"]:
            result = self.run_program("map", *RESNET34, "--layers", "l4_conv", "--mapper", mapper, "--json")
            search = json.loads(result.stdout)["layers"][0]["search"]
            proven[mapper] = search["proven"]
            self.assertEqual(search["proven"], "all were seen" in search["stopped_by"] or "proof" in search["stopped_by"])
        self.assertEqual(proven, {"optimal": True, "exhaustive": True, "loma": False, "salsa": False, "anneal": False})
        loma = self.run_program("map", *RESNET34, "--layers", "l4_conv", "--mapper", "loma")
        self.assertIn("stopped by the last order of a limited number of prime factors", loma.stdout)

    def test_the_seed_decides_the_number_of_threads_does_not(self):
        one = self.energies(*RESNET34, "--mapper", "salsa", "--threads", "1")
        self.assertEqual(self.energies(*RESNET34, "--mapper", "salsa", "--threads", "3"), one)
        self.assertNotEqual(self.energies(*RESNET34, "--mapper", "salsa", "--seed", "2"), one)

    def test_mappings_read_back(self):
        mapped = self.energies(*RESNET34, "-o", "out")
        result = self.run_program("evaluate", *RESNET34[:2], "out/mapping.yaml", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        evaluated = {layer["name"]: layer["evaluation"]["energy_pj"] for layer in json.loads(result.stdout)["layers"]}
        self.assertEqual(evaluated, mapped)

    def test_what_does_not_fit_is_named(self):
        machine = (STUDY / "machine.yaml").read_text().replace("size: 128\n", "size: 12\n")
        result = self.run_program("map", self.write("small.yaml", machine), *RESNET34[1:], "--layers", "l4_conv")
        self.assertEqual(result.returncode, 1)
        self.assertIn("memory 'spad_O' lacks 4 bits: operand O needs 16, there are 12", result.stderr)

    def test_too_many_orders_are_not_begun(self):
        result = self.run_program("map", *RESNET34, "--layers", "l1_conv", "--mapper", "exhaustive")
        self.assertEqual(result.returncode, 1)
        self.assertIn("there are 1715313600 orders, more than the limit of 100000000", result.stderr)

    def test_array_dimensions_that_the_mapping_leaves_open_are_chosen(self):
        links = "- name: default\n  memory_operand_links: {O: O, W: I2, I: I1}\n"
        chosen = self.energies(*RESNET34[:2], self.write("links.yaml", links), "--layers", "l4_conv")
        given = self.energies(*RESNET34, "--layers", "l4_conv")
        self.assertLess(chosen["l4_conv"], 2 * given["l4_conv"])

    def test_an_array_that_cannot_be_built_is_refused_in_a_sentence(self):
        machine = (STUDY / "machine.yaml").read_text().replace(
            "  unit_energy: 0.5\n", "  is_imc: true\n  imc_type: digital\n  input_precision: [8, 8]\n"
            "  bit_serial_precision: 1\n")
        result = self.run_program("map", self.write("imc.yaml", machine), *RESNET34[1:], "--layers", "l4_conv")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a digital array's rows, 'D2', have to be a power of two", result.stderr)

    def test_our_stall_model_judges_the_latency_of_a_search(self):
        def found(*arguments):
            result = self.run_program("map", *RESNET34, "--layers", "l4_0_down", "--json", *arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            evaluation = json.loads(result.stdout)["layers"][0]["evaluation"]
            return evaluation["energy_pj"], evaluation["latency"]["total_cycles"]
        stalls = ["--latency", "stalls"]
        self.assertEqual(found(*stalls)[0], found()[0], "energy is ZigZag's either way")
        fastest = found(*stalls, "--objective", "latency", "--mapper", "exhaustive")
        self.assertLessEqual(fastest[1], found(*stalls)[1])
        self.assertEqual(found(*stalls, "--objective", "latency"), fastest, "few orders are all seen")

    def test_usage(self):
        for arguments, message in (
                (["--mapper", "hybrid"], "ZigZag's files are searched by loma, salsa, anneal, exhaustive and optimal, not by 'hybrid'"),
                (["--objective", "pareto"], "--objective takes energy, latency, edp"),
                (["--victory", "3"], "--victory has no meaning for ZigZag's files"),
                (["--iterations", "0"], "--iterations takes a whole number from 1 to"),
                (["--lpf-limit", "5"], "--lpf-limit is for --mapper loma"),
                (["--mapper", "loma", "--chains", "5"], "--chains is for searches that anneal"),
                (["--mapper", "anneal", "--cooling", "0.9"], "--cooling is for --mapper salsa"),
                (["--even", "--uneven"], "--uneven and --even exclude each other"),
                (["--cosa-pad"], "--cosa-... has no meaning for ZigZag's files"),
                (["--certificate", "c.json"], "--certificate: searches on ZigZag's files have no proof to check")):
            result = self.run_program("map", *RESNET34, *arguments)
            self.assert_fails(result, 2, "..." + message)
        elsewhere = ["map", "--arch", "eyeriss", "--net", "resnet18"]
        result = self.run_program(*elsewhere, "--lpf-limit", "5")
        self.assert_fails(result, 2, "...--lpf-limit is for --mapper loma and ZigZag's own files")
        result = self.run_program(*elsewhere, "--latency", "stalls")
        self.assert_fails(result, 2, "...--latency only serves searches on ZigZag's own files")
        result = self.run_program(*elsewhere, "--mapper", "salsa", "--even")
        self.assert_fails(result, 2, "...--even only serves searches on ZigZag's own files")

    def test_orders_of_loops_on_any_machine(self):
        energies = {}
        for mapper in ("loma", "salsa", "optimal"):
            result = self.run_program("map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1",
                                      "--objective", "energy", "--mapper", mapper, "--json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            energies[mapper] = json.loads(result.stdout)["layers"][0]["evaluation"]["energy_pj"]
        self.assertGreaterEqual(energies["loma"], energies["optimal"])
        self.assertGreaterEqual(energies["salsa"], energies["optimal"])


if __name__ == "__main__":
    unittest.main()
