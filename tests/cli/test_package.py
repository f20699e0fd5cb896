"""map --package, evaluate --package, explore --package: answers, sums of what a report says, pictures, refusals."""

import json
import unittest

from program import ROOT, Case

EXAMPLES = ROOT / "examples" / "package"
GIVEN = ["--package", EXAMPLES / "two-cores.yaml", "--net", EXAMPLES / "products.cascade"]
PLAN = ["--plan", EXAMPLES / "pipeline.plan"]
CHIPLETS = """\
package:
  mesh: [4, 1]
  chiplet: 2x1
  kinds: {simple: {lanes: {n: 2}, buffer_words: 400, read: 1, write: 2, operation: 1, leak: 0.5}}
  cores: {kind: simple, at: all}
  link: {words_per_cycle: 2, energy: 1, latency: 1}
  d2d: {words_per_cycle: 1, energy: 7, latency: 3}
  dram: [{at: [0, 0], words_per_cycle: 2, read: 10, write: 10}, {at: [3, 0], words_per_cycle: 2, read: 10, write: 20}]
  interleave: true
"""
CHAIN = ["--einsum", "B[m,k] += A[m,j] * V[j,k]; C[m,n] += B[m,k] * W[k,n]", "--extents", "m=8,j=6,k=6,n=4"]
LARGE = """\
size m=128, k=64, n=256, l=64;
first: H[m,n] += X[m,k] * W1[k,n];
second: Y[m,l] += H[m,n] * W2[n,l];
"""
SPLIT = """\
run m by 2
  stage B on 0,2 split j/2 sums scatter k stream V
  stage C on 1,3 split n/2
"""


