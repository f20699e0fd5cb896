"""tilewright explore: points are what map says of the machine written out; runs that are killed go on."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

from program import PROGRAM, ROOT, Case

try:
    import jsonschema
except ImportError:
    jsonschema = None

MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {{name: chip, attributes: {{technology: "{technology}", datawidth: 8}}}}
  - !Component {{name: DRAM, class: DRAM, attributes: {{type: LPDDR4, width: 64, read_bandwidth: {bandwidth}}}}}
  - !Component {{name: buffer, class: SRAM, attributes: {{depth: {depth}, width: 64}}}}
  - !Container {{name: PE, spatial: {{meshX: {mesh}}}}}
  - !Component {{name: spad, class: regfile, attributes: {{depth: 64, width: 8}}}}
  - !Component {{name: mac, class: intmac, attributes: {{multiplier_width: 8}}}}
"""
BASE = {"technology": "45nm", "bandwidth": 8, "depth": 1024, "mesh": 8}
LAYER = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=48,n=64,k=96"]


class Explore(Case):
    def machine(self, name="m.yaml", **changes):
        return self.write(name, MACHINE.format(**{**BASE, **changes}))

    def explore(self, *arguments):
        return self.run_program("explore", "--arch", self.machine(), *LAYER, *arguments)

    def rows(self, *arguments):
        result = self.explore(*arguments, "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        return list(csv.DictReader(io.StringIO(result.stdout)))

    def total(self, machine, *arguments):
        result = self.run_program("map", "--arch", machine, *LAYER, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["totals"]

    def test_points_have_the_words_and_zeros_that_map_counts(self):
        zeros = ("sparse_optimizations:\n  targets:\n  - name: buffer\n    action_optimization:\n"
                 "    - {type: gating, options: [{target: B, condition_on: [A]}]}\n")
        energies = set()
        for options in ([], ["--bits", "O=8/32"], ["--bits", "A=4/16:8"], ["--density", "A=0.25"]):
            self.write("words.yaml", (zeros if "--density" in options else "") + MACHINE.format(**BASE))
            result = self.run_program("explore", "--arch", "words.yaml", *LAYER, *options, "--set", "buffer.depth=512,1k", "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = list(csv.DictReader(io.StringIO(result.stdout)))
            for row in rows:
                total = self.total("words.yaml", *options, "--set", f"buffer.depth={row['buffer.depth']}")
                self.assertEqual(float(row["energy_pj"]), total["energy_pj"], options)
                self.assertEqual(float(row["latency_cycles"]), total["cycles"], options)
                self.assertIn(row["proven_layers"], ("1",) if not options else ("0", "1"), options)
            energies.add(rows[0]["energy_pj"])
        self.assertEqual(len(energies), 4, "each costs something else")

    def test_given_mappings_have_their_words(self):
        words = ["--bits", "O=8/32"]
        self.assertEqual(self.run_program("map", "--arch", self.machine(), *LAYER, *words, "-o", "mapped").returncode, 0)
        result = self.run_program("explore", "m.yaml", "mapped/mapping.yaml", *LAYER, *words, "--set", "buffer.depth=1024,2048", "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        costs = self.run_program("evaluate", "m.yaml", "mapped/mapping.yaml", *LAYER, *words, "--json")
        self.assertEqual(float(next(csv.DictReader(io.StringIO(result.stdout)))["energy_pj"]), json.loads(costs.stdout)["totals"]["energy_pj"])

    def test_rows_of_other_words_are_another_exploration(self):
        knob = ["--set", "buffer.depth=512,1k", "--store", "words.sqlite"]
        self.assertEqual(self.explore(*knob).returncode, 0)
        self.assert_fails(self.explore(*knob, "--bits", "O=8/32"), 2, "...bits")

    def test_fused_networks_are_measured_as_map_fuses_them(self):
        cascade = ["--einsum", "B[m,k] += A[m,j] * W[j,k]; C[m,n] += B[m,k] * V[k,n]", "--extents", "m=16,j=16,k=16,n=16"]
        self.assertLess(self.best_of_fused([*cascade, "--bits", "Weights=4,Inputs=8,Outputs=8"]), self.best_of_fused(cascade))
        knobs = ["--fuse", "--arch", "fused-npu", *cascade, "--set", "buffer.depth=256,1k,4k"]
        for more, why in ((["--layers", "A"], "...--fuse maps a cascade as a whole"),
                          (["--objective", "pareto"], "...--fuse measures a machine by one mapping"),
                          (["--bits", "C=8/32"], "...partial sums of another width are counted by map --fuse"),
                          (["--set", "mapper=anneal"], "...a named mapper or factor rule and fusion do not go together"),
                          (["--uneven"], "...uneven mappings and fusion do not go together")):
            self.assert_fails(self.run_program("explore", *knobs, *more), 2, why)

    def best_of_fused(self, cascade):
        """Of three buffers, each row as `map --fuse` has it, and proven without mapping all."""
        knobs = ["--fuse", "--arch", "fused-npu", *cascade, "--set", "buffer.depth=256,1k,4k"]
        rows = list(csv.DictReader(io.StringIO(self.run_program("explore", *knobs, "--csv", "-").stdout)))
        for row in rows:
            found = self.run_program("map", "--fuse", "--arch", "fused-npu", *cascade, "--set", f"buffer.depth={row['buffer.depth']}", "--json")
            fused = json.loads(found.stdout)
            self.assertTrue(fused["proven"])
            self.assertEqual(row["proven_layers"], "1")
            self.assertAlmostEqual(float(row["edp_pj_cycles"]) / fused["value"], 1.0)
        best = min(float(row["edp_pj_cycles"]) for row in rows)
        proof = json.loads(self.run_program("explore", *knobs, "--best", "edp", "--prove", "--json").stdout)
        self.assertTrue(proof["proven"])
        self.assertAlmostEqual(proof["best"]["metrics"]["edp_pj_cycles"] / best, 1.0)
        return best

    def test_a_point_is_what_map_says_of_the_machine_written_out(self):
        rows = self.rows("--set", "buffer.depth=512..2k*2", "--set", "DRAM.read_bandwidth=4,8", "--set", "PE.meshX=4,8",
                         "--set", "technology=45nm,65nm")
        self.assertEqual(len(rows), 24)
        energies = set()
        for row in rows:
            changes = {"depth": row["buffer.depth"], "bandwidth": row["DRAM.read_bandwidth"], "mesh": row["PE.meshX"],
                       "technology": row["technology"]}
            totals = self.total(self.machine("written.yaml", **changes))
            self.assertEqual(float(row["energy_pj"]), totals["energy_pj"], changes)
            self.assertEqual(float(row["latency_cycles"]), totals["cycles"], changes)
            energies.add(row["energy_pj"])
        self.assertGreaterEqual(len(energies), 12, "the knobs do something")

    def test_set_of_map_is_the_machine_written_out(self):
        written = self.total(self.machine("written.yaml", depth=2048, mesh=4))
        self.assertEqual(self.total(self.machine(), "--set", "buffer.depth=2k", "--set", "PE.meshX=4"), written)
        self.assertNotEqual(self.total(self.machine()), written)

    def test_knobs_of_the_search_and_of_the_network(self):
        machine = self.machine()
        rows = self.rows("--set", "objective=energy,latency")
        for row in rows:
            self.assertEqual(float(row["energy_pj"]),
                             self.total(machine, "--objective", row["objective"])["energy_pj"])
        result = self.run_program("explore", "--arch", machine, "--set", "net=alexnet", "--set", "dim.batch=1,2",
                                  "--layers", "fc8", "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        one, two = csv.DictReader(io.StringIO(result.stdout))
        self.assertLess(float(one["energy_pj"]), float(two["energy_pj"]))

    def test_given_mappings_cost_what_evaluate_says(self):
        self.run_program("map", "--arch", self.machine(), *LAYER, "-o", "out", "-q")
        rows = self.rows("out/mapping.yaml", "--set", "buffer.depth=256..4k*2", "--set", "DRAM.read_bandwidth=1..8*2",
                         "--set", "technology=45nm,65nm")
        self.assertEqual(len(rows), 40)
        statuses = {"valid": 0, "failed": 0}
        for row in rows:
            machine = self.machine("written.yaml", depth=row["buffer.depth"], bandwidth=row["DRAM.read_bandwidth"],
                                   technology=row["technology"])
            result = self.run_program("evaluate", "--arch", machine, *LAYER, "out/mapping.yaml", "--json")
            statuses[row["status"]] += 1
            if row["status"] == "failed":
                self.assertEqual(result.returncode, 1)
                continue
            totals = json.loads(result.stdout)["totals"]
            self.assertEqual((float(row["energy_pj"]), float(row["latency_cycles"])),
                             (totals["energy_pj"], totals["cycles"]))
        self.assertGreaterEqual(statuses["valid"], 8)
        table = self.explore("out/mapping.yaml", "--set", "buffer.depth=256..4k*2", "--set", "DRAM.read_bandwidth=1..8*2",
                             "--set", "technology=45nm,65nm")
        self.assertIn(f"{statuses['valid']} valid", table.stdout)
        for more, message in [(["--set", "objective=edp,energy"], "only the machine varies, not 'objective'"),
                              (["--mapper", "random"], "--mapper has nothing to search")]:
            refused = self.explore("out/mapping.yaml", "--set", "buffer.depth=1k,2k", *more)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(message, refused.stderr)

    def test_what_is_discarded_is_on_no_front(self):
        knobs = ["--set", "buffer.depth=512..8k*2", "--set", "DRAM.read_bandwidth=1..16*4", "--set", "PE.meshX=1..16*4",
                 "--set", "technology=45nm,65nm"]
        points = 5 * 3 * 3 * 2
        skipped = 0
        for wish in (["--best", "edp"], ["--best", "throughput"], ["--pareto", "latency,area,energy"], ["--best", "energy", "--limit", "area<0.2"]):
            plain = self.rows(*knobs, *wish)
            if wish[0] == "--best":  # all that are as good as the best one
                metric = {"edp": "edp_pj_cycles", "throughput": "macs_per_cycle", "energy": "energy_pj"}[wish[1]]
                plain = [row for row in plain if row[metric] == plain[0][metric]]
            self.assertEqual(self.rows(*knobs, *wish, "--discard"), plain, wish)
            table = self.explore(*knobs, *wish, "--discard").stdout
            found = re.search(r"([0-9,]+) evaluated, ([0-9,]+) skipped", table)
            self.assertEqual(int(found[1]) + int(found[2]) if found else 0, points if found else 0)
            skipped += int(found[2]) if found else 0
        self.assertGreaterEqual(skipped, points // 2, "of four times as many")
        one = self.explore(*knobs, "--pareto", "energy,area", "--discard", "-o", "out").stdout
        shown = self.run_program("explore", "show", "out/explore.sqlite").stdout
        self.assertEqual(*[re.search("rows ([0-9a-f]{32})", text)[1] for text in (one, shown)])
        for wrong, message in [([], "needs --best or --pareto"), (["--best", "power"], "nothing bounds 'power_mw'")]:
            refused = self.explore(*knobs, "--discard", *wrong)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(message, refused.stderr)

    def test_variables(self):
        rows = self.rows("--let", "size=512..2k*2", "--set", "buffer.depth=size*2", "--set", "spad.depth=size/8")
        self.assertEqual([row["size"] for row in rows], ["512", "1024", "2048"])
        text = MACHINE.format(**{**BASE, "depth": 2048}).replace("depth: 64", "depth: 128")
        self.assertEqual(float(rows[1]["energy_pj"]), self.total(self.write("written.yaml", text))["energy_pj"])

    def test_a_file_says_the_space(self):
        space = self.write("space.yaml", f"""\
arch: {self.machine()}
let: {{size: 512..2k*2}}
set:
  buffer.depth: size*2
  PE.meshX: [4, 8]
limits: [area_mm2<100]
""")
        file = self.run_program("explore", "--space", space, *LAYER, "--csv", "-")
        self.assertEqual(file.returncode, 0, file.stderr)
        line = self.explore("--let", "size=512..2k*2", "--set", "buffer.depth=size*2", "--set", "PE.meshX=4,8",
                            "--limit", "area<100", "--csv", "-")
        self.assertEqual(file.stdout, line.stdout)
        over = self.run_program("explore", "--space", space, *LAYER, "--set", "PE.meshX=2", "--csv", "-")
        self.assertEqual({row["PE.meshX"] for row in csv.DictReader(io.StringIO(over.stdout))}, {"2"})

    def test_a_file_does_not_say_where_else_something_is_written(self):
        for store in (str(self.folder / "elsewhere.sqlite"), "../e.sqlite", "a/../../e.sqlite", "postgresql://host/d"):
            space = self.write("space.yaml", f"arch: {self.machine()}\nset: {{buffer.depth: [1k, 2k]}}\nstore: {store}\n")
            result = self.run_program("explore", "--space", space, *LAYER)
            self.assert_fails(result, 2, "space.yaml:3:8: error: expected a file in the folder where the command is given")
        space = self.write("space.yaml", f"arch: {self.machine()}\nset: {{buffer.depth: [1k, 2k]}}\nstore: e.sqlite\n")
        self.assertEqual(self.run_program("explore", "--space", space, *LAYER).returncode, 0)
        self.assertTrue((self.folder / "e.sqlite").exists())

    def test_the_example_is_as_its_schema_says(self):
        import jsonschema
        try:
            import yaml
        except ImportError:
            self.skipTest("no python3-yaml")
        schema = json.loads((ROOT / "schemas" / "explore-1.schema.json").read_text())
        example = yaml.safe_load((ROOT / "examples" / "explore" / "buffers.yaml").read_text())
        jsonschema.validate(example, schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({**example, "sett": {}}, schema)
        result = self.run_program("explore", "--space", ROOT / "examples" / "explore" / "buffers.yaml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("6 of 6 points explored", result.stdout)

    def test_dataflows(self):
        layer = self.write("layer.m", """\
Network n { Layer conv { Type: CONV Dimensions { K: 32, C: 16, R: 3, S: 3, Y: 10, X: 10 }
  Dataflow { TemporalMap(P_c,P_c) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(P_k,P_k) K; } } }
""")
        command = ["explore", layer, "--set", "units=4..32*2", "--set", "P_c=1..16", "--set", "P_k=1..32", "--set",
                   "noc=2..16*2", "--limit", "area<1", "--pareto", "energy,throughput"]
        pruned = self.run_program(*command, "--store", "e.sqlite")
        self.assertEqual(pruned.returncode, 0, pruned.stderr)
        self.assertIn("8,192 of 8,192 points explored: ", pruned.stdout)
        self.assertIn(" skipped (", pruned.stdout)
        whole = self.run_program(*command, "--no-pruning")
        self.assertNotIn("skipped", whole.stdout)
        hashes = [re.search("rows ([0-9a-f]{32})", run.stdout)[1] for run in (pruned, whole)]
        self.assertEqual(hashes[0], hashes[1])

    def test_costs_of_blocks_are_the_users(self):
        """Every design's area and power by hand, from blocks that a file gives."""
        layer = self.write("layer.m", """\
Network n { Layer conv { Type: CONV Dimensions { K: 32, C: 16, R: 3, S: 3, Y: 10, X: 10 }
  Dataflow { TemporalMap(P_c,P_c) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(P_k,P_k) K; } } }
""")
        cost = self.write("cost.yaml", """\
cost:
  about: blocks of ours
  mac: {area_um2: 100, power_mw: 2}
  l1: {cell_bytes: 16, area_um2: 10, power_mw: 0.5}
  l2: {cell_bytes: 1024, area_um2: 1000, power_mw: 3}
  bus: {area_um2: 7, power_mw: 0.25, per_unit: 2, constant: 1}
  arbiter: {area_um2: 5, power_mw: 0.125, per_unit_squared: 1}
  l1_access_macs: 0.5
  l2_access_macs: [{bytes: 256, macs: 2}, {bytes: 4096, macs: 8}]
""")
        knobs = ["--set", "units=4..16*2", "--set", "P_c=1..16*2", "--set", "P_k=1,4", "--set", "noc=2,8", "--keep-all"]
        told = self.run_program("explore", layer, *knobs, "--cost", cost)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertIn("area and power: blocks of ours", told.stdout)
        rows = [json.loads(line) for line in self.run_program("explore", layer, *knobs, "--cost", cost, "--jsonl", "-",
                                                              "--quiet").stdout.splitlines()]
        usual = [json.loads(line) for line in self.run_program("explore", layer, *knobs, "--jsonl", "-",
                                                               "--quiet").stdout.splitlines()]
        self.assertEqual(len(rows), 3 * 5 * 2 * 2)
        for row, plain in zip(rows, usual):
            units, noc = row["units"], row["noc"]
            l1, l2 = -(-row["l1_bytes"] // 16), -(-row["l2_bytes"] // 1024)
            area = units * (100 + 10 * l1) + 1000 * l2 + 7 * (2 * units + 1) * noc + 5 * units ** 2
            power = units * (2 + 0.5 * l1) + 3 * l2 + 0.25 * (2 * units + 1) * noc + 0.125 * units ** 2
            self.assertAlmostEqual(row["area_mm2"], area * 1e-6)
            self.assertAlmostEqual(row["power_mw"], power)
            self.assertEqual(row["latency_cycles"], plain["latency_cycles"])
            self.assertNotEqual(row["energy_macs"], plain["energy_macs"])
        # A file of a space may name it, and a store is of one file only.
        space = self.write("space.yaml", "cost: cost.yaml\nset: {units: 4..16*2, P_c: 1..16*2, P_k: [1, 4], noc: [2, 8]}\n")
        named = self.run_program("explore", layer, "--space", space, "--keep-all", "--store", "e.sqlite")
        self.assertEqual(re.search("rows ([0-9a-f]{32})", named.stdout)[1], re.search("rows ([0-9a-f]{32})", told.stdout)[1])
        again = self.run_program("explore", layer, "--space", space, "--keep-all", "--store", "e.sqlite", "--cost",
                                 self.write("other.yaml", pathlib.Path(self.folder / "cost.yaml").read_text() + "\n"))
        self.assertEqual(again.returncode, 2)
        self.assertIn("holds another exploration", again.stderr)

    def test_other_spellings_of_an_attribute_are_replaced(self):
        written = self.total(self.machine("written.yaml", depth=2048))
        text = MACHINE.format(**BASE).replace("depth: 1024", "memory_depth: 1024")
        self.assertIn("memory_depth", text)
        self.assertEqual(self.total(self.write("other.yaml", text), "--set", "buffer.depth=2k"), written)
        text = MACHINE.format(**BASE).replace("depth: 1024", "entries: 8192")
        self.assertEqual(self.total(self.write("other.yaml", text), "--set", "buffer.depth=2k"), written)

    def test_limits_objectives_and_conditions(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2"]
        rows = self.rows(*knobs)
        area = sorted(float(row["area_mm2"]) for row in rows)[len(rows) // 2]
        limited = self.rows(*knobs, "--limit", f"area<{area}")
        self.assertEqual([row["status"] for row in limited],
                         ["valid" if float(row["area_mm2"]) < area else "over limit" for row in rows])
        best = self.rows(*knobs, "--best", "edp")
        self.assertEqual(float(best[0]["edp_pj_cycles"]), min(float(row["edp_pj_cycles"]) for row in rows))
        some = self.rows(*knobs, "--where", "buffer.depth>=2k,area_mm2<1e9")
        self.assertEqual({row["buffer.depth"] for row in some}, {"2048", "4096"})
        pairs = {(float(row["energy_pj"]), float(row["area_mm2"])) for row in rows}
        front = {pair for pair in pairs if not any(
            other != pair and other[0] <= pair[0] and other[1] <= pair[1] for other in pairs)}
        shown = self.rows(*knobs, "--pareto", "energy,area")
        self.assertEqual({(float(row["energy_pj"]), float(row["area_mm2"])) for row in shown}, front)

    def test_designs_that_cannot_be_are_named_and_the_others_measured(self):
        result = self.explore("--set", "buffer.width=64,4", "--jsonl", "-")
        good, bad = map(json.loads, result.stdout.splitlines())
        self.assertEqual((good["status"], bad["status"]), ("valid", "failed"))
        self.assertEqual(bad["buffer.width"], 4)
        nothing = self.explore("--set", "buffer.width=4")
        self.assertEqual(nothing.returncode, 1)
        self.assertIn("a row of 4 bits cannot hold one word of 8 bits", nothing.stdout)

    def test_given_energies_stay_unless_they_are_estimated_anew(self):
        text = MACHINE.format(**BASE).replace("depth: 1024", "vector_access_energy: 20, depth: 1024")
        machine = self.write("given.yaml", text)
        command = ["explore", "--arch", machine, *LAYER, "--set", "buffer.depth=1k,2k"]
        self.assertIn("--reestimate", self.run_program(*command).stdout)
        anew = self.run_program(*command, "--reestimate", "--csv", "-").stdout
        self.assertEqual(anew, self.explore("--set", "buffer.depth=1k,2k", "--csv", "-").stdout)

    def test_the_table(self):
        result = self.explore("--set", "buffer.depth=512,1k")
        self.assertIn("2 of 2 points explored: 2 evaluated (2 valid)", result.stdout)
        self.assertRegex(result.stdout, r"rows [0-9a-f]{32}")
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 160, line)

    def test_a_store_that_is_killed_again_and_again_goes_on(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "DRAM.read_bandwidth=1..8*2", "--set", "PE.meshX=2..8*2"]
        quiet = self.explore(*knobs, "--threads", "1", "-o", "quiet")
        expected = re.search("rows ([0-9a-f]{32})", quiet.stdout)[1]
        command = [PROGRAM, "explore", "--arch", self.machine(), *LAYER, *knobs, "--store", "e.sqlite"]
        done, killed, partial = 0, 0, 0
        for attempt in range(1000):
            program = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "TILEWRIGHT_CACHE": ""})
            goal = done + 5  # points, not seconds: how fast the machine is decides nothing
            while program.poll() is None and (killed < 6 or partial < 2):
                if self.count() >= goal:
                    program.send_signal(signal.SIGKILL if killed % 3 < 2 else signal.SIGINT)
                    program.wait()
                    killed += 1
                time.sleep(0.002)
            output = program.communicate()[0].decode()
            done = self.count()
            partial += 0 < done < 48
            if program.returncode == 0 and (killed >= 3 and partial >= 2):
                break
            if program.returncode == 0:  # it was too quick for us: once more from the beginning
                for left in self.folder.glob("e.sqlite*"):
                    left.unlink()
                done = 0
        self.assertGreaterEqual(killed, 3)
        self.assertGreaterEqual(partial, 2)
        self.assertIn("48 of 48 points explored", output)
        self.assertEqual(re.search("rows ([0-9a-f]{32})", output)[1], expected)
        self.assertEqual(self.count(), 48)
        other = self.explore("--set", "buffer.depth=512", "--store", "e.sqlite")
        self.assert_fails(other, 2, "e.sqlite: error: holds another exploration: ")

    def count(self):
        path = self.folder / "e.sqlite"
        if not path.exists():
            return 0
        try:
            with sqlite3.connect(path, timeout=60) as store:
                return store.execute("SELECT count(*) FROM result").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # not made yet

    def test_processes_share_a_store(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2"]
        command = [PROGRAM, "explore", "--arch", self.machine(), *LAYER, *knobs, "--store", "e.sqlite"]
        workers = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                    env={**os.environ, "TILEWRIGHT_CACHE": ""}) for _ in range(3)]
        outputs = {re.search("rows ([0-9a-f]{32})", worker.communicate()[0].decode())[1] for worker in workers}
        alone = self.explore(*knobs)
        self.assertEqual(outputs, {re.search("rows ([0-9a-f]{32})", alone.stdout)[1]})

    def test_what_a_problem_file_includes_is_part_of_the_exploration(self):
        shape = "problem:\n  shape: {name: dot, dimensions: [K], data_spaces: [{name: A, projection: [[[K]]]}, " \
                "{name: Z, projection: [[]], read_write: true}]}\n"
        self.write("dot.yaml", shape)
        self.write("layer.yaml", "problem: {shape: dot, instance: {K: 64}}\n")
        self.write("net.yaml", "!include layer.yaml\n")
        command = ["explore", "--arch", self.machine(), "--net", "net.yaml", "--set", "buffer.depth=512,1k", "--store", "e.sqlite"]
        prepared = self.run_program(*command, "--prepare")
        self.assertEqual(prepared.returncode, 0, prepared.stderr)
        with sqlite3.connect(self.folder / "e.sqlite") as store:
            names = {pathlib.Path(name).name for (name,) in store.execute("SELECT name FROM input")}
        self.assertEqual(names, {"m.yaml", "net.yaml", "layer.yaml", "dot.yaml"})
        self.write("layer.yaml", "problem: {shape: dot, instance: {K: 32}}\n")
        self.assertEqual(self.run_program(*command).returncode, 2, "another exploration than the store's")

    def test_a_page_with_the_front_across_all_knobs(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2"]
        made = self.explore(*knobs, "--pareto", "energy,area", "--html", "page.html", "--svg", "pictures", "-o", "out")
        self.assertEqual(made.returncode, 0, made.stderr)
        for picture in ("explored", "parallel"):
            self.assertIn("</svg>", (self.folder / "pictures" / f"{picture}.svg").read_text())
        page = (self.folder / "page.html").read_text()
        data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
        designs, parallel = data["figures"]
        front = re.findall(r"^ +([0-9]+) +[0-9]+ +[0-9]+ .* valid", made.stdout, re.MULTILINE)
        self.assertGreaterEqual(len(front), 2)
        self.assertEqual([len(series["marks"]) for series in designs["chart"]["series"]], [12, len(front)])
        self.assertEqual([len(series["marks"]) for series in parallel["chart"]["series"]], [4] * len(front))
        self.assertIn("The axes, from the least to the most: buffer.depth (512 to 4096), PE.meshX (2 to 8), energy (", parallel["caption"])
        shown = self.run_program("explore", "show", "out/explore.sqlite", "--pareto", "energy,area", "--html", "again.html", "-q",
                                 "--color", "PE.meshX")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for name in ("PE.meshX 2", "PE.meshX 4", "PE.meshX 8", "the front"):
            self.assertIn(f'"{name}"', (self.folder / "again.html").read_text())
        self.assertIn("parallel coordinates", (self.folder / "again.html").read_text())

    def test_results_in_a_folder_and_one_document(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2", "--pareto", "energy,area"]
        made = self.explore(*knobs, "-o", "out")
        self.assertEqual((made.returncode, self.files()[-4:]),
                         (0, ["out/explore.sqlite", "out/report.html", "out/report.json", "out/report.txt"]), made.stderr)
        self.assertEqual((self.folder / "out/report.txt").read_text(), made.stdout)
        written = (self.folder / "out/report.json").read_text()
        self.assertEqual(self.explore(*knobs, "--json").stdout, written)
        document = json.loads(written)
        if jsonschema is not None:
            schema = json.loads((ROOT / "schemas/exploration-1.schema.json").read_text())
            jsonschema.validate(document, schema)
        lines = [json.loads(line) for line in self.explore(*knobs, "--jsonl", "-").stdout.splitlines()]
        self.assertEqual(document["points"], lines)
        self.assertEqual(document["counts"]["points"], 12)
        self.assertEqual([knob["values"] for knob in document["knobs"]], [[512, 1024, 2048, 4096], [2, 4, 8]])
        self.assertIn(f"rows {document['rows_xxh3']}", made.stdout)
        shown = self.run_program("explore", "show", "out/explore.sqlite", "--pareto", "energy,area", "--json")
        self.assertEqual(json.loads(shown.stdout)["points"], lines)
        self.assert_fails(self.explore(*knobs, "--json", "--csv", "-"), 2, "...--json and --csv - both want standard output")
        self.assert_fails(self.explore(*knobs, "--html", "nowhere/page.html"), 2, "...nowhere/page.html: error: cannot write")

    def test_show(self):
        self.explore("--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2", "-o", "out")
        shown = self.run_program("explore", "show", "out/explore.sqlite", "--pareto", "energy,area", "--top", "2",
                                 "--where", "area_mm2<16")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("the front of energy_pj and area_mm2", shown.stdout)
        with sqlite3.connect(self.folder / "out" / "explore.sqlite") as store:
            self.assertEqual(store.execute('SELECT count(*) FROM points WHERE "buffer.depth" >= 2048').fetchone()[0], 6)
            self.assertGreater(store.execute("SELECT count(*) FROM pareto").fetchone()[0], 0)


if __name__ == "__main__":
    import unittest
    unittest.main()
