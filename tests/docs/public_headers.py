"""The public headers (include/tilewright) and the parts of src/ that are installed with them (cmake/install.cmake)."""

import pathlib
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
PARTS = re.compile(r"^set\(TW_PUBLIC_PARTS([^)]*)\)", re.MULTILINE)


def listed_parts(cmake_text):
    """The headers below src/ that are installed, in the order of the file."""
    return PARTS.search(cmake_text).group(1).split()


def needed_parts(public, source):
    """{header below src/: who includes it}, of all that the public headers include, directly or not."""
    needed = {}
    waiting = [(name, path.name) for path in sorted(public.glob("*.hpp")) for name in INCLUDE.findall(path.read_text())]
    while waiting:
        name, by = waiting.pop()
        if name.startswith("tilewright/") or name in needed:
            continue
        needed[name] = by
        waiting += [(inner, name) for inner in INCLUDE.findall((source / name).read_text())]
    return needed


def opening_comment(text):
    """The comment that a header opens with, without the slashes."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:])
    return lines


def faults(path):
    """What the opening comment of a public header lacks."""
    comment = opening_comment(path.read_text())
    found = []
    if not comment or not comment[0].strip():
        found.append("does not say what it is")
    if not any(line.startswith("     ") for line in comment):
        found.append("has no example")
    if not any("hread-safe" in line for line in comment):
        found.append("says nothing of threads")
    return [f"{path.name}: {fault}" for fault in found]


def violations(root):
    """One line for each header that is installed and not needed, needed and not installed, or opens badly."""
    public, source = root / "include" / "tilewright", root / "src"
    listed = listed_parts((root / "cmake" / "install.cmake").read_text())
    needed = needed_parts(public, source)
    found = [f"{name}: installed, but no public header includes it" for name in listed if name not in needed]
    found += [f"{name}: included by {by}, but not installed" for name, by in sorted(needed.items()) if name not in listed]
    for path in sorted(public.glob("*.hpp")):
        found += faults(path)
    umbrella = INCLUDE.findall((public / "tilewright.hpp").read_text())
    others = sorted(f"tilewright/{path.name}" for path in public.glob("*.hpp") if path.name != "tilewright.hpp")
    if sorted(umbrella) != others:
        found.append("tilewright.hpp does not include all the others")
    return found
