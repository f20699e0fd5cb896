"""One clear message with its place and exit status 2 for each kind of bad input; never a crash, nothing written."""

import os
import unittest

from program import Case


class BadInput(Case):
    def evaluate(self, arch=(), problem=(), mapping=()):
        files = [self.example("arch.yaml", *arch), self.example("problem.yaml", *problem),
                 self.example("mapping.yaml", *mapping)]
        result = self.run_program("evaluate", *files, "-o", "out")
        self.assertEqual(self.files(), sorted(files), "nothing is written")
        return result

    def test_missing_file(self):
        self.assert_fails(self.run_program("evaluate", "nothere.yaml"), 2,
                          "nothere.yaml: error: cannot read: No such file or directory [missing-file]\n")
        self.assert_fails(self.run_program("show", "--net", "nothere.onnx"), 2,
                          "nothere.onnx: error: cannot read: No such file or directory [missing-file]\n")
        self.assert_fails(self.run_program("evaluate", "."), 2, ".: error: cannot read: Is a directory [io]\n")

    def test_yaml_slip(self):
        self.assert_fails(self.evaluate(arch=[("name: buffer #", "name: buffer: #")]), 2,
                          "arch.yaml:15:17: error: invalid nested block mapping on the same line [syntax]\n"
                          "        name: buffer: # 128 KiB for inputs and outputs; weights pass it by\n"
                          "                    ^\n")

    def test_duplicate_key(self):
        self.assert_fails(self.evaluate(problem=[("    name: convolution\n", "    name: a\n    name: b\n")]), 2,
                          "problem.yaml:6:5: error: duplicate key [duplicate-key]\n")

    def test_duplicate_section(self):
        self.example("arch.yaml")
        self.example("problem.yaml")
        self.write("again.yaml", "problem: { version: 0.4, instance: { P: 1 } }\n")
        self.assert_fails(self.run_program("evaluate", "arch.yaml", "problem.yaml", "again.yaml"), 2, "...[duplicate-key]")

    def test_unknown_key_names_the_nearest(self):
        self.assert_fails(self.evaluate(arch=[("depth: 16384", "dept: 16384")]), 2,
                          "arch.yaml:17:19: error: unknown attribute 'dept'; did you mean 'depth'? [unknown-key]\n")
        self.assert_fails(self.evaluate(problem=[("    data_spaces:", "    data_spacse: []\n    data_spaces:")]), 2,
                          "...did you mean 'data_spaces'? [unknown-key]")

    def test_what_a_component_is_cannot_be_set(self):
        machine = self.example("arch.yaml")
        for name in ["buffer.class", "buffer.name", "buffer.subclass", "class"]:
            self.assert_fails(self.run_program("map", "--arch", machine, "--net", "alexnet", "--set", name + "=nonsense"), 2,
                              f"...'{name.split('.')[-1]}' says which component it is and cannot be set")

    def test_unknown_section_names_the_nearest(self):
        self.assert_fails(self.evaluate(problem=[("problem:\n", "problme:\n")]), 2,
                          "problem.yaml:2:1: error: unknown section 'problme'; did you mean 'problem'? [unknown-key]\n")

    def test_unknown_tensor(self):
        self.assert_fails(self.evaluate(mapping=[("keep: [Inputs], bypass: [Weights, Outputs]",
                                                  "keep: [Input], bypass: [Weights, Outputs]")]), 2,
                          "mapping.yaml:8:48: error: the problem has no tensor 'Input'; did you mean 'Inputs'? [unknown-tensor]\n")
        self.example("arch.yaml", ("keep: [Weights]", "keep: [Weight]"))
        self.assert_fails(self.run_program("map", "arch.yaml", self.example("problem.yaml")), 2, "...[unknown-tensor]")

    def test_unknown_memory(self):
        self.assert_fails(self.evaluate(mapping=[("target: buffer, type: temporal", "target: bufer, type: temporal")]), 2,
                          "mapping.yaml:13:13: error: the architecture has no memory 'bufer'; did you mean 'buffer'? [unknown-level]\n")

    def test_zero_extent(self):
        self.assert_fails(self.evaluate(problem=[("P: 56", "P: 0")]), 2,
                          "problem.yaml:15:30: error: expected a whole number of at least 1, found 0 [bad-value]\n")

    def test_memory_too_small_for_one_word(self):
        self.assert_fails(self.evaluate(arch=[("depth: 12, width: 16", "depth: 1, width: 8")]), 2,
                          "arch.yaml:42:13: error: 'ifmap_spad': a row of 8 bits cannot hold one word of 16 bits [too-small]\n")

    def test_cyclic_inheritance(self):
        self.write("cycle.yaml", "problem: &x\n  instance: *x\n")
        self.assert_fails(self.run_program("check", "cycle.yaml"), 2, "cycle.yaml:2:14: error: the alias refers to a value that contains it")

    def test_alias_bomb(self):
        lines = ["a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
        lines += [f"b{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 12)]
        self.write("bomb.yaml", "\n".join(lines) + "\n")
        self.assert_fails(self.run_program("check", "bomb.yaml"), 2, "...(aliases expanded)")

    def test_deep_nesting(self):
        self.write("deep.yaml", "problem: " + "[" * 100000 + "]" * 100000 + "\n")
        result = self.run_program("check", "deep.yaml")
        self.assert_fails(result, 2, "deep.yaml:1:")

    def test_overflow(self):
        self.assert_fails(self.evaluate(problem=[("P: 56, Q: 56, C: 64", "P: 4000000000, Q: 4000000000, C: 4000000000")]), 2,
                          "problem.yaml:8:7: error: the layer is too large to count in 64 bits [overflow]\n")
        self.assert_fails(self.evaluate(problem=[("P: 56", "P: 99999999999999999999")]), 2,
                          "problem.yaml:15:30: error: '99999999999999999999' does not fit in 64 bits [overflow]\n")

    def test_overflow_in_an_einsum_names_the_layer(self):
        result = self.run_program("map", self.example("arch.yaml"), "--einsum", "O[m] += A[m, k] * B[k]", "--extents",
                                  "m=4000000000000,k=4000000000000")
        self.assertEqual(result.returncode, 2)
        self.assertIn("[overflow]", result.stderr)

    def test_bad_einsum(self):
        self.assert_fails(self.run_program("show", "--einsum", "O[m] += A[m", "--extents", "m=4"), 2, "...error: ")
        self.assert_fails(self.run_program("show", "--einsum", "O[m] += A[m, k]", "--extents", "m=4"), 2, "...'k'")

    def test_wrong_factors(self):
        self.assert_fails(self.evaluate(mapping=[("factors: [K=16]", "factors: [K=8]")]), 2,
                          "mapping.yaml:12:45: error: the factors of dimension K cover 32, but its extent is 64 ")

    def test_onnx_that_is_none(self):
        self.write("random.onnx", os.urandom(100000))
        self.write("empty.onnx", b"")
        self.write("length.onnx", b"\x3a\xff\xff\xff\xff\x0f")
        for name in ["random.onnx", "empty.onnx", "length.onnx"]:
            self.assert_fails(self.run_program("show", name), 2, f"{name}: error: ")

    def test_truncated_onnx(self):
        """A field that promises more bytes than the file has."""
        self.write("cut.onnx", b"\x08\x08\x12\x05torch\x3a\x80\x10\x0a")
        self.assert_fails(self.run_program("show", "cut.onnx"), 2, "...is the file truncated?")

    def test_an_illegal_mapping_is_no_answer(self):
        """Its reasons are printed, one per line; -o gets the report that says so."""
        files = [self.example("arch.yaml"), self.example("problem.yaml"),
                 self.example("mapping.yaml", ("factors: [Q=4, P=8, C=4]", "factors: [Q=2, P=8, C=4]"), ("[Q=14]", "[Q=28]"))]
        result = self.run_program("evaluate", *files, "-q")
        self.assert_fails(result, 1, "error: layer 'problem': the mapping is not legal\n    ")
        self.assertIn("[fanout_x]", result.stderr)

    def test_output_that_cannot_be_written(self):
        self.write("file", "mine")
        result = self.run_program("evaluate", *self.examples(), "-q", "-o", "file")
        self.assert_fails(result, 2, "file: error: cannot write there: Not a directory [io]\n")
        self.assertEqual((self.folder / "file").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
