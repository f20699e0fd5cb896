"""tilewright plot: pictures of runs, as SVG."""

import json
import unittest
import xml.etree.ElementTree as xml

from program import Case

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title></svg><script>alert(1)</script>\"onload=\"x"


class Plot(Case):
    def picture(self, *arguments):
        result = self.run_program("plot", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return xml.fromstring(result.stdout)

    def test_every_kind_of_a_network(self):
        self.run_program("map", "--arch", "simba", "--net", "resnet18", "-o", "one", "-q")
        self.run_program("map", "--arch", "eyeriss", "--net", "resnet18", "--objective", "pareto", "-o", "two", "-q")
        for kind in ["network", "energy", "latency", "traffic", "roofline", "pareto", "compare"]:
            picture = self.picture(kind, "one", "two/report.json")
            shapes = [node for node in picture.iter() if node.tag in (SVG + "rect", SVG + "circle")]
            self.assertGreater(len(shapes), 8, kind)

    def test_zigzag_comparisons_and_mappers(self):
        self.write("compare.json", self.run_program("compare", *self.examples(), "--account", "exact,timeloop", "--json").stdout)
        self.picture("compare", "compare.json")
        race = self.run_program("compare", "--mappers", "random,hybrid", "--arch", "eyeriss", "--net", "resnet18", "--layers",
                                "conv1", "--evaluations", "200", "--json")
        self.write("race.json", race.stdout)
        self.assertGreater(len(list(self.picture("convergence", "race.json").iter(SVG + "polyline"))), 1)

    def test_a_simulation(self):
        self.run_program("simulate", "--arch", "simba-cosa", "--net", "resnet18", "--layers", "layer4.0.conv2", "--mapper", "hybrid",
                         "--evaluations", "200", "-o", "sim", "-q")
        self.assertGreater(len(list(self.picture("simulated", "sim").iter(SVG + "rect"))), 2)
        self.assertGreater(len(list(self.picture("links", "sim").iter(SVG + "rect"))), 10)

    def test_pictures_go_where_they_were_asked_to_and_are_what_their_names_say(self):
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        printed = self.run_program("plot", "energy", "out").stdout
        self.assertEqual(self.run_program("plot", "energy", "out", "-o", "-").stdout, printed)
        self.assertFalse((self.folder / "-").exists())
        self.assertEqual(self.run_program("plot", "energy", "out", "-o", "x.svg").returncode, 0)
        self.assertEqual((self.folder / "x.svg").read_text(), printed)
        for name in ("x.png", "x.pdf", "./a.b.PNG"):
            refused = self.run_program("plot", "energy", "out", "-o", name)
            self.assert_fails(refused, 2, f"tilewright plot: error: -o {name}: pictures are SVG: give a name that ends in .svg")
            self.assertFalse((self.folder / name).exists())

    def test_names_with_control_characters_make_pictures_that_can_be_read(self):
        layers = '  - {name: "a\\x01\\x1b<b", op: Gemm, einsum: "O[m,n] += A[m,k] * B[k,n]", extents: {m: 4, n: 4, k: 4}}\n'
        self.write("net.yaml", "network:\n  version: 1\n  name: net\n  layers:\n" + layers)
        given = ["--arch", "eyeriss", "--net", "net.yaml", "--unnamed", "ignore"]
        self.run_program("map", *given, "-o", "map", "-q")
        self.run_program("simulate", *given, "map/mapping.yaml", "-o", "sim", "-q")
        pictures = list((self.folder / "sim" / "links").glob("*.svg"))
        self.assertEqual(len(pictures), 1)
        self.assertIn("\\u0001\\u001b<b", "".join(xml.fromstring(pictures[0].read_text()).itertext()))
        for kind in ("energy", "latency", "network"):
            self.picture(kind, "map")

    def test_names_are_data(self):
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        report = json.loads((self.folder / "out" / "report.json").read_text())
        report["layers"][0]["name"] = HOSTILE
        report["network"]["name"] = HOSTILE
        report["architecture"]["name"] = HOSTILE
        self.write("hostile.json", json.dumps(report))
        picture = self.picture("energy", "hostile.json")
        self.assertEqual(list(picture.iter(SVG + "script")), [])
        self.assertIn(HOSTILE, picture.get("aria-label"))

    def test_usage(self):
        self.assert_fails(self.run_program("plot"), 2, "...no picture is named")
        self.assert_fails(self.run_program("plot", "enrgy", "x.json"), 2, "...did you mean 'energy'?")
        self.assert_fails(self.run_program("plot", "energy", "x.json"), 2, "...x.json")
        self.write("other.json", '{"schema": "tilewright-check/1"}')
        self.assert_fails(self.run_program("plot", "energy", "other.json"), 2, "other.json:1:")


if __name__ == "__main__":
    unittest.main()
