"""What is taken from files and options is used, and what cannot be is said: the good side of tests/bad_input."""

import json
import unittest

from program import EXAMPLE, Case

MATMUL = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=16,n=16,k=16"]


class Documents(Case):
    def test_documents_of_a_file_are_merged_as_files_are(self):
        files = self.examples()
        apart = self.run_program("evaluate", *files)
        self.write("all.yaml", "---\n" + "\n---\n".join((EXAMPLE / name).read_text() for name in files) + "\n---\n")
        together = self.run_program("evaluate", "all.yaml")
        self.assertEqual(apart.returncode, 0, apart.stderr)
        numbers = apart.stdout.partition("Traffic")[2].partition("note:")[0]
        self.assertIn("weights_spad", numbers)
        self.assertEqual(together.stdout.partition("Traffic")[2].partition("note:")[0], numbers)

    def test_a_section_that_holds_anchors_is_read_over_with_a_note(self):
        self.example("problem.yaml")
        self.example("mapping.yaml")
        self.example("arch.yaml", ("# A row-stationary", "sizes: { spad: &spad 12 }\n# A row-stationary"),
                     ("attributes: { depth: 12,", "attributes: { depth: *spad,"))
        result = self.run_program("evaluate", "arch.yaml", "problem.yaml", "mapping.yaml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: arch.yaml:1: nothing uses the section 'sizes'", result.stdout)


    def test_a_problem_of_net_uses_the_variables_of_the_other_files(self):
        self.example("problem.yaml", ("C: 64", "C: channels"))
        self.write("variables.yaml", "variables: {channels: 48}\n")
        together = self.run_program("convert", "problem.yaml", "variables.yaml", "--to", "einsum")
        self.assertEqual(together.returncode, 0, together.stderr)
        self.assertIn(" C=48", together.stdout)
        apart = self.run_program("convert", "--net", "problem.yaml", "variables.yaml", "--to", "einsum")
        self.assertEqual((apart.returncode, apart.stdout), (0, together.stdout), apart.stderr)
        own = self.write("own.yaml", (self.folder / "problem.yaml").read_text() + "variables: {channels: 32}\n")
        self.assertIn(" C=32", self.run_program("convert", "--net", own, "variables.yaml", "--to", "einsum").stdout)


