"""Writes a wheel: a zip file with a list of what is in it (the binary distribution format of Python packages).

Files go in by name and with one date, so that the same files make the same wheel.
"""

import base64
import hashlib
import os
import zipfile

DATE = (1980, 1, 1, 0, 0, 0)


class Wheel:
    """Written to `directory` when the block ends; nothing is left there when it ends by an exception."""

    def __init__(self, directory, project, tag):
        self.project = project
        self.tag = tag
        self.name = f"{project.name}-{project.version}-{tag}.whl"
        self.info = f"{project.name}-{project.version}.dist-info"
        self.path = os.path.join(directory, self.name)
        self.files = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.write()

    def add(self, path, name):
        """The file at `path` as `name`, executable if it is."""
        self.files[name] = (path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def add_text(self, text, name):
        self.files[name] = (text.encode(), 0o644)

    def add_data(self, path, name):
        """A file below the prefix of the installation: share/man/man1/..."""
        self.add(path, f"{self.project.name}-{self.project.version}.data/data/{name}")

    def add_licence(self, path, package):
        self.add(path, f"{self.info}/licenses/{package}")

    def write(self):
        self.add_text(self.project.metadata(), f"{self.info}/METADATA")
        self.add_text(self.project.entry_points(), f"{self.info}/entry_points.txt")
        self.add_text(self.project.licence, f"{self.info}/licenses/LICENSE")
        self.add_text("Wheel-Version: 1.0\nGenerator: tilewright\nRoot-Is-Purelib: false\nTag: " + self.tag + "\n",
                      f"{self.info}/WHEEL")
        self.add_text(self.record(), f"{self.info}/RECORD")
        partial = self.path + ".part"
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as file:
            for name, (content, mode) in sorted(self.files.items()):
                entry = zipfile.ZipInfo(name, DATE)
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                file.writestr(entry, content)
        os.replace(partial, self.path)

    def record(self):
        lines = []
        for name, (content, _) in sorted(self.files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        return "".join(lines) + f"{self.info}/RECORD,,\n"
