"""SCALE-Sim's files: a machine, networks, and its cycles."""

import json
import re
import unittest

from program import Case, ROOT

MACHINE = ROOT / "examples/scalesim/machine.cfg"
CONVOLUTIONS = ROOT / "examples/scalesim/convolutions.csv"
PRODUCTS = ROOT / "examples/scalesim/products.csv"


def ceil_div(a, b):
    return -(-a // b)


class ScaleSim(Case):
    def counted(self, *arguments):
        result = self.run_program("evaluate", *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_cycles_of_every_dataflow(self):
        h, w, m, n, k = 12, 14, 128, 768, 768
        report = self.counted(MACHINE, PRODUCTS)
        self.assertEqual((report["account"], report["dataflow"]), ("scalesim", "ws"))
        layer = report["layers"][0]
        expected = {"os": ceil_div(m, h) * ceil_div(n, w) * (h + w + k - 2) - 1,
                    "ws": ceil_div(k, h) * ceil_div(n, w) * (2 * h + w + m - 2) - 1,
                    "is": ceil_div(k, h) * ceil_div(m, w) * (2 * h + w + n - 2) - 1}
        self.assertEqual(layer["cycles_by_dataflow"], expected)
        self.assertEqual(layer["cycles"], expected["ws"])
        self.assertEqual(report["totals"]["cycles"], sum(one["cycles"] for one in report["layers"]))

    def test_the_dataflow_of_the_file_counts(self):
        for dataflow in ("os", "ws", "is"):
            machine = self.write("m.cfg", MACHINE.read_text().replace("ws", dataflow))
            layer = self.counted(machine, CONVOLUTIONS)["layers"][1]
            self.assertEqual(layer["cycles"], layer["cycles_by_dataflow"][dataflow])
            self.assertEqual((layer["pixels"], layer["filters"], layer["window"]), (27 * 27, 256, 96 * 25))

    def test_networks_of_any_kind(self):
        report = self.counted(MACHINE, "--net", "mobilenetv2", "--account", "scalesim")
        self.assertTrue(any(layer["groups"] > 1 for layer in report["layers"]))
        text = self.run_program("evaluate", MACHINE, CONVOLUTIONS, "-o", "out")
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("without stalls", text.stdout)
        self.assertEqual(self.files(), ["out/report.json", "out/report.txt"])

    def test_a_machine_and_a_network_like_any_other(self):
        shown = self.run_program("show", MACHINE, CONVOLUTIONS)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for memory in ("ifmap_sram", "filter_sram", "ofmap_sram", "ifmap_register"):
            self.assertIn(memory, shown.stdout)
        for arguments in ((MACHINE, PRODUCTS), ("--arch", MACHINE, "--net", CONVOLUTIONS, "--layers", "conv2"),
                          ("--arch", "eyeriss", "--net", PRODUCTS)):
            result = self.run_program("map", *arguments, "--mapper", "hybrid", "--evaluations", "2000", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["layers"][0]["name"], "projection")

    def test_keys_that_change_nothing_are_named(self):
        machine = self.write("m.cfg", MACHINE.read_text().replace("ArrayWidth", "IfmapOffset: 0\nArrayWidth"))
        report = self.counted(machine, PRODUCTS)
        self.assertEqual(report["notes"], ["keys of SCALE-Sim that change nothing here: IfmapOffset (m.cfg:6)"])
        result = self.run_program("evaluate", machine, PRODUCTS, "--strict")
        self.assert_fails(result, 2, "m.cfg:6:1: error: 'IfmapOffset' of SCALE-Sim changes nothing here")

    def test_stalls_of_a_bandwidth_of_the_user(self):
        # SCALE-Sim's own test: its golden_trace_user_os has 52447 cycles, 42272 of them stalls.
        text = MACHINE.read_text().replace("CALC", "USER").replace("Dataflow", "Bandwidth: 10\nDataflow").replace("ws", "os")
        for key, value in (("ArrayHeight", 32), ("ArrayWidth", 32), ("IfmapSramSzkB", 64), ("FilterSramSzkB", 64), ("OfmapSramSzkB", 64)):
            text = re.sub(f"{key}:.*", f"{key}: {value}", text)
        machine = self.write("m.cfg", text)
        product = self.write("p.csv", "Layer, M, N, K,\nTest 1, 256, 128, 256,\n")
        report = self.counted(machine, product)
        layer = report["layers"][0]
        self.assertEqual((layer["cycles"], layer["stall_cycles"]), (52447, 42272))
        self.assertEqual(layer["cycles_by_dataflow"], {"os": 52447, "ws": 52447, "is": 19984})
        self.assertEqual((report["words_per_cycle"], report["totals"]["stall_cycles"]), (10, 42272))
        shown = self.run_program("evaluate", machine, product).stdout
        self.assertIn("with the stalls of memories of 10 words a cycle", shown)
        self.assertIn("42,272", shown)
        large = self.write("l.csv", "Layer, M, N, K,\nlarge, 1, 16384, 16384,\n")
        self.assert_fails(self.run_program("evaluate", machine, large), 2, "...layer 'large' has more")

    def test_columns_are_known_by_their_places(self):
        row = "a,32,48,3,3,1,16,1,\n"
        usual = self.write("u.csv", "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                                    "Num Filter, Strides,\n" + row)
        expected = self.counted(MACHINE, usual)["totals"]
        for name, header in [("twice.csv", "Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
                                           "Strides,\n"),
                             ("marked.csv", "\ufeffLayer name,\u00a0 IFMAP Height,\u00a0 IFMAP Width,\u00a0 Filter Height,"
                                            "\u00a0 Filter Width,\u00a0 Channels,\u00a0 Num Filter,\u00a0 Strides,\n")]:
            report = self.counted(MACHINE, self.write(name, header + row))
            self.assertEqual(report["totals"], expected)
            self.assertEqual(bool([note for note in report["notes"] if "read by place" in note]), name == "twice.csv")
        report = self.run_program("evaluate", MACHINE, self.write("c.csv", "LayerID, Total Cycles,\n0, 12,\n"))
        self.assert_fails(report, 2, "c.csv:1:1: error: a report that SCALE-Sim wrote, no topology")

    def test_mistakes(self):
        result = self.run_program("evaluate", "--arch", "eyeriss", "--net", PRODUCTS, "--account", "scalesim")
        self.assert_fails(result, 2, "...--account scalesim needs a machine of SCALE-Sim's")
        result = self.run_program("show", self.write("a.cfg", "[architecture_presets]\nArrayHeight: x\n"))
        self.assert_fails(result, 2, "a.cfg:2:14: error: 'ArrayHeight' is a whole number, found 'x'")
        result = self.run_program("evaluate", MACHINE, PRODUCTS, "--account", "exact")
        self.assert_fails(result, 2, "...no mapping")

    def test_public_configurations(self):
        shared = ROOT / "shared" if (ROOT / "shared").is_dir() else ROOT.parent / "shared"
        config = shared / "examples/real2/ss/eyeriss.cfg"
        if not config.is_file():
            self.skipTest("shared/examples/real2/ss is not here")
        result = self.run_program("show", config)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Bandwidth", result.stderr)
        self.assertEqual(self.counted(config, PRODUCTS)["array"], {"rows": 12, "columns": 14})


if __name__ == "__main__":
    unittest.main()
