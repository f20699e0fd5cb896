"""The study without a GPU: addresses, tables, what is said when something is missing, and the whole way on an emulated GPU."""

import contextlib
import io
import itertools
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import compare
import einsum

PROGRAM = os.environ.get("TILEWRIGHT", str(compare.ROOT / "build/release/bin/tilewright"))
HOST_COMPILER = os.environ.get("CXX", "c++")
EMULATION = f"{HOST_COMPILER} -std=c++17 -O1 -w -x c++ -I {compare.ROOT / 'tests/cuda/emulation'}"

STRIDED = {"text": "Outputs[N, K, Q, P] += Weights[C, K, R, S] * Inputs[N, C, R+2*P, 3*S+Q]",
           "dimensions": [{"name": name, "extent": extent} for name, extent in zip("RSPQCKN", [3, 2, 5, 4, 6, 7, 1])],
           "tensors": [{"name": "Weights", "written": False}, {"name": "Inputs", "written": False},
                       {"name": "Outputs", "written": True}]}


def product(rows, inner, columns):
    extents = dict(zip("RSPQCKN", [1, 1, 1, 1, inner, columns, rows]))
    return {**STRIDED, "text": STRIDED["text"].replace("2*", "").replace("3*", ""),
            "dimensions": [{"name": name, "extent": extent} for name, extent in extents.items()]}


def measured(layer="conv", best=1.0, others=(2.0, 3.0, 4.0), torch=0.5):
    times = {"best": best, **{f"random{i}": time for i, time in enumerate(others, 1)}}
    return {"name": layer, "einsum": STRIDED, "repeats": 1, "torch_milliseconds": torch,
            "schedules": {name: {"cycles": 100 * time, "milliseconds": time, "difference": 0.0} for name, time in times.items()}}


def results(*layers):
    return {"schema": compare.SCHEMA, "arch": "h200", "net": "resnet50", "mapper": "hybrid", "runs": 20, "device": "a GPU",
            "layers": list(layers)}


class Einsums(unittest.TestCase):
    def test_strides_give_the_words_of_a_dense_array(self):
        shape = einsum.read(STRIDED)
        for name, ranks, _ in shape.tensors:
            extents = shape.shape(ranks)
            for index in itertools.product(*(range(extent) for extent in shape.extents.values())):
                at = dict(zip(shape.extents, index))
                expected = 0
                for rank, extent in zip(ranks, extents):
                    expected = expected * extent + sum(factor * at[dimension] for dimension, factor in rank.items())
                self.assertEqual(expected, sum(a * b for a, b in zip(index, shape.strides(ranks))), name)

    def test_operations(self):
        self.assertEqual(einsum.read(STRIDED).operations(), 3 * 2 * 5 * 4 * 6 * 7)

    def test_a_convolution_in_the_order_of_pytorch(self):
        """Height before width, and the height is S and Q."""
        self.assertEqual(einsum.read(STRIDED).convolution(), {"input": (1, 6, 7, 11), "weight": (7, 6, 2, 3), "stride": (1, 2),
                                                              "dilation": (3, 1), "groups": 1})
        self.assertIsNone(einsum.read(STRIDED).product())

    def test_a_matrix_product(self):
        self.assertEqual(einsum.read(product(4, 5, 6)).product(), (4, 5, 6))

    def test_groups_multiply_channels(self):
        grouped = {**STRIDED, "text": "Outputs[N, G, K, Q, P] += Weights[G, C, K, R, S] * Inputs[N, G, C, R+P, S+Q]",
                   "dimensions": [*STRIDED["dimensions"], {"name": "G", "extent": 8}]}
        shape = einsum.read(grouped).convolution()
        self.assertEqual((shape["input"][1], shape["weight"][:2], shape["groups"]), (48, (56, 6), 8))

    def test_other_contractions_have_no_counterpart(self):
        other = {"text": "O[m, n] += A[m, k] * B[k, n]", "dimensions": [{"name": name, "extent": 2} for name in "mnk"],
                 "tensors": [{"name": "A", "written": False}, {"name": "B", "written": False}, {"name": "O", "written": True}]}
        self.assertIsNone(einsum.read(other).torch_work(None))


