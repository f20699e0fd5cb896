"""Verbs, options and how mistakes in them are answered."""

import os
import pty
import re
import resource
import shutil
import subprocess
import unittest

from program import PROGRAM, ROOT, Case, Terminal

VERBS = ["map", "evaluate", "compare", "simulate", "schedule", "explore", "show", "check", "convert", "report", "plot",
         "calibrate", "init", "completion"]


class Usage(Case):
    def test_help_names_every_verb_and_an_example(self):
        result = self.run_program("--help")
        self.assertEqual(result.returncode, 0)
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", result.stdout)
        self.assertIn("example: tilewright map --arch eyeriss --net resnet50", result.stdout)

    def test_every_verb_has_help(self):
        for verb in VERBS:
            result = self.run_program(verb, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stdout.startswith(f"tilewright {verb}: "))
            self.assertIn(f"usage:   tilewright {verb}", result.stdout)
            self.assertLess(result.stdout.index("example: "), result.stdout.index("usage: "))
            self.assertLessEqual(max(map(len, result.stdout.splitlines()[4:])), 100, result.stdout)

    def test_help_fits_one_screen_and_help_all_has_the_rest(self):
        for verb in VERBS:
            short, whole = (self.run_program(verb, option).stdout for option in ("--help", "--help-all"))
            self.assertLessEqual(len(short.splitlines()), 64, short)
            options = [set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", text, re.MULTILINE)) for text in (short, whole)]
            self.assertLessEqual(options[0], options[1])
            left_out = len(options[1] - options[0])
            self.assertEqual(f"--help-all describes {left_out} more options\n" in short, left_out > 0, verb)
            self.assertEqual(left_out > 0, len(options[1]) > 16, verb)

    def options_of(self, verb):
        """What --help-all says: {"output": ("o", "DIR"), ...}"""
        text = self.run_program(verb, "--help-all").stdout
        found = re.findall(r"^  (?:-(.), |    )--([a-z-]+)(?: ([A-Z][A-Za-z=]*))?", text, re.MULTILINE)
        return {name: (letter, value) for letter, name, value in found}

    def test_one_set_of_option_names(self):
        """A name has one letter and one meaning over all verbs; what differs is listed."""
        own = {("output", "FILE"): {"report", "plot", "init", "calibrate"}, ("set", "NAME=VALUES"): {"explore"}, ("core", "ARCH"): {"schedule"},
               ("account", "LIST"): {"compare"}, ("factors", "LIST"): {"compare"}, ("latency", "WHICH"): {"llm"}, ("best", "LIMITS"): {"llm"}}
        usual, compared = {}, 0
        for verb in [*VERBS, "llm"]:
            for name, (letter, value) in self.options_of(verb).items():
                known = usual.setdefault(name, (letter, value)) if verb not in own.get((name, value), ()) else (usual.get(name, (letter,))[0], value)
                self.assertEqual((letter, value), known, f"{verb} --{name}")
                compared += 1
        self.assertGreater(compared, 300)
        letters = {}
        for name, (letter, _) in usual.items():
            letters.setdefault(letter, set()).add(name)
        letters.pop("")
        self.assertEqual({letter: names for letter, names in letters.items() if len(names) > 1}, {"m": {"mapper", "mappers"}, "n": {"net", "number"}})

    def test_verbs_that_find_something_write_it_the_same_way(self):
        for verb in ("map", "evaluate", "simulate", "schedule", "explore", "llm"):
            options = self.options_of(verb)
            self.assertEqual([options.get(name) for name in ("output", "json", "quiet", "csv", "html")],
                             [("o", "DIR"), ("j", ""), ("q", ""), ("", "FILE"), ("", "FILE")], verb)
            self.assertIn("set", options, verb)
        for verb in ("map", "compare", "simulate", "schedule", "explore", "llm"):
            self.assertEqual(self.options_of(verb)["threads"], ("t", "N"), verb)

    def test_rows_of_a_table_in_help_keep_their_columns(self):
        text = self.run_program("plot", "--help").stdout
        rows = re.findall(r"^ +(compare|network|tilings|links) +(\S.*)$", text, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["compare", "network", "tilings", "links"])
        self.assertEqual(len({line.index(row[1]) for row in rows for line in text.splitlines() if line.endswith(row[1])}), 1, text)

    def test_help_of_a_verb_is_a_habit_from_git(self):
        self.assertEqual(self.run_program("help", "map").stdout, self.run_program("map", "--help").stdout)
        self.assert_fails(self.run_program("help", "mapp"), 2, "...unknown verb 'mapp'; did you mean 'map'?")

    def test_a_small_stack_is_enough(self):
        """Work is done on threads whose stacks do not depend on `ulimit -s`."""
        words = [PROGRAM, "map", "--arch", "eyeriss", "--net", "resnet18", "--layers", "conv1", "--factors", "ruby-s", "--json"]
        variables = {**os.environ, "TILEWRIGHT_CACHE": ""}
        answers = []
        for kib in (None, 256):
            def limit(kib=kib):
                if kib is not None:
                    resource.setrlimit(resource.RLIMIT_STACK, (kib * 1024, resource.getrlimit(resource.RLIMIT_STACK)[1]))
            result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=variables, preexec_fn=limit)
            self.assertEqual(result.returncode, 0, result.stderr)
            answers.append(result.stdout)
        self.assertEqual(answers[0], answers[1])

    def test_no_verb_prints_the_help_as_an_error(self):
        result = self.run_program()
        self.assertEqual(result.returncode, 2)
        self.assertIn("usage:   tilewright VERB", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_version_is_that_of_the_project(self):
        """And in a build between releases of a commit, how far behind the release: 0.2.0+12.g4f883b0244."""
        version, plus, commit = self.run_program("--version").stdout.split()[1].partition("+")
        self.assertTrue(f"project(tilewright VERSION {version} " in (ROOT / "CMakeLists.txt").read_text(), version)
        if plus:
            self.assertRegex(commit, r"^([0-9]+\.)?g[0-9a-f]{10,}$")

    def test_unknown_verb_names_the_nearest(self):
        self.assert_fails(self.run_program("mapp"), 2, "tilewright: error: unknown verb 'mapp'; did you mean 'map'? [usage]\n")

    def test_unknown_option_names_the_nearest(self):
        self.assert_fails(self.run_program("show", "--enregies"), 2,
                          "tilewright show: error: unknown option '--enregies'; did you mean '--energies'? [usage]\n")
        self.assert_fails(self.run_program("show", "-x"), 2, "tilewright show: error: unknown option '-x' [usage]\n")

    def test_wrong_values_say_what_is_expected(self):
        self.assert_fails(self.run_program("show", "--estimator", "table"), 2,
                          "tilewright show: error: --estimator takes tables or pat, found 'table'; did you mean 'tables'? [usage]\n")
        self.assert_fails(self.run_program("show", "--arch"), 2, "tilewright show: error: '--arch' needs a value [usage]\n")
        self.assert_fails(self.run_program("show", "--json=yes"), 2, "tilewright show: error: --json takes no value [usage]\n")
        self.assert_fails(self.run_program("show", "--einsum", "O[m] += A[m]", "--extents", "m=x"), 2,
                          "tilewright show: error: --extents takes NAME=EXTENT with an extent of at least 1, found 'm=x' [usage]\n")

    def test_a_verb_without_input_says_what_it_needs(self):
        self.assert_fails(self.run_program("evaluate"), 2, "tilewright evaluate: error: no architecture: give --arch NAME")
        self.assert_fails(self.run_program("show"), 2, "tilewright show: error: nothing to show: give files, --arch or --net")
        self.assert_fails(self.run_program("check"), 2, "tilewright check: error: nothing to check")

    def test_unknown_zoo_names_get_the_nearest(self):
        self.assert_fails(self.run_program("show", "--net", "resnet5"), 2, "...did you mean 'resnet50'?")
        self.assert_fails(self.run_program("show", "--arch", "eyeris"), 2, "...did you mean 'eyeriss'?")

    def test_names_of_the_zoo_among_the_files_are_told_their_options(self):
        self.assert_fails(self.run_program("map", "eyeriss", "resnet50"), 2,
                          "tilewright map: error: there is no file 'eyeriss'; for the machine of that name give --arch eyeriss [usage]\n")
        self.assert_fails(self.run_program("show", "resnet50"), 2, "...for the network of that name give --net resnet50 [usage]")
        self.assert_fails(self.run_program("show", "--net", "O[m,n] += A[m,k] * B[k,n]"), 2, "...an einsum is given with --einsum")

    def test_a_full_disk_is_not_a_success(self):
        for arguments in [["--help"], ["map", "--help"], ["--version"], ["show", "--zoo"], ["completion", "man"]]:
            with open("/dev/full", "w", encoding="ascii") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stderr, "error: cannot write to standard output [io]\n", arguments)


