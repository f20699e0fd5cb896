"""Stores of explorations: large grids, what is damaged, workers and the paths they read, who may read but not write."""

import ctypes
import ctypes.util
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from program import PROGRAM, Case
from test_explore import BASE, LAYER, MACHINE


def xxh3_128(data):
    """As xxh128sum prints it, by the library itself."""
    name = ctypes.util.find_library("xxhash")
    if name is None:
        raise unittest.SkipTest("no libxxhash to make a seal with")

    class Hash(ctypes.Structure):
        _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]

    library = ctypes.CDLL(name)
    library.XXH3_128bits.restype = Hash
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    found = library.XXH3_128bits(data, len(data))
    return f"{found.high:016x}{found.low:016x}"


class ExploreStore(Case):
    def setUp(self):
        super().setUp()
        self.write("m.yaml", MACHINE.format(**BASE))

    def explore(self, *arguments):
        return self.run_program("explore", "--arch", "m.yaml", *LAYER, *arguments)

    def sql(self, text, file="e.sqlite"):
        with sqlite3.connect(self.folder / file, timeout=60) as store:
            return store.execute(text).fetchall()

    def rows(self):
        try:
            return self.sql("SELECT count(*) FROM result")[0][0]
        except sqlite3.OperationalError:
            return 0  # not made yet

    def started(self, *arguments, memory=None):
        import resource
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
        process = subprocess.Popen([PROGRAM, "explore", "--arch", "m.yaml", *LAYER, *arguments, "--store", "e.sqlite"], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
                                   env={**os.environ, "TILEWRIGHT_CACHE": ""})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_grid_of_a_million_million_points_keeps_every_one_that_is_known(self):
        knobs = ["--set", "seed=1..1000", "--set", "buffer.depth=1001..2000", "--set", "spad.depth=1001..2000", "--set",
                 "DRAM.read_bandwidth=1..1000"]
        process = self.started(*knobs, "--threads", "2", memory=4 << 30)
        while process.poll() is None and self.rows() < 20:
            time.sleep(0.02)
        self.assertIsNone(process.poll(), "it has enough to do")
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
        self.assertEqual(process.returncode, 130, error)
        rows = self.rows()
        self.assertGreaterEqual(rows, 20)
        self.assertIn(f"{rows} of 1,000,000,000,000 points explored", out.replace(f"{rows:,} of", f"{rows} of"))
        # Kept a few at a time, whatever the grid: no chunk that is done is larger than what is measured side by side.
        self.assertLessEqual(self.sql("SELECT max(hi - lo) FROM chunk WHERE state = 2")[0][0], 2)
        self.assertLessEqual(self.sql("SELECT count(*) FROM chunk WHERE state < 2")[0][0], 200_000)
        again = self.started(*knobs, "--threads", "2")
        while again.poll() is None and self.rows() < rows + 10:
            time.sleep(0.02)
        again.kill()
        again.communicate()
        shown = self.run_program("explore", "show", "e.sqlite")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(self.sql("SELECT sum(hi - lo) FROM chunk"), [(10**12,)])

    def test_networks_of_a_large_grid_are_read_once_each(self):
        process = self.started("--set", "buffer.depth=1001..2000", "--set", "spad.depth=1001..2000", "--set", "seed=1..1000",
                               "--set", "DRAM.read_bandwidth=1..1000", "--set", "objective=edp,energy")
        while process.poll() is None and self.rows() < 2:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)

    def test_a_large_grid_of_dataflows_is_kept_piece_by_piece(self):
        self.write("layer.m", """\
Network n { Layer conv { Type: CONV Dimensions { K: 32, C: 16, R: 3, S: 3, Y: 10, X: 10 }
  Dataflow { TemporalMap(P_c,P_c) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(P_k,P_k) K; } } }
""")
        command = [PROGRAM, "explore", "layer.m", "--set", "units=1..1000", "--set", "P_c=1..1000", "--set", "P_k=1..1000", "--set",
                   "noc=1..1000", "--store", "e.sqlite"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while process.poll() is None and self.rows() < 70_000:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
        self.assertEqual(process.returncode, 130, error)
        self.assertGreaterEqual(self.rows(), 70_000)
        self.assertLessEqual(self.sql("SELECT max(rows) FROM chunk")[0][0], 65_536)

    def test_one_point_chunks_that_are_killed_are_measured_after_all(self):
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2"]
        expected = re.search("rows ([0-9a-f]{32})", self.explore(*knobs).stdout)[1]
        self.assertEqual(self.explore(*knobs, "--store", "e.sqlite", "--prepare").returncode, 0)
        # As three kills leave it: a chunk of one point, claimed by who is dead.
        self.sql("UPDATE chunk SET hi = lo + 1, state = 1, owner = '1 1', attempts = 3 WHERE lo = 0")
        self.sql("INSERT INTO chunk(lo, hi) SELECT 1, min(lo) FROM chunk WHERE lo > 0 HAVING min(lo) > 1")
        self.sql("INSERT INTO chunk(lo, hi) SELECT 1, 12 WHERE (SELECT count(*) FROM chunk) = 1")
        out = self.explore(*knobs, "--store", "e.sqlite").stdout
        self.assertEqual(re.search("rows ([0-9a-f]{32})", out)[1], expected)
        # And one that four died on, which was given up: the next run tries it.
        self.sql("UPDATE chunk SET state = 1, owner = '1 1', attempts = 4 WHERE lo = 0 AND hi = 1")
        self.sql("DELETE FROM result WHERE point = 0")
        given_up = self.explore(*knobs, "--store", "e.sqlite").stdout
        self.assertIn("given up: 4 workers died while they measured it", given_up)
        self.assertEqual(self.sql("SELECT point FROM poison"), [(0,)])
        next_run = self.explore(*knobs, "--store", "e.sqlite").stdout
        self.assertEqual(re.search("rows ([0-9a-f]{32})", next_run)[1], expected)
        self.assertEqual(self.sql("SELECT point FROM poison"), [])

    def test_parts_that_were_explored_apart_are_put_together(self):
        """As tasks of a job do without a server: a file each, of other points."""
        knobs = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2"]
        whole = self.explore(*knobs, "--store", "e.sqlite")
        expected = re.search("rows ([0-9a-f]{32})", whole.stdout)[1]
        for name, points in (("a", "0..4"), ("b", "5..7"), ("c", "8..11")):
            part = self.explore(*knobs, "--store", f"{name}.sqlite", "--points", points)
            self.assertEqual(part.returncode, 0, part.stderr)
            first, last = map(int, points.split(".."))
            self.assertEqual(self.sql("SELECT min(point), max(point), count(*) FROM result", f"{name}.sqlite"),
                             [(first, last, last - first + 1)])
        merged = self.run_program("explore", "merge", "a.sqlite", "b.sqlite", "c.sqlite", "--store", "all.sqlite")
        self.assertEqual((merged.returncode, merged.stderr), (0, ""))
        self.assertEqual(merged.stdout, "12 points put into all.sqlite: tilewright explore show all.sqlite\n")
        shown = self.run_program("explore", "show", "all.sqlite")
        self.assertEqual(re.search("rows ([0-9a-f]{32})", shown.stdout)[1], expected)
        again = self.run_program("explore", "merge", "b.sqlite", "all.sqlite", "--store", "all.sqlite")
        self.assertIn("0 points put into", again.stdout)
        # What lies in part there already is no part; another exploration is none, either.
        self.explore(*knobs, "--store", "d.sqlite", "--points", "3..11")
        self.sql("DELETE FROM result WHERE point > 0", "a.sqlite")
        self.assert_fails(self.run_program("explore", "merge", "a.sqlite", "--store", "d.sqlite"), 2, "a.sqlite: error: is damaged")
        self.explore("--set", "buffer.depth=512,1k", "--store", "o.sqlite")
        self.assert_fails(self.run_program("explore", "merge", "o.sqlite", "--store", "b.sqlite"), 2,
                          "o.sqlite: error: holds another exploration than b.sqlite")
        for wrong in ("7..3", "0..12", "-1..2", "x", "1..", "0..1.5"):
            self.assert_fails(self.explore(*knobs, "--store", "w.sqlite", "--points", wrong), 2,
                              "...--points takes FIRST..LAST, from 0 to 11")
        self.assert_fails(self.explore(*knobs, "--points", "0..1"), 2, "...--points keeps a part")

    def test_a_changed_row_is_found_out(self):
        knobs = ["--set", "buffer.depth=512..4k*2"]
        self.explore(*knobs, "--store", "e.sqlite")
        self.sql("UPDATE result SET energy_pj = energy_pj * 0.9 WHERE point = 2")
        for arguments in (["show", "e.sqlite"], ["--arch", "m.yaml", *LAYER, *knobs, "--store", "e.sqlite"]):
            result = self.run_program("explore", *arguments)
            self.assert_fails(result, 2, "e.sqlite: error: is damaged: the row of point 2 is not what was written")

    def test_values_that_are_no_numbers_are_texts(self):
        result = self.explore("--set", "buffer.depth=NaN,1k", "--store", "e.sqlite", "--jsonl", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        bad, good = map(json.loads, result.stdout.splitlines())
        self.assertEqual((bad["status"], good["status"]), ("failed", "valid"))
        self.assertNotIn("SQLite", result.stdout + result.stderr)
        self.assertEqual(self.sql("SELECT value FROM knob_value ORDER BY position"), [("NaN",), (1024,)])

    def test_limits_are_bounds(self):
        for limit in ("area_mm2=2", "energy!=1"):
            result = self.explore("--set", "buffer.depth=512,1k", "--limit", limit)
            self.assert_fails(result, 2, f"--limit {limit}: error: a limit is a bound: ")

    def test_help_of_what_explore_does_with_stores(self):
        for name, own, others in [("show", "--pareto", "--lease"), ("worker", "--allow", "--pareto"), ("stop", "--quiet", "--set")]:
            for arguments in ([name, "--help"], [name, "-h"]):
                result = self.run_program("explore", *arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertTrue(result.stdout.startswith(f"tilewright explore {name}: "), result.stdout)
                self.assertIn(f"usage:   tilewright explore {name} ", result.stdout)
                self.assertIn(own, result.stdout)
                self.assertNotIn(others, result.stdout)

    def test_show_needs_no_permission_to_write(self):
        self.explore("--set", "buffer.depth=512..4k*2", "-o", "out")
        expected = self.run_program("explore", "show", "out/explore.sqlite").stdout
        digest = hashlib.sha256((self.folder / "out/explore.sqlite").read_bytes()).hexdigest()
        os.chmod(self.folder, 0o755)
        user = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if user and subprocess.run([PROGRAM, "--version"], capture_output=True, cwd="/", check=False, **user).returncode != 0:
            self.skipTest("nobody else may run the program here")
        for mode in (0o555, 0o777):
            os.chmod(self.folder / "out/explore.sqlite", 0o444)
            os.chmod(self.folder / "out", mode)
            shown = subprocess.run([PROGRAM, "explore", "show", "out/explore.sqlite"], capture_output=True, text=True, cwd=self.folder,
                                   check=False, **user)
            self.assertEqual((shown.returncode, shown.stdout), (0, expected), shown.stderr)
            self.assertEqual(hashlib.sha256((self.folder / "out/explore.sqlite").read_bytes()).hexdigest(), digest)

    def worker(self, *arguments):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        return subprocess.run([PROGRAM, "explore", "worker", "--store", self.folder / "e.sqlite", *arguments], cwd=elsewhere,
                              capture_output=True, text=True, check=False, env={**os.environ, "TILEWRIGHT_CACHE": ""})

    def forge(self, change, keep_files):
        """What whoever can write to a store can do: another command, with a seal that fits."""
        (folder,), *words = self.sql("SELECT text FROM argument ORDER BY position")
        words = [change(word) for (word,) in words]
        files = self.sql("SELECT name, bytes FROM input ORDER BY name") if keep_files else []
        texts = [folder.encode()]
        for word in words:
            texts += [b"argument", word.encode()]
        for name, data in files:
            texts += [b"file", name.encode(), data]
        seal = xxh3_128(b"".join(len(text).to_bytes(8, "little") + text for text in texts))
        if keep_files:
            self.assertEqual([(seal,)], self.sql("SELECT work FROM seal"))
        with sqlite3.connect(self.folder / "e.sqlite") as store:
            store.executemany("UPDATE argument SET text = ? WHERE position = ?", [(word, i + 1) for i, word in enumerate(words)])
            store.execute("UPDATE seal SET work = ?", (seal,))
            if not keep_files:
                store.execute("DELETE FROM input")

    REFUSED = "is not among the files that came with the work, and is not read: the worker's --allow names files and folders that are"

    def test_a_worker_reads_what_came_with_the_work_and_what_it_is_allowed(self):
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "m.yaml").write_text(MACHINE.format(**BASE))
        self.assertEqual(self.explore("--set", "buffer.depth=512,1k", "--store", "e.sqlite", "--prepare").returncode, 0)
        self.sql("UPDATE argument SET text = '/etc' WHERE position = 0")
        self.assertIn("is damaged: the command or its files are not what was written", self.worker().stderr)
        self.sql(f"UPDATE argument SET text = '{self.folder}' WHERE position = 0")
        self.forge(lambda word: word, keep_files=True)
        for path in (f"{secret}/m.yaml", f"{'../' * 40}{str(secret)[1:]}/m.yaml"):
            self.forge(lambda word, path=path: f"--arch={path}" if word.startswith("--arch=") else word, keep_files=False)
            refused = self.worker()
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(f"{path}: error: {self.REFUSED}", refused.stderr)
        self.assertEqual(self.rows(), 0)
        missing = self.worker("--allow", "nowhere")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--allow nowhere: error: there is no such file or folder", missing.stderr)
        self.forge(lambda word: f"--arch={secret}/m.yaml" if word.startswith("--arch=") else word, keep_files=False)
        os.symlink(secret, self.folder / "link")
        self.assertEqual(self.worker("--allow", str(self.folder / "elsewhere")).returncode, 2)
        allowed = self.worker("--allow", f"{self.folder / 'elsewhere'},{self.folder / 'link'}")
        self.assertEqual((allowed.returncode, allowed.stdout), (0, "all points are explored\n"), allowed.stderr)
        self.assertEqual(self.rows(), 2)
        other = self.explore("--set", "buffer.depth=512,1k", "--allow", str(secret))
        self.assert_fails(other, 2, "tilewright explore: error: --allow is for explore worker")


if __name__ == "__main__":
    unittest.main()
