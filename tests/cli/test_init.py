"""tilewright init: commented starting files that are read, mapped, and as large as was asked; units in files and --set."""

import json

from program import Case

KINDS = ("systolic", "spatial", "npu")


class Machines(Case):
    def made(self, *arguments):
        result = self.run_program("init", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def machine(self, file, *arguments):
        result = self.run_program("show", "--arch", file, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["architecture"]

    def memory(self, file, name, *arguments):
        return next(memory for memory in self.machine(file, *arguments)["memories"] if memory["name"] == name)


class Init(Machines):
    def test_every_kind_is_read_and_maps_a_network(self):
        for kind in KINDS:
            self.made(kind, "-o", f"{kind}.yaml")
            checked = self.run_program("check", f"{kind}.yaml", "--strict")
            self.assertEqual(checked.returncode, 0, checked.stderr)
            self.assertEqual(checked.stderr, "", kind)
            mapped = self.run_program("map", "--arch", f"{kind}.yaml", "--net", "alexnet", "--layers", "conv3", "--mapper", "hybrid",
                                      "--json")
            self.assertEqual(mapped.returncode, 0, mapped.stderr)
            self.assertGreater(json.loads(mapped.stdout)["totals"]["energy_pj"], 0)

    def test_systolic_arrays_are_proven_and_say_so(self):
        self.made("systolic", "-o", "mine.yaml")
        mapped = self.run_program("map", "--arch", "mine.yaml", "--net", "alexnet", "--layers", "conv3")
        self.assertIn("proven optimal", mapped.stdout, mapped.stderr)

    def test_sizes_are_those_that_were_asked_for(self):
        for kind in KINDS:
            file = self.write(f"{kind}.yaml", self.made(kind, "--rows", "12", "--columns", "20", "--buffer", "192KiB", "--word", "16",
                                                        "--frequency", "250MHz", "--dram-bandwidth", "8GB/s"))
            machine = self.machine(file)
            self.assertEqual(machine["cycle_seconds"], 4e-9)
            self.assertEqual(machine["compute"]["instances"], 12 * 20 * (8 if kind == "npu" else 1))
            self.assertEqual(self.memory(file, "buffer")["capacity_words"], 192 * 1024 // 2)
            self.assertEqual(self.memory(file, "DRAM")["shared_words_per_cycle"], 16.0)

    def test_layers_without_some_of_the_usual_dimensions_are_no_mistake(self):
        """A fully connected layer and a matrix product of a cascade have no R; one with names of its own takes the parts of the usual ones."""
        self.made("systolic", "-o", "mine.yaml")
        product = ("map", "--arch", "mine.yaml", "--einsum", "Outputs[N,K] += Inputs[N,C] * Weights[C,K]", "--extents", "N=8,K=8,C=8")
        mapped = self.run_program(*product)
        self.assertEqual(mapped.returncode, 0, mapped.stderr)
        self.assertIn("the problem has no dimensions R and S", mapped.stdout)
        self.assertIn("there is no dimension", self.run_program(*product, "--unnamed", "error").stderr)
        foreign = ("--einsum", "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=4,n=4,k=4")
        by_role = self.run_program("map", "--arch", "mine.yaml", *foreign)
        self.assertEqual(by_role.returncode, 0, by_role.stderr)
        self.assertIn("A is Inputs, B is Weights, O is Outputs; m is N, n is K, k is C", by_role.stdout)
        self.assertEqual(self.run_program("map", "--arch", "mine.yaml", *foreign, "--unnamed", "ignore").returncode, 0)
        fused = self.run_program("map", "--fuse", "--arch", "fused-npu", "--einsum", "B[m,k] += A[m,d] * W[d,k]; C[m,n] += B[m,k] * V[k,n]",
                                 "--extents", "m=4,k=4,d=4,n=4", "--unnamed", "ignore")
        self.assertEqual(fused.returncode, 0, fused.stderr)

    def test_a_vector_unit_does_what_is_no_product(self):
        for kind in KINDS:
            file = self.write(f"{kind}.yaml", self.made(kind, "--vector-lanes", "32"))
            checked = self.run_program("check", file, "--strict")
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), kind)
        text = "S[m,l] += Q[m,e] * K[l,e]; P[m,l] = exp(S[m,l])"
        words = ("--einsum", text, "--extents", "m=64,l=64,e=8")
        on_unit = self.run_program("map", "--arch", "systolic.yaml", *words)
        self.assertIn("vector unit", on_unit.stdout, on_unit.stderr)
        self.assertIn("1 of 1 shapes proven optimal", on_unit.stdout)
        self.assertNotIn("run on the array", on_unit.stdout)
        self.made("systolic", "-o", "without.yaml")
        on_array = self.run_program("map", "--arch", "without.yaml", *words)
        self.assertIn("1 einsum other than products runs on the array", on_array.stdout, on_array.stderr)
        self.assertIn("init --vector-lanes", on_array.stdout)

    def test_every_line_of_a_machine_is_explained(self):
        for kind in KINDS:
            text = self.made(kind)
            self.assertGreater(text.count("#"), 8)
            self.assertIn(f"tilewright init {kind}", text)

    def test_nothing_is_overwritten(self):
        self.write("mine.yaml", "precious")
        self.assert_fails(self.run_program("init", "npu", "-o", "mine.yaml"), 2, "mine.yaml: error: is there already")
        self.assertEqual((self.folder / "mine.yaml").read_text(), "precious")

    def test_mistakes(self):
        for arguments, message in (((), "takes one KIND of machine: systolic, spatial and npu"),
                                   (("systolc",), "there is no kind 'systolc'; did you mean 'systolic'?"),
                                   (("npu", "--rows", "0"), "--rows takes a whole number from 1 to 65536, found '0'"),
                                   (("npu", "--buffer", "4096"), "--buffer takes bytes with their unit, such as 64KiB, found '4096'"),
                                   (("npu", "--frequency", "500"), "'frequency' needs a number and its unit"),
                                   (("npu", "--dram-bandwidth", "3MiB"), "'shared_bandwidth' takes words in a cycle"),
                                   (("npu", "--technology", "5G"), "expected a technology in nanometres")):
            self.assert_fails(self.run_program("init", *arguments), 2, f"...{message}")


class Settings(Machines):
    """Units in --set: the same machine however it is said."""

    def test_sizes_bandwidths_and_clocks(self):
        self.made("systolic", "-o", "m.yaml")
        for given in ("buffer.size=64KiB", "buffer.entries=64k", "buffer.sizeKB=64", "buffer.depth=64KiB"):
            self.assertEqual(self.memory("m.yaml", "buffer", "--set", given)["capacity_words"], 65536, given)
        for given in ("DRAM.shared_bandwidth=32", "DRAM.shared_bandwidth=32B/cycle", "DRAM.shared_bandwidth=32GB/s"):
            self.assertEqual(self.memory("m.yaml", "DRAM", "--set", given)["shared_words_per_cycle"], 32.0, given)
        self.assertEqual(self.machine("m.yaml", "--set", "frequency=200MHz")["cycle_seconds"], 5e-9)
        self.assertEqual(self.machine("eyeriss", "--set", "frequency=200MHz")["cycle_seconds"], 5e-9)

    def test_a_bandwidth_in_time_follows_the_clock(self):
        self.made("systolic", "-o", "m.yaml")
        memory = self.memory("m.yaml", "DRAM", "--set", "frequency=500MHz")
        self.assertEqual(memory["shared_words_per_cycle"], 51.2)

    def test_explorations_have_them(self):
        self.made("spatial", "-o", "m.yaml")
        result = self.run_program("explore", "--arch", "m.yaml", "--net", "alexnet", "--layers", "conv3", "--mapper", "hybrid",
                                  "--set", "buffer.size=64KiB,128KiB", "--set", "frequency=500MHz,1GHz", "--csv", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 5)
        self.assertIn("64KiB", result.stdout)
