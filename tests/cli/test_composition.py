"""Every pair of the table of capabilities on a tiny layer: yes is an answer that evaluate repeats, no is the table's sentence."""

import itertools
import json
import re
import unittest

from program import ROOT, Case

MACHINE = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 64, width: 64}}
  - !Container {name: PE, spatial: {meshX: 4}}
  - !Component {name: spad, class: regfile, attributes: {depth: 16, width: 8}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8}}
"""
ZEROS = """\
sparse_optimizations:
  targets:
  - name: buffer
    action_optimization:
    - {type: gating, options: [{target: B, condition_on: [A]}]}
"""
ARRAY = """\
architecture:
  version: 0.4
  nodes:
  - !Container {name: chip, attributes: {technology: "45nm", datawidth: 8, wire_energy: 0, global_cycle_seconds: 1e-9}}
  - !Component {name: DRAM, class: DRAM, attributes: {type: LPDDR4, width: 64, read_bandwidth: 8}}
  - !Component {name: buffer, class: SRAM, attributes: {depth: 64, width: 64}}
  - !CellArray
    name: macro
    attributes: {rows: 4, columns: 6, weight_bits: 1, input_bits: 2, row_drive_energy: 1, column_energy: 2, cell_energy: 0.1, program_energy: 3STOPS}
"""
VECTOR_UNIT = """\
vector_unit: {memory: buffer, add: {energy: 1, per_cycle: 4}, multiply: {energy: 1, per_cycle: 4}, divide: {energy: 1, per_cycle: 4}, exponential: {energy: 1, per_cycle: 4}}
"""
PACKAGE = """\
package:
  mesh: [2, 1]
  kinds: {simple: {lanes: {n: 4}, buffer_words: 256, read: 1, write: 1, operation: 1}}
  cores: {kind: simple, at: all}
  link: {words_per_cycle: 2}
  dram: [{at: [0, 0], words_per_cycle: 2, read: 10, write: 10}]
