"""The shared libraries that travel in a wheel: what its programs and modules load and a machine need not have.

Copies get names of their own (libtbb-1a2b3c4d.so.12), so that another package's copy of the same library in the same
process is not taken for them; every file finds them by its own place ($ORIGIN).
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

# What every machine with the glibc of the wheel's tag has; beside it the compiler's runtime, of which a process takes
# one only.
ON_EVERY_MACHINE = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+))\.so.*")


def said(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def loaded_by(path):
    """Name and place of every library that `path` loads, by others, too."""
    found = {}
    for line in said("ldd", path).splitlines():
        name, arrow, place = line.strip().partition(" => ")
        if not arrow or ON_EVERY_MACHINE.fullmatch(name):
            continue
        if place.startswith("not found"):
            raise SystemExit(f"error: {path} needs {name}, which is not on this machine")
        found[name] = pathlib.Path(place.split(" (")[0]).resolve()
    return found


def needed_by(path):
    return set(said("patchelf", "--print-needed", path).split())


def travelling_name(name, place):
    """libtbb.so.12 -> libtbb-1a2b3c4d.so.12"""
    stem, _, rest = name.partition(".so")
    return f"{stem}-{hashlib.sha256(place.read_bytes()).hexdigest()[:8]}.so{rest}"


def packages_of(places):
    """The Debian packages that libraries came with, by their names; none where there is no dpkg."""
    if shutil.which("dpkg") is None:
        return []
    # Packages know their files by the name from before /usr was merged, or by the one after it.
    spelled = [str(spelling) for place in places for spelling in (place, str(place).removeprefix("/usr"))]
    done = subprocess.run(["dpkg", "-S", *spelled], capture_output=True, text=True, check=False)
    return sorted({line.split(":")[0] for line in done.stdout.splitlines() if not line.startswith("diversion ")})


class Bundle:
    """Copies below `scratch`, changed so that they find each other: add(), then files() and licences()."""

    def __init__(self, scratch, folder):
        self.scratch = scratch
        self.folder = folder
        self.places = {}  # by the name that others load it by
        self.programs = []

    def add(self, path, folder):
        """A program or module that lies in `folder` of the wheel."""
        copy = self.copied(path, f"{folder}/{path.name}")
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        self.places.update(loaded_by(path))
        self.programs.append((copy, f"{folder}/{path.name}"))

    def copied(self, path, name):
        copy = self.scratch / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        copy.chmod(0o755)
        return copy

    def files(self):
        """(copy, name in the wheel) of programs and libraries."""
        names = {name: travelling_name(name, place) for name, place in self.places.items()}
        files = list(self.programs)
        for name, place in sorted(self.places.items()):
            inside = f"{self.folder}/{names[name]}"
            files.append((self.copied(place, inside), inside))
            if name.startswith("libtilewright"):  # the others are their packages'
                subprocess.run(["strip", "--strip-unneeded", files[-1][0]], check=True)
            subprocess.run(["patchelf", "--set-soname", names[name], files[-1][0]], check=True)
        for copy, inside in files:
            to_libraries = os.path.relpath(self.folder, os.path.dirname(inside))
            renamed = [word for name in sorted(needed_by(copy) & names.keys())
                       for word in ("--replace-needed", name, names[name])]
            if renamed:
                subprocess.run(["patchelf", *renamed, copy], check=True)
            place = "$ORIGIN" if to_libraries == "." else f"$ORIGIN/{to_libraries}"
            subprocess.run(["patchelf", "--set-rpath", place, copy], check=True)
        return files

    def licences(self):
        """(file, package) of what the libraries' packages say of their licences."""
        for package in packages_of(self.places.values()):
            file = pathlib.Path("/usr/share/doc", package, "copyright")
            if file.exists():
                yield file, package
