"""ZigZag's own files: evaluate, show, check and convert."""

import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

FILES = [str(ROOT / "examples/uneven" / name) for name in ("hardware.yaml", "workload.yaml", "mapping.yaml")]


class Zigzag(Case):
    def changed(self, which, before, after):
        """The files with one of them changed."""
        text = (ROOT / "examples/uneven" / which).read_text()
        self.assertIn(before, text)
        return [self.write(which, text.replace(before, after, 1)) if name.endswith(which) else name for name in FILES]

    def test_a_network_and_its_layers(self):
        result = self.run_program("evaluate", *FILES)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"conv +57\.25 uJ +452,437")
        result = self.run_program("evaluate", *FILES, "--layers", "conv")
        self.assertRegex(result.stdout, r"for OX in \[0:28\) +buffer +rf_w +buffer")
        self.assertRegex(result.stdout, r"rf_w +W .* single")

    def test_json_is_one_document(self):
        report = json.loads(self.run_program("evaluate", *FILES, "--json").stdout)
        self.assertEqual(report["schema"], "tilewright-zigzag/1")
        self.assertEqual(report["provenance"]["accounting"], "zigzag")
        conv = report["layers"][0]["evaluation"]
        parts = sum(level["energy_pj"] for levels in conv["operands"].values() for level in levels)
        self.assertAlmostEqual(parts, conv["memory_energy_pj"], delta=1e-6 * parts)
        latency = conv["latency"]
        self.assertEqual(latency["ideal_temporal_cycles"], 64 * 32 * 28 * 28 * 9 // 64)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_json_fits_the_published_schema(self):
        schema = json.loads((ROOT / "schemas" / "zigzag-1.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        too_small = self.changed("hardware.yaml", "size: 128", "size: 64")
        for arguments in (["evaluate", *FILES], ["evaluate", *FILES, "--latency", "stalls"], ["evaluate", *too_small],
                          ["map", *FILES], ["map", *too_small], ["map", *FILES, "--mapper", "salsa", "--even"]):
            report = json.loads(self.run_program(*arguments, "--json").stdout)
            jsonschema.validate(report, schema, jsonschema.Draft7Validator)
        report["layers"][0]["evaluation"]["latency"]["total"] = 1
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(report, schema, jsonschema.Draft7Validator)

    def machine_of_cores(self):
        """The machine of the examples as the second core of two."""
        (self.folder / "cores").mkdir()
        hardware = (ROOT / "examples/uneven/hardware.yaml").read_text()
        self.write("cores/small.yaml", hardware + "\ntype: compute\noperator_types: [Conv]\n")
        return self.write("soc.yaml", "name: soc\ncores:\n  0: gone.yaml\n  1: small.yaml\noffchip_core_id: 0\n")

    def test_one_core_of_several_is_a_machine(self):
        soc = self.machine_of_cores()
        alone = json.loads(self.run_program("evaluate", *FILES, "--json").stdout)
        for choice in ("1", "small"):
            result = self.run_program("evaluate", soc, "--core", choice, *FILES[1:], "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            self.assertEqual(report["layers"], alone["layers"])
            self.assertIn("cores/small.yaml", [one["name"] for one in report["provenance"]["inputs"]])
        self.assert_fails(self.run_program("evaluate", soc, *FILES[1:]), 2, "...or choose it with --core: 0 (gone) and 1 (small)")
        self.assert_fails(self.run_program("evaluate", soc, "--core", "0", *FILES[1:]), 2, "...there is no file 'gone.yaml'")

    def test_a_mapping_to_cores_leaves_the_array_open(self):
        mapping = self.write("stream.yaml", "layers:\n- {name: default, core_allocation: [[0, 1]]}\n"
                                            "fused_groups:\n- {name: all, layers: [default]}\n")
        free = self.write("free.yaml", "- name: default\n  spatial_mapping: {}\n")
        totals = []
        for file in (mapping, free):
            result = self.run_program("map", *FILES[:2], file, "--mapper", "loma", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            totals.append([layer["evaluation"] for layer in json.loads(result.stdout)["layers"]])
        self.assertEqual(*totals)
        self.assertIn("'fused_groups' (stream.yaml:3)", self.run_program("map", *FILES[:2], mapping).stdout)

    def test_a_core_alone_lacks_what_others_hold(self):
        small = (ROOT / "examples/uneven/hardware.yaml").read_text().replace("size: 128", "size: 4") + "\ntype: compute\n"
        result = self.run_program("evaluate", self.write("core.yaml", small), *FILES[1:])
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("of Stream's cores this is one alone", result.stderr)

    def test_written_mappings_read_back(self):
        result = self.run_program("evaluate", *FILES, "-o", "out", "-q")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        again = self.run_program("evaluate", *FILES[:2], "out/mapping.yaml", "--json")
        self.assertEqual(json.loads(again.stdout)["layers"],
                         json.loads((self.folder / "out/report.json").read_text())["layers"])

    def test_our_stall_model_replaces_the_latency_only(self):
        zigzag, ours = (json.loads(self.run_program("evaluate", *FILES, "--latency", model, "--json").stdout)["layers"][0]
                        for model in ("zigzag", "stalls"))
        self.assertEqual(zigzag["evaluation"]["energy_pj"], ours["evaluation"]["energy_pj"])
        self.assertNotEqual(zigzag["evaluation"]["latency"], ours["evaluation"]["latency"])

    def test_what_does_not_fit_says_which_memory_lacks_how_many_bits(self):
        given = self.run_program("evaluate", *self.changed("hardware.yaml", "size: 128", "size: 64"))
        self.assertEqual(given.returncode, 1)
        self.assertRegex(given.stderr, r"error: conv: \S*mapping\.yaml:8:5: memory 'rf_w' lacks 8 bits: operand W needs 72, there are 64")
        allocated = self.run_program("evaluate", *self.changed("hardware.yaml", "size: 64", "size: 4"), "--layers", "fc")
        self.assertEqual(allocated.returncode, 1)
        self.assertIn("memory 'rf_i' lacks 4 bits: operand I needs 8", allocated.stderr)

    def test_missing_and_wrong_parts(self):
        self.assert_fails(self.run_program("evaluate", *FILES[:2]), 2, "...no mapping: give a ZigZag mapping file")
        self.assert_fails(self.run_program("evaluate", FILES[0], FILES[2]), 2, "...no ZigZag workload")
        self.assert_fails(self.run_program("evaluate", *FILES, "--account", "exact"), 2, "...--account zigzag only")
        self.assert_fails(self.run_program("evaluate", *FILES, FILES[2]), 2, "...a second file of this kind")
        self.assert_fails(self.run_program("evaluate", *self.changed("mapping.yaml", "buffer [OX28", "bufer [OX28")), 2,
                          "...memory 2 of the 3 of operand O is 'buffer'")

    def test_show_check_and_convert(self):
        self.assertRegex(self.run_program("show", FILES[0]).stdout, r"buffer +I1 O +524,288")
        self.assertIn("O: rf_o [FX3 FY3] buffer [OX28 C4 OY28] dram [K8]", self.run_program("show", *FILES).stdout)
        check = self.run_program("check", *FILES)
        self.assertEqual(check.returncode, 0)
        self.assertIn("mapping of fc: legal", check.stdout)
        broken = self.run_program("check", *self.changed("hardware.yaml", "size: 128", "size: 64"))
        self.assertEqual(broken.returncode, 1)
        converted = self.run_program("convert", "--to", "mapping", *FILES, "--layers", "fc")
        self.assertIn("temporal_mapping:", converted.stdout)

    def test_other_accountings_count_the_same_nest(self):
        compared = self.run_program("compare", *FILES, "--layers", "fc")
        self.assertEqual((compared.returncode, compared.stderr), (0, ""))
        self.assertRegex(compared.stdout, r"multiply-accumulates +6,400 +6,656 +\+4 % +6,400")
        lone = self.run_program("compare", *FILES, "--layers", "conv")
        self.assertIn("no line for exact: buffer holds 35072 words, 2304 more than its 32768", lone.stdout)
        both = self.run_program("compare", *FILES)
        self.assert_fails(both, 2, "...takes one layer; choose one with --layers")

    def test_a_workload_is_a_network_for_other_machines(self):
        einsums = self.run_program("convert", "--to", "einsum", "--net", FILES[1])
        self.assertIn("fc: Outputs[N, K] += Weights[K, C] * Inputs[N, C]  N=1 K=100 C=64", einsums.stdout)


if __name__ == "__main__":
    unittest.main()
