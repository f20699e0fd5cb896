"""map writes certificates, check judges them: what was changed is rejected, wherever it was changed."""

import copy
import json
import re
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
            self.assertRegex(result.stdout, r"(?m)^confirmed: einsum: \S+ [^:]*: optimal among all even mappings with perfect factors that")

    def test_uneven_mappings_are_confirmed_as_such(self):
        for objective in ["energy", "latency", "edp", "pareto"]:
            document = self.certificate("--uneven", "--objective", objective)
            self.assertEqual(document["layers"][0]["space"]["storage"], "uneven")
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "(?m)^confirmed: einsum: .*: optimal among all even and uneven mappings with perfect")

    def test_remainders_are_confirmed_as_such(self):
        for objective in ["energy", "latency", "edp", "pareto"]:
            document = self.certificate("--mapper", "optimal", "--factors", "ruby-s", "--objective", objective)
            self.assertEqual(document["layers"][0]["space"]["factors"], "ruby-s")
            result = self.run_program("check", "out/certificate.json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, "(?m)^confirmed: einsum: .*: optimal among all even mappings with ruby-s factors")

    def test_it_goes_where_it_is_asked_to_go(self):
        self.run_program("map", *LAYER, "--certificate", "mine.json", "-q")
        self.assertEqual(self.files(), ["machine.yaml", "mine.json"])
        result = self.run_program("map", *LAYER, "--mapper", "random", "--certificate", "mine.json")
        self.assert_fails(result, 2, "...only the optimal mapper leaves a proof to check [usage]\n")

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
        self.reject([self.with_change(document, path) for path in paths], paths)

    def with_change(self, document, path):
        other = copy.deepcopy(document)
        at(other, path[:-1])[path[-1]] = changed(at(document, path))
        return other

    def reject(self, documents, paths):
        """All of them by one command, each at its place in its file."""
        names = [self.write(f"changed{number}.json", json.dumps(document, indent=1)) for number, document in enumerate(documents)]
        result = self.run_program("check", *names)
        self.assertNotEqual(result.returncode, 0)
        refused = set(re.findall(r"^(changed\d+\.json):\d+:\d+: error: ", result.stderr, re.MULTILINE))
        self.assertEqual([path for path, name in zip(paths, names) if name not in refused], [])

    def test_any_missing_part_is_rejected(self):
        document = self.certificate()
        documents = []
        for path in places(document):
            other = copy.deepcopy(document)
            del at(other, path[:-1])[path[-1]]
            documents.append(other)
        self.reject(documents, list(places(document)))

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

    def refused(self, document, *given, place, message, status=1):
        """At the first key of what is wrong."""
        self.write("out/certificate.json", json.dumps(document, indent=1))
        result = self.run_program("check", "out/certificate.json", *given)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertRegex(result.stderr, r"out/certificate\.json:\d+:\d+: error: " + message)
        line = int(re.search(r"json:(\d+):\d+: error: " + message, result.stderr).group(1))
        self.assertIn(f'"{place}"', json.dumps(document, indent=1).split("\n")[line - 1])

    def test_the_answer_says_what_it_speaks_of(self):
        document = self.certificate("--objective", "energy")
        result = self.run_program("check", "out/certificate.json")
        mapping = document["mapping"]
        self.assertRegex(result.stdout, r"^certificate out/certificate\.json: 1 layer shapes of einsum, as the file has it, on lane, "
                         r"the file's own machine \(machine [0-9a-f]{32}\), mapping\.yaml " + mapping + r" \(as beside it\)\n"
                         r"confirmed: einsum: energy " + f"{document['layers'][0]['score']:.12g}: optimal among")

    def test_another_mapping_beside_it_is_refused(self):
        document = self.certificate()
        mapping = self.folder / "out/mapping.yaml"
        text = mapping.read_text()
        mapping.write_text(text + "# another\n")
        self.refused(document, place="mapping", message="out/mapping.yaml has the hash [0-9a-f]{32}: not that of the certificate")
        mapping.write_text(text)
        document["mapping"] = "0" * 32
        self.refused(document, place="mapping", message="out/mapping.yaml has the hash")
        mapping.unlink()
        result = self.run_program("check", "out/certificate.json")
        self.assertIn(r"mapping.yaml 00000000000000000000000000000000 (not beside it: not compared)", result.stdout)

    def test_what_is_given_beside_it_is_compared(self):
        document = self.certificate()
        result = self.run_program("check", "out/certificate.json", *LAYER, "out/mapping.yaml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("compared: machine lane is the given one\n", result.stdout)
        self.assertIn("compared: 1 layers of einsum are the given ones, and so are their mappings\n", result.stdout)
        self.write("machine.yaml", MACHINE.replace("vector_access_energy: 200", "vector_access_energy: 20"))
        self.refused(document, *LAYER, place="name", message=r"this is not the given machine: memories\.0\.\w+_pj: ")
        self.write("machine.yaml", MACHINE.replace("bypass: [W]", "bypass: []"))
        self.refused(document, *LAYER, place="min_parallelism", message=r"einsum: these are not the given constraints: levels\.1\.must_bypass")
        self.write("machine.yaml", MACHINE)
        self.refused(document, *LAYER[:-1], "p=6,k=5,r=3", place="name",
                     message=r"einsum is not the given layer: dimensions\.1\.extent: 4, not 5")
        self.run_program("map", *LAYER, "--mapper", "random", "--evaluations", "30", "-o", "random", "-q")
        self.refused(document, *LAYER, "random/mapping.yaml", place="energy_pj", message="einsum: the given mapping is not the claimed one")

    def test_the_first_line_says_whose_machine_it_is(self):
        self.certificate()
        alone = self.run_program("check", "out/certificate.json").stdout.splitlines()[0]
        self.assertIn("as the file has it, on", alone)
        self.assertIn("the file's own machine (machine ", alone)
        given = self.run_program("check", "out/certificate.json", *LAYER).stdout.splitlines()[0]
        self.assertNotIn("own machine", given)

    def test_a_network_of_another_name_is_named(self):
        self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv1", "-o", "out", "-q")
        text = (self.folder / "out/certificate.json").read_text()
        self.assertEqual(text.count('"network": "alexnet"'), 1)
        self.write("out/certificate.json", text.replace('"network": "alexnet"', '"network": "vgg16"'))
        result = self.run_program("check", "out/certificate.json", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("it is of the network 'vgg16', and 'alexnet' was given", result.stdout + result.stderr)

    def test_layers_that_are_missing_or_too_many_are_named(self):
        network = ["--arch", "eyeriss", "--net", "resnet18"]
        result = self.run_program("map", *network, "--layers", "conv1,fc", "-o", "out", "-q")
        self.assertEqual(result.returncode, 0)
        document = json.loads((self.folder / "out/certificate.json").read_text())
        result = self.run_program("check", "out/certificate.json", *network, "--layers", "conv1,fc")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.refused(document, *network, place="names", message="layer 'layer1.0.conv1' of the given network 'resnet18' is missing")
        result = self.run_program("check", "out/certificate.json", *network[:2], "--net", "alexnet")
        self.assertRegex(result.stderr, "error: the given network 'alexnet' has no layer 'fc'")
        dropped = {**document, "layers": document["layers"][:1]}
        self.refused(dropped, *network, "--layers", "conv1,fc", place="names", message="layer 'fc' of the given network 'resnet18' is missing")

    def test_layers_without_a_claim_are_named(self):
        document = self.certificate()
        document["unclaimed"] = ["other"]
        self.refused(document, place="other", message="no claim about other")

    def test_nothing_at_all_is_malformed(self):
        document = self.certificate()
        self.refused({**document, "layers": []}, place="layers", message="expected at least one layer, found none", status=2)
        document["layers"][0]["constraints"]["levels"][1]["temporal"]["factors"] = [
            {"exactly": 1, "at_least": 2, "at_most": None}] + 2 * [{"exactly": None, "at_least": 1, "at_most": None}]
        result = self.check(document)
        self.assertEqual(result.returncode, 2)
        self.assertIn("a factor of exactly 1, at least 2 and at most", result.stderr)

    def test_a_front_lists_no_answer_twice(self):
        document = self.certificate("--objective", "pareto")
        answers = document["layers"][0]["answers"]
        answers.insert(1, copy.deepcopy(answers[0]))
        result = self.check(document)
        self.assertEqual(result.returncode, 1)
        self.assertIn("einsum: this answer is listed twice [certificate]", result.stderr)

    def test_remainders_that_a_constraint_allows_are_claimed_as_such_or_not_at_all(self):
        self.write("constraints.yaml", "mapspace_constraints:\n- {target: lane, type: spatial, remainders: 9}\n")
        self.certificate("constraints.yaml", "--mapper", "optimal")
        result = self.run_program("check", "out/certificate.json", *LAYER, "constraints.yaml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("with perfect factors (and remainders where the constraints allow them)", result.stdout)
        self.write("constraints.yaml", "mapspace_constraints:\n- {target: buffer, type: temporal, remainders: 9}\n")
        result = self.run_program("map", *LAYER, "constraints.yaml", "--mapper", "optimal", "-o", "out", "-q")
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("out/certificate.json", self.files(), "nothing that check could confirm")

    def test_of_very_many_choices_families_are_listed(self):
        self.write("free.yaml", """architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 65536, width: 64, datawidth: 8}}
  - !Container {name: unit, spatial: {meshX: 32, meshY: 32}}
  - !Component {name: registers, class: storage, attributes: {depth: 64, width: 8, datawidth: 8}}
  - !Component {name: mac, class: intmac, attributes: {datawidth: 8}}
""")
        layer = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=240,n=240,k=240"]
        result = self.run_program("map", "free.yaml", *layer, "--objective", "energy", "-o", "out", "-q", "-t", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_program("check", "out/certificate.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"optimal among .* \(\d+ families of choices of spatial factors and kept tensors")

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_it_fits_the_published_schema(self):
        schema = json.loads((ROOT / "schemas" / "certificate-2.schema.json").read_text())
        for options in [["edp"], ["pareto"], ["energy", "--uneven"]]:
            jsonschema.validate(self.certificate("--objective", *options), schema, jsonschema.Draft7Validator)


if __name__ == "__main__":
    unittest.main()
