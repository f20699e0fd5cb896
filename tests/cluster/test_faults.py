"""Workers and servers that are killed, cut off, late, or at odds: every point has one row, and the rows are those of a quiet run.

CLUSTER_POINTS and CLUSTER_OUTAGE (seconds) make the last test as large as one likes."""

import os
import signal
import time
import unittest

from server import WORKER, Case, kill_server, start_server, state_of, stop_server

LEASE = "lease=1500"


class Faults(Case):
    points = 20_000
    chunk = 200

    def worker(self, *settings, points=None, chunk=None):
        return self.start(WORKER, "run", self.store, points or self.points, chunk or self.chunk, LEASE, *settings)

    def quiet(self, *settings, points=None):
        done = self.run_program(WORKER, "quiet", points or self.points, 1000, *settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def shown(self):
        done = self.run_program(WORKER, "show", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def done(self):
        return self.number("SELECT sum(hi - lo) FROM chunk WHERE state = 2")

    def finish(self, *workers):
        """They end well; returns the numbers that they print."""
        numbers = []
        for worker in workers:
            out, error = worker.communicate()
            self.assertEqual(worker.returncode, 0, error)
            self.assertTrue(out.startswith("complete:"), out)
            words = out.split()
            numbers.append({words[i + 1]: int(words[i]) for i in range(1, len(words), 2)})
        return numbers

    def assert_quiet(self, *settings):
        """Every point has one row, and it is the one of a run that nothing happened to."""
        self.assertEqual(self.shown(), self.quiet(*settings))
        self.assertEqual(self.number("SELECT count(*) FROM result"), self.points)
        self.assertEqual(self.number("SELECT sum(hi - lo) FROM chunk"), self.points)

    def test_quiet(self):
        patient = "lease=600000"  # no worker dies: however slow the machine is, none is taken for dead
        workers = [self.worker(patient) for _ in range(3)]
        numbers = self.finish(*workers)
        self.assertEqual(sum(n["points"] for n in numbers), self.points, "no point twice")
        self.assertEqual(sum(n["lost"] for n in numbers), 0)
        self.assert_quiet()
        late = self.finish(self.worker())
        self.assertEqual(late[0]["claims"], 0, "a finished exploration is no work")

    def test_workers_are_killed(self):
        moments = ["claimed", "before_commit", "committed"]
        victims = [self.worker(f"die={moment}:{count}") for moment in moments for count in (1, 4)]
        for victim in victims:
            victim.communicate()
            self.assertEqual(victim.returncode, -signal.SIGKILL)
        before = self.done()
        self.assertGreater(before, 0)
        self.assertLess(before, self.points)
        left = self.number("SELECT count(*) FROM chunk WHERE state = 1")
        self.assertEqual(left, 4, "what two killed after a claim and two before a commit held")
        numbers = self.finish(self.worker(), self.worker())
        self.assertEqual(sum(n["points"] for n in numbers), self.points - before)
        self.assert_quiet()
        self.tell(f"{len(victims)} workers killed, {left} chunks measured again")

    def test_two_owners_of_one_chunk(self):
        frozen = self.worker("freeze=claimed:2")
        self.until(lambda: b"T" in state_of(frozen))
        self.assertEqual(self.done(), self.chunk)
        numbers = self.finish(self.worker())
        self.assertEqual(numbers[0]["points"], self.points - self.chunk, "its chunk is another's after its lease")
        frozen.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(frozen)[0]["lost"], 1, "who comes back too late commits nothing")
        self.assert_quiet()

    def test_a_design_that_kills(self):
        poison = 7_777
        killed = 0
        complete = False
        while not complete:
            worker = self.worker(f"poison={poison}", "lease=1000")
            out, error = worker.communicate()
            self.assertIn(worker.returncode, (0, -signal.SIGKILL), error)
            killed += worker.returncode == -signal.SIGKILL
            complete = worker.returncode == 0
        self.assertEqual(killed, 7, "three for its chunk, three for the point alone, one for its last try")
        self.assertEqual(self.query("SELECT point, attempts FROM poison"), [f"{poison}|4"])
        self.assertEqual(self.query(f"SELECT status FROM points WHERE point = {poison}"), ["failed"])
        self.assert_quiet(f"poison={poison}")
        # It was the workers, not the point: the next run tries it again.
        self.finish(self.worker("lease=1000"))
        self.assertEqual(self.query("SELECT count(*) FROM poison"), ["0"])
        self.assert_quiet()

    def test_what_somebody_changed_is_found_out(self):
        self.finish(self.worker())
        for sql, message in [("UPDATE result SET cost = cost + 1 WHERE point = 4711", "the row of point 4711 is not what was written"),
                             ("DELETE FROM result WHERE point = 4711", "it holds 19999 rows of the 20000 that were written"),
                             ("UPDATE chunk SET skipped = 1 WHERE lo = 400", "what was counted of points 400 to 599"),
                             ("DELETE FROM chunk WHERE lo = 400", "the points from 400 on are in no chunk"),
                             ("UPDATE knob_value SET text = '7' WHERE knob = 0 AND position = 3",
                              "what it says about itself is not what was written")]:
            self.query(f"CREATE SCHEMA copy_of; CREATE TABLE copy_of.kept AS SELECT * FROM {sql.split()[1 if sql[0] == 'U' else 2]}")
            self.query(sql)
            shown = self.run_program(WORKER, "show", self.store)
            self.assertEqual(shown.returncode, 2)
            self.assertIn("is damaged: " + message, shown.stderr)
            table = sql.split()[1 if sql[0] == "U" else 2]
            overriding = "OVERRIDING SYSTEM VALUE " if table == "chunk" else ""
            self.query(f"DELETE FROM {table}; INSERT INTO {table} {overriding}SELECT * FROM copy_of.kept; DROP SCHEMA copy_of CASCADE")
            self.assert_quiet()

    def test_what_is_not_of_this_program_is_refused_before_it_is_asked(self):
        self.finish(self.worker(points=1000))
        endless = "AS WITH RECURSIVE c(x) AS (SELECT 1::bigint UNION ALL SELECT x + 1 FROM c) SELECT x AS"
        for change, undo, table in [
                ("ALTER TABLE result RENAME TO kept; CREATE VIEW result " + endless + " point FROM c",
                 "DROP VIEW result; ALTER TABLE kept RENAME TO result", "result"),
                ("ALTER TABLE tilewright_explore RENAME TO kept; CREATE VIEW tilewright_explore " + endless + " schema FROM c",
                 "DROP VIEW tilewright_explore; ALTER TABLE kept RENAME TO tilewright_explore", "tilewright_explore"),
                ("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(9999); RETURN NEW; END'; "
                 "CREATE TRIGGER t BEFORE UPDATE ON chunk FOR EACH ROW EXECUTE FUNCTION f()", "DROP TRIGGER t ON chunk", "chunk"),
                ("CREATE RULE r AS ON INSERT TO failure DO ALSO DELETE FROM result", "", "failure")]:
            self.query(change)
            shown = self.run_program(WORKER, "show", self.store)
            self.assertEqual(shown.returncode, 2)
            self.assertIn(f"is damaged: the table '{table}' in it is not as it was made", shown.stderr)
            self.query(undo or "SELECT 1")
            if undo:
                self.assertEqual(self.run_program(WORKER, "show", self.store).returncode, 0)

    def test_a_store_of_another_version_or_exploration_is_refused(self):
        self.finish(self.worker())
        other = self.worker("option=two")
        _, error = other.communicate()
        self.assertEqual(other.returncode, 2)
        self.assertIn("holds another exploration: its 'option' is one, not two; take another database or schema", error)
        smaller = self.worker(points=1000)
        self.assertIn("its 'knob 1: a' is 1,2,", smaller.communicate()[1])
        self.query("UPDATE tilewright_explore SET schema = 0")
        old = self.worker()
        self.assertIn("has schema 0, this program reads and writes schema 2", old.communicate()[1])
        self.query("DROP TABLE tilewright_explore")
        foreign = self.worker()
        self.assertIn("holds another program's 'argument'", foreign.communicate()[1])

    def test_everything_at_once(self):
        """CLUSTER_POINTS points; two deaths at every moment, a poisoned design, a frozen worker, the server killed and restarted,
        stopped for CLUSTER_OUTAGE seconds, late joiners."""
        self.points = int(os.environ.get("CLUSTER_POINTS", 40_000))
        outage = float(os.environ.get("CLUSTER_OUTAGE", 3))
        self.chunk = max(self.points // 1000, 50)
        poison = self.points // 3
        moments = ["claimed:3", "before_commit:5", "committed:7", "claimed:11", "before_commit:13", "committed:17"]
        frozen = self.worker("freeze=claimed:2", f"poison={poison}")
        self.until(lambda: b"T" in state_of(frozen))
        running, killed, joined, restarted, stopped = [], 0, 0, False, False
        wanted = 3

        def ended(one, moment):
            """1 for a worker that was killed. One that came while the server was away, or as it went, joined nothing: another
            dies for it. One that had joined waits for the server ("and it did not come back" is its only such error)."""
            error = one.communicate()[1]
            if one.returncode == 2 and (": no connection: " in error or ": lost the server: " in error):
                moments.extend(moment)
                return 0
            self.assertIn(one.returncode, (0, -signal.SIGKILL), error)
            return one.returncode == -signal.SIGKILL

        for worker in range(10_000):
            for one, moment in [ran for ran in running if ran[0].poll() is not None]:
                running.remove((one, moment))
                killed += ended(one, moment)
            done = self.done()
            if done == self.points:
                break
            while len(running) < wanted:
                moment = [moments.pop(0)] if moments else []
                running.append((self.worker(f"poison={poison}", *(f"die={one}" for one in moment)), moment))
                joined += 1
            if not restarted and done > self.points // 5:
                kill_server()
                start_server()
                restarted = True
            if not stopped and done > self.points // 2:
                stop_server()
                time.sleep(outage)
                start_server()
                stopped = True
                wanted = 5  # late joiners
            time.sleep(0.05)
        killed += sum(ended(one, moment) for one, moment in running)
        frozen.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(frozen)[0]["lost"], 1)
        self.assertTrue(restarted and stopped)
        self.assertGreaterEqual(killed, 6 + 4, "at six moments, and four of the poisoned design")
        self.assertEqual(self.query("SELECT point FROM poison"), [str(poison)])
        self.assert_quiet(f"poison={poison}")
        attempts = self.number("SELECT sum(attempts) FROM chunk")
        chunks = self.number("SELECT count(*) FROM chunk")
        self.tell(f"{self.points} points in {chunks} chunks, {attempts} claims, {joined + 1} workers, {killed} killed, "
                  f"rows {self.shown()[0]}")


if __name__ == "__main__":
    unittest.main()
