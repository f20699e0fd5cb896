"""What is taken from files and options is used, and what cannot be is said: the good side of tests/bad_input."""

import json
import random
import re
import unittest

from program import EXAMPLE, ROOT, Case

# Parts of layers, and letters that an einsum may give them without meaning another part.
LETTERS = {"N": "MKCau", "K": "MNCbv", "C": "NKMcw", "G": "dx", "P": "ey", "Q": "fz", "R": "gi", "S": "hj"}


def random_layer(draw):
    """(text, extents, letters): a product, several of them, or a convolution, with the names of layers."""
    parts = {"N": (1, 4, 6), "K": (4, 8, 16), "C": (2, 8, 12)}
    weights, inputs, outputs = ["C", "K"], ["N", "C"], ["N", "K"]
    kind = draw.choice(("product", "products", "convolution"))
    if kind == "products":
        parts["G"] = (2, 3)
        weights, inputs, outputs = (["G", *ranks] for ranks in (weights, inputs, outputs))
    if kind == "convolution":
        parts.update({"P": (4, 7), "Q": (4, 6), "R": (1, 3), "S": (1, 3)})
        weights, outputs = ["C", "K", "R", "S"], ["N", "K", "Q", "P"]
        inputs = ["N", "C", f"{draw.choice(('', '2*'))}Q+S", "P+R"]
    tensors = [f"Weights[{','.join(weights)}]", f"Inputs[{','.join(inputs)}]"]
    draw.shuffle(tensors)
    return f"Outputs[{','.join(outputs)}] += {' * '.join(tensors)}", {d: draw.choice(some) for d, some in parts.items()}, LETTERS


