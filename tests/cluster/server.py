"""The server that with_postgresql started: queries, stores, and its death."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
WORKER = os.environ.get("STORE_WORKER", str(ROOT / "build" / "release" / "bin" / "store_worker"))
PATIENCE = 600  # seconds: for programs that hang; how fast the machine is decides nothing


def query(sql, schema="public", **variables):
    """The lines that psql prints for it; None when there is no server."""
    environment = {**os.environ, "PGOPTIONS": f"-csearch_path={schema}", **variables}
    done = subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], env=environment, capture_output=True,
                          text=True, cwd="/")
    if done.returncode == 2:
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout.splitlines()


def url(schema):
    return f"postgresql://?options=-csearch_path%3D{schema}"


def pid_of_server():
    folder = query("SHOW data_directory")[0]
    return int(pathlib.Path(folder, "postmaster.pid").read_text().splitlines()[0])


def stop_server():
    done = subprocess.run(["pg_ctlcluster", "--mode", "fast", "15", "regress", "stop"], cwd="/", capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr


def start_server():
    """After a kill, children of the dead server may still hold its memory: they go soon."""
    for _ in range(PATIENCE):
        done = subprocess.run(["pg_ctlcluster", "15", "regress", "start"], cwd="/", capture_output=True, text=True)
        if done.returncode in (0, 2):  # 2: it runs
            break
        time.sleep(0.2)
    while query("SELECT 1") is None:
        time.sleep(0.1)


def kill_server():
    os.kill(pid_of_server(), signal.SIGKILL)
    while query("SELECT 1") is not None:
        time.sleep(0.05)


def state_of(process):
    """b"T": stopped by a signal."""
    with open(f"/proc/{process.pid}/stat", "rb") as file:
        return file.read().rsplit(b")", 1)[1][:3]


class Case(unittest.TestCase):
    """Each test has a schema of its own in the database, and an empty folder."""

    maxDiff = None

    def setUp(self):
        self.schema = "t_" + self.id().rsplit(".", 1)[1][:50].lower()
        query(f"CREATE SCHEMA {self.schema}")
        self.store = url(self.schema)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.workers = []
        self.addCleanup(self.end_workers)

    def end_workers(self):
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.communicate()

    def query(self, sql):
        return query(sql, self.schema)

    def number(self, sql):
        """Of the first cell; 0 when there is no server, or no table yet."""
        try:
            lines = self.query(sql)
        except RuntimeError:
            return 0
        return int(lines[0] or 0) if lines else 0

    def start(self, *arguments, **variables):
        worker = subprocess.Popen([str(a) for a in arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env={**os.environ, **variables})
        self.workers.append(worker)
        return worker

    def run_program(self, *arguments, **variables):
        return subprocess.run([str(a) for a in arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL, env={**os.environ, **variables})

    def until(self, condition):
        """Waits for what has to happen; the clock only ends what hangs."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "it never happened")
            time.sleep(0.02)

    def tell(self, text):
        print(f"  {self.id().rsplit('.', 1)[1]}: {text}", file=sys.stderr)
