"""What pyproject.toml and CMakeLists.txt say of the project, as the metadata of a Python package (core metadata 2.1)."""

import dataclasses
import re

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib


@dataclasses.dataclass(frozen=True)
class Project:
    name: str
    version: str
    summary: str
    requires_python: str
    readme: str
    licence: str
    extras: dict
    scripts: dict

    def metadata(self):
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}", f"Summary: {self.summary}",
                 "License: Apache-2.0", f"Requires-Python: {self.requires_python}",
                 "Description-Content-Type: text/markdown"]
        for extra, needed in self.extras.items():
            lines.append(f"Provides-Extra: {extra}")
            lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in needed]
        return "\n".join(lines) + "\n\n" + self.readme

    def entry_points(self):
        return "[console_scripts]\n" + "".join(f"{name} = {place}\n" for name, place in self.scripts.items())


def read(root):
    table = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version = re.search(r"project\(tilewright VERSION (\S+)", (root / "CMakeLists.txt").read_text()).group(1)
    return Project(table["name"], version, table["description"], table["requires-python"],
                   (root / table["readme"]).read_text(), (root / table["license"]["file"]).read_text(),
                   table["optional-dependencies"], table["scripts"])
