"""What a terminal shows: tables that fit it, colour, and hints that name what was meant."""

import os
import re
import shutil

from program import PROGRAM, ROOT, Case
from terminals import run_on_terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Terminals(Case):
    def shown(self, columns, *arguments, **variables):
        """What the program writes to a terminal of so many columns; its status has to be 0."""
        environment = {**os.environ, "TILEWRIGHT_CACHE": "", "TERM": "xterm-256color", **variables}
        environment.pop("NO_COLOR", None) if "NO_COLOR" not in variables else None
        shown = run_on_terminal([PROGRAM, *arguments], columns, self.folder, environment)
        self.assertEqual(shown.status, 0, shown.error)
        return shown.text

    def tables(self, text):
        """The lines of every table: a header, a rule, rows."""
        lines = COLOUR.sub("", text).splitlines()
        for i, line in enumerate(lines):
            if re.fullmatch(r" *-{8,}", line) and i > 0:
                end = i
                while end < len(lines) and lines[end].strip():
                    end += 1
                yield lines[i - 1:end]

    NETWORK = ("map", "--arch", "eyeriss", "--net", "resnet18", "--quiet")
    SHOWN = ("map", "--arch", "eyeriss", "--net", "resnet18")

    def test_tables_fit(self):
        compared = 0
        for arguments in (self.SHOWN, (*self.SHOWN, "--layers", "conv1"), ("show", "--arch", "eyeriss"),
                          ("show", "--arch", "eyeriss", "--energies"), ("show", "--net", "resnet18"), ("show", "--zoo"),
                          ("explore", "--arch", "simba", "--net", "alexnet", "--layers", "conv1", "--set",
                           "GlobalBuffer.depth=1k,2k"),
                          ("schedule", "--arch", "arch5", "--net", "alexnet", "--layers", "conv1")):
            for columns in (60, 80, 140):
                for table in self.tables(self.shown(columns, *arguments)):
                    for line in table:
                        self.assertLessEqual(len(line), columns, f"{arguments} at {columns}")
                    compared += 1
        self.assertGreater(compared, 40)

    def test_what_has_no_room_is_said(self):
        narrow = COLOUR.sub("", self.shown(80, *self.SHOWN))
        self.assertIn("(no room for: EDP (J*cycles)", narrow)
        self.assertIn("bound", narrow)
        self.assertNotIn("no room for", self.shown(140, *self.SHOWN))

    def test_sums_and_shares_stay_and_small_operands_go(self):
        """A cascade has many operands; their energies add up to `all`, of which `share` is a part."""
        words = ("map", "--arch", "eyeriss", "--einsum", "S[h,m,l] += Q[h,m,e] * K[h,l,e]; P[h,m,l] = exp(S[h,m,l]); R[h,m,l] = P[h,m,l] + "
                 "S[h,m,l]", "--extents", "h=2,m=8,l=8,e=4")
        text = COLOUR.sub("", self.shown(60, *words))
        head = next(line for line in text.splitlines() if line.lstrip().startswith("energy by memory"))
        self.assertRegex(head, r" all +share$")
        self.assertIn("(no room for: ", text)

    def test_sentences_wrap_at_words(self):
        for columns in (60, 80, 140):
            text = COLOUR.sub("", self.shown(columns, *self.SHOWN))
            for line in text.splitlines():
                self.assertLessEqual(len(line), columns, line)
        words = re.sub(r"\s+", " ", text)
        self.assertIn("no even mapping with perfect factors that meets the constraints has a smaller", words)
        narrow = re.sub(r"\s+", " ", COLOUR.sub("", self.shown(60, *self.SHOWN)))
        self.assertIn("no even mapping with perfect factors that meets the constraints has a smaller", narrow)

    def test_a_share_stays_in_one_piece(self):
        for columns in range(40, 140, 7):
            self.assertNotRegex(COLOUR.sub("", self.shown(columns, *self.SHOWN, "--layers", "conv1")), r"(?m)^ *%")

    def test_names_of_usual_length_stay_whole(self):
        text = COLOUR.sub("", self.shown(80, "map", "--arch", "eyeriss", "--net", "mobilenetv2", "--layers", "features.17.*"))
        self.assertIn("features.17.depthwise", text)
        self.assertNotRegex(text, r"(?m)^  \S*…")

    def test_names_are_cut_in_the_middle(self):
        self.write("net.yaml", "network:\n  layers:\n  - name: " + "front_" + "x" * 80 + "_back\n"
                   '    einsum: "O[m,n] += A[m,k] * B[k,n]"\n    extents: {m: 8, n: 8, k: 8}\n'
                   "  - name: other\n    einsum: \"O[m,n] += A[m,k] * B[k,n]\"\n    extents: {m: 8, n: 4, k: 8}\n")
        shutil.copy(ROOT / "tests" / "baselines" / "small3.yaml", self.folder / "small3.yaml")
        text = COLOUR.sub("", self.shown(80, "map", "--arch", "small3.yaml", "--unnamed", "ignore", "--net", "net.yaml"))
        self.assertRegex(text, r"(?m)^  front_x+…x*_back +32 ")

    def test_without_a_terminal_nothing_is_cut_or_coloured(self):
        text = self.run_program(*self.SHOWN).stdout
        self.assertNotIn("\x1b", text)
        self.assertNotIn("no room for", text)
        self.assertIn("EDP (J*cycles)", text)

    def test_colour_where_it_is_wanted(self):
        text = self.shown(120, *self.SHOWN)
        self.assertIn("\x1b[1mresnet18 on eyeriss\x1b[0m", text)
        self.assertIn("\x1b[32mproven optimal\x1b[0m", text)
        self.assertNotIn("\x1b", self.shown(120, *self.SHOWN, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.shown(120, *self.SHOWN, TERM="dumb"))
        plain = self.run_program(*self.SHOWN).stdout
        self.assertEqual(COLOUR.sub("", self.shown(400, *self.SHOWN)), plain)

    def test_help_fits(self):
        for columns in (80, 140):
            for verb in ("plot", "map", "init"):
                lines = self.shown(columns, verb, "--help").splitlines()
                usage = [line for line in lines if line.startswith(("usage:", "example:", "tilewright "))]
                for line in lines:
                    if line not in usage:
                        self.assertLessEqual(len(COLOUR.sub("", line)), min(columns, 100), verb)


class Meant(Case):
    def assert_hint(self, message, *arguments):
        self.assert_fails(self.run_program(*arguments), 2, f"...{message}")

    def test_a_file_that_is_there(self):
        self.example("arch.yaml")
        (self.folder / "arch.yaml").rename(self.folder / "mine.yaml")
        self.assert_hint("the zoo has no 'mine'; for the file give --arch ./mine.yaml", "map", "--arch", "mine", "--net", "alexnet")
        self.write("mine.onnx", b"")
        self.assert_hint("the zoo has no 'mine'; for the file give --net ./mine.onnx", "map", "--arch", "eyeriss", "--net", "mine")

    def test_a_machine_of_several_cores(self):
        self.assert_hint("tilewright schedule --arch arch5 --net", "map", "--arch", "arch5", "--net", "alexnet")
        self.assert_hint("tilewright map --arch eyeriss --net", "schedule", "--arch", "eyeriss", "--net", "alexnet")

    def test_a_machine_for_a_network(self):
        self.assert_hint("'eyeriss' is a machine: give --arch eyeriss", "map", "--arch", "simba", "--net", "eyeriss")
        self.assert_hint("'resnet18' is a network: give --net resnet18", "map", "--arch", "resnet18", "--net", "alexnet")

    def test_else_the_nearest_name(self):
        self.assert_hint("did you mean 'eyeriss'?", "map", "--arch", "eyeris", "--net", "alexnet")
        self.assert_hint("did you mean 'alexnet'?", "map", "--arch", "eyeriss", "--net", "alexne")


class Pages(Case):
    """--html is the page of -o DIR by itself."""

    def assert_page(self, *arguments):
        result = self.run_program(*arguments, "--html", "page.html", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "page.html").read_text().startswith("<!DOCTYPE html>"), arguments)
        self.assertEqual(self.files(), ["page.html"])
        (self.folder / "page.html").unlink()

    def test_verbs_that_make_pages(self):
        self.assert_page("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv1")
        self.assert_page("map", "--arch", "eyeriss,simba", "--net", "alexnet", "--layers", "conv1")
        self.assert_page("simulate", "--arch", "simba-cosa", "--net", "alexnet", "--layers", "conv3", "--mapper", "cosa")
        self.assert_page("schedule", "--arch", "arch5", "--net", "alexnet", "--layers", "conv1")
        self.assert_page("explore", "--arch", "simba", "--net", "alexnet", "--layers", "conv1", "--set", "GlobalBuffer.depth=1k,2k")

    def test_it_is_the_same_page(self):
        words = ("map", "--arch", "eyeriss", "--net", "alexnet", "--layers", "conv1", "--quiet")
        self.run_program(*words, "-o", "out", "--html", "page.html")
        self.assertEqual((self.folder / "out" / "report.html").read_bytes(), (self.folder / "page.html").read_bytes())

    def test_a_place_that_cannot_be_written_is_said(self):
        self.assert_fails(self.run_program("map", "--arch", "eyeriss", "--net", "alexnet", "--html", "nowhere/page.html"), 2,
                          "nowhere/page.html: error: cannot write")
