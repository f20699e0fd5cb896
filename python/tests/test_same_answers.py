"""The module and the command line give the same answers, byte by byte."""

import csv
import io
import json
import os
import pathlib
import pickle
import re
import tempfile
import unittest

import tilewright
from program import EXAMPLE, ROOT, tilewright as command


class SameAnswers(unittest.TestCase):
    def same(self, result, *words):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(str(result), command(*words, "-o", folder + "/out"))
            self.assertEqual(result.to_json(), (pathlib.Path(folder) / "out/report.json").read_text())

    def test_networks_of_the_zoo(self):
        for net, arch, objective in (("resnet18", "eyeriss", "edp"), ("alexnet", "simba", "energy"), ("bert-base", "eyeriss", "latency")):
            with self.subTest(net=net, arch=arch, objective=objective):
                self.same(tilewright.map(net, arch, objective=objective),
                          "map", "--arch", arch, "--net", net, "--objective", objective, "--no-cache")

    def test_one_digest_of_every_network_of_the_zoo(self):
        """Of language models and cascades the module once took another text's."""
        few = {"mapper": "random", "evaluations": 1, "victory": 1}
        for net in tilewright.Network.zoo():
            network = tilewright.Network(net)
            layer = network.layers[0].name
            with self.subTest(net=net):
                mine = tilewright.map(network.select(layer), "eyeriss", **few).to_dict()["provenance"]["inputs"]
                theirs = json.loads(command("map", "--arch", "eyeriss", "--net", net, "--layers", layer, "--mapper", "random",
                                            "--evaluations", "1", "--victory", "1", "--no-cache", "--json"))["provenance"]["inputs"]
                self.assertEqual(mine, theirs)

    def test_many_inputs(self):
        """Networks, machines, objectives, searches and words in turn; INPUTS=60 makes it as many."""
        nets = ("alexnet", "resnet18", "mobilenetv2", "squeezenet", "bert-base", "gpt2", "vgg16")
        machines = ("eyeriss", "simba", "tpu-like", "nvdla-like", "shidiannao-like", "gemmini")
        objectives = ("edp", "energy", "latency", "ed2p", "energy^2*latency")
        # Where no rule of factors is given, the program also tries others and says so in a note.
        searches = ({"factors": "perfect"}, {"mapper": "hybrid", "evaluations": 100}, {"mapper": "random", "evaluations": 50, "seed": 7},
                    {"factors": "ruby-s", "mapper": "hybrid", "evaluations": 50})
        widths = ({}, {"Outputs": "8/32"}, {"Weights": "4/32:8"})
        for i in range(int(os.environ.get("INPUTS", "10"))):
            net, arch, objective = nets[i % len(nets)], machines[i % len(machines)], objectives[i % len(objectives)]
            more = searches[i % len(searches)]
            layer, bits = tilewright.Network(net)[i % 5], widths[i % len(widths)]
            words = [word for name, value in more.items() for word in (f"--{name}", value)]
            words += [word for tensor, width in bits.items() for word in ("--bits", f"{tensor}={width}")]
            network = tilewright.Network(net, layers=layer.name).with_bits(bits)
            with self.subTest(net=net, arch=arch, objective=objective, layer=layer.name, bits=bits, **more):
                words = ["map", "--arch", arch, "--net", net, "--layers", layer.name, "--objective", objective, "--no-cache", *words]
                try:
                    found = tilewright.map(network, arch, objective=objective, **more)
                except tilewright.NoMapping as why:  # words too wide for a register: so says the program
                    with self.assertRaisesRegex(AssertionError, re.escape(str(why).splitlines()[0])):
                        command(*words, "--json")
                    continue
                self.same(found, *words)

    def test_every_mapper_and_rule(self):
        for mapper, more in (("hybrid", {}), ("random", {"evaluations": 500}), ("genetic", {"evaluations": 500}), ("cosa", {}),
                             ("linear-pruned", {"evaluations": 500}), (None, {"factors": "ruby-s"}), (None, {"uneven": True}),
                             (None, {"factors": "padded"}), ("timeloop-random-pruned", {"streams": 2, "timeout": 500})):
            with self.subTest(mapper=mapper, **more):
                words = ["map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1", "--objective", "energy", "--no-cache"]
                words += ["--mapper", mapper] if mapper else []
                for name, value in more.items():
                    words += [f"--{name}"] if value is True else [f"--{name}", value]
                network = tilewright.Network("resnet18", layers="conv1")
                self.same(tilewright.map(network, "eyeriss", objective="energy", mapper=mapper, **more), *words)

    def test_a_mapper_whose_own_options_stand_in_the_report(self):
        network = tilewright.Network("resnet18", layers="conv1")
        theirs = json.loads(command("map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1", "--mapper", "loma", "--no-cache",
                                    "--json"))
        self.assertEqual(tilewright.map(network, "eyeriss", mapper="loma").to_dict()["layers"], theirs["layers"])

    def test_files(self):
        arch, problem = EXAMPLE / "arch.yaml", EXAMPLE / "problem.yaml"
        self.same(tilewright.map(problem, arch), "map", "--arch", arch, "--net", problem, "--no-cache")
        model = ROOT / "tests" / "data" / "onnx" / "attention.onnx"
        network = tilewright.Network(model, dims={"batch_size": 2, "sequence": 16})
        self.same(tilewright.map(network, "eyeriss", factors="perfect"), "map", "--arch", "eyeriss", "--net", model, "--dim",
                  "batch_size=2", "--dim", "sequence=16", "--factors", "perfect", "--no-cache")

    def test_a_network_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "alexnet.yaml"
            file.write_text(command("convert", "--net", "alexnet", "--layers", "conv3,conv4", "--bits", "Weights=4", "--to", "network"))
            network = tilewright.Network(file)
            self.assertEqual([layer.name for layer in network.layers], ["conv3", "conv4"])
            self.same(tilewright.map(network, "eyeriss"), "map", "--arch", "eyeriss", "--net", file, "--no-cache")

    def test_an_einsum_and_settings(self):
        product = tilewright.Network.from_einsum("O[m,n] += A[m,k] * B[k,n]", {"m": 64, "n": 32, "k": 128})
        machine = tilewright.Architecture("simba").with_settings({"GlobalBuffer.depth": 1024})
        self.same(tilewright.map(product, machine), "map", "--arch", "simba", "--set", "GlobalBuffer.depth=1024", "--einsum",
                  "O[m,n] += A[m,k] * B[k,n]", "--extents", "m=64,n=32,k=128", "--no-cache")

    def test_words_of_several_widths(self):
        network = tilewright.Network("alexnet", layers=["conv3", "conv4"]).with_bits({"Weights": 4, "Outputs": 32})
        self.same(tilewright.map(network.with_bits({"Weights": 8}, layers="conv3"), "eyeriss"), "map", "--arch", "eyeriss", "--net",
                  "alexnet", "--layers", "conv3,conv4", "--bits", "Outputs=32,Weights=4,conv3:Weights=8", "--no-cache")
        with self.assertRaisesRegex(tilewright.InputError, "did you mean 'Weights'"):
            network.with_bits({"Weight": 4})
        with self.assertRaisesRegex(tilewright.InputError, "bits takes TENSOR=BITS .* found 'Weights=-1'"):
            network.with_bits({"Weights": -1})

    def test_words_in_blocks(self):
        network = tilewright.Network("alexnet", layers=["conv3", "conv4", "fc6"]).with_bits({"Weights": "4/32:8", "Inputs": 8})
        network = network.with_bits({"Weights": 8}, layers="conv4").select("conv*")
        found = tilewright.map(network, "eyeriss")
        self.same(found, "map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3,conv4", "--bits",
                  "Weights=4/32:8,Inputs=8,conv4:Weights=8", "--no-cache")
        self.assertIn("words of 'Weights' have 4 bits, and a scale of 8 for every 32 along their innermost axis (1 layer)", found.notes)
        again = tilewright.evaluate(network, "eyeriss", found)
        self.assertEqual(again.energy_pj, found.energy_pj)
        for wrong in ("4/0:8", "4/32:-1", "4/32.5:8", "0/32:8", "4/:8"):
            with self.assertRaisesRegex(tilewright.InputError, f"or BITS/WORDS:SCALE, .* found 'Weights={wrong}'"):
                network.with_bits({"Weights": wrong})
        for refused in (lambda: tilewright.compare(network.select("conv3"), "eyeriss", found),
                        lambda: tilewright.evaluate(network, "eyeriss", found, account="timeloop")):
            with self.assertRaisesRegex(tilewright.InputError, "has blocks of 32 words with scales of 8 bits in 'Weights', and"):
                refused()
        with self.assertRaisesRegex(tilewright.InputError, "a scale of 8 for every 32 .* simulations know words of a width of their own"):
            tilewright.simulate(found)

    def test_partial_sums_of_another_width(self):
        """Program and module give the same figures; who knows one width of each tensor says so."""
        layers = ["alexnet", "--layers", "conv3,conv4", "--bits", "Weights=8,Outputs=8/32,conv4:Outputs=8/16", "--no-cache"]
        network = tilewright.Network("alexnet", layers=["conv3", "conv4"]).with_bits({"Weights": 8, "Outputs": "8/32"})
        network = network.with_bits({"Outputs": "8/16"}, layers="conv4")
        found = tilewright.map(network, "simba")
        self.same(found, "map", "--arch", "simba", "--net", *layers)
        self.assertTrue(found.proven)
        again = tilewright.evaluate(network, "simba", found)
        self.assertEqual((again.energy_pj, again.cycles), (found.energy_pj, found.cycles))
        self.assertGreater(found.energy_pj, tilewright.evaluate(network.with_bits({"Outputs": 8}), "simba", found).energy_pj)
        self.assertNotEqual(network, network.with_bits({"Outputs": "8/32"}))
        few = ["--tilings", "3"]
        self.same_but_for_inputs(tilewright.schedule(network.select("conv4"), "arch5", tilings=3), "schedule", "--arch", "arch5", "--net",
                                 "alexnet", "--layers", "conv4", *few, "--bits", "Weights=8,Outputs=8/32,conv4:Outputs=8/16", "--no-cache")
        ours = tilewright.explore(network.select("conv3"), "simba", {"GlobalBuffer.depth": [1024, 2048]})
        theirs = csv.DictReader(io.StringIO(command("explore", "--arch", "simba", "--net", "alexnet", "--layers", "conv3", "--bits",
                                                    "Weights=8,Outputs=8/32", "--set", "GlobalBuffer.depth=1k,2k", "--no-cache", "--csv", "-")))
        self.assertEqual([round(one["energy_pj"]) for one in ours], [round(float(one["energy_pj"])) for one in theirs])
        one = network.select("conv3")
        wide = "layer 'conv3' has words of 32 bits in partial sums of 'Outputs', and {} words of a width of their own each"
        for refused, what in ((lambda: tilewright.compare(one, "simba", found), "comparisons know"),
                              (lambda: tilewright.evaluate(one, "simba", found, account="timeloop"), "accountings of other tools know"),
                              (lambda: tilewright.map_zigzag(one, ROOT / "examples/uneven/hardware.yaml", ROOT / "examples/uneven/mapping.yaml"),
                               "searches of loop orders know"), (lambda: tilewright.simulate(found), "simulations know")):
            with self.subTest(what=what), self.assertRaisesRegex(tilewright.InputError, wide.format(what)):
                refused()
        for options, why in (({"mapper": "loma"}, "its cost model has dense words of one width"), ({"refine": "simulate"}, "the simulator moves")):
            with self.assertRaisesRegex(tilewright.InputError, "partial sums of another width and .* do not go together: " + why):
                tilewright.map(one, "simba", **options)
        with self.assertRaisesRegex(tilewright.InputError, "bits: 'Weights' of layer 'conv3' is an operand and has no partial sums"):
            one.with_bits({"Weights": "4/8"})

    def test_partial_sums_of_a_fused_chain(self):
        chain, sizes = "B[m,k] += A[m,e] * V[e,k]; C[m,n] += B[m,k] * W[k,n]", {"m": 64, "e": 64, "k": 32, "n": 16}
        machine = tilewright.Architecture("fused-npu").with_settings({"buffer.depth": "512"})
        found = tilewright.map_fused(chain, machine, dims=sizes, bits={"Weights": 8, "Outputs": "8/32"})
        words = ["map", "--fuse", "--arch", "fused-npu", "--set", "buffer.depth=512", "--einsum", chain, "--extents",
                 ",".join(f"{name}={size}" for name, size in sizes.items()), "--bits", "Weights=8,Outputs=8/32"]
        self.same_but_for_inputs(found, *words)
        self.assertGreater(found.energy_pj, tilewright.map_fused(chain, machine, dims=sizes, bits={"Weights": 8, "Outputs": 8}).energy_pj)
        with self.assertRaisesRegex(tilewright.InputError, "buffers is for tensors of one width each"):
            tilewright.map_fused(chain, machine, dims=sizes, bits={"Outputs": "8/32"}, buffers=[1024])
        with self.assertRaisesRegex(tilewright.InputError, "bits: 'W' is an operand and has no partial sums"):
            tilewright.map_fused(chain, machine, dims=sizes, bits={"W": "8/32"})

    def test_serving_a_language_model(self):
        words = ["llm", "--arch", "h100", "--net", "llama3-8b", "--batch", "1,8", "--prompt", "512", "--context", "2048", "--bits",
                 "Weights=4/32:8,Cache=8", "--tensor-parallel", "1,2", "--collective", "ring", "--no-cache"]
        found = tilewright.llm("llama3-8b", "h100", batch=[1, 8], prompt=512, context=2048, bits={"Weights": "4/32:8", "Cache": 8},
                               tensor_parallel=(1, 2), collective="ring")
        self.same(found, *words)
        self.assertEqual(found.to_csv(), command(*words, "--csv", "-"))
        other = pickle.loads(pickle.dumps(found))
        self.assertEqual((other.to_json(), other.to_csv(), str(other)), (found.to_json(), found.to_csv(), str(found)))
        self.assertEqual((found.model, found.machine, len(found)), ("llama3-8b", "h100", 8))
        self.assertIn("llama3-8b on h100", found.to_html())
        plain = tilewright.llm("llama3-8b", "eyeriss", prompt=16, latency="plain", threads=2)
        self.same(plain, "llm", "--arch", "eyeriss", "--net", "llama3-8b", "--prompt", "16", "--latency", "plain", "--no-cache")
        fused = tilewright.llm("llama3.2-1b", "tpu-like", prompt=8, fuse=True)
        self.same(fused, "llm", "--arch", "tpu-like", "--net", "llama3.2-1b", "--prompt", "8", "--fuse", "--no-cache")
        with self.assertRaisesRegex(tilewright.InputError, "fusion and latency as built do not go together"):
            tilewright.llm("llama3.2-1b", "h100", fuse=True)
        for wrong, message in (({"prompt": 4096, "context": 10}, "context 10: the cache holds the prompt, too"),
                               ({"batch": [1, 1]}, "batch: 1 stands there twice"), ({"bits": {"Weights": "4/8"}}, "which have no partial sums"),
                               ({"bits": {"Wights": 4}}, "bits: .*did you mean 'Weights'"), ({"attention": "fast"}, "attention takes flash")):
            with self.subTest(**wrong), self.assertRaisesRegex(tilewright.InputError, message):
                tilewright.llm("llama3-8b", "h100", **wrong)
        with self.assertRaisesRegex(tilewright.InputError, "'alexnet' is no language model of the zoo"):
            tilewright.llm("alexnet", "h100")

    def test_a_pareto_front(self):
        network = tilewright.Network("alexnet", layers="conv3")
        result = tilewright.map(network, "eyeriss", objective=tilewright.Objective.PARETO)
        self.same(result, "map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv3", "--objective", "pareto", "--no-cache")
        self.assertGreater(len(result.layers[0].front), 1)

    def test_evaluate_and_its_accountings(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        for account in tilewright.Accounting:
            with self.subTest(account=account):
                ours = tilewright.evaluate(files[1], files[0], files[2], account=account).to_dict()
                theirs = json.loads(command("evaluate", *files, "--account", account.value, "--json"))
                for document in (ours, theirs):
                    document["provenance"]["inputs"].sort(key=lambda one: one["name"])
                self.assertEqual(ours, theirs)

    def test_the_time_as_built(self):
        layer = ("--arch", "gemmini", "--net", "resnet18", "--layers", "layer1.0.conv1")
        network = tilewright.Network("resnet18", layers="layer1.0.conv1")
        found = tilewright.map(network, "gemmini", objective="latency")
        told = [note for note in found.notes if note.startswith("as built (docs/silicon.md) these mappings take")]
        with tempfile.TemporaryDirectory() as folder:
            found.save(folder)
            for latency in (None, tilewright.Latency.PHYSICAL, "plain"):
                ours = tilewright.evaluate(network, "gemmini", found, latency=latency)
                words = ["--latency", getattr(latency, "value", latency)] if latency else []
                theirs = json.loads(command("evaluate", *layer, pathlib.Path(folder) / "mapping.yaml", "--json", *words))
                for key in ("layers", "totals", "summary"):
                    self.assertEqual(ours.to_dict()[key], theirs[key])
                for key in ("accounting", "options"):
                    self.assertEqual(ours.to_dict()["provenance"][key], theirs["provenance"][key])
                if latency == "plain":
                    self.assertEqual(ours.cycles, found.cycles)
                else:
                    self.assertIn(f"{ours.cycles:,} cycles", told[0])
        with self.assertRaisesRegex(tilewright.InputError, "needs a machine with a section 'silicon'"):
            tilewright.evaluate("alexnet", "eyeriss", tilewright.map("alexnet", "eyeriss"), latency="physical")
        with self.assertRaisesRegex(tilewright.InputError, "latency"):
            tilewright.evaluate(network, "gemmini", found, latency="fast")

    def test_the_fastest_as_built(self):
        for arch, net, number in (("gemmini", "resnet18", 1), ("h100", "bert-base", 0)):
            layer = tilewright.Network(net)[number]
            with self.subTest(arch=arch):
                self.same(tilewright.map(layer, arch, latency="physical"), "map", "--arch", arch, "--net", net, "--layers", layer.name,
                          "--latency", "physical", "--no-cache")
        with self.assertRaisesRegex(tilewright.InputError, "latency='physical' needs a machine with a section 'silicon'"):
            tilewright.map("alexnet", "eyeriss", latency="physical")
        with self.assertRaisesRegex(tilewright.InputError, "latency takes physical or plain"):
            tilewright.map("alexnet", "gemmini", latency="fast")

    def test_what_map_found_is_evaluated_again(self):
        found = tilewright.map("alexnet", "eyeriss")
        again = tilewright.evaluate("alexnet", "eyeriss", found)
        self.assertEqual((again.energy_pj, again.cycles), (found.energy_pj, found.cycles))
        with tempfile.TemporaryDirectory() as folder:
            found.save(folder)
            self.assertEqual(sorted(path.name for path in pathlib.Path(folder).iterdir()),
                             ["mapping.yaml", "report.html", "report.json", "report.txt"])
            theirs = pathlib.Path(folder) / "theirs"
            command("map", "--arch", "eyeriss", "--net", "alexnet", "--no-cache", "-o", theirs)
            for name in ("mapping.yaml", "report.json", "report.txt", "report.html"):
                self.assertEqual((pathlib.Path(folder) / name).read_text(), (theirs / name).read_text(), name)
            self.assertEqual(tilewright.evaluate("alexnet", "eyeriss", theirs / "mapping.yaml").energy_pj, found.energy_pj)

    def test_the_machine_and_its_files_may_hold_everything(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        one = tilewright.evaluate(tilewright.Network.from_problem(files[1]), files)
        self.assertEqual(one.energy_pj, tilewright.evaluate(files[1], files[0], files[2]).energy_pj)

    def test_compare(self):
        files = [EXAMPLE / name for name in ("arch.yaml", "problem.yaml", "mapping.yaml")]
        ours = tilewright.compare(files[1], files[0], files[2], accounts=["exact", "timeloop"])
        theirs = command("compare", *files, "--account", "exact,timeloop")
        self.assertEqual(str(ours), theirs.split("  note: ")[0])
        self.assertEqual(ours.to_csv(), command("compare", *files, "--account", "exact,timeloop", "--csv", "-"))
        self.assertEqual([one.accounting for one in ours.totals], ["exact", "timeloop"])
        self.assertIn("timeloop", ours.to_html())

    def test_csv(self):
        self.assertEqual(tilewright.map("alexnet", "eyeriss").to_csv(),
                         command("map", "--arch", "eyeriss", "--net", "alexnet", "--no-cache", "--csv", "-"))

    def test_schedule(self):
        words = ["schedule", "--arch", "arch1", "--net", "alexnet", "--layers", "conv3", "--no-cache"]
        network = tilewright.Network("alexnet", layers="conv3")
        ours = tilewright.schedule(network, "arch1")
        self.assertEqual(ours.to_json(), command(*words, "--json"))
        self.assertEqual(str(ours), command(*words))
        self.assertGreater(ours.cycles, 0)
        self.assertIn("conv3", ours.to_html())

    def test_schedulers_and_baselines(self):
        """A product of 64 x 64 x 64 leaves few tilings, so that Algorithm 1 on every one of them is quick."""
        words = ["schedule", "--arch", "arch1", "--einsum", "Outputs[N,K] += Weights[K,C] * Inputs[N,C]", "--extents",
                 "N=64,K=64,C=64", "--no-cache"]
        network = tilewright.Network.from_einsum("Outputs[N,K] += Weights[K,C] * Inputs[N,C]", {"N": 64, "K": 64, "C": 64})
        for more in ({"scheduler": "flexer"}, {"scheduler": "both", "baseline": "first"}, {"baseline": "order", "tilings": 3, "beam": 0},
                     {"spread": "innermost", "priority": "min-spill", "memory": "first-fit", "as_published": True},
                     {"every_tiling": True, "rule": "sum"}, {"objective": "traffic", "baseline": "regions"}):
            with self.subTest(**more):
                options = []
                for name, value in more.items():
                    options += ["--" + name.replace("_", "-")] + ([] if value is True else [value])
                self.same_but_for_inputs(tilewright.schedule(network, "arch1", **more), *words, *options)

    def same_but_for_inputs(self, result, *words):
        theirs, ours = json.loads(command(*words, "--json")), result.to_dict()
        for one in (theirs, ours):
            del one["provenance"]["inputs"]
        self.assertEqual(ours, theirs)

    def test_the_mapper_section_of_a_file(self):
        problem, arch = EXAMPLE / "problem.yaml", EXAMPLE / "arch.yaml"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mapper.yaml"
            for section in ("algorithm: random_pruned, optimization_metrics: [delay, energy], victory_condition: 50, search_size: 200, "
                            "timeout: 500, num_threads: 1", "algorithm: hybrid, victory_condition: 20, search_size: 100",
                            "optimization_metrics: [energy], victory_condition: 10"):
                file.write_text(f"mapper: {{{section}}}\n")
                with self.subTest(section=section):
                    ours = tilewright.map(problem, [arch, file])
                    self.same_but_for_inputs(ours, "map", arch, file, "--net", problem, "--no-cache")
            self.assertEqual(ours.to_dict()["provenance"]["options"]["objective"], "energy")
            overruled = tilewright.map(problem, [arch, file], objective="latency", mapper="random", evaluations=20, seed=3)
            self.same_but_for_inputs(overruled, "map", arch, file, "--net", problem, "--no-cache", "--objective", "latency", "--mapper",
                                     "random", "--evaluations", "20", "--seed", "3")

    def test_scalesim(self):
        folder = ROOT / "examples" / "scalesim"
        for table in ("convolutions.csv", "products.csv"):
            with self.subTest(table=table):
                self.same_but_for_inputs(tilewright.map(folder / table, folder / "machine.cfg", mapper="random", evaluations=50), "map",
                                         folder / "machine.cfg", folder / table, "--no-cache", "--mapper", "random", "--evaluations",
                                         "50")

    def test_zigzag(self):
        folder = ROOT / "examples" / "uneven"
        machine = tilewright.ZigzagMachine(folder / "hardware.yaml")
        self.assertEqual((machine.name, machine.units), ("small_array", 64))
        words = ["map", folder / "hardware.yaml", folder / "workload.yaml", folder / "mapping.yaml", "--no-cache"]
        self.same_but_for_inputs(tilewright.map_zigzag(folder / "workload.yaml", machine, folder / "mapping.yaml"), *words)
        self.same_but_for_inputs(tilewright.map_zigzag(folder / "workload.yaml", machine, folder / "mapping.yaml", objective="latency",
                                                       mapper="salsa", seed=2),
                                 *words, "--objective", "latency", "--mapper", "salsa", "--seed", "2")

    def test_a_core_of_several(self):
        hardware = (ROOT / "examples" / "uneven" / "hardware.yaml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "big.yaml").write_text(hardware.replace("sizes: [8, 8]", "sizes: [8, 16]"))
            (folder / "small.yaml").write_text(hardware)
            (folder / "soc.yaml").write_text("cores: [big.yaml, small.yaml]\n")
            (folder / "mapping.yaml").write_text("- name: default\n  spatial_mapping: {D1: ['K, 8'], D2: ['C, 8']}\n")
            for core, units in (("0", 128), ("small", 64)):
                machine = tilewright.ZigzagMachine(folder / "soc.yaml", core=core)
                self.assertEqual(machine.units, units)
                self.assertTrue(any(f"core {core} of" in note for note in machine.notes))
                network = tilewright.Network("alexnet", layers="fc8")
                found = tilewright.map_zigzag(network, machine, folder / "mapping.yaml")
                theirs = json.loads(command("map", folder / "soc.yaml", "--core", core, folder / "mapping.yaml", "--net", "alexnet",
                                            "--layers", "fc8", "--no-cache", "--json"))
                self.assertEqual(found.to_dict()["layers"], theirs["layers"])
                self.assertEqual(found.layers[0].energy_pj, theirs["layers"][0]["evaluation"]["energy_pj"])

    def test_an_illegal_mapping_at_its_place(self):
        text = (EXAMPLE / "mapping.yaml").read_text().replace("[Q=14]", "[Q=28]").replace("[Q=4, P=8, C=4]", "[Q=2, P=8, C=4]")
        line = next(number for number, one in enumerate(text.split("\n"), 1) if "Q=28" in one)
        column = text.split("\n")[line - 1].index("Q=28") + 1
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mapping.yaml"
            file.write_text(text)
            for account in ("exact", "timeloop"):
                with self.assertRaises(tilewright.NoMapping) as raised:
                    tilewright.evaluate(EXAMPLE / "problem.yaml", EXAMPLE / "arch.yaml", file, account=account)
                self.assertIn(f"{file}:{line}:{column}: ", str(raised.exception))
                self.assertTrue(raised.exception.result.layers[0].failures[0].startswith(f"{file}:{line}:{column}: "))

    def test_simulate(self):
        network = tilewright.Network("alexnet", layers="conv3")
        found = tilewright.map(network, "simba-cosa", mapper="cosa")
        for dram in (None, "ddr4-2400"):
            words = ["simulate", "--arch", "simba-cosa", "--net", "alexnet", "--layers", "conv3", "--mapper", "cosa", "--no-cache"]
            theirs = json.loads(command(*words, *(["--dram", dram] if dram else []), "--json"))
            ours = tilewright.simulate(found, dram=dram).to_dict()
            self.assertEqual(ours["layers"], theirs["layers"])

    def test_a_machine_to_simulate(self):
        network = tilewright.Network("alexnet", layers="conv3")
        found = tilewright.map(network, "simba-cosa", mapper="cosa")
        machine = tilewright.SimulatedMachine(dram="ddr3-1600", dram_channels=2, row_policy="closed", mesh=(4, 4), flit_bits=128,
                                              packet_flits=4, virtual_channels=3, buffer_flits=6, double_buffered=True,
                                              reduce_in_network=True, every_iteration=True)
        simulation = tilewright.simulate(found, machine=machine)
        theirs = json.loads(command(
            "simulate", "--arch", "simba-cosa", "--net", "alexnet", "--layers", "conv3", "--mapper", "cosa", "--no-cache", "--dram",
            "ddr3-1600", "--dram-channels", "2", "--row-policy", "closed", "--mesh", "4x4", "--flit-bits", "128", "--packet-flits", "4",
            "--virtual-channels", "3", "--buffer-flits", "6", "--double-buffered", "--reduce-in-network", "--every-iteration", "--json"))
        self.assertEqual(simulation.to_dict()["layers"], theirs["layers"])
        layer = simulation.layers[0]
        self.assertEqual((layer.underestimated or None, layer.failure), (theirs["layers"][0]["underestimated"], ""))
        self.assertAlmostEqual(sum(term.simulated_cycles for term in layer.terms), layer.cycles)
        self.assertAlmostEqual(sum(term.model_cycles for term in layer.terms), layer.model_cycles)

    def test_cosas_network(self):
        network = tilewright.Network("alexnet", layers="conv3")
        found = tilewright.map(network, "simba-cosa", mapper="cosa")
        words = ["simulate", "--arch", "simba-cosa", "--net", "alexnet", "--layers", "conv3", "--mapper", "cosa", "--no-cache", "--mesh", "4x4",
                 "--network", "cosa"]
        for dram in None, "ddr3-1600":
            machine = tilewright.SimulatedMachine(network="cosa", mesh=(4, 4), dram=dram)
            theirs = json.loads(command(*words, *(["--dram", dram] if dram else []), "--json"))
            ours = tilewright.simulate(found, machine=machine).to_dict()
            self.assertEqual((ours["layers"], ours["memory"]), (theirs["layers"], theirs["memory"]))
        with self.assertRaisesRegex(tilewright.InputError, "flit_bits is for the network 'mesh'"):
            tilewright.simulate(found, machine=tilewright.SimulatedMachine(network="cosa", flit_bits=32))

    def test_the_best_mapping_by_simulation(self):
        words = ["map", "--arch", "simba", "--net", "resnet50", "--layers", "layer2.0.conv1", "--no-cache", "--refine", "simulate"]
        network = tilewright.Network("resnet50", layers="layer2.0.conv1")
        seen = []
        found = tilewright.map(network, "simba", refine="simulate", candidates=4, progress=lambda progress: seen.append(progress.event))
        self.same(found, *words, "--candidates", "4")
        self.assertIn("steps", seen)
        self.assertEqual(len(found.to_dict()["layers"][0]["refinement"]["candidates"]), 4)
        machine = tilewright.SimulatedMachine(dram="hbm2-2000", double_buffered=True)
        found = tilewright.map(network, "simba", objective="latency", refine="simulate", candidates=2, machine=machine)
        self.same(found, *words, "--candidates", "2", "--objective", "latency", "--dram", "hbm2-2000", "--double-buffered")

    def test_schedules_are_replayed(self):
        scheduled = tilewright.schedule(tilewright.Network("alexnet", layers="conv3"), "arch1")
        with tempfile.TemporaryDirectory() as folder:
            command("schedule", "--arch", "arch1", "--net", "alexnet", "--layers", "conv3", "--no-cache", "-o", "out", cwd=folder)
            for ours, more in ((scheduled.simulate(), []),
                               (scheduled.simulate(dram="ddr4-2400", dram_channels=2, row_policy="closed", clock_ghz=0.5, layout="tiles"),
                                ["--dram", "ddr4-2400", "--dram-channels", "2", "--row-policy", "closed", "--clock", "0.5", "--layout",
                                 "tiles"])):
                with self.subTest(more=more):
                    self.assertEqual(ours.to_dict()["layers"], json.loads(command("simulate", "out", *more, "--json", cwd=folder))["layers"])
                    self.assertEqual(str(ours), command("simulate", "out", *more, cwd=folder))
        self.assertEqual(scheduled.simulate().layers[0].cycles, scheduled.cycles)
        self.assertIn("conv3", ours.to_html())
        self.assertTrue(scheduled.simulate(dram="ddr2-667").layers[0].underestimated.startswith("DDR2-667 "))

    def test_explore(self):
        ours = tilewright.explore("alexnet", "simba", {"GlobalBuffer.depth": [1024, 2048], "PE.meshX": [2, 4]})
        theirs = list(csv.DictReader(io.StringIO(command(
            "explore", "--arch", "simba", "--net", "alexnet", "--set", "GlobalBuffer.depth=1k,2k", "--set", "PE.meshX=2,4",
            "--no-cache", "--csv", "-"))))
        self.assertEqual(len(ours), len(theirs))
        for one, other in zip(ours, theirs):
            self.assertEqual((one["point"], one["status"]), (int(other["point"]), other["status"]))
            if one["status"] == "valid":
                for metric in tilewright.exploring.METRICS:
                    self.assertAlmostEqual(one[metric], float(other[metric]), delta=1e-12 * abs(one[metric]), msg=metric)


if __name__ == "__main__":
    unittest.main()
