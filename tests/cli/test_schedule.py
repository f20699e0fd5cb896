"""schedule: results, files, the judge of written schedules, and mistakes."""

import csv
import io
import json
import re
import unittest

from program import Case, ROOT

try:
    import jsonschema
except ImportError:
    jsonschema = None

SMALL = ["--net", "resnet18", "--layers", "layer4.0.downsample,fc"]


class Schedule(Case):
    def test_layers_of_a_network(self):
        result = self.run_program("schedule", "--arch", "arch1", *SMALL, "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.files(), ["out/report.html", "out/report.json", "out/report.txt", "out/schedule.json",
                                        "out/trace/fc.json", "out/trace/layer4.0.downsample.json"])
        self.assertEqual((self.folder / "out/report.txt").read_text(), result.stdout)
        report = json.loads((self.folder / "out/report.json").read_text())
        for layer in report["layers"]:
            for what in ("latency_cycles", "traffic_bytes"):
                self.assertLessEqual(layer["bounds"][what], layer["schedule"][what])
            self.assertLessEqual(layer["schedule"]["objective"], layer["baseline"]["objective"])

    def test_a_written_schedule_is_checked(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "-o", "out")
        result = self.run_program("check", "out/schedule.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(len(re.findall(r"schedule of \S+: holds", result.stdout)), 2)

    def scheduled(self, *options):
        result = self.run_program("schedule", "--arch", "arch5", "--rule", "sum", "--no-cache", "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["layers"][0]

    def test_flexer_takes_every_tiling_and_ours_are_never_worse(self):
        layer = ["--net", "squeezenet", "--layers", "fire6.expand3x3"]
        flexer = self.scheduled(*layer, "--scheduler", "flexer")
        self.assertTrue(flexer["schedule"]["how"].startswith("list: "))
        done = flexer["flexer_search"]
        self.assertEqual((done["tilings"], done["tilings_left"]), (flexer["static_search"]["tilings"], 0))
        self.assertGreater(min(done["ruled_out"], done["schedules"], done["given_up"], done["alike"]), 0)
        alone = self.scheduled(*layer, "--scheduler", "flexer", "--threads", "1")
        self.assertEqual(alone, flexer)
        both = self.scheduled(*layer, "--scheduler", "both")
        self.assertEqual(both["flexer_search"], done)
        self.assertLessEqual(both["schedule"]["objective"], flexer["schedule"]["objective"])

    def test_rungs_of_the_baseline(self):
        quick = ["--net", "squeezenet", "--layers", "fire2.squeeze", "--tilings", "0"]
        rungs = [self.scheduled(*quick, "--baseline", rung)["baseline"]["objective"] for rung in ("first", "order", "regions", "exhaustive")]
        self.assertEqual(rungs, sorted(rungs, reverse=True))
        self.assertGreater(rungs[0], rungs[-1])

    def test_flexer_has_no_tilings_to_choose(self):
        for extra in (["--tilings", "5"], ["--beam", "2"], ["--as-published"]):
            result = self.run_program("schedule", "--arch", "arch1", *SMALL, "--scheduler", "flexer", *extra)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--scheduler flexer runs Algorithm 1 alone, on every tiling", result.stderr)

    def test_outputs_stay_for_the_layers_that_read_them(self):
        quick = ["--arch", "arch1", "--net", "squeezenet", "--rule", "sum", "--tilings", "0", "--no-cache"]
        alone = json.loads(self.run_program("schedule", *quick, "--json").stdout)
        result = self.run_program("schedule", *quick, "--keep-outputs", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("of 20 outputs that only later layers read stay in the scratchpad.", result.stdout)
        report = json.loads((self.folder / "out/report.json").read_text())
        staying, totals = report["staying"], report["totals"]
        self.assertGreaterEqual(len(staying["tensors"]), 10)
        for what in ("latency_cycles", "traffic_bytes"):
            self.assertEqual(staying["if_none_did"][what], alone["totals"][what])
            self.assertEqual(totals[f"baseline_{what}"], alone["totals"][f"baseline_{what}"])
            self.assertLess(totals[what], alone["totals"][what])
            self.assertLessEqual(staying["bounds_whatever_stays"][what], totals[what])
        checked = self.run_program("check", "out/schedule.json")
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertIn(f"outputs that stay: {len(staying['tensors'])} of 26 layers', and their places hold", checked.stdout)
        if jsonschema is not None:
            for document, name in (("report", "schedule-report-1"), ("schedule", "schedule-1")):
                schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
                jsonschema.validate(json.loads((self.folder / "out" / f"{document}.json").read_text()), schema, jsonschema.Draft7Validator)
        self.refused_when_corrupted()

    def refused_when_corrupted(self):
        schedules = json.loads((self.folder / "out/schedule.json").read_text())

        def moved(document):
            document["staying"][0]["address"] -= 1

        def forgotten(document):
            del document["staying"][0]

        def renamed(document):
            document["order"][1]["name"] = "elsewhere"

        def unordered(document):
            del document["order"], document["staying"]

        for corrupt, message in ((moved, "outputs that stay: order["), (forgotten, "no tensor is its output"),
                                 (renamed, "expected a name of its schedule that does not run elsewhere"),
                                 (unordered, "the layer keeps tensors: expected 'order' and 'staying' in the file")):
            document = json.loads(json.dumps(schedules))
            corrupt(document)
            self.write("bad.json", json.dumps(document))
            result = self.run_program("check", "bad.json")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(message, result.stdout + result.stderr)

    def test_operations_take_what_the_mapping_of_their_tile_takes(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "--core", "simba", "--tilings", "0", "--no-cache", "-o", "out", "-q")
        schedules = json.loads((self.folder / "out/schedule.json").read_text())
        entries = schedules["machine"]["mapped"]["tiles"]
        self.assertGreaterEqual(len(entries), 2)
        self.assertEqual(self.run_program("check", "out/schedule.json").returncode, 0)
        one = entries[0]
        one["cycles"] -= 1
        self.write("bad.json", json.dumps(schedules))
        self.assertIn("[wrong-duration]", self.run_program("check", "bad.json").stderr)
        del entries[0]
        self.write("bad.json", json.dumps(schedules))
        refused = self.run_program("check", "bad.json")
        self.assertIn("the file lists no cycles for a tile of", refused.stdout + refused.stderr)

    def test_a_machine_file_may_describe_its_cores(self):
        machine = '''multi_npu:
  name: mine
  cores: 2
  scratchpad_bytes: 262144
  dma: {bytes_per_cycle: 32}
  core:
    array: {in_channels: 32, out_channels: 32}
    architecture: simba
'''
        self.write("mine.yaml", machine)
        said = json.loads(self.run_program("schedule", "--arch", "mine.yaml", *SMALL, "--tilings", "0", "--json").stdout)
        option = json.loads(self.run_program("schedule", "--arch", "arch1", "--core", "simba", *SMALL, "--tilings", "0", "--json").stdout)
        self.assertEqual(said["machine"]["core"], option["machine"]["core"])
        self.assertEqual(said["totals"]["latency_cycles"], option["totals"]["latency_cycles"])
        self.write("mine.yaml", machine + "    fill_cycles: 3\n")
        self.assert_fails(self.run_program("schedule", "--arch", "mine.yaml", *SMALL), 2,
                          "mine.yaml:9:18: error: 'architecture' says how long an operation takes: leave out 'fill_cycles'")
        self.assert_fails(self.run_program("schedule", "--arch", "arch1", "--core", "simbaa", *SMALL), 2, "error: unknown architecture 'simbaa'")

    def test_every_tiling_by_itself(self):
        layer = ["--net", "resnet18", "--layers", "fc"]
        text = self.run_program("schedule", "--arch", "arch1", *layer, "--rule", "sum", "--every-tiling", "-o", "out").stdout
        self.assertRegex(text, r"fc: \d+ of \d+ tilings tried by themselves; the static order is better on \d+, the list scheduler on \d+")
        report = json.loads((self.folder / "out/report.json").read_text())
        one = report["layers"][0]
        tried = [tiling for tiling in one["tilings"] if tiling["static"]]
        self.assertGreaterEqual(len(tried), 50)
        for tiling in tried:
            for what in ("latency_cycles", "traffic_bytes"):
                for how in ("static", "list_scheduler"):
                    self.assertLessEqual(tiling["bounds"][what], tiling[how][what])
        product = lambda score: score["latency_cycles"] * score["traffic_bytes"]
        self.assertEqual(min(product(tiling["static"]) for tiling in tried), product(one["baseline"]))
        drawn = self.run_program("plot", "tilings", "out")
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertIn("Every tiling: fc", drawn.stdout)
        if jsonschema is not None:
            schema = json.loads((ROOT / "schemas/schedule-report-1.schema.json").read_text())
            jsonschema.validate(report, schema, jsonschema.Draft7Validator)
        self.assert_fails(self.run_program("schedule", "--arch", "arch1", *layer, "--every-tiling", "--keep-outputs"), 2,
                          "...--every-tiling is for layers by themselves")

    def test_nothing_stays_where_nobody_knows_who_reads_it(self):
        result = self.run_program("schedule", "--arch", "arch1", *SMALL, "--tilings", "0", "--keep-outputs")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("note: no output stays: the readers of results are unknown", result.stdout)

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is not installed")
    def test_documents_fit_the_published_schemas(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "--tilings", "1", "-o", "out", "-q")
        for document, name in (("report", "schedule-report-1"), ("schedule", "schedule-1")):
            schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
            jsonschema.Draft7Validator.check_schema(schema)
            written = json.loads((self.folder / "out" / f"{document}.json").read_text())
            jsonschema.validate(written, schema, jsonschema.Draft7Validator)

    def test_pictures(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "--tilings", "1", "-o", "out", "--svg", "out/svg", "-q")
        pictures = sorted(path.name for path in (self.folder / "out/svg").iterdir())
        self.assertEqual(pictures, ["fc-gantt.svg", "fc-scratchpad.svg", "layer4.0.downsample-gantt.svg", "layer4.0.downsample-scratchpad.svg",
                                    "operands.svg", "sharing.svg"])
        drawn = self.run_program("plot", "gantt", "out/schedule.json", "-n", "2")
        self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))
        self.assertEqual(drawn.stdout, (self.folder / "out/svg/fc-gantt.svg").read_text())
        self.assertIn("DMA 0", drawn.stdout)
        for kind in ("scheduled", "operands", "sharing"):
            self.assertEqual(self.run_program("plot", kind, "out").returncode, 0, kind)

    def test_pictures_alone(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "--tilings", "1", "--svg", "pictures", "-q")
        self.assertEqual(len(self.files()), 6)
        self.assertTrue(all(name.startswith("pictures/") for name in self.files()))

    def test_the_machine_is_changed_by_set(self):
        self.write("mine.yaml", (ROOT / "data/multi_npu/arch1.yaml").read_text()
                   .replace("cores: 2", "cores: 4").replace("scratchpad_bytes: 262144", "scratchpad_bytes: 524288"))
        quick = [*SMALL, "--tilings", "1", "--no-cache", "--json"]
        settings = ["--set", "cores=4", "--set", "scratchpad_bytes=512KiB"]
        by_set = json.loads(self.run_program("schedule", "--arch", "arch1", *quick, *settings).stdout)
        by_file = json.loads(self.run_program("schedule", "--arch", "mine.yaml", *quick).stdout)
        self.assertEqual((by_set["machine"]["cores"], by_set["machine"]["scratchpad_bytes"]), (4, 524288))
        self.assertEqual(by_set["machine"], by_file["machine"])
        self.assertEqual(by_set["layers"], by_file["layers"])
        as_it_is = json.loads(self.run_program("schedule", "--arch", "arch1", *quick).stdout)
        self.assertNotEqual(by_set["layers"], as_it_is["layers"])
        for setting, message in (("core=4", "--set core=4: error: unknown attribute 'core'; did you mean 'cores'?"),
                                 ("cores=0", "--set cores=0: error: expected a whole number of at least 1, found 0"),
                                 ("dma.bytes_per_cycle=4GB/s", "...takes whole bytes, as in 64B/cycle, found '4GB/s'")):
            self.assert_fails(self.run_program("schedule", "--arch", "arch1", *quick, "--set", setting), 2, message)

    def test_rows_for_spreadsheets(self):
        result = self.run_program("schedule", "--arch", "arch1", *SMALL, "-o", "out", "--csv", "-")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        report = json.loads((self.folder / "out/report.json").read_text())
        compared = 0
        for layer in report["layers"]:
            own = {row["schedule"]: row for row in rows if row["layer"] == layer["names"][0]}
            for kind, found in (("best", layer["schedule"]), ("baseline", layer["baseline"]), ("bound", layer["bounds"])):
                self.assertEqual([int(own[kind][what]) for what in ("latency_cycles", "traffic_bytes", "repeats")],
                                 [found["latency_cycles"], found["traffic_bytes"], layer["repeats"]])
                compared += 1
        self.assertGreaterEqual(compared, 6)

    def test_a_schedule_that_does_not_hold_is_not_drawn(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "--tilings", "1", "-o", "out", "-q")
        schedules = json.loads((self.folder / "out/schedule.json").read_text())
        schedules["layers"][0]["executions"][0]["core"] = 7  # of two
        self.write("broken.json", json.dumps(schedules))
        self.assert_fails(self.run_program("plot", "gantt", "broken.json"), 2, "...cannot be drawn")

    def test_the_same_answer_on_any_number_of_threads(self):
        one = self.run_program("schedule", "--arch", "arch1", *SMALL, "--json", "--threads", "1")
        two = self.run_program("schedule", "--arch", "arch1", *SMALL, "--json", "--threads", "3")
        self.assertEqual(one.stdout, two.stdout)

    def test_a_machine_from_a_file(self):
        self.write("small.yaml", "multi_npu:\n  name: small\n  cores: 2\n  scratchpad_bytes: 65536\n"
                                 "  dma: {bytes_per_cycle: 16}\n  core:\n    array: {in_channels: 16, out_channels: 16}\n")
        result = self.run_program("schedule", "--arch", "small.yaml", "--net", "resnet18", "--layers", "fc", "--rule", "sum")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("resnet18 on small", result.stdout)

    def test_channels_run_side_by_side_under_sum(self):
        """One operation of one cycle: 4 bytes of inputs, 16 of weights, 4 of outputs, one byte a cycle on each channel."""
        network = self.write("net.yaml", """network:
  version: 1
  name: one
  layers:
  - {name: c1, op: Conv, einsum: "Outputs[N, K, P, Q] += Weights[K, C, R, S] * Inputs[N, C, P + R, Q + S]",
     extents: {N: 1, K: 4, C: 4, P: 1, Q: 1, R: 1, S: 1}}
""")
        for channels, latency in ((1, 4 + 16 + 1 + 4), (2, 16 + 1 + 4)):
            machine = self.write("machine.yaml", f"""multi_npu:
  name: some_channels
  cores: 1
  scratchpad_bytes: 64
  dma: {{channels: {channels}, bytes_per_cycle: 1}}
  element_bytes: {{input: 1, weight: 1, output: 1, partial_sum: 2}}
  core: {{array: {{in_channels: 4, out_channels: 4}}, fill_cycles: 0}}
""")
            result = self.run_program("schedule", "--arch", machine, "--net", network, "--rule", "sum", "-o", f"out{channels}")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            layer = json.loads((self.folder / f"out{channels}/report.json").read_text())["layers"][0]
            self.assertEqual(layer["schedule"]["latency_cycles"], latency)
            self.assertLessEqual(layer["bounds"]["latency_cycles"], latency)
            transfers = json.loads((self.folder / f"out{channels}/schedule.json").read_text())["layers"][0]["transfers"]
            self.assertEqual(len({one["channel"] for one in transfers if one["start"] == 0}), channels)
            self.assertEqual(self.run_program("check", f"out{channels}/schedule.json").returncode, 0)

    def test_a_machine_with_a_latency_of_its_own(self):
        machine = ("multi_npu:\n  name: small\n  cores: 2\n  scratchpad_bytes: 65536\n  dma: {bytes_per_cycle: 16}\n"
                   "  core:\n    array: {in_channels: 16, out_channels: 16}\n    latency: %s\n")
        self.write("slow.yaml", machine % "1000 + ow * oh * ic * oc / 64")
        result = self.run_program("schedule", "--arch", "slow.yaml", "--net", "resnet18", "--layers", "fc", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads((self.folder / "out/schedule.json").read_text())["machine"]["latency"],
                         "1000 + ow * oh * ic * oc / 64")
        self.assertEqual(self.run_program("check", "out/schedule.json").returncode, 0)
        self.write("bad.yaml", machine % "ow * width")
        self.assert_fails(self.run_program("schedule", "--arch", "bad.yaml", "--net", "resnet18", "--layers", "fc"), 2,
                          "bad.yaml:8:14: error: the latency expression: expected a number")

    def test_what_was_found_is_kept(self):
        run = ["schedule", "--arch", "arch1", "--net", "resnet18", "--layers", "fc", "--json", "--cache", "kept"]
        first = self.run_program(*run)
        entries = [path for path in (self.folder / "kept").rglob("*") if path.is_file()]
        self.assertEqual(len(entries), 1)
        self.assertEqual(self.run_program(*run).stdout, first.stdout)
        text = entries[0].read_text()
        entries[0].write_text(text.replace('"core":0', '"core":1', 1))
        damaged = self.run_program(*run)
        self.assertEqual(damaged.stdout, first.stdout)
        self.assertIn("a damaged entry of the cache", damaged.stderr)

    def test_a_trace_has_a_track_per_core_and_channel(self):
        self.run_program("schedule", "--arch", "arch1", *SMALL, "-o", "out")
        events = json.loads((self.folder / "out/trace/fc.json").read_text())["traceEvents"]
        names = [event["args"]["name"] for event in events if event["ph"] == "M"]
        self.assertEqual(names, ["fc", "core 0", "core 1", "DMA 0"])
        self.assertEqual([event["args"]["in use"] for event in events if event["ph"] == "C"][-1], 0)

    def test_element_wise_layers_count_when_asked(self):
        run = ["schedule", "--arch", "arch1", "--net", "alexnet", "--tilings", "0", "--cache", "kept"]
        without = self.run_program(*run)
        self.assertIn("--with-elementwise counts 3 of them", without.stdout)
        with_them = self.run_program(*run, "--with-elementwise")
        self.assertIn("3 pooling and element-wise", with_them.stdout)
        self.assertNotIn("Left out", with_them.stdout)
        reports = [json.loads(self.run_program(*run, *more, "--json").stdout) for more in ([], ["--with-elementwise"])]
        operators = reports[1]["elementwise"]["operators"]
        self.assertEqual([one["name"] for one in operators], ["pool1", "pool2", "pool5"])
        self.assertEqual(operators[0]["read_bytes"], 64 * 55 * 55)
        moved = sum(one["read_bytes"] + one["written_bytes"] for one in operators)
        for total in ("traffic_bytes", "baseline_traffic_bytes", "traffic_bound_bytes"):
            self.assertEqual(reports[1]["totals"][total], reports[0]["totals"][total] + moved)

    def test_the_zoo_lists_the_machines(self):
        listed = self.run_program("show", "--zoo").stdout
        for i in range(1, 9):
            self.assertIn(f"arch{i} ", listed)

    def test_a_machine_of_the_zoo_is_shown(self):
        shown = self.run_program("show", "--arch", "arch6")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for words in ("arch6", "262144 bytes, shared", "1 channel, 64 bytes per cycle each", "partial sum 4",
                      "ceil(ic / 32) * ceil(oc / 32) * ow * oh * kw * kh + 0"):
            self.assertIn(words, shown.stdout)
        self.write("own.yaml", self.run_program("show", "--arch", "arch6", "--yaml").stdout)
        run = ["schedule", "--net", "resnet18", "--layers", "fc", "--tilings", "0", "--arch"]
        self.assertEqual(self.run_program(*run, "own.yaml").stdout, self.run_program(*run, "arch6").stdout)
        for more in (["--json"], ["--energies"], ["--net", "resnet18"], ["--set", "cores=3"]):
            with self.subTest(more=more):
                self.assert_fails(self.run_program("show", "--arch", "arch6", *more), 2,
                                  "tilewright show: error: 'arch6' is a machine of several cores: only --yaml goes with it")

    def test_mistakes_have_one_message(self):
        self.write("bad.yaml", "multi_npu:\n  name: bad\n  cores: 0\n")
        cases = [
            ([*SMALL], "tilewright schedule: error: no machine: give --arch arch1"),
            (["--arch", "arch9", *SMALL], "error: no machine with several cores is called 'arch9'; did you mean 'arch"),
            (["--arch", "bad.yaml", *SMALL], "bad.yaml:3:10: error: "),
            (["--arch", "arch1", *SMALL, "--objective", "energy"], "tilewright schedule: error: --objective takes latency"),
            (["--arch", "arch1", "--einsum", "O[m] += A[m,k]", "--extents", "m=4,k=4"],
             "error: layer 'einsum' cannot be scheduled: 'm' is no dimension of a convolution"),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                self.assert_fails(self.run_program("schedule", *arguments), 2, message)


if __name__ == "__main__":
    unittest.main()
