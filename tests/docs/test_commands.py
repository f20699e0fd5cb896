"""Commands of README.md, docs/cli.md, the tutorial and the guides are run as they stand: those of blocks, then those inside sentences."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TILEWRIGHT", str(ROOT / "build" / "release" / "bin" / "tilewright"))
VERBS = "map|evaluate|compare|show|check|convert|calibrate|completion|schedule|simulate|plot|explore|report|init|llm|tiles"


def commands(path, inline=True):
    """`tilewright VERB ...` of indented blocks and of inline code; (line number, command, exit status).

    The status is 0, or 1 where the comment behind the command says so."""
    blocks, inside = [], []
    text = re.sub(r" \\\n +", " ", path.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        block = re.match(rf"^ {{4,}}(?:\$ )?(tilewright (?:{VERBS})\b.*)$", line)
        if block:
            command, _, comment = block[1].partition("  #")
            blocks.append((number, command.strip(), 1 if "status 1" in comment else 0))
        else:
            inside += [(number, command, 0) for command in re.findall(rf"`(tilewright (?:{VERBS})\b[^`]*)`", line)]
    return blocks + inside if inline else blocks


# Pages whose examples are held to what they print, by the tests below and by docs_questions.
COMPARED = ("cli", "tiles", "errors", "tutorial", "networks", "mappings", "llm", "questions", "guide-*", "coming-from-*")
# Words of commands about files that a reader has, and placeholders.
READERS_OWN = re.compile(r"login-node|service=|\$STORE|part\*|\ball\.sqlite|\be\.sqlite| machine\.yaml|space\.yaml"
                         r"| resnet34\.yaml| --arch A | mapped simulated| \[")


def others():
    """Pages with commands that no other test runs."""
    compared = {path for name in COMPARED for path in (ROOT / "docs").glob(f"{name}.md")}
    return [path for path in sorted((ROOT / "docs").glob("*.md")) if path not in compared and commands(path, inline=False)]


class Commands(unittest.TestCase):
    def setUp(self):
        self.printed = []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("examples", "data"):
            (self.folder / name).symlink_to(ROOT / name)
        shutil.copy(ROOT / "data" / "arch" / "eyeriss.yaml", self.folder / "my_machine.yaml")
        shutil.copy(ROOT / "tests" / "data" / "onnx" / "attention.onnx", self.folder / "model.onnx")
        (self.folder / "densities.csv").write_text("layer,tensor,density\n*,Weights,2:4\nconv1,Weights,1\n")
        (self.folder / "constraints.yaml").write_text(
            "constraints:\n  targets:\n  - {target: DRAM, type: temporal, factors: [N=1]}\n")

    def lay_out(self, command):
        """The files that the documents speak of: Timeloop's, or ZigZag's where there is a hardware.yaml."""
        source = ROOT / "examples" / ("uneven" if "hardware.yaml" in command else "eyeriss_like")
        for path in source.glob("*.yaml"):
            shutil.copy(path, self.folder / path.name)

    def run_document(self, path, least, inline=True, wanted=lambda command: True):
        run = 0
        for number, command, status in commands(path, inline):
            if not wanted(command):
                continue
            self.lay_out(command)
            words = " ".join(shlex.quote(word) if "*" not in word or "/" not in word else word for word in shlex.split(command)[1:])
            result = subprocess.run(["bash", "-c", f"{shlex.quote(PROGRAM)} {words}"], cwd=self.folder, capture_output=True,
                                    text=True, timeout=300, stdin=subprocess.DEVNULL,
                                    env={**os.environ, "TILEWRIGHT_CACHE": ""})
            self.printed.append(result.stdout + result.stderr)
            with self.subTest(f"{path.name}:{number} {command}"):
                self.assertEqual(result.returncode, status, result.stderr)
            run += 1
        self.assertGreaterEqual(run, least)
        return run

    def test_readme(self):
        self.run_document(ROOT / "README.md", 9)

    def test_command_line(self):
        self.run_document(ROOT / "docs" / "cli.md", 12)

    def test_tiles(self):
        self.run_document(ROOT / "docs" / "tiles.md", 7)

    def check_what_is_said_to_be_printed(self, path):
        """Indented lines that are no commands stand in what a command of the document prints."""
        printed = "".join(self.printed)
        inside_yaml = False
        compared = 0
        for number, line in enumerate(re.sub(r" \\\n +", " ", path.read_text()).splitlines(), 1):
            inside_yaml ^= line.startswith("```")
            if inside_yaml or not line.startswith("    ") or line.strip().startswith("tilewright ") or line.strip() == "...":
                continue
            with self.subTest(f"{path.name}:{number}"):
                self.assertIn(line.strip().removesuffix(" ..."), printed)
            compared += 1
        return compared

    def test_frequent_questions(self):
        path = ROOT / "docs" / "errors.md"
        self.run_document(path, 14)
        self.assertGreaterEqual(self.check_what_is_said_to_be_printed(path), 8)

    def test_the_guides(self):
        """Each answers one question: a command, lines that it prints, and what to conclude."""
        paths = [*sorted((ROOT / "docs").glob("guide-*.md")), ROOT / "docs" / "coming-from-maestro.md"]
        self.assertGreaterEqual(len(paths), 9)
        for path in paths:
            self.run_document(path, 2)
            self.assertGreaterEqual(self.check_what_is_said_to_be_printed(path), 2)

    def test_examples_of_other_pages(self):
        """Of their blocks: commands inside sentences and tables speak of a user's own files."""
        for name, least in (("coming-from-timeloop", 2), ("coming-from-zigzag", 2), ("coming-from-accelforge", 1), ("coming-from-cosa", 2),
                            ("coming-from-scalesim", 1), ("networks", 1), ("mappings", 2), ("llm", 2)):
            self.run_document(ROOT / "docs" / f"{name}.md", least, inline=False)

    def test_published_servers(self):
        section = re.search(r"^### Beside published servers\n.*?(?=^#)", (ROOT / "docs" / "llm.md").read_text(), re.MULTILINE | re.DOTALL)
        page = self.folder / "published.md"
        page.write_text(section[0])
        self.run_document(page, 4)
        self.assertEqual(self.check_what_is_said_to_be_printed(page), 6)

    def test_the_tutorial(self):
        path = ROOT / "docs" / "tutorial.md"
        machine = re.search(r"^```yaml\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)[1]
        (self.folder / "mine.yaml").write_text(machine)
        self.run_document(path, 6)
        self.assertGreaterEqual(self.check_what_is_said_to_be_printed(path), 7)

    def test_the_sample_error_of_the_readme_is_a_real_one(self):
        sample = [line.strip() for line in (ROOT / "README.md").read_text().splitlines() if line.strip().startswith("arch.yaml:")]
        self.lay_out("")
        arch = self.folder / "arch.yaml"
        arch.write_text(arch.read_text().replace("depth: 16384", "dept: 16384"))
        result = subprocess.run([PROGRAM, "check", "arch.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual([result.stderr.splitlines()[0]], sample)


if __name__ == "__main__":
    unittest.main()
