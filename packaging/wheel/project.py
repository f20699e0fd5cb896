"""What pyproject.toml and CMakeLists.txt say of the project, as the metadata of a Python package (core metadata 2.1).

    project.py FOLDER       writes METADATA there: what importlib.metadata finds where no wheel was installed
"""

import dataclasses
import pathlib
import re
import sys

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")


def alone(readme):
    """README as it reads without the tree around it: links to files are their words, pictures of files are left out."""
    def words(found):
        if re.match(r"[a-z]+:", found[2]):
            return found[0]
        return "" if found[0].startswith("!") else found[1]

    return LINK.sub(words, readme)


@dataclasses.dataclass(frozen=True)
class Project:
    version: str
    table: dict
    readme: str
    licence: str

    @property
    def name(self):
        return self.table["name"]

    def metadata(self):
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}",
                 f"Summary: {self.table['description']}", "License: Apache-2.0",
                 "Author: " + ", ".join(author["name"] for author in self.table["authors"]),
                 "Keywords: " + ",".join(self.table["keywords"])]
        lines += [f"Classifier: {classifier}" for classifier in self.table["classifiers"]]
        lines += [f"Requires-Python: {self.table['requires-python']}", "Description-Content-Type: text/markdown"]
        for extra, needed in self.table["optional-dependencies"].items():
            lines.append(f"Provides-Extra: {extra}")
            lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in needed]
        return "\n".join(lines) + "\n\n" + alone(self.readme)

    def entry_points(self):
        return "[console_scripts]\n" + "".join(f"{name} = {place}\n" for name, place in self.table["scripts"].items())


def read(root):
    table = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version = re.search(r"project\(tilewright VERSION (\S+)", (root / "CMakeLists.txt").read_text()).group(1)
    return Project(version, table, (root / table["readme"]).read_text(), (root / table["license"]["file"]).read_text())


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(read(pathlib.Path(__file__).resolve().parents[2]).metadata())
