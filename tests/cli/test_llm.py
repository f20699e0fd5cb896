"""tilewright llm: serving a language model."""

import csv
import io
import json
import re
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
        self.assertIn("24.00 GB", plain.stdout)

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
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "--tensor-parallel", "2"), 2,
                          "error: 2 devices need links between them: machine 'eyeriss' has no 'device:")
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "--latency", "physical"), 2,
                          "tilewright llm: error: --latency physical needs a machine with a section 'silicon'")
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "--attention", "masked"), 2,
                          "tilewright llm: error: --attention is about GPUs and TPUs as built")

    def test_a_published_config_is_a_model(self):
        """Sizes by hand: 1,235,814,400 parameters and 16,384 words of cache a token."""
        sizes = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 32, "num_hidden_layers": 16,
                 "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256, "tie_word_embeddings": True}
        self.write("llama-3.2-1b.config.json", json.dumps(sizes))
        result = self.run_program("llm", "--arch", "h100", "--net", "llama-3.2-1b.config.json", "--batch", "2", "--prompt", "9", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        point = report["points"][1]
        self.assertEqual((report["network"], point["weight_bytes"], point["cache_bytes"]),
                         ("llama-3.2-1b", 2 * 1235814400, 2 * 2 * 10 * 16384))
        zoo = json.loads(self.run_program("llm", "--arch", "h100", "--net", "Llama-3.2-1B", "--batch", "2", "--prompt", "9", "--json").stdout)
        self.assertEqual(zoo["network"], "llama3.2-1b")
        self.assertEqual(zoo["points"], report["points"])
        self.write("other.json", json.dumps({**sizes, "model_type": "falcon"}))
        self.assert_fails(self.run_program("llm", "--arch", "h100", "--net", "other.json"), 2, "other.json:1:17: error: models of the family")

    def test_gpt_oss_keeps_windows(self):
        """By hand: 18 of 36 blocks keep 128 tokens, 18 keep all; 2 x 8 x 64 words of 16 bits for each token and block."""
        result = self.run_program("llm", "--arch", "h100", "--net", "openai/gpt-oss-120b", "--prompt", "4096", "--bits",
                                  "*experts*:Weights=4/32:8", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        prefill, decode = json.loads(result.stdout)["points"]
        self.assertEqual(decode["cache_bytes"], 2 * 2 * 8 * 64 * 18 * (128 + 4097))
        self.assertEqual(prefill["cache_bytes"], 2 * 2 * 8 * 64 * 18 * (128 + 4096))
        experts = 36 * 128 * 3 * 2880 * 2880
        self.assertEqual(decode["weight_bytes"], experts * 4.25 / 8 + 36 * 2880 * 128 * 4.25 / 8 + 2 * (116789050944 - experts - 36 * 2880 * 128))

    def test_any_cascade_with_a_cache_is_served(self):
        """One head that attends to what it keeps; by hand 64 + 64 words a token."""
        text = ("size b=@batch, m=@tokens, l=@all, d=256, e=64; weight q_w, k_w, v_w; cache K[b,l,e], V[b,l,e];\n"
                "input x[b,m,d]; q[b,m,e] += x[b,m,d] * q_w[d,e]; K[b,m+@context,e] += x[b,m,d] * k_w[d,e];\n"
                "V[b,m+@context,e] += x[b,m,d] * v_w[d,e]; s[b,m,l] += q[b,m,e] * K[b,l,e];\n"
                "online top[b,m], total[b,m] += softmax(s[b,m,l]);\n"
                "p[b,m,l] = exp(s[b,m,l] - top[b,m]) * total[b,m]; y[b,m,e] += p[b,m,l] * V[b,l,e];\n")
        self.write("own.cascade", text)
        result = self.run_program("llm", "--arch", "h100", "--net", "own.cascade", "--batch", "4", "--prompt", "100", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["network"], "own")
        self.assertEqual([point["cache_bytes"] for point in report["points"]], [2 * 4 * 128 * 100, 2 * 4 * 128 * 101])
        self.assertEqual(report["points"][0]["weight_bytes"], 2 * 3 * 256 * 64)
        self.write("fixed.cascade", text.replace("@context", "99"))
        self.assert_fails(self.run_program("llm", "--arch", "h100", "--net", "fixed.cascade"), 2,
                          "...has '@context' where its size stands; `map --fuse`")
        self.write("none.cascade", "size b=@batch, m=@tokens, d=4, e=4, c=@context; weight w[d,e], u[c];\n"
                                   "y[b,m,e] += x[b,m,d] * w[d,e]; z[b,c] = y[b,0,0] * u[c];\n")
        self.assert_fails(self.run_program("llm", "--arch", "h100", "--net", "none.cascade"), 2, "...the cascade has no cache")

    def test_gpus_have_links_and_power_limits(self):
        for machine in ("a100", "rtx4090", "mi210"):
            result = self.run_program("llm", "--arch", machine, "--net", "llama3-8b", "--tensor-parallel", "2", "--prompt", "2048", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
        report = self.served("--prompt", "2048")
        self.assertLessEqual(report["points"][0]["energy_pj"] * 1e-12 / report["points"][0]["seconds"], 700.0001)
        self.assertIn("1 of 2 points are at the power limit of 700.0 W", " ".join(report["notes"]))

    def test_on_a_systolic_machine_products_take_what_map_proves(self):
        """One block's products of 32 tokens, mapped one by one: what takes no product takes the plain model's time."""
        shapes = {(32, 4096, 4096): 2, (32, 4096, 1024): 2, (32, 4096, 14336): 2, (32, 14336, 4096): 1}
        cycles = 0
        for (rows, inner, columns), times in shapes.items():
            text = self.run_program("map", "--arch", "gemmini", "--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents",
                                    f"m={rows},k={inner},n={columns}", "--rename", "m=N,n=K,k=C,A=Inputs,B=Weights,O=Outputs",
                                    "--latency", "physical", "--objective", "latency").stdout
            cycles += times * int(re.search(r"latency +([\d,]+) cycles", text)[1].replace(",", ""))
        served = json.loads(self.run_program("llm", "--arch", "gemmini", "--net", "llama3-8b", "--prompt", "32", "--context", "64",
                                             "--json").stdout)["points"][0]
        in_products = sum(bound["share"] for bound in served["bounds"] if bound["bound"] in ("load", "array", "compute"))
        self.assertLess(32 * cycles, served["seconds"] * 1e9)
        self.assertLess(served["seconds"] * 1e9, 1.5 * 32 * cycles, in_products)

    def test_a_server_under_load(self):
        """The check values of the specification, through the program; fewer devices hold fewer requests."""
        words = ("llm", "--arch", "h200-sxm", "--net", "llama-3.1-70b", "--engine", "trtllm", "--arithmetic", "fp8", "--bits", "Cache=8",
                 "--prompt", "1024", "--outputs", "1024")
        result = self.run_program(*words, "--load", "64,fits", "--deploy", "tp4,tp4x2", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        cases = json.loads(result.stdout)["served"]["cases"]
        self.assertEqual([case["devices"] for case in cases], [4, 4, 8, 8])
        self.assertAlmostEqual(cases[0]["tpot_us"], 13459.1, delta=0.1)
        self.assertAlmostEqual(cases[0]["ttft_us"], 426027, delta=1)
        self.assertEqual(cases[1]["requests"] * 2, cases[3]["requests"])
        self.assertLess(cases[2]["tpot_us"], cases[0]["tpot_us"])
        table = self.run_program(*words, "--load", "64", "--deploy", "tp4").stdout
        self.assertIn("13.46 ms", table)

    def test_energy_of_groups_apart_is_that_of_all_devices(self):
        case = json.loads(self.run_program("llm", "--arch", "h100", "--net", "llama-3.1-8b", "--prompt", "1000", "--outputs", "200",
                                           "--deploy", "tp1+tp1x3", "--load", "8", "--json").stdout)["served"]["cases"][0]
        layouts = (case["layout"], case["prefill"])
        devices = [layout["tensor"] * layout["data"] * layout["pipeline"] * layout["groups"] for layout in layouts]
        self.assertEqual(sum(devices), 4)
        watts = case["watts"] * devices[0] + case["prefill_watts"] * devices[1]
        self.assertAlmostEqual(case["joules_per_token"] * case["tokens_per_second"], watts, delta=1e-6 * watts)
        self.assertLess(case["prefill_watts"], case["watts"] * 2)

    def test_the_best_server_is_no_worse_than_any_asked(self):
        words = ("llm", "--arch", "h100", "--net", "llama-3.1-8b", "--prompt", "1000", "--outputs", "200", "--json")
        best = json.loads(self.run_program(*words, "--devices", "4", "--best", "tpot<30ms,ttft<500ms").stdout)["served"]
        first = best["cases"][0]
        self.assertLess(first["tpot_us"], 30e3)
        self.assertLess(first["ttft_us"], 500e3)
        self.assertGreaterEqual(best["searched"]["deployments"], 15)
        for layout in ("tp1x4", "tp2x2", "tp4", "tp1+tp1x3"):
            for load in (8, 64, first["requests"]):
                one = json.loads(self.run_program(*words, "--deploy", layout, "--load", str(load)).stdout)["served"]["cases"][0]
                if one["tpot_us"] < 30e3 and one["ttft_us"] < 500e3 and one["requests"] <= one["most_requests"]:
                    self.assertLessEqual(one["tokens_per_second"], first["tokens_per_second"] * 1.000001, (layout, load))

    def test_requests_of_a_file_one_by_one(self):
        rows = ["input,output,arrival_s"] + [f"{200 + 37 * (i % 5)},{20 + i % 7},{0.01 * i}" for i in range(40)]
        self.write("requests.csv", "\n".join(rows) + "\n")
        words = ("llm", "--arch", "rtx4090", "--net", "llama-3.1-8b", "--engine", "vllm,places=16,step_tokens=512,blocks=100",
                 "--trace", "requests.csv")
        first = self.run_program(*words, "--json").stdout
        trace = json.loads(first)["served"]["trace"]
        self.assertEqual(len(trace["times"]), 40)
        self.assertTrue(all(one["first_s"] > asked["arrival_s"] for one, asked in zip(trace["times"], trace["requests"])))
        self.assertEqual(first, self.run_program(*words, "--json", "--threads", "1").stdout)
        self.assertEqual(len(self.run_program(*words, "--csv", "-").stdout.splitlines()), 41)

    def test_a_machine_of_ones_own_is_served_by_what_map_finds(self):
        words = ("llm", "--arch", "eyeriss", "--net", "own.cascade", "--prompt", "32", "--outputs", "8", "--json")
        self.write("own.cascade", "size b=@batch, m=@tokens, l=@all, d=64, e=16; weight q_w, k_w, v_w; cache K[b,l,e], V[b,l,e];\n"
                                  "input x[b,m,d]; q[b,m,e] += x[b,m,d] * q_w[d,e]; K[b,m+@context,e] += x[b,m,d] * k_w[d,e];\n"
                                  "V[b,m+@context,e] += x[b,m,d] * v_w[d,e]; s[b,m,l] += q[b,m,e] * K[b,l,e];\n"
                                  "online top[b,m], total[b,m] += softmax(s[b,m,l]);\n"
                                  "p[b,m,l] = exp(s[b,m,l] - top[b,m]) * total[b,m]; y[b,m,e] += p[b,m,l] * V[b,l,e];\n")
        result = self.run_program(*words, "--load", "1,4")
        self.assertEqual(result.returncode, 0, result.stderr)
        one, four = json.loads(result.stdout)["served"]["cases"]
        self.assertGreater(four["tpot_us"], one["tpot_us"])
        self.assertGreater(four["tokens_per_second"], 0)

    def test_einsums_share_loops(self):
        """Less than einsum by einsum, the same on any number of threads, and under load, too."""
        model = ("size b=@batch, m=@tokens, l=@all, d=16, e=8; weight q_w, k_w, v_w; cache K[b,l,e], V[b,l,e];\n"
                 "input x[b,m,d]; q[b,m,e] += x[b,m,d] * q_w[d,e]; K[b,m+@context,e] += x[b,m,d] * k_w[d,e];\n"
                 "V[b,m+@context,e] += x[b,m,d] * v_w[d,e]; s[b,m,l] += q[b,m,e] * K[b,l,e];\n"
                 "online top[b,m], total[b,m] += softmax(s[b,m,l]);\n"
                 "p[b,m,l] = exp(s[b,m,l] - top[b,m]) * total[b,m]; y[b,m,e] += p[b,m,l] * V[b,l,e];\n")
        self.write("own.cascade", model)
        words = ("llm", "--arch", "fused-npu", "--net", "own.cascade", "--prompt", "16", "--json")
        alone, fused = (json.loads(self.run_program(*words, *more).stdout) for more in ((), ("--fuse",)))
        for one, other in zip(alone["points"], fused["points"]):
            self.assertLessEqual(other["seconds"], one["seconds"])
            self.assertEqual(other["fused"]["unfused_seconds"], one["seconds"])
            self.assertLessEqual(other["fused"]["bound"], other["seconds"])
        self.assertLess(fused["points"][0]["seconds"], 0.98 * alone["points"][0]["seconds"])
        self.assertRegex(" ".join(fused["notes"]), r"fusion: less latency at \d of 2 points, by up to [\d.]+ %; \d of \d distinct parts proven")
        again = self.run_program(*words, "--fuse", "--threads", "1").stdout
        self.assertEqual(json.loads(again)["points"], fused["points"])
        load = ("--load", "2", "--outputs", "4")
        served = [json.loads(self.run_program(*words, *load, *more).stdout) for more in ((), ("--fuse",))]
        times = [[report["served"]["cases"][0][name] for name in ("tpot_us", "ttft_us")] for report in served]
        self.assertLess(times[1][0], times[0][0])
        self.assertLess(times[1][1], times[0][1])
        self.assertIn("fusion: less latency", " ".join(served[1]["notes"]))
        best = json.loads(self.run_program(*words, "--fuse", "--best", "ttft<1s", "--outputs", "4", "--engine", "none,places=2").stdout)["served"]
        self.assertGreater(best["cases"][0]["tokens_per_second"], 0)

    def test_the_section_device_is_read_where_it_stands(self):
        self.write("more.yaml", "device: {memory_bytes: -1}\n")
        self.assert_fails(self.run_program("llm", "--arch", "eyeriss", "--net", "llama3-8b", "more.yaml"), 2,
                          "more.yaml:1:24: error: expected a number above 0 [bad-value]")


if __name__ == "__main__":
    unittest.main()
