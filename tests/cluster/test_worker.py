"""tilewright explore with PostgreSQL: the same rows as SQLite's, workers elsewhere without files, least privileges, no secrets."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest

from server import PROGRAM, ROOT, WORKER, Case, query, state_of

MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 1024, width: 64}}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component {name: spad, class: regfile, attributes: {depth: 64, width: 8}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
LAYER = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=48,n=64,k=96"]
KNOBS = ["--set", "buffer.depth=512..4k*2", "--set", "PE.meshX=2..8*2", "--set", "buffer.width=64,4"]
POINTS = 24

GRANTS = """
GRANT USAGE ON SCHEMA {schema} TO tilewright_worker;
GRANT SELECT ON tilewright_explore, specification, knob, knob_value, metric, argument, input, control, incumbent TO tilewright_worker;
GRANT SELECT, INSERT, UPDATE ON chunk TO tilewright_worker;
GRANT SELECT ON result TO tilewright_worker;
GRANT INSERT ON result, failure, poison, incumbent TO tilewright_worker;
"""


def rows(text):
    found = re.search("rows ([0-9a-f]{32})", text)
    return found[1] if found else text


class Worker(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "m.yaml").write_text(MACHINE)

    def explore(self, *arguments, machine="m.yaml", **variables):
        return self.run_program(PROGRAM, "explore", "--arch", machine, *LAYER, *KNOBS, *arguments, **variables)

    def worker_elsewhere(self, *arguments, **variables):
        """In a folder without the machine."""
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        return subprocess.Popen([PROGRAM, "explore", "worker", "--store", self.store, "--threads", "1", *arguments],
                                cwd=elsewhere, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **variables})

    def assert_fails(self, done, message):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)

    def test_the_same_rows_as_with_sqlite(self):
        quiet = self.explore("--store", "e.sqlite")
        self.assertEqual(quiet.returncode, 0, quiet.stderr)
        self.assertIn("12 failed", quiet.stdout)  # messages are among what is compared
        here = self.explore("--store", self.store)
        self.assertEqual(here.returncode, 0, here.stderr)
        self.assertEqual(rows(here.stdout), rows(quiet.stdout))
        shown = self.run_program(PROGRAM, "explore", "show", self.store, "--pareto", "energy,area", "--csv", "-")
        other = self.run_program(PROGRAM, "explore", "show", "e.sqlite", "--pareto", "energy,area", "--csv", "-")
        self.assertEqual(shown.stdout, other.stdout)
        self.assertGreater(len(shown.stdout.splitlines()), 1)
        with sqlite3.connect(self.folder / "e.sqlite") as store:
            for view in ("points", "pareto", "failures"):
                count = store.execute(f"SELECT count(*) FROM {view}").fetchone()[0]
                self.assertEqual(self.number(f"SELECT count(*) FROM {view}"), count, view)
            wide = store.execute('SELECT count(*) FROM points WHERE "buffer.depth" >= 2048').fetchone()[0]
        self.assertEqual(self.number('SELECT count(*) FROM points WHERE "buffer.depth" >= 2048'), wide)

    def test_workers_elsewhere(self):
        absolute = str(self.folder / "m.yaml")  # in messages of designs that fail, and those are among the rows
        quiet = rows(self.explore("--store", "e.sqlite", machine=absolute).stdout)
        prepared = self.explore("--store", self.store, "--prepare", machine=absolute)
        self.assertEqual(prepared.returncode, 0, prepared.stderr)
        self.assertEqual(self.number("SELECT count(*) FROM result"), 0)
        (self.folder / "m.yaml").rename(self.folder / "gone.yaml")
        workers = [self.worker_elsewhere() for _ in range(2)]
        for worker in workers:
            out, error = worker.communicate()
            self.assertEqual((worker.returncode, out), (0, "all points are explored\n"), error)
        shown = self.run_program(PROGRAM, "explore", "show", self.store)
        self.assertEqual(rows(shown.stdout), quiet)
        self.assertEqual(self.query("SELECT count(*) FROM result WHERE status = 2"), ["12"])
        self.assertEqual(self.query("SELECT count(*) FROM failure WHERE message LIKE '%tilewright-worker%'"), ["0"])
        again = self.worker_elsewhere()
        self.assertEqual(again.communicate()[0], "all points are explored\n")

    def test_least_privileges_and_secrets(self):
        self.explore("--store", self.store, "--prepare")
        query("DROP ROLE IF EXISTS tilewright_worker")
        query("CREATE ROLE tilewright_worker LOGIN PASSWORD 'tell-nobody'")
        query(GRANTS.format(schema=self.schema), self.schema)
        self.addCleanup(query, "DROP OWNED BY tilewright_worker; DROP ROLE tilewright_worker")
        wrong = self.worker_elsewhere(PGUSER="tilewright_worker", PGPASSWORD="tell-everybody")
        out, error = wrong.communicate()
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("no connection: ", error)
        self.assertNotIn("tell-everybody", out + error)
        passwords = self.folder / "pgpass"
        passwords.write_text("*:*:*:tilewright_worker:tell-nobody\n")
        passwords.chmod(0o600)
        environment = {name: value for name, value in os.environ.items() if name != "PGPASSWORD"}
        service = self.folder / "service.conf"
        service.write_text(f"[sweep]\nhost=localhost\nport={os.environ['PGPORT']}\ndbname=postgres\n"
                           f"user=tilewright_worker\noptions=-csearch_path={self.schema}\n")
        good = subprocess.run([PROGRAM, "explore", "worker", "--store", "postgresql://?service=sweep"],
                              cwd=self.folder, capture_output=True, text=True,
                              env={**environment, "PGPASSFILE": str(passwords), "PGSERVICEFILE": str(service)})
        self.assertEqual((good.returncode, good.stdout), (0, "all points are explored\n"), good.stderr)
        shown = self.run_program(PROGRAM, "explore", "show", self.store, "--csv", "x.csv")
        self.assertIn(f"{POINTS} of {POINTS} points explored", shown.stdout)
        for text in [shown.stdout, (self.folder / "x.csv").read_text()]:
            self.assertNotIn("tell-nobody", text)
        found = self.query("SELECT string_agg(text, ' ') FROM argument")
        self.assertNotIn("postgresql://", found[0])
        # Not more than what it needs.
        for sql in ("DELETE FROM result", "UPDATE control SET stopped = true", "DROP TABLE chunk", "SELECT * FROM poison"):
            with self.assertRaises(RuntimeError, msg=sql):
                query(sql, self.schema, PGUSER="tilewright_worker", PGPASSWORD="tell-nobody")

    def test_passwords_in_a_url_are_refused(self):
        for secret in ("postgresql://me:hush@localhost/x", "postgresql://localhost/x?password=hush",
                       "postgresql://localhost/x?sslpassword=hush"):
            for command in (["explore", "worker", "--store", secret], ["explore", "show", secret],
                            ["explore", "--arch", "m.yaml", *LAYER, *KNOBS, "--store", secret]):
                done = self.run_program(PROGRAM, *command)
                self.assert_fails(done, "a password in the URL is seen by everybody who lists the processes")
                self.assertNotIn("hush", done.stdout + done.stderr)
        strange = self.run_program(PROGRAM, "explore", "show", "postgresql://me:hush@localhost:99x/?=hush")
        self.assert_fails(strange, "expected a URL such as postgresql://HOST/DATABASE")
        self.assertNotIn("hush", strange.stderr)

    def test_no_server_and_no_exploration(self):
        nobody = self.run_program(PROGRAM, "explore", "show", "postgresql://localhost:1/none")
        self.assert_fails(nobody, "postgresql://localhost:1/none: error: no connection: ")
        empty = self.run_program(PROGRAM, "explore", "worker", "--store", self.store)
        self.assert_fails(empty, "holds no exploration")
        query("SELECT 1")
        nowhere = self.run_program(PROGRAM, "explore", "show", "postgresql://?options=-csearch_path%3Dnone")
        self.assert_fails(nowhere, "has none of the schemas in its search_path")

    def test_another_exploration_is_refused(self):
        self.explore("--store", self.store, "--prepare")
        other = self.explore("--store", self.store, "--set", "PE.meshY=1,2")
        self.assertEqual(other.returncode, 2)
        other = self.explore("--store", self.store, "--objective", "latency")
        self.assert_fails(other, "holds another exploration: its 'option objective' is ")

    def test_stop(self):
        self.explore("--store", self.store, "--prepare")
        stopped = self.run_program(PROGRAM, "explore", "stop", self.store)
        self.assertEqual(stopped.returncode, 0, stopped.stderr)
        worker = self.worker_elsewhere()
        self.assertEqual(worker.communicate()[0], "told to stop\n")
        self.assertEqual(self.number("SELECT count(*) FROM result"), 0)
        goes_on = self.explore("--store", self.store)
        self.assertIn(f"{POINTS} of {POINTS} points explored", goes_on.stdout)

    def test_workers_tell_each_other_what_they_found(self):
        wish = ["--set", "DRAM.read_bandwidth=1..16*4", "--set", "technology=45nm,65nm", "--pareto", "energy,area",
                "--discard"]
        quiet = self.explore(*wish, "--store", "e.sqlite")
        self.assertEqual(quiet.returncode, 0, quiet.stderr)
        self.explore(*wish, "--store", self.store, "--prepare")
        query("DROP ROLE IF EXISTS tilewright_worker")
        query("CREATE ROLE tilewright_worker LOGIN PASSWORD 'x'")
        query(GRANTS.format(schema=self.schema), self.schema)
        self.addCleanup(query, "DROP OWNED BY tilewright_worker; DROP ROLE tilewright_worker")
        workers = [self.worker_elsewhere(PGUSER="tilewright_worker", PGPASSWORD="x") for _ in range(3)]
        for worker in workers:
            out, error = worker.communicate()
            self.assertEqual(out, "all points are explored\n", error)
        shown = self.run_program(PROGRAM, "explore", "show", self.store)
        self.assertEqual(rows(shown.stdout), rows(quiet.stdout))
        self.assertGreater(self.number("SELECT count(*) FROM incumbent"), 0)
        self.assertGreater(self.number("SELECT sum(skipped) FROM chunk"), 0)

    def test_workers_at_work_are_told_to_stop(self):
        worker = self.start(WORKER, "run", self.store, 20_000, 10, "freeze=committed:3")
        self.until(lambda: b"T" in state_of(worker))
        self.assertEqual(self.run_program(PROGRAM, "explore", "stop", self.store).returncode, 0)
        worker.send_signal(signal.SIGCONT)
        self.assertEqual(worker.communicate()[0][:8], "stopped:")
        self.assertEqual(self.number("SELECT count(*) FROM chunk WHERE state = 1"), 0)
        self.assertEqual(self.number("SELECT sum(hi - lo) FROM chunk WHERE state = 2"), 30)

    def test_a_worker_of_an_sqlite_file(self):
        quiet = rows(self.explore("--store", "quiet.sqlite").stdout)
        self.explore("--store", "e.sqlite", "--prepare")
        (self.folder / "m.yaml").rename(self.folder / "gone.yaml")
        done = self.run_program(PROGRAM, "explore", "worker", "--store", "e.sqlite")
        self.assertEqual((done.returncode, done.stdout), (0, "all points are explored\n"), done.stderr)
        self.assertEqual(rows(self.run_program(PROGRAM, "explore", "show", "e.sqlite").stdout), quiet)

    def run_launcher(self, text):
        """A command of docs/cluster.md, of which one worker is killed: all points are explored all the same."""
        self.explore("--store", self.store, "--prepare")
        programs = self.folder / "programs"
        programs.mkdir()
        # The first worker of all dies at once.
        (programs / "tilewright").write_text(f"""#!/bin/bash
