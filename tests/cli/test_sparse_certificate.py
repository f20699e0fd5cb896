"""Certificates of machines that do something about zeros: what single words decide is proven again, the rest is not."""

import copy
import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

MACHINE = """
architecture:
  version: 0.4
  nodes:
  - !Component
    name: DRAM
    class: DRAM
    attributes: {width: 64, datawidth: 16, vector_access_energy: 200, metadata_storage_width: 64}
    sparse_optimizations:
      representation_format:
        data_spaces:
        - {name: W, ranks: [{format: B}]}
  - !Component
    name: buffer
    class: SRAM
    attributes: {depth: 64, width: 16, datawidth: 16, vector_access_energy: 5, decompression_supported: true}
  - !Container {name: lane, spatial: {meshX: 2}}
  - !Component
    name: registers
    class: regfile
    attributes: {depth: 12, width: 16, datawidth: 16, vector_access_energy: 1, decompression_supported: true}
    constraints:
      dataspace: {keep: [O, W, I]}
    sparse_optimizations:
      action_optimization:
      - {type: gating, target: W, condition_on: [I]}
  - !Component
    name: mac
    class: intmac
    attributes: {width: 16, energy: 2}
    sparse_optimizations:
      compute_optimization:
      - {type: gating}
"""
LAYER = ["machine.yaml", "--einsum", "O[p,k] += W[k,r] * I[p+r]", "--extents", "p=4,k=4,r=3"]
DENSITY = ["--density", "W=0.25,I=0.5"]


class SparseCertificate(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)

    def certificate(self, *arguments, density=DENSITY):
        result = self.run_program("map", *LAYER, *density, *arguments, "-o", "out", "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads((self.folder / "out/certificate.json").read_text())

    def check(self, document):
        self.write("changed.json", json.dumps(document, indent=1))
        return self.run_program("check", "changed.json")

    def refused(self, document, message):
        result = self.check(document)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stderr, message)
        self.assertNotIn("confirmed:", result.stdout)

    def test_what_map_writes_is_confirmed(self):
        for objective in ["energy", "latency", "edp"]:
            document = self.certificate("--objective", objective)
            if jsonschema is not None:
                jsonschema.validate(document,
                                    json.loads((ROOT / "schemas" / "certificate-2.schema.json").read_text()))
            result = self.run_program("check", "out/certificate.json", *LAYER, *DENSITY)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "(?m)^compared: machine .* is the given one")
            self.assertRegex(result.stdout, "(?m)^confirmed: einsum: .*: optimal among all even mappings with perfect "
                                            "factors that meet the constraints, zeros counted")

    def test_a_file_of_its_own_is_written(self):
        result = self.run_program("map", *LAYER, *DENSITY, "--certificate", "mine.json", "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.run_program("check", "mine.json").returncode, 0)

    def test_zeros_that_were_tampered_with_are_refused(self):
        document = self.certificate("--objective", "energy")

        def tampered(change):
            other = copy.deepcopy(document)
            change(other["layers"][0]["zeros"])
            return other

        for change in [lambda zeros: zeros["densities"][0].update(density=0.5),
                       lambda zeros: zeros["densities"][1].update(density=0.25),
                       lambda zeros: zeros["memories"][3].update(gating=[]),
                       lambda zeros: zeros["memories"][0].update(formats=[None, None, None]),
                       lambda zeros: zeros["memories"][3]["gated"].update(read_pj=0.5),
                       lambda zeros: zeros.update(gates_computes=False)]:
            self.refused(tampered(change), r"answers\.0|the mapping takes .* pJ, not")
        skipping = tampered(lambda zeros: zeros["memories"][3].update(
            skipping=zeros["memories"][3]["gating"], gating=[]))
        self.refused(skipping, "the mapping takes .* cycles, not")
        left_out = copy.deepcopy(document)
        del left_out["layers"][0]["zeros"]
        self.refused(left_out, "the mapping takes .* pJ, not")

    def test_values_and_worse_mappings_are_refused(self):
        document = self.certificate("--objective", "energy")
        layer = document["layers"][0]
        higher = copy.deepcopy(document)
        for place in ("score", "bound"):
            higher["layers"][0][place] *= 1.01
        self.refused(higher, "the best mapping scores")
        self.write("machine.yaml", MACHINE.replace("depth: 12", "depth: 5"))
        worse = self.certificate("--objective", "energy")["layers"][0]["answers"][0]
        self.assertGreater(worse["energy_pj"], layer["answers"][0]["energy_pj"])
        second = copy.deepcopy(document)
        second["layers"][0].update(answers=[worse], score=worse["energy_pj"], bound=worse["energy_pj"])
        self.refused(second, "may hold something better")

    def test_what_cannot_be_is_refused_at_its_place(self):
        document = self.certificate()
        for change, message in [
                (lambda zeros: zeros["densities"][0].update(density=1.5), "a density is a share from 0 to 1"),
                (lambda zeros: zeros["densities"][0].update(model="banded"), "expected fixed_structured"),
                (lambda zeros: zeros["densities"].pop(), "expected 3, one for each tensor, found 2"),
                (lambda zeros: zeros["memories"].pop(), "expected 4, one for each memory, found 3"),
                (lambda zeros: zeros["memories"][3]["gating"][0][0].update(target=7), "a tensor that the layer lacks"),
                (lambda zeros: zeros["memories"][0]["formats"].pop(), "expected 3, one for each tensor, found 2")]:
            other = copy.deepcopy(document)
            change(other["layers"][0]["zeros"])
            result = self.check(other)
            self.assertEqual(result.returncode, 3 if result.returncode == 3 else 2, result.stderr)
            self.assertRegex(result.stderr, r"changed\.json:\d+:\d+: error: .*" + message)

    def test_other_densities_are_not_the_given_ones(self):
        self.certificate()
        result = self.run_program("check", "out/certificate.json", *LAYER, "--density", "W=0.25,I=0.75")
        self.assertEqual(result.returncode, 1)
        self.assertIn("or not the given densities", result.stderr)

    def test_what_tiles_decide_has_none_and_says_so(self):
        for machine, density, why in [
                (MACHINE.replace("  - !Container {name: lane, spatial: {meshX: 2}}\n", "").replace(
                    "energy: 5, decompression_supported: true}\n",
                    "energy: 5, decompression_supported: true}\n    sparse_optimizations:\n"
                    "      action_optimization:\n      - {type: skipping, target: W, condition_on: [I]}\n"),
                 DENSITY, "'buffer' avoids sending tiles of 'W' to 'registers'"),
                (MACHINE, ["--density", "W=hypergeometric:0.25,I=0.5"],
                 "how many words of 'W' 'DRAM' has to have room for depends on the tile")]:
            self.write("machine.yaml", machine)
            result = self.run_program("map", *LAYER, *density, "-o", "other", "-q")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr.count("no certificate of layer 'einsum'"), 1, result.stderr)
            self.assertIn(why, result.stderr)
            self.assertFalse((self.folder / "other/certificate.json").exists())


if __name__ == "__main__":
    unittest.main()
