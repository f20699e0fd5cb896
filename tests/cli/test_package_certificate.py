"""`map --package` writes certificates of plans, `check` judges them with code of its own: what was changed is refused."""

import copy
import json
import unittest

from program import ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

EXAMPLES = ROOT / "examples" / "package"
LANES = ("--package", EXAMPLES / "two-cores.yaml", "--net", EXAMPLES / "products.cascade")
CHAIN = ("--einsum", "B[m,k] += A[m,j] * V[j,k]; C[m,n] += B[m,k] * W[k,n]", "--extents", "m=16,j=8,k=8,n=8")
MACHINES = ("--package", "dual-core", *CHAIN)


class PackageCertificate(Case):
    def write(self, given=LANES, objective="energy"):
        result = self.run_program("map", *given, "--objective", objective, "-o", "out", "-q")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        return result.stderr

    def certificate(self):
        return json.loads((self.folder / "out" / "certificate.json").read_text())

    def confirmed(self, *arguments):
        result = self.run_program("check", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, document, message, *more):
        (self.folder / "changed.json").write_text(json.dumps(document, indent=1))
        result = self.run_program("check", "changed.json", *more)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(message, result.stderr)
        return result.stdout

    def test_what_was_proven_is_confirmed(self):
        for objective, value in (("energy", "376 pJ"), ("latency", "16 cycles")):
            self.assertEqual(self.write(LANES, objective), "")
            for given in ((), LANES[:2], LANES):
                said = self.confirmed("out/certificate.json", *given)
                self.assertIn(f"confirmed: no plan of the space takes less than {value}; every one of 3 runs of the 2 "
                              "einsums was checked", said)

    def test_a_run_of_as_many_einsums_as_there_may_be(self):
        chain = "; ".join(f"T{i + 1}[m] = T{i}[m]" for i in range(64))
        self.write(("--package", EXAMPLES / "two-cores.yaml", "--einsum", chain, "--extents", "m=2"))
        self.assertEqual((self.folder / "out" / "plan.txt").read_text().count("run "), 1)
        self.confirmed("out/certificate.json")

    def test_leaves_on_machines_are_claims_of_their_own(self):
        self.assertEqual(self.write(MACHINES), "")
        said = self.confirmed("out/certificate.json", *MACHINES)
        self.assertRegex(said, r"confirmed: no plan .* mapped leaves, \d+ of them as the best")
        self.assertNotIn("need not be", said)
        honest = self.certificate()
        best = next(i for i, leaf in enumerate(honest["leaves"]) if leaf["claim"]["bound"] > 0.0)
        lie = copy.deepcopy(honest)
        lie["leaves"][best]["claim"]["answers"][0]["energy_pj"] *= 0.99
        self.refused(lie, "the mapping takes ")
        lie = copy.deepcopy(honest)
        lie["leaves"][best]["claim"]["bound"] *= 1.01
        self.refused(lie, "the bound is above the score")
        lie = copy.deepcopy(honest)
        lie["leaves"][best]["claim"]["proof"]["digest"] = "0" * 32
        self.refused(lie, "these are not the assignments of the space")
        lie = copy.deepcopy(honest)
        lie["leaves"] = []
        self.refused(lie, "a leaf of it has no claim of its own")
        lie = copy.deepcopy(honest)
        for leaf in lie["leaves"]:
            leaf["einsum"] = "C"
        self.refused(lie, "this is no box of 'C'")
        lie = copy.deepcopy(honest)
        for leaf in lie["leaves"]:
            leaf["claim"]["bound"] = 0.0
        self.assertNotIn("confirmed: ", self.refused(lie, "the bound is not shown"))
        self.refused(honest, "this is not the given package: kinds.0 differs", *MACHINES, "--set", "buffer.depth=4096")

    def test_it_comes_where_it_is_asked_for(self):
        self.write()
        run = ("map", *LANES, "-q", "--certificate", "own.json")
        result = self.run_program(*run, "--objective", "energy")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual((self.folder / "own.json").read_text(), (self.folder / "out" / "certificate.json").read_text())
        result = self.run_program(*run, "--objective", "edp")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "note: no certificate: claims about plans are judged for energy and latency, not for "
                                        "'edp'\nwarning: --certificate own.json: there is nothing to certify\n")
        self.assertFalse((self.folder / "own.json").exists())
        result = self.run_program(*run, "--plan", EXAMPLES / "pipeline.plan")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--certificate is of the best plan of all, not of the one that --plan gives", result.stderr)

    @unittest.skipIf(jsonschema is None, "jsonschema is not installed")
    def test_it_is_what_the_schema_says(self):
        schema = json.loads((ROOT / "schemas" / "package-certificate-1.schema.json").read_text())
        for given in (LANES, MACHINES):
            self.write(given)
            jsonschema.validate(self.certificate(), schema)

    def test_every_lie_is_refused(self):
        self.write()
        honest = self.certificate()
        self.assertEqual(len(honest["potentials"]), 3)
        for part in (0.99, 1.01):
            lie = copy.deepcopy(honest)
            lie["value"] *= part
            self.refused(lie, "the plan takes 376 pJ, not ")
            lie["potentials"][0] = lie["value"]
            self.refused(lie, "the plan takes 376 pJ, not ")
            lie = copy.deepcopy(honest)
            lie["potentials"][0] *= part
            self.refused(lie, "what all einsums cost at least is not the bound")
        lie = copy.deepcopy(honest)
        lie["potentials"][2] = 1.0
        self.refused(lie, "after the last einsum nothing is left to cost")
        lie = copy.deepcopy(honest)
        del lie["potentials"][1]
        self.refused(lie, "expected 3 numbers")
        for other in (0.0, 2 * honest["value"]):
            lie = copy.deepcopy(honest)
            lie["potentials"][1] = other
            self.assertNotIn("confirmed: ", self.refused(lie, "that the potentials say: the bound is not shown"))
        lie = copy.deepcopy(honest)
        lie["package"]["drams"][0]["read_pj"] += 1
        self.refused(lie, "the plan takes ")
        lie = copy.deepcopy(honest)
        lie["plan"] = (EXAMPLES / "pipeline.plan").read_text().splitlines()
        self.refused(lie, "the plan takes 412 pJ, not 376")
        lie["value"] = lie["potentials"][0] = 412
        self.assertNotIn("confirmed: ", self.refused(lie, "the bound is not shown"))
        lie = copy.deepcopy(honest)
        lie["plan"][0] = "run m by 4"
        self.refused(lie, "the plan ")
        lie = copy.deepcopy(honest)
        lie["network"]["name"] += "x"  # what is claimed holds all the same
        self.refused(lie, "its seal does not fit")

    def test_an_interval_is_confirmed_as_one(self):
        self.write()
        lie = self.certificate()
        self.assertNotIn("bound", lie)  # it is the best
        lie["bound"] = lie["potentials"][0] = lie["value"] * 0.99
        said = self.refused(lie, "its seal does not fit")
        self.assertIn("confirmed: no plan of the space takes less than 372.24 pJ; this one takes 376 and need not be the "
                      "best", said)
        lie["bound"] = lie["potentials"][0] = lie["value"] * 1.01
        self.assertNotIn("confirmed: ", self.refused(lie, "the plan itself takes "))

    def test_another_package_network_or_plan_is_refused(self):
        self.write()
        for given, message in (((*LANES[:2], "--set", "package.link.energy=2"), "this is not the given package: link differs"),
                               (LANES[:2] + CHAIN, "this is not the given network: einsum 1 is 'first', not 'B'")):
            result = self.run_program("check", "out/certificate.json", *given)
            self.assertEqual(result.returncode, 1, given)
            self.assertIn(message, result.stderr)
        (self.folder / "out" / "plan.txt").write_text("other")
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is not the plan that the certificate speaks of", result.stderr)
        result = self.run_program("check", *LANES)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--package is for certificates of plans", result.stderr)

    def test_what_cannot_be_read_is_told_at_its_place(self):
        self.write()
        text = (self.folder / "out" / "certificate.json").read_text()
        for old, new, message in (("stage first on 0", "stage frist on 0", "frist"), ('"kind": 0', '"kind": 7', "expected a number"),
                                  ('"objective": "energy"', '"objectiv": "energy"', "objectiv"), (text[len(text) // 2:], "", "")):
            (self.folder / "changed.json").write_text(text.replace(old, new))
            result = self.run_program("check", "changed.json")
            self.assertEqual(result.returncode, 2, old)
            self.assertIn("changed.json:", result.stderr)
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    unittest.main()
