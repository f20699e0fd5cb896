"""The study of measured machines on a small scale: forms of files, errors, mappings of the chip, and whole runs on the recorded rows."""

import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

import study  # first: it knows where the others are
import accelerators
import errors
import eyeriss
import measured
import scatter
import serving

PROGRAM = os.environ.get("TILEWRIGHT", str(study.ROOT / "build" / "release" / "bin" / "tilewright"))
PROGRAMS = pathlib.Path(PROGRAM).resolve().parent
GOLDEN = study.ROOT / "tests" / "golden" / "silicon"


def needs(name):
    return unittest.skipUnless((PROGRAMS / name).exists(), f"needs {name}, which is not built")


class Errors(unittest.TestCase):
    def test_they_are_relative_to_what_was_measured(self):
        found = errors.summary([(100, 110), (100, 90), (100, 100), (100, 150)])
        self.assertAlmostEqual(found["median"], 0.10)
        self.assertAlmostEqual(found["worst"], 0.50)
        self.assertAlmostEqual(found["ninetieth"], 0.38)
        self.assertAlmostEqual(found["bias"], 0.05)

    def test_ranks(self):
        self.assertAlmostEqual(errors.rank_correlation([(1, 10), (2, 20), (3, 30)]), 1.0)
        self.assertAlmostEqual(errors.rank_correlation([(1, 3), (2, 2), (3, 1)]), -1.0)


