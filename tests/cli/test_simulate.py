"""simulate: a table, JSON, a trace and a picture; the same on any number of threads; bad input."""

import csv
import io
import json
import re
import signal
import unittest
import xml.dom.minidom

from program import Case, ROOT, Terminal

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = ["--arch", "simba-cosa", "--einsum", "Outputs[N,K] += Weights[K,C] * Inputs[N,C]", "--extents",
         "N=32,K=64,C=64", "--mesh", "4x4"]


class Simulate(Case):
    def simulate(self, *arguments):
        return self.run_program("simulate", *arguments)

    def test_a_given_mapping(self):
        self.assertEqual(self.run_program("map", *SMALL[:-2], "-o", "mapped", "-q").returncode, 0)
        result = self.simulate(*SMALL, "mapped/mapping.yaml", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        self.assertEqual(document["schema"], "tilewright-simulation/1")
        layer = document["layers"][0]
        self.assertEqual(layer["steps"], layer["steps_done"])
        self.assertGreaterEqual(layer["cycles"], layer["model_cycles"])
        elements = layer["elements"]
        self.assertAlmostEqual(sum(term["simulated_cycles"] for term in layer["terms"]), layer["cycles"])
        self.assertAlmostEqual(sum(term["model_cycles"] for term in layer["terms"]), layer["model_cycles"])
        self.assertEqual(sum(elements.values()) - elements["count"], layer["cycles"] * elements["count"])

    def test_a_searched_mapping_and_a_memory(self):
        result = self.simulate(*SMALL, "--dram", "ddr4-2400", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        layer = json.loads(result.stdout)["layers"][0]
        self.assertGreater(layer["dram"]["reads"], 0)
        self.assertGreater(layer["dram"]["energy_pj"], 0)

    def test_cosas_network(self):
        """A mapping that was given, or found: the same; its own DRAM, or another; what its elements did adds up."""
        words = [*SMALL, "--network", "cosa"]
        self.assertEqual(self.run_program("map", *SMALL[:-2], "--mapper", "cosa", "-o", "mapped", "-q").returncode, 0)
        result = self.simulate(*words, "mapped/mapping.yaml", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        self.assertIn("DDR2-667 (round-robin controller)", document["memory"])
        layer = document["layers"][0]
        self.assertEqual(json.loads(self.simulate(*words, "--mapper", "cosa", "--json").stdout)["layers"][0], layer)
        self.assertAlmostEqual(sum(term["simulated_cycles"] for term in layer["terms"]), layer["cycles"])
        elements = layer["elements"]
        self.assertEqual(sum(elements.values()) - elements["count"], layer["cycles"] * elements["count"])
        other = json.loads(self.simulate(*words, "mapped/mapping.yaml", "--dram", "ddr3-1600", "--json").stdout)
        self.assertIn("DDR3-1600 (round-robin controller)", other["memory"])
        self.assertNotEqual(other["layers"][0]["cycles"], layer["cycles"])
        self.assertEqual(self.simulate(*words, "mapped/mapping.yaml", "-o", "run", "-q").returncode, 0)
        self.assertIn("packets to", (next((self.folder / "run" / "trace").iterdir())).read_text())

    def test_a_controller_may_be_chosen(self):
        plain = ["--dram", "ddr3-1600"]
        cycles = {}
        for more in ([], ["--dram-controller", "first-ready"], ["--dram-controller", "round-robin"],
                     ["--dram-controller", "round-robin", "--dram-interleaving", "row-bank-column", "--row-policy", "closed"]):
            result = self.simulate(*SMALL, *plain, *more, "--json")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            document = json.loads(result.stdout)
            layer = document["layers"][0]
            cycles[len(more), "round-robin" in more] = (layer["cycles"], layer["dram"]["reads"])
            self.assertEqual(document["memory"], "DDR3-1600" + (" (round-robin controller)" if "round-robin" in more else ""))
        self.assertEqual(cycles[0, False], cycles[2, False])
        self.assertEqual(len(set(cycles.values())), 3)
        self.assertEqual(len({reads for _, reads in cycles.values()}), 1)

    def test_banks_only_take_time(self):
        layers = [json.loads(self.simulate(*SMALL, *more, "--json").stdout)["layers"][0]
                  for more in ([], ["--banks", "1"], ["--banks", "8"])]
        for layer in layers[1:]:
            self.assertEqual(layer["packets"], layers[0]["packets"])
            self.assertGreaterEqual(layer["cycles"], layers[0]["cycles"])
            self.assertAlmostEqual(sum(term["simulated_cycles"] for term in layer["terms"]), layer["cycles"])
        self.assertNotIn("bank_conflicts", layers[0])

    def test_the_term_that_was_underestimated_is_named(self):
        layer = json.loads(self.simulate(*SMALL, "--flit-bits", "8", "--json").stdout)["layers"][0]
        self.assertEqual(layer["underestimated"], "draining")
        self.assertIn("  draining, ", self.simulate(*SMALL, "--flit-bits", "8").stdout)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_json_fits_the_published_schema(self):
        schema = json.loads((ROOT / "schemas" / "simulation-1.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        for more in ([], ["--dram", "ddr4-2400"], ["--banks", "1"]):
            jsonschema.validate(json.loads(self.simulate(*SMALL, *more, "--json").stdout), schema, jsonschema.Draft7Validator)

    def test_reduction_in_the_network(self):
        chain, tree = (json.loads(self.simulate(*SMALL, *more, "--json").stdout)["layers"][0] for more in ([], ["--reduce-in-network"]))
        self.assertEqual(tree["steps_done"], chain["steps_done"])
        self.assertEqual(tree["elements"]["computing_cycles"], chain["elements"]["computing_cycles"])

    def test_threads_change_nothing(self):
        both = [self.simulate(*SMALL, "--json", "--threads", threads).stdout for threads in ("1", "2")]
        self.assertEqual(both[0], both[1])

    def test_files(self):
        result = self.simulate(*SMALL, "-o", "out", "-q")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        names = self.files()
        self.assertEqual([name.split("/")[1] for name in names], ["links", "report.html", "simulation.json", "simulation.txt", "trace"])
        trace = json.loads((self.folder / names[-1]).read_text())
        self.assertTrue(any(event["ph"] == "X" for event in trace["traceEvents"]))
        self.assertTrue(any(event["ph"] == "C" for event in trace["traceEvents"]))
        ends = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":  # one after the other: a viewer shows one at a time
                self.assertGreaterEqual(event["ts"], ends.get(event["tid"], 0))
                ends[event["tid"]] = event["ts"] + event["dur"]
        tracks = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"]
        elements = [name for name in tracks if name.startswith("element ")]
        self.assertEqual(elements, tracks[-len(elements):])
        picture = (self.folder / names[0]).read_text()
        xml.dom.minidom.parseString(picture)
        for text in ("<title>into outermost memory: ", "<title>element (0,0) to element (1,0): ", ">GlobalBuffer</text>", ">100 %</text>"):
            self.assertIn(text, picture)

    def test_bad_input(self):
        usage = [
            (["--dram", "ddr4-2401"], "there is no device 'ddr4-2401'; did you mean 'ddr4-2400'?"),
            (["--dram", "ddr4-2400", "--dram-channels", "3"], "has to be a power of two, not 3"),
            (["--dram-channels", "2"], "--dram-channels goes with --dram"),
            (["--banks", "0"], "--banks takes a whole number from 1 to 1000000, found '0'"),
            (["--banks", "5000"], "a memory has 1 to 4096 banks, not 5000"),
            (["--row-policy", "closed"], "--row-policy goes with --dram"),
            (["--dram-controller", "round-robin"], "goes with --dram"),
            (["--dram-interleaving", "four-accesses"], "goes with --dram"),
            (["--dram", "ddr4-2400", "--dram-controller", "fcfs"], "first-ready"),
            (["--dram", "hbm2-2000", "--dram-controller", "round-robin"],
             "the round-robin controller gives one command per clock, which HBM2-2000 is not made for"),
            (["--packet-flits", "9"], "a packet of 9 flits does not fit a buffer of 8"),
            (["--virtual-channels", "13"], "1 to 12 virtual channels, not 13"),
            (["--mesh", "3x4"], "--mesh: the array has 16 elements, and 3x4 nodes are 12"),
            (["--mesh", "4"], "--mesh takes COLUMNSxROWS, such as 4x4, not '4'"),
            (["--flit-bits", "0"], "--flit-bits takes a whole number from 1"),
        ]
        for arguments, message in usage:
            self.assert_fails(self.simulate(*SMALL[:-2], *arguments), 2, "..." + message)
        text = (ROOT / "data" / "dram" / "ddr4-2400.yaml").read_text()
        refresh = int(re.search(r"\brefresh: (\d+)", text)[1])
        device = self.write("device.yaml", re.sub(r"refresh_interval: \d+", f"refresh_interval: {refresh + 1}", text))
        self.assert_fails(self.simulate(*SMALL, "--dram", device), 2,
                          "...the refreshes of DDR4-2400 leave no time for accesses: refresh_interval is")
        device = self.write("device.yaml", "name: x\ncommand_bus: double\n")
        self.assert_fails(self.simulate(*SMALL, "--dram", device), 2, "device.yaml:2:14: error: expected single")


    def test_csv(self):
        result = self.simulate(*SMALL, "--csv", "terms.csv", "-o", "run")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO((self.folder / "terms.csv").read_text())))
        layer, = json.loads((self.folder / "run" / "simulation.json").read_text())["layers"]
        self.assertEqual([row["term"] for row in rows], [term["term"] for term in layer["terms"]])
        self.assertAlmostEqual(sum(float(row["simulated_cycles"]) for row in rows), layer["cycles"])
        self.assertAlmostEqual(sum(float(row["model_cycles"]) for row in rows), layer["model_cycles"])
        self.assertEqual(self.simulate(*SMALL, "--csv", "-").stdout, (self.folder / "terms.csv").read_text())
        self.assert_fails(self.simulate(*SMALL, "--csv", "-", "--json"), 2, "...--json and --csv - both want standard output")


class Compared(Case):
    """compare: model and simulation side by side."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_program("map", *SMALL[:-2], "-o", "mapped", "-q").returncode, 0)

    def compare(self, *arguments):
        return self.run_program("compare", *arguments)

    def simulated(self, folder, *more):
        self.assertEqual(self.run_program("simulate", *SMALL, "mapped/mapping.yaml", *more, "-o", folder, "-q").returncode, 0)
        return json.loads((self.folder / folder / "simulation.json").read_text())["layers"][0]

    def test_mappings_are_simulated(self):
        given = ["--simulate", *SMALL, "mapped/mapping.yaml", "--flit-bits", "8"]
        result = self.compare(*given)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(self.compare(*given, "--json").stdout)
        layer = document["layers"][0]
        # A run of which a picture is made does not jump over what repeats itself.
        self.assertEqual({**layer, "extrapolated": False}, self.simulated("run", "--flit-bits", "8"))
        self.assertEqual(document["provenance"]["command"], "compare")
        if jsonschema is not None:
            schema = json.loads((ROOT / "schemas" / "simulation-1.schema.json").read_text())
            jsonschema.validate(document, schema, jsonschema.Draft7Validator)
        most = next(term for term in layer["terms"] if term["term"] == layer["underestimated"])
        beyond = most["simulated_cycles"] - most["model_cycles"]
        self.assertRegex(result.stdout, fr"{layer['model_cycles']:,} +{layer['cycles']:,} +{layer['cycles'] / layer['model_cycles']:.2f} +"
                                        fr"{most['term']}, {100 * beyond / layer['cycles']:.1f} %")
        for term in layer["terms"]:
            if term["simulated_cycles"] >= 0.5:
                self.assertRegex(result.stdout, fr"{term['term']} +[0-9,]+ +{round(term['simulated_cycles']):,} +[+-]?[0-9,]+\n")

    def test_what_map_and_simulate_wrote(self):
        layer = self.simulated("run")
        for given in (["run"], ["mapped", "run"], ["mapped/report.json", "run/simulation.json"]):
            result = self.compare(*given)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, fr"{layer['model_cycles']:,} +{layer['cycles']:,} ")
            self.assertNotIn("note:", result.stdout)

    def test_several_simulations(self):
        layers = [self.simulated("wide", "--flit-bits", "128"), self.simulated("narrow", "--flit-bits", "16")]
        result = self.compare("wide", "narrow")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, "model +wide +ratio +underestimated +narrow +ratio +underestimated")
        self.assertRegex(result.stdout, fr"{layers[0]['model_cycles']:,} +{layers[0]['cycles']:,} .* {layers[1]['cycles']:,} ")

    def test_a_report_of_another_mapping_is_named(self):
        self.simulated("run")
        self.assertEqual(self.run_program("map", *SMALL[:-2], "--mapper", "random", "--evaluations", "1", "--seed", "3", "-o", "other",
                                          "-q").returncode, 0)
        self.assertIn("another mapping, or another accounting", self.compare("other", "run").stdout)

    def test_replayed_schedules(self):
        self.assertEqual(self.run_program("schedule", "--arch", "arch1", "--net", "resnet18", "--layers", "fc", "--tilings", "4", "-o", "out",
                                          "-q").returncode, 0)
        self.assertEqual(self.run_program("simulate", "out", "--dram", "ddr4-2400", "-o", "run", "-q").returncode, 0)
        layer = json.loads((self.folder / "run/simulation.json").read_text())["layers"][0]
        result = self.compare("run")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, fr"fc +1 +{layer['scheduled_cycles']:,} +{layer['cycles']:,} .*{layer['underestimated']}")

    def test_bad_input(self):
        given = [*SMALL, "mapped/mapping.yaml"]
        usage = [
            (given, "--mesh is for --simulate: nothing else here is simulated"),
            ([*SMALL, "--simulate"], "no mapping: give a file with 'mapping'"),
            ([*given, "--simulate", "--account", "timeloop"], "leave out the other comparisons"),
            ([*given, "--simulate", "--csv", "-"], "leave out the other comparisons"),
            ([*given, "--simulate", "--dram", "ddr4-2401"], "did you mean 'ddr4-2400'?"),
            (["mapped"], "takes at least two runs, or one that was simulated"),
            (["mapped", "mapped", "--simulate"], "whole runs (report.json) are compared as text"),
        ]
        for arguments, message in usage:
            self.assert_fails(self.compare(*arguments), 2, "..." + message)


class Schedules(Case):
    """simulate schedule.json: schedules for several cores, on a memory as it is."""

    def setUp(self):
        super().setUp()
        self.made = self.run_program("schedule", "--arch", "arch1", "--net", "resnet18", "--layers", "layer4.0.downsample,fc", "--tilings",
                                     "4", "-o", "out", "-q")
        self.assertEqual(self.made.returncode, 0)
        self.schedule = json.loads((self.folder / "out/schedule.json").read_text())

    def replayed(self, *arguments):
        result = self.run_program("simulate", *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        if jsonschema is not None:
            schema = json.loads((ROOT / "schemas" / "schedule-replay-1.schema.json").read_text())
            jsonschema.Draft7Validator.check_schema(schema)
            jsonschema.validate(document, schema, jsonschema.Draft7Validator)
        return document

    def test_an_ideal_memory_takes_what_the_schedule_says(self):
        document = self.replayed("out/schedule.json")
        self.assertEqual(len(document["layers"]), 2)
        for layer, said in zip(document["layers"], self.schedule["layers"]):
            self.assertEqual(layer["names"], said["names"])
            self.assertEqual(layer["cycles"], said["latency_cycles"])
            self.assertEqual(layer["ideal_cycles"], said["latency_cycles"])
            self.assertIsNone(layer["underestimated"])
            self.assertEqual(sum(layer["moved_bytes"].values()), said["traffic_bytes"])
            self.assertEqual(layer["path"]["memory_cycles"] + layer["path"]["draining_cycles"], 0)

    def test_a_dram_takes_longer_and_moves_the_same(self):
        rows = self.replayed("out", "--dram", "ddr4-2400")
        tiles = self.replayed("out", "--dram", "ddr4-2400", "--layout", "tiles", "--clock", "0.5")
        for document in (rows, tiles):
            for layer, said in zip(document["layers"], self.schedule["layers"]):
                self.assertGreater(layer["cycles"], said["latency_cycles"])
                self.assertEqual(sum(layer["moved_bytes"].values()), said["traffic_bytes"])
                self.assertEqual(sum(layer["path"].values()), layer["cycles"])
                self.assertAlmostEqual(sum(term["simulated_cycles"] for term in layer["terms"]), layer["cycles"])
                self.assertRegex(layer["underestimated"], "^DDR4-2400 ")
                self.assertEqual(sum(layer["cores"].values()) - layer["cores"]["count"], layer["cycles"] * layer["cores"]["count"])
                accesses = (layer["dram"]["reads"] + layer["dram"]["writes"]) * layer["dram"]["access_bytes"]
                self.assertGreaterEqual(accesses, said["traffic_bytes"])
        self.assertEqual((tiles["clock_ghz"], tiles["layout"], tiles["memory"]), (0.5, "tiles", "DDR4-2400"))

    def test_outputs_that_stay(self):
        made = self.run_program("schedule", "--arch", "arch1", "--net", "squeezenet", "--rule", "sum", "--tilings", "0", "--keep-outputs",
                                "-o", "kept", "-q")
        self.assertEqual(made.returncode, 0)
        said = json.loads((self.folder / "kept/schedule.json").read_text())["layers"]
        for layer, one in zip(self.replayed("kept")["layers"], said):
            self.assertEqual(layer["cycles"], one["latency_cycles"])

    def test_csv(self):
        result = self.run_program("simulate", "out", "--dram", "ddr4-2400", "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        for layer in self.replayed("out", "--dram", "ddr4-2400")["layers"]:
            terms = [row for row in rows if row["layer"] == layer["names"][0]]
            self.assertEqual([row["term"] for row in terms], [term["term"] for term in layer["terms"]])
            self.assertAlmostEqual(sum(float(row["simulated_cycles"]) for row in terms), layer["cycles"])
            self.assertEqual({(row["architecture"], row["memory"], int(row["repeats"])) for row in terms},
                             {("arch1", "DDR4-2400", layer["repeats"])})

    def test_files(self):
        result = self.run_program("simulate", "out", "--dram", "lpddr5-6400", "-o", "run")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = [name for name in self.files() if name.startswith("run/")]
        self.assertEqual(names, ["run/report.html", "run/simulation.json", "run/simulation.txt", "run/trace/fc.json",
                                 "run/trace/layer4.0.downsample.json"])
        self.assertEqual((self.folder / "run/simulation.txt").read_text(), result.stdout)
        self.assertIn("replayed with LPDDR5-6400 at 1 GHz", result.stdout)
        layer = json.loads((self.folder / "run/simulation.json").read_text())["layers"][0]
        trace = json.loads((self.folder / "run/trace" / (layer["names"][0] + ".json")).read_text())
        spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(len(spans), layer["steps"])
        self.assertEqual(max(event["ts"] + event["dur"] for event in spans), layer["cycles"] - layer["path"]["draining_cycles"])

    def test_threads_change_nothing(self):
        both = [self.run_program("simulate", "out", "--dram", "ddr3-1600", "--json", "--threads", threads).stdout for threads in ("1", "2")]
        self.assertEqual(both[0], both[1])

    def test_bad_input(self):
        usage = [
            (["out", "--arch", "simba"], "--arch is for mappings: a schedule says what runs on which machine"),
            (["out", "--mesh", "4x4"], "--mesh is for mappings"),
            (["out", "--clock", "2"], "--clock goes with --dram"),
            (["out", "--dram", "ddr4-2400", "--clock", "0"], "the clock has to be at least 0.001 and at most 100 GHz"),
            (["out", "--dram", "ddr4-2400", "--clock", "1e-9"], "the clock has to be at least 0.001 and at most 100 GHz"),
            (["out", "other.yaml"], "a schedule is replayed alone"),
            (["out", "-o", "out"], "-o: the traces of 'out/schedule.json' are in that folder; give another"),
            ([*SMALL[:-2], "--layout", "tiles"], "--layout goes with --dram"),
        ]
        for arguments, message in usage:
            self.assert_fails(self.run_program("simulate", *arguments), 2, "..." + message)
        self.assert_fails(self.run_program("simulate", "out/trace"), 2,
                          "out/trace: error: a folder without schedule.json, which schedule -o writes")
        self.schedule["layers"][0]["transfers"][0]["end"] += 1
        self.write("bad.json", json.dumps(self.schedule))
        self.assert_fails(self.run_program("simulate", "bad.json"), 2, "bad.json:1:")
        self.assertIn("this schedule cannot be replayed: transfers[0]", self.run_program("simulate", "bad.json").stderr)


class Refined(Case):
    """map --refine simulate: the best mappings around the search's answer are simulated."""

    LAYER = ["--arch", "simba", "--net", "resnet50", "--layers", "layer2.0.conv1"]

    def refined(self, *arguments):
        return self.run_program("map", *self.LAYER, "--refine", "simulate", *arguments)

    def test_the_choice_is_better_and_claims_nothing(self):
        result = self.refined("--candidates", "6", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        layer = document["layers"][0]
        refinement = layer["refinement"]
        candidates = refinement["candidates"]
        chosen = candidates[refinement["choice"]]
        own = candidates[0]
        self.assertLessEqual(len(candidates), 6)
        self.assertGreater(refinement["choice"], 0)
        cost = lambda one: one["energy_pj"] * one["simulated_cycles"]
        self.assertEqual(cost(chosen), min(cost(one) for one in candidates if one["simulated_cycles"] is not None))
        self.assertAlmostEqual(refinement["gain"], 1 - cost(chosen) / cost(own))
        self.assertEqual(layer["mapping"], chosen["mapping"])
        self.assertEqual(layer["evaluation"]["cycles"], chosen["cycles"])
        self.assertFalse(layer["search"]["proven"])
        self.assertRegex(layer["search"]["claim"], "^the best of [2-6] simulated mappings, without a proof")
        self.assertEqual(document["provenance"]["options"]["candidates"], "6")
        if jsonschema is not None:
            schema = json.loads((ROOT / "schemas" / "report-2.schema.json").read_text())
            jsonschema.validate(document, schema, jsonschema.Draft7Validator)

    def test_simulate_finds_the_same_cycles(self):
        self.assertEqual(self.refined("-o", "refined", "-q").returncode, 0)
        self.assertNotIn("certificate.json", [name.split("/")[-1] for name in self.files()])
        layer = json.loads((self.folder / "refined" / "report.json").read_text())["layers"][0]
        chosen = layer["refinement"]["candidates"][layer["refinement"]["choice"]]
        again = self.run_program("simulate", *self.LAYER, "refined/mapping.yaml", "--json")
        self.assertEqual(json.loads(again.stdout)["layers"][0]["cycles"], chosen["simulated_cycles"])

    def test_an_answer_that_stays_keeps_its_proof(self):
        result = self.refined("--candidates", "1", "--json")
        layer = json.loads(result.stdout)["layers"][0]
        self.assertEqual(layer["refinement"]["choice"], 0)
        self.assertTrue(layer["search"]["proven"])

    def test_threads_change_nothing(self):
        both = [self.refined("--json", "--threads", threads).stdout for threads in ("1", "2")]
        self.assertEqual(both[0], both[1])

    def test_what_does_not_go_together(self):
        mapped = lambda *arguments: self.run_program("map", *self.LAYER, *arguments)
        usage = [
            (["--dram", "ddr4-2400"], "--dram is for --refine simulate"),
            (["--row-policy", "open"], "--row-policy goes with --dram"),
            (["--candidates", "3"], "--candidates is for --refine"),
            (["--refine", "simulate", "--candidates", "0"], "--candidates takes a whole number from 1 to 1000, found '0'"),
            (["--refine", "simulate", "--objective", "pareto"], "simulated mappings are ranked by one number"),
            (["--refine", "simulate", "--certificate", "c.json"], "a simulated choice has no proof to check"),
            (["--refine", "measure"], "simulate"),
        ]
        for arguments, message in usage:
            self.assert_fails(mapped(*arguments), 2, "..." + message)


class Interrupted(Terminal):
    """A simulation of hours, stopped when it has begun."""

    def test_it_says_how_far_it_came(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, terminal = self.start("simulate", *SMALL[:4], "--extents", "N=4096,K=4096,C=4096", "--mesh", "4x4", "--mapper",
                                           "cosa", "--every-iteration", "--no-cache", "--json")
            self.read_until(terminal, "step [1-9][0-9]* of")
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=900), 130)
            layer = json.loads((self.folder / "stdout").read_text())["layers"][0]
            self.assertGreater(layer["steps_done"], 0)
            self.assertLess(layer["steps_done"], layer["steps"])


if __name__ == "__main__":
    unittest.main()
