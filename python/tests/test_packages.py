"""map_package(), evaluate_package() and explore_packages() beside the command line."""

import copy
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import tilewright

PROGRAM = os.environ["TILEWRIGHT"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "package"
PACKAGE, NETWORK, PLAN = (str(EXAMPLES / name) for name in ("two-cores.yaml", "products.cascade", "pipeline.plan"))
PARTS = ("schema", "package", "mesh", "cascade", "energy_pj", "cycles", "counts", "runs", "cores", "links", "drams", "tensors", "plan")


def printed(*arguments):
    return json.loads(subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True, check=True).stdout)


class Packages(unittest.TestCase):
    def test_a_plan_costs_what_the_command_line_says(self):
        given = tilewright.evaluate_package(NETWORK, PACKAGE, PLAN)
        theirs = printed("evaluate", "--package", PACKAGE, "--net", NETWORK, "--plan", PLAN)
        ours = given.to_dict()
        for part in PARTS:
            self.assertEqual(ours[part], theirs[part], part)
        self.assertEqual((given.energy_pj, given.cycles, given.edp, given.bound), (412.0, 28, 412.0 * 28, None))
        self.assertEqual(sum(given.energy_by_cause.values()), 412.0)
        again = tilewright.evaluate_package(NETWORK, PACKAGE, given)
        self.assertEqual(again.plan, given.plan)
        self.assertEqual(tilewright.evaluate_package(NETWORK, PACKAGE, given.plan).cycles, 28)

    def test_the_best_plan_is_that_of_the_command_line(self):
        settings = {"package.link.words_per_cycle": 4}
        found = tilewright.map_package(NETWORK, PACKAGE, objective="energy", settings=settings)
        theirs = printed("map", "--package", PACKAGE, "--net", NETWORK, "--objective", "energy", "--set", "package.link.words_per_cycle=4")
        ours = found.to_dict()
        for part in (*PARTS, "objective", "value", "bound", "proven"):
            self.assertEqual(ours[part], theirs[part], part)
        self.assertTrue(found.proven)
        self.assertLessEqual(found.energy_pj, 412.0)
        self.assertEqual(len(found), len(found.runs))
        self.assertIn("proven: no plan of the space has less energy", str(found))

    def test_results_travel(self):
        found = tilewright.evaluate_package(NETWORK, PACKAGE, PLAN)
        with tempfile.TemporaryDirectory() as folder:
            found.save(folder)
            self.assertEqual(sorted(os.listdir(folder)), ["plan.txt", "report.html", "report.json", "report.txt"])
            for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), tilewright.PackageResult.load(folder)):
                self.assertEqual((other.to_json(), other.to_csv(), str(other), other.plan),
                                 (found.to_json(), found.to_csv(), str(found), found.plan))
        self.assertIn("Energy by place", found.plot().svg)
        self.assertIn("Loads of links on the mesh", found.to_html())

    def test_mistakes_are_said(self):
        with self.assertRaisesRegex(tilewright.InputError, "no package is called 'quad-nup'; did you mean 'quad-npu'"):
            tilewright.map_package(NETWORK, "quad-nup")
        with self.assertRaisesRegex(tilewright.InputError, "sparsity"):
            tilewright.map_package(NETWORK, PACKAGE, density={"T0": 0.5})
        with self.assertRaisesRegex(tilewright.InputError, "pareto"):
            tilewright.map_package(NETWORK, PACKAGE, objective="pareto")
        with self.assertRaises(tilewright.InputError) as raised:
            tilewright.evaluate_package(NETWORK, PACKAGE, "run m by 2\n  stage frist on 0\n  stage second on 1\n")
        self.assertEqual((raised.exception.file, raised.exception.line), ("<plan>", 2))
        with self.assertRaisesRegex(tilewright.InputError, "a buffer is too small"):
            tilewright.evaluate_package(NETWORK, PACKAGE, PLAN, settings={"package.kinds.simple.buffer_words": 4})
        with self.assertRaisesRegex(tilewright.InputError, "expected more than 0 words a cycle"):
            tilewright.map_package(NETWORK, PACKAGE, settings={"package.link.words_per_cycle": 0})