def renamed(einsum, draw, letters):
    """(text, name by part), with no letter twice; weights that come first are called so, or have no window."""
    names = {}
    for part in (d for d in letters if re.search(rf"\b{d}\b", einsum)):
        names[part] = draw.choice([letter for letter in letters[part] if letter not in names.values()])
    first = re.search(r"= Weights", einsum) and "Q" not in names
    tensors = {"Weights": draw.choice(("W", "filters", "weight1")) if first else draw.choice(("W", "B")), "Inputs": "X", "Outputs": "Y"}
    for tensor in draw.sample(sorted(tensors), draw.randrange(3)):  # some keep their names
        tensors[tensor] = tensor
    return re.sub(r"[A-Za-z]+", lambda word: {**tensors, **names}[word.group()], einsum), names


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
            if name not in ("fused-npu", "neurram", "tu-isscc-2022"):  # they have none; an array's follow from the layer
                self.assertRegex(" ".join(result.stdout.split()), f"note: data/arch/{name}.yaml: rules of layers hold by role: {roles}")

    def test_a_product_costs_the_same_under_any_names(self):
        """On machines that demand much; where rules were void `gemmini` had no mapping and `h100` none that it can run."""
        own = ("--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=64,n=96,k=32")
        layer = ("--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=64,K=96,C=32")
        for name in ("gemmini", "h100", "eyeriss", "tpu-like"):
            one, other = (json.loads(self.run_program("map", "--arch", name, *einsum, "--json").stdout) for einsum in (own, layer))
            self.assertEqual(one["totals"], other["totals"], name)

    def test_random_products_and_convolutions_cost_the_same_under_random_names(self):
        """Letters of layers for something else (M, N and K of a product) among them."""
        draw = random.Random(51)
        for case in range(16):
            einsum, extents, letters = random_layer(draw)
            own = renamed(einsum, draw, letters)
            machine = draw.choice(("eyeriss", "gemmini", "h100", "k80", "nvdla-like", "simba", "tpu-like"))
            answers = []
            for text, names in ((einsum, {d: d for d in extents}), own):
                lengths = ",".join(f"{names[d]}={extent}" for d, extent in extents.items())
                result = self.run_program("map", "--arch", machine, "--einsum", text, "--extents", lengths, "--mapper", "optimal",
                                          "--json")
                self.assertEqual(result.returncode, 0, f"{machine} {text}: {result.stderr}")
                answers.append(json.loads(result.stdout)["totals"])
            self.assertEqual(answers[0], answers[1], f"case {case}: {machine} {einsum} {own[0]}")

    def test_letters_of_layers_for_something_else_do_not_bind(self):
        """On gemmini 786,432 cycles, and proven, when K was taken for the columns of the result."""
        capitals = ("--einsum", "Outputs[M,N] += Inputs[M,K] * Weights[K,N]", "--extents", "M=64,N=256,K=48")
        layer = ("--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=64,K=256,C=48")
        one, other = (json.loads(self.run_program("map", "--arch", "gemmini", *einsum, "--json").stdout) for einsum in (capitals, layer))
        self.assertEqual(one["totals"], other["totals"])
        self.assertIn("M is N, N is K, K is C (N and K are something else in layers", " ".join(one["notes"]))

    def test_a_problem_file_of_other_names_likewise(self):
        self.write("problem.yaml", """problem:
  shape:
    name: product
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 64, N: 96, K: 32}
""")
        layer = ("--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=64,K=96,C=32")
        for name in ("gemmini", "eyeriss"):
            one, other = (json.loads(self.run_program("map", "--arch", name, *given, "--json").stdout)
                          for given in (["problem.yaml"], layer))
            self.assertEqual(one["totals"], other["totals"], name)

    def test_every_verb_that_searches_says_who_plays_what(self):
        roles = "rules of layers hold by role: A is Inputs, B is Weights, O is Outputs; m is N, n is K, k is C"
        for verb in ("map", "simulate"):
            result = self.run_program(verb, "--arch", "gemmini", *MATMUL)
            self.assertIn(roles, " ".join(result.stdout.split()), verb)
        self.assert_fails(self.run_program("simulate", "--arch", "gemmini", *MATMUL, "--unnamed", "error"), 2,
                          "data/arch/gemmini.yaml:28:26: error: there is no tensor 'Weights'; the problem has A, B and O")
        fused = ("map", "--fuse", "--arch", "gemmini", "--extents", "m=16,n=16,k=16,d=16", "--einsum")
        result = self.run_program(*fused, "B[m,k] += A[m,d] * V[d,k]; C[m,n] += B[m,k] * W[k,n]")
        self.assertIn("note: rules of layers hold by role: Weights are V in B, W in C", result.stdout)
        result = self.run_program(*fused, "weight V[16,16]; B[m,k] += V[d,k] * A[m,d]; C[m,n] += B[m,k] * W[k,n]")
        self.assertIn("note: rules of layers hold by role: Weights are the cascade's weights (1), W in C", result.stdout)

    def test_sparse_machines_likewise(self):
        own = ("--einsum", "Y[m,n] += X[m,k] * W[k,n]", "--extents", "m=8,n=12,k=16", "--density", "W=0.3,X=0.5")
        layer = ("--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=8,K=12,C=16", "--density",
                 "Weights=0.3,Inputs=0.5")
        machine = str(ROOT / "examples/sparse/machines/scnn_like.yaml")
        one, other = (json.loads(self.run_program("map", machine, *given, "--json").stdout) for given in (own, layer))
        self.assertEqual(one["totals"], other["totals"])
        self.assertIn("rules of layers hold by role: X is Inputs, W is Weights, Y is Outputs", " ".join(one["notes"]))
        result = self.run_program("map", str(ROOT / "examples/sparse/arch.yaml"), *own)
        self.assertEqual(result.returncode, 2)
        self.assertIn(":15:19: error: the problem has no tensor 'A'; it has X, W and Y; --rename OLD=NEW gives a tensor of the layer that "
                      "name [unknown-tensor]", result.stderr)

    def test_machines_as_built_and_zigzags_layers_likewise(self):
        """Where the name W alone told weights, the array as built took `filters` for its inputs and had no mapping."""
        own = ("--einsum", "Y[m,n] += filters[k,n] * X[m,k]", "--extents", "m=24,n=96,k=40")
        layer = ("--einsum", "Outputs[N,K] += Weights[C,K] * Inputs[N,C]", "--extents", "N=24,K=96,C=40")
        built = [json.loads(self.run_program("map", "--arch", "gemmini", *einsum, "--latency", "physical", "--json").stdout)
                 for einsum in (own, layer)]
        self.assertEqual(built[0]["totals"], built[1]["totals"])
        self.assertEqual(*([note for note in one["notes"] if "as built" in note] for one in built))
        self.assertIn("O[m][n]+=W[k][n]*I[m][k]", self.run_program("convert", *own, "--to", "zigzag").stdout)

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

    def test_nor_may_files_that_are_shown_as_they_lie(self):
        name = "a\x1b[31mRED\x1b]0;pwn\x07\u202eb\u2028c\x9b"
        self.write("n.yaml", json.dumps({"network": {"version": 1, "name": "n", "layers": [
            {"name": name, "op": "x", "einsum": "O[m,n] += A[m,k] * B[k,n]", "extents": {"m": 4, "n": 4, "k": 4}}]}}))
        made = self.run_program("map", "--arch", "eyeriss", "--net", "n.yaml", "-o", "out", "--csv", "costs.csv", "-q")
        self.assertEqual(made.returncode, 0, made.stderr)
        spelled = "a\\u001b[31mRED\\u001b]0;pwn\\u0007\\u202eb\\u2028c\\u009b"
        for file in ("out/report.txt", "costs.csv"):
            self.assertIn(spelled, (self.folder / file).read_text())
        for file in ("out/report.txt", "costs.csv", "out/mapping.yaml"):
            text = (self.folder / file).read_text()
            self.assertEqual([letter for letter in text if letter in name and letter not in spelled], [], file)
        read = self.run_program("evaluate", "--arch", "eyeriss", "--net", "n.yaml", "out/mapping.yaml")
        self.assertEqual(read.returncode, 0, "and a reader has them back: " + read.stderr)