"""
LAYER = ["--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=3,n=2,k=5"]
MODEL = """\
size b=@batch, m=@tokens, l=@all, d=8, e=4; weight q_w, k_w, v_w; cache K[b,l,e], V[b,l,e]; input x[b,m,d];
q[b,m,e] += x[b,m,d] * q_w[d,e]; K[b,m+@context,e] += x[b,m,d] * k_w[d,e]; V[b,m+@context,e] += x[b,m,d] * v_w[d,e];
s[b,m,l] += q[b,m,e] * K[b,l,e]; online top[b,m], total[b,m] += softmax(s[b,m,l]);
p[b,m,l] = exp(s[b,m,l] - top[b,m]) * total[b,m]; y[b,m,e] += p[b,m,l] * V[b,l,e];
"""
SERVER = ["--net", "own.cascade", "--prompt", "16", "--outputs", "4"]
CASCADE = ["--einsum", "C[m,k] += A[m,j] * B[j,k]; O[m,n] += C[m,k] * D[k,n]", "--extents", "m=4,j=4,k=4,n=4"]

# How each capability is asked for. Two of one option exclude each other by that: they are no pair.
ASKED = {"sparsity": ["--density=A=0.5"], "partial sums": ["--bits=O=8/32"], "block formats": ["--bits=A=4/16:8"],
         "the objective pareto": ["--objective=pareto"], "uneven": ["--uneven"],
         "imperfect factors": ["--factors=ruby-s"], "padded": ["--factors=padded"],
         "a mapper that samples": ["--mapper=anneal", "--evaluations=200"], "a mapper with a cost model": ["--mapper=loma"],
         "a mapper of Timeloop's": ["--mapper=timeloop-random"], "refinement": ["--refine=simulate"],
         "latency as built": ["--latency=physical"], "a dataflow search": ["--mapper=gamma"],
         "fusion": ["--fuse"], "a package": ["--package=package.yaml"], "an objective other": ["--objective=energy"], "a named mapper": ["--mapper=optimal"],
         "passages": [], "programming": [], "rules for the tiles": [], "a what-if": ["--what-if"], "a certificate": ["--certificate=c.json"], "a server": ["--load=2"]}


def asked(name):
    return next(options for start, options in ASKED.items() if name.startswith(start))


class Composition(Case):
    def table(self):
        text = self.run_program("show", "--composition").stdout
        names = re.findall(r"^- (.*)$", text, re.MULTILINE)
        rows = re.findall(r"^\| (.*) \| (.*) \| (.*) \|$", text, re.MULTILINE)[1:]
        return names, {frozenset((one, other)): why for one, other, why in rows}

    def options(self, names):
        """Of all of them, on a machine that has what they are about; None where one option would be given twice."""
        words = [word for name in names for word in asked(name)]
        bits = [word.removeprefix("--bits=") for word in words if word.startswith("--bits=")]
        words = [word for word in words if not word.startswith("--bits=")] + (["--bits", ",".join(bits)] if bits else [])
        if len({word.split("=")[0] for word in words}) < len(words) - (1 if bits else 0):
            return None
        asks = {start for start in ("passages", "programming", "rules for the tiles") for name in names if name.startswith(start)}
        machine = "gemmini" if "--latency=physical" in words else "machine.yaml"
        self.write("machine.yaml", self.machine(asks, "--density=A=0.5" in words and "--load=2" not in words))
        if "--load=2" in words:
            words = [word.replace("A=4/16:8", "Weights=4/16:8").replace("O=8/32", "Outputs=8/32") for word in words]
            return ["--arch", machine, *SERVER, *words]
        if "--mapper=gamma" in words:  # for units and buffers, whatever the machine has else
            return ["--arch", "machine.yaml" if "rules for the tiles" in asks else "eyeriss", "--net", "resnet18", "--layers", "fc", "--evaluations", "100", *words]
        if asks and "--latency=physical" in words:  # no machine of this test is both
            return None
        if "--package=package.yaml" in words:  # its cores are the machine
            return None if asks else [*LAYER, *words]
        return ["--arch", machine, *(CASCADE if "--fuse" in words else LAYER), *words]

    def machine(self, asks, has_zeros):
        text = ARRAY.replace("STOPS", ", program_seconds: 1e-8" if "programming" in asks else "") \
            if asks & {"passages", "programming"} else MACHINE
        if "rules for the tiles" in asks:
            text = text.replace("{depth: 64, width: 64}", "{depth: 64, width: 64, alignment_words: 8, tile: {k: {at_most: 64}}}")
        return (ZEROS if has_zeros else "") + text + VECTOR_UNIT

    def setUp(self):
        super().setUp()
        self.write("package.yaml", PACKAGE)
        self.write("own.cascade", MODEL)

    def repeats(self, options, names, document):
        """Whether evaluate counts the mapping that was found, and then that it says the same of it."""
        if any(option.startswith(("--load", "--factors=padded", "--refine", "--objective=pareto", "--mapper=gamma", "--fuse", "--package")) for option in options):
            return False
        words = [word for word in options if word.startswith("--density")]
        words += options[options.index("--bits"):][:2] if "--bits" in options else []
        result = self.run_program("evaluate", *options[:6], *words, "out/mapping.yaml", "--json")
        self.assertEqual(result.returncode, 0, (names, result.stderr))
        found, again = (json.loads(text)["layers"][0] for text in (document, result.stdout))
        for what in ("energy_pj", "cycles"):
            self.assertEqual(found["evaluation"][what], again["evaluation"][what], names)
        return True

    def test_every_pair_answers_or_says_why_not(self):
        names, refused = self.table()
        answered = told = repeated = served = 0
        for pair in itertools.combinations(names, 2):
            options = self.options(pair)
            if options is None:
                continue
            result = self.run_program("llm" if "--load=2" in options else "map", *options, "--json", "-o", "out")
            why = refused.get(frozenset(pair))
            if why is None:
                self.assertEqual(result.returncode, 0, (pair, result.stderr))
                repeated += self.repeats(options, pair, result.stdout)
                answered += 1
                served += "--load=2" in options
            else:
                self.assertEqual(result.returncode, 2, pair)
                self.assertIn(f"do not go together: {why} [usage]", result.stderr.replace("; --dense reads a sparse machine as dense", ""), pair)
                told += 1
        self.assertGreaterEqual(answered, 35)
        self.assertGreaterEqual(repeated, 15)
        self.assertGreaterEqual(told, 60)
        self.assertEqual(served, 14)

    def test_the_documentation_has_the_table(self):
        table = self.run_program("show", "--composition").stdout
        page = (ROOT / "docs" / "composition.md").read_text()
        self.assertTrue(table in page, "docs/composition.md ends with what tilewright show --composition prints")


if __name__ == "__main__":
    unittest.main()
