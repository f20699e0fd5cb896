"""Networks as cascades: --phase, --cascade, texts of several statements, files, and the vector unit."""

import json
import unittest

from program import ROOT, Case

ATTENTION = ("S[h,m,l] += Q[h,m,e] * K[h,l,e]; P[h,m,l] = exp(S[h,m,l]); O[h,m,f] += P[h,m,l] * V[h,l,f]")
SIZES = "h=2,m=8,l=8,e=4,f=4"
UNIT = """
vector_unit:
  memory: buffer
  add: {energy: 0.1, per_cycle: 16}
  multiply: {energy: 0.2, per_cycle: 16}
  divide: {energy: 0.8, per_cycle: 4}
  exponential: {energy: 1.0, per_cycle: 4}
"""


class Cascades(Case):
    def shown(self, *words):
        result = self.run_program("show", *words, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["cascade"]

    def test_a_text_shows_who_writes_and_who_reads(self):
        cascade = self.shown("--einsum", ATTENTION, "--extents", SIZES)
        tensors = {tensor["name"]: tensor for tensor in cascade["tensors"]}
        self.assertEqual([einsum["kind"] for einsum in cascade["einsums"]], ["contraction", "elementwise", "contraction"])
        self.assertEqual((tensors["S"]["role"], tensors["S"]["writers"], tensors["S"]["readers"]), ("intermediate", ["S"], ["P"]))
        text = self.run_program("show", "--einsum", ATTENTION, "--extents", SIZES).stdout
        self.assertIn("3 einsums and 6 tensors; 1,024 multiply-accumulates and 128 other operations", text)

    def test_a_file_says_where_it_is_wrong(self):
        self.write("wrong.cascade", "size h=2, m=3, l=4, e=5;\nS[h,m] += Q[h,m,e] * K[h,l,e];\nP[h,l] = exp(S[h,l])\n")
        result = self.run_program("show", "--net", "wrong.cascade")
        self.assert_fails(result, 2, "wrong.cascade:3:18: error: reads words 0 to 3 along axis 1 of 'S', which has 3 as its "
                                     "writer makes it [bad-value]")
        self.write("early.cascade", "size h=2;\nP[h] = exp(S[h]);\nS[h] = exp(Q[h])\n")
        self.assert_fails(self.run_program("map", "--arch", "eyeriss", "--net", "early.cascade"), 2,
                          "early.cascade:2:12: error: 'S' is read before it is written")

    def test_phases_are_of_language_models(self):
        decode = self.shown("--net", "llama3-8b", "--phase", "decode", "--dim", "batch=4", "--dim", "context=99")
        caches = [tensor["shape"] for tensor in decode["tensors"] if tensor["role"] == "cache"]
        self.assertEqual(caches, [[4, 8, 100, 128]] * 2)
        self.assert_fails(self.run_program("show", "--net", "resnet18", "--phase", "decode"), 2, "...'resnet18' has no phases")
        self.assert_fails(self.run_program("show", "--net", "layer.yaml", "--cascade"), 2, "...is known as separate layers only")
        self.assert_fails(self.run_program("show", "--net", "vit-b16", "--phase", "decode"), 2, "...is an encoder")
        self.assert_fails(self.run_program("show", "--arch", "eyeriss", "--phase", "decode"), 2, "...give --net")

    def test_networks_of_images_are_cascades_when_asked(self):
        cascade = self.shown("--net", "mobilenetv2", "--cascade", "--dim", "batch=2")
        kinds = [einsum["kind"] for einsum in cascade["einsums"]]
        self.assertEqual({kind: kinds.count(kind) for kind in set(kinds)}, {"contraction": 53, "elementwise": 53, "pooling": 1})
        self.assertIn("mobilenetv2: 53 layers", self.run_program("show", "--net", "mobilenetv2").stdout)

    def test_bert_is_layers_unless_it_is_asked_for(self):
        layers = self.run_program("show", "--net", "bert-base").stdout
        self.assertIn("bert-base: 97 layers, 6 shapes", layers)
        self.assertIn("einsums and", self.run_program("show", "--net", "bert-base", "--cascade").stdout)

    def test_every_einsum_is_mapped(self):
        result = self.run_program("map", "--arch", "eyeriss", "--einsum", ATTENTION, "--extents", SIZES, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([layer["name"] for layer in report["layers"]], ["S", "P", "O"])
        self.assertTrue(all("evaluation" in layer for layer in report["layers"]))

    # 128 exponentials at 4 a cycle and 1 pJ; the other two einsums stay on the array.
    def test_a_vector_unit_takes_what_is_no_contraction(self):
        machine = self.example("arch.yaml")
        self.assertIn("buffer", (self.folder / machine).read_text())
        self.write("unit.yaml", UNIT)
        result = self.run_program("map", machine, "unit.yaml", "--einsum", ATTENTION, "--extents", SIZES, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        vector = [layer for layer in json.loads(result.stdout)["layers"] if "mapping" not in layer]
        self.assertEqual([layer["name"] for layer in vector], ["P"])
        self.assertEqual(vector[0]["evaluation"]["compute_energy_pj"], 128.0)
        self.assertEqual(vector[0]["evaluation"]["compute_cycles"], 32)
        self.run_program("map", machine, "unit.yaml", "--einsum", ATTENTION, "--extents", SIZES, "-o", "out")
        checked = self.run_program("check", "out/certificate.json")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("confirmed: S", checked.stdout)
        self.write("unit.yaml", UNIT.replace("buffer", "bufer"))
        self.assert_fails(self.run_program("map", machine, "unit.yaml", "--einsum", ATTENTION, "--extents", SIZES), 2,
                          "unit.yaml:3:11: error: the vector unit works on 'bufer', which is not a memory; did you mean")

    def test_an_onnx_file_is_a_cascade_when_asked(self):
        model = ROOT / "data" / "onnx" / "resnet50.onnx"
        cascade = self.shown("--net", model, "--cascade", "--strict")
        self.assertEqual(cascade["not_covered"], [])
        kinds = {einsum["kind"] for einsum in cascade["einsums"]}
        self.assertEqual(kinds, {"contraction", "elementwise", "pooling"})
        self.assertIn("Not mapped", self.run_program("show", "--net", model).stdout)


if __name__ == "__main__":
    unittest.main()
