"""docs/papers.md: every figure and table of the five papers has a row, and the commands that take seconds print what the rows say."""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"
TEXTS = ROOT.parent / "shared" / "papers"
PROGRAM = pathlib.Path(os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))).resolve()
LEAST_ROWS = 20
MOST_NUMBERS = 400  # that a command may print: among many more, any figure would be found

ROMAN = ["I", "II", "III", "IV", "V", "VI"]
FIGURES = {"CoSA": (11, ROMAN), "Flexer": (12, ["1", "2"]), "Ruby": (14, ["I"]), "SALSA": (6, []), "MAESTRO": (13, ["1", "2", "3"])}
KEYS = {f"{paper} Fig. {number}" for paper, (count, _) in FIGURES.items() for number in range(1, count + 1)} | {
    f"{paper} Table {number}" for paper, (_, tables) in FIGURES.items() for number in tables}
COLUMNS = ["", "shows", "paper", "ours", "verdict", "command", "why"]
VERDICTS = ["equal", "within its band", "differs because", "contradicts itself"]  # of a result; other rows: NO_VERDICTS
NO_VERDICTS = {"drawing": "no result", "not done": "not done"}
LEAST_VERDICTS = {"equal": 5, "within its band": 3, "differs because": 10, "contradicts itself": 4}
# Of each script that long rows name: a run on two layers or machines, and what its output has. Seconds each.
SMOKES = {
    "bench/studies/cosa/study.py": ("--figures 6T --layers 1_1_4096_1000_1,1_7_512_2048_1 --streams 1", "Hybrid over it"),
    "bench/studies/simulate/study.py": ("--figures 4 --layers 3_7_512_512_1,1_1_2048_1000_1", "P4C4"),
    "bench/studies/flexer/study.py": ("--figures 8,12 --networks squeezenet --machines arch3 --rules sum --layers fire6*,fire7*", "Figure 12"),
    "bench/studies/ruby/study.py": ("--figures 11 --quick --deepbench 13_*,29_* --summary", "EDP"),
    "bench/studies/explore/study.py": ("--figures fig13 --spaces rs_c2 --threads 1", "macs/cycle"),
    "bench/studies/explore/grids.py": ("--quick --flows rs", "rs c11"),
    "bench/studies/salsa/sensitivity.py": ("salsa_study --quick", "SALSA Fig. 5"),
}
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Row:
    def __init__(self, number, cells):
        self.number = number
        self.key, self.shows, self.paper, self.ours, self.verdict, self.command, self.why = cells

    def kind(self):
        if self.command in ("drawing", "not done"):
            return self.command
        for kind in ("long", "test"):
            if re.fullmatch(rf"{kind}: `[^`]+`(?: \([^)]+\))?", self.command):
                return kind
        return "run" if re.fullmatch(r"`[^`]+`", self.command) else None

    def text(self):
        return re.search(r"`([^`]+)`", self.command)[1].replace("\\|", "|")

    def figures(self):
        """In bold, as written."""
        return [number for bold in re.findall(r"\*\*(.+?)\*\*", self.ours) for number in NUMBER.findall(bold)]


def rows(text):
    """Of the tables of figures: those with COLUMNS as their head (without a head: of these)."""
    found, of_figures = [], True
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("|") or set(line) <= set("|- "):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if number < len(lines) and lines[number].startswith("|--"):
            of_figures = cells == COLUMNS
        elif of_figures:
            if len(cells) != len(COLUMNS):
                raise ValueError(f"{PAGE.name}:{number}: {len(cells)} cells, not {len(COLUMNS)}")
            found.append(Row(number, cells))
    return found


def figure_of(key):
    """The figure that a key belongs to: parts (a, b, ...) and sentences of the text have rows of their own. Nothing: unknown."""
    if re.fullmatch(rf"({'|'.join(FIGURES)}) text: .+", key):
        return key
    part = re.fullmatch(r"(.+ Fig\. \d+)[a-z]?", key)
    figure = part[1] if part else key
    return figure if figure in KEYS else None


def numbers(text):
    return [one.replace(",", "") for one in NUMBER.findall(text)]


def equal(written, printed):
    """To the digits that are written."""
    digits = len(written.partition(".")[2])
    return abs(float(written.replace(",", "")) - float(printed)) <= 0.5 * 10.0 ** -digits * (1 + 1e-9)