if mkdir "{self.folder}/one" 2>/dev/null; then kill -9 $$; fi
exec "{PROGRAM}" "$@"
""")
        (programs / "tilewright").chmod(0o755)
        done = self.run_program("bash", "-c", text, STORE=self.store, PATH=f"{programs}:{os.environ['PATH']}")
        self.assertTrue((self.folder / "one").exists())
        self.assertEqual(done.stdout.count("all points are explored"), 4, done.stdout + done.stderr)
        self.assertEqual(self.number("SELECT count(*) FROM result"), POINTS)

    @staticmethod
    def launcher_of(beginning):
        """The block of docs/cluster.md that follows the line that begins so."""
        lines = (ROOT / "docs" / "cluster.md").read_text().splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith(beginning))
        start = next(i for i in range(start, len(lines)) if lines[i].startswith("    "))
        end = next(i for i in range(start, len(lines)) if lines[i] and not lines[i].startswith("    "))
        return "\n".join(lines[start:end])

    def test_a_shell_as_the_launcher(self):
        self.run_launcher(self.launcher_of("A shell, four workers"))

    def test_gnu_parallel_as_the_launcher(self):
        if shutil.which("parallel") is None:
            self.skipTest("no GNU parallel")
        self.run_launcher(self.launcher_of("GNU parallel"))

    def test_dataflows(self):
        (self.folder / "layer.m").write_text("""\
Network n { Layer conv { Type: CONV Dimensions { K: 32, C: 16, R: 3, S: 3, Y: 10, X: 10 }
  Dataflow { TemporalMap(P_c,P_c) C; TemporalMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X; SpatialMap(P_k,P_k) K; } } }
""")
        command = ["explore", "layer.m", "--set", "units=4..32*2", "--set", "P_c=1..16", "--set", "P_k=1..32", "--set",
                   "noc=2..16*2", "--limit", "area<1"]
        quiet = self.run_program(PROGRAM, *command, "--store", "e.sqlite")
        prepared = self.run_program(PROGRAM, *command, "--store", self.store, "--prepare")
        self.assertEqual(prepared.returncode, 0, prepared.stderr)
        worker = self.worker_elsewhere()
        self.assertEqual(worker.communicate()[0], "all points are explored\n")
        shown = self.run_program(PROGRAM, "explore", "show", self.store)
        self.assertEqual(rows(shown.stdout), rows(quiet.stdout))


if __name__ == "__main__":
    unittest.main()