class Tables(unittest.TestCase):
    def test_a_row_says_where_the_schedule_stands(self):
        row = compare.row_of(measured(best=2.5, others=(2.0, 3.0, 4.0)))
        self.assertEqual((row["rank"], row["of"], row["fastest"], row["median"]), (2, 4, 2.0, 3.0))
        self.assertAlmostEqual(row["gflops"], 2 * 3 * 2 * 5 * 4 * 6 * 7 / 2.5 / 1e6)

    def test_the_table(self):
        text = compare.table(results(measured("a", best=1.0, torch=0.5), measured("b", best=1.0, others=(8.0, 12.0, 16.0), torch=2.0)))
        self.assertIn("measured on a GPU (medians of 20 runs)", text)
        self.assertRegex(text, r"a +1\.0000 ms +0 +1 of 4 +1 of 4 +2\.0000 ms +3\.0000 ms +\+1\.00 +0\.5000 ms")
        self.assertIn("the fastest random schedule: 4.00x", text)
        self.assertIn("the median random schedule: 6.00x", text)
        self.assertIn("PyTorch: 1.00x", text)

    def test_cycles_of_the_model_are_not_called_times(self):
        layer = measured(best=2.5, others=(2.0, 3.0, 4.0))
        layer["schedules"]["hybrid"] = {"cycles": 125.0}
        row = compare.model_row(layer)
        self.assertEqual((row["place"], row["fastest"], row["median"], row["hybrid"]), ("2 of 4", 200.0, 300.0, 125.0))
        text = compare.model_table(compare.arguments_of(["--model"]), [layer])
        self.assertIn("NOT MEASURED", text)
        self.assertIn("against --mapper hybrid: 0.50x as fast in the model", text)

    def test_what_was_not_measured_is_not_made_up(self):
        layer = measured(torch=None)
        layer["no_torch"] = "PyTorch is not installed"
        del layer["schedules"]["random2"]["milliseconds"]
        text = compare.table(results(layer))
        self.assertIn("1 of 3", text)
        self.assertIn("1 kernels were refused by the GPU", text)
        self.assertIn("No PyTorch figure: PyTorch is not installed", text)
        self.assertNotIn("against PyTorch", text)

    def test_wrong_results_are_loud(self):
        layer = measured()
        layer["schedules"]["random1"]["difference"] = float("nan")
        self.assertIn("WRONG RESULTS: 1 kernels", compare.table(results(layer)))

    def test_rank_agreement(self):
        self.assertAlmostEqual(compare.rank_agreement([(1, 10), (2, 20), (3, 30)]), 1.0)
        self.assertAlmostEqual(compare.rank_agreement([(1, 30), (2, 20), (3, 10)]), -1.0)
        self.assertAlmostEqual(compare.rank_agreement([(1, 1), (1, 2), (2, 3)]), 0.8660254)
        self.assertIsNone(compare.rank_agreement([(1, 1), (1, 2), (1, 3)]))
        self.assertIsNone(compare.rank_agreement([(1, 1)]))


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "layer.yaml").write_text(
            "problem:\n  shape: cnn-layer\n  instance: {R: 3, S: 2, P: 7, Q: 6, C: 5, K: 4, N: 1, Wstride: 2, Hstride: 1}\n")

    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = compare.main([*map(str, words)])
        return status, out.getvalue(), err.getvalue()

    def study(self, *words):
        return self.call("--arch", "k80", "--net", self.folder / "layer.yaml", "--random", 2, "--runs", 2, "--tilewright", PROGRAM,
                         "-o", self.folder / "study", *words)

    def test_the_whole_way_on_an_emulated_gpu(self):
        status, out, err = self.study("--compiler", EMULATION)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("measured on an emulation on the CPU", out)
        self.assertIn("No PyTorch figure", out)
        self.assertNotIn("WRONG", out)
        stored = self.folder / "study" / "results.json"
        made = json.loads(stored.read_text())["layers"][0]["schedules"]
        self.assertEqual([(name, one["difference"]) for name, one in made.items()], [("best", 0), ("random1", 0), ("random2", 0)])
        self.assertEqual(self.call("--table", stored), (0, out, ""))

    def test_a_wrong_kernel_is_found(self):
        """One sum of one kernel, off by one."""
        with mock.patch.object(compare, "compile_all", side_effect=self.spoil_and_compile(compare.compile_all)):
            _, out, _ = self.study("--compiler", EMULATION)
        self.assertIn("WRONG RESULTS: 1 kernels", out)

    @staticmethod
    def spoil_and_compile(compile_all):
        def spoiled(options, layers):
            kernel = pathlib.Path(layers[0]["schedules"]["random2"]["kernel"])
            lines = kernel.read_text().splitlines()
            last = max(i for i, line in enumerate(lines) if line.strip().startswith("outputs["))
            lines[last] = lines[last].replace(" = ", " = (blockIdx.x + threadIdx.x == 0) + ")
            kernel.write_text("\n".join(lines) + "\n")
            return compile_all(options, layers)
        return spoiled

    def test_prepare_stops_before_the_gpu(self):
        status, out, err = self.study("--prepare")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("3 kernels of 1 layers", out)

    def test_a_missing_compiler_is_named(self):
        status, out, err = self.study("--compiler", "no-such-nvcc -O3")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("no no-such-nvcc: kernels are in", err)

    def test_a_missing_gpu_is_named(self):
        """The program that measures fails: there is no device."""
        (self.folder / "fails").write_text("#!/bin/sh\nfor last; do :; done\n"
                                           "while [ $# -gt 0 ]; do if [ \"$1\" = -o ]; then out=$2; fi; shift; done\n"
                                           "printf '#!/bin/sh\\necho no CUDA-capable device is detected >&2; exit 1\\n' > \"$out\"\n"
                                           "chmod +x \"$out\"\n")
        (self.folder / "fails").chmod(0o755)
        status, out, err = self.study("--compiler", self.folder / "fails")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("is there a GPU?", err)
        self.assertIn("no CUDA-capable device is detected", err)

    def test_a_missing_program_is_named(self):
        status, _, err = self.call("--tilewright", self.folder / "nowhere", "-o", self.folder / "study")
        self.assertEqual(status, 1)
        self.assertIn("build it", err)

    def test_other_files_are_no_results(self):
        (self.folder / "other.json").write_text("{}")
        status, _, err = self.call("--table", self.folder / "other.json")
        self.assertEqual(status, 1)
        self.assertIn("is no result of this study", err)

    def test_numbers_are_checked(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as err:
            compare.arguments_of(["--random", "0"])
        self.assertIn("expected at least 1, found 0", err.getvalue())


if __name__ == "__main__":
    unittest.main()