class Plans(Case):
    def answer(self, verb, *arguments):
        result = self.run_program(verb, *arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def split(self):
        self.write("chiplets.yaml", CHIPLETS)
        self.write("split.plan", SPLIT)
        return self.answer("evaluate", "--package", "chiplets.yaml", *CHAIN, "--plan", "split.plan")

    def test_the_worked_example(self):
        """By hand: docs/packages-of-cores.md, the table of its slots."""
        report = self.answer("evaluate", *GIVEN, *PLAN)
        self.assertEqual((report["energy_pj"]["total"], report["cycles"]), (412, 28))
        words = {link["link"]: link["words"] for link in report["links"]}
        self.assertEqual(words["(0,0)-(1,0)"], 4 + 8)
        self.assertEqual(words["(1,0)-(0,0)"], 8)
        self.assertEqual([(d["words"], d["energy_pj"]) for d in report["drams"]], [(24, 240)])
        self.assertEqual([core["busy_cycles"] for core in report["cores"]], [16, 16])
        self.assertEqual([slot["bound_by"].split()[0] for slot in report["runs"][0]["slots"]], ["dram", "core", "core", "core"])
        room = {room["tensor"]: room["words"] for room in report["runs"][0]["room"]}
        self.assertEqual(room, {"T0": [4, 8, 4, 0], "W1": [4, 4, 4, 0], "T1": [0, 8, 12, 4], "W2": [0, 4, 4, 4], "T2": [0, 0, 4, 4]})
        self.assertEqual({t["tensor"]: t["dram_words"] for t in report["tensors"]}, {"T0": 8, "W1": 4, "T1": 0, "W2": 4, "T2": 8})

    def test_layers_are_a_part_of_the_cascade(self):
        """What other einsums make or read comes from DRAM and goes there."""
        report = self.answer("map", *GIVEN, "--layers", "second", "--objective", "energy")
        self.assertEqual([tensor["tensor"] for tensor in report["tensors"] if tensor["dram_words"] > 0], ["T1", "W2", "T2"])
        self.assertIn("stage second on ", report["plan"])
        self.assertNotIn("stage first", report["plan"])
        three = [*GIVEN[:2], "--einsum", "B[m] += A[m,k]; C[m] = B[m]; D[n] += C[m] * W[m,n]", "--extents", "m=2,k=2,n=2"]
        result = self.run_program("map", *three, "--layers", "B,D")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a part of a cascade has no gaps, and 'C' follows 'B'", result.stderr)

    def test_an_axis_at_place_0_alone_is_none(self):
        """Images pooled to a word: their rows are no axis to plan along, and the plan is that of a vector."""
        pooled = "size g=8, r=4, s=4, n=8;\npool: P[g,0,0] += I[g,r,s];\nfc: F[n] += P[g,0,0] * W[g,n];\n"
        answers = []
        for text in (pooled, pooled.replace("P[g,0,0]", "P[g]")):
            net = self.write("pooled.cascade", text)
            answers.append(self.answer("map", "--package", EXAMPLES / "two-cores.yaml", "--net", net, "--objective", "energy"))
        self.assertEqual(answers[0]["value"], answers[1]["value"])
        self.assertEqual(answers[0]["plan"], answers[1]["plan"])
        self.assertTrue(answers[0]["proven"])

    def test_what_is_said_by_place_adds_up(self):
        report = self.split()
        energy, cores = report["energy_pj"], report["cores"]
        for cause in ("leaves", "sends", "arrivals", "sums", "leakage"):
            self.assertGreater(energy[cause], 0, cause)
            self.assertAlmostEqual(sum(core["energy_pj"][cause] for core in cores), energy[cause])
        d2d = [link for link in report["links"] if link["sort"] == "d2d"]
        self.assertEqual({link["link"] for link in d2d} - {"(1,0)-(2,0)", "(2,0)-(1,0)"}, set())
        self.assertAlmostEqual(sum(link["energy_pj"] for link in d2d), energy["d2d"])
        self.assertAlmostEqual(sum(link["energy_pj"] for link in report["links"]), energy["links"] + energy["d2d"])
        self.assertAlmostEqual(sum(dram["energy_pj"] for dram in report["drams"]), energy["dram"])
        counts, tensors = report["counts"], report["tensors"]
        self.assertEqual(sum(tensor["d2d_words"] for tensor in tensors), sum(link["words"] for link in d2d))
        self.assertEqual(sum(tensor["link_words"] for tensor in tensors), counts["link_words"])
        self.assertEqual(sum(tensor["dram_words"] for tensor in tensors), counts["dram_reads"] + counts["dram_writes"])
        run = report["runs"][0]
        self.assertEqual(max(sum(room["fullest_words"][s] for room in run["room"]) for s in range(len(run["slots"]))),
                         cores[run["fullest_core"]]["peak_words"])
        for stage in run["stages"]:
            slots = {slot["slot"]: slot for slot in run["slots"]}
            for step, cycles in enumerate(stage["step_cycles"]):
                self.assertLessEqual(cycles, slots[stage["first_slot"] + step]["compute_cycles"])
        self.assertEqual(sum(slot["cycles"] for slot in run["slots"]), run["cycles"])

    def test_text_page_and_pictures(self):
        result = self.run_program("map", *GIVEN, "--objective", "energy", "-o", "out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ("Energy", "Slots are bound by", "Link or DRAM", "Between chiplets", "proven: no plan of the space has less energy"):
            self.assertIn(words, result.stdout)
        self.assertEqual(self.files(), ["out/certificate.json", "out/plan.txt", "out/report.html", "out/report.json", "out/report.txt"])
        page = (self.folder / "out/report.html").read_text()
        for title in ("Energy by place", "Loads of links on the mesh", "Slots: ", "Room of core "):
            self.assertIn(title, page)
        again = self.run_program("evaluate", *GIVEN, "--plan", "out/plan.txt", "--html", "page.html", "--csv", "slots.csv", "-q")
        self.assertEqual((again.returncode, again.stdout), (0, ""))
        self.assertIn("Loads of links on the mesh", (self.folder / "page.html").read_text())
        self.assertTrue((self.folder / "slots.csv").read_text().startswith("run,slot,cycles,compute_cycles,moving_cycles,bound_by\n0,-1,"))
        for number in (1, 2, 3, 4):
            drawn = self.run_program("plot", "package", "out", "-n", number)
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            self.assertTrue(drawn.stdout.startswith("<svg"))

    def test_settings_are_the_files(self):
        """What --set changes is what a file with that value says."""
        self.write("slow.yaml", (EXAMPLES / "two-cores.yaml").read_text().replace("link: {words_per_cycle: 2,", "link: {words_per_cycle: 1,"))
        given = self.answer("evaluate", *GIVEN, *PLAN, "--set", "package.link.words_per_cycle=1")
        other = self.answer("evaluate", "--package", "slow.yaml", *GIVEN[2:], *PLAN)
        self.assertEqual(given["cycles"], other["cycles"])
        self.assertGreater(given["cycles"], 28)
        machine = self.answer("map", "--package", "quad-npu", *CHAIN, "--objective", "energy", "--set", "buffer.depth=512",
                              "--set", "package.mesh=2x1")
        self.assertEqual([core["buffer_words"] for core in machine["cores"]], [512, 512])

    def test_exploring(self):
        space = ["--set", "package.mesh=1x1,2x1", "--set", "package.link.words_per_cycle=1,2", "--objective", "energy"]
        result = self.run_program("explore", *GIVEN, *space, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line.split(",") for line in result.stdout.splitlines()]
        table = [dict(zip(lines[0], line)) for line in lines[1:]]
        self.assertEqual(len(table), 4)
        for row in table:
            best = self.answer("map", *GIVEN, "--objective", "energy", "--set", f"package.mesh={row['package.mesh']}",
                               "--set", f"package.link.words_per_cycle={row['package.link.words_per_cycle']}")
            self.assertEqual(float(row["energy_pj"]), best["energy_pj"]["total"])
            self.assertEqual((float(row["bound_share"]), int(float(row["cores"]))), (1.0, len(best["cores"])))

    def test_proving(self):
        """The best of explore's rows, its plan as map finds it, and most packages excluded by floors."""
        space = ["--set", "package.mesh=1x1,2x1,2x2", "--set", "package.dram.0.words_per_cycle=1,2,4",
                 "--set", "package.link.words_per_cycle=1,2,4"]
        for metric, name in (("energy", "energy_pj"), ("latency", "latency_cycles"), ("edp", "edp_pj_cycles")):
            table = self.run_program("explore", *GIVEN, *space, "--objective", metric, "--csv", "-")
            self.assertEqual(table.returncode, 0, table.stderr)
            rows = [dict(zip(table.stdout.splitlines()[0].split(","), line.split(","))) for line in table.stdout.splitlines()[1:]]
            best = self.answer("explore", *GIVEN, *space, "--prove", "--best", metric)
            self.assertEqual((best["subject"], best["proven"], best["machines"]), ("packages", True, 27))
            self.assertAlmostEqual(best["value"], min(float(row[name]) for row in rows), delta=1e-9 * best["value"])
            counts = best["counts"]
            self.assertLess(counts["machines_mapped"], 14)
            self.assertGreater(counts["machines_ruled_out"], 13)
            knobs = [word for knob, value in best["best"]["knobs"].items()
                     for word in ("--set", f"{knob}={int(value) if isinstance(value, float) else value}")]
            self.assertEqual(best["plan"], self.answer("map", *GIVEN, "--objective", metric, *knobs)["plan"])

    def test_proving_cores(self):
        """Of machines with attributes, larger buffers cost more: the best is that of explore."""
        space = ["--package", "quad-npu", *CHAIN, "--set", "package.mesh=1x1,2x1", "--set", "buffer.depth=512,2k,8k",
                 "--set", "package.link.words_per_cycle=2,8"]
        table = self.run_program("explore", *space, "--objective", "energy", "--csv", "-")
        energies = [float(line.split(",")[table.stdout.splitlines()[0].split(",").index("energy_pj")])
                    for line in table.stdout.splitlines()[1:] if ",valid" in line]
        best = self.answer("explore", *space, "--prove", "--best", "energy", "--worth", "-o", "out")
        self.assertTrue(best["proven"])
        self.assertAlmostEqual(best["value"], min(energies), delta=1e-9 * best["value"])
        self.assertEqual((self.folder / "out" / "plan.txt").read_text(), best["plan"])
        self.assertIn("no certificate of packages: map --package writes one of the best package's plan", best["notes"])
        self.assertEqual(len(best["worth"]), 7)
        again = self.answer("explore", *space, "--prove", "--best", "energy", "--worth", "-o", "out")
        self.assertEqual((again["value"], again["worth"]), (best["value"], best["worth"]))
        self.assertEqual(self.run_program("report", "out/report.json", "-o", "page").returncode, 0)

    def test_denied(self):
        """Without time for its plan a package leaves an interval."""
        result = self.run_program("explore", "--package", "chiplets-2x4", "--net", self.write("large.cascade", LARGE),
                                  "--set", "package.mesh=6x6", "--set", "package.chiplet=1x1,3x3", "--prove", "--best",
                                  "latency", "--time-limit", "1e-9", "--json")
        answer = json.loads(result.stdout)
        self.assertFalse(answer["proven"])
        self.assertGreaterEqual(answer["bound"], 3072)  # 49,152 words by two DRAMs of 8 a cycle
        if answer["best"]:
            self.assertLess(answer["bound"], answer["value"])
            self.assertGreater(answer["machines_with_unproven_mappings"], 0)

    def test_refusals(self):
        def refused(verb, *arguments, status=2):
            result = self.run_program(verb, *arguments)
            self.assertEqual((result.returncode, result.stdout), (status, ""), arguments)
            return result.stderr
        self.assertIn("a package of cores and sparsity do not go together: plans on packages move dense words",
                      refused("evaluate", *GIVEN, *PLAN, "--density", "T0=0.5").replace("sparsity and a package of cores", "a package of cores and sparsity"))
        self.assertIn("--package does not take --bits", refused("evaluate", *GIVEN, *PLAN, "--bits", "T0=4"))
        self.assertIn("--package does not take --arch", refused("map", *GIVEN, "--arch", "simba"))
        self.assertIn("do not go together", refused("explore", *GIVEN, "--set", "package.mesh=1x1,2x1", "--fuse"))
        self.assertIn("--package: without --discard", refused("explore", *GIVEN, "--set", "package.mesh=1x1,2x1", "--discard", "--best", "energy"))
        self.assertIn("without --arch", refused("explore", *GIVEN, "--set", "package.mesh=1x1,2x1", "--arch", "simba"))
        self.assertIn("--set package.mesh:1:1: error: expected two numbers, [x, y] or XxY", refused("map", *GIVEN, "--set", "package.mesh=2"))
        self.assertIn("unknown key 'rate'", refused("map", *GIVEN, "--set", "package.link.rate=2"))
        self.assertIn("expected a number from 0 to 0 in place of '1'", refused("map", *GIVEN, "--set", "package.dram.1.read=2"))
        self.assertIn("no core of the package is a machine", refused("map", *GIVEN, "--set", "buffer.depth=2"))
        self.assertIn("there is nothing below 'package.interleave'",
                      refused("map", "--package", "chiplets-2x4", *CHAIN, "--set", "package.interleave.x=2"))

    def test_documents_beyond_the_mesh_are_refused(self):
        report = self.split()
        report["links"][-1]["x"] = 4
        self.write("bad.json", json.dumps(report))
        result = self.run_program("report", "bad.json", "-o", "page.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a link beyond the mesh", result.stderr)


if __name__ == "__main__":
    unittest.main()
