"""map: results, determinism, the terminal line and Ctrl-C."""

import json
import math
import os
import re
import signal
import termios
import unittest
import unittest.mock

from program import ROOT, Case, Terminal

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = ["--evaluations", "2000", "--net", "resnet18", "--layers", "conv1,layer2.0*"]


class Map(Case):
    def test_a_network_from_names(self):
        result = self.run_program("map", "--arch", "eyeriss", *SMALL, "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""), "no progress without a terminal")
        self.assertEqual(self.files(), ["out/certificate.json", "out/mapping.yaml", "out/report.html", "out/report.json", "out/report.txt"])
        self.assertIn("total (with repeats)", result.stdout)
        self.assertTrue((self.folder / "out/report.txt").read_text().startswith(result.stdout))

    def test_the_mappings_of_a_network_read_back(self):
        self.run_program("map", "--arch", "eyeriss", *SMALL, "-o", "out", "-q")
        mapped = json.loads((self.folder / "out/report.json").read_text())
        result = self.run_program("evaluate", "--arch", "eyeriss", *SMALL[2:], "out/mapping.yaml", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        evaluated = json.loads(result.stdout)
        self.assertEqual(evaluated["totals"], mapped["totals"])

    def test_missing_mappings_are_named_and_no_answer(self):
        """As an interrupted run leaves them."""
        self.run_program("map", "--arch", "eyeriss", *SMALL, "-o", "out", "-q")
        network = ["--arch", "eyeriss", "--net", "resnet18", "out/mapping.yaml"]
        result = self.run_program("evaluate", *network)
        self.assertEqual(result.returncode, 1)
        missing = "17 of 21 layers are without a legal mapping and not in the totals: layer1.0.conv1, layer1.0.conv2, "
        self.assertTrue(result.stderr.startswith("error: " + missing), result.stderr)
        self.assertIn("  " + missing, result.stdout)
        self.assertIn("and 6 others\n", result.stdout)
        totals = json.loads(self.run_program("evaluate", *network, "--json").stdout)["totals"]
        self.assertEqual((totals["layers"], totals["layers_without_mapping"]), (21, 17))
        result = self.run_program("check", *network)
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: mapping of fc: the files hold none [missing-mapping]\n", result.stderr)
        self.assertIn("mapping of conv1: legal\n", result.stdout)
        result = self.run_program("convert", *network, "--to", "mapping", "-o", "mappings")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: fc: the files hold no mapping of it\n", result.stderr)
        for verb in ["evaluate", "check"]:
            self.assertEqual(self.run_program(verb, *network, "--layers", "conv1,layer2.0*").returncode, 0)

    def test_uneven_mappings_are_at_least_as_good_and_read_back(self):
        uneven = ["--uneven", "--objective", "energy", "--net", "resnet18", "--layers", "layer2.0.conv1", "--no-cache"]
        result = self.run_program("map", "--arch", "eyeriss", *uneven, "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("no even or uneven mapping", result.stdout)
        self.assertEqual(self.run_program("check", "out/certificate.json").returncode, 0)
        self.assertIn("store: shared_glb", (self.folder / "out/mapping.yaml").read_text())
        mapped = json.loads((self.folder / "out/report.json").read_text())
        again = self.run_program("evaluate", "--arch", "eyeriss", *uneven[3:-1], "out/mapping.yaml", "--json")
        self.assertEqual(json.loads(again.stdout)["totals"], mapped["totals"])
        even = json.loads(self.run_program("map", "--arch", "eyeriss", *uneven[1:], "--json").stdout)
        self.assertLess(mapped["totals"]["energy_pj"], even["totals"]["energy_pj"])

    def test_one_layer_of_a_mapped_network(self):
        self.run_program("map", "--arch", "eyeriss", *SMALL, "-o", "out", "-q")
        result = self.run_program("compare", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1", "out/mapping.yaml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Layer conv1 on eyeriss", result.stdout)
        result = self.run_program("compare", "--arch", "eyeriss", "--net", "resnet18", "--layers", "fc", "out/mapping.yaml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no mapping of the layers of 'resnet18'", result.stderr)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_json_fits_the_published_schema(self):
        from test_evaluate import report_schema
        result = self.run_program("map", "--arch", "simba", *SMALL, "--json")
        jsonschema.validate(json.loads(result.stdout), report_schema(), jsonschema.Draft7Validator)

    def test_what_if_a_memory_were_twice_as_fast_or_large(self):
        """Twice the bandwidth is what --set says of the same mappings; twice the capacity is what a search there finds."""
        layer = ["--arch", "eyeriss", "--net", "alexnet", "--layers", "fc6,conv3"]
        slow = ["--set", "DRAM.read_bandwidth=1", "--set", "DRAM.write_bandwidth=1"]
        fast = ["--set", "DRAM.read_bandwidth=2", "--set", "DRAM.write_bandwidth=2"]
        asked = self.run_program("map", *layer, *slow, "--what-if", "-o", "out")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        report = json.loads((self.folder / "out" / "report.json").read_text())
        rows = {row["change"]: row for row in report["what_if"]}
        self.assertEqual(rows["the machine as it is"]["cycles"], report["totals"]["cycles"])
        doubled = rows["twice the bandwidth of DRAM"]
        self.assertFalse(doubled["mapped_again"])
        told = json.loads(self.run_program("evaluate", *layer, *fast, "out/mapping.yaml", "--json").stdout)["totals"]
        self.assertEqual(doubled["cycles"], told["cycles"])
        self.assertLess(doubled["cycles"], report["totals"]["cycles"])
        self.assertTrue(rows["twice the capacity of shared_glb"]["mapped_again"])
        self.assertIn("twice the bandwidth of DRAM", asked.stdout)
        self.assertGreater(report["summary"]["memory_bound_share"], 0)
        self.assertIn("DRAM", [bound["memory"] for bound in report["summary"]["bounds"]])
        plain = json.loads(self.run_program("map", *layer, "--json").stdout)
        self.assertNotIn("what_if", plain)
        for words, message in ((["--refine", "simulate"], "mappings on the changed machine are costed by the model, not simulated"),
                               (["--latency", "physical"], "mappings on the changed machine are costed by the plain model"),
                               (["--mapper", "gamma"], "it finds directives, not mappings")):
            self.assert_fails(self.run_program("map", "--arch", "gemmini", *layer[2:], "--what-if", *words), 2, "..." + message)

    def test_the_seed_decides_and_the_threads_do_not(self):
        one = self.run_program("map", "--arch", "eyeriss", *SMALL, "--json", "--threads", "1")
        three = self.run_program("map", "--arch", "eyeriss", *SMALL, "--json", "--threads", "3")
        self.assertEqual(one.stdout, three.stdout)
        other = self.run_program("map", "--arch", "eyeriss", *SMALL, "--json", "--seed", "2")
        self.assertNotEqual(one.stdout, other.stdout)

    def test_objectives_get_what_they_ask_for(self):
        """The random mapper costs the same mappings whatever it looks for."""
        totals = {}
        for objective in ["energy", "latency", "edp", "energy^0*latency^1"]:
            result = self.run_program("map", "--arch", "simba", *SMALL, "--json", "--objective", objective, "--mapper",
                                      "random", "--victory", "0")
            totals[objective] = json.loads(result.stdout)["totals"]
        self.assertLessEqual(totals["energy"]["energy_pj"], totals["latency"]["energy_pj"])
        self.assertLessEqual(totals["latency"]["cycles"], totals["energy"]["cycles"])
        self.assertEqual(totals["energy^0*latency^1"]["cycles"], totals["latency"]["cycles"])

    def test_a_pareto_search_writes_the_mappings_of_its_front(self):
        arguments = ["--arch", "eyeriss", "--net", "resnet18", "--layers", "layer2.0.conv2"]
        result = self.run_program("map", *arguments, "--objective", "pareto", "--evaluations", "20000", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Pareto front", result.stdout)
        layer = json.loads((self.folder / "out/report.json").read_text())["layers"][0]
        front = layer["front"]
        for cheaper, faster in zip(front, front[1:]):
            self.assertLess(cheaper["energy_pj"], faster["energy_pj"])
            self.assertGreater(cheaper["cycles"], faster["cycles"])
        self.assertEqual(len(front), len(os.listdir(self.folder / "out/front/layer2.0.conv2")))
        least = min(point["energy_pj"] * point["cycles"] for point in front)
        self.assertEqual(layer["evaluation"]["energy_pj"] * layer["evaluation"]["cycles"], least)
        result = self.run_program("evaluate", *arguments, f"out/front/layer2.0.conv2/{len(front)}.yaml", "--json")
        self.assertEqual(json.loads(result.stdout)["totals"]["cycles"], front[-1]["cycles"])

    def test_an_exhaustive_search_has_a_limit_that_can_be_lifted(self):
        large = ["map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "layer2.0.conv1", "--mapper", "exhaustive"]
        result = self.run_program(*large)
        self.assertEqual(result.returncode, 1)
        self.assertIn("too many to visit, more than the largest space", result.stderr)
        result = self.run_program(*large, "--largest-space", "0", "--evaluations", "1000")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_spatial_remainders_are_proven_unless_there_is_too_much_to_choose_from(self):
        layer = ["--net", "resnet50", "--layers", "layer2.0.conv1", "--factors", "ruby-s", "--no-cache"]
        result = self.run_program("map", "--arch", "eyeriss", *layer)
        self.assertEqual(result.returncode, 0)
        self.assertIn("proven optimal: no even mapping whose temporal factors divide", result.stdout)
        result = self.run_program("map", "--arch", "simba-cosa", *layer, "--evaluations", "200")
        self.assertEqual(result.returncode, 0)
        self.assertIn("found by hybrid, not proven: the space is large", result.stdout)
        self.assertNotIn("proven optimal", result.stdout)

    def test_what_is_proven_is_what_was_seen_or_bounded(self):
        """The same for every mapper: whoever saw all mappings has a proof, whoever did not has none."""
        from test_certificate import LAYER, MACHINE
        self.write("machine.yaml", MACHINE)
        energy = {}
        for mapper, proves in [("optimal", True), ("exhaustive", True), ("linear-pruned", True), ("hybrid", False),
                               ("anneal", False), ("genetic", False), ("random", False), ("loma", False), ("salsa", False),
                               ("cosa", False)]:
            result = self.run_program("map", *LAYER, "--objective", "energy", "--mapper", mapper, "--json")
            self.assertEqual(result.returncode, 0, mapper)
            layer = json.loads(result.stdout)["layers"][0]
            search = layer["search"]
            energy[mapper] = layer["evaluation"]["energy_pj"]
            self.assertEqual(search["proven"], proves, mapper)
            self.assertEqual(search.get("claim", "").startswith("proven optimal: no even mapping with perfect factors"), proves, mapper)
            self.assertEqual("every mapping" in search["stopped_by"], mapper in ["exhaustive", "linear-pruned"], mapper)
        self.assertEqual(energy["exhaustive"], energy["optimal"])
        self.assertEqual(energy["linear-pruned"], energy["optimal"])
        self.assertGreaterEqual(energy["loma"], energy["optimal"])
        for budget in [["--mapper", "exhaustive", "--evaluations", "20"], ["--mapper", "linear-pruned", "--victory", "5"]]:
            result = self.run_program("map", *LAYER, *budget, "--json")
            self.assertFalse(json.loads(result.stdout)["layers"][0]["search"]["proven"])

    def test_remainders_that_a_constraint_allows_are_in_the_claim(self):
        from test_certificate import LAYER, MACHINE
        self.write("machine.yaml", MACHINE)
        for where in ("target: lane, type: spatial", "target: buffer, type: temporal"):
            target = "{" + where + ", remainders: 9}"
            self.write("constraints.yaml", "mapspace_constraints:\n- " + target + "\n")
            result = self.run_program("map", *LAYER, "constraints.yaml", "--mapper", "optimal", "--json", "-o", "out")
            self.assertEqual(result.returncode, 0, result.stderr)
            search = json.loads(result.stdout)["layers"][0]["search"]
            words = "no even mapping with perfect factors (and remainders where a constraint allows them)"
            self.assertTrue(search["proven"])
            self.assertIn(words, search["claim"])

    def test_padding_is_named_and_paid_for(self):
        layer = ["map", "--arch", "eyeriss", "--net", "resnet50", "--layers", "layer1.0.conv3", "--factors", "padded"]
        result = self.run_program(*layer, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)["layers"][0]
        padded = report["padding"]["dimensions"]
        before = math.prod(change["from"] for change in padded.values())
        after = math.prod(change["to"] for change in padded.values())
        self.assertAlmostEqual(report["padding"]["share"], 1 - before / after)
        self.assertEqual(report["evaluation"]["computes"], 56 * 56 * 64 * 256 * after // before)
        self.assertIn("  padded: ", self.run_program(*layer, "--mapper", "hybrid").stdout)

    def test_a_front_may_pad_each_mapping_in_its_own_way(self):
        layer = ["map", "--arch", "eyeriss", "--net", "resnet50", "--layers", "layer1.0.conv3", "--factors", "padded"]
        result = self.run_program(*layer, "--objective", "pareto", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)["layers"][0]
        frugal, fast = report["front"][0], report["front"][-1]
        self.assertNotIn("padding", frugal)
        self.assertLess(frugal["energy_pj"], fast["energy_pj"])
        self.assertEqual(fast["padding"]["dimensions"], report["padding"]["dimensions"])
        self.assertTrue(report["search"]["proven"])
        self.assertIn("of the layer or of its padded forms", report["search"]["claim"])

    def test_timeloop_style_files_merge(self):
        """Constraints are obeyed, the mapper section is used, what is not used is named."""
        constraints = self.write("constraints.yaml", "mapspace_constraints:\n- { target: DRAM, type: temporal, factors: K=4 }\n")
        mapper = self.write("mapper.yaml", "mapper: { algorithm: random_pruned, victory_condition: 100, timeout: 15000,\n"
                            "          optimization_metrics: [ delay ], live_status: False }\n")
        result = self.run_program("map", self.example("arch.yaml"), self.example("problem.yaml"), constraints, mapper, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["provenance"]["options"], {"mapper": "random", "objective": "latency", "victory": "100"})
        self.assertTrue(any("live_status" in note for note in report["notes"]))
        self.assertTrue(any("timeout 15000" in note for note in report["notes"]))
        nest = report["layers"][0]["mapping"]
        inside = [i for i, node in enumerate(nest) if "store" in node][1]
        self.assertEqual([node["extent"] for node in nest[:inside] if node.get("loop") == "K"], [4])

    def test_a_problem_beside_a_network_says_what_things_are_called(self):
        source = ROOT / "data" / "arch" / "eyeriss.yaml"
        problem = ROOT / "examples" / "eyeriss_like" / "problem.yaml"
        names = {"K": "M", "P": "E", "Q": "F", "Weights": "Filter"}
        files = []
        for path in (source, problem):
            text = re.sub(r"\b(K|P|Q|Weights)\b", lambda match: names[match[1]], path.read_text())
            files.append(self.write(path.name, text))
        layer = ["--net", "resnet18", "--layers", "layer1.0.conv1", "--json"]
        here, there = self.run_program("map", *files, *layer), self.run_program("map", "--arch", "eyeriss", *layer)
        self.assertEqual(here.returncode, 0, here.stderr)
        here, there = json.loads(here.stdout), json.loads(there.stdout)
        self.assertEqual(here["totals"], there["totals"])
        self.assertTrue([note for note in here["notes"] if "as with --rename K=M,P=E,Q=F,Weights=Filter" in note], here["notes"])

    def test_what_a_mapper_section_cannot_change_is_named(self):
        """Limits for sampling do not cut off a proof; metrics count in their order."""
        for section, objective, note in [
                ("victory_condition: 1, search_size: 1", "edp", "victory_condition and search_size are for sampling"),
                ("optimization_metrics: [edp, delay]", "edp,latency", None),
                ("optimization_metrics: [energy, edp]", "energy,edp", None),
                ("optimization_metrics: [delay, energy, edp]", "latency,energy", "the metric 'edp' has no effect"),
                ("optimization_metrics: [last_level_accesses, energy]", "energy", "'last_level_accesses' is not available")]:
            mapper = self.write("mapper.yaml", "mapper: {" + section + "}\n")
            result = self.run_program("map", self.example("arch.yaml"), self.example("problem.yaml"), mapper, "--json")
            report = json.loads(result.stdout)
            self.assertTrue(report["layers"][0]["search"]["proven"], section)
            self.assertEqual(report["provenance"]["options"]["objective"], objective)
            self.assertEqual("this is the fastest" in report["layers"][0]["search"]["claim"], objective == "edp,latency")
            about_the_section = [one for one in report["notes"] if one.startswith("mapper:")]
            self.assertEqual(len(about_the_section), 0 if note is None else 1, report["notes"])
            self.assertTrue(note is None or note in about_the_section[0], report["notes"])

    def test_streams_of_timeloops_searches_decide_and_threads_do_not(self):
        mapper = self.write("mapper.yaml", "mapper: {num_threads: 2, timeout: 50000, victory_condition: 100}\n")

        def search(*words):
            result = self.run_program("map", self.example("arch.yaml"), self.example("problem.yaml"), "--mapper", "timeloop-hybrid",
                                      *words, *([] if mapper in words else ["--timeout", "50000", *([] if "--victory" in words else ["--victory", "100"])]), "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            return report["layers"][0]["search"]["sampled"], report["layers"][0]["mapping"], report["provenance"]["options"]

        one = search("--streams", "2", "-t", "1")
        self.assertEqual(one, search("--streams", "2", "-t", "4"))
        self.assertEqual(one[2]["streams"], "2")
        self.assertNotEqual(one[0], search()[0])
        self.assertEqual(one[:2], search(mapper)[:2], "a file's threads are streams")
        self.assertNotEqual(one[0], search("--streams", "2", "--victory", "20")[0])
        result = self.run_program("map", self.example("arch.yaml"), self.example("problem.yaml"), "--mapper", "timeloop-hybrid",
                                  "--streams", "2", "--timeout", "1")
        self.assertEqual(result.returncode, 1, "the largest tiles come first")
        self.assertIn("no legal mapping found: gave up finding a valid mapping", result.stderr)

    def test_a_network_without_a_layer(self):
        """Exit status 1, and why nothing is mapped."""
        model = ROOT / "tests" / "data" / "onnx" / "no_layer.onnx"
        for extra in ([], ["--json"], ["-q", "-o", "out"]):
            result = self.run_program("map", "--arch", "eyeriss", "--net", model, *extra)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, "error: network 'no_layer' has no layer to map among 2 operators "
                             "(Add: works element by element; Relu: works element by element)\n")

    def test_a_time_limit_that_no_clock_holds_is_none(self):
        for seconds in "1e10", "1e300", "inf":
            result = self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3", "--time-limit", seconds)
            self.assertIn("proven optimal", result.stdout, seconds)

    def test_no_answer(self):
        """Constraints that leave nothing: exit status 1, and the report says why."""
        constraints = self.write("constraints.yaml", "mapspace_constraints:\n- { target: psum_spad, type: temporal, factors: K=64 }\n")
        result = self.run_program("map", self.example("arch.yaml"), self.example("problem.yaml"), constraints, "-q", "-o", "out")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: layer 'problem': there is no mapping\n    ", result.stderr)
        self.assertEqual(self.files(), ["arch.yaml", "constraints.yaml", "out/report.html", "out/report.json", "out/report.txt", "problem.yaml"])


class OnATerminal(Terminal):
    def endless(self):
        return ["map", "--arch", "eyeriss", "--net", "resnet18", "--mapper", "hybrid", "--victory", "0", "-o", "out"]

    def test_one_line_is_overwritten(self):
        process, terminal = self.start("map", "--arch", "eyeriss", *SMALL)
        seen = self.read_until(terminal, r"\[4/4\].*\r\x1b\[K$")
        self.assertEqual(process.wait(), 0)
        self.assertNotIn("\n", seen)
        self.assertIn("[1/4] conv1", seen)

    def test_it_says_what_is_best_how_fast_it_is_and_how_long_it_takes(self):
        process, terminal = self.start("map", "--arch", "eyeriss", "--net", "resnet18", "--mapper", "random", "--victory", "0",
                                       "--evaluations", "300000", "--threads", "1")
        termios.tcsetwinsize(terminal, (24, 200))
        self.read_until(terminal, r"\] \S+, best \S+ \SJ and [\d,]+ cycles, [\d.]+ (s|min) left, ([\d,]+ mappings/s, )?[\d,]+ mappings, [\d,]+ legal")
        process.send_signal(signal.SIGTERM)
        self.read_until(terminal, r"\r\x1b\[K")

    def test_errors_are_red_unless_no_color_says_otherwise(self):
        for variables, expected in [({"TERM": "xterm", "NO_COLOR": ""}, "\x1b[1;31merror:\x1b[0m no architecture"),
                                    ({"TERM": "xterm", "NO_COLOR": "1"}, "error: no architecture"),
                                    ({"TERM": "dumb", "NO_COLOR": ""}, "error: no architecture")]:
            with unittest.mock.patch.dict(os.environ, variables):
                process, terminal = self.start("map", "--net", "resnet18")
            self.assertIn(expected, self.read_until(terminal, "no architecture.*\n"))
            self.assertEqual(process.wait(), 2)

    def test_interrupt_writes_the_best_so_far(self):
        process, terminal = self.start(*self.endless())
        self.read_until(terminal, r"\[1/\d+\] conv1, best")
        process.send_signal(signal.SIGINT)
        said = self.read_until(terminal, r"error.*\n")
        self.assertEqual(process.wait(timeout=900), 130)
        self.assertRegex(said, r"interrupted before \d+ of 12 layer shapes were searched, layer\S+ the first of them")
        report = json.loads((self.folder / "out/report.json").read_text())
        self.assertTrue(report["interrupted"])
        self.assertEqual(report["layers"][0]["status"], "evaluated")
        self.assertEqual(report["layers"][-1]["failures"], ["interrupted before it was searched"])
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["mapping.yaml", "report.html", "report.json", "report.txt"])

    def test_a_second_interrupt_ends_it_at_once(self):
        process, terminal = self.start(*self.endless())
        self.read_until(terminal, r"\[1/")
        process.send_signal(signal.SIGSTOP)  # so that both arrive before it can answer the first
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertIn(process.wait(timeout=900), [-signal.SIGTERM, -signal.SIGINT, 130])


if __name__ == "__main__":
    unittest.main()
