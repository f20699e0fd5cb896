"""map writes certificates, check judges them: what was changed is rejected, wherever it was changed."""

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
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 16, vector_access_energy: 200}}
  - !Component
    name: buffer
    class: SRAM
    attributes: {depth: 64, width: 16, datawidth: 16, read_bandwidth: 2, vector_access_energy: 5}
    constraints:
      dataspace: {keep: [O], bypass: [W]}
  - !Container {name: lane, spatial: {meshX: 4}}
  - !Component {name: mac, class: intmac, attributes: {width: 16, energy: 1}}
"""
LAYER = ["machine.yaml", "--einsum", "O[p,k] += W[k,r] * I[p+r]", "--extents", "p=6,k=4,r=3"]


def changed(value):
    """Something else of the same type, as near as possible."""
    if value is None:
        return 1
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1 if isinstance(value, int) else value * 1.01 + 0.01
    return value + "x"


def places(node, path=()):
    """Every value of a document that is not a list or a map, by its path."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
    if items is None:
        yield path
        return
    for key, value in items:
        yield from places(value, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


class Certificate(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)

    def certificate(self, *arguments):
        result = self.run_program("map", *LAYER, *arguments, "-o", "out", "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads((self.folder / "out/certificate.json").read_text())

    def check(self, document):
        self.write("changed.json", json.dumps(document, indent=1))
        return self.run_program("check", "changed.json")

    def test_what_map_writes_is_confirmed(self):
        for objective in ["energy", "latency", "edp", "energy*latency^2", "pareto"]:
            self.certificate("--objective", objective)
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "^confirmed: einsum: optimal among all even mappings with perfect factors")

    def test_uneven_mappings_are_confirmed_as_such(self):
        for objective in ["energy", "latency", "edp", "pareto"]:
            document = self.certificate("--uneven", "--objective", objective)
            self.assertEqual(document["layers"][0]["space"]["storage"], "uneven")
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "^confirmed: einsum: optimal among all even and uneven mappings with perfect")

    def test_remainders_are_confirmed_as_such(self):
        for objective in ["energy", "latency", "edp", "pareto"]:
            document = self.certificate("--mapper", "optimal", "--factors", "ruby-s", "--objective", objective)
            self.assertEqual(document["layers"][0]["space"]["factors"], "ruby-s")
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "^confirmed: einsum: optimal among all even mappings with ruby-s factors")

    def test_it_goes_where_it_is_asked_to_go(self):
        self.run_program("map", *LAYER, "--certificate", "mine.json", "-q")
        self.assertEqual(self.files(), ["machine.yaml", "mine.json"])
        result = self.run_program("map", *LAYER, "--mapper", "random", "--certificate", "mine.json")
        self.assert_fails(result, 2, "...--certificate: only --mapper optimal, without --factors padded, has a proof to check [usage]\n")

    def test_layout_does_not_matter(self):
        result = self.check(self.certificate())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_any_change_is_rejected_at_its_place(self):
        self.reject_changes(self.certificate())

    def test_any_change_of_an_uneven_one_is_rejected_at_its_place(self):
        self.reject_changes(self.certificate("--uneven"))

    def test_any_change_of_one_with_remainders_is_rejected_at_its_place(self):
        self.reject_changes(self.certificate("--mapper", "optimal", "--factors", "ruby-s"))

    def reject_changes(self, document):
        paths = list(places(document))
        self.assertGreater(len(paths), 150)
        for path in paths:
            other = copy.deepcopy(document)
            at(other, path[:-1])[path[-1]] = changed(at(document, path))
            result = self.check(other)
            self.assertNotEqual(result.returncode, 0, path)
            self.assertNotIn("confirmed: einsum", result.stdout if path[0] != "tool" and result.returncode == 2 else "", path)
            self.assertRegex(result.stderr, r"^changed.json:\d+:\d+: error: ", path)

    def test_any_missing_part_is_rejected(self):
        document = self.certificate()
        for path in places(document):
            other = copy.deepcopy(document)
            del at(other, path[:-1])[path[-1]]
            self.assertNotEqual(self.check(other).returncode, 0, path)

    def test_a_lie_is_named_besides_the_broken_seal(self):
        document = self.certificate()
        document["layers"][0]["answers"][0]["energy_pj"] *= 0.5
        document["layers"][0]["proof"]["assignments"] -= 1
        result = self.check(document)
        self.assertEqual(result.returncode, 1)
        self.assertIn("its seal does not fit [certificate]", result.stderr)
        self.assertRegex(result.stderr, r"error: einsum: the mapping takes [\d.e+]+ pJ, not [\d.e+]+ \[certificate\]")
        self.assertRegex(result.stderr, r"error: einsum: the space has \d+ assignments .*, not \d+ \[certificate\]")
        answers = json.loads(self.run_program("check", "changed.json", "--json").stdout)
        self.assertEqual({problem["code"] for problem in answers["problems"]}, {"certificate"})

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_it_fits_the_published_schema(self):
        schema = json.loads((ROOT / "schemas" / "certificate-1.schema.json").read_text())
        for options in [["edp"], ["pareto"], ["energy", "--uneven"]]:
            jsonschema.validate(self.certificate("--objective", *options), schema, jsonschema.Draft7Validator)


if __name__ == "__main__":
    unittest.main()
