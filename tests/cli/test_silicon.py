"""Time as built (--latency physical, evaluate's default) and convert --to gemmini: one rule of latency in all outputs, proven
mappings, and what is refused."""

import csv
import io
import json
import re
import unittest

import program

LAYER = ["--arch", "gemmini", "--net", "resnet18", "--layers", "layer1.0.conv1"]
PRODUCT = ["--arch", "h100", "--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=512,n=1024,k=768"]
MIXED = ["--arch", "gemmini", "--net", "mobilenetv2", "--layers", "features.2.*"]


def page_data(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1)) if found else None


class Silicon(program.Case):
    def done(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def document(self, *arguments):
        return json.loads(self.done(*arguments, "--json"))

    def cycles(self, *arguments):
        return self.document(*arguments)["totals"]["cycles"]

    def assert_one_rule(self, arguments, rule):
        """Text, CSV, JSON and page of one run say the same times, and what follows from them; the rule stands first."""
        text = self.done(*arguments, "-o", "one")
        report = json.loads((self.folder / "one/report.json").read_text())
        layers, totals = report["layers"], report["totals"]
        machine, seconds = report["architecture"], report["architecture"]["cycle_seconds"]
        self.assertEqual(text.splitlines()[0].partition(": ")[2], rule)
        costs = [layer["evaluation"] for layer in layers]
        for layer, cost in zip(layers, costs):
            built = layer.get("as_built")
            self.assertEqual(cost["edp_pj_cycles"], cost["energy_pj"] * cost["cycles"])
            self.assertAlmostEqual(cost["utilization"] * cost["cycles"] * machine["compute"]["instances"] / cost["computes"], 1, 12)
            self.assertEqual(cost["bound"]["by"] == "as_built", built is not None)
            if built:
                self.assertEqual(cost["cycles"], round(built["cycles"]))
                self.assertAlmostEqual(built["seconds"] / (built["cycles"] * seconds), 1, 12)
        for key in ("computes", "cycles", "energy_pj"):
            self.assertAlmostEqual(totals[key] / sum(layer["repeats"] * layer["evaluation"][key] for layer in layers), 1, 12)
        self.assertEqual(totals["edp_pj_cycles"], totals["energy_pj"] * totals["cycles"])
        self.assertAlmostEqual(totals["utilization"] * totals["cycles"] * machine["compute"]["instances"] / totals["computes"], 1, 12)
        self.assertEqual(sum(bound["cycles"] for bound in report["summary"]["bounds"]), totals["cycles"])
        self.assertIn(f"{totals['cycles']:,} cycles", text)
        self.assertIn(f"{100 * totals['utilization']:.1f} %", text)
        self.assert_spreadsheet(report, self.done(*arguments, "--csv", "-"))
        self.assert_page(report, page_data((self.folder / "one/report.html").read_text()))
        return report

    def assert_spreadsheet(self, report, text):
        rows = list(csv.DictReader(io.StringIO(text[text.index("network,"):])))
        for layer in report["layers"]:
            own = [row for row in rows if row["layer"] == layer["name"]]
            self.assertEqual({row["accounting"] for row in own}, {"exact as built" if "as_built" in layer else "exact"})
            self.assertEqual([float(row["cycles"]) for row in own if row["cycles"]], [layer["evaluation"]["cycles"]])
            energy = sum(float(row["energy_pj"]) for row in own if row["energy_pj"])
            self.assertAlmostEqual(energy / layer["evaluation"]["energy_pj"], 1, 5)

    def assert_page(self, report, page):
        if page is None:
            return  # a program that was built without node
        run = page["runs"][0]
        self.assertEqual(run["accounting"], report["provenance"]["accounting"])
        for shown, layer in zip(run["layers"], report["layers"]):
            for key in ("cycles", "energy_pj", "utilization"):
                self.assertEqual(shown["costs"][key], layer["evaluation"][key])
            self.assertAlmostEqual(sum(value for _, value in shown["costs"]["cycle_parts"]) / shown["costs"]["cycles"], 1, 9)
        roofs = [figure["chart"]["series"] for figure in page["figures"] if figure["kind"] == "roofline"]
        speeds = {round(layer["evaluation"]["computes"] / layer["evaluation"]["cycles"], 6) for layer in report["layers"]}
        for series in roofs:
            for one in (one for one in series if not one["line"]):
                self.assertLessEqual({round(mark[1], 6) for mark in one["marks"]}, speeds)

    def test_one_rule_in_every_output(self):
        for problem in (LAYER, PRODUCT):
            self.done("map", *problem, "--latency", "physical", "-o", "built")
            given = ["evaluate", *problem, "built/mapping.yaml"]
            plain = self.assert_one_rule([*given, "--latency", "plain"], "")
            built = self.assert_one_rule([*given, "--latency", "physical"], "time as built")
            self.assertEqual(built["layers"][0]["as_built"]["plain_cycles"], plain["totals"]["cycles"])
            self.assertEqual(built["totals"]["plain_cycles"], plain["totals"]["cycles"])
            self.assertNotEqual(built["totals"]["cycles"], plain["totals"]["cycles"])
            self.assertEqual([plain["provenance"]["accounting"], built["provenance"]["accounting"]], ["exact", "exact as built"])
            self.assertNotIn("as_built", json.dumps(plain))
            self.assert_one_rule(["map", *problem, "--latency", "physical"], "time as built")
            self.assert_one_rule(["map", *problem], "")

    def test_evaluate_takes_the_time_as_built_where_the_machine_says_it(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        given = ["evaluate", *LAYER, "built/mapping.yaml"]
        self.assertEqual(self.done(*given), self.done(*given, "--latency", "physical"))
        self.assertNotIn("as built", self.done(*given, "--account", "timeloop"))
        self.done("map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "-o", "eyeriss")
        given = ["evaluate", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "eyeriss/mapping.yaml"]
        self.assertEqual(self.done(*given), self.done(*given, "--latency", "plain"))

    def test_map_finds_plain_times_and_says_those_as_built_beside(self):
        text = self.done("map", *LAYER)
        cycles = int(re.search(r"as built \(docs/silicon.md\) these mappings take ([\d,]+) cycles", text)[1].replace(",", ""))
        self.done("map", *LAYER, "-o", "plain", "-q")
        self.assertEqual(self.cycles("evaluate", *LAYER, "plain/mapping.yaml"), cycles)
        self.assertNotIn("as built", self.done("map", *LAYER, "--latency", "plain"))

    def test_a_layer_that_it_does_not_know_is_the_plain_models_and_marked(self):
        self.done("map", *MIXED, "--latency", "physical", "-o", "built")
        for arguments in (["map", *MIXED, "--latency", "physical"], ["evaluate", *MIXED, "built/mapping.yaml"]):
            report = self.assert_one_rule(arguments, "time as built of 2 of 3 layers, of the others the plain model's")
            self.assertEqual(report["provenance"]["accounting"], "exact partly as built")
            self.assertEqual(report["totals"]["layers_as_built"], 2)
            unknown = [layer for layer in report["layers"] if "as_built" not in layer]
            self.assertEqual(len(unknown), 1)
            self.assertIn(unknown[0]["not_as_built"], unknown[0]["evaluation"]["bound"]["text"])
            self.assertIn(f"no time as built of {unknown[0]['name']}: {unknown[0]['not_as_built']}", report["notes"])
        text = self.done("map", *MIXED, "--latency", "physical")
        self.assertRegex(text, unknown[0]["name"] + r" .*\(plain model\)\n")
        self.assertRegex(text, r"\n  2 of 3 shapes proven optimal: no tile of whole blocks")
        self.assertRegex(text, r"\n  1 of 3 shapes proven optimal: no even mapping")

    def test_a_proven_mapping_takes_what_evaluate_says_and_no_less_than_the_plain_one(self):
        text = self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        self.assertIn("proven optimal: no tile of whole blocks of channels", text)
        self.assertIn("cycles as built leave out", text)
        self.assertIn("in 135 measured cases", text)
        self.assertIn("by at most 23 % in nine of ten and 39 % at worst", text)
        built = self.cycles("evaluate", *LAYER, "built/mapping.yaml")
        self.assertIn(f"latency      {built:,} cycles", text)
        self.done("map", *LAYER, "--objective", "latency", "-o", "plain")
        self.assertLess(built, self.cycles("evaluate", *LAYER, "plain/mapping.yaml"))

    def test_the_exact_counts_stay(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        given = ["evaluate", *LAYER, "built/mapping.yaml", "--latency"]
        one, two = (self.document(*given, rule)["layers"][0] for rule in ("plain", "physical"))
        self.assertEqual(one["mapping"], two["mapping"])
        for before, after in zip(one["evaluation"]["memories"], two["evaluation"]["memories"]):
            self.assertEqual((before["tensors"], before["link"]), (after["tensors"], after["link"]))
        longer = two["evaluation"]["cycles"] / one["evaluation"]["cycles"]
        leaked = [memory["leakage_pj"] for memory in one["evaluation"]["memories"]]
        self.assertGreater(sum(leaked), 0)
        for leakage, memory in zip(leaked, two["evaluation"]["memories"]):
            self.assertAlmostEqual(memory["leakage_pj"], leakage * longer, 6)

    def test_a_replay_of_every_tile_is_near(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        walked = re.search(r": ([\d,]+) cycles as built", self.done("simulate", *LAYER, "built/mapping.yaml"))[1]
        form = self.cycles("evaluate", *LAYER, "built/mapping.yaml")
        self.assertLess(abs(int(walked.replace(",", "")) / form - 1), 0.05)

    def test_arguments_for_gemmini(self):
        self.done("map", *LAYER, "--latency", "physical", "-o", "built")
        text = self.done("convert", *LAYER, "built/mapping.yaml", "--to", "gemmini")
        self.assertRegex(text, r"function: tiled_conv\n  shape: \{batch_size: 1, in_dim: 56, .*\n  tile: \{batches: 1, porows: \d+, ")

    def test_a_product_on_a_gpu(self):
        text = self.done("map", "--arch", "h100", "--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=512,n=14336,k=4096",
                         "--latency", "physical")
        self.assertRegex(text, r"none of the \d+ kernels that the machine has for this product")
        self.assertRegex(text, r"latency      [\d,]+ cycles  \(82\.\d+ us\)")
        self.assertIn("such predictions were off by 4.7 % in the median", text)

    def test_every_layer_of_a_network_has_a_time_on_a_gpu(self):
        for machine, net in (("h100", "resnet50"), ("b300", "bert-base"), ("mi300x", "mobilenetv2")):
            text = self.done("map", "--arch", machine, "--net", net, "--latency", "physical")
            self.assertIn(": time as built\n", text)
            self.assertRegex(text, r"(\d+) of \1 shapes proven optimal|proven optimal")
        self.assertIn("the kernels of its generation have no form here", text)

    def test_a_machine_says_where_its_numbers_are_from(self):
        self.assertRegex(self.done("show", "--arch", "h100"), r"shares reached +memory 0.836, .* calibrated: bfloat16 products")
        self.assertRegex(self.done("show", "--arch", "b300"), r"launch +2.06 us +inherited: those of b200")
        self.assertIn("the general one of matrix units", self.done("show", "--arch", "trainium2"))

    def test_calibration_from_rows(self):
        rows = ["m,n,k,us", "1,128,128,3.1", "2,128,128,3.2", "4,128,128,3.1", "1,16384,8192,110", "1,8192,16384,111", "2,16384,8192,112",
                "8192,8192,8192,1600", "8192,8192,7168,1400", "7168,8192,8192,1410"]
        (self.folder / "rows.csv").write_text("\n".join(rows) + "\n")
        text = self.done("calibrate", "--arch", "b300", "--from", "rows.csv", "-o", "own.yaml")
        self.assertRegex(text, r"launch_us +[\d.]+ +[\d.]+ to [\d.]+ +1 x 128 x 128, 2 x 128 x 128, 4 x 128 x 128")
        self.assertRegex(self.done("show", "own.yaml"), r"calibrated: medians of three rows each in rows.csv")
        again = self.done("calibrate", "own.yaml", "--from", "rows.csv", "-o", "again.yaml")
        self.assertEqual(text.splitlines()[:5], again.splitlines()[:5])
        self.assertEqual((self.folder / "own.yaml").read_text(), (self.folder / "again.yaml").read_text())
        (self.folder / "bad.csv").write_text("m,n,k,us\n1,2,x,4\n")
        for words, message in ((["--from", "bad.csv"], "bad.csv:2: error: expected a number of 'k', found 'x'"),
                               (["-o", "own.yaml"], "--output goes with --from")):
            result = self.run_program("calibrate", "--arch", "b300", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    def test_a_product_that_a_tpu_takes_whole(self):
        text = self.done("map", "--arch", "tpu-v6e", "--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=512,n=14336,k=4096",
                         "--latency", "physical")
        self.assertIn("the machine takes the product whole", text)
        self.assertIn(": time as built\n", text)

    def test_what_it_cannot_do_is_refused(self):
        self.done("map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "-o", "eyeriss")
        (self.folder / "eyeriss.yaml").write_text((self.folder / "eyeriss" / "mapping.yaml").read_text())
        for arguments, message in [
                (["map", "--arch", "eyeriss", "--net", "resnet18", "--latency", "physical"], "needs a machine with a section 'silicon'"),
                (["map", *LAYER, "--latency", "physical", "--objective", "energy"], "do not go together: it is minimised alone"),
                (["map", *LAYER, "--latency", "physical", "--mapper", "hybrid"], "its search covers the tiles"),
                (["map", *LAYER, "--latency", "physical", "--what-if"], "are costed by the plain model"),
                (["map", *LAYER, "--latency", "physical", "--certificate", "c.json"], "certificates are of the plain model"),
                (["map", *LAYER, "--latency", "physical", "--bits", "Outputs=8/32"], "predictions as built are of dense words"),
                (["evaluate", *LAYER, "--latency", "stalls"], "--latency stalls is for ZigZag's own files"),
                (["evaluate", *LAYER, "--latency", "physical", "--account", "timeloop"], "is for --account exact"),
                (["simulate", *LAYER, "--latency", "physical"], "is for the verbs map and evaluate"),
                (["convert", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "eyeriss.yaml", "--to", "gemmini"], "needs a machine with a systolic array")]:
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(message, result.stderr)

    def test_settings_reach_the_section(self):
        larger = ["map", *LAYER, "--latency", "physical", "--set", "PE_row.meshY=32", "--set", "PE_column.meshX=32"]
        refused = self.run_program(*larger)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("a latency of 50 is too short (silicon.systolic_array.latency_cycles=62)", refused.stderr)
        larger += ["--set", "silicon.systolic_array.latency_cycles=82", "--set", "silicon.systolic_array.preload_cycles=32"]
        cycles = self.cycles(*larger)
        self.assertLess(cycles, self.cycles("map", *LAYER, "--latency", "physical"))
        self.assertGreater(self.cycles(*larger, "--set", "silicon.caches.L2.bytes=65536"), cycles)
        for setting, message in (("systolic.latency_cycles", "there is no 'systolic' to set 'silicon.systolic.latency_cycles'"),
                                 ("caches.L3.bytes", "there is no 'L3' to set"),
                                 ("systolic_array.latncy_cycles", "unknown key 'latncy_cycles'; did you mean 'latency_cycles'?")):
            wrong = self.run_program("map", *LAYER, "--latency", "physical", "--set", f"silicon.{setting}=100")
            self.assertEqual(wrong.returncode, 2, setting)
            self.assertIn(message, wrong.stderr)


if __name__ == "__main__":
    unittest.main()
