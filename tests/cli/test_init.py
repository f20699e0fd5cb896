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
                                   (("npu", "--rows", "0"), "--rows takes a number from 1 to 65536, found 0"),
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