def missing(written, printed):
    """The first of the written figures that is not among the printed ones, behind those before it; None: all are there."""
    rest = iter(printed)
    return next((one for one in written if not any(equal(one, other) for other in rest)), None)


class Page(unittest.TestCase):
    def setUp(self):
        self.rows = rows(PAGE.read_text())

    def test_every_figure_of_the_papers_has_a_row(self):
        self.assertEqual(sorted(KEYS - {figure_of(row.key) for row in self.rows}), [])

    def test_every_row_is_of_a_figure_and_says_how_it_is_made(self):
        keys = [row.key for row in self.rows]
        self.assertEqual(sorted(set(keys)), sorted(keys))
        for row in self.rows:
            with self.subTest(f"{PAGE.name}:{row.number} {row.key}"):
                self.assertIsNotNone(figure_of(row.key))
                self.assertIsNotNone(row.kind(), row.command)
                self.assertNotEqual(row.shows, "")
                if row.kind() == "not done":
                    self.assertEqual(row.ours, "not done")
                if row.kind() in NO_VERDICTS:
                    self.assertEqual(row.verdict, NO_VERDICTS[row.kind()])
                else:
                    self.assertIn(row.verdict, VERDICTS)
                if row.verdict in ("differs because", "contradicts itself"):
                    self.assertNotEqual(row.why, "", "a verdict without a reason")
                if row.kind() == "run":
                    self.assertNotEqual(row.figures(), [], "no figure in bold")
                else:
                    self.assertEqual(row.figures(), [], "a figure in bold that no test compares")

    def test_every_verdict_is_explained_and_given(self):
        text = PAGE.read_text()
        for verdict in [*VERDICTS, *NO_VERDICTS.values()]:
            self.assertRegex(text, rf"(?m)^\| {verdict} \| ", "not among the words that the page explains")
        for verdict, least in LEAST_VERDICTS.items():
            self.assertGreaterEqual(sum(row.verdict == verdict for row in self.rows), least, verdict)

    def test_the_page_begins_with_a_claim_of_each_paper(self):
        claims = re.search(r"(?ms)^## The five headline claims$.*?^## ", PAGE.read_text())[0]
        self.assertEqual(re.findall(r"(?m)^\| (\w+) \| (?:[^|\n]+\| ){4}[^|\n]+ \|$", claims), ["paper", *FIGURES])

    @unittest.skipUnless(TEXTS.is_dir(), "no shared/papers")
    def test_the_papers_have_no_other_figures(self):
        for path in TEXTS.glob("*.txt"):
            text = path.read_text()
            paper = max(FIGURES, key=text.count)
            captions = re.findall(r"^\**(?:Fig\.|Figure) (\d+)[.:*]", text, re.MULTILINE)
            tables = re.findall(r"^\**(?:TABLE|Table) ([IVX]+|\d+)[.:*]", text, re.MULTILINE)
            with self.subTest(paper):
                self.assertEqual({int(one) for one in captions} - set(range(1, FIGURES[paper][0] + 1)), set())
                self.assertEqual(sorted(set(tables)), FIGURES[paper][1])

    def test_named_unit_tests_exist(self):
        for row in self.rows:
            if row.kind() != "test":
                continue
            suite, name = row.text().split(".")
            with self.subTest(row.text()):
                self.assertTrue(any(re.search(rf"\bTEST(?:_F)?\({suite}, {name}\)", path.read_text())
                                    for path in (ROOT / "src").rglob("*_test.cpp")))


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "bench" / "studies", self.folder / "bench" / "studies", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("data", "docs", "examples"):
            (self.folder / name).symlink_to(ROOT / name)
        (self.folder / "build" / "release").mkdir(parents=True)
        (self.folder / "build" / "release" / "bin").symlink_to(PROGRAM.parent)

    def output(self, row):
        """What its command prints: the line of its key, or everything."""
        result = subprocess.run(["bash", "-c", f"set -o pipefail; {row.text()}"], cwd=self.folder, capture_output=True, text=True,
                                timeout=600, stdin=subprocess.DEVNULL, check=False,
                                env={**os.environ, "TILEWRIGHT_CACHE": "", "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)
        own = [line.partition(": ")[2] for line in result.stdout.splitlines() if line.startswith(f"{row.key}: ")]
        return "\n".join(own) or result.stdout

    def test_commands_print_what_the_page_says(self):
        compared = []
        for row in rows(PAGE.read_text()):
            if row.kind() != "run":
                continue
            program = next((word for word in ("salsa_study", "draw_mappings") if row.text().startswith(word)), None)
            if program and not (PROGRAM.parent / program).exists():
                print(f"{row.key}: {program} is not built")
                continue
            with self.subTest(f"{PAGE.name}:{row.number} {row.key}"):
                printed = self.output(row)
                found = numbers(printed)
                self.assertLessEqual(len(found), MOST_NUMBERS, "the command prints too much to compare with: add a grep")
                self.assertIsNone(missing(row.figures(), found), f"{row.figures()} on the page, printed:\n{printed}")
                compared.append(row.key)
        print(f"{len(compared)} rows compared: {', '.join(compared)}")
        self.assertGreaterEqual(len(compared), LEAST_ROWS)


class Scripts(Commands):
    """Long rows were made by scripts that still run: on two layers or machines here."""

    def test_scripts_of_long_rows_run(self):
        named = {re.match(r"[\w/]+\.py", row.text())[0] for row in rows(PAGE.read_text()) if row.kind() == "long"}
        self.assertEqual(named - set(SMOKES), set())
        run = 0
        for script, (options, expected) in SMOKES.items():
            words = options.split()
            if words[0] == "salsa_study":
                words[0] = str(PROGRAM.parent / words[0])
                if not pathlib.Path(words[0]).exists():
                    continue
            with self.subTest(script):
                result = subprocess.run([str(self.folder / script), *words], cwd=self.folder, capture_output=True, text=True, timeout=600,
                                        stdin=subprocess.DEVNULL, check=False, env={**os.environ, "TILEWRIGHT_CACHE": ""})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(expected, result.stdout)
                run += 1
        self.assertGreaterEqual(run, len(SMOKES) - 1)

    def test_kept_results_are_of_layers_that_there_are(self):
        """And have what the search looked for."""
        sys.path.insert(0, str(ROOT / "bench" / "studies" / "cosa"))
        import layers
        kept = list(csv.DictReader((ROOT / "docs" / "evidence" / "kept" / "cosa_timeloop_hybrid.csv").read_text().splitlines()))
        self.assertGreaterEqual(len(kept), 11)
        self.assertEqual(len({(row["machine"], row["objective"], row["layer"]) for row in kept}), len(kept))
        for row in kept:
            self.assertIn(row["layer"], layers.distinct())
            self.assertNotEqual(row["cycles" if row["objective"] == "latency" else "energy_uj"], "")

    def test_kept_schedules_are_of_known_points(self):
        """And none is below its bounds."""
        kept = list(csv.DictReader((ROOT / "docs" / "evidence" / "kept" / "flexer_layers.csv").read_text().splitlines()))
        self.assertGreaterEqual(len(kept), 80)
        self.assertEqual(len({(row["network"], row["machine"], row["rule"], row["options"], row["layer"]) for row in kept}), len(kept))
        for row in kept:
            self.assertRegex(" ".join((row["network"], row["machine"], row["rule"])), r"^\w+ arch[1-8] (sum|overlap)$")
            for what in ("latency_cycles", "traffic_bytes"):
                self.assertGreaterEqual(int(row[f"schedule_{what}"]), int(row[f"bounds_{what}"]))

    test_commands_print_what_the_page_says = None  # of Commands


class Comparison(unittest.TestCase):
    def test_digits_that_are_written_count(self):
        self.assertTrue(equal("1.39", "1.3891"))
        self.assertFalse(equal("1.38", "1.3891"))
        self.assertTrue(equal("29,812", "29812"))
        self.assertTrue(equal("0.04", "+0.04"))
        self.assertFalse(equal("-4.4", "4.4"))
        self.assertIsNone(missing(["1", "3"], ["1", "2", "3"]))
        self.assertEqual(missing(["3", "1"], ["1", "2", "3"]), "1")

    def test_a_row_that_is_no_figure_is_noticed(self):
        self.assertIsNone(figure_of("CoSA Fig. 12"))
        self.assertIsNone(figure_of("Eyeriss Fig. 1"))
        self.assertEqual(figure_of("CoSA Fig. 9a"), "CoSA Fig. 9")
        with self.assertRaisesRegex(ValueError, "5 cells"):
            rows("| CoSA Fig. 1 | a | b | c | d |\n")
        self.assertIsNone(Row(1, ["CoSA Fig. 1", "", "", "", "", "some day", ""]).kind())


if __name__ == "__main__":
    unittest.main()
