"""`map --fuse -o` writes certificates, `check` judges them with code of its own: what was changed is refused."""

import copy
import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

EINSUM = "first: B[m,k] += A[m,e] * V[e,k]; second: C[m,n] += B[m,k] * W[k,n]"
MACHINE = ("--arch", "fused-npu", "--set", "buffer.depth=512")
CASCADE = ("--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16")


class FusedCertificate(Case):
    def write(self, *more, folder="out"):
        result = self.run_program("map", "--fuse", *MACHINE, *CASCADE, "-o", folder, "-q", *more)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        return result.stderr

    def certificate(self, folder="out"):
        return json.loads((self.folder / folder / "certificate.json").read_text())

    def check(self, document, *more):
        (self.folder / "changed.json").write_text(json.dumps(document, indent=1))
        return self.run_program("check", "changed.json", *more)

    def refused(self, document, message, *more):
        result = self.check(document, *more)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(message, result.stderr)
        return result.stdout

    def of_a_smaller_buffer(self, objective):
        """The best mapping of a smaller buffer, and what it takes on the machine."""
        result = self.run_program("map", "--fuse", *MACHINE[:2], "--set", "buffer.depth=64", *CASCADE, "-o", "small", "-q",
                                  "--objective", objective)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        result = self.run_program("evaluate", *MACHINE, *CASCADE, "--fused-mapping", "small/mapping.fused", "--json")
        return (self.folder / "small" / "mapping.fused").read_text().splitlines(), json.loads(result.stdout)["totals"]

    def test_what_was_proven_is_confirmed(self):
        for objective in ("energy", "latency"):
            self.assertEqual(self.write("--objective", objective), "")
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("confirmed: no fused mapping of the space takes less than ", result.stdout)
            self.assertIn("every group of the 2 einsums was checked", result.stdout)
            given = self.run_program("check", "out/certificate.json", *MACHINE)
            self.assertEqual((given.returncode, given.stderr), (0, ""))

    def test_it_comes_where_it_is_asked_for(self):
        """--certificate FILE writes what -o DIR does, and no old one stays where there is none."""
        self.write("--objective", "energy")
        run = ("map", "--fuse", *MACHINE, *CASCADE, "--objective", "energy", "-q", "--certificate", "own.json")
        result = self.run_program(*run)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual((self.folder / "own.json").read_text(), (self.folder / "out" / "certificate.json").read_text())
        result = self.run_program("map", "--fuse", "--arch", "eyeriss", *run[2 + len(MACHINE):])  # of which none is written
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, "note: no certificate: the machine has other memories than a DRAM, a buffer and registers\\n"
                                        "warning: --certificate own.json: there is nothing to certify\\n")
        self.assertFalse((self.folder / "own.json").exists())

    def test_words_have_widths_of_their_own(self):
        bits = ("--bits", "Weights=4,Inputs=8,Outputs=8")
        for objective in ("energy", "latency", "edp"):
            self.assertEqual(self.write("--objective", objective, *bits), "")
            result = self.run_program("check", "out/certificate.json", *CASCADE, *bits)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("confirmed: no fused mapping of the space", result.stdout)
        self.refused(self.certificate(), "this is not the given network", *CASCADE)

    @unittest.skipIf(jsonschema is None, "jsonschema is not installed")
    def test_it_is_what_the_schema_says(self):
        self.write("--objective", "energy")
        schema = json.loads((ROOT / "schemas" / "fused-certificate-1.schema.json").read_text())
        jsonschema.validate(self.certificate(), schema)

    def test_every_lie_is_refused(self):
        self.write("--objective", "energy")
        honest = self.certificate()
        self.assertEqual(len(honest["duals"]), 3)
        for part in (0.99, 1.01):
            lie = copy.deepcopy(honest)
            lie["value"] *= part
            self.refused(lie, "the mapping takes ")
            lie["duals"][0] = lie["value"]
            self.refused(lie, "the mapping takes ")
            lie = copy.deepcopy(honest)
            lie["duals"][0] *= part
            self.refused(lie, "what all einsums cost at least is not the bound")
        lie = copy.deepcopy(honest)
        lie["duals"][2] = 1.0
        self.refused(lie, "after the last einsum nothing is left to cost")
        lie = copy.deepcopy(honest)
        del lie["duals"][1]
        self.refused(lie, "expected 3 numbers")
        lie = copy.deepcopy(honest)
        lie["duals"][1] = honest["duals"][0] * 2
        self.assertNotIn("confirmed: ", self.refused(lie, "less than the "))
        lie = copy.deepcopy(honest)
        lie["machine"]["memories"][0]["read_pj"] *= 1.5
        self.refused(lie, "the mapping takes ")
        lie = copy.deepcopy(honest)
        lie["network"]["name"] += "x"  # what is claimed holds all the same
        self.refused(lie, "its seal does not fit")

    def test_what_is_not_the_best_is_refused(self):
        """The best mapping of a smaller buffer, with its own cost, and the machine with a larger one."""
        self.write("--objective", "energy")
        honest = self.certificate()
        worse, totals = self.of_a_smaller_buffer("energy")
        value = totals["energy_pj"]
        self.assertGreater(value, honest["value"])
        lie = copy.deepcopy(honest)
        lie["mapping"] = worse
        self.refused(lie, "the mapping takes ")
        lie["value"] = lie["duals"][0] = value
        self.assertNotIn("confirmed: ", self.refused(lie, "the bound is not shown"))
        lie = copy.deepcopy(honest)
        lie["machine"]["memories"][1]["capacity_words"] *= 8
        self.refused(lie, "the bound is not shown")

    def test_an_interval_is_confirmed_as_one(self):
        """What the mapping takes, and the bound under which nothing lies."""
        self.write("--objective", "energy")
        lie = self.certificate()
        self.assertNotIn("bound", lie)  # it is the best
        lie["bound"] = lie["value"] * 0.99
        self.refused(lie, "what all einsums cost at least is not the bound")
        lie["duals"][0] = lie["bound"]
        said = self.refused(lie, "its seal does not fit")
        self.assertIn("confirmed: no fused mapping of the space takes less than ", said)
        self.assertIn("and need not be the best", said)
        lie["bound"] = lie["duals"][0] = lie["value"] * 1.01
        self.assertNotIn("confirmed: ", self.refused(lie, "the mapping itself takes "))

    def test_a_result_outside_its_tensor_is_told_at_its_line_and_the_others_are_judged(self):
        self.write("--objective", "energy")
        lie = self.certificate()
        shape = next(tensor for tensor in lie["network"]["tensors"] if tensor["name"] == "C")["shape"]
        shape[1] = 987654321
        text = json.dumps(lie, indent=1)
        line = text[:text.index(str(shape[1]))].count("\n") + 1
        shape[1] = 15
        result = self.check(lie, "out/certificate.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"changed.json:{line}:", result.stderr)
        self.assertIn("'second' makes words 0 to 15 along axis 1 of 'C', which has 15 [certificate]", result.stderr)
        self.assertIn("confirmed: ", result.stdout)

    def test_ranks_that_do_not_follow_from_the_coordinates_are_refused(self):
        """Words counted otherwise than the accesses say: what is proven of them is proven of another network."""
        self.write("--objective", "energy")
        lie = self.certificate()
        ranks = lie["network"]["einsums"][0]["einsum"]["tensors"][0]["ranks"]
        ranks[0] += ranks.pop()
        self.assertNotIn("confirmed: ", self.refused(lie, "'first' counts the words of A[m+e], and its coordinates "
                                                     "say A[m, e]"))

    def test_another_machine_or_network_is_refused(self):
        self.write("--objective", "energy")
        for given, message in [(("--arch", "fused-npu"), "this is not the given machine: "),
                               ((*MACHINE, "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=32"),
                                "this is not the given network: ")]:
            result = self.run_program("check", "out/certificate.json", *given)
            self.assertEqual(result.returncode, 1, given)
            self.assertIn(message, result.stderr)
        (self.folder / "out" / "mapping.fused").write_text("other")
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is not the mapping that the certificate speaks of", result.stderr)

    def test_a_product_is_proven_by_sums_of_both(self):
        self.assertEqual(self.write("--objective", "edp"), "")
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("confirmed: no fused mapping of the space has a smaller product than ", result.stdout)
        honest = self.certificate()
        self.assertNotIn("duals", honest)
        lines = honest["lines"]
        self.assertIn(f"of {len(lines)} sums of energy and cycles every group of the 2 einsums", result.stdout)
        if jsonschema:
            schema = json.loads((ROOT / "schemas" / "fused-certificate-1.schema.json").read_text())
            jsonschema.validate(honest, schema)
        for part in (0.99, 1.01):
            lie = copy.deepcopy(honest)
            lie["value"] *= part
            self.refused(lie, "the mapping takes ")
        for i, line in enumerate(lines):
            if line["energy"] and line["cycles"]:
                lie = copy.deepcopy(honest)
                lie["lines"][i]["duals"][0] *= 1.001
                self.assertNotIn("confirmed: ", self.refused(lie, "less than the "))
            lie = copy.deepcopy(honest)
            del lie["lines"][i]
            self.refused(lie, "the lines leave room for a product of ")
            lie = copy.deepcopy(honest)
            lie["lines"][i]["duals"][-1] = 1.0
            self.refused(lie, "after the last einsum nothing is left to cost")
            lie = copy.deepcopy(honest)
            lie["lines"][i]["energy"] = lie["lines"][i]["cycles"] = 0.0
            self.refused(lie, "expected weights of energy and cycles")
        lie = copy.deepcopy(honest)
        lie["lines"] = []
        self.refused(lie, "the lines leave room for a product of 0")

    def test_a_product_of_a_mapping_that_is_not_the_best_is_refused(self):
        self.write("--objective", "edp")
        honest = self.certificate()
        worse, totals = self.of_a_smaller_buffer("edp")
        value = totals["energy_pj"] * totals["cycles"]
        self.assertGreater(value, honest["value"])
        lie = copy.deepcopy(honest)
        lie["mapping"] = worse
        self.refused(lie, "the mapping takes ")
        lie["value"] = value
        self.refused(lie, "the lines leave room for a product of ")

    def test_what_cannot_be_read_is_told_at_its_place(self):
        self.write("--objective", "energy")
        lie = self.certificate()
        lie["mapping"] = [line.replace("store buffer", "store bufer") for line in lie["mapping"]]
        result = self.check(lie)
        self.assertEqual(result.returncode, 2)
        self.assertIn("changed.json:", result.stderr)


if __name__ == "__main__":
    unittest.main()
