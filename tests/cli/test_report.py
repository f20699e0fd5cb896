"""tilewright report, and the report.html of -o: one file that needs nothing else."""

import html.parser
import json
import re
import unittest

from program import Case, ROOT

HOSTILE = "</script></noscript><script>alert(1)</script><img src=x onerror=alert(2)>"


class Tags(html.parser.HTMLParser):
    """Every element with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def data_of(page):
    """The values that the page's script shows; None in a program without it."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1)) if found else None


class Report(Case):
    def page(self, *arguments):
        result = self.run_program("report", *arguments, "-o", "page.html")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return (self.folder / "page.html").read_text()

    def test_a_network_in_one_file(self):
        self.run_program("map", "--arch", "simba", "--net", ROOT / "data/onnx/resnet50.onnx", "-o", "out", "-q")
        page = (self.folder / "out/report.html").read_text()
        self.assertLess(len(page), 2_000_000)
        self.assertIn("Content-Security-Policy", page)
        self.assertIn("works element by element", page)  # what is not mapped
        for tag, attributes in Tags(page).tags:
            self.assertNotIn("src", attributes, tag)
            self.assertFalse([name for name in attributes if name.startswith("on") or name == "style"], tag)
            self.assertNotEqual(tag, "link")

    def test_no_layer_is_above_a_roof(self):
        compared = 0
        for machine in ["simba", "eyeriss", "nvdla-like"]:
            self.run_program("map", "--arch", machine, "--net", "resnet18", "-o", machine, "-q")
            data = data_of(self.page(machine))
            if data is None:
                self.skipTest("this program was built without node")
            for figure in data["figures"]:
                if figure["kind"] != "roofline":
                    continue
                series = figure["chart"]["series"]
                roofs = {one["colour"]: one["marks"] for one in series if one["line"]}
                for one in series:
                    if one["line"]:
                        continue
                    (x0, y0, _), _, (_, peak, _) = roofs[one["colour"]]
                    for x, y, name in one["marks"]:
                        self.assertLessEqual(y, min(peak, y0 / x0 * x) * (1 + 1e-9), (machine, one["name"], name))
                        compared += 1
        self.assertGreater(compared, 50)

    def test_several_runs_side_by_side(self):
        self.run_program("map", "--arch", "simba", "--net", "resnet18", "-o", "one", "-q")
        self.run_program("map", "--arch", "eyeriss", "--net", "resnet18", "-o", "two", "-q")
        page = self.page("one", "two/report.json")
        self.assertIn("resnet18 on simba", page)
        self.assertIn("resnet18 on eyeriss", page)
        self.assertIn("Where the cycles go", page)

    def test_zigzags_files_have_a_page(self):
        files = sorted((ROOT / "examples" / "uneven").glob("*.yaml"))
        self.run_program("evaluate", *files, "-o", "out", "-q")
        self.assertIn("first loads", (self.folder / "out/report.html").read_text())

    def test_names_are_data(self):
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        text = (self.folder / "out" / "report.json").read_text()
        report = json.loads(text)
        report["layers"][0]["name"] = report["network"]["name"] = report["architecture"]["name"] = HOSTILE
        report["architecture"]["memories"][0]["name"] = HOSTILE
        report["layers"][0]["evaluation"]["memories"][0]["name"] = HOSTILE
        report["notes"] = [HOSTILE]
        self.write("hostile.json", json.dumps(report))
        names = [tag for tag, _ in Tags(self.page("hostile.json")).tags]
        self.assertNotIn("img", names)
        self.assertLessEqual(names.count("script"), 2)

    def test_equal_documents_give_equal_pages(self):
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        self.assertEqual(self.page("out"), (self.folder / "out/report.html").read_text().replace(
            "report.json", "out/report.json"))

    def test_usage(self):
        self.assert_fails(self.run_program("report"), 2, "...no run is named")
        self.assert_fails(self.run_program("report", "none.json"), 2, "...none.json")
        self.write("bad.json", '{"schema": "tilewright-report/2", "tool": 3}')
        self.assert_fails(self.run_program("report", "bad.json"), 2, "bad.json:1:")
        self.assertEqual(self.files(), ["bad.json"])


if __name__ == "__main__":
    unittest.main()
