"""check reports every mistake that it can go on after: of all files, sections and lists."""

import unittest

from program import ROOT, Case


class Check(Case):
    def mistakes(self, *files):
        result = self.run_program("check", *files)
        self.assertEqual(result.returncode, 2, result.stdout)
        return [line for line in result.stderr.split("\n") if ": error: " in line]

    def assert_mistakes(self, found, *expected):
        """One line for each, which starts so."""
        self.assertEqual(len(found), len(expected), "\n".join(found))
        for start in expected:
            self.assertEqual(len([line for line in found if line.startswith(start)]), 1, start + "\nis not in\n" + "\n".join(found))

    def test_a_file_that_is_no_yaml_stops_itself_only(self):
        files = [self.example("arch.yaml", ("depth: 16384", "dept: 16384")), self.write("broken.yaml", "a: [1, 2\nb: 3\n"),
                 self.example("problem.yaml", ("C: 64", "C: 0")), self.write("list.yaml", "- 1\n")]
        self.assert_mistakes(self.mistakes(*files), "broken.yaml:", "list.yaml:1:3: error: expected a map of sections", "arch.yaml:17:19: ",
                             "problem.yaml:15:")

    def test_a_section_that_nobody_knows_stops_itself_only(self):
        files = [self.example("arch.yaml", ("depth: 16384", "dept: 16384")),
                 self.write("more.yaml", "recipe: 1\nconstrants: {}\nflavour: {a: 1}\n"), self.example("problem.yaml", ("C: 64", "C: 0"))]
        self.assert_mistakes(self.mistakes(*files), "more.yaml:1:1: error: unknown section 'recipe'",
                             "more.yaml:2:1: error: unknown section 'constrants'; did you mean", "more.yaml:3:1: error: unknown section",
                             "arch.yaml:17:19: ", "problem.yaml:15:")

    def test_as_many_mistakes_as_one_likes(self):
        """Each looked through its file for its line: of a hundred thousand lines that takes minutes. The limit is for programs that
        hang."""
        many = 100_000
        self.write("many.yaml", "".join(f"k{i}: 1\n" for i in range(many)))
        result = self.run_program("check", "many.yaml", timeout=150)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("error: unknown section"), many)
        self.write("anchors.yaml", "".join(f"- &a{i} x\n" for i in range(many)))
        self.assert_mistakes(self.mistakes("anchors.yaml"), "anchors.yaml:100000:3: error: 100000 anchors among 100001 values")

    def test_a_file_that_does_not_merge(self):
        files = [self.example("arch.yaml", ("depth: 16384", "dept: 16384")), self.example("problem.yaml")]
        again = self.write("again.yaml", (self.folder / "problem.yaml").read_text())
        self.assert_mistakes(self.mistakes(*files, again), "again.yaml:", "arch.yaml:17:19: ")

    def test_every_slip_in_a_list_of_a_mapping(self):
        """Two names in one list, one in another, and an unknown memory behind them."""
        files = [self.example("arch.yaml"), self.example("problem.yaml"),
                 self.example("mapping.yaml", ("DRAM, type: datatype, keep: [Weights, Inputs, Outputs]",
                                               "DRAM, type: datatype, keep: [Wieghts, Inputs, Outptus]"),
                              ("ifmap_spad, type: datatype, keep: [Inputs]", "ifmap_spad, type: datatype, keep: [Input]"),
                              ("target: psum_spad, type: temporal", "target: psum_spda, type: temporal"))]
        self.assert_mistakes(self.mistakes(*files), "mapping.yaml:4:42: error: the problem has no tensor 'Wieghts'",
                             "mapping.yaml:4:59: error: the problem has no tensor 'Outptus'",
                             "mapping.yaml:8:48: error: the problem has no tensor 'Input'",
                             "mapping.yaml:17:13: error: the architecture has no memory 'psum_spda'")

    def test_text_that_does_not_parse(self):
        """An expression and a list of factors, with what is wrong behind them."""
        files = [self.example("arch.yaml", ("depth: 16384", "depth: 16384 +"), ("depth: 192", "dept: 192")), self.example("problem.yaml"),
                 self.example("mapping.yaml", ("factors: [K=4, P=7]", "factors: [K=, P=7]"), ("factors: [Q=14]", "factors: [X=14]"))]
        found = self.mistakes(*files)
        for place in ("arch.yaml:17:", "arch.yaml:"):
            self.assertTrue(any(line.startswith(place) for line in found), "\n".join(found))
        self.assertTrue(any("'dept'" in line for line in found), "\n".join(found))

    def test_what_machines_do_about_zeros(self):
        machine = str(ROOT / "examples/sparse/arch.yaml")
        layer = (ROOT / "examples/sparse/problem.yaml").read_text()
        said = self.run_program("check", machine, str(ROOT / "examples/sparse/problem.yaml"))
        self.assertEqual((said.returncode, said.stderr.count("error")), (0, 0))
        self.assertIn("sparse optimizations: they hold for every layer\n", said.stdout)
        self.assertIn("are not checked as a whole: give a layer\n", self.run_program("check", machine).stdout)
        self.assert_mistakes(self.mistakes(self.write("dense_or_not.yaml", layer.replace("density: 0.3", "density: 1.3"))),
                             "dense_or_not.yaml:16:12: error: 'A': a density is a share from 0 to 1, found 1.300000")
        wrong = self.write("wrong.yaml", (ROOT / "examples/sparse/arch.yaml").read_text().replace("name: A", "name: Q"))
        self.assertTrue(any("'Q'" in line for line in self.mistakes(wrong, str(ROOT / "examples/sparse/problem.yaml"))))


if __name__ == "__main__":
    unittest.main()
