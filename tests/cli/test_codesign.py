"""tilewright explore --prove: the best machine is that of explore, and what is killed goes on."""

import copy
import csv
import html
import io
import json
import math
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from program import PROGRAM, Case

MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component {name: spad, class: regfile, attributes: {depth: 64, width: 8}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
# Which levels there are and what the innermost memory holds are left open.
TEMPLATE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
{%- if levels == 4 %}
  - !Component {name: middle, class: regfile, attributes: {depth: 128, width: 16}}
{%- endif %}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component
    name: spad
    class: regfile
    attributes: {depth: 64, width: 16}
{%- if held == "weights" %}
    constraints: {dataspace: {keep: [B], bypass: [A, O]}}
{%- elif held == "outputs" %}
    constraints: {dataspace: {keep: [O], bypass: [A, B]}}
{%- endif %}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
LAYER = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=24,n=32,k=16"]
KNOBS = ["--set", "buffer.depth=256,1k,4k", "--set", "PE.meshX=2,8,32", "--set", "spad.depth=8,32,64",
         "--set", "DRAM.read_bandwidth=4,8"]
POINTS = 3 * 3 * 3 * 2


class Codesign(Case):
    def explore(self, *arguments):
        return self.run_program("explore", "--arch", self.write("m.yaml", MACHINE), *LAYER, *arguments)

    def prove(self, metric, *arguments):
        result = self.explore(*KNOBS, "--prove", "--best", metric, "--objective", metric, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    @staticmethod
    def value(text, name):
        return float(re.search(rf"^  {name} +(\S+)", text, re.MULTILINE)[1])

    ROWS = {}  # of every machine, by objective: mapped once for all tests

    def rows(self, objective="edp"):
        if objective not in self.ROWS:
            result = self.explore(*KNOBS, "--objective", objective, "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.ROWS[objective] = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row["status"] == "valid"]
        return self.ROWS[objective]

    def test_the_best_machine_is_the_best_of_all(self):
        names = {"energy": "energy_pj", "latency": "latency_cycles", "edp": "edp_pj_cycles"}
        for metric, name in names.items():
            rows = self.rows(metric)
            self.assertEqual(len(rows), POINTS)
            limit = sorted(float(row["area_mm2"]) for row in rows)[POINTS // 3]
            for limits in [[], ["--limit", f"area<{limit}"]]:
                with self.subTest(metric=metric, limits=limits):
                    least = min(float(row[name]) for row in rows if not limits or float(row["area_mm2"]) < limit)
                    text = self.prove(metric, *limits)
                    self.assertIn(f"proven: of {POINTS} machines none has a smaller {name}", text)
                    self.assertAlmostEqual(self.value(text, name) / least, 1.0, delta=2e-9)
                    mapped = int(re.search(r"^(\d+) machines mapped", text, re.MULTILINE)[1])
                    self.assertLess(mapped, POINTS // 2)
                    if not limits:
                        self.assertEqual(self.prove(metric, "--threads", "3"), text)

    def test_knobs_of_templates_change_levels_and_dataflows(self):
        space = ["--arch", self.write("t.yaml", TEMPLATE), *LAYER, "--set", "jinja.levels=3,4", "--set", "jinja.held=weights,outputs,all",
                 "--set", "spad.depth=8,64", "--set", "PE.meshX=2,8", "--set", "DRAM.type=LPDDR4,HBM2", "--set", "datawidth=8,16"]
        points = 2 * 3 * 2 * 2 * 2 * 2
        rows = self.run_program("explore", *space, "--csv", "-")
        self.assertEqual(rows.returncode, 0, rows.stderr)
        rows = [row for row in csv.DictReader(io.StringIO(rows.stdout)) if row["status"] == "valid"]
        self.assertEqual(len(rows), points)
        self.assertEqual(len({row["edp_pj_cycles"] for row in rows if row["spad.depth"] == "64" and row["datawidth"] == "8"
                              and row["PE.meshX"] == "8" and row["DRAM.type"] == "LPDDR4"}), 6)  # every form counts
        result = self.run_program("explore", *space, "--prove", "--best", "edp", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"proven: of {points} machines none has a smaller edp_pj_cycles", result.stdout)
        self.assertAlmostEqual(self.value(result.stdout, "edp_pj_cycles") / min(float(row["edp_pj_cycles"]) for row in rows), 1.0, delta=2e-9)
        self.assertEqual(self.check().returncode, 0)

    METRICS = {"energy": "energy_pj", "latency": "latency_cycles", "edp": "edp_pj_cycles", "area": "area_mm2"}

    def points_of_all(self, metrics):
        """Of every machine the least of each metric, with mappings made for it."""
        points = {}
        for metric in metrics:
            objective = "energy" if metric == "area" else metric
            for row in self.rows(objective):
                points.setdefault(int(row["point"]), []).append(float(row[self.METRICS[metric]]))
        self.assertEqual(len(points), POINTS)
        return points

    @staticmethod
    def no_worse(one, other, room=2e-9):
        return all(a <= b * (1 + room) for a, b in zip(one, other))

    # report makes the page that lies beside the document.
    def assert_page_again(self):
        shutil.copy(self.folder / "out/report.json", self.folder)
        result = self.run_program("report", "report.json", "-o", "again.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "again.html").read_bytes(), (self.folder / "out/report.html").read_bytes())

    def test_the_front_is_that_of_all_machines(self):
        for metrics in [("energy", "area"), ("energy", "latency"), ("latency", "edp", "area")]:
            with self.subTest(metrics):
                points = self.points_of_all(metrics)
                result = self.explore(*KNOBS, "--prove", "--pareto", ",".join(metrics), "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                answer = json.loads(result.stdout)
                self.assertEqual((answer["proven"], answer["gap"], answer["envelope"]), (True, 0, []))
                front = {machine["point"]: list(machine["values"].values()) for machine in answer["front"]}
                for point, values in front.items():
                    self.assertTrue(self.no_worse(values, points[point]) and self.no_worse(points[point], values))
                    beaten = [other for other in points.values() if self.no_worse(other, values, 0) and not self.no_worse(values, other)]
                    self.assertEqual(beaten, [])
                for values in points.values():
                    self.assertTrue(any(self.no_worse(one, values) for one in front.values()))
                if "area" in metrics:
                    self.assertGreater(len(front), 1)
                self.assertLess(answer["counts"]["machines_mapped"], POINTS)
                if metrics == ("energy", "area"):
                    again = self.explore(*KNOBS, "--prove", "--pareto", ",".join(metrics), "--json", "--threads", "3")
                    self.assertEqual(again.stdout, result.stdout)

    def test_what_is_of_different_mappings_is_said(self):
        result = self.explore(*KNOBS, "--prove", "--pareto", "energy,latency", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("each metric is of the mappings made for it; a machine runs one set of mappings at a time", result.stdout)
        self.assertRegex(result.stdout, rf"proven: of {POINTS} machines none beats (this one|one of these \d+) \(to nine digits\)")
        answer = json.loads((self.folder / "out/report.json").read_text())
        for machine in answer["front"]:
            for mapped in machine["mapped"]:
                self.assertEqual(mapped["metrics"][mapped["metric"]], machine["values"][mapped["metric"]])
        self.assertIn("Machines that no other beats", (self.folder / "out/report.html").read_text())
        self.assert_page_again()
        self.assertIn("machines of the front", self.run_program("plot", "machines", "out").stdout)

    def test_a_front_keeps_limits(self):
        points = self.points_of_all(("energy", "latency"))
        most = sorted(values[1] for values in points.values())[POINTS // 3]
        result = self.explore(*KNOBS, "--prove", "--pareto", "energy,latency", "--limit", f"latency<={most}", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        front = [list(machine["values"].values()) for machine in json.loads(result.stdout)["front"]]
        self.assertLessEqual(max(values[1] for values in front), most)
        for values in points.values():
            self.assertTrue(values[1] > most or any(self.no_worse(one, values) for one in front))

    def test_a_front_that_is_stopped_says_where_others_may_be(self):
        command = [PROGRAM, "explore", "--arch", self.write("m.yaml", MACHINE), *LAYER, *KNOBS, "--prove", "--pareto", "energy,area",
                   "--store", "proof.sqlite", "--json"]
        store = self.folder / "proof.sqlite"
        expected = self.run_program(*command[1:-3], "--json").stdout
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, stdout=subprocess.PIPE, text=True)
        while process.poll() is None and self.answers(store) < 5:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        first = process.communicate()[0]
        if process.returncode != 0:  # else it was quicker
            answer = json.loads(first)
            self.assertFalse(answer["proven"])
            self.assertGreater(len(answer["envelope"]), 0)
        again = self.run_program(*command[1:])
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, expected)

    def test_what_each_knob_is_worth(self):
        rows = self.rows()
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--worth", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the best machine has it", result.stdout)
        answer = json.loads((self.folder / "out/report.json").read_text())
        self.assertEqual(len(answer["worth"]), 3 + 3 + 3 + 2)
        for worth in answer["worth"]:
            value = {"1k": 1024, "4k": 4096}.get(worth["value"], worth["value"])
            least = min(float(row["edp_pj_cycles"]) for row in rows if float(row[worth["knob"]]) == float(value))
            self.assertLessEqual(worth["least"], least * (1 + 2e-9))
            self.assertGreaterEqual(worth["found"], least * (1 - 2e-9))
            if worth["proven"]:
                self.assertAlmostEqual(worth["found"] / least, 1.0, delta=2e-9)
        self.assertGreater(sum(worth["proven"] for worth in answer["worth"]), 6)
        self.assertEqual(sum(worth["of_best"] for worth in answer["worth"]), 4)
        self.assertIn("Cost of each knob's values", html.unescape((self.folder / "out/report.html").read_text()))
        self.assert_page_again()
        for kind, title in [("worth", "Cost of each knob's values"), ("proof", "Boxes ruled out, and why")]:
            self.assertIn(title, html.unescape(self.run_program("plot", kind, "out").stdout))
        self.assertEqual(self.explore(*KNOBS, "--prove", "--best", "edp", "--worth").stdout, result.stdout)

    def test_a_space_without_a_valid_machine_is_said_to_have_none(self):
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "area<0.0001", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(f"proven: none of {POINTS} machines is valid", result.stdout)
        answer = json.loads((self.folder / "out/report.json").read_text())
        self.assertEqual((answer["proven"], answer["best"], answer["bound"]), (True, None, None))
        self.assert_page_again()

    def test_what_is_killed_goes_on(self):
        expected = self.prove("edp")
        command = [PROGRAM, "explore", "--arch", self.write("m.yaml", MACHINE), *LAYER, *KNOBS, "--prove", "--best", "edp",
                   "--store", "proof.sqlite"]
        store = self.folder / "proof.sqlite"
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and self.answers(store) < 5:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertGreaterEqual(self.answers(store), 5)
        self.assertEqual(self.prove("edp", "--store", "proof.sqlite"), expected)
        refused = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "area<1", "--store", "proof.sqlite")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("holds another search: its 'limits", refused.stderr)

    @staticmethod
    def answers(store):
        try:
            connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
            try:
                return connection.execute("SELECT count(*) FROM answer").fetchone()[0]
            finally:
                connection.close()
        except sqlite3.Error:
            return 0

    def certificate(self, metric, *arguments):
        shutil.rmtree(self.folder / "out", ignore_errors=True)  # its store is of another search
        self.prove(metric, "-o", "out", *arguments)
        return json.loads((self.folder / "out" / "certificate.json").read_text())

    def check(self, document=None):
        file = self.folder / "out" / "certificate.json"
        if document is not None:
            file.write_text(json.dumps(document))
        return self.run_program("check", str(file))

    def refused(self, document, change, why):
        changed = copy.deepcopy(document)
        change(changed)
        result = self.check(changed)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(why, result.stderr)
        self.assertNotIn("confirmed: ", result.stdout)

    def test_certificates_are_confirmed(self):
        area = sorted(float(row["area_mm2"]) for row in self.rows())[POINTS // 3]
        cases = [("energy", ()), ("latency", ()), ("edp", ()), ("edp", ("--limit", f"area<{area}")),
                 ("edp", ("--limit", "latency<2000"))]
        for metric, arguments in cases:
            with self.subTest(metric=metric, arguments=arguments):
                document = self.certificate(metric, *arguments)
                result = self.check()
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"none has less {metric}, of {POINTS} machines", result.stdout)
                leaves = [node for node in document["tree"] if node["end"] != "cut"]
                sizes = [math.prod(high - low + 1 for low, high in node["box"]) for node in leaves]
                self.assertEqual(sum(sizes), POINTS)

    def test_what_rests_on_unproven_mappings_is_not_proven(self):
        earlier = self.folder / "out" / "certificate.json"
        earlier.parent.mkdir()
        earlier.write_text("{}")
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--factors", "ruby-s", "-o", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not proven: edp_pj_cycles is at least ", result.stdout)
        self.assertIn("mapped machines have unproven layers", result.stdout)
        self.assertIn("note: no certificate: the answer is not proven", result.stdout)
        self.assertFalse(earlier.exists(), "it is of an earlier answer")

    def test_the_answer_as_a_document(self):
        made = self.explore(*KNOBS, "--prove", "--best", "edp", "-o", "out")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual((self.folder / "out/report.txt").read_text(), made.stdout)
        written = (self.folder / "out/report.json").read_text()
        self.assertEqual(self.explore(*KNOBS, "--prove", "--best", "edp", "--json").stdout, written)
        answer = json.loads(written)
        self.assertTrue(answer["proven"])
        self.assertEqual((answer["machines"], answer["value"]), (POINTS, answer["best"]["metrics"]["edp_pj_cycles"]))
        self.assertEqual(answer["improvements"][-1]["value"], answer["value"])

    def test_certificates_without_a_valid_machine_are_confirmed(self):
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "area<0.0001", "-o", "out")
        self.assertEqual(result.returncode, 1, result.stderr)
        result = self.check()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("none is valid", result.stdout)
        self.refused(json.loads((self.folder / "out" / "certificate.json").read_text()),
                     lambda d: d["limits"][0].update(most=100.0), "which the limit allows")

    def test_what_was_changed_in_a_certificate_is_found(self):
        document = self.certificate("edp")
        tree = document["tree"]
        worse = next(i for i, node in enumerate(tree) if node["end"] == "worse")

        def raise_floors(d):  # far: they are written as low as rules the box out
            node = d["tree"][worse]
            node["value"] *= 1e4
            node["layers"] = [[energy, cycles, 1e4 * objective] for energy, cycles, objective in node["layers"]]

        self.refused(document, raise_floors, "not confirmed of layer")
        self.refused(document, lambda d: d["tree"][worse].update(value=tree[worse]["value"] * 1.5),
                     "the floors of its layers come to less than")
        self.refused(document, lambda d: d["tree"][worse].update(value=d["best"]["value"] * 0.99), "not ruled out")
        self.refused(document, lambda d: d["tree"].pop(worse), "left out")
        self.refused(document, lambda d: d["tree"].pop(), "left out")
        self.refused(document, lambda d: d["tree"].append(tree[worse]), "a part of none that was cut")
        self.refused(document, lambda d: d["best"].update(value=d["best"]["value"] * 0.9), "the machine comes to")
        self.refused(document, lambda d: d["best"]["answers"][0].update(cycles=1), "the mapping takes")
        self.assertIn("its seal does not fit", self.check(dict(document, seal="0")).stderr)

        def claim_a_worse_machine(d):  # without a tree that rules out better ones
            d["tree"] = [dict(d["tree"][0], end="mapped", value=1.0, answers=d["best"]["answers"])]

        self.refused(document, claim_a_worse_machine, "several machines cannot be mapped as one")

    def test_the_value_of_a_mapped_machine_is_computed_anew(self):
        document = self.certificate("edp")
        leaf = dict(document["best"], value=document["best"]["value"] * 2)
        document["tree"] = self.spelled_out(document["best"]["box"], leaf, [[0, 2], [0, 2], [0, 2], [0, 1]])
        self.refused(document, lambda d: None, "the machine comes to")

    def spelled_out(self, target, leaf, box):
        """A tree that goes down to one machine; what lies beside the way is called unmappable."""
        if box == target:
            return [leaf]
        if any(low > high for low, high in box) or any(b[1] < t[0] or b[0] > t[1] for b, t in zip(box, target)):
            return [{"box": box, "end": "unmappable", "layer": 0}]
        knob = next(i for i, (low, high) in enumerate(box) if low < high)
        low, high = box[knob]
        middle = low + (high + 1 - low) // 2
        halves = [box[:knob] + [part] + box[knob + 1:] for part in ([low, middle - 1], [middle, high])]
        return [{"box": box, "end": "cut", "knob": knob}, *self.spelled_out(target, leaf, halves[0]),
                *self.spelled_out(target, leaf, halves[1])]

    def test_limits_that_the_checker_does_not_know_have_no_certificate(self):
        result = self.explore(*KNOBS, "--prove", "--best", "edp", "--limit", "utilization>0.01", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("note: no certificate is written: the checker knows no limit like utilization>0.01", result.stdout)
        self.assertNotIn("out/certificate.json", self.files())

    def test_machines_of_different_levels_are_refused(self):
        result = self.explore("--set", "PE.meshX=1,2", "--prove", "--best", "edp")  # a mesh of 1 is no level
        self.assertEqual(result.returncode, 2)
        self.assertIn("different numbers of levels", result.stderr)

    def test_what_cannot_be_proven_is_refused(self):
        for wrong, why in {
            ("--best", "area"): "nothing bounds 'area_mm2'",
            ("--best", "energy"): "they have to agree",
            (): "--prove needs --best",
            ("--pareto", "energy,power"): "nothing bounds 'power_mw'",
            ("--pareto", "energy,energy"): "names 'energy_pj' twice",
            ("--pareto", "energy,latency", "--objective", "energy"): "latency_cycles has mappings of its own",
            ("--pareto", "energy,area", "--worth"): "not a front",
            ("--best", "edp", "--factors", "padded"): "no floors for uneven mappings and for paddings",
            ("--best", "edp", "--mapper", "random"): "leave out --mapper",
            ("--best", "edp", "--discard"): "neither --discard nor --prepare",
            ("--best", "edp", "--top", "3"): "there are no rows",
        }.items():
            with self.subTest(wrong):
                result = self.explore(*KNOBS, "--prove", *wrong)
                self.assertEqual(result.returncode, 2, result.stdout)
                self.assertIn(why, result.stderr)
        result = self.explore(*KNOBS, "--best", "edp", "--worth")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("--worth goes with --prove", result.stderr)


if __name__ == "__main__":
    import unittest
    unittest.main()
