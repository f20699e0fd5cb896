"""tilewright explore slurm: an array of Slurm jobs whose tasks are workers; stopped, resumed, and a worker killed."""

import os
import re
import signal
import subprocess
import unittest

from server import PROGRAM, Case, query
from test_worker import KNOBS, LAYER, MACHINE, POINTS, rows


class Slurm(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "m.yaml").write_text(MACHINE)
        whole = self.explore("--store", "e.sqlite")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.rows = rows(whole.stdout)
        prepared = self.explore("--store", self.store, "--prepare")
        self.assertEqual(prepared.returncode, 0, prepared.stderr)
        self.addCleanup(subprocess.run, ["scancel", "--me"], check=False)

    def explore(self, *arguments):
        # Of its place, for messages of designs that fail name it, and they are among the rows.
        return self.run_program(PROGRAM, "explore", "--arch", self.folder / "m.yaml", *LAYER, *KNOBS, *arguments)

    def submit(self, *options):
        """Two workers of a thread each; the number of the array."""
        script = self.run_program(PROGRAM, "explore", "slurm", "--store", self.store, "--workers", "2", *options)
        self.assertEqual(script.returncode, 0, script.stderr)
        done = subprocess.run(["sbatch", "--parsable", "--output", "task-%a.txt"], input=script.stdout, cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def said(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("task-*.txt")))

    def wait_for(self, job):
        self.until(lambda: not subprocess.run(["squeue", "--noheader", "--jobs", job], capture_output=True, text=True,
                                              check=False).stdout.strip())

    def hold_rows(self):
        """No worker can commit rows until what this returns is called."""
        name = f"holds {self.schema}"
        self.start("psql", "-XAtqc", "BEGIN; LOCK TABLE result IN SHARE MODE; SELECT pg_sleep(3600)",
                   PGOPTIONS=f"-csearch_path={self.schema}", PGAPPNAME=name)
        self.until(lambda: self.number("SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE granted AND "
                                       f"mode = 'ShareLock' AND application_name = '{name}'") > 0)
        return lambda: query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'")

    def blocked(self):
        """Workers that have measured a chunk and wait to commit it."""
        return self.number("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")

    def assert_all_explored(self):
        self.assertEqual(self.number("SELECT count(*) FROM result"), POINTS)
        shown = self.run_program(PROGRAM, "explore", "show", self.store)
        self.assertEqual(rows(shown.stdout), self.rows)

    def test_an_array_explores_all(self):
        self.wait_for(self.submit())
        self.assertEqual(self.said().count("all points are explored"), 2, self.said())
        self.assert_all_explored()

    def test_stopped_and_resumed(self):
        release = self.hold_rows()
        job = self.submit()
        self.until(lambda: self.blocked() == 2)
        subprocess.run(["scancel", "--signal=TERM", "--batch", job], check=True)
        self.until(lambda: self.said().count("told to end") == 2)
        release()
        self.wait_for(job)
        self.assertEqual(self.said().count("stopped; others may go on"), 2, self.said())
        done = self.number("SELECT count(*) FROM result")
        self.assertLess(done, POINTS)
        self.tell(f"{done} of {POINTS} points before it was stopped")
        self.wait_for(self.submit())
        self.assert_all_explored()

    def test_a_worker_that_is_killed_is_started_again(self):
        release = self.hold_rows()
        job = self.submit("--lease", "1")
        self.until(lambda: self.blocked() == 2)
        os.kill(self.a_worker(), signal.SIGKILL)
        self.until(lambda: "the worker ended with status 137; another one starts" in self.said())
        release()
        self.wait_for(job)
        self.assert_all_explored()

    def a_worker(self):
        """The process id of one that works for this test's store."""
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
        found = re.findall(rf"^\s*(\d+) \S*tilewright explore worker --store {re.escape(self.store)}", listed, re.MULTILINE)
        self.assertEqual(len(found), 2)
        return int(found[0])

    def test_the_script_says_what_was_asked(self):
        done = self.run_program(PROGRAM, "explore", "slurm", "--store", "postgresql://it's", "--workers", "64", "--threads",
                                "8", "--lease", "120")
        self.assertIn("\n#SBATCH --array=1-64\n#SBATCH --cpus-per-task=8\n", done.stdout)
        self.assertIn("--threads 8 --lease 120 &", done.stdout)
        self.assertIn("store='postgresql://it'\\''s'\n", done.stdout)
        for wrong, message in ((["--workers", "0"], "--workers takes a whole number from 1 to 100000"), (["--threads", "0"], "at least 1")):
            done = self.run_program(PROGRAM, "explore", "slurm", "--store", "postgresql://x", *wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        file = self.run_program(PROGRAM, "explore", "slurm", "--store", "s.sqlite")
        self.assertEqual((file.returncode, file.stdout), (2, ""))
        self.assertIn("explore slurm takes postgresql://...: the locks of an SQLite file hold between processes", file.stderr)
        self.assertIn("takes --store", self.run_program(PROGRAM, "explore", "slurm").stderr)


if __name__ == "__main__":
    unittest.main()
