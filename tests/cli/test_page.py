"""What report.html shows, in a real browser at several widths: the numbers of each view against the document's. Skips without
chromium."""

import base64
import json
import os
import pathlib
import unittest

import browser
from program import Case, ROOT

BUILD = pathlib.Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build/release"))
AXE = BUILD / "report-ui/node_modules/axe-core/axe.min.js"

# Keeps what the page saves or copies, in place of a file and the clipboard.
KEEP = """
  window.kept = [];
  URL.createObjectURL = blob => { window.kept.push(blob); return "#"; };
  navigator.clipboard.writeText = text => { window.kept.push(text); return Promise.resolve(); };
  HTMLAnchorElement.prototype.click = () => {};
"""


@unittest.skipUnless(browser.CHROMIUM, "chromium is not installed")
class Page(Case):
    def opened(self, width, path="run/report.html", scheme="light"):
        page = self.enterContext(browser.Browser(width, 900))
        page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.open(self.folder / path)
        return page

    def one_run(self, *arguments):
        """A run of a network on Eyeriss, and its document."""
        result = self.run_program("map", "--arch", "eyeriss", "--net", "resnet18", "-o", "run", "-q", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        if 'id="app"' not in (self.folder / "run/report.html").read_text():
            self.skipTest("this program was built without node")
        return json.loads((self.folder / "run/report.json").read_text())

    def text(self, page, selector):
        return page.value(f"[...document.querySelectorAll({selector!r})].map(one => one.innerText)")

    def test_cards_say_what_the_document_says(self):
        report = self.one_run()
        page = self.opened(1400)
        names, values = self.text(page, ".card dt"), self.text(page, ".card .value")
        cards = dict(zip(names, values))
        totals = report["totals"]
        joules = totals["energy_pj"] * 1e-12
        self.assertEqual(names, ["Energy", "Latency", "Efficiency", "EDP", "Power", "Utilization", "Bound by", "Proof"])
        self.assertAlmostEqual(float(cards["Energy"].removesuffix(" mJ")) / (joules * 1e3), 1, 3)
        seconds = totals["cycles"] * report["architecture"]["cycle_seconds"]
        self.assertAlmostEqual(float(cards["Latency"].removesuffix(" ms")) / (seconds * 1e3), 1, 3)
        self.assertAlmostEqual(float(cards["Efficiency"].removesuffix(" TOPS/W")) / (2e-12 * totals["computes"] / joules), 1, 3)
        self.assertAlmostEqual(float(cards["EDP"].removesuffix(" uJ\u00b7s")) / (joules * seconds * 1e6), 1, 3)
        self.assertEqual(cards["Utilization"], f"{100 * totals['utilization']:.1f} %")
        shapes = [layer for layer in report["layers"] if layer["evaluation"]]
        proven = [layer for layer in shapes if layer["search"]["proven"]]
        self.assertEqual(cards["Proof"], f"{len(proven)} of {len(shapes)}")
        self.assertEqual(page.console, [])

    def test_the_machine_is_drawn_with_sizes_fan_outs_and_energy(self):
        report = self.one_run()
        page = self.opened(1400)
        memories = [memory for memory in report["architecture"]["memories"] if not memory["spreads_only"]]
        names = self.text(page, "#overview .machine strong")
        self.assertEqual(names[:-1], [memory["name"] for memory in memories])
        self.assertEqual(self.text(page, "#overview .fanout"), ["14 \u00d7 12, each with"])
        sizes = self.text(page, "#overview .memory .ends:first-child span")
        self.assertEqual(sizes[:3], ["unlimited", "128 KiB", "24 B \u00d7 168"])
        shares = [float(text.removesuffix(" %")) for text in self.text(page, "#overview .memory .quiet span:last-child")]
        self.assertAlmostEqual(sum(shares), 100, delta=0.3)
        legends = page.value("""[...document.querySelectorAll('#overview .legend li')]
            .map(one => [one.innerText, one.querySelector('.swatch').style.background])""")
        pairs = {tuple(pair) for pair in legends}  # two legends may say the same of one name
        self.assertGreater(len(pairs), 7)
        self.assertEqual(len(pairs), len({name for name, _ in pairs}))
        self.assertEqual(len(pairs), len({colour for _, colour in pairs}))

    def test_findings_are_computed(self):
        self.one_run()
        page = self.opened(1400)
        findings = " ".join(self.text(page, ".findings li"))
        for words in ["bound the latency of", "of the compute units' time is idle", "of the energy"]:
            self.assertIn(words, findings)

    def test_the_table_of_layers_sorts_filters_and_has_bars(self):
        report = self.one_run()
        page = self.opened(1400)

        def column(name):
            return self.text(page, f"#layers td[data-column='{name}']")

        energies = sorted((layer["evaluation"]["energy_pj"] * layer["repeats"], layer["name"]) for layer in report["layers"])
        self.assertEqual(column("layer")[0], energies[-1][1])
        self.assertEqual(len(column("layer")), min(12, len(report["layers"])))
        self.assertEqual(page.value("document.querySelectorAll('#layers td .bar').length"), 2 * len(column("layer")))
        page.value("[...document.querySelectorAll('#layers th button')].find(one => one.textContent === 'cycles').click()")
        cycles = [int(text.replace(",", "")) for text in column("cycles")]
        self.assertEqual(cycles, sorted(cycles, reverse=True))
        self.assertTrue(self.text(page, "#layers th[aria-sort=descending]")[0].startswith("cycles"))
        page.value("""(() => { const box = document.querySelector('#layers input'); box.value = 'layer3';
                      box.dispatchEvent(new Event('input')); })()""")
        self.assertTrue(column("layer"))
        self.assertTrue(all("layer3" in name for name in column("layer")))

    def test_a_layer_stands_beside_its_nest_on_the_rows_of_the_machine(self):
        report = self.one_run()
        page = self.opened(1400)
        page.value("document.querySelector('#layers tbody tr').click()")
        name = self.text(page, "#layers td[data-column='layer']")[0]
        layer = next(one for one in report["layers"] if one["name"] == name)
        stores = [line["store"] for line in layer["mapping"] if "store" in line]
        loops = [line for line in layer["mapping"] if "loop" in line]
        self.assertEqual(self.text(page, "#layer .nest .place"), stores)
        self.assertEqual(len(self.text(page, "#layer .loop")), len(loops))
        self.assertEqual(len(self.text(page, "#layer .loop.spatial")), len([one for one in loops if one["kind"] != "temporal"]))
        left, right = page.value("[...document.querySelectorAll('#layer .pair > *')].map(one => one.getBoundingClientRect().left)")
        self.assertLess(left, right)

    def test_one_roof_at_a_time_with_labelled_marks(self):
        self.one_run()
        page = self.opened(1400)
        self.assertEqual(page.value("document.querySelectorAll('#roofline figure').length"), 1)
        roofs = page.value("[...document.querySelectorAll('#roofline select option')].map(one => one.textContent)")
        self.assertGreater(len(roofs), 2)
        page.value("""(() => { const box = document.querySelector('#roofline select'); box.value = '1';
                      box.dispatchEvent(new Event('change')); })()""")
        self.assertTrue(self.text(page, "#roofline h3")[0].startswith("Roofline of " + roofs[1]))
        svg = self.saved(page, "#roofline", "SVG")
        self.assertIn("layer", svg)

    def saved(self, page, view, kind):
        """What a button of the view's first picture saves or copies, as text; PNG in base64."""
        page.value(KEEP)
        page.value(f"""[...document.querySelectorAll('{view} .tools')[0].querySelectorAll('button')]
                       .find(one => one.textContent === '{kind}').click()""")
        return page.value("""new Promise(async done => {
            for (let i = 0; i < 3000 && window.kept.length === 0; ++i) await new Promise(next => setTimeout(next, 20));
            const kept = window.kept.pop() ?? 'nothing was saved';
            if (typeof kept === 'string' || !kept.type.includes('png')) return done(typeof kept === 'string' ? kept : await kept.text());
            done(btoa(String.fromCharCode(...new Uint8Array(await kept.arrayBuffer()).slice(0, 30000))));
        })""")

    def test_every_chart_is_saved_as_svg_and_png_and_copied_as_tsv(self):
        report = self.one_run()
        page = self.opened(1400)
        self.assertEqual(page.value("""[...document.querySelectorAll('figure')].filter(one =>
            [...one.querySelectorAll('.tools button')].map(tool => tool.textContent).join() !== 'SVG,PNG,TSV').length"""), 0)
        self.assertGreater(page.value("document.querySelectorAll('figure').length"), 4)
        self.assertTrue(self.saved(page, "#energy", "SVG").startswith("<svg"))
        png = base64.b64decode(self.saved(page, "#energy", "PNG")[:40])
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(png[16:20], "big"), 2000)  # twice a thousand pixels
        lines = [line.split("\t") for line in self.saved(page, "#energy", "TSV").splitlines()]
        self.assertEqual(len(lines), 1 + len(report["layers"]))
        first = report["layers"][0]
        self.assertEqual(lines[1][0], first["name"])
        self.assertAlmostEqual(sum(map(float, lines[1][1:])) / (first["evaluation"]["energy_pj"] * first["repeats"] * 1e-12), 1, 6)
        lines = [line.split("\t") for line in self.saved(page, "#overview", "TSV").splitlines()[1:]]
        self.assertAlmostEqual(sum(float(line[-1]) for line in lines) / report["totals"]["energy_pj"], 1, 6)
        self.assertIn("weights_spad", self.saved(page, "#overview", "SVG"))
        self.assertEqual(page.console, [])

    def test_the_networks_front(self):
        report = self.one_run("--objective", "pareto", "--layers", "conv1,fc")
        page = self.opened(1400)
        titles = self.text(page, "#pareto h3")
        self.assertTrue(titles[0].startswith("Pareto front of the network"), titles)
        lines = [line.split("\t") for line in self.saved(page, "#pareto", "TSV").splitlines()[1:]]
        choices = [line for line in lines if line[0].startswith("choices")]
        fastest = sum(min(point["cycles"] for point in layer["front"]) * layer["repeats"] for layer in report["layers"])
        thriftiest = sum(min(point["energy_pj"] for point in layer["front"]) * layer["repeats"] for layer in report["layers"])
        self.assertEqual(float(choices[0][2]), fastest)
        self.assertAlmostEqual(float(choices[-1][3]) / (thriftiest * 1e-12), 1, 9)

    def test_an_explorations_axes_fit_and_have_true_values(self):
        result = self.run_program("explore", "--arch", "simba", "--net", "alexnet", "--set", "GlobalBuffer.depth=1k,2k,4k",
                                  "--pareto", "energy,latency", "-q", "--html", "run.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        page = self.opened(1400, "run.html")
        figures = page.value("JSON.parse(document.getElementById('data').textContent).figures")
        plane, parallel = (figure["chart"] for figure in figures)
        for axis, place in (("x", 0), ("y", 1)):
            values = [mark[place] for one in plane["series"] for mark in one["marks"]]
            low, high = plane[axis]["low"], plane[axis]["high"]
            self.assertLessEqual(low, min(values))
            self.assertGreaterEqual(high, max(values))
            if min(values) < max(values) < 2 * min(values):
                self.assertGreater(low, 0)
        self.assertIn("GlobalBuffer.depth=1024", " ".join(mark[2] for one in plane["series"] for mark in one["marks"]))
        self.assertTrue({"1024", "2048", "4096"} <= {text for _, _, text in parallel["scales"]})

    def test_a_contents_column_on_wide_screens(self):
        self.one_run()
        wide = self.opened(1400)
        nav, main = wide.value("['nav', 'main'].map(one => { const r = document.querySelector(one).getBoundingClientRect(); return [r.left, r.right, r.top]; })")
        self.assertLessEqual(nav[1], main[0])
        links = wide.value("[...document.querySelectorAll('nav a')].map(one => one.hash.slice(1))")
        self.assertEqual(links, wide.value("[...document.querySelectorAll('main > section')].map(one => one.id)"))
        narrow = self.opened(420)
        self.assertGreaterEqual(narrow.value("document.querySelector('main').getBoundingClientRect().top"),
                                narrow.value("document.querySelector('nav').getBoundingClientRect().bottom") - 1)

    def test_every_column_is_in_sight_on_wide_and_narrow_screens(self):
        self.one_run("--layers", "conv1")
        for width in (1400, 768):
            page = self.opened(width)
            heads = self.text(page, "#layers th")
            self.assertEqual(heads[-1], "proof")
            self.assertLessEqual(page.value("[...document.querySelectorAll('#layers th')].at(-1).getBoundingClientRect().right"), width, width)

    def test_bounds_have_the_unit_of_the_objective(self):
        for objective, unit in (("energy", "J"), ("latency", "cycles"), ("edp", "J\u00b7cycles")):
            layer = self.one_run("--layers", "conv1", "--objective", objective)["layers"][0]
            cells = self.text(self.opened(1400), "#bounds tbody tr:first-child td")
            self.assertRegex(cells[3], rf"^[\d.,]+ [a-z]?{unit}$")
            if objective == "latency":
                self.assertEqual(cells[3], f"{round(layer['search']['lower_bound']):,} cycles")

    def test_on_a_telephone_rows_are_cards_and_the_nest_is_an_indented_list(self):
        self.one_run()
        for width in (420, 768, 1400):
            page = self.opened(width)
            self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
            display = page.value("getComputedStyle(document.querySelector('#layers tbody tr')).display")
            self.assertEqual(display, "grid" if width == 420 else "table-row")
            lefts = page.value("[...document.querySelectorAll('#layer li.nest')].map(one => one.getBoundingClientRect().left)")
            self.assertEqual(lefts == sorted(set(lefts)), width == 420)

    def test_a_printed_page_has_every_column(self):
        self.one_run()
        page = self.opened(720)  # A4 within its margins
        page.ask("Emulation.setEmulatedMedia", media="print")
        right = page.value("""Math.max(...[...document.querySelectorAll('#layers th, #layers td')]
            .map(one => one.getBoundingClientRect().right))""")
        self.assertLessEqual(right, 720)
        self.assertGreater(right, 500)
        self.assertEqual(page.value("getComputedStyle(document.querySelector('nav')).display"), "none")

    def test_no_colour_twice_in_a_picture_and_one_meaning_over_all(self):
        self.one_run()
        page = self.opened(1400)
        data = page.value("JSON.parse(document.getElementById('data').textContent)")
        compared = 0
        for figure in data["figures"]:
            if figure["chart"]["type"] != "bars":
                continue
            colours = [part["colour"] for part in figure["chart"]["parts"]]
            self.assertEqual(len(colours), len(set(colours)), figure["chart"]["title"])
            for part in figure["chart"]["parts"]:
                self.assertEqual(data["colours"].get(part["name"], part["colour"]), part["colour"])
                compared += part["name"] in data["colours"]
        self.assertGreater(compared, 10)

    def test_the_page_is_small_and_asks_nobody(self):
        self.run_program("map", "--arch", "simba", "--net", ROOT / "data/onnx/resnet50.onnx", "-o", "run", "-q")
        page = (self.folder / "run/report.html").read_bytes()
        self.assertLess(len(page), 1_000_000)
        self.assertIn(b"default-src 'none'", page)

    @unittest.skipUnless(AXE.exists(), "axe-core is not installed")
    def test_axe_finds_nothing_serious(self):
        self.one_run()
        for width, scheme in ((1400, "light"), (420, "light"), (1400, "dark")):
            page = self.opened(width, scheme=scheme)
            page.value(AXE.read_text() + ";0")
            found = page.value("""axe.run().then(result => [result.passes.length, result.violations
                .filter(one => ['serious', 'critical'].includes(one.impact))
                .map(one => [one.id, one.nodes.map(node => node.html.slice(0, 120))])])""")
            self.assertGreater(found[0], 20)
            self.assertEqual(found[1], [], (width, scheme))

    def test_a_keyboard_is_enough(self):
        self.one_run()
        page = self.opened(1400)
        page.value("document.querySelector('#layers tbody tr:nth-child(2)').focus()")
        for kind in ("keyDown", "keyUp"):
            page.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13)
        name = self.text(page, "#layers td[data-column='layer']")[1]
        self.assertTrue(self.text(page, "#layer h3.of")[0].startswith(name))
        reached = page.value("""[...document.querySelectorAll('button, select, input, a, summary')]
            .filter(one => one.tabIndex < 0 || (one.tagName === 'BUTTON' && one.innerText.trim() === '' && !one.hidden)).length""")
        self.assertEqual(reached, 0)


if __name__ == "__main__":
    unittest.main()
