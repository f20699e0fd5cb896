"""The files of a run: they belong together, are all there or none, and are never written over what is no file."""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time
import unittest

from program import PROGRAM, Case
from test_certificate import LAYER, MACHINE


class Results(Case):
    def setUp(self):
        super().setUp()
        self.write("machine.yaml", MACHINE)

    def map(self, *arguments):
        result = self.run_program("map", *LAYER, *arguments, "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)

    def out(self):
        return [name.removeprefix("out/") for name in self.files() if name.startswith("out/")]

    def test_of_two_runs_only_those_of_the_second_are_left(self):
        self.map("-o", "out", "--objective", "pareto")
        first = self.out()
        self.assertIn("certificate.json", first)
        self.assertIn("front/einsum/1.yaml", first)
        for name in ["notes.txt", "front/einsum/mine.yaml", "front/einsum/01.yaml", "front/other.yaml", "certificate.json.old"]:
            self.write(f"out/{name}", "mine")
        self.map("-o", "out", "--mapper", "random", "--evaluations", "50")
        self.assertEqual(self.out(), ["certificate.json.old", "front/einsum/01.yaml", "front/einsum/mine.yaml",
                                      "front/other.yaml", "mapping.yaml", "notes.txt", "report.html", "report.json", "report.txt"])

    def test_emptied_folders_of_fronts_go_too(self):
        self.map("-o", "out", "--objective", "pareto")
        self.map("-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["certificate.json", "mapping.yaml", "report.html", "report.json", "report.txt"])

    def test_a_run_without_an_answer_leaves_no_mapping_of_an_earlier_one(self):
        self.map("-o", "out")
        tight = self.write("tight.yaml", MACHINE.replace("keep: [O], bypass: [W]", "keep: [O, W, I]").replace("depth: 64", "depth: 2"))
        result = self.run_program("map", tight, *LAYER[1:], "-o", "out", "-q")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.out(), ["report.html", "report.json", "report.txt"])

    def test_evaluate_leaves_no_certificate_of_another_mapping(self):
        self.map("-o", "out")
        self.map("--mapper", "random", "--evaluations", "50", "-o", "random")
        result = self.run_program("evaluate", *LAYER, "random/mapping.yaml", "-o", "out", "-q")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.out(), ["mapping.yaml", "report.html", "report.json", "report.txt"])

    def test_devices_and_fifos_are_refused_before_the_search(self):
        os.mkfifo(self.folder / "fifo")
        os.mkdir(self.folder / "out")
        os.symlink("/dev/full", self.folder / "link")
        os.symlink("/dev/null", self.folder / "out/report.json")
        endless = ["map", *LAYER, "--mapper", "hybrid", "--victory", "0", "-q"]
        for arguments, message in [
                (["map", *LAYER, "--certificate", "/dev/full"], "/dev/full: error: cannot write: it is a device, not a regular file [io]\n"),
                (["map", *LAYER, "--certificate", "link"], "link: error: cannot write: it is a device, not a regular file [io]\n"),
                (["map", *LAYER, "--certificate", "fifo"], "fifo: error: cannot write: it is a FIFO, not a regular file [io]\n"),
                ([*endless, "-o", "out"], "out/report.json: error: cannot write: it is a device, not a regular file [io]\n")]:
            self.assert_fails(self.run_program(*arguments), 2, message)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.folder / "fifo").st_mode))
        self.assertTrue(os.path.islink(self.folder / "out/report.json"))

    def test_links_are_followed_and_permissions_kept(self):
        self.write("real.json", "old")
        os.chmod(self.folder / "real.json", 0o640)
        os.symlink("real.json", self.folder / "link.json")
        self.map("--certificate", "link.json")
        self.assertTrue(os.path.islink(self.folder / "link.json"))
        self.assertIn("tilewright-certificate", (self.folder / "real.json").read_text())
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "real.json").st_mode), 0o640)

    def test_a_fifo_is_no_input(self):
        os.mkfifo(self.folder / "fifo.yaml")
        for arguments in [["evaluate", "fifo.yaml"], ["check", "fifo.yaml"], ["map", "--arch", "./fifo.yaml", "--net", "resnet18"],
                          ["map", "--arch", "eyeriss", "--net", "./fifo.yaml"]]:
            result = self.run_program(*arguments, timeout=900)
            self.assertEqual(result.returncode, 2)
            self.assertIn("fifo.yaml: error: cannot read: it is a FIFO, not a regular file [io]\n", result.stderr)

    def test_temporary_files_of_dead_runs_are_removed(self):
        self.map("-o", "out")
        self.write("out/.tilewright-4000000-3", "half a rep")
        self.map("-o", "out")
        self.assertEqual(self.out(), ["certificate.json", "mapping.yaml", "report.html", "report.json", "report.txt"])

    def test_a_certificate_elsewhere_comes_with_the_others_or_not_at_all(self):
        os.mkdir(self.folder / "closed")
        result = self.run_program("map", *LAYER, "-o", "out", "--certificate", "nowhere/mine.json")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(self.out(), [])
        self.map("-o", "out", "--certificate", "closed/mine.json")
        self.assertEqual((self.folder / "closed/mine.json").read_bytes(), (self.folder / "out/certificate.json").read_bytes())

    def interrupted(self, number, problem=("--arch", "eyeriss", "--net", "resnet18", "--mapper", "hybrid", "--victory", "0"),
                    **options):
        command = [PROGRAM, "map", *problem, "-o", "out"]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        while not (self.folder / "out").exists():
            time.sleep(0.01)
        time.sleep(1.0)  # it is searching by now, or will be: it ends either way
        process.send_signal(number)
        return process

    def test_a_closed_terminal_keeps_the_best_as_ctrl_c_does(self):
        for number in [signal.SIGHUP, signal.SIGTERM]:
            process = self.interrupted(number)
            self.assertEqual(process.wait(timeout=900), 130)
            report = json.loads((self.folder / "out/report.json").read_text())
            self.assertTrue(report["interrupted"])
            for name in self.out():
                os.remove(self.folder / "out" / name)
            os.rmdir(self.folder / "out")

    def test_the_largest_mesh_is_interrupted_like_any(self):
        """2^20 units whose spatial loops leave remainders: an evaluation that takes minutes is cut, too."""
        self.write("large.yaml", """
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 100000, width: 64, datawidth: 8}}
  - !Container {name: lane, spatial: {meshX: 1024, meshY: 1024}}
  - !Component {name: registers, class: regfile, attributes: {depth: 16, width: 8, datawidth: 8}}
  - !Component {name: mac, class: intmac, attributes: {datawidth: 8}}
""")
        for mapper in ("anneal", "random", "optimal"):
            process = self.interrupted(signal.SIGTERM, problem=[
                "--arch", "large.yaml", "--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=3000,n=3000,k=1000",
                "--factors", "ruby-s", "--mapper", mapper, "--victory", "0"])
            self.assertEqual(process.wait(timeout=900), 130)
            self.assertTrue(json.loads((self.folder / "out/report.json").read_text())["interrupted"])
            shutil.rmtree(self.folder / "out")

    def test_nohup_means_it(self):
        process = self.interrupted(signal.SIGHUP, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=900), 130)


if __name__ == "__main__":
    unittest.main()
