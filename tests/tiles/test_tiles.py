"""`tilewright tiles` as a program, its shared library's symbols, the passes of examples/tiles, and what tuned tables say of its choices."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
PROGRAMS = pathlib.Path(PROGRAM).resolve().parent
LIBRARY = os.environ.get("TILES_LIBRARY", "")
SHARED = ROOT.parent / "shared" / "golden" / "tiles"
TRITON = ["triton-nvidia", "--arch", "h100", "--extents"]


def run(*arguments, program=PROGRAM):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def tiles(*arguments):
    return run("tiles", *arguments)


class Answers(unittest.TestCase):
    def test_the_best_point_is_proven(self):
        status, text, _ = tiles("gemmini", "--extents", "M=512,N=512,K=512,ws=0")
        self.assertEqual(status, 0)
        self.assertIn("count 3072 16\n", text)
        self.assertIn("proven the best: 6904 legal points evaluated", text)

    def test_json_has_the_same(self):
        status, text, _ = tiles(*TRITON, "M=512,N=4096,K=4096", "--json", "--top", "3")
        self.assertEqual(status, 0)
        document = json.loads(text)
        self.assertEqual(document["schema"], "tilewright-tiles/1")
        self.assertEqual(document["answer"]["claim"], "proven")
        self.assertEqual(document["legal"], 1248)
        self.assertEqual(len(document["answer"]["runners_up"]), 2)
        times = [document["answer"]["best"]["time_us"]] + [point["time_us"] for point in document["answer"]["runners_up"]]
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(document["answer"]["parts"]["us"], times[0])

    def test_a_table_keeps_its_loss(self):
        status, text, _ = tiles(*TRITON, "M=1..300,N=4096,K=4096", "--loss", "2%", "--json")
        self.assertEqual(status, 0)
        rows = json.loads(text)["table"]["intervals"]
        self.assertEqual([rows[0]["from"], rows[-1]["to"]], [1, 300])
        self.assertTrue(all(row["worst_loss"] <= 0.02 + 1e-9 for row in rows))
        self.assertTrue(all(a["to"] + 1 == b["from"] for a, b in zip(rows, rows[1:])))

    def test_check_says_what_a_point_breaks(self):
        status, text, _ = tiles("check", *TRITON, "M=512,N=4096,K=4096", "--point", "BM=256,BN=256,BK=128,group_m=1,warps=8,stages=5")
        self.assertEqual((status, text), (1, "breaks room <= shared: the operands of all stages lie in shared memory\n"))
        status, text, _ = tiles("check", *TRITON, "M=512,N=4096,K=4096", "--point", "BM=64,BN=128,BK=128,group_m=1,warps=8,stages=4")
        self.assertEqual((status, text), (0, "legal: 2 requirements hold\n"))

    def test_no_legal_point_names_the_requirements(self):
        status, text, _ = tiles("aie2p", "--arch", "aie2p", "--extents", "M=1000,K=2048,N=2048,drain=0,sum_bytes=4,cast=1")
        self.assertEqual(status, 1)
        self.assertIn("no point is legal\nthis requirement holds for no point:\n  M % (tile_m * herd_m) == 0: rows of the herd", text)

    def test_mistakes_are_told_in_one_line(self):
        for arguments, message in (
                (["tritn-nvidia"], "there are no rules 'tritn-nvidia'; did you mean 'triton-nvidia'?"),
                ([*TRITON[:2], "h101", "--extents", "M=1"], "there is no machine 'h101' for tiles"),
                (["triton-nvidia", "--extents", "M=1,N=1,K=1"], "need 'cores' of the machine, which has no such number"),
                ([*TRITON, "M=1,N=1"], "--extents lacks 'K'"),
                ([*TRITON, "M=1,N=1,K=1,L=2"], "the rules know no 'L'"),
                ([*TRITON, "M=1..2,N=1..2,K=1"], "one extent may be a range"),
                ([*TRITON, "M=one,N=1,K=1"], "expected a whole number or a..b, found 'M=one'"),
                ([*TRITON, "M=1,N=1,K=1", "--objective", "tiem"], "an objective is time, count or words, found 'tiem'"),
                ([*TRITON, "M=1..9,N=1,K=1", "--loss", "much"], "--loss takes a share"),
                ([*TRITON, "M=1,N=1,K=1", "--form", "mlir"], "the form mlir cannot say group_m, warps and stages"),
                ([*TRITON, "M=1,N=1,K=1", "--form", "ttnn"], "have no form 'ttnn'"),
                ([], "takes the name or file of rules")):
            status, _, error = tiles(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(message, error)

    def test_calibrated_machines_are_files_that_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder) / "rows.csv"
            lines = ["M,N,K,a_bits,b_bits,tile_m,tile_n,tile_k,split,us"]
            for m in range(64, 64 * 30, 64):
                lines.append(f"{m},4096,4096,8,8,64,128,128,1,{5 + m / 40}")
                lines.append(f"{m},4096,4096,8,8,128,128,128,1,{7 + m / 80}")
            rows.write_text("\n".join(lines) + "\n")
            begin = pathlib.Path(folder) / "begin.yaml"
            begin.write_text("version: 1\nmachine: begin\nlike: mi300x\nnumbers: {stages: 2}\n")
            status, text, error = tiles("calibrate", "aiter-gemm", "--arch", str(begin), "--from", str(rows), "--name", "mine")
            self.assertEqual(status, 0, error)
            machine = pathlib.Path(folder) / "mine.yaml"
            machine.write_text(text)
            status, text, error = tiles("aiter-gemm", "--arch", str(machine), "--extents", "M=64,N=4096,K=4096,a_bits=8,b_bits=8")
            self.assertEqual(status, 0, error)
            self.assertIn("rows that calibrated them", text)
            rows.write_text("M,N\n1,2\n")
            status, _, error = tiles("calibrate", "aiter-gemm", "--arch", str(begin), "--from", str(rows))
            self.assertEqual(status, 2)
            self.assertIn("rows.csv:1: error: there is no column 'K'", error)


class Forms(unittest.TestCase):
    def form(self, rules, arch, extents, form, *more):
        status, text, error = tiles(rules, *(["--arch", arch] if arch else []), "--extents", extents, "--form", form, *more)
        self.assertEqual(status, 0, error)
        return text

    def test_each_compiler_gets_its_own(self):
        self.assertRegex(self.form("triton-nvidia", "h100", "M=512,N=4096,K=4096", "triton", "--top", "2"),
                         r"^(triton\.Config\(\{'BLOCK_SIZE_M': \d+, .*\}, num_warps=\d, num_stages=\d\)\n){2}$")
        self.assertRegex(self.form("iree-llvmgpu", "mi300x", "M=2048,N=1280,K=1280", "iree"), r"lowering_config<\{workgroup = \[\d+, \d+, 0\], reduction = \[0, 0, \d+\]")
        self.assertRegex(self.form("aie2p", "aie2p", "M=2048,K=2048,N=2048,drain=1,sum_bytes=4,cast=0", "aie"), r"^TILE_M=\d+ TILE_N=\d+ TILE_K_L1=\d+")
        self.assertEqual(self.form("gemmini", "", "M=512,N=512,K=512,ws=0", "gemmini"), "tile_I=8 tile_J=8 tile_K=32\n")
        self.assertIn("in0_block_w=", self.form("tt-mcast-2d", "", "Mt=64,Nt=64,Kt=32,gx=8,gy=8,fp32=0", "ttnn"))
        self.assertIn("cute::Shape<cute::Int<", self.form("cutlass-sm90", "h100", "M=512,N=4096,K=4096", "cutlass"))
        self.assertTrue(self.form("triton-nvidia", "h100", "M=1,N=4096,K=4096", "mlir", "--lossy").startswith("// group_m=1 warps=4 stages="))
        self.assertIn("tile_using_forall %op tile_sizes [", self.form("triton-nvidia", "h100", "M=1,N=4096,K=4096", "mlir20", "--lossy"))

    def test_vllm_takes_the_nearest_key(self):
        rows = json.loads(tiles(*TRITON, "M=1..512,N=4096,K=4096", "--json")[1])["table"]["intervals"]
        table = {int(key): value for key, value in json.loads(self.form("triton-nvidia", "h100", "M=1..512,N=4096,K=4096", "vllm")).items()}
        for m in range(1, 513):
            nearest = min(table, key=lambda key: abs(key - m))
            row = next(row for row in rows if row["from"] <= m <= row["to"])
            self.assertEqual(table[nearest]["BLOCK_SIZE_M"], row["values"]["BM"])

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_header_compiles_and_looks_up(self):
        rows = json.loads(tiles(*TRITON, "M=1..512,N=4096,K=4096", "--json")[1])["table"]["intervals"]
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "main.c"
            source.write_text(self.form("triton-nvidia", "h100", "M=1..512,N=4096,K=4096", "c") + "#include <stdio.h>\nint main(void) {\n"
                              "for (long long m = 1; m <= 512; ++m) printf(\"%lld\\n\", triton_nvidia_lookup(m)->BM);\nreturn triton_nvidia_lookup(513) != 0; }\n")
            program = pathlib.Path(folder) / "main"
            subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", source, "-o", program], check=True)
            found = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
        for m, block in enumerate(found, 1):
            self.assertEqual(int(block), next(row for row in rows if row["from"] <= m <= row["to"])["values"]["BM"])

    @unittest.skipUnless(shutil.which("mlir-opt-16"), "no mlir-opt-16 (apt-get install mlir-16-tools)")
    def test_mlir_runs_the_script(self):
        script = self.form("aie2p", "aie2p", "M=2048,K=2048,N=2048,drain=1,sum_bytes=4,cast=0", "mlir")
        point = json.loads(tiles("aie2p", "--arch", "aie2p", "--extents", "M=2048,K=2048,N=2048,drain=1,sum_bytes=4,cast=0", "--json")[1])["answer"]["best"]["values"]
        product = ("func.func @product(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>, %c: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {\n"
                   "  %r = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%c : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>\n"
                   "  return %r : tensor<2048x2048xf32>\n}\n")
        done = subprocess.run(["mlir-opt-16", "-test-transform-dialect-interpreter", "-"], input=product + script, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        grid = re.search(r"scf\.foreach_thread \(.*\) in \((.*?)\)", done.stdout)
        blocks = [2048 // (point["tile_m"] * point["herd_m"]), 2048 // (point["tile_n"] * point["herd_n"])]
        constants = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : index", done.stdout))
        self.assertEqual([int(constants[name]) for name in grid[1].split(", ")], blocks)
        steps = [int(constants[name]) for name in re.findall(r"scf\.for .* step (%\w+) ", done.stdout)]
        wanted = [point["tile_k_l2"], point["tile_m"], point["tile_n"], point["tile_k_l1"]]
        self.assertEqual(steps, wanted)


class Library(unittest.TestCase):
    @unittest.skipUnless(LIBRARY and shutil.which("nm"), "no library, or no nm")
    def test_it_has_these_symbols_alone(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        names = sorted(line.split()[-1] for line in listed.splitlines())
        self.assertEqual(names, sorted(f"tw_{name}" for name in ("abi", "tiles_ask", "tiles_close", "tiles_format", "tiles_name", "tiles_open", "tiles_table")))

    def test_passes_in_c_and_cplusplus(self):
        passes = pathlib.Path(os.environ.get("TILES_PASSES", PROGRAMS))
        with tempfile.TemporaryDirectory() as folder:
            machine = pathlib.Path(folder) / "machine.yaml"
            machine.write_text("version: 1\nmachine: mine\nlike: h100\n")
            rules = str(ROOT / "data" / "tiles" / "rules" / "triton-nvidia.yaml")
            point = json.loads(tiles(*TRITON, "M=512,N=4096,K=4096", "--json")[1])["answer"]["best"]["values"]
            status, text, error = run(rules, str(machine), "512", "4096", "4096", program=str(passes / "tiles_pass_c"))
            self.assertEqual(status, 0, error)
            self.assertIn(" ".join(f"{name}={value}" for name, value in point.items()), text)
            self.assertIn("triton.Config(", text)
            self.assertRegex(text, r"M = 100 lies in \d+\.\.\d+")
            status, text, error = run(rules, str(machine), "M=512", "N=4096", "K=4096", program=str(passes / "tiles_pass_cpp"))
            self.assertEqual(status, 0, error)
            self.assertEqual(dict(line.split("=") for line in text.split()), {name: str(value) for name, value in point.items()})

    @unittest.skipUnless((PROGRAMS.parent / "python" / "tilewright" / "tiles.py").exists(), "the Python module is not built")
    def test_a_pass_in_python(self):
        done = subprocess.run(["/usr/bin/python3", str(ROOT / "examples" / "tiles" / "pass.py"), "triton-nvidia", "h100"], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=str(PROGRAMS.parent / "python")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("512 4096 14336 proven triton.Config(", done.stdout)


@unittest.skipUnless(SHARED.exists(), "no ../shared/golden/tiles")
class TunedTables(unittest.TestCase):
    def judged(self, *names):
        program = PROGRAMS / "tiles_judge"
        if not program.exists():
            self.skipTest("needs tiles_judge, which is not built")
        return run(str(SHARED), *names, program=str(program))[1]

    def numbers(self, pattern, text):
        found = re.search(pattern, text)
        self.assertIsNotNone(found, text)
        return [float(number) for number in found.groups()]

    def test_rules_call_no_recorded_sweep_illegal(self):
        text = self.judged("rules")
        self.assertIn("rules clblast: 17956 legal, 17956 recorded, 0 differ", text)
        winners, broken = self.numbers(r"rules triton-nvidia: (\d+) winners, (\d+) break", text)
        self.assertLess(broken / winners, 0.003)

    def test_choices_are_as_good_as_they_were(self):
        text = self.judged("f32", "moe", "tpu", "aie")
        first, ten = self.numbers(r"f32 RTX_3090.*first ([\d.]+), in 10 ([\d.]+)", text)
        self.assertGreaterEqual(first, 0.97)
        self.assertGreaterEqual(ten, 0.98)
        right, near = self.numbers(r"right ([\d.]+), within a factor of two ([\d.]+)", text)
        self.assertGreaterEqual(right, 0.65)
        self.assertGreaterEqual(near, 0.91)
        five, ten, _, quarter = self.numbers(r"within 5 % of the model's best ([\d.]+), 10 % ([\d.]+); first tenth ([\d.]+), quarter ([\d.]+)", text)
        self.assertGreaterEqual(min(five - 0.61, ten - 0.73, quarter - 0.93), 0)
        self.assertIn("74 rows, 74 legal", text)
        same, swept = self.numbers(r"the same tile (\d+) of (\d+)", text)
        self.assertEqual(same, swept)


if __name__ == "__main__":
    unittest.main()