class Dimensions(Case):
    def einsums(self, *arguments):
        result = self.run_program("convert", "--to", "einsum", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {line.split(": ")[0]: line for line in result.stdout.splitlines()}

    def test_a_batch_of_images(self):
        layers = self.einsums("--net", "resnet18", "--dim", "batch=8")
        self.assertEqual(len(layers), len(self.einsums("--net", "resnet18")))
        self.assertTrue(all("N=8" in line.split() for line in layers.values()), layers)

    def test_prompts(self):
        layers = self.einsums("--net", "gpt2", "--dim", "batch=2", "--dim", "sequence=128")
        self.assertIn(" N=256", layers["block0.attention.query"], "as many rows as there are tokens")
        self.assertIn(" N=128", layers["block0.attention.scores"])
        self.assertIn(" G=24", layers["block0.attention.scores"], "twelve heads of two prompts")
        self.assertIn(" N=2", layers["lm_head"], "the last token of each")

    def test_a_context(self):
        layers = self.einsums("--net", "llama-7b-decode", "--dim", "context=99")
        self.assertIn(" K=100", layers["block0.attention.scores"])
        self.assertEqual(self.einsums("--net", "llama-7b-decode", "--dim", "context=2047"),
                         self.einsums("--net", "llama-7b-decode"))


class Names(Case):
    def names(self):
        return self.run_program("show", "--names", "arch").stdout.split()

    def test_every_machine_of_the_zoo_maps_a_matrix_product(self):
        """Its constraints name layers: they hold for what plays their parts, and the answer says who does."""
        self.assertGreaterEqual(len(self.names()), 13)
        roles = r"A is Inputs, B is Weights, O is Outputs; m is N, n is K, k is C"
        for name in self.names():
            result = self.run_program("map", "--arch", name, *MATMUL, "--mapper", "random", "--evaluations", "20")
            self.assertEqual(result.returncode, 0, f"{name}: {result.stderr}")
            if name != "fused-npu":  # it has no constraints
                self.assertRegex(" ".join(result.stdout.split()), f"note: data/arch/{name}.yaml: rules of layers hold by role: {roles}")

    def test_a_product_costs_the_same_under_any_names(self):
        """On machines that demand much; where rules were void `gemmini` had no mapping and `h100` none that it can run."""
        own = ("--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=64,n=96,k=32")
        layer = ("--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=64,K=96,C=32")
        for name in ("gemmini", "h100", "eyeriss", "tpu-like"):
            one, other = (json.loads(self.run_program("map", "--arch", name, *einsum, "--json").stdout) for einsum in (own, layer))
            self.assertEqual(one["totals"], other["totals"], name)

    def test_files_likewise(self):
        self.example("arch.yaml")
        result = self.run_program("map", "arch.yaml", *MATMUL)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: arch.yaml: rules of layers hold by role: A is Inputs", result.stdout)
        self.assert_fails(self.run_program("map", "arch.yaml", *MATMUL, "--unnamed", "error"), 2,
                          "arch.yaml:19:27: error: there is no tensor 'Inputs'")
        result = self.run_program("map", "arch.yaml", *MATMUL, "--unnamed", "ignore")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("note: arch.yaml: the problem has no dimensions C, K", result.stdout)

    def test_a_name_counts_where_it_fits_what_it_moves(self):
        """N moves the second operand and the result: it is K, whatever it is called."""
        result = self.run_program("map", "--arch", "eyeriss", "--einsum", "O[m,N] += A[m,k] * B[k,N]", "--extents", "m=4,N=4,k=4",
                                  "--json")
        self.assertIn("m is N, N is K, k is C", " ".join(json.loads(result.stdout)["notes"]))


class Templates(Case):
    def test_a_template_chooses_the_factor_rule(self):
        self.example("arch.yaml")
        self.example("problem.yaml", ("P: 56", "P: 13"))
        self.write("space.yaml", "mapspace: {template: ruby-s}\n")
        search = ["--mapper", "random", "--evaluations", "500", "--json"]
        given = json.loads(self.run_program("map", "arch.yaml", "problem.yaml", "space.yaml", *search).stdout)
        asked = json.loads(self.run_program("map", "arch.yaml", "problem.yaml", "--factors", "ruby-s", *search).stdout)
        self.assertEqual(given["layers"], asked["layers"])
        perfect = json.loads(self.run_program("map", "arch.yaml", "problem.yaml", *search).stdout)
        self.assertNotEqual(perfect["layers"], asked["layers"])
        both = json.loads(self.run_program("map", "arch.yaml", "problem.yaml", "space.yaml", "--factors", "perfect", *search).stdout)
        self.assertIn("mapspace: --factors perfect is used, not its template", both["notes"])


class ReadOver(Case):
    def test_every_verb_names_what_nothing_here_uses(self):
        """Once: in the report of verbs that have one, else on standard error."""
        self.examples()
        self.example("arch.yaml", ("n_banks: 32", "n_banks: 32, n_buffets: 2"))
        note = "note: attributes that nothing here uses: 'n_buffets' (arch.yaml:"
        for verb, files in [("show", ["arch.yaml"]), ("show", ["arch.yaml", "--energies"]), ("check", ["arch.yaml"]),
                            ("show", ["arch.yaml", "--json"]), ("map", ["arch.yaml", "problem.yaml"]),
                            ("evaluate", ["arch.yaml", "problem.yaml", "mapping.yaml"]),
                            ("compare", ["arch.yaml", "problem.yaml", "mapping.yaml"]),
                            ("convert", ["arch.yaml", "problem.yaml", "mapping.yaml", "--to", "mapping"])]:
            result = self.run_program(verb, *files)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((result.stdout + result.stderr).count(note), 1, (verb, result.stdout, result.stderr))

    def test_words_of_compute_units_at_a_memory_are_not_lost(self):
        """Timeloop passes by an `area` or `energy` there; of a compute unit they count."""
        self.example("arch.yaml", ("n_banks: 32", "n_banks: 32, area: 5000, energy: 0"))
        result = self.run_program("show", "arch.yaml")
        self.assertIn("note: attributes that nothing here uses: 'area' (arch.yaml:", result.stdout + result.stderr)
        self.assertNotIn("'energy'", result.stdout + result.stderr)
        strict = self.run_program("show", "arch.yaml", "--strict")
        self.assertEqual(strict.returncode, 2)
        self.assertIn("error: 'area' is of compute units; a memory has 'cluster_area' [unknown-key]", strict.stderr)


class TemplateVariables(Case):
    def test_set_gives_a_variable_as_jinja_does(self):
        """So that a point of explore, which has knobs jinja.NAME, can be mapped as it is printed."""
        self.example("problem.yaml")
        self.example("arch.yaml", ("n_banks: 32", "n_banks: {{ banks }}"))
        shown = [self.run_program("show", "arch.yaml", *words, "--json").stdout
                 for words in (["--jinja", "banks=8"], ["--set", "jinja.banks=8"])]
        self.assertEqual(json.loads(shown[0])["architecture"], json.loads(shown[1])["architecture"])
        several = self.run_program("map", "arch.yaml", "problem.yaml", "--set", "jinja.banks=4..8*2")
        self.assertIn("--set jinja.banks=4..8*2: one value here; tilewright explore takes several [usage]", several.stderr)


class Terminals(Case):
    def test_names_of_files_cannot_command_a_terminal(self):
        self.example("arch.yaml", ("name: psum_spad", 'name: "psum\\e]0;gotcha\\a_spad"'))
        for arguments in [["show", "arch.yaml"], ["show", "arch.yaml", "--energies"], ["check", "arch.yaml"],
                          ["map", "arch.yaml", self.example("problem.yaml"), "-o", "out"]]:
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("\x1b", result.stdout + result.stderr)
            self.assertNotIn("\x07", result.stdout + result.stderr)
        self.assertIn("psum\\u001b]0;gotcha\\u0007_spad", self.run_program("show", "arch.yaml").stdout)


class Bypass(Case):
    def test_a_mapping_that_bypasses_the_outermost_memory_is_noted(self):
        self.examples()
        self.example("mapping.yaml", ("keep: [Weights, Inputs, Outputs], bypass: []", "keep: [Inputs, Outputs], bypass: [Weights]"))
        result = self.run_program("evaluate", "arch.yaml", "problem.yaml", "mapping.yaml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("'DRAM', the outermost memory, bypasses 'Weights'", result.stdout)


if __name__ == "__main__":
    unittest.main()