class Completion(Terminal):
    def complete(self, *words):
        script = self.run_program("completion", "bash").stdout
        line = " ".join(f"'{word}'" for word in words)
        command = (f"PATH={PROGRAM.rpartition('/')[0]}:$PATH\n{script}\nCOMP_WORDS=(tilewright {line})\n"
                   f"COMP_CWORD={len(words)}\n_tilewright\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_completes_verbs_options_and_choices(self):
        self.assertEqual(self.complete("ev"), ["evaluate"])
        self.assertEqual(self.complete("show", "--en"), ["--energies"])
        self.assertEqual(self.complete("show", "--estimator", "t"), ["tables"])

    def test_completes_zoo_names_and_files(self):
        self.write("resnet-mine.yaml", "")
        self.assertIn("resnet50", self.complete("show", "--net", "resnet"))
        self.assertIn("resnet-mine.yaml", self.complete("show", "--net", "resnet"))
        self.assertEqual(self.complete("show", "resnet-"), ["resnet-mine.yaml"])

    def test_completes_after_letters_equal_signs_and_commas(self):
        self.assertEqual(self.complete("map", "-a", "nvd"), ["nvdla-like"])
        self.assertEqual(self.complete("map", "-n", "alexnet,resnet1"), ["alexnet,resnet18"])
        self.assertEqual(self.complete("map", "--arch", "=", "nvd"), ["nvdla-like"])
        self.assertEqual(self.complete("map", "--objective", "la"), ["latency"])
        self.assertEqual(self.complete("map", "-m", "opt"), ["optimal"])

    def test_options_stand_under_headings(self):
        text = self.run_program("map", "--help-all").stdout
        places = [text.index(f"\n{heading}\n") for heading in ("Files", "Machine", "Network", "Search", "Output")]
        self.assertEqual(places, sorted(places))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_script(self):
        script = self.run_program("completion", "zsh").stdout
        self.assertEqual(subprocess.run(["zsh", "-n"], input=script, capture_output=True, text=True).stderr, "")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_on_a_terminal(self):
        self.write("_tilewright", self.run_program("completion", "zsh").stdout)
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        environment = {**os.environ, "PATH": f"{PROGRAM.rpartition('/')[0]}:{os.environ['PATH']}", "TERM": "xterm", "PS1": "$ "}
        process = subprocess.Popen(["zsh", "-f", "-i"], cwd=self.folder, stdin=theirs, stdout=theirs, stderr=theirs,
                                   start_new_session=True, env=environment)
        os.close(theirs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.write(ours, b"fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print rea''dy\n")
        self.read_until(ours, "ready")
        for typed, seen in [("map -a eye", "riss"), ("map -n resnet18,mob", "ilenetv2"), ("map --arch=nv", "dla-like"),
                            ("map --objective l", "atency"), ("convert --to tim", "eloop"), ("map -m opt", "imal")]:
            os.write(ours, f"tilewright {typed}\t".encode())
            # What is typed comes back; a longer word is what was completed.
            self.read_until(ours, re.escape(typed.split()[-1]) + r"(\x1b\[[0-9;?]*[a-zA-Z]|[\r\x07])*" + seen)
            os.write(ours, b"\x15")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_names_of_the_zoo(self):
        script = self.run_program("completion", "fish").stdout
        for typed, found in [("--arch eyer", "eyeriss"), ("-a eyeriss,nv", "eyeriss,nvdla-like"), ("-n resnet18,mob", "resnet18,mobilenetv2"),
                             ("--arch=eyeriss,nv", "--arch=eyeriss,nvdla-like"), ("--objective l", "latency"), ("-m opt", "optimal")]:
            command = f"set -x PATH {PROGRAM.rpartition('/')[0]} $PATH\n{script}\ncomplete -C 'tilewright map {typed}'"
            result = subprocess.run(["fish", "-c", command], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(result.stderr, "")
            self.assertIn(found, [line.split("\t")[0] for line in result.stdout.splitlines()], typed)

    def test_every_script_names_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_program("completion", shell).stdout
            for name in ("objective", "arch", "rename", "dram-channels"):
                self.assertIn(name, script, shell)

    def test_the_man_page_is_sound_troff(self):
        page = self.run_program("completion", "man").stdout
        self.assertIn(".SS tilewright map", page)
        self.assertIn("\\-\\-objective", page)


if __name__ == "__main__":
    unittest.main()