class Bypass(Case):
    def test_a_mapping_that_bypasses_the_outermost_memory_is_noted(self):
        self.examples()
        self.example("mapping.yaml", ("keep: [Weights, Inputs, Outputs], bypass: []", "keep: [Inputs, Outputs], bypass: [Weights]"))
        result = self.run_program("evaluate", "arch.yaml", "problem.yaml", "mapping.yaml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("'DRAM', the outermost memory, bypasses 'Weights'", result.stdout)


LUT_MACHINE = """architecture:
  version: 0.3
  subtree:
  - name: system
    attributes: {technology: 45nm}
    local:
    - {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, word-bits: 8}}
    - {name: buf, class: storage, subclass: xbuf, attributes: {width: 64, depth: 1024, word-bits: 8}}
    - {name: MAC, class: intmac, attributes: {datawidth: 8}}
compound_components:
  version: 0.3
  classes:
  - name: xbuf
    attributes: {technology: 45nm, width: 64, depth: 1024}
    subcomponents:
    - {name: storage, class: SRAM, attributes: {technology: technology, width: width, depth: depth}}
    - {name: second, class: SRAM, attributes: {technology: technology, width: 512, depth: 65536}}
    actions:
    - name: read
      subcomponents:
      - {name: storage, actions: [{name: read}]}
      - {name: second, actions: [{name: read}]}
    - {name: write, subcomponents: [{name: storage, actions: [{name: write}]}]}
"""


class Energies(Case):
    """What makes an energy is counted, or named."""

    def test_parts_of_a_compound_component_are_counted(self):
        machine = self.write("machine.yaml", LUT_MACHINE)
        for strict in ([], ["--strict"]):
            result = self.run_program("show", machine, "--energies", *strict)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("946", result.stdout)  # a read of 8 KiB, 6.137 pJ, and one of 4 MiB, 939.9 pJ
            self.assertIn("parts: storage 6.137 pJ", result.stdout)

    def test_what_no_table_knows_is_named_and_refused_when_strict(self):
        machine = self.write("machine.yaml", LUT_MACHINE.replace("name: second, class: SRAM", "name: second, class: no_such_thing"))
        for verb in ("show", "check"):
            result = self.run_program(verb, machine)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("lack the parts without a table: 'buf': part 'second' of class 'no_such_thing' (machine.yaml:17)",
                          " ".join((result.stdout + result.stderr).split()))
        result = self.run_program("show", machine, "--strict")
        self.assert_fails(result, 2, "machine.yaml:17:29: error: 'buf': part 'second' of class 'no_such_thing': no table here knows it")

    def test_a_class_of_the_files_own_is_told_where_it_stands(self):
        machine = self.write("machine.yaml", LUT_MACHINE.replace("class: storage, subclass: xbuf", "class: xbuf"))
        self.assert_fails(self.run_program("show", machine), 2, "machine.yaml:8:26: error: 'xbuf' is a compound component, which stands "
                          "under 'subclass': write class: storage, subclass: xbuf")

    def test_a_row_that_would_be_shared_says_so(self):
        machine = self.write("machine.yaml", LUT_MACHINE.replace("{width: 64, depth: 1024, word-bits: 8}",
                                                                   "{width: 64, block-size: 1, depth: 1024, word-bits: 8}"))
        self.assert_fails(self.run_program("show", machine), 2, "...a row as wide as 'width' says is 8 blocks of 8 bits, a vector for "
                          "each of 8 instances (cluster_size), and there is 1 instance: give block_size: 8, or a width of 8")

    def test_a_summary_stands_for_the_table_that_is_not_there(self):
        files = self.examples()
        table = "- {name: a.mac, actions: [{name: compute, energy: 7}]}\n"
        summary = self.write("summary.yaml", "ERT_summary:\n  version: 0.4\n  table_summary:\n  " + table.replace("a.mac", "'a.mac[1..1]'"))
        ert = self.write("ert.yaml", "ERT:\n  version: 0.4\n  tables:\n  " + table)
        by_summary, by_table = (self.run_program("evaluate", *files, file, "--strict", "--json") for file in (summary, ert))
        self.assertEqual(by_summary.returncode, 0, by_summary.stderr)
        energy = lambda result: json.loads(result.stdout)["totals"]["energy_pj"]
        self.assertEqual(energy(by_summary), energy(by_table))
        self.assertNotEqual(energy(by_summary), energy(self.run_program("evaluate", *files, "--json")))
        both = self.run_program("evaluate", *files, summary, ert)
        self.assertIn("nothing uses the section 'ERT_summary'", both.stdout + both.stderr)
        noted = self.run_program("evaluate", *files, self.write("globals.yaml", "globals: {x: 1}\n"))
        self.assertIn("nothing uses the section 'globals'", noted.stdout + noted.stderr)


class Marks(Case):
    """Text that passed through an editor of Windows begins with a byte order mark."""

    def test_are_no_part_of_any_text(self):
        for source in (ROOT / "examples/dataflow/layer.m", ROOT / "examples/fusion/filters.cascade"):
            plain = self.write("plain" + source.suffix, source.read_text())
            marked = self.write("marked" + source.suffix, "\ufeff" + source.read_text())
            shown = [self.run_program("show", "--net", name) for name in (plain, marked)]
            self.assertEqual(shown[1].returncode, 0, shown[1].stderr)
            self.assertEqual(shown[1].stdout.replace("marked", "plain"), shown[0].stdout)
        densities = self.write("d.csv", "\ufefflayer,tensor,density\n*,Weights,2:4\n")
        machine = ROOT / "examples/sparse/machines/scnn_like.yaml"
        result = self.run_program("map", "--arch", machine, "--net", "alexnet", "--layers", "conv3", "--density", densities,
                                  "--mapper", "hybrid", "--evaluations", "100", "-q")
        self.assertNotIn("expected the heading", result.stderr)
        wide = self.write("wide.yaml", b"\xff\xfea\x00:\x00")
        self.assert_fails(self.run_program("show", wide), 2, "wide.yaml: error: cannot read: it is text in UTF-16; save it as UTF-8")


class PrintedMapping(Case):
    MAP = """
DRAM [ Weights:4608 Inputs:4096 Outputs:6272 ]
----------------------------------------------
| for K in [0:4)

buffer [ Weights:1152 Inputs:4096 Outputs:1568 ]
------------------------------------------------
|   for P in [0:14)
|     for C in [0:16) (Spatial-X)

registers [ Weights:72 Inputs:9 ]
---------------------------------
|       for Q in [0:14)
|         for K in [0:8)
|           for S in [0:3)
|             for R in [0:3)
|               << Compute >>
"""
    YAML = """mapping:
- {target: DRAM, type: temporal, factors: K=4, permutation: K}
- {target: buffer, type: temporal, factors: P=14, permutation: P}
- {target: buffer, type: spatial, factors: C=16, permutation: C, split: 1}
- {target: registers, type: datatype, keep: [Weights, Inputs], bypass: [Outputs]}
- {target: registers, type: temporal, factors: R=3 S=3 K=8 Q=14, permutation: RSKQ}
"""
    ARCH = """architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, datawidth: 16}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 2097152, width: 16, datawidth: 16}}
  - !Container {name: PE, spatial: {meshX: 16}}
  - !Component {name: registers, class: regfile, attributes: {depth: 1280, width: 16, datawidth: 16}}
  - !Component {name: MAC, class: intmac, attributes: {datawidth: 16}}
"""

    def test_is_read_as_the_mapping_that_it_is(self):
        arch = self.write("arch.yaml", self.ARCH)
        problem = ["--einsum", "Outputs[k,p,q] += Weights[k,c,r,s] * Inputs[c,p+r,q+s]", "--extents", "k=32,c=16,p=14,q=14,r=3,s=3",
                   "--rename", "k=K,c=C,p=P,q=Q,r=R,s=S"]
        printed = "best_mapping.yaml"
        spread = self.YAML.replace("target: buffer, type: spatial", "target: inter_PE_spatial, type: spatial")
        loop = "|     for C in [0:16) (Spatial-X)\n"
        text = self.MAP.replace(loop, "\ninter_PE_spatial [ ]\n--------------------\n" + loop)
        self.write(printed, text)
        by_text = self.run_program("evaluate", arch, *problem, printed, "--json")
        by_yaml = self.run_program("evaluate", arch, *problem, self.write("map.yaml", spread), "--json")
        self.assertEqual(by_yaml.returncode, 0, by_yaml.stderr)
        self.assertEqual(by_text.returncode, 0, by_text.stderr)
        self.assertEqual(json.loads(by_text.stdout)["totals"], json.loads(by_yaml.stdout)["totals"])

    def test_mistakes_have_their_place(self):
        arch = self.write("arch.yaml", self.ARCH)
        wrong = self.write("map.txt", self.MAP.replace("registers [", "register [").replace("|         for K in [0:8)", "|         K in 8"))
        self.assert_fails(self.run_program("evaluate", arch, *MATMUL, wrong), 2, "map.txt:14:1: error: expected a level")

    def test_what_timeloop_printed_about_a_mapping_is_no_input(self):
        stats = self.write("stats.txt", "Buffer and Arithmetic Levels\n\n=== mac ===\n    STATS\n\nSummary Stats\n-------------\n")
        self.assert_fails(self.run_program("evaluate", self.write("arch.yaml", self.ARCH), *MATMUL, stats), 2,
                          "stats.txt:1:1: error: Timeloop's report of a mapping, no input: --against FILE compares with it")


if __name__ == "__main__":
    unittest.main()
