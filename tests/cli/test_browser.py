"""report.html in a real browser, without a network: every view is there and the console is silent. Skips without chromium."""

import json
import re
import unittest

import browser
from program import Case, ROOT

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--enable-logging=stderr", "--dump-dom", "--window-size=1280,20000"]
HOSTILE = "</script></noscript><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@unittest.skipUnless(browser.CHROMIUM, "chromium is not installed")
class Browser(Case):
    def opened(self, path, flags=("--virtual-time-budget=5000",)):
        """The page's elements after its script ran, as text; fails on any message in the console."""
        page, said = browser.dumped(*FLAGS, *flags, (self.folder / path).as_uri())
        self.assertEqual([line for line in said.splitlines() if "CONSOLE" in line], [])
        self.assertIn("<title>", page)
        if 'id="app"' not in page:
            self.skipTest("this program was built without node")
        self.assertIn('data-ready="true"', page)
        return page

    def report(self, *arguments, canvases=0):
        """Opened until so many charts are drawn: what is in view is drawn with a frame, which a busy machine may owe at the end of
        the virtual time."""
        result = self.run_program("report", *arguments, "-o", "page.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for seconds in (5, 20, 80, 320):
            page = self.opened("page.html", (f"--virtual-time-budget={1000 * seconds}",))
            if page.count("<canvas") >= canvases:
                break
        return page

    def sections(self, page):
        return re.findall(r'<section id="([a-z]+)"', page)

    def test_every_view_of_runs(self):
        self.run_program("map", "--arch", "simba", "--net", ROOT / "data/onnx/resnet50.onnx", "-o", "one", "-q")
        self.run_program("map", "--arch", "eyeriss", "--net", "resnet18", "--objective", "pareto", "-o", "two", "-q")
        page = self.report("one", "two", canvases=12)
        self.assertEqual(self.sections(page), ["totals", "overview", "layers", "layer", "compare", "network", "energy", "latency", "traffic",
                                               "roofline", "pareto", "bounds", "unmapped", "provenance"])
        self.assertGreaterEqual(page.count("<canvas"), 12)
        self.assertIn('class="nest store"', page)
        self.assertIn("are not mapped", page)

    def test_what_zeros_save(self):
        """Cards, tables and bars say what report.json says; pages of dense machines have none of them."""
        machine = ROOT / "examples/sparse/machines/eyeriss_v2_like.yaml"
        self.run_program("map", "--arch", machine, "--net", "alexnet", "--layers", "conv3,conv4", "--density", "Weights=0.3,Inputs=0.5",
                         "--no-cache", "-o", "sparse", "-q")
        page = self.report("sparse", canvases=2)
        sections = self.sections(page)
        self.assertIn("summary", sections)
        self.assertIn("zeros", sections)
        self.assertIn("Saved by the treatment of zeros: alexnet on eyeriss_v2_like", page)
        layers = json.loads((self.folder / "sparse/report.json").read_text())["layers"]
        cycles = [sum(layer["repeats"] * of(layer) for layer in layers)
                  for of in (lambda one: one["evaluation"]["cycles"], lambda one: one["sparse"]["savings"]["dense_cycles"])]
        self.assertIn(f"{cycles[0]:,} in place of {cycles[1]:,}", page)
        for text in ("By memory: accesses and computes of all layers", "By layer and memory", "Weights 0.3, Inputs 0.5",
                     "skipped", "metadata"):
            self.assertIn(text, page)

    def test_thousands_of_layers(self):
        """All are in the tables' data, those in sight are in the page. (Virtual time stands still on large pages.)"""
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        report = json.loads((self.folder / "out/report.json").read_text())
        layer = report["layers"][0]
        report["layers"] = [dict(layer, name=f"layer{i}", same_shape=[f"layer{i}"]) for i in range(3000)]
        self.write("many.json", json.dumps(report))
        result = self.run_program("report", "many.json", "--largest-input", "256", "-o", "page.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        page = self.opened("page.html", flags=())
        self.assertIn('aria-rowcount="3001"', page)
        shown = page[page.index('<div id="app">'):page.index('<script type="application/json"')]
        rows = [shown.count(f">layer{i}</td>") for i in (0, 2999)]
        self.assertEqual((rows[0] > 0, rows[1]), (True, 0))
        self.assertLess(shown.count("<tr"), 1000)

    def hovered(self, path, kind):
        """Points at an orange mark of the picture; true when that changes the picture. What the console said, too."""
        find = f"""(() => {{
          const canvas = document.querySelector('figure[data-kind="{kind}"] canvas');
          if (!canvas) return null;
          const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const place = canvas.getBoundingClientRect();
          for (let y = 60; y < canvas.height - 60; ++y)
            for (let x = 100; x < canvas.width - 40; ++x) {{
              const at = 4 * (y * canvas.width + x);
              if (Math.abs(pixels[at] - 230) < 25 && Math.abs(pixels[at + 1] - 159) < 25 && pixels[at + 2] < 90)
                return [place.x + x, place.y + y + 2];
            }}
          return null;
        }})()"""
        picture = f"document.querySelector('figure[data-kind=\"{kind}\"] canvas').toDataURL()"
        with browser.Browser(1280, 1000) as page:
            page.open(self.folder / path)
            page.value(f"document.querySelector('figure[data-kind=\"{kind}\"]').scrollIntoView()")
            while not (place := page.value(find)):
                page.picture()  # which makes it draw
            page.picture()
            before = page.value(picture)
            for step in range(100):
                page.point(place[0] + step % 3, place[1])
                page.picture()
                if page.value(picture) != before:
                    break
            changed = page.value(picture) != before
            self.assertEqual(page.console, [])
            return changed

    def test_an_exploration_of_more_than_50000_designs(self):
        result = self.run_program("explore", ROOT / "examples/explore/nvdla_c2.m", "--set", "units=16..256+8", "--set", "P_c=1..64",
                                  "--set", "P_k=1..64", "--set", "noc=8..68+4", "--limit", "area<16,power<450", "--pareto",
                                  "energy,throughput", "--html", "designs.html", "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess((self.folder / "designs.html").stat().st_size, 2_000_000)
        page = self.opened("designs.html", flags=())
        self.assertEqual(self.sections(page), ["explored", "parallel"])
        drawn = re.search(r"Of (\d+) designs (\d+) are drawn, one wherever several would cover each other\. All \d+ of the front are\.", page)
        self.assertGreater(int(drawn[1]), 50_000)
        self.assertLessEqual(int(drawn[2]), 4000)
        self.assertTrue(self.hovered("designs.html", "explored"))

    def test_a_front_of_30000_mappings(self):
        self.run_program("map", "--arch", "simple-output-stationary", "--net", "resnet18", "--layers", "conv1", "--objective",
                         "pareto", "-o", "out", "-q")
        report = json.loads((self.folder / "out/report.json").read_text())
        layer = report["layers"][0]
        point = layer["front"][0]
        layer["front"] = [dict(point, energy_pj=1e9 / (1 + i), cycles=1000 + i) for i in range(30_000)]
        self.write("many.json", json.dumps(report))
        result = self.run_program("report", "many.json", "--largest-input", "256", "-o", "page.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess((self.folder / "page.html").stat().st_size, 5_000_000)
        page = self.opened("page.html", flags=())
        drawn = re.search(r"Of 30000 mappings (\d+) are drawn, one wherever several would cover each other\.", page)
        self.assertLessEqual(int(drawn[1]), 4000)
        listed = re.search(r"([\d,]+) of 30,000 are listed: those between them are close to one that is\.", page)
        self.assertLessEqual(int(listed[1].replace(",", "")), 1000)

    def test_curves_of_mappers(self):
        race = self.run_program("compare", "--mappers", "random,hybrid", "--arch", "eyeriss", "--net", "resnet18", "--layers",
                                "conv1", "--evaluations", "200", "--json")
        self.write("race.json", race.stdout)
        self.assertEqual(self.sections(self.report("race.json")), ["convergence"])

    def test_schedules_and_simulations(self):
        self.run_program("schedule", "--arch", "arch1", "--net", "resnet18", "--layers", "fc", "--tilings", "1", "-o", "schedule", "-q")
        page = self.opened("schedule/report.html")
        self.assertEqual(self.sections(page), ["scheduled", "operands", "gantt"])
        self.assertEqual(page.count("data-kind="), 6)
        self.run_program("simulate", "--arch", "simba-cosa", "--net", "resnet18", "--layers", "layer4.0.conv2", "--mapper", "hybrid",
                         "--evaluations", "200", "-o", "sim", "-q")
        self.assertEqual(self.sections(self.opened("sim/report.html")), ["simulated", "links"])

    def test_hostile_names_do_nothing(self):
        self.run_program("evaluate", *self.examples(), "-o", "out", "-q")
        text = (self.folder / "out/report.json").read_text()
        hostile = HOSTILE.replace('"', '\\"')
        for key in ["name", "text", "tensor", "memory", "loop", "store"]:
            text = re.sub(rf'"{key}": "(?!tilewright)[^"]*"', lambda _: f'"{key}": "{hostile}"', text)
        self.write("hostile.json", text)
        page = self.report("hostile.json")
        self.assertNotIn("<title>owned", page)
        self.assertNotIn("<img", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))


if __name__ == "__main__":
    unittest.main()
