"""tilewright llm: serving a language model."""

import csv
import io
import json
import unittest

from program import Case

LLAMA = ("llm", "--arch", "h100", "--net", "llama3-8b")


class Serving(Case):
    def served(self, *words):
        result = self.run_program(*LLAMA, *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_every_point_of_the_grid_is_there(self):
        points = self.served("--batch", "1,8", "--prompt", "512,2048", "--context", "8192")["points"]
        self.assertEqual([(one["phase"], one["batch"], one["tokens"], one["context"]) for one in points],
                         [("prefill", 1, 512, 0), ("prefill", 1, 2048, 0), ("prefill", 8, 512, 0), ("prefill", 8, 2048, 0),
                          ("decode", 1, 1, 8192), ("decode", 8, 1, 8192)])
        for one in points:
            self.assertAlmostEqual(one["tokens_per_second"] * one["seconds"], one["batch"] * one["tokens"], places=6)
            self.assertAlmostEqual(sum(bound["share"] for bound in one["bounds"]), 1.0, places=9)
            self.assertEqual(one["capacity_bytes"], 80e9)
        self.assertEqual(points[5]["cache_bytes"], 2 * 2 * 32 * 8 * 128 * 8193 * 8)

    def test_a_context_without_room_for_any_prompt(self):
        wrong = self.run_program(*LLAMA, "--prompt", "4096,8192", "--context", "10,4095")
        self.assert_fails(wrong, 2, "...--context 4095: the cache holds the prompt, too, and the shortest of --prompt has 4096 tokens")

    def test_without_a_context_decode_goes_on_after_each_prompt(self):
        points = self.served("--prompt", "100,200")["points"]
        self.assertEqual([one["context"] for one in points if one["phase"] == "decode"], [100, 200])

    def test_the_tables_fit_80_columns_and_say_whose_times(self):
        result = self.run_program(*LLAMA, "--batch", "1,64", "--prompt", "512,2048", "--context", "8192")
        tables = result.stdout.split("\n  note:")[0]
        self.assertLessEqual(max(map(len, tables.splitlines())), 80)
        self.assertIn("llama3-8b on h100, times: as built", tables)
        self.assertIn("106 %: too small", tables)  # 64 requests of 8,193 tokens do not fit beside the weights
        plain = self.run_program("llm", "--arch", "rtx4090", "--net", "llama3-8b", "--prompt", "16")
        self.assertIn("unknown", plain.stdout)

    def test_devices_share_blocks_and_sum_by_formula(self):
        one, two = (point for point in self.served("--tensor-parallel", "1,2", "--collective", "ring")["points"] if point["phase"] == "decode")
        self.assertEqual((one["collectives"], two["collectives"]), (0, 64))
        self.assertAlmostEqual(two["collective_seconds"] * 1e6, 64 * 2 * (1.0 + 4096 / 450e3), places=6)
        self.assertEqual(two["cache_bytes"] * 2, one["cache_bytes"])
        self.assertLess(two["seconds"], one["seconds"])

    def test_the_csv_has_a_row_for_each_point(self):
        result = self.run_program(*LLAMA, "--batch", "1,2", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([(row["phase"], row["batch"]) for row in rows],
                         [("prefill", "1"), ("prefill", "2"), ("decode", "1"), ("decode", "2")])

    def test_a_directory_gets_tables_numbers_a_page_and_curves(self):
        self.run_program(*LLAMA, "--batch", "1,8", "--prompt", "512,2048", "--context", "99,999", "-o", "out", "-q")
        self.assertEqual(self.files(), ["out/llm1.svg", "out/llm2.svg", "out/llm3.svg", "out/report.html", "out/report.json",
                                        "out/report.txt"])
        self.assertIn("tokens per second over the batch", (self.folder / "out/llm1.svg").read_text())

    def test_the_same_again_gives_the_same_bytes(self):
        first = self.run_program(*LLAMA, "--threads", "1", "--json").stdout
        self.assertEqual(first, self.run_program(*LLAMA, "--threads", "2", "--json").stdout)

    def test_what_is_asked_in_vain_is_said(self):
        for words, message in {
            ("--net", "resnet18"): "tilewright llm: error: 'resnet18' is no language model of the zoo",
            ("--net", "bert-base"): "error: network 'bert-base' is an encoder",
            (): "tilewright llm: error: which model",
            ("--net", "llama3-8b", "--batch", "0"): "tilewright llm: error: --batch takes whole numbers from 1 to",
            ("--net", "llama3-8b", "--batch", "1,1"): "tilewright llm: error: --batch: 1 stands there twice",
            ("--net", "llama3-8b", "--tensor-parallel", "16"): "error: 'llama3-8b' cannot be shared by 16 devices: rank 'h'",
        }.items():
            self.assert_fails(self.run_program("llm", "--arch", "h100", *words), 2, message)
        self.assert_fails(self.run_program("llm", "--arch", "rtx4090", "--net", "llama3-8b", "--tensor-parallel", "2"), 2,
                          "error: 2 devices need links between them: machine 'rtx4090' has no 'device:")
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "--latency", "physical"), 2,
                          "tilewright llm: error: --latency physical needs a machine with a section 'silicon'")
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "--attention", "masked"), 2,
                          "tilewright llm: error: --attention is about GPUs and TPUs as built")

    def test_the_section_device_is_read_where_it_stands(self):
        self.write("more.yaml", "device: {memory_bytes: -1}\n")
        self.assert_fails(self.run_program("llm", "--arch", "rtx4090", "--net", "llama3-8b", "more.yaml"), 2,
                          "more.yaml:1:24: error: expected a number above 0 [bad-value]")


if __name__ == "__main__":
    unittest.main()