class Forms(unittest.TestCase):
    def rows(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            return measured.rows_of(path)

    def test_layers_by_token(self):
        rows = self.rows("H100-8b-layers.csv", "layer_name,input,kv_cache,tp_size,latency(ns)\nk_proj,7,0,1,9000\nrope,2,0,1,1000\nattn,3,0,1,5\nx,1,0,1,1\n")
        self.assertEqual([row["kind"] for row in rows], ["matmul", "rope", "attention"])
        self.assertEqual(rows[0]["product"], {"rows": 7, "columns": 1024, "depth": 4096, "weights_resident": False})
        self.assertEqual(rows[0]["us"], 9.0)
        self.assertEqual(rows[1]["stream"]["bytes"], 20 * (4096 + 1024) * 2)

    def test_a_larger_model_is_read_off_the_name(self):
        rows = self.rows("A6000-llama-70b.csv", "layer_name,input,kv_cache,tp_size,latency(ns)\ngate_proj,1,0,1,9000\n")
        self.assertEqual(rows[0]["product"]["columns"], 28672)

    def test_tags_of_the_tpu_hold_what_they_hold(self):
        rows = self.rows("TPU-v6e.csv", "layer_name,input,kv_cache,tp_size,latency(ns)\ngate_proj,1,0,1,1\ndown_proj,5,0,1,1\nlm_head,1,0,1,1\n"
                                       "up_proj,400,0,1,1\ndown_proj,400,0,1,1\n")
        self.assertEqual([(row["layer"], row["product"]["columns"], row["product"]["depth"]) for row in rows],
                         [("gate_proj", 28672, 4096), ("down_proj", 4096, 28672), ("up_proj", 14336, 4096), ("down_proj", 4096, 14336)])

    def test_operators(self):
        rows = self.rows("matmul_A100.csv", "64, 12288, 12288, 0.1900ms, 101.7Tflops\n")
        self.assertEqual((rows[0]["tokens"], rows[0]["us"]), ([64, 12288, 12288], 190.0))
        long = self.rows("softmax_A100.csv", "10, 2048, 0.001\n")[0]["stream"]
        self.assertEqual((long["ideal_bytes"], long["repeated_bytes"]), (81920.0, 81920.0))

    def test_a_name_without_a_machine_is_refused(self):
        with self.assertRaises(SystemExit):
            measured.machine_of("rows.csv")


class Chip(unittest.TestCase):
    def test_mappings_use_the_units_that_the_chip_did(self):
        units = {"conv1": 154, "conv2": 140, "conv3": 156, "conv4": 156, "conv5": 156}  # conv2: 5 of them have nothing to do
        for name, layer in eyeriss.LAYERS.items():
            count = 1
            for _, kind, factors in eyeriss.mapping(layer, 4):
                for one in factors if kind == "spatial" else []:
                    count *= int(one.split("=")[1].split(",")[0])
            self.assertEqual(count, units[name], name)

    @needs("tilewright")
    def test_energies_are_those_of_the_figure(self):
        """ISCA 2016, Fig. 10: multipliers, DRAM and register files of conv3 and conv5, batch 16."""
        with tempfile.TemporaryDirectory() as folder:
            for name, printed in {"conv3": [2.39, 2.02, 9.57], "conv5": [1.20, 1.05, 4.78]}.items():
                found = eyeriss.components(eyeriss.evaluated(PROGRAM, folder, name, 16), eyeriss.LAYERS[name]["groups"])
                for value, expected in zip(found, printed):
                    self.assertAlmostEqual(value, expected, delta=0.02)


class Runs(unittest.TestCase):
    def run_study(self, *arguments):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            study.main(["--programs", str(PROGRAMS), "--out", folder, *arguments])
            files = sorted(path.name for path in pathlib.Path(folder).iterdir())
            return printed.getvalue(), files, json.loads((pathlib.Path(folder) / "results.json").read_text())

    @needs("silicon_gemmini")
    def test_gemminis_recorded_rows(self):
        printed, files, results = self.run_study("--rows", str(GOLDEN / "gemmini.csv"))
        self.assertIn("20 rows", printed)
        self.assertEqual(files, ["gemmini.svg", "results.json", "results.md"])
        self.assertLess(results["gemmini"]["predicted"]["median"], 0.05)
        self.assertGreater(results["gemmini"]["Timeloop"]["median"], 0.05)

    @needs("silicon_kernels")
    def test_a_few_products(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "matmul_MI210.csv"
            path.write_text("8192, 64, 64, 0.0337ms, 1Tflops\n64, 12288, 12288, 0.5584ms, 1Tflops\n8192, 12288, 12288, 20.7ms, 1Tflops\n")
            _, _, results = self.run_study("--rows", str(path))
        self.assertLess(results["MI210"]["products"]["calibrated"]["worst"], 0.08)  # of the launch's row, by which the roofline is judged
        self.assertGreater(results["MI210"]["products"]["roofline"]["worst"], 0.5)


class Serving(unittest.TestCase):
    LAYERS = {("q_proj", 100): 2.0, ("q_proj", 8): 1.0, ("attn", 100): 3.0, ("embedding", 100): 5.0, ("embedding", 8): 4.0,
              ("lm_head", 1): 7.0, ("lm_head", 8): 9.0}

    def test_sums_are_of_32_blocks_and_of_what_is_there_once(self):
        self.assertEqual(serving.measured_us(self.LAYERS, {}, "prefill", 1, 100), (32 * (2.0 + 3.0) + 5.0 + 7.0, True))
        self.assertEqual(serving.measured_us(self.LAYERS, {}, "decode", 8, 1), (32 * 1.0 + 4.0 + 9.0, False))
        kept = {(0, serving.KEPT, 8): 6.0, (100, 0, 1): 10.0}
        self.assertEqual(serving.measured_us(self.LAYERS, kept, "decode", 8, 1), (32 * (1.0 + 6.0) + 4.0 + 9.0, True))
        self.assertEqual(serving.measured_us(self.LAYERS, kept, "prefill", 1, 100), (32 * (2.0 + 10.0) + 5.0 + 7.0, True))

    def test_the_error_is_of_tokens_a_second(self):
        row = {"machine": "m", "phase": "decode", "batch": 8, "tokens": 1, "has_attention": False, "measured_us": 1000.0, "llm_us": 800.0,
               "software_measured_us": 900.0, "software_us": 1000.0}
        self.assertEqual(serving.line(row)[5:], ["8,000", "10,000", "+25 %", "-10 %"])

    @needs("tilewright")
    def test_the_machine_is_asked_at_every_point(self):
        points = serving.served(PROGRAM, "h100")
        self.assertEqual(len(points), len(serving.PROMPTS) + len(serving.BATCHES))
        self.assertTrue(all(point["seconds"] > point["attention_seconds"] > 0 for point in points))


class Pictures(unittest.TestCase):
    def test_a_scatter_plot_has_every_pair_and_three_lines(self):
        text = scatter.scatter("t", "us", {"a": [(1, 2), (10, 9)], "b": [(100, 90)]})
        self.assertEqual(text.count("<circle"), 3 + 2)
        self.assertEqual(text.count("<polyline"), 3)


SHARED = study.ROOT.parent / "shared/golden/silicon2"


class Accelerators(unittest.TestCase):
    """A sample of the measured kernels: what the machines' files claim, and what is left of it without their numbers."""

    @staticmethod
    def medians(folder, *options):
        """By machine: rows, median error of bfloat16 products under vLLM and TensorRT-LLM."""
        text = accelerators.table(str(PROGRAMS / "silicon_accelerators"), folder, ["--every", "60", "--kind", "products", *options])
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[2:]]
        return {cell[1]: (int(cell[3]), float(cell[4])) for cell in cells if cell[2].startswith("bfloat16, vLLM")}

    @needs("silicon_accelerators")
    @unittest.skipUnless(SHARED.exists(), "needs ../shared/golden/silicon2")
    def test_products_are_within_the_claims_and_not_without_form_and_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            accelerators.unpack(SHARED, pathlib.Path(folder))
            own, neither = self.medians(folder), self.medians(folder, "--without-form", "--blind")
        self.assertEqual(set(own), {"A100", "H100", "H200", "B200", "GB200"})
        for machine, (rows, median) in own.items():
            self.assertGreaterEqual(rows, 80)
            self.assertLess(median, 8.0, machine)
        denied = [machine for machine, (_, median) in neither.items() if median > 8.0]
        self.assertGreaterEqual(len(denied), 3)


if __name__ == "__main__":
    unittest.main()