class ExploredPackages(unittest.TestCase):
    """explore_packages() is `explore --package`, with --prove and without."""

    KNOBS = {"package.kinds.simple.buffer_words": [1, 16], "package.link.words_per_cycle": [1, 2, 4]}
    WORDS = ("--package", PACKAGE, "--net", NETWORK, "--set", "package.kinds.simple.buffer_words=1,16", "--set", "package.link.words_per_cycle=1,2,4")

    def test_every_package_is_that_of_the_command_line(self):
        seen = []
        found = tilewright.explore_packages(NETWORK, PACKAGE, self.KNOBS, objective="latency", progress=lambda *now: seen.append(now))
        done = subprocess.run([PROGRAM, "explore", *self.WORDS, "--objective", "latency", "--quiet", "--jsonl", "-"], capture_output=True, text=True,
                              check=True)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((len(rows), len(found), found.total, seen[-1]), (6, 6, 6, (6, 6)))
        self.assertEqual({point["status"] for point in found}, {"valid", "failed"})  # one word is no room
        for point, row in zip(found, rows):
            self.assertEqual(point["status"], row["status"])
            self.assertEqual([point.get(name) for name in ("message", *found.metrics)], [row.get(name) for name in ("message", *found.metrics)])

    def test_the_best_package_is_that_of_all_and_of_the_command_line(self):
        for objective in ("energy", "latency", "edp"):
            found = tilewright.explore_packages(NETWORK, PACKAGE, self.KNOBS, objective=objective, prove=True)
            every = tilewright.explore_packages(NETWORK, PACKAGE, self.KNOBS, objective=objective)
            proof, (best,) = found.proof, found.points
            self.assertEqual(best[found._named(objective)], every.best(objective)[found._named(objective)])
            self.assertEqual((proof.proven, found.total), (True, 6))
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([PROGRAM, "explore", *self.WORDS, "--prove", "--best", objective, "-o", folder], capture_output=True, check=True)
                theirs = json.loads((pathlib.Path(folder) / "report.json").read_text())
                plan = (pathlib.Path(folder) / "plan.txt").read_text()
            ours = json.loads(proof.to_json())
            for document in (ours, theirs):
                del document["provenance"], document["notes"]
            self.assertEqual(ours, theirs)
            self.assertEqual(proof.plan, plan)
            settings = {name: best[name] for name in self.KNOBS}
            again = tilewright.evaluate_package(NETWORK, PACKAGE, proof.plan, settings=settings)
            self.assertAlmostEqual({"energy": again.energy_pj, "latency": again.cycles, "edp": again.edp}[objective], proof.value)

    def test_what_is_refused(self):
        for knobs, options, why in ((self.KNOBS, {"objective": "ed2p"}, "ed2p|plans"), (self.KNOBS, {"objective": "pareto"}, "pareto"),
                                    (self.KNOBS, {"density": {"T0": 0.5}}, "sparsity"), ({"package.mesh": []}, {}, "has no values"),
                                    ({"package.mesh": ["2x1", "2x1"]}, {}, "is given twice"),
                                    ({"package.link.words_per_cycle": [0]}, {}, "no point of the space is a package that plans")):
            with self.subTest(why), self.assertRaisesRegex(tilewright.InputError, why):
                tilewright.explore_packages(NETWORK, PACKAGE, knobs, prove=True, **options)

    def test_a_stop_keeps_what_is_known(self):
        stop = tilewright.StopSource()
        stop.request()
        self.assertFalse(tilewright.explore_packages(NETWORK, PACKAGE, self.KNOBS, prove=True, stop=stop).proof.proven)
        self.assertEqual(len(tilewright.explore_packages(NETWORK, PACKAGE, self.KNOBS, stop=stop)), 0)


if __name__ == "__main__":
    unittest.main()
