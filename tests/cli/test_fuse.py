"""`map --fuse`: proven answers that `evaluate --fused-mapping` confirms, and what the search refuses to read over."""

import csv
import io
import json
import re
import unittest

from program import ROOT, Case

EXAMPLES = ROOT / "examples/fusion"

EINSUM = "first: B[m,k] += A[m,e] * V[e,k]; second: C[m,n] += B[m,k] * W[k,n]"
CASCADE = ("--arch", "fused-npu", "--set", "buffer.depth=2048", "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16")


class Fuse(Case):
    def fuse(self, *more):
        result = self.run_program("map", "--fuse", *CASCADE, *more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_the_answer_costs_what_evaluate_says(self):
        """The tree is written as text that `evaluate` takes; fusing two products spares the words between them."""
        text = self.fuse("--objective", "energy", "-o", "out")
        self.assertIn("proven: no fused mapping of the space has a lower energy", text)
        judged = self.evaluate("out/mapping.fused")
        dram = {one["name"]: one for one in judged["memories"][0]["tensors"]}
        self.assertNotIn("B", dram)
        self.assertEqual(dram["A"]["reads"], 64 * 16)
        ways = self.ways(json.loads(self.fuse("--objective", "energy", "--json")))
        self.assertEqual(judged["totals"]["energy_pj"], ways["fused"]["energy_pj"])
        self.assertEqual(judged["totals"]["cycles"], ways["fused"]["cycles"])

    def test_an_outermost_memory_with_room_for_all_is_taken(self):
        """A 64 x 16, V 16 x 32, W 32 x 16, B 64 x 32 and C 64 x 16 words: 5,120."""
        text = (ROOT / "data/arch/fused-npu.yaml").read_text()
        for depth, taken in ((5120, True), (5119, False)):
            machine = self.write(f"m{depth}.yaml", re.sub(r"(class: DRAM\n +attributes: \{)", rf"\g<1>depth: {depth}, ", text))
            result = self.run_program("map", "--fuse", "--arch", machine, *CASCADE[2:], "--objective", "energy")
            self.assertEqual(result.returncode, 0 if taken else 2, result.stderr)
            if taken:
                self.assertEqual(result.stdout.splitlines()[3:], self.fuse("--objective", "energy").splitlines()[3:])
            else:
                self.assertIn("the outermost memory, is limited", result.stderr)

    def test_words_have_widths_of_their_own(self):
        """Proven, and evaluate says the same: B is stored once, as wide as first's Outputs, whatever second reads it as."""
        wide = self.ways(json.loads(self.fuse("--objective", "energy", "--json")))
        bits = ("--bits", "Weights=4,Inputs=8,Outputs=8")
        found = json.loads(self.fuse("--objective", "energy", "--json", "-o", "out", *bits))
        self.assertTrue(found["proven"])
        self.assertEqual(found["provenance"]["options"]["bits"], bits[1])
        ways = self.ways(found)
        result = self.run_program("evaluate", *CASCADE, *bits, "--fused-mapping", "out/mapping.fused", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        judged = json.loads(result.stdout)
        for what in ("energy_pj", "cycles"):
            self.assertEqual(judged["totals"][what], ways["fused"][what])
        # A 64 x 16 and C 64 x 16 at half a word, V and W 16 x 32 at a quarter, of 200 pJ each.
        dram = next(one for one in ways["every word once"]["memories"] if one["memory"] == "DRAM")
        self.assertEqual(dram["energy_pj"], 200 * (2 * 64 * 16 / 2 + 2 * 16 * 32 / 4))
        self.assertLess(ways["fused"]["energy_pj"], wide["fused"]["energy_pj"])
        self.assertFalse([note for note in found["notes"] if note.startswith("words of")])
        found = json.loads(self.fuse("--objective", "energy", "--json", "--bits", "Weights=4,Inputs=8,Outputs=16"))
        self.assertIn("words of what einsums write are as wide as Outputs of these: 'B' has 16 bits where 'second' reads it as "
                      "Inputs, not 8 bits", found["notes"])

    def test_partial_sums_are_wider(self):
        """An answer that evaluate repeats, between words of 8 bits and of 32; no certificate is written of it. More is summed
        than the array adds up at once."""
        long = (*CASCADE[:-1], "m=64,e=512,k=32,n=16")

        def energy(outputs, *more):
            result = self.run_program("map", "--fuse", *long, "--objective", "energy", "--json", "--bits",
                                      "Weights=4,Inputs=8,Outputs=" + outputs, *more)
            self.assertEqual(result.returncode, 0)
            self.assertEqual("note: no certificate: " in result.stderr, "-o" in more)
            found = json.loads(result.stdout)
            self.assertTrue(found["proven"])
            return self.ways(found)["fused"]["energy_pj"]
        both = energy("8/32", "-o", "out")
        result = self.run_program("evaluate", *long, "--bits", "Weights=4,Inputs=8,Outputs=8/32", "--fused-mapping",
                                  "out/mapping.fused", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["totals"]["energy_pj"], both)
        self.assertNotIn("out/certificate.json", self.files())
        self.assertLess(energy("8"), both)
        self.assertLess(both, energy("32"))
        result = self.run_program("map", "--fuse", *CASCADE, "--bits", "Outputs=8/32", "--buffers", "1k")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--fuse with partial sums of another width takes no", result.stderr)

    def test_widths_of_no_tensor_are_refused(self):
        for bits, why in (("Weight=4", "did you mean 'Weights'?"), ("third:Weights=4", "no layer 'third'"),
                          ("V=4/8", "'V' is an operand and has no partial sums"),
                          ("Outputs=16/8", "'B' would have 16 bits and partial sums of 8 bits: they are no narrower")):
            result = self.run_program("map", "--fuse", *CASCADE, "--bits", bits)
            self.assertEqual(result.returncode, 2, bits)
            self.assertIn(why, result.stderr)

    def test_what_is_printed_is_short(self):
        """Loops and stores stand in files."""
        text = self.fuse("--objective", "energy")
        self.assertTrue(text.endswith("its loops and stores: -o DIR writes them (mapping.fused, report.txt)\n"))
        self.assertNotIn("leaf first", text)
        self.assertLess(max(map(len, text.splitlines())), 200)

    def test_a_front_has_the_ends_of_both_and_says_what_is_proven(self):
        """Every mapping is written, costs what evaluate says, and lies on no side of a proven line but the upper one."""
        result = self.run_program("map", "--fuse", *CASCADE, "--objective", "pareto", "--json", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, "note: no certificate: one of fused mappings is of one number\n"))
        found = json.loads(result.stdout)
        front = found["front"]
        for i, point in enumerate(front, 1):
            self.assertEqual((self.folder / f"out/front/{i}.fused").read_text(), point["mapping"])
            judged = self.evaluate(f"out/front/{i}.fused")["totals"]
            self.assertEqual((judged["energy_pj"], judged["cycles"]), (point["energy_pj"], point["cycles"]))
            for line in found["proven_lines"]:
                price = line["pj_per_cycle"]
                value = point["cycles"] if price is None else point["energy_pj"] + price * point["cycles"]
                self.assertGreaterEqual(value, line["least"] * (1 - 1e-8))
        for one, other in zip(front, front[1:]):
            self.assertLess(one["energy_pj"], other["energy_pj"])
            self.assertGreater(one["cycles"], other["cycles"])
        self.assertEqual(front[0]["from_pj_per_cycle"], 0)
        self.assertTrue(front[0]["proven"] and front[-1]["proven"])
        self.assertIsNone(front[-1]["to_pj_per_cycle"])
        self.assertLessEqual(found["gap"], 0.001)
        for objective, key, point in (("energy", "energy_pj", front[0]), ("latency", "cycles", front[-1])):
            alone = self.ways(json.loads(self.fuse("--objective", objective, "--json")))
            self.assertEqual(alone["fused"][key], point[key])
        self.assertIn(found["mapping"], [point["mapping"] for point in front])
        self.assertIn("Front of energy and latency", self.run_program("report", "out/report.json", "-o", "page.html").stdout
                      + (self.folder / "page.html").read_text())

    def evaluate(self, file):
        result = self.run_program("evaluate", *CASCADE, "--fused-mapping", file, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    @staticmethod
    def ways(document):
        return {way["way"]: way for way in document["ways"]}

    def test_fused_unfused_and_every_word_once(self):
        """By hand: A, V, W and C once are 1,024 + 512 + 512 + 1,024 words; B, 2,048 words, is written and read where
        nothing is fused."""
        document = json.loads(self.fuse("--objective", "energy", "--json"))
        ways = self.ways(document)
        self.assertEqual(list(ways), ["unfused", "fused", "every word once"])
        self.assertEqual(ways["every word once"]["dram_words"], 3072)
        self.assertEqual(ways["fused"]["dram_words"], 3072)
        self.assertGreaterEqual(ways["unfused"]["dram_words"], 3072 + 2 * 2048)
        for costs in ("energy_pj", "cycles", "dram_words"):
            self.assertLessEqual(ways["every word once"][costs], ways["fused"][costs])
        self.assertLess(ways["fused"]["energy_pj"], ways["unfused"]["energy_pj"])
        self.assertTrue(document["proven"])
        self.assertEqual([group["einsums"] for group in document["groups"]], [["first", "second"]])
        self.assertEqual(sum(group["energy_pj"] for group in document["groups"]), ways["fused"]["energy_pj"])

    def test_the_directory_has_what_others_read_back(self):
        self.fuse("--objective", "energy", "-o", "out", "--buffers", "1k,512,2Ki", "--csv", "words.csv", "--quiet")
        files = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(files, ["buffers.csv", "buffers.svg", "certificate.json", "mapping.fused", "mapping.yaml", "report.html",
                                 "report.json", "report.txt", "unfused.fused"])
        ways = self.ways(json.loads((self.folder / "out" / "report.json").read_text()))
        for file, way in (("mapping.yaml", "fused"), ("mapping.fused", "fused"), ("unfused.fused", "unfused")):
            self.assertEqual(self.evaluate("out/" + file)["totals"]["energy_pj"], ways[way]["energy_pj"], file)
        rows = list(csv.DictReader(io.StringIO((self.folder / "words.csv").read_text())))
        read = [row for row in rows if row["mapping"] == "fused" and row["memory"] == "DRAM"]
        self.assertEqual(sum(float(row["words"]) for row in read), ways["fused"]["dram_words"])
        curve = list(csv.DictReader(io.StringIO((self.folder / "out" / "buffers.csv").read_text())))
        self.assertEqual([row["buffer_words"] for row in curve], ["512", "1024", "2048"])
        page = (self.folder / "out" / "report.html").read_text()
        for title in ("Energy, fused and not", "DRAM words by size of the buffer", "What the buffer holds",
                      "Loops and stores of first .. second"):
            self.assertIn(title, page)
        picture = self.run_program("plot", "fusion", "out", "-n", "3")
        self.assertEqual((picture.returncode, picture.stderr), (0, ""))
        self.assertIn("proven bound", picture.stdout)
        again = self.run_program("map", "--fuse", *CASCADE, "-o", "out", "-q")
        self.assertEqual((again.returncode, again.stdout), (0, ""))
        self.assertFalse((self.folder / "out" / "buffers.csv").exists())  # of an earlier run

    def test_a_larger_buffer_never_moves_more(self):
        """Ten sizes, each proven, none above its unfused mapping and none below its bound or every word once."""
        sizes = [40, 64, 100, 160, 256, 400, 640, 1024, 2048, 4096]
        document = json.loads(self.fuse("--buffers", ",".join(map(str, sizes)), "--json"))
        once = self.ways(document)["every word once"]["dram_words"]
        curve = document["buffers"]
        self.assertEqual([point["buffer_words"] for point in curve], sizes)
        for point in curve:
            self.assertTrue(point["proven"])
            self.assertEqual(point["bound_words"], point["fused_words"])
            self.assertLessEqual(once, point["fused_words"])
            self.assertLessEqual(point["fused_words"], point["unfused_words"])
        words = [point["fused_words"] for point in curve]
        self.assertEqual(words, sorted(words, reverse=True))
        self.assertGreater(words[0], words[-1])
        self.assertEqual(words[-1], once)

    def test_machines_with_memories_inside_the_buffer(self):
        """Proven, or an interval; `evaluate` finds what was said; no shared store holds what passes the buffer by."""
        for machine, buffer in (("eyeriss", "shared_glb"), ("simba", "GlobalBuffer")):
            net = ("--arch", machine, "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16")
            for objective in ("energy", "edp"):
                result = self.run_program("map", "--fuse", *net, "--objective", objective, "--json")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                document = json.loads(result.stdout)
                ways = self.ways(document)
                self.assertEqual(document["buffer"]["memory"], buffer)
                self.assertLessEqual(document["bound"], document["value"])
                self.assertEqual([group["einsums"] for group in document["groups"]], [["first", "second"]])
                self.assertLess(ways["fused"]["energy_pj"], ways["unfused"]["energy_pj"])
                self.assertLessEqual(ways["every word once"]["energy_pj"], ways["fused"]["energy_pj"])
                self.assertLessEqual(ways["every word once"]["cycles"], ways["fused"]["cycles"])
                self.assertEqual(ways["fused"]["dram_words"], 3072)
                if objective == "energy":
                    self.assertTrue(document["proven"])
                (self.folder / "best.fused").write_text(document["mapping"])
                judged = self.run_program("evaluate", *net, "--fused-mapping", "best.fused", "--json")
                self.assertEqual((judged.returncode, judged.stderr), (0, ""))
                totals = json.loads(judged.stdout)["totals"]
                self.assertEqual(totals["energy_pj"], ways["fused"]["energy_pj"])
                self.assertEqual(totals["cycles"], ways["fused"]["cycles"])
                for store in document["mapping"].split("leaf")[0].splitlines():
                    if buffer in store:
                        self.assertNotIn("V", store)

    def test_weights_are_what_the_cascade_declares(self):
        """Whichever operand stands first: registers for weights keep them, and nothing costs more than its layers alone."""
        costs = []
        for product in ("v[k,c,r,s] * x[n,c,p+r,q+s]", "x[n,c,p+r,q+s] * v[k,c,r,s]"):
            text = f"size n=1, k=16, c=8, p=6, q=6, r=3, s=3; input x[1,8,8,8]; weight v[16,8,3,3]; y[n,k,p,q] += {product};"
            net = ("--arch", "gemmini", "--einsum", text)
            document = json.loads(self.run_program("map", "--fuse", *net, "--objective", "energy", "--json").stdout)
            self.assertIn("Registers: v", document["mapping"].replace("  ", " "))
            alone = json.loads(self.run_program("map", *net, "--objective", "energy", "--json").stdout)
            costs.append((self.ways(document)["unfused"]["energy_pj"], alone["totals"]["energy_pj"]))
        self.assertEqual(costs[0], costs[1])
        self.assertEqual(costs[0][0], costs[0][1])

    def test_an_interval_says_what_no_mapping_is_below(self):
        result = self.run_program("map", "--fuse", "--arch", "simba", "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16",
                                  "--objective", "edp")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"edp in \[.+, .+\]: not proven: the lower one bounds all fused mappings of the space")

    def test_what_is_not_searched_with_memories_inside_the_buffer(self):
        net = ("--arch", "eyeriss", "--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16")
        for more, message in [(["--buffers", "64"], "--buffers is for machines of a DRAM, a buffer and units"),
                              (["--set", "MACC.datawidth=8", "--mapper", "hybrid"], "and fusion do not go together")]:
            result = self.run_program("map", "--fuse", *net, *more)
            self.assertEqual((result.returncode, result.stdout), (2, ""), more)
            self.assertIn(message, result.stderr)

    SKELETON = "store DRAM: A, V, W, C\n  for m by 24\n    {}store buffer: B\n      split\n        leaf first\n        leaf second\n"

    def fill(self, *files, more=(), status=0):
        result = self.run_program("map", "--fuse", *CASCADE, "--objective", "energy", *more, "--fused-mapping", ",".join(files))
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_leaves_that_a_tree_leaves_open(self):
        """64 rows by 24: boxes of 24 and of 16 rows; B never reaches the DRAM; `evaluate` finds what was said."""
        (self.folder / "mine.fused").write_text(self.SKELETON.format(""))
        text = self.fill("mine.fused").stdout
        self.assertIn("2 open leaves, 4 sizes of boxes, mapped for least energy: proven", text)
        document = json.loads(self.fill("mine.fused", more=["--json"]).stdout)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine.fused"])  # no -o, no files
        (self.folder / "filled.fused").write_text(document["mapping"])
        self.assertEqual((document["filled"]["proven"], document["filled"]["boxes"]), (True, 4))
        self.assertEqual(document["filled"]["value"], document["totals"]["energy_pj"])
        self.assertEqual(self.evaluate("filled.fused")["totals"], document["totals"])
        self.assertNotIn("B", [one["name"] for one in document["memories"][0]["tensors"]])
        # The best of all mappings is no worse where the tree is one of them: steps of 16 rows.
        (self.folder / "even.fused").write_text(self.SKELETON.format("").replace("by 24", "by 16"))
        even = json.loads(self.fill("even.fused", more=["--json"]).stdout)
        best = json.loads(self.fuse("--objective", "energy", "--json"))
        self.assertLessEqual(best["value"], even["totals"]["energy_pj"] * (1 + 1e-9))
        # Nothing is open there any more.
        again = json.loads(self.fill("filled.fused", more=["--json"]).stdout)
        self.assertEqual((again["filled"], again["totals"]), (None, document["totals"]))

    def test_the_example_of_the_document(self):
        """A schedule of FSRCNN: a row of 240 boxes in each of eight leaves, weights at home in two memories."""
        result = self.run_program("map", "--fuse", "--arch", EXAMPLES / "meta-prototype.yaml", "--net", EXAMPLES / "fsrcnn.cascade",
                                  "--fused-mapping", EXAMPLES / "fsrcnn.fused", "--objective", "energy", "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        self.assertTrue(document["filled"]["proven"])
        self.assertEqual(round(document["totals"]["energy_pj"] / 1e6), 2343)
        self.assertEqual((document["totals"]["operations"], document["totals"]["recomputed_operations"]), (8362594208, 0))
        dram = {one["name"]: one["reads"] + one["updates"] for one in document["memories"][0]["tensors"]}
        self.assertEqual((dram["x0"], dram["x8"]), (974 * 554, 16 * 960 * 540))  # once each, as are weights
        self.assertEqual(sum(words for name, words in dram.items() if name[0] == "w"), 15992)

    def test_trees_side_by_side(self):
        (self.folder / "kept.fused").write_text(self.SKELETON.format(""))
        (self.folder / "fresh.fused").write_text(self.SKELETON.format("fresh "))
        (self.folder / "whole.yaml").write_text(
            "fused_mapping:\n- {store: DRAM, tensors: [A, V, W, C]}\n- {store: buffer, tensors: [B]}\n"
            "- split:\n  - - leaf: first\n  - - leaf: second\n")
        (self.folder / "large.fused").write_text(self.SKELETON.format("").replace("B", "B, C, A").replace("by 24", "by 64"))
        result = self.fill("kept.fused", "fresh.fused", "whole.yaml", "large.fused", more=["-o", "out"], status=1)
        self.assertIn("large.fused:5:9: buffer holds 3072 words while 'first' runs, 1024 more than its 2048: B 2048", result.stderr)
        rows = [line.split()[0] for line in result.stdout.splitlines()[2:]]
        self.assertEqual(rows, ["kept", "fresh", "whole", "large"])
        self.assertRegex(result.stdout, r"large +does not fit")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["fresh", "kept", "whole"])
        for file in ("mapping.yaml", "mapping.fused"):
            document = json.loads((self.folder / "out" / "whole" / "report.json").read_text())
            self.assertEqual(self.evaluate("out/whole/" + file)["totals"], document["totals"])

    def test_a_tree_with_open_leaves_is_nothing_to_evaluate(self):
        (self.folder / "mine.fused").write_text(self.SKELETON.format(""))
        result = self.run_program("evaluate", *CASCADE, "--fused-mapping", "mine.fused")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, "error: mine.fused:5:9: no mapping is given for leaves 'first' and 'second': tilewright map "
                                        "--fuse --fused-mapping FILE finds the best of what is left open\n")
        for arguments, message in [(["--fuse", *CASCADE, "--fused-mapping", "mine.fused", "--buffers", "64"], "exclude each other"),
                                   (["--fuse", *CASCADE, "--fused-mapping", "mine.fused", "--csv", "x.csv"], "--csv is not for"),
                                   (["--fuse", *CASCADE, "--fused-mapping", "mine.fused,mine.fused", "--json"], "--json is of one fused mapping"),
                                   (["--arch", "eyeriss", "--net", "alexnet", "--fused-mapping", "mine.fused"], "--fused-mapping is for --fuse")]:
            result = self.run_program("map", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(message, result.stderr)

    def test_what_is_stopped_is_not_proven(self):
        result = self.run_program("map", "--fuse", *CASCADE, "--time-limit", "0")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("stopped before a mapping was found", result.stderr)
        self.assertNotIn("proven", result.stdout)

    def test_what_would_not_count_is_refused(self):
        (self.folder / "constraints.yaml").write_text(
            'mapspace_constraints:\n- {target: buffer, type: temporal, permutation: "m"}\n')
        for more, message in [(["--mapper", "hybrid"], "linear-pruned, exhaustive) and fusion do not"),
                              (["--evaluations", "10"], "--fuse does not take --evaluations"),
                              (["--bits", "A=4/16:8"], "block formats (MX) and fusion do not"),
                              (["--buffers", "64,x"], "--buffers takes numbers of words"),
                              (["--buffers", "1k,1Ki"], "--buffers: 1024 stands there twice"),
                              (["--json", "--csv", "-"], "--json and --csv - both want standard output"),
                              (["--refine", "simulate"], "the simulator runs layers one after the other"),
                              (["--objective", "pareto", "--certificate", "c.json"],
                               "fusion, the objective pareto and a certificate do not go together: a certificate of fused mappings is of one number"),
                              (["--objective", "pareto", "--fused-mapping", "mine.fused"], "a product such as energy^2*latency with --fused-mapping, found 'pareto'")]:
            result = self.run_program("map", "--fuse", *CASCADE, *more)
            self.assertEqual((result.returncode, result.stdout), (2, ""), more)
            self.assertIn(message, result.stderr)
        net = ["--einsum", EINSUM, "--extents", "m=64,e=16,k=32,n=16"]
        for machine, net, message in [("h100", net, "--fuse: fused mappings are not searched on this machine: it has no memory of one instance"),
                                      ("fused-npu", ["--net", "layer.yaml"], "is known as separate layers only")]:
            result = self.run_program("map", "--fuse", "--arch", machine, *net)
            self.assertEqual((result.returncode, result.stdout), (2, ""), machine)
            self.assertIn(message, result.stderr)
        result = self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--buffers", "64")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--buffers is for --fuse", result.stderr)
        result = self.run_program("map", "--fuse", *CASCADE, "constraints.yaml")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("the problem has no dimension 'm'", result.stderr)  # demands are read in the names of layers


if __name__ == "__main__":
    unittest.main()
